// Runs async functions of AsyncFrames.swift, with what they need of Swift's runtime: tasks that never suspend.

#include "kinds.h"

#include <stdlib.h>

/// What the compiler makes of an async function for its callers (swift/ABI/Task.h): where its code is, and how large its context.
typedef struct AsyncFunctionPointer {
    int32_t code;
    uint32_t context_size;
} AsyncFunctionPointer;

extern const AsyncFunctionPointer outermost __asm__("$s11AsyncFrames9outermostyS2iYaFTu");
extern const AsyncFunctionPointer overflow __asm__("$s11AsyncFrames8overflowyS2iYaFTu");

void *swift_task_alloc(size_t size) { return calloc(1, size); }
void swift_task_dealloc(void *memory) { free(memory); }

// Goes on at once, on the same thread.
__asm__(".text\n"
        ".globl swift_task_switch\n"
        ".type swift_task_switch, %function\n"
        "swift_task_switch:\n"
        "br x0\n"
        ".size swift_task_switch, . - swift_task_switch\n");

/// Calls `code` with the async context in x22 and 0 as the argument. A task's last function comes back to its resume.
void capture_child_run_async(void *context, uintptr_t code);
__asm__(".text\n"
        ".globl capture_child_run_async\n"
        ".type capture_child_run_async, %function\n"
        "capture_child_run_async:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-32]!\n"
        ".cfi_def_cfa_offset 32\n"
        ".cfi_offset x29, -32\n"
        ".cfi_offset x30, -24\n"
        "str x22, [sp, #16]\n"
        ".cfi_offset x22, -16\n"
        "mov x29, sp\n"
        "mov x22, x0\n"
        "mov x0, #0\n"
        "blr x1\n"
        "udf #0\n"
        ".cfi_endproc\n"
        ".size capture_child_run_async, . - capture_child_run_async\n");

/// What the outermost function goes on to.
void capture_child_task_end(void) { abort(); }

static void run(const AsyncFunctionPointer *function) {
    void **context = calloc(1, function->context_size);
    context[1] = (void *)capture_child_task_end;
    capture_child_run_async(context, (uintptr_t)&function->code + (uintptr_t)(intptr_t)function->code);
}

static void run_outermost(void) { run(&outermost); }
static void run_overflow(void) { run(&overflow); }

const Kind capture_child_compiled[] = {{"compiled", run_outermost}, {"compiled-overflow", run_overflow}, {NULL, NULL}};
