// UTF-8 (RFC 3629). Async-signal-safe and pure.

#ifndef MAYDAY_UTF8_H
#define MAYDAY_UTF8_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Length of the valid sequence at `bytes`, of which there is at least one, or 0: no surrogates, no overlong forms, up to
/// U+10FFFF.
size_t mayday_utf8_length(const uint8_t *bytes, size_t count);

#pragma GCC visibility pop

#endif
