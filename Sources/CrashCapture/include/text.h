// A text that is lent for the time of a call.

#ifndef MAYDAY_TEXT_H
#define MAYDAY_TEXT_H

#include <stddef.h>

typedef struct MaydayText {
    /// Need not end in NUL. NULL: there is none, and `length` is 0.
    const char *bytes;
    size_t length;
} MaydayText;

#endif
