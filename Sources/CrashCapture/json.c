// JSON text into a fixed buffer. Everything here is async-signal-safe and pure.

#include "line.h"
#include "utf8.h"
#include "runs_at_start.h"

#include <string.h>

void mayday_line_bytes(Line *line, const char *bytes, size_t count) {
    if (line->overflow || count > line->capacity - line->length) {
        line->overflow = true;
        return;
    }
    memcpy(line->data + line->length, bytes, count);
    line->length += count;
}

void mayday_line_raw(Line *line, const char *text) { mayday_line_bytes(line, text, strlen(text)); }

void mayday_line_key(Line *line, const char *key) {
    char last = line->length > 0 ? line->data[line->length - 1] : '{';
    mayday_line_raw(line, last == '{' || last == '[' ? "\"" : ",\"");
    mayday_line_raw(line, key);
    mayday_line_raw(line, "\":");
}

void mayday_line_string(Line *line, const char *text, size_t count) {
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = (const uint8_t *)text;
    mayday_line_raw(line, "\"");
    for (size_t index = 0; index < count;) {
        uint8_t byte = bytes[index];
        size_t length = mayday_utf8_length(bytes + index, count - index);
        if (length == 0) {
            mayday_line_raw(line, "\xef\xbf\xbd");
            index += 1;
        } else if (byte == '"' || byte == '\\') {
            char escape[2] = {'\\', (char)byte};
            mayday_line_bytes(line, escape, 2);
            index += 1;
        } else if (byte < 0x20 || byte == 0x7f) {
            char escape[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
            mayday_line_bytes(line, escape, 6);
            index += 1;
        } else {
            mayday_line_bytes(line, text + index, length);
            index += length;
        }
    }
    mayday_line_raw(line, "\"");
}

void mayday_line_int(Line *line, int64_t value) {
    char text[21];
    size_t at = sizeof text;
    uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0) text[--at] = '-';
    mayday_line_bytes(line, text + at, sizeof text - at);
}

void mayday_line_hex(Line *line, uint64_t value) {
    static const char digits[] = "0123456789abcdef";
    char text[20];
    size_t at = sizeof text;
    text[--at] = '"';
    do {
        text[--at] = digits[value & 15];
        value >>= 4;
    } while (value != 0);
    text[--at] = 'x';
    text[--at] = '0';
    text[--at] = '"';
    mayday_line_bytes(line, text + at, sizeof text - at);
}

void mayday_line_digest(Line *line, const uint8_t *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    mayday_line_raw(line, "\"");
    for (size_t index = 0; index < count; index++) {
        char pair[2] = {digits[bytes[index] >> 4], digits[bytes[index] & 15]};
        mayday_line_bytes(line, pair, 2);
    }
    mayday_line_raw(line, "\"");
}

/// Writes `value` with leading zeros.
static void padded(char *to, uint64_t value, int width) {
    for (int index = width - 1; index >= 0; index--) {
        to[index] = (char)('0' + value % 10);
        value /= 10;
    }
}

void mayday_line_time(Line *line, uint64_t unix_ns) {
    uint64_t seconds = unix_ns / 1000000000u;
    uint64_t days = seconds / 86400;
    uint64_t second_of_day = seconds % 86400;
    // Civil date from days since 1970, in eras of 400 years that begin on 1 March, so that leap days come last.
    uint64_t shifted = days + 719468;
    uint64_t era = shifted / 146097;
    uint64_t day_of_era = shifted % 146097;
    uint64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint64_t month_from_march = (5 * day_of_year + 2) / 153;
    uint64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    uint64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    uint64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);

    char text[] = "\"0000-00-00T00:00:00.000000Z\"";
    padded(text + 1, year, 4);
    padded(text + 6, month, 2);
    padded(text + 9, day, 2);
    padded(text + 12, second_of_day / 3600, 2);
    padded(text + 15, second_of_day / 60 % 60, 2);
    padded(text + 18, second_of_day % 60, 2);
    padded(text + 21, unix_ns % 1000000000u / 1000u, 6);
    mayday_line_raw(line, text);
}
