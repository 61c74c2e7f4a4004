// The signal handler: who captures (gate.c), the stages in their order, and the way out (ending.c). Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "delivery.h"
#include "descriptors.h"
#include "park.h"
#include "runner.h"
#include "standard_error.h"
#include "swift_runtime.h"
#include "system_calls.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

// A thread that waits before the deadline of this crash is known waits for long.
Crash mayday_crash = {.deadline_ns = UINT64_MAX / 4};

/// pid << 32 | tid: a forked child is nobody's thread. A sandbox that refuses to say which takes it for the installing process.
static uint64_t identity(void) {
    pid_t process = sys_getpid(), thread = sys_gettid();
    if (process <= 0) process = mayday_settings->pid;
    if (thread <= 0) thread = process;
    return (uint64_t)process << 32 | (uint64_t)thread;
}

bool mayday_on_crashing_thread(void) {
    uint64_t owner = mayday_crash.owner;
    if (owner == 0 || mayday_crash.thread_pointer != __builtin_thread_pointer()) return false;
    // The child of a fork has the same thread pointer, but nothing forks in a stage, where the unwinder asks at every frame.
    return mayday_crash.phase == PHASE_STAGE || owner == identity();
}

void mayday_mask_for_capture(void) {
    KernelSignals open = SIGNAL_BIT(SIGPROF);
    if (mayday_watchdog_is_alarm()) open |= SIGNAL_BIT(SIGALRM);
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        if (mayday_crash_signals[index] != SIGQUIT) open |= SIGNAL_BIT(mayday_crash_signals[index]);
    }
    sys_sigmask(~open);
}

static void prepare(void) {
    if (mayday_crash.entered_ns == 0) {
        mayday_runner_reset();
        mayday_park_reset();
        mayday_report_reset();
        uint64_t now = mayday_monotonic_ns();
        mayday_crash.deadline_ns = now + (uint64_t)mayday_settings->capture_deadline_ms * 1000000u;
        mayday_crash.entered_ns = now;
    }
    mayday_mask_for_capture();
    mayday_capture_signal_start();
    mayday_make_report_id(mayday_crash.id);
}

/// When the first did not come through.
static void prepare_again(void) {
    if (mayday_crash.id[0] == '\0') prepare();
}

/// The other threads stand still already.
static bool parked;
/// The `end` line is written.
static bool ended;

static void find_room(void) {
    if (mayday_make_room()) return;
    // Threads that run would take the descriptor that the report needs.
    parked = true;
    mayday_stage_park();
}

static void room(void) {
    LeaveReason left = mayday_attempt(find_room, 0);
    if (left != LEFT_NOT) mayday_note_cut(parked ? "park" : "room", mayday_leave_name(left));
    if (parked) mayday_note_completed("park");
}

/// The other threads come to a stop while the first lines are written.
static void ask(void) {
    if (parked) return;
    LeaveReason left = mayday_attempt(mayday_stage_ask, 0);
    if (left != LEFT_NOT) mayday_note_cut("park", mayday_leave_name(left));
}

static void open_report(void) {
    LeaveReason left = mayday_attempt(mayday_report_open, WRITING_GRACE_NS);
    if (left == LEFT_NOT) return;
    mayday_note_cut("open", mayday_leave_name(left));
}

static void open_again(void) {
    if (mayday_spool.fd < 0 && !mayday_spool.in_memory) mayday_attempt(mayday_report_open, WRITING_GRACE_NS);
}

static void header(void) { mayday_run_stage("header", mayday_stage_header, WRITING_GRACE_NS); }

/// Without this line a file is no report.
static void header_again(void) {
    if (mayday_report_is_empty()) mayday_attempt(mayday_stage_bare_header, WRITING_GRACE_NS);
}

static void park(void) {
    if (!parked) mayday_run_stage("park", mayday_stage_park, 0);
}

static void loader(void) { mayday_run_stage("loader", mayday_images_walk, WRITING_GRACE_NS); }

static void unwind(void) {
    LeaveReason left = mayday_run_stage("unwind", mayday_stage_unwind, 0);
    if (left == LEFT_NOT) return;
    mayday_crashed_stack.truncated = mayday_leave_name(left);
    if (!mayday_unwinder_usable()) mayday_note_cut("await", mayday_leave_name(left));
}

static void await(void) {
    if (mayday_unwinder_usable()) mayday_run_stage("await", mayday_stage_await, 0);
}

static void task(void) {
    mayday_task_reset();
    mayday_run_stage("task", mayday_stage_task, WRITING_GRACE_NS);
}

static void accesses(void) {
    mayday_access_conflict_reset();
    if (mayday_is_access_conflict()) mayday_run_stage("accesses", mayday_stage_accesses, WRITING_GRACE_NS);
}

static void stack(void) { mayday_run_stage("stack", mayday_stage_stack, WRITING_GRACE_NS); }

static void images(void) { mayday_run_stage("images", mayday_stage_images, WRITING_GRACE_NS); }

static void end(void) {
    LeaveReason left = mayday_attempt(mayday_stage_end, WRITING_GRACE_NS);
    ended = left == LEFT_NOT;
    if (!ended) mayday_note_cut("end", mayday_leave_name(left));
}

static void end_again(void) {
    if (!ended) mayday_attempt(mayday_stage_end, WRITING_GRACE_NS);
}

/// A slow disk gets as long again as the capture.
static void publish(void) {
    mayday_attempt(mayday_spool_publish, (uint64_t)mayday_settings->capture_deadline_ms * 1000000u);
}

static void publish_again(void) {
    if (mayday_spool.fd >= 0 && !mayday_spool.in_memory) mayday_attempt(mayday_spool_publish, WRITING_GRACE_NS);
}

static void remember(void) { mayday_attempt(mayday_remember_crash, WRITING_GRACE_NS); }

static void deliver(void) {
    LeaveReason left = mayday_attempt(mayday_deliver, mayday_delivery_limit_ns());
    mayday_delivery_settle(left);
}

/// Bounded: a pipe that nobody reads would hold the process for ever.
static void say_crash(void) { mayday_attempt(mayday_status_line, WRITING_GRACE_NS); }
static void say_delivery(void) { mayday_attempt(mayday_delivery_line, WRITING_GRACE_NS); }
static void say_report(void) { mayday_attempt(mayday_last_resort, LAST_RESORT_NS); }

/// What follows the crash, in order. What fails in a stage ends that stage, what fails outside of one ends its step: the next
/// one runs.
static const struct Step {
    const char *name;
    void (*run)(void);
} steps[] = {
    {"prepare", prepare}, {"prepare", prepare_again},
    {"room", room},
    {"park", ask},
    {"open", open_report}, {"open", open_again},
    {"header", header},   {"header", header_again},
    {"park", park},       {"loader", loader},
    {"unwind", unwind},   {"await", await},
    {"task", task},       {"accesses", accesses},
    {"stack", stack},     {"context", mayday_write_context},
    {"images", images},
    {"threads", mayday_write_threads},
    {"end", end},         {"end", end_again},
    {"publish", publish}, {"publish", publish_again},
    {"remember", remember},
    {"say", say_crash},   {"deliver", deliver},
    {"say", say_delivery}, {"rehearsal", mayday_rehearsal_end},
    {"say", say_report},
};

_Noreturn void mayday_abandon_step(LeaveReason reason) { siglongjmp(mayday_crash.capture_exit, reason); }

static void capture(void) {
    // libunwind calls write() and read(), which are cancellation points: a thread that was cancelled and then crashed would
    // end there instead of the process.
    int cancellation = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);

    static size_t next;
    for (next = 0; next < sizeof steps / sizeof *steps;) {
        const struct Step *step = &steps[next++];
        LeaveReason left = (LeaveReason)sigsetjmp(mayday_crash.capture_exit, 0);
        mayday_crash.phase = PHASE_RUNNER;
        mayday_crash.leave_ns = mayday_monotonic_ns() + RUNNER_GRACE_NS;
        if (left == LEFT_NOT) {
            step->run();
        } else {
            mayday_mask_for_capture();
            mayday_note_cut(step->name, mayday_leave_name(left));
        }
    }
    pthread_setcancelstate(cancellation, &cancellation);
}

/// The crash is this thread's. Plain stores: from the phase on a fault ends the process by this signal, and as soon as
/// `capture` has begun it costs no more than a step.
static void claim(uint64_t self, int signal, const siginfo_t *info, void *context) {
    mayday_crash.signal = signal;
    memcpy(&mayday_crash.info, info, sizeof *info);
    mayday_crash.context = context;
    mayday_crash.phase = PHASE_ENDING;
    mayday_crash.pid = (pid_t)(self >> 32);
    mayday_crash.thread = (pid_t)self;
    mayday_crash.thread_pointer = __builtin_thread_pointer();
    mayday_crash.nested_faults = 0;
    mayday_crash.id[0] = '\0';
    mayday_crash.entered_ns = 0;
    parked = false;
    ended = false;
}

static GateOwner owner_of(uint64_t owner, uint64_t self) {
    if (self >> 32 == (uint64_t)mayday_starting_reporter) return OWNER_BORROWED;
    if (owner == 0 || owner >> 32 != self >> 32) return OWNER_NOBODY;
    return owner == self ? OWNER_SELF : OWNER_OTHER;
}

static GateSender sender_of(int signal, const siginfo_t *info) {
    if (mayday_signal_is_fault(signal, info->si_code)) return SENDER_NONE;
    return info->si_code == SI_TKILL && info->si_pid == sys_getpid() ? SENDER_SELF : SENDER_ANOTHER;
}

void mayday_on_signal(int signal, siginfo_t *info, void *context) {
    int saved_errno = errno;
    uint64_t self = identity();
    int index = mayday_signal_index(signal);
    for (bool decided = false; !decided;) {
        decided = true;
        uint64_t owner = mayday_crash.owner;
        GateFacts facts = {
            .owner = owner_of(owner, self),
            .phase = (GatePhase)mayday_crash.phase,
            .sender = sender_of(signal, info),
            .ignored_before = index >= 0 && mayday_settings->previous[index].sa_handler == SIG_IGN,
            .nested_faults = mayday_crash.nested_faults,
        };
        switch (mayday_gate_decide(&facts)) {
        case GATE_IGNORE: break;
        case GATE_CAPTURE:
            decided = atomic_compare_exchange_strong(&mayday_crash.owner, &owner, self);
            if (!decided) break;
            claim(self, signal, info, context);
            capture();
            mayday_end();
            break;
        case GATE_EXIT: sys_exit_group(MAYDAY_REPORTER_LOST);
        case GATE_WAIT: mayday_wait_for_end(); break;
        case GATE_LEAVE_STAGE: mayday_crash.nested_faults += 1; mayday_leave_stage(LEFT_FAULT);
        case GATE_ABANDON: mayday_crash.nested_faults += 1; mayday_abandon_step(LEFT_FAULT);
        case GATE_DIE: mayday_end_now(); break;
        case GATE_PASS_ON: mayday_crash.nested_faults += 1; mayday_pass_on(signal, info); break;
        }
    }
    errno = saved_errno;
}

#endif
