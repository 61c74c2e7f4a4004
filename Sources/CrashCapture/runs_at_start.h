// For files whose functions `start` runs, the last of their own headers: all of them are RUNS_AT_START.

#include "at_start.h"

#if defined(__linux__)
#pragma clang section text = ".text.startup"
#endif
