// libunwind, through function pointers: linked normally, Debian's takes over the C++ exceptions of the whole process.

#if defined(__linux__)

#include "internal.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <dlfcn.h>
#include <string.h>

#define TEXT_OF(name) #name
#define NAME_OF(macro) TEXT_OF(macro)

static int (*init_local)(unw_cursor_t *, unw_context_t *, int);
static int (*step)(unw_cursor_t *);
static int (*get_register)(unw_cursor_t *, unw_regnum_t, unw_word_t *);
static int (*is_signal_frame)(unw_cursor_t *);
static _Atomic bool usable;

// Static: together 5 KB that the alternate stack need not have.
static unw_cursor_t cursor;
static ucontext_t start;

/// Async-signal-safe.
bool mayday_unwinder_usable(void) { return usable; }

/// Async-signal-safe. Left in the middle, it may hold its own lock for ever.
void mayday_unwinder_abandon(void) { usable = false; }

/// Async-signal-safe once warmed up, and with dl_iterate_phdr answered by us.
bool mayday_unwinder_walk(const ucontext_t *context, bool exact, Stack *stack) {
    memcpy(&start, context, sizeof start);
    if (init_local(&cursor, (unw_context_t *)&start, exact ? UNW_INIT_SIGNAL_FRAME : 0) != 0) return false;
    bool found = false;
    for (;;) {
        // What a signal interrupted has an exact pc, like the crash itself.
        bool interrupted = is_signal_frame(&cursor) > 0;
        int result = step(&cursor);
        unw_word_t pc = 0;
        if (result == 0) return found;
        if (result < 0 || get_register(&cursor, UNW_REG_IP, &pc) != 0) {
            stack->truncated = "unreadable";
            return found;
        }
        if (pc == 0) return found;
        if (!mayday_stack_push(stack, (uintptr_t)pc, interrupted ? TRUST_CONTEXT : TRUST_CFI)) return true;
        found = true;
    }
}

/// Not async-signal-safe: before a crash only.
void mayday_unwinder_load(void) {
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    init_local = (int (*)(unw_cursor_t *, unw_context_t *, int))dlsym(library, NAME_OF(UNW_OBJ(init_local2)));
    step = (int (*)(unw_cursor_t *))dlsym(library, NAME_OF(UNW_OBJ(step)));
    get_register = (int (*)(unw_cursor_t *, unw_regnum_t, unw_word_t *))dlsym(library, NAME_OF(UNW_OBJ(get_reg)));
    is_signal_frame = (int (*)(unw_cursor_t *))dlsym(library, NAME_OF(UNW_OBJ(is_signal_frame)));
    if (init_local == NULL || step == NULL || get_register == NULL || is_signal_frame == NULL) return;

    // The first walk initialises tables under a lock and maps its memory: now, not in a handler.
    static Stack warm_up;
    mayday_stack_reset(&warm_up, FIRST_FRAMES);
    ucontext_t here;
    getcontext(&here);
    mayday_unwinder_walk(&here, false, &warm_up);
    usable = true;
}

#endif
