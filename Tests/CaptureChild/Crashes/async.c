// Async frames: contexts of async functions on the heap, sound and damaged.

#include "kinds.h"

#include <stddef.h>

typedef struct AsyncContext {
    struct AsyncContext *caller;
    uintptr_t resume;
} AsyncContext;

/// An async function: crashes.
void capture_child_async(AsyncContext *context);

#if defined(__x86_64__)

// Begins as the compiler begins an async function, with the async context in rdi.
__asm__(".text\n"
        ".type capture_child_async, @function\n"
        "capture_child_async:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "push %r14\n"
        "lea 8(%rsp), %rbp\n"
        ".cfi_def_cfa %rbp, 16\n"
        "mov %rdi, -8(%rbp)\n"
        "sub $8, %rsp\n"
        "call capture_child_segv\n"
        "ud2\n"
        ".cfi_endproc\n"
        ".size capture_child_async, . - capture_child_async\n");

static void capture_child_enter(AsyncContext *context) { capture_child_async(context); }

#elif defined(__aarch64__)

void capture_child_enter(AsyncContext *context);

// Begins as the compiler begins an async function, with the async context in x22. The other one calls it, and never returns.
__asm__(".text\n"
        ".type capture_child_enter, %function\n"
        ".globl capture_child_enter\n"
        "capture_child_enter:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset x29, -16\n"
        ".cfi_offset x30, -8\n"
        "mov x29, sp\n"
        "mov x22, x0\n"
        "bl capture_child_async\n"
        "udf #0\n"
        ".cfi_endproc\n"
        ".size capture_child_enter, . - capture_child_enter\n"
        ".type capture_child_async, %function\n"
        "capture_child_async:\n"
        ".cfi_startproc\n"
        "sub sp, sp, #32\n"
        "stp x29, x30, [sp, #16]\n"
        "str x22, [sp, #8]\n"
        "add x29, sp, #16\n"
        ".cfi_def_cfa x29, 16\n"
        ".cfi_offset x30, -8\n"
        ".cfi_offset x29, -16\n"
        "bl capture_child_segv\n"
        "udf #0\n"
        ".cfi_endproc\n"
        ".size capture_child_async, . - capture_child_async\n");

#endif

enum { CONTEXTS = 200 };
static AsyncContext contexts[CONTEXTS];

/// As many async callers as the number says.
static AsyncContext *async_callers(long count) {
    for (long index = 0; index < count; index++) {
        contexts[index] = (AsyncContext){index + 1 < count ? &contexts[index + 1] : NULL, (uintptr_t)capture_child_async};
    }
    return contexts;
}

static void async_deep(void) { capture_child_enter(async_callers(capture_child_number)); }

static void async_circle(void) {
    async_callers(5);
    contexts[4].caller = &contexts[2];
    capture_child_enter(contexts);
}

static void async_wild(void) {
    async_callers(5);
    contexts[2].caller = (AsyncContext *)capture_child_opaque(0x18);
    capture_child_enter(contexts);
}

/// A caller that goes on in data.
static void async_data(void) {
    async_callers(5);
    contexts[3].resume = (uintptr_t)contexts;
    capture_child_enter(contexts);
}

const Kind capture_child_asyncs[] = {
    {"async", async_deep}, {"async-circle", async_circle}, {"async-wild", async_wild}, {"async-data", async_data}, {NULL, NULL},
};
