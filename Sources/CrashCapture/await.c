// The functions that await the one that crashed. An async function leaves the stack when it awaits: what called it is only in
// its async context, a heap record that begins with the caller's context and the function that goes on in it (Swift's ABI,
// `AsyncContext` in swift/ABI/Task.h). Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"

#include <string.h>

#if defined(__x86_64__)

// push rbp; push r14; lea rbp, [rsp + 8]: so begins, and only begins, what has an async context, which is then below the
// saved frame pointer. The compiler's choice and no ABI: EndToEndTests/AwaitTests checks it in every build.
static const uint8_t prologue[] = {0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08};
// sub rsp, N comes before it where a function tail-calls one with more arguments on the stack; N is 1 byte or 4.
static const uint8_t make_room[] = {0x48, 0x83, 0xec}, make_much_room[] = {0x48, 0x81, 0xec};
enum { ROOM_LENGTH = sizeof make_room + 1, MUCH_ROOM_LENGTH = sizeof make_much_room + 4 };

static AsyncCallers callers;

/// Async-signal-safe. Where the frame of an async function that begins at `start` is complete; 0 when it is not async.
static uintptr_t prologue_end(uintptr_t start) {
    uint8_t begin[MUCH_ROOM_LENGTH + sizeof prologue];
    if (!mayday_safe_read(begin, start, sizeof begin)) return 0;
    size_t room = 0;
    if (memcmp(begin, make_room, sizeof make_room) == 0) room = ROOM_LENGTH;
    if (memcmp(begin, make_much_room, sizeof make_much_room) == 0) room = MUCH_ROOM_LENGTH;
    return memcmp(begin + room, prologue, sizeof prologue) == 0 ? start + room + sizeof prologue : 0;
}

/// Async-signal-safe. Address of the async context of a frame; 0 when its function has none.
static uintptr_t context_of(const StackFrame *frame) {
    uintptr_t pc = frame->trust == TRUST_CONTEXT ? frame->address : frame->address - 1;
    uintptr_t start = mayday_unwinder_function_start(pc);
    uintptr_t end = start == 0 ? 0 : prologue_end(start);
    if (end == 0) return 0;
    // A crash inside the prologue: the context is still where the caller put it.
    bool is_crash = frame == mayday_stack_frame(&mayday_crashed_stack, 0);
    if (is_crash && pc < end) return mayday_context_async(mayday_crash.context);
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
        uintptr_t context = context_of(frame);
        if (context == 0) continue;
        callers.behind = index;
        stack->callers = &callers;
        follow(context);
        return;
    }
}

#else

// NOT IMPLEMENTED on aarch64: async callers are not found there, and stacks show the synchronous part only. There the frame
// record itself is marked (bit 60 of the saved frame pointer on Darwin; what Linux does is not measured).
void mayday_stage_await(void) {}

#endif

#endif
