// The allocator of this program: libc's, with a count. Every library of the process gets it, the Swift runtime too.

#include "AllocationCounter.h"

#include <errno.h>
#include <stdlib.h>

// libc's own, by the names under which it exports them for this purpose.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread size_t count;

size_t allocations_of_this_thread(void) { return count; }

void *malloc(size_t size) {
    count += 1;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count += 1;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count += 1;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count += 1;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    void *allocated = memalign(alignment, size);
    if (allocated == NULL) return ENOMEM;
    *memory = allocated;
    return 0;
}
