// The stack of a thread that goes on running. Nothing here is async-signal-safe.

#include "backtrace.h"

#if defined(__linux__)

#include "internal.h"
#include "system_calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>

/// Where the calling thread's stack ends; found once, as for the main thread libc reads /proc/self/maps. It may be another
/// stack that the thread runs on (a coroutine's): then no frame is followed.
static __thread uintptr_t stack_end;
static __thread uintptr_t stack_start;

static void find_stack(void) {
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &start, &size) != 0) size = 0;
        pthread_attr_destroy(&attributes);
    }
    stack_start = (uintptr_t)start;
    stack_end = (uintptr_t)start + size;
}

/// What is known of the function that goes on at a return address.
typedef struct Kind {
    bool is_async;
    /// Bytes between its frame pointer and its own return address, beyond the frame pointer that is saved there.
    uint32_t room;
} Kind;

enum { ADDRESS_SHIFT = 16, ROOM_SHIFT = 1, ROOM_UNIT = 8, MAX_ROOM = ((1 << (ADDRESS_SHIFT - ROOM_SHIFT)) - 1) * ROOM_UNIT };

/// Return addresses that were asked about, each above the room in words and, in the lowest bit, whether it is async: asking costs
/// half a microsecond a frame, and a service reports errors at the same places. Code that was unloaded meanwhile may be taken for
/// what it was, which is no worse than any other function that only looks async.
static _Atomic uintptr_t known[256];

static Kind kind_of(uintptr_t address) {
    // Calls are 2 to 7 bytes apart at least; neighbours are to lie in places of their own.
    _Atomic uintptr_t *place = &known[(address ^ address >> 8) % (sizeof known / sizeof *known)];
    uintptr_t found = atomic_load_explicit(place, memory_order_relaxed);
    if (found >> ADDRESS_SHIFT == address) {
        uint32_t room = (uint32_t)(found & ((1u << ADDRESS_SHIFT) - 1)) >> ROOM_SHIFT;
        return (Kind){.is_async = found % 2 == 1, .room = room * ROOM_UNIT};
    }
    CodeRange function;
    Kind kind = {.is_async = false};
    if (!mayday_unwinder_usable() || !mayday_unwinder_function(address - 1, &function)) return kind;
    uint32_t room;
    kind.is_async = mayday_async_function(&function, &room) != 0 && room % ROOM_UNIT == 0 && room <= MAX_ROOM;
    if (kind.is_async) kind.room = room;
    uintptr_t known_now = address << ADDRESS_SHIFT | (uintptr_t)(kind.room / ROOM_UNIT) << ROOM_SHIFT | kind.is_async;
    atomic_store_explicit(place, known_now, memory_order_relaxed);
    return kind;
}

/// Context of the async function whose frame this is; 0 when it is none.
static uintptr_t context_of(Kind kind, uintptr_t frame) {
    if (!kind.is_async || frame <= stack_start + sizeof frame || frame > stack_end) return 0;
    return *(const uintptr_t *)(frame - sizeof frame);
}

/// The contexts of callers that wait for this one, which nobody frees meanwhile. Read as memory that may not be there: what
/// looks like an async function may be none.
static void follow(uintptr_t context, MaydayBacktrace *backtrace) {
    while (context != 0 && backtrace->caller_count < MAYDAY_BACKTRACE_CALLERS) {
        uintptr_t record[2];  // the caller's context, where the caller goes on
        if (!mayday_safe_read(record, context, sizeof record) || record[1] == 0 || record[0] == context) return;
        backtrace->callers[backtrace->caller_count] = mayday_code_address(record[1]);
        backtrace->caller_count += 1;
        context = record[0];
    }
}

/// How many frames are searched for the innermost async function.
enum { SEARCHED_FRAMES = 24 };

__attribute__((noinline)) void mayday_backtrace(MaydayBacktrace *backtrace, bool is_in_task) {
    if (stack_end == 0) find_stack();
    backtrace->thread = sys_gettid();
    memset(backtrace->thread_name, 0, sizeof backtrace->thread_name);
    syscall(SYS_prctl, PR_GET_NAME, backtrace->thread_name, 0, 0, 0);
    backtrace->count = 0;
    backtrace->caller_count = 0;
    bool searching = is_in_task && !mayday_safe_read_is_shared();
    backtrace->is_cut = false;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    uintptr_t below = stack_start;
    Kind kind = {.is_async = false};
    // Between this frame and the end of the stack everything is mapped.
    while (frame > below && frame % sizeof frame == 0 && frame + kind.room + 2 * sizeof frame <= stack_end) {
        uintptr_t caller = *(const uintptr_t *)frame;
        uintptr_t address = *(const uintptr_t *)(frame + sizeof frame + kind.room);
        if (address == 0) return;
        if (backtrace->count == MAYDAY_BACKTRACE_FRAMES) {
            backtrace->is_cut = true;
            return;
        }
        kind = searching ? kind_of(address) : (Kind){.is_async = false};
        uintptr_t context = context_of(kind, caller);
        if (context != 0) {
            backtrace->async_index = backtrace->count;
            follow(context, backtrace);
        }
        backtrace->addresses[backtrace->count] = mayday_code_address(address);
        backtrace->count += 1;
        searching = searching && context == 0 && backtrace->count < SEARCHED_FRAMES;
        below = frame;
        frame = caller;
    }
}

#else

void mayday_backtrace(MaydayBacktrace *backtrace, bool is_in_task) { *backtrace = (MaydayBacktrace){.is_cut = is_in_task}; }
size_t mayday_report_header(const char *kind, const char *id, uint64_t unix_ns, char *line, size_t capacity) {
    return kind != NULL && id != NULL && unix_ns > 0 && line != NULL && capacity > 0 ? 0 : 0;
}

#endif
