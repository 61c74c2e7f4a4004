// libunwind, through function pointers: linked normally, Debian's takes over the C++ exceptions of the whole process.

#if defined(__linux__)

#include "internal.h"

#include "system_calls.h"
#include "unwinder.h"
#include "runs_at_start.h"

#include <string.h>

Unwinder mayday_unwinder WRITTEN_AT_START = {.pipe = {-1, -1}};

#if defined(__x86_64__)
enum { FRAME_POINTER = UNW_X86_64_RBP };
#elif defined(__aarch64__)
enum { FRAME_POINTER = UNW_AARCH64_X29 };
#endif

// Static: together 5 KB that the alternate stack need not have.
static unw_cursor_t cursor;
static ucontext_t start;

/// Left in the middle, it may hold its own lock for ever: then it is not called again.
static volatile bool inside WRITTEN_AT_START;

/// Async-signal-safe.
bool mayday_unwinder_pipe_is_taken(void) {
    const int *pipe = mayday_unwinder.pipe;
    return pipe[0] >= 0 && (sys_fcntl(pipe[0], F_GETFD, 0) >= 0 || sys_fcntl(pipe[1], F_GETFD, 0) >= 0);
}

/// Async-signal-safe.
bool mayday_unwinder_usable(void) { return mayday_unwinder.usable && !inside; }

/// libunwind asks by three calls for each page whether it can be read, and reads it then. During a capture what a walk begins with
/// is known to be there, and a block of the stack is copied by one call, which cannot fault. Elsewhere it is as it was: others may
/// use the same libunwind.
int mayday_unwinder_access(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *argument) {
    if (write || !inside || !mayday_on_crashing_thread()) {
        return mayday_unwinder.access_memory(space, address, value, write, argument);
    }
    uintptr_t from = (uintptr_t)address, known = (uintptr_t)&start;
    if (from >= known && from <= known + sizeof start - sizeof *value) {
        memcpy(value, (const void *)from, sizeof *value);
        return 0;
    }
    return mayday_safe_read_near(value, from, sizeof *value) ? 0 : -UNW_EINVAL;
}

static uintptr_t read_register(unw_regnum_t number) {
    unw_word_t word = 0;
    return mayday_unwinder.get_register(&cursor, number, &word) == 0 ? (uintptr_t)word : 0;
}

/// Async-signal-safe. True when the function around `pc` has signed its return address there. A recursion asks for its function
/// thousands of times: the last one is kept.
static bool is_signed(uintptr_t pc, bool exact, CodeRange *plain) {
    uintptr_t within = exact ? pc : pc - 1;
    if (!mayday_may_sign || (within >= plain->start && within < plain->end)) return false;
    CodeRange function;
    if (!mayday_unwinder_function(within, &function)) return false;
    if (mayday_signs(&function, pc)) return true;
    // A call from it comes behind the signature, which an exact pc may stand before.
    if (!exact) *plain = function;
    return false;
}

/// Ends at a function that signs its return address, which the unwinder does not know: `context` is that of its frame then.
static bool walk(ucontext_t *context, bool exact, Stack *stack) {
    memcpy(&start, context, sizeof start);
    const Unwinder *unwinder = &mayday_unwinder;
    if (unwinder->init_local(&cursor, (unw_context_t *)&start, exact ? UNW_INIT_SIGNAL_FRAME : 0) != 0) return false;
    bool found = false;
    uintptr_t pc = mayday_context_pc(context);
    CodeRange plain = {0, 0};
    for (;;) {
        // What a signal interrupted has an exact pc, like the crash itself.
        bool interrupted = unwinder->is_signal_frame(&cursor) > 0;
        if (is_signed(pc, exact, &plain)) {
            mayday_context_set_frame(context, pc, read_register(UNW_REG_SP), read_register(FRAME_POINTER));
            return false;
        }
        int result = unwinder->step(&cursor);
        unw_word_t word = 0;
        if (result == 0) return found;
        if (result < 0 || unwinder->get_register(&cursor, UNW_REG_IP, &word) != 0) {
            stack->truncated = "unreadable";
            return found;
        }
        pc = mayday_code_address((uintptr_t)word);
        if (pc == 0) return found;
        Trust trust = interrupted ? TRUST_CONTEXT : TRUST_CFI;
        if (!mayday_stack_push(stack, pc, read_register(FRAME_POINTER), trust)) return true;
        found = true;
        exact = interrupted;
    }
}

/// Async-signal-safe once warmed up, and with dl_iterate_phdr and sigprocmask answered by us.
bool mayday_unwinder_walk(ucontext_t *context, bool exact, Stack *stack) {
    inside = true;
    mayday_blocks_forget();
    bool found = walk(context, exact, stack);
    inside = false;
    return found;
}

/// Async-signal-safe, as the walk is.
bool mayday_unwinder_function(uintptr_t address, CodeRange *function) {
    unw_proc_info_t found;
    const Unwinder *unwinder = &mayday_unwinder;
    if (unwinder->get_function == NULL || unwinder->own_memory == NULL) return false;
    inside = true;
    bool known = unwinder->get_function(*unwinder->own_memory, address, &found, NULL) == 0;
    inside = false;
    if (known) *function = (CodeRange){(uintptr_t)found.start_ip, (uintptr_t)found.end_ip};
    return known;
}

#endif
