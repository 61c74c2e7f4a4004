// The functions that await the one that crashed. An async function leaves the stack when it awaits: what called it is only in
// its async context, a heap record that begins with the caller's context and the function that goes on in it (Swift's ABI,
// `AsyncContext` in swift/ABI/Task.h). Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"

static AsyncCallers callers;

/// Async-signal-safe. True when the frame pointer of a frame is its own: the return address, `room` above it, leads to the next frame.
static bool has_frame(uint32_t index, uint32_t room) {
    uint32_t gap;
    if (index + 1 >= mayday_stack_kept(&mayday_crashed_stack, &gap)) return true;
    uintptr_t address;
    uintptr_t at = mayday_stack_frame(&mayday_crashed_stack, index)->frame_pointer + sizeof at + room;
    if (!mayday_safe_read(&address, at, sizeof address)) return false;
    return mayday_code_address(address) == mayday_stack_frame(&mayday_crashed_stack, index + 1)->address;
}

/// Async-signal-safe. Address of the async context of a frame; 0 when its function has none.
static uintptr_t context_of(uint32_t index) {
    const StackFrame *frame = mayday_stack_frame(&mayday_crashed_stack, index);
    uintptr_t pc = frame->trust == TRUST_CONTEXT ? frame->address : frame->address - 1;
    CodeRange function;
    uint32_t room = 0;
    uintptr_t stored = mayday_unwinder_function(pc, &function) ? mayday_async_function(&function, &room) : 0;
    if (stored == 0) return 0;
    // A crash before the frame is complete, or without one: the context is still where the caller put it.
    if (index == 0 && (pc < stored || !has_frame(index, room))) return mayday_context_async(mayday_crash.context);
    if (!has_frame(index, room)) return 0;
    uintptr_t context = 0;
    if (!mayday_safe_read(&context, frame->frame_pointer - sizeof context, sizeof context)) return 0;
    return context;
}

/// Async-signal-safe. Follows the contexts; a note for the `end` line says when that ended early.
static void follow(uintptr_t context) {
    uintptr_t seen[MAX_ASYNC_CALLERS];
    while (context != 0) {
        uintptr_t record[2];  // the caller's context, where the caller goes on
        if (callers.count == MAX_ASYNC_CALLERS) {
            mayday_note_cut("await", "limit");
            return;
        }
        bool known = false;
        for (uint32_t index = 0; index < callers.count; index++) known = known || seen[index] == context;
        if (known || !mayday_safe_read(record, context, sizeof record) || !mayday_is_code(record[1])) {
            mayday_note_cut("await", "unreadable");
            return;
        }
        seen[callers.count] = context;
        callers.entries[callers.count] = record[1];
        callers.count += 1;
        context = record[0];
    }
}

void mayday_stage_await(void) {
    Stack *stack = &mayday_crashed_stack;
    callers.count = 0;
    uint32_t gap;
    uint32_t kept = mayday_stack_kept(stack, &gap);
    uintptr_t last = 0;
    for (uint32_t index = 0; index < kept; index++) {
        const StackFrame *frame = mayday_stack_frame(stack, index);
        if (frame->address == last) continue;  // a recursion
        last = frame->address;
        uintptr_t context = context_of(index);
        if (context == 0) continue;
        callers.behind = index;
        stack->callers = &callers;
        follow(context);
        return;
    }
}

#endif
