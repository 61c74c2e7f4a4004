// Alternate stacks: a stack overflow can only be told from another stack. Not async-signal-safe.

#if defined(__linux__)

#include "internal.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK_SIZE = 64 * 1024, SMALLEST_USABLE = 32 * 1024 };

/// A signal's frame may be large (AVX-512, AMX, SVE): the kernel says how large.
static size_t stack_size(void) {
    size_t frame = 0;
#if defined(AT_MINSIGSTKSZ)
    frame = getauxval(AT_MINSIGSTKSZ);
#endif
    return frame > 8 * 1024 ? STACK_SIZE + ((frame + 4095) & ~(size_t)4095) : STACK_SIZE;
}

bool mayday_thread_stack_ensure(void) {
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_DISABLE) == 0 && current.ss_size >= SMALLEST_USABLE) {
        return true;
    }
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = stack_size();
    char *memory = mmap(NULL, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    mprotect(memory, guard, PROT_NONE);
    stack_t stack = {.ss_sp = memory + guard, .ss_size = size, .ss_flags = 0};
    return sigaltstack(&stack, NULL) == 0;
}

#endif
