// Stacks, as unwind.c, unwinder.c and await.c find them.

#ifndef MAYDAY_STACK_H
#define MAYDAY_STACK_H

#if defined(__linux__)

#include "at_start.h"
#include "line.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

enum { FIRST_FRAMES = 128, LAST_FRAMES = 64, MAX_STEPS = 500000, MAX_ASYNC_CALLERS = 64 };

typedef enum Trust { TRUST_CONTEXT, TRUST_CFI, TRUST_FP, TRUST_AWAIT } Trust;

typedef struct StackFrame {
    uintptr_t address;
    /// Of the function at `address`; 0 when unknown.
    uintptr_t frame_pointer;
    Trust trust;
} StackFrame;

typedef struct CodeRange {
    uintptr_t start;
    uintptr_t end;
} CodeRange;

/// The functions that await the innermost async function of a stack, innermost first. Consistent after every entry.
typedef struct AsyncCallers {
    /// Index, among the kept frames, of the async function.
    uint32_t behind;
    uint32_t count;
    /// Where each goes on: entries of functions.
    uintptr_t entries[MAX_ASYNC_CALLERS];
} AsyncCallers;

/// Frames as they are found: the first ones, and the last ones in a ring. Consistent after every frame.
typedef struct Stack {
    uint32_t total;
    uint32_t first_limit;
    const char *truncated;
    /// NULL for none.
    const AsyncCallers *callers;
    StackFrame first[FIRST_FRAMES];
    StackFrame last[LAST_FRAMES];
} Stack;

/// Empties `stack`; `first_limit` frames are kept from the top, `LAST_FRAMES` from the end. Handler.
RUNS_AT_START void mayday_stack_reset(Stack *stack, uint32_t first_limit);
/// Walks from `context`. `bad_pc`: the pc itself faulted, so that the caller is on top of the stack. Handler.
void mayday_unwind(const ucontext_t *context, bool bad_pc, Stack *stack);
/// How many frames are kept; `gap`: before which of them some may have been left out. Handler.
uint32_t mayday_stack_kept(const Stack *stack, uint32_t *gap);
/// One of the kept frames. Handler.
const StackFrame *mayday_stack_frame(const Stack *stack, uint32_t index);
/// One frame as an object; the images are known by now. Handler.
void mayday_frame_object(Line *line, const StackFrame *frame);
/// The members `frames`, `omitted` and `truncated`. Handler.
void mayday_stack_members(Line *line, const Stack *stack);

/// Loads libunwind privately and warms it up. Install.
void mayday_unwinder_load(bool may_hold);
/// Loaded, and never left in the middle of a call.
bool mayday_unwinder_usable(void);
/// Walks by unwind tables, appending to `stack`. `exact`: the pc of `context` is exact, not a return address.
/// False when the frame pointers of `context` are to be followed: nothing could be found, or `context` is now a frame whose caller
/// is not in unwind tables. Handler.
bool mayday_unwinder_walk(ucontext_t *context, bool exact, Stack *stack);
/// The function that `address` lies in, by unwind tables. False when unknown. Handler.
bool mayday_unwinder_function(uintptr_t address, CodeRange *function);
/// From which instruction on an async function has its context in its frame, below the saved frame pointer; 0 when it is not
/// async (async_function.c). `room` becomes how many bytes lie between that pointer and the return address above it. Handler.
uintptr_t mayday_async_function(const CodeRange *function, uint32_t *room);
/// Appends one frame. False when the hard limit is reached. Handler.
RUNS_AT_START bool mayday_stack_push(Stack *stack, uintptr_t address, uintptr_t frame_pointer, Trust trust);

#pragma GCC visibility pop

#endif
#endif
