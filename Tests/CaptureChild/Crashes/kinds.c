// Each kind ends the process, by a fault or by a signal.

#include "kinds.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Keeps the optimiser from knowing the value.
static void *opaque(uintptr_t value) {
    void *volatile hidden = (void *)value;
    return hidden;
}

__attribute__((noinline)) static void segv(void) { *(volatile int *)opaque(0x18) = 1; }

__attribute__((noinline)) static void ill(void) { __builtin_trap(); }

const Kind capture_child_kinds[] = {
    {"segv", segv},
    {"ill", ill},
    {NULL, NULL},
};
