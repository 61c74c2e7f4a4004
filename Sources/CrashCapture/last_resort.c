// The report as lines of base64 on standard error, where neither a disk nor a backend took it: the log of a container is
// often all that is left of it. `mayday import` reads it back (docs/report-format.md, "In a log"). Async-signal-safe.

#if defined(__linux__)

#include "delivery.h"
#include "standard_error.h"

#include <string.h>
#include <zlib.h>

enum {
    /// Bytes of a line: with its prefix it stays below the 1,024 at which some loggers cut.
    BYTES_A_LINE = 384,
    /// Bytes of a report at most.
    LIMIT = 128 * 1024,
};

/// RFC 4648, section 5: no character that JSON escapes.
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static char text[1024];

static Line begin(const char *prefix) {
    Line line = {.data = text, .capacity = sizeof text - 1};
    mayday_line_raw(&line, prefix);
    mayday_line_raw(&line, mayday_crash.id);
    mayday_line_raw(&line, " ");
    return line;
}

static bool end(Line *line, uint64_t limit_ns) {
    text[line->length] = '\n';
    return mayday_say(text, line->length + 1, limit_ns);
}

static bool frame(const char *which, size_t bytes, uint32_t crc, uint64_t limit_ns) {
    Line line = begin("mayday-report ");
    mayday_line_raw(&line, which);
    mayday_line_raw(&line, " lines=");
    mayday_line_int(&line, (int64_t)((bytes + BYTES_A_LINE - 1) / BYTES_A_LINE));
    mayday_line_raw(&line, " bytes=");
    mayday_line_int(&line, (int64_t)bytes);
    mayday_line_raw(&line, " crc32=");
    mayday_line_int(&line, crc);
    return end(&line, limit_ns);
}

static void base64(Line *line, const uint8_t *bytes, size_t count) {
    for (size_t at = 0; at < count; at += 3) {
        size_t here = count - at < 3 ? count - at : 3;
        uint32_t word = 0;
        for (size_t index = 0; index < 3; index++) word = word << 8 | (index < here ? bytes[at + index] : 0);
        char letters[4];
        for (int index = 0; index < 4; index++) letters[index] = alphabet[word >> (18 - 6 * index) & 63];
        mayday_line_bytes(line, letters, here + 1);
    }
}

void mayday_last_resort(void) {
    if (mayday_spool.published || mayday_delivery.outcome == DELIVERY_DONE || mayday_spool.kept_count == 0) return;
    uint64_t limit_ns = mayday_monotonic_ns() + LAST_RESORT_NS;
    size_t count = mayday_spool.kept_count < LIMIT ? mayday_spool.kept_count : LIMIT;
    uint32_t crc = (uint32_t)crc32(0, mayday_spool.kept, (uInt)count);
    Line note = begin("mayday: report ");
    mayday_line_raw(&note, "follows in base64, `mayday import` reads it from this log");
    bool taken = end(&note, limit_ns) && frame("begin", count, crc, limit_ns);
    int64_t number = 1;
    for (size_t at = 0; taken && at < count; at += BYTES_A_LINE, number++) {
        Line line = begin("mayday-report ");
        mayday_line_int(&line, number);
        mayday_line_raw(&line, " ");
        base64(&line, mayday_spool.kept + at, count - at < BYTES_A_LINE ? count - at : BYTES_A_LINE);
        taken = end(&line, limit_ns);
    }
    if (taken) frame("end", count, crc, limit_ns);
}

#endif
