// Loads libunwind where nobody else sees it, and warms it up. Not async-signal-safe.

#if defined(__linux__)

#include "unwinder.h"
#include "runs_at_start.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_SINGLE_THREADED (__libc_single_threaded != 0)
#endif
#endif
#if !defined(IS_SINGLE_THREADED)
#define IS_SINGLE_THREADED false
#endif

#define TEXT_OF(name) #name
#define NAME_OF(macro) TEXT_OF(macro)

static char problem[256];

const char *mayday_capture_unwinder_problem(void) { return problem; }

/// The registers of a thread that has just entered `function`, and that nobody called.
static void enter(ucontext_t *context, uintptr_t function, const uintptr_t *stack) {
    memset(context, 0, sizeof *context);
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)function;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)stack;
#elif defined(__aarch64__)
    context->uc_mcontext.pc = function;
    context->uc_mcontext.sp = (uintptr_t)stack;
#endif
}

/// The first walk initialises tables under a lock and maps its memory: now, not in a handler. It is in libunwind itself,
/// whose unwind tables are a page: those of the service are megabytes, and to search them would bring them into memory.
static void warm_up(uintptr_t function) {
    static const uintptr_t nobody[2];
    ucontext_t context;
    enter(&context, function, nobody);
    Stack stack;
    mayday_stack_reset(&stack, FIRST_FRAMES);
    mayday_unwinder_walk(&context, true, &stack);
    CodeRange range;
    mayday_unwinder_function(function, &range);
}

/// The two lowest free numbers, which a pipe gets.
static void find_free(int numbers[2]) {
    int found = 0;
    for (int fd = 0; found < 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0) numbers[found++] = fd;
    }
}

/// Closes the pipe that the walk has opened, at these numbers, if that is what they are. Not beside other threads, one of which may
/// have opened another.
static void let_go_of_pipe(const int numbers[2]) {
    struct stat ends[2];
    for (int index = 0; index < 2; index++) {
        if (fstat(numbers[index], &ends[index]) != 0 || !S_ISFIFO(ends[index].st_mode)) return;
    }
    if (ends[0].st_ino != ends[1].st_ino || !IS_SINGLE_THREADED) return;
    for (int index = 0; index < 2; index++) {
        close(numbers[index]);
        mayday_unwinder.pipe[index] = numbers[index];
    }
}

void mayday_unwinder_load(bool may_hold) {
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        if (reason != NULL) strncpy(problem, reason, sizeof problem - 1);
        return;
    }
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

    unw_accessors_t *(*accessors_of)(unw_addr_space_t) =
        (unw_accessors_t * (*)(unw_addr_space_t)) dlsym(library, NAME_OF(UNW_ARCH_OBJ(get_accessors)));

    int numbers[2] = {-1, -1};
    if (!may_hold) find_free(numbers);
    warm_up((uintptr_t)found->step);
    if (!may_hold) let_go_of_pipe(numbers);
    unw_accessors_t *accessors =
        accessors_of != NULL && found->own_memory != NULL ? accessors_of(*found->own_memory) : NULL;
    if (accessors != NULL && accessors->access_mem != NULL) {
        found->access_memory = accessors->access_mem;
        accessors->access_mem = mayday_unwinder_access;
    }
    found->usable = true;
}

#else

#include "CrashCapture.h"

const char *mayday_capture_unwinder_problem(void) { return ""; }

#endif
