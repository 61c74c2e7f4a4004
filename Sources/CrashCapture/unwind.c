// The stack of a thread from its saved registers: by unwind tables where libunwind can, else by frame pointers.
// Async-signal-safe.

#if defined(__linux__)

#include "internal.h"

#include <string.h>

void mayday_stack_reset(Stack *stack, uint32_t first_limit) {
    stack->total = 0;
    stack->first_limit = first_limit < FIRST_FRAMES ? first_limit : FIRST_FRAMES;
    stack->truncated = NULL;
    stack->callers = NULL;
}

bool mayday_stack_push(Stack *stack, uintptr_t address, uintptr_t frame_pointer, Trust trust) {
    if (stack->total >= MAX_STEPS) {
        stack->truncated = "limit";
        return false;
    }
    StackFrame frame = {address, frame_pointer, trust};
    if (stack->total < stack->first_limit) {
        stack->first[stack->total] = frame;
    } else {
        stack->last[(stack->total - stack->first_limit) % LAST_FRAMES] = frame;
    }
    stack->total += 1;
    return true;
}

/// A saved frame pointer without the mark that an async context lies below it (bit 60, -fswift-async-fp). Swift itself sets it
/// on Darwin only.
static uintptr_t unmarked(uintptr_t frame) { return frame & ~((uintptr_t)1 << 60); }

/// Swift code and its libraries keep frame pointers; libc does not, so that this is the fallback only.
static void walk_frame_pointers(const ucontext_t *context, Stack *stack) {
    uintptr_t frame = mayday_context_fp(context);
    uintptr_t below = mayday_context_sp(context);
    for (;;) {
        uintptr_t record[2];  // the caller's frame pointer, the return address
        if (frame < below || frame % sizeof(uintptr_t) != 0) break;
        if (!mayday_safe_read(record, frame, sizeof record)) break;
        uintptr_t caller = mayday_code_address(record[1]);
        if (caller == 0) return;
        if (!mayday_is_code(caller)) break;
        below = frame + sizeof record;
        frame = unmarked(record[0]);
        if (!mayday_stack_push(stack, caller, frame, TRUST_FP)) return;
        if (frame == 0) return;
    }
    stack->truncated = "unreadable";
}

void mayday_unwind(const ucontext_t *context, bool bad_pc, Stack *stack) {
    static ucontext_t start;
    memcpy(&start, context, sizeof start);
    uintptr_t frame_pointer = mayday_context_fp(context);
    mayday_stack_push(stack, mayday_context_pc(context), frame_pointer, TRUST_CONTEXT);

    // A call through a bad pointer: no table knows this pc, and the unwinder's guess loses the function that called.
    bool exact = true;
    if (bad_pc && mayday_context_undo_call(&start)) {
        if (mayday_is_code(mayday_context_pc(&start))) {
            mayday_stack_push(stack, mayday_context_pc(&start), frame_pointer, TRUST_CFI);
            exact = false;
        } else {
            memcpy(&start, context, sizeof start);
        }
    }
    if (mayday_unwinder_usable() && mayday_unwinder_walk(&start, exact, stack)) return;
    stack->truncated = NULL;
    walk_frame_pointers(&start, stack);
}

uint32_t mayday_stack_kept(const Stack *stack, uint32_t *gap) {
    uint32_t first = stack->total < stack->first_limit ? stack->total : stack->first_limit;
    uint32_t behind = stack->total - first;
    *gap = first;
    return first + (behind < LAST_FRAMES ? behind : LAST_FRAMES);
}

const StackFrame *mayday_stack_frame(const Stack *stack, uint32_t index) {
    if (index < stack->first_limit) return &stack->first[index];
    uint32_t behind = stack->total - stack->first_limit;
    uint32_t oldest = behind < LAST_FRAMES ? 0 : behind;
    return &stack->last[(oldest + index - stack->first_limit) % LAST_FRAMES];
}

void mayday_frame_object(Line *line, const StackFrame *frame) {
    static const char *const names[] = {"context", "cfi", "fp", "await"};
    mayday_line_raw(line, "{");
    mayday_line_key(line, "address");
    mayday_line_hex(line, frame->address);
    // A return address behind a last call that never returns is past the end of its function, perhaps of its image.
    bool exact = frame->trust == TRUST_CONTEXT || frame->trust == TRUST_AWAIT;
    int image = mayday_image_of(exact ? frame->address : frame->address - 1);
    if (image >= 0) {
        mayday_line_key(line, "image");
        mayday_line_int(line, image);
        mayday_line_key(line, "offset");
        mayday_line_hex(line, frame->address - mayday_images.images[image].base);
    }
    mayday_line_key(line, "trust");
    mayday_line_string(line, names[frame->trust], strlen(names[frame->trust]));
    mayday_line_raw(line, "}");
}

void mayday_stack_members(Line *line, const Stack *stack) {
    uint32_t gap;
    uint32_t kept = mayday_stack_kept(stack, &gap);
    const AsyncCallers *callers = stack->callers;
    uint32_t caller_count = callers != NULL ? callers->count : 0;
    mayday_line_key(line, "frames");
    mayday_line_raw(line, "[");
    for (uint32_t index = 0; index < kept; index++) {
        if (index > 0) mayday_line_raw(line, ",");
        mayday_frame_object(line, mayday_stack_frame(stack, index));
        if (caller_count == 0 || index != callers->behind) continue;
        for (uint32_t caller = 0; caller < caller_count; caller++) {
            StackFrame frame = {callers->entries[caller], 0, TRUST_AWAIT};
            mayday_line_raw(line, ",");
            mayday_frame_object(line, &frame);
        }
    }
    mayday_line_raw(line, "]");
    if (stack->total > kept) {
        mayday_line_key(line, "omitted");
        mayday_line_raw(line, "{\"index\":");
        mayday_line_int(line, gap + (caller_count > 0 && callers->behind < gap ? caller_count : 0));
        mayday_line_raw(line, ",\"count\":");
        mayday_line_int(line, stack->total - kept);
        mayday_line_raw(line, "}");
    }
    if (stack->truncated != NULL) {
        mayday_line_key(line, "truncated");
        mayday_line_string(line, stack->truncated, strlen(stack->truncated));
    }
}

#endif
