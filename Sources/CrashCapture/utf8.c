// UTF-8 (RFC 3629). Async-signal-safe and pure.

#include "utf8.h"
#include "runs_at_start.h"

size_t mayday_utf8_length(const uint8_t *bytes, size_t count) {
    uint8_t lead = bytes[0];
    size_t length;
    uint8_t low = 0x80, high = 0xbf;
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) {
        length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
        length = 3;
        if (lead == 0xe0) low = 0xa0;
        if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        length = 4;
        if (lead == 0xf0) low = 0x90;
        if (lead == 0xf4) high = 0x8f;
    } else {
        return 0;
    }
    if (count < length || bytes[1] < low || bytes[1] > high) return 0;
    for (size_t index = 2; index < length; index++) {
        if (bytes[index] < 0x80 || bytes[index] > 0xbf) return 0;
    }
    return length;
}
