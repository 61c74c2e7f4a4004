// Counts what a thread allocates: the allocator's functions are defined here, in front of libc's.

#ifndef MAYDAY_ALLOCATION_COUNTER_H
#define MAYDAY_ALLOCATION_COUNTER_H

#include <stddef.h>

/// How often the calling thread has allocated or reallocated so far. Thread-safe.
size_t allocations_of_this_thread(void);

#endif
