// Stops every other thread while a crash is captured and delivered: the service must not go on serving, and `main`, which
// the signal wakes from a sleep, must not exit(0) under the crash. Async-signal-safe.
//
// A parked thread is also the watchdog: if the crashing thread is stuck beyond every deadline (in a lock that a parked thread
// holds, say), the parked ones end the process with the crash's status.

#if defined(__linux__)

#include "park.h"
#include "runner.h"
#include "system_calls.h"
#include "task_list.h"

#include <errno.h>
#include <string.h>

enum {
    MAX_ROUNDS = 4,
    PARK_LIMIT_NS = 300 * 1000 * 1000,
    /// How long threads stay stopped once a previous handler runs: it may need a lock that one of them holds.
    CHAIN_LIMIT_MS = 5000,
    WATCHDOG_MARGIN_MS = 3000,
};

typedef enum ParkWord { WORD_PARKED, WORD_CHAINED, WORD_RELEASED } ParkWord;

ParkedThread mayday_parked[MAX_THREADS];
uint32_t mayday_parked_count;

static _Atomic uint32_t word;
static _Atomic uint32_t arrived;
/// How many arrivals the crashing thread waits for; the last of them wakes it.
static _Atomic uint32_t awaited = UINT32_MAX;
static _Atomic uint64_t chained_ns;

static uint64_t milliseconds(uint64_t count) { return count * 1000000u; }

/// Waits until the process is gone. Returns only when the previous handler let the process live on.
static void stay(void) {
    for (;;) {
        uint32_t now_word = word;
        if (now_word == WORD_RELEASED) return;
        uint64_t publishing = 2 * milliseconds(mayday_settings->capture_deadline_ms);
        uint64_t reporter = milliseconds(mayday_settings->reporter_deadline_ms);
        uint64_t limit = now_word == WORD_CHAINED
                             ? chained_ns + milliseconds(CHAIN_LIMIT_MS)
                             : mayday_crash.deadline_ns + publishing + reporter + milliseconds(WATCHDOG_MARGIN_MS);
        uint64_t now = mayday_monotonic_ns();
        if (now >= limit) {
            if (now_word == WORD_CHAINED) return;
            mayday_end_now();
        }
        sys_futex_wait(&word, now_word, limit - now);
    }
}

/// The entry of this thread when it was asked to stop, else NULL. The table says so, not the signal, which may come without
/// its value.
static ParkedThread *own_entry(void) {
    pid_t thread = sys_gettid();
    if (mayday_crash.pid != sys_getpid()) return NULL;
    for (uint32_t index = 0; index < mayday_parked_count; index++) {
        ParkedThread *entry = &mayday_parked[index];
        if (entry->id == thread) return entry->unreachable ? NULL : entry;
    }
    return NULL;
}

void mayday_park(const ucontext_t *context) {
    ParkedThread *slot = own_entry();
    if (slot == NULL || slot->context != NULL) return;
    // SIGUSR1 and SIGUSR2 stay open besides faults: Swift's backtracer stops threads by them.
    KernelSignals open = SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2) | SIGNAL_BIT(SIGPROF);
    for (int index = 0; index < CRASH_SIGNALS; index++) open |= SIGNAL_BIT(mayday_crash_signals[index]);
    sys_sigmask(~open);
    slot->context = context;
    if (atomic_fetch_add(&arrived, 1) + 1 >= awaited) sys_futex_wake(&arrived);
    stay();
}

void mayday_wait_for_end(void) { stay(); }

void mayday_park_reset(void) {
    word = WORD_PARKED;
    arrived = 0;
    awaited = UINT32_MAX;
    mayday_parked_count = 0;
}

void mayday_park_chained(void) {
    chained_ns = mayday_monotonic_ns();
    word = WORD_CHAINED;
    sys_futex_wake(&word);
}

void mayday_park_release(void) {
    word = WORD_RELEASED;
    sys_futex_wake(&word);
}

static bool is_listed(pid_t thread) {
    for (uint32_t index = 0; index < mayday_parked_count; index++) {
        if (mayday_parked[index].id == thread) return true;
    }
    return false;
}

static uint32_t signalled;

/// Signals one thread that was not there in the round before.
static bool stop_thread(pid_t thread) {
    if (thread == mayday_crash.thread || is_listed(thread)) return true;
    if (mayday_parked_count == MAX_THREADS) {
        mayday_note_cut("park", "limit");
        return false;
    }
    TaskStatus status;
    if (!mayday_task_status(thread, &status)) return true;  // it has ended meanwhile
    ParkedThread *slot = &mayday_parked[mayday_parked_count];
    slot->id = thread;
    slot->state = status.state;
    memcpy(slot->name, status.name, sizeof slot->name);
    slot->context = NULL;
    slot->unreachable = (status.blocked & SIGNAL_BIT(SIGPROF)) != 0;
    mayday_parked_count += 1;
    if (slot->unreachable) return true;

    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGPROF;
    info.si_code = SI_QUEUE;
    info.si_pid = mayday_crash.pid;
    if (sys_queue_signal(mayday_crash.pid, thread, SIGPROF, &info) == 0) {
        // A stopped or traced thread does not run its handler: nothing to wait for.
        if (status.state != 'T' && status.state != 't') signalled += 1;
    } else {
        slot->unreachable = true;
    }
    return true;
}

void mayday_stage_park(void) {
    uint64_t limit = mayday_monotonic_ns() + PARK_LIMIT_NS;
    signalled = 0;
    if (!mayday_capture_signal_ready()) {
        mayday_note_cut("park", "io");
        return;
    }
    // Threads that still run may start others: again until a round finds no new one.
    for (int round = 0; round < MAX_ROUNDS; round++) {
        uint32_t known = mayday_parked_count;
        if (!mayday_for_each_task(stop_thread)) mayday_note_cut("park", "io");
        if (mayday_parked_count == known) break;
        awaited = signalled;
        for (uint32_t now_arrived = arrived; now_arrived < signalled; now_arrived = arrived) {
            uint64_t now = mayday_monotonic_ns();
            if (now >= limit) {
                mayday_note_cut("park", "deadline");
                return;
            }
            sys_futex_wait(&arrived, now_arrived, limit - now);
        }
        awaited = UINT32_MAX;
    }
}

#endif
