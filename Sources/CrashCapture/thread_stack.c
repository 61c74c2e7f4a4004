// An alternate signal stack for every thread: an overflow can only be told from another stack, and the kernel gives a new
// thread none. pthread_create of the whole process comes through here. Not async-signal-safe.

#include "internal.h"
#include "runs_at_start.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK_SIZE = 64 * 1024, SMALLEST_USABLE = 32 * 1024, COMMON_FRAME = 8 * 1024, POOLED_STACKS = 8 };

#if !defined(AT_MINSIGSTKSZ)
#define AT_MINSIGSTKSZ 51
#endif

static size_t guard_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/// A signal's frame may be large (AVX-512, AMX, SVE): the kernel says how large.
static size_t stack_size(void) {
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    size_t page = guard_size();
    return frame > COMMON_FRAME ? STACK_SIZE + ((frame + page - 1) / page) * page : STACK_SIZE;
}

/// Guard page and stack, `count` times, or NULL.
static char *map_stacks(size_t count) {
    size_t guard = guard_size(), whole = guard + stack_size();
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE;
    char *memory = mmap(NULL, count * whole, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    for (size_t index = 0; index < count; index++) mprotect(memory + index * whole, guard, PROT_NONE);
    return memory;
}

static bool use_stack(char *memory) {
    stack_t stack = {.ss_sp = memory + guard_size(), .ss_size = stack_size(), .ss_flags = 0};
    return sigaltstack(&stack, NULL) == 0;
}

bool mayday_thread_stack_ensure(void) {
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_DISABLE) == 0 && current.ss_size >= SMALLEST_USABLE) {
        return true;
    }
    char *memory = map_stacks(1);
    return memory != NULL && use_stack(memory);
}

#if MAYDAY_INTERPOSE

typedef int CreateThread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/// What the thread was to run, and its guard page and stack.
typedef struct ThreadStart {
    void *(*routine)(void *);
    void *argument;
    /// NULL in one that is free.
    _Atomic(char *) memory;
} ThreadStart;

enum { STARTING_THREADS = 64 };

/// They travel here, so that an alternate stack is address space only until a signal uses it. Not by malloc, which would make
/// an arena for a thread that frees what it was given. A child of fork keeps those taken that were under way.
static ThreadStart starting[STARTING_THREADS];

static _Atomic(CreateThread *) real_create WRITTEN_AT_START;
static pthread_key_t stack_of_thread WRITTEN_AT_START;
static _Atomic bool ready WRITTEN_AT_START;

/// Stacks of threads that ended, for those that come: mapping and unmapping one costs half as much as a thread itself.
static _Atomic(char *) pool[POOLED_STACKS];

static void give_stack(char *memory) {
    for (int index = 0; index < POOLED_STACKS; index++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&pool[index], &none, memory)) return;
    }
    munmap(memory, guard_size() + stack_size());
}

static char *take_stack(void) {
    for (int index = 0; index < POOLED_STACKS; index++) {
        if (pool[index] == NULL) continue;
        char *memory = atomic_exchange(&pool[index], NULL);
        if (memory != NULL) return memory;
    }
    // Where there is one thread more there will be others: as many as the pool takes, in one call, and one for this thread.
    char *memory = map_stacks(1 + POOLED_STACKS);
    if (memory == NULL) return map_stacks(1);
    for (int index = 1; index <= POOLED_STACKS; index++) give_stack(memory + index * (guard_size() + stack_size()));
    return memory;
}

/// Runs at the end of a thread, however it ends: by return, pthread_exit or cancellation.
static void release_stack(void *memory) {
    char *stack = (char *)memory + guard_size();
    char *here = __builtin_frame_address(0);
    if (here >= stack && here < stack + stack_size()) return;  // it ends inside a signal handler: left to the process
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && current.ss_sp == stack) {
        stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL);
    }
    give_stack(memory);
}

/// Where more threads start at once than there is room for, theirs is the top of the new stack.
static ThreadStart *new_start(char *memory) {
    for (int index = 0; index < STARTING_THREADS; index++) {
        char *none = NULL;
        if (starting[index].memory != NULL) continue;
        if (atomic_compare_exchange_strong(&starting[index].memory, &none, memory)) return &starting[index];
    }
    ThreadStart *start = (ThreadStart *)(memory + guard_size() + stack_size() - sizeof(ThreadStart));
    start->memory = memory;
    return start;
}

static ThreadStart prepare_thread(ThreadStart *given) {
    char *memory = given->memory;
    ThreadStart start = {.routine = given->routine, .argument = given->argument};
    given->memory = NULL;
    int error = errno;
    if (!use_stack(memory) || pthread_setspecific(stack_of_thread, memory) != 0) release_stack(memory);
    // Inherited where a service blocks every signal to leave them to one thread, or was started that way.
    if (mayday_settings != NULL) mayday_open_faults();
    errno = error;
    return start;
}

static void *begin_thread(void *given) {
    ThreadStart start = prepare_thread(given);
    // Leaves no frame of ours in the thread's stack.
    __attribute__((musttail)) return start.routine(start.argument);
}

__attribute__((constructor(101))) static void prepare(void) {
    real_create = (CreateThread *)dlsym(RTLD_NEXT, "pthread_create");
    ready = pthread_key_create(&stack_of_thread, release_stack) == 0;
}

/// As the real one in every respect; without memory for an alternate stack the thread starts without one.
__attribute__((visibility("default"))) int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*routine)(void *), void *restrict argument
) {
    CreateThread *create = real_create;
    if (create == NULL) create = (CreateThread *)dlsym(RTLD_NEXT, "pthread_create");
    if (create == NULL) return EAGAIN;
    int error = errno;
    char *memory = ready ? take_stack() : NULL;
    errno = error;
    if (memory == NULL) return create(thread, attributes, routine, argument);
    ThreadStart *start = new_start(memory);
    start->routine = routine;
    start->argument = argument;
    int result = create(thread, attributes, begin_thread, start);
    if (result != 0) {
        start->memory = NULL;
        give_stack(memory);
    }
    return result;
}

#endif

#endif
