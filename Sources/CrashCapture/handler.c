// The signal handler: who captures (gate.c), the stages in their order, and the way out (ending.c). Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "delivery.h"
#include "descriptors.h"
#include "park.h"
#include "runner.h"
#include "standard_error.h"
#include "system_calls.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

// A thread that waits before the deadline of this crash is known waits for long.
Crash mayday_crash = {.deadline_ns = UINT64_MAX / 4};

/// pid << 32 | tid: a forked child is nobody's thread.
static uint64_t identity(void) { return (uint64_t)sys_getpid() << 32 | (uint64_t)sys_gettid(); }

bool mayday_on_crashing_thread(void) {
    uint64_t owner = mayday_crash.owner;
    if (owner == 0 || mayday_crash.thread_pointer != __builtin_thread_pointer()) return false;
    // The child of a fork has the same thread pointer, but nothing forks in a stage, where the unwinder asks at every frame.
    return mayday_crash.phase == PHASE_STAGE || owner == identity();
}

void mayday_mask_for_capture(void) {
    KernelSignals open = SIGNAL_BIT(SIGPROF);
    if (mayday_deadline_is_alarm()) open |= SIGNAL_BIT(SIGALRM);
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        if (mayday_crash_signals[index] != SIGQUIT) open |= SIGNAL_BIT(mayday_crash_signals[index]);
    }
    sys_sigmask(~open);
}

static void capture_stages(void) {
    // Before the first line only where threads that run would take the descriptor that it needs.
    bool park_first = !mayday_make_room();
    if (park_first) mayday_run_stage("park", mayday_stage_park, 0);
    mayday_report_open();
    mayday_run_stage("header", mayday_stage_header, WRITING_GRACE_NS);
    mayday_report_flush();
    if (!park_first) mayday_run_stage("park", mayday_stage_park, 0);
    mayday_run_stage("loader", mayday_images_walk, WRITING_GRACE_NS);
    LeaveReason left = mayday_run_stage("unwind", mayday_stage_unwind, 0);
    if (left != LEFT_NOT) {
        mayday_crashed_stack.truncated = left == LEFT_FAULT ? "fault" : "deadline";
        mayday_unwinder_abandon();
    }
    if (mayday_unwinder_usable()) {
        left = mayday_run_stage("await", mayday_stage_await, 0);
        if (left != LEFT_NOT) mayday_unwinder_abandon();
    }
    mayday_run_stage("stack", mayday_stage_stack, WRITING_GRACE_NS);
    mayday_write_context();
    mayday_run_stage("images", mayday_stage_images, WRITING_GRACE_NS);
    mayday_report_flush();
    mayday_write_threads();
    mayday_report_flush();
}

static void finish(void) {
    mayday_write_end();
    mayday_report_finish();
    mayday_spool_publish();
}

/// Bounded: a pipe that nobody reads would hold the process for ever.
static void say_crash(void) { mayday_attempt(mayday_status_line, WRITING_GRACE_NS); }
static void say_delivery(void) { mayday_attempt(mayday_delivery_line, WRITING_GRACE_NS); }
static void say_report(void) { mayday_attempt(mayday_last_resort, LAST_RESORT_NS); }

/// What follows the crash, in order. A fault in one of them outside a stage abandons that one and the next runs.
static void (*const steps[])(void) = {
    capture_stages, finish, say_crash, mayday_deliver, say_delivery, mayday_rehearsal_end, say_report,
};

static void capture(int signal, siginfo_t *info, void *context) {
    mayday_mask_for_capture();
    mayday_crash.entered_ns = mayday_monotonic_ns();
    mayday_crash.deadline_ns = mayday_crash.entered_ns + (uint64_t)mayday_settings->capture_deadline_ms * 1000000u;
    mayday_crash.nested_faults = 0;
    mayday_crash.signal = signal;
    memcpy(&mayday_crash.info, info, sizeof *info);
    mayday_crash.context = context;
    mayday_crash.pid = sys_getpid();
    mayday_crash.thread = sys_gettid();
    mayday_crash.thread_pointer = __builtin_thread_pointer();
    mayday_make_report_id(mayday_crash.id);
    mayday_runner_reset();
    mayday_park_reset();
    mayday_capture_signal_start();

    // libunwind calls write() and read(), which are cancellation points: a thread that was cancelled and then crashed would
    // end there instead of the process.
    int cancellation = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);

    static volatile size_t next;
    for (next = 0; next < sizeof steps / sizeof *steps; next++) {
        if (sigsetjmp(mayday_crash.capture_exit, 0) == 0) {
            steps[next]();
        } else {
            mayday_mask_for_capture();
        }
        mayday_crash.phase = PHASE_RUNNER;
        mayday_deadline_disarm();
    }
    mayday_deadline_stop();
    pthread_setcancelstate(cancellation, &cancellation);
}

static GateOwner owner_of(uint64_t owner, uint64_t self) {
    if (owner == 0 || owner >> 32 != self >> 32) return OWNER_NOBODY;
    return owner == self ? OWNER_SELF : OWNER_OTHER;
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
            .sent = !mayday_signal_is_fault(signal, info->si_code),
            .sent_by_self = info->si_code == SI_TKILL && info->si_pid == sys_getpid(),
            .ignored_before = index >= 0 && mayday_settings->previous[index].sa_handler == SIG_IGN,
            .nested_faults = mayday_crash.nested_faults,
        };
        switch (mayday_gate_decide(&facts)) {
        case GATE_IGNORE: break;
        case GATE_CAPTURE:
            decided = atomic_compare_exchange_strong(&mayday_crash.owner, &owner, self);
            if (!decided) break;
            mayday_crash.phase = PHASE_RUNNER;
            capture(signal, info, context);
            mayday_end();
            break;
        case GATE_WAIT: mayday_wait_for_end(); break;
        case GATE_LEAVE_STAGE:
            mayday_crash.nested_faults += 1;
            mayday_leave_stage(LEFT_FAULT);
        case GATE_ABANDON: siglongjmp(mayday_crash.capture_exit, 1);
        case GATE_DIE: mayday_end_now(); break;
        case GATE_PASS_ON: mayday_pass_on(signal, info); break;
        }
    }
    errno = saved_errno;
}

#endif
