// Crashes that are C++'s, behind a C interface.

#ifndef GALLERY_CXX_CRASH_KINDS_H
#define GALLERY_CXX_CRASH_KINDS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Prints a label; throws where nobody catches.
int32_t label_print(int32_t copies);
/// Throws out of a function that promises not to.
int32_t label_feed(int32_t tray);
/// Throws what is no exception, but a number.
int32_t label_cut(int32_t length);
/// Throws and catches: what an uncaught exception must not be confused with. Returns `copies`.
int32_t label_try_print(int32_t copies);

#ifdef __cplusplus
}
#endif

#endif
