#pragma once

#include <stddef.h>
#include <stdint.h>

// The demanglers of the Swift runtime and of the C++ runtime, which every Swift program on Linux loads. All references are weak:
// a runtime that does not export one costs better names, not the link. Results come from malloc; the caller frees them.

char *swift_demangle(const char *mangled, size_t length, char *buffer, size_t *buffer_size, uint32_t flags)
    __attribute__((weak));
char *_swift_backtrace_demangle(const char *mangled, size_t length, char *buffer, size_t *buffer_size)
    __attribute__((weak));
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status) __attribute__((weak));

/// The whole signature of a Swift symbol, with module names; NULL when it is no Swift symbol.
static inline char *mayday_demangle_swift(const char *mangled, size_t length) {
    return swift_demangle ? swift_demangle(mangled, length, NULL, NULL, 0) : NULL;
}

/// The short form of a Swift or C++ symbol, as Swift's own backtraces print it; NULL when it is neither. The function belongs to
/// the runtime's own backtracer and may go away.
static inline char *mayday_demangle_short(const char *mangled, size_t length) {
    return _swift_backtrace_demangle ? _swift_backtrace_demangle(mangled, length, NULL, NULL) : NULL;
}

/// The whole signature of a C++ symbol (Itanium ABI); NULL when it is none.
static inline char *mayday_demangle_cxx(const char *mangled) {
    int status = 0;
    return __cxa_demangle ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
}
