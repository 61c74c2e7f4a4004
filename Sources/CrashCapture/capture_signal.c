// The one asynchronous signal of a capture: it ends a stage that stalls, and it parks the other threads.
// SIGPROF, because dispatch workers leave it open. The handler stands from the crash on. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"
#include "system_calls.h"

#include <errno.h>
#include <string.h>

static const int cookie;
static bool running;
static int timer;  // the kernel's timer id
static _Atomic uint64_t stage_ends_ns;
/// When the timer fires, 0 for never. It may be earlier than the stage ends: it is set again then, which for the stages of an
/// ordinary capture, 40 of them with 8 threads, is never.
static _Atomic uint64_t armed_ns;
static struct sigaction before;

static void arm(uint64_t at_ns) {
    if (!running) return;
    struct itimerspec time = {{0, 0}, {(time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u)}};
    if (syscall(SYS_timer_settime, timer, TIMER_ABSTIME, &time, NULL) == 0) armed_ns = at_ns;
}

static void stage_goes_on_or_ends(void) {
    if (mayday_monotonic_ns() >= stage_ends_ns) mayday_leave_stage(LEFT_DEADLINE);
    arm(stage_ends_ns);
}

/// A profiler's signals are ignored: its handler has nothing to measure any more.
static void on_capture_signal(int signal, siginfo_t *info, void *context) {
    (void)signal;
    int saved_errno = errno;
    // Where the user's limit of pending signals is reached, the kernel delivers a signal without what was queued with it.
    if (info->si_code == SI_QUEUE || info->si_code == SI_USER) {
        mayday_park(context);
    } else if (info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&cookie) {
        armed_ns = 0;
        if (mayday_on_crashing_thread() && mayday_crash.phase == PHASE_STAGE) stage_goes_on_or_ends();
    }
    errno = saved_errno;
}

void mayday_capture_signal_start(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_capture_signal;
    // SA_NODEFER: a previous handler may suspend threads by the same signal, those that we parked as well.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    sigaction(SIGPROF, &action, &before);

    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_ptr = (void *)&cookie;
    event._sigev_un._tid = sys_gettid();
    running = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0;
}

void mayday_deadline_set(uint64_t at_ns) {
    stage_ends_ns = at_ns;
    if (armed_ns == 0 || armed_ns > at_ns) arm(at_ns);
}

void mayday_deadline_disarm(void) {
    if (armed_ns != 0) arm(0);
}

void mayday_deadline_stop(void) {
    if (running) syscall(SYS_timer_delete, timer);
    running = false;
}

void mayday_capture_signal_restore(void) {
    // Ignoring a signal also drops those that are pending, which by default would end the process.
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPROF, &ignore, NULL);
    sigaction(SIGPROF, &before, NULL);
}

#endif
