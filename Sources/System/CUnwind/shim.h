// libunwind's types only: the library itself is loaded privately at run time (docs/decisions.md), never linked.
#if defined(__linux__)
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif
