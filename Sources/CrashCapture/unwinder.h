// libunwind's functions, as they were found by unwinder_load.c.

#ifndef MAYDAY_UNWINDER_H
#define MAYDAY_UNWINDER_H

#if defined(__linux__)

#include "internal.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#pragma GCC visibility push(hidden)

typedef int AccessMemory(unw_addr_space_t, unw_word_t, unw_word_t *, int, void *);

typedef struct Unwinder {
    _Atomic bool usable;
    int (*init_local)(unw_cursor_t *, unw_context_t *, int);
    int (*step)(unw_cursor_t *);
    int (*get_register)(unw_cursor_t *, unw_regnum_t, unw_word_t *);
    int (*is_signal_frame)(unw_cursor_t *);
    int (*get_function)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, void *);
    unw_addr_space_t *own_memory;
    /// How it reads memory by itself. NULL where it does so during a capture, too.
    AccessMemory *access_memory;
    /// The numbers of a pipe of its own that was closed at start, or -1. Usable only when it has them back.
    int pipe[2];
} Unwinder;

extern Unwinder mayday_unwinder;

/// How it reads memory once it is loaded. Async-signal-safe.
AccessMemory mayday_unwinder_access;
/// Somebody else has a number of libunwind's pipe: a walk would read from that, or wait for it. Async-signal-safe.
bool mayday_unwinder_pipe_is_taken(void);

#pragma GCC visibility pop

#endif
#endif
