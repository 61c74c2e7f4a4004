// A child that installs the capture as its arguments say and ends in one of many ways. See CaptureChild.c.

#ifndef CAPTURE_CHILD_CRASHES_H
#define CAPTURE_CHILD_CRASHES_H

#include <stdint.h>

/// Runs as the arguments say; returns the exit status when it survives.
int capture_child_main(int32_t argument_count, char *_Nullable *_Nonnull arguments);
_Noreturn void capture_child_exit(int status);

/// What the capture reads in the text of a system's file; NULL when it is not there. The caller frees it.
char *_Nullable capture_child_fact(const char *_Nonnull name, const char *_Nonnull text);

#endif
