#include "CrashCapture.h"
#include "internal.h"
#include "runs_at_start.h"

/// Async-signal-safe.
const char *mayday_capture_unwinder(void) {
#if defined(__linux__)
    if (mayday_unwinder_usable()) return "libunwind";
#endif
    return "frame-pointer";
}
