// Stops every other thread while a crash is captured and delivered: the service must not go on serving, and `main`, which
// the signal wakes from a sleep, must not exit(0) under the crash. Async-signal-safe.
//
// A parked thread is also the watchdog: if the crashing thread is stuck beyond every deadline (in a lock that a parked thread
// holds, say), the parked ones end the process with the crash's status.

#if defined(__linux__)

#include "park.h"
#include "descriptors.h"
#include "runner.h"
#include "system_calls.h"
#include "task_list.h"

#include <errno.h>
#include <string.h>

enum {
    MAX_ROUNDS = 4,
    /// How long others have to stop, of each millisecond of the capture: 300 ms of two seconds.
    PARK_SHARE_NS = 150 * 1000,
    /// How long threads stay stopped once a previous handler runs: it may need a lock that one of them holds.
    CHAIN_LIMIT_MS = 5000,
    WATCHDOG_MARGIN_MS = 3000,
};

typedef enum ParkWord { WORD_PARKED, WORD_CHAINED, WORD_RELEASED } ParkWord;

/// Whether a stopped thread asks in place of the crashing one: no more than one, which takes the one descriptor that the crashing
/// thread would, and only once.
typedef enum Help { HELP_WANTED, HELP_UNDER_WAY, HELP_OVER } Help;

ParkedThread mayday_parked[MAX_THREADS];
_Atomic uint32_t mayday_parked_count;

static _Atomic uint32_t word;
/// Threads that the crashing thread waits for; the last to settle wakes it.
static _Atomic uint32_t unsettled;
/// How many of the table somebody asks, or has asked.
static _Atomic uint32_t claimed;
static _Atomic int help;
/// Where the crashing thread runs when it begins to ask.
static _Atomic uint32_t crashing_processor;
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

/// Counts once for each thread.
static void settle(ParkedThread *entry) {
    if (atomic_exchange(&entry->settled, true)) return;
    if (atomic_fetch_sub(&unsettled, 1) == 1) sys_futex_wake(&unsettled);
}

/// Asks a thread to stop, unless it blocks the signal: in the sigwait() that it may come to, it would take it for one to act upon. One
/// that is in there already has it open, by all that the kernel tells.
static void ask(ParkedThread *entry) {
    TaskStatus status;
    entry->gone = !mayday_task_status(entry->id, &status);
    if (!entry->gone) {
        entry->state = status.state;
        memcpy(entry->name, status.name, sizeof entry->name);
        entry->unreachable = (status.blocked & SIGNAL_BIT(SIGPROF)) != 0;
    }
    // Before it can stop: whoever asks may be kept from going on until the report is written.
    entry->is_known = true;
    if (!entry->gone && !entry->unreachable) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        info.si_signo = SIGPROF;
        info.si_code = SI_QUEUE;
        info.si_pid = mayday_crash.pid;
        if (sys_queue_signal(mayday_crash.pid, entry->id, SIGPROF, &info) != 0) entry->unreachable = true;
    }
    // A stopped or traced thread does not run its handler, nor one that has ended and is still listed.
    char state = entry->state;
    bool runs = state != 'T' && state != 't' && state != 'Z' && state != 'X';
    if (!runs || entry->gone || entry->unreachable) settle(entry);
}

/// One that nobody has asked yet is the caller's to ask; NULL where there is none.
static ParkedThread *claim(void) {
    uint32_t index = claimed;
    do {
        if (index >= mayday_parked_count) return NULL;
    } while (!atomic_compare_exchange_weak(&claimed, &index, index + 1));
    return &mayday_parked[index];
}

static void ask_the_rest(void) {
    for (ParkedThread *entry; word == WORD_PARKED && (entry = claim()) != NULL;) ask(entry);
}

/// The same for all where the kernel does not say.
static uint32_t processor(void) {
    unsigned number = 0;
    syscall(SYS_getcpu, &number, NULL, NULL);
    return number;
}

/// In the first thread that has stopped on another processor: asks the others, while the crashing thread opens the report and writes its
/// header. What a fault or a stall keeps from being asked here, at most the one that was its turn, is not waited for beyond the
/// bound; the crashing thread asks the rest. Nothing in here may wait. On the same processor it would only keep that thread waiting.
static void ask_for_the_crashing_thread(void) {
    int wanted = HELP_WANTED;
    if (help != HELP_WANTED || processor() == crashing_processor) return;
    if (!atomic_compare_exchange_strong(&help, &wanted, HELP_UNDER_WAY)) return;
    ask_the_rest();
    help = HELP_OVER;
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
    settle(slot);
    ask_for_the_crashing_thread();
    stay();
}

void mayday_wait_for_end(void) { stay(); }

void mayday_park_reset(void) {
    word = WORD_PARKED;
    unsettled = 0;
    claimed = 0;
    help = HELP_OVER;
    mayday_parked_count = 0;
    mayday_tasks_close();
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

static bool list_thread(pid_t thread) {
    if (thread == mayday_crash.thread || is_listed(thread)) return true;
    uint32_t count = mayday_parked_count;
    if (count == MAX_THREADS) {
        mayday_note_cut("park", "limit");
        return false;
    }
    ParkedThread *entry = &mayday_parked[count];
    memset(entry, 0, sizeof *entry);
    entry->id = thread;
    entry->state = '?';
    unsettled += 1;
    mayday_parked_count = count + 1;
    return true;
}

static void list_threads(void) {
    if (!mayday_for_each_task(list_thread)) mayday_note_cut("park", "io");
}

void mayday_stage_ask(void) {
    if (!mayday_capture_signal_ready()) return;
    list_threads();
    crashing_processor = processor();
    if (mayday_room_is_common()) help = HELP_WANTED;
    for (ParkedThread *entry; help != HELP_UNDER_WAY && (entry = claim()) != NULL;) ask(entry);
}

/// Asks those once more that blocked the signal: a thread that crashes meanwhile does so on the way into its handler.
static void ask_again(void) {
    for (uint32_t index = 0; index < mayday_parked_count; index++) {
        ParkedThread *entry = &mayday_parked[index];
        // Not settled: it is its turn just now.
        if (!entry->settled || !entry->unreachable) continue;
        unsettled += 1;
        entry->settled = false;
        ask(entry);
    }
}

/// False when the time is up.
static bool await_settled(uint64_t limit) {
    for (uint32_t waiting = unsettled; waiting > 0; waiting = unsettled) {
        uint64_t now = mayday_monotonic_ns();
        if (now >= limit) return false;
        sys_futex_wait(&unsettled, waiting, limit - now);
    }
    return true;
}

void mayday_stage_park(void) {
    uint64_t limit = mayday_monotonic_ns() + (uint64_t)mayday_settings->capture_deadline_ms * PARK_SHARE_NS;
    if (!mayday_capture_signal_ready()) {
        mayday_note_cut("park", "io");
        return;
    }
    // Threads that still run may start others: again until there are no more of them, or a round finds no new one.
    for (int round = 0; round < MAX_ROUNDS; round++) {
        uint32_t known = mayday_parked_count;
        if (mayday_task_count() != known + 1) list_threads();
        ask_the_rest();
        if (round > 0 && mayday_parked_count == known) break;
        bool still = await_settled(limit);
        if (round == 0) {
            ask_again();
            still = await_settled(limit);
        }
        if (!still) {
            mayday_note_cut("park", "deadline");
            break;
        }
    }
    // A thread that still asks, or is stuck where it does, must not come upon another file by the number of this one.
    int wanted = HELP_WANTED;
    atomic_compare_exchange_strong(&help, &wanted, HELP_OVER);
    if (help == HELP_OVER) mayday_tasks_close();
}

#endif
