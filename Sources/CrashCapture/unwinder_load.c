// Loads libunwind where nobody else sees it, and warms it up. Not async-signal-safe.

#if defined(__linux__)

#include "unwinder.h"

#include <dlfcn.h>

#define TEXT_OF(name) #name
#define NAME_OF(macro) TEXT_OF(macro)

void mayday_unwinder_load(void) {
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    Unwinder *found = &mayday_unwinder;
    found->init_local = (int (*)(unw_cursor_t *, unw_context_t *, int))dlsym(library, NAME_OF(UNW_OBJ(init_local2)));
    found->step = (int (*)(unw_cursor_t *))dlsym(library, NAME_OF(UNW_OBJ(step)));
    found->get_register = (int (*)(unw_cursor_t *, unw_regnum_t, unw_word_t *))dlsym(library, NAME_OF(UNW_OBJ(get_reg)));
    found->is_signal_frame = (int (*)(unw_cursor_t *))dlsym(library, NAME_OF(UNW_OBJ(is_signal_frame)));
    if (found->init_local == NULL || found->step == NULL || found->get_register == NULL) return;
    if (found->is_signal_frame == NULL) return;
    // These two serve the async callers only: without them the walk still works.
    found->get_function = (int (*)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, void *))dlsym(
        library, NAME_OF(UNW_OBJ(get_proc_info_by_ip)));
    found->own_memory = (unw_addr_space_t *)dlsym(library, NAME_OF(UNW_OBJ(local_addr_space)));

    // The first walk initialises tables under a lock and maps its memory: now, not in a handler.
    static Stack warm_up;
    mayday_stack_reset(&warm_up, FIRST_FRAMES);
    ucontext_t here;
    getcontext(&here);
    mayday_unwinder_walk(&here, false, &warm_up);
    mayday_unwinder_function_start((uintptr_t)&mayday_unwinder_load);
    found->usable = true;
}

#endif
