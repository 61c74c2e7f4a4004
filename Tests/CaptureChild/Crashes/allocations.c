// malloc and its family, which end the process when the capture calls them.

#include "kinds.h"

#include "internal.h"

#include <errno.h>
#include <unistd.h>

#if MAYDAY_INTERPOSE

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

bool capture_child_trap_allocations;

/// A previous handler may do as it likes: it is not ours.
static void check(void) {
    if (capture_child_trap_allocations && mayday_crash.owner != 0 && mayday_crash.phase != PHASE_CHAINED) {
        _exit(CAPTURE_CHILD_ALLOCATED);
    }
}

void *malloc(size_t size) {
    check();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    check();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    check();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    check();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

void free(void *block) {
    check();
    __libc_free(block);
}

#else

bool capture_child_trap_allocations;

#endif
