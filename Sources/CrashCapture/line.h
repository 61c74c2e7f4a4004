// One line of the report, as JSON text in a fixed buffer (json.c). Everything here is async-signal-safe and pure.

#ifndef MAYDAY_LINE_H
#define MAYDAY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct Line {
    char *data;
    size_t length;
    size_t capacity;
    /// Something did not fit: the line must not be written.
    bool overflow;
} Line;

void mayday_line_raw(Line *line, const char *text);
void mayday_line_bytes(Line *line, const char *bytes, size_t count);
/// `"key":`, with a comma before it unless it is the first member.
void mayday_line_key(Line *line, const char *key);
/// A JSON string from bytes of any kind: escaped, invalid UTF-8 replaced by U+FFFD.
void mayday_line_string(Line *line, const char *bytes, size_t count);
void mayday_line_int(Line *line, int64_t value);
/// `"0x…"`.
void mayday_line_hex(Line *line, uint64_t value);
/// RFC 3339 in UTC with microseconds, from nanoseconds since 1970.
void mayday_line_time(Line *line, uint64_t unix_ns);
/// Hex digits of bytes, quoted.
void mayday_line_digest(Line *line, const uint8_t *bytes, size_t count);

#pragma GCC visibility pop

#endif
