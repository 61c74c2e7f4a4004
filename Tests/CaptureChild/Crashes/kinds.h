// The ways to end, by name, in tables by theme.

#ifndef CAPTURE_CHILD_KINDS_H
#define CAPTURE_CHILD_KINDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Kind {
    const char *name;
    void (*run)(void);
} Kind;

// Each table is ended by an entry without a name.

/// Faults and signals on the main thread.
extern const Kind capture_child_faults[];
/// Stacks: deep, overflowing, damaged.
extern const Kind capture_child_stacks[];
/// Async functions and their contexts.
extern const Kind capture_child_asyncs[];
/// What a compiler for another machine made (Tests/Emulation); NULL elsewhere.
extern const Kind capture_child_compiled[] __attribute__((weak));
/// More than one thread or process.
extern const Kind capture_child_threads[];
/// What the process lives with.
extern const Kind capture_child_hosts[];
/// Survivors that print what they find.
extern const Kind capture_child_checks[];

/// The number behind the colon of `KIND:NUMBER`, or 0.
extern long capture_child_number;

/// From now on the process ends with this status when the capture allocates (allocations.c).
extern bool capture_child_trap_allocations;
enum { CAPTURE_CHILD_ALLOCATED = 99 };

/// Open descriptors, now and before the capture was installed.
int capture_child_descriptors(void);
extern int capture_child_descriptors_before;

/// A pointer that the optimiser does not see through.
void *capture_child_opaque(uintptr_t value);
/// Writes to address 0x18.
void capture_child_segv(void);
/// The same, beside `count` idle threads.
void capture_child_among(long count);

#endif
