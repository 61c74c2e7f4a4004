// The stack of a thread from its saved registers: by unwind tables where libunwind can, else by frame pointers.
// Async-signal-safe.

#if defined(__linux__)

#include "internal.h"

#include <string.h>

void mayday_stack_reset(Stack *stack, uint32_t first_limit) {
    stack->total = 0;
    stack->first_limit = first_limit < FIRST_FRAMES ? first_limit : FIRST_FRAMES;
    stack->truncated = NULL;
}

bool mayday_stack_push(Stack *stack, uintptr_t address, Trust trust) {
    if (stack->total >= MAX_STEPS) {
        stack->truncated = "limit";
        return false;
    }
    StackFrame frame = {address, trust};
    if (stack->total < stack->first_limit) {
        stack->first[stack->total] = frame;
    } else {
        stack->last[(stack->total - stack->first_limit) % LAST_FRAMES] = frame;
    }
    stack->total += 1;
    return true;
}

static bool is_code(uintptr_t address) {
    int index = mayday_image_of(address);
    if (index < 0) return false;
    const LoadedImage *image = &mayday_images.images[index];
    return address >= image->executable_start && address < image->executable_end;
}

/// Swift code and its libraries keep frame pointers; libc does not, so that this is the fallback only.
static void walk_frame_pointers(const ucontext_t *context, Stack *stack) {
    uintptr_t frame = mayday_context_fp(context);
    uintptr_t below = mayday_context_sp(context);
    for (;;) {
        uintptr_t record[2];  // the caller's frame pointer, the return address
        if (frame < below || frame % sizeof(uintptr_t) != 0) break;
        if (!mayday_safe_read(record, frame, sizeof record)) break;
        if (record[1] == 0) return;
        if (!is_code(record[1])) break;
        if (!mayday_stack_push(stack, record[1], TRUST_FP)) return;
        if (record[0] == 0) return;
        below = frame + sizeof record;
        frame = record[0];
    }
    stack->truncated = "unreadable";
}

void mayday_unwind(const ucontext_t *context, bool bad_pc, Stack *stack) {
    static ucontext_t start;
    memcpy(&start, context, sizeof start);
    mayday_stack_push(stack, mayday_context_pc(context), TRUST_CONTEXT);

    // A call through a bad pointer: no table knows this pc, and the unwinder's guess loses the function that called.
    bool exact = true;
    if (bad_pc && mayday_context_undo_call(&start)) {
        if (is_code(mayday_context_pc(&start))) {
            mayday_stack_push(stack, mayday_context_pc(&start), TRUST_CFI);
            exact = false;
        } else {
            memcpy(&start, context, sizeof start);
        }
    }
    if (mayday_unwinder_usable() && mayday_unwinder_walk(&start, exact, stack)) return;
    stack->truncated = NULL;
    walk_frame_pointers(&start, stack);
}

static void frame_object(Line *line, const StackFrame *frame, bool first) {
    static const char *const names[] = {"context", "cfi", "fp"};
    mayday_line_raw(line, first ? "{" : ",{");
    mayday_line_key(line, "address");
    mayday_line_hex(line, frame->address);
    // A return address behind a last call that never returns is past the end of its function, perhaps of its image.
    int image = mayday_image_of(frame->trust == TRUST_CONTEXT ? frame->address : frame->address - 1);
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
    uint32_t total = stack->total;
    uint32_t first = total < stack->first_limit ? total : stack->first_limit;
    uint32_t behind = total - first;
    uint32_t last = behind < LAST_FRAMES ? behind : LAST_FRAMES;
    mayday_line_key(line, "frames");
    mayday_line_raw(line, "[");
    for (uint32_t index = 0; index < first; index++) frame_object(line, &stack->first[index], index == 0);
    for (uint32_t index = behind - last; index < behind; index++) {
        frame_object(line, &stack->last[index % LAST_FRAMES], false);
    }
    mayday_line_raw(line, "]");
    if (behind > last) {
        mayday_line_key(line, "omitted");
        mayday_line_raw(line, "{\"index\":");
        mayday_line_int(line, first);
        mayday_line_raw(line, ",\"count\":");
        mayday_line_int(line, behind - last);
        mayday_line_raw(line, "}");
    }
    if (stack->truncated != NULL) {
        mayday_line_key(line, "truncated");
        mayday_line_string(line, stack->truncated, strlen(stack->truncated));
    }
}

#endif
