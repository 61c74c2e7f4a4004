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
static struct sigaction before;

/// A profiler's signals are ignored: its handler has nothing to measure any more.
static void on_capture_signal(int signal, siginfo_t *info, void *context) {
    (void)signal;
    int saved_errno = errno;
    // Where the user's limit of pending signals is reached, the kernel delivers a signal without what was queued with it.
    if (info->si_code == SI_QUEUE || info->si_code == SI_USER) {
        mayday_park(context);
    } else if (info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&cookie) {
        if (mayday_on_crashing_thread() && mayday_crash.phase == PHASE_STAGE) mayday_leave_stage(LEFT_DEADLINE);
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

static void set_timer(uint64_t after_ns) {
    if (!running) return;
    struct itimerspec time = {{0, 0}, {(time_t)(after_ns / 1000000000u), (long)(after_ns % 1000000000u)}};
    syscall(SYS_timer_settime, timer, 0, &time, NULL);
}

void mayday_deadline_arm(uint64_t after_ns) { set_timer(after_ns > 0 ? after_ns : 1); }

void mayday_deadline_disarm(void) { set_timer(0); }

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
