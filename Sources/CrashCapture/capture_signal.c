// The one asynchronous signal of a capture: it ends a stage that stalls, and it parks the other threads.
// SIGPROF, because dispatch workers leave it open. The handler stands from the crash on. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"
#include "system_calls.h"

#include <errno.h>
#include <string.h>
#include <sys/time.h>

/// What ends a stage. A timer of its own takes one of the signals that the user may have pending, and where there is none left,
/// or a sandbox refuses it, the process' alarm clock does: it takes nothing.
static enum { NO_TIMER, OWN_TIMER, ALARM } means;
static int timer;  // the kernel's timer id
static _Atomic uint64_t stage_ends_ns;
/// When the timer fires, 0 for never. It may be earlier than the stage ends: it is set again then, which for the stages of an
/// ordinary capture, 40 of them with 8 threads, is never.
static _Atomic uint64_t armed_ns;
static struct sigaction before;
static struct sigaction alarm_before;
static struct itimerval alarm_clock_before;

static bool set_alarm_clock(uint64_t at_ns) {
    struct itimerval time = {{0, 0}, {0, 0}};
    if (at_ns != 0) {
        uint64_t now = mayday_monotonic_ns();
        uint64_t after_us = at_ns > now ? (at_ns - now) / 1000 + 1 : 1;
        time.it_value = (struct timeval){(time_t)(after_us / 1000000), (suseconds_t)(after_us % 1000000)};
    }
    return syscall(SYS_setitimer, ITIMER_REAL, &time, NULL) == 0;
}

static void arm(uint64_t at_ns) {
    struct itimerspec time = {{0, 0}, {(time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u)}};
    bool armed = means == OWN_TIMER ? syscall(SYS_timer_settime, timer, TIMER_ABSTIME, &time, NULL) == 0
                                    : means == ALARM && set_alarm_clock(at_ns);
    if (armed) armed_ns = at_ns;
}

/// The time decides, not who sent the signal: where none can be queued, it does not come with that.
static void stage_goes_on_or_ends(void) {
    if (armed_ns == 0 || mayday_crash.phase != PHASE_STAGE) return;
    if (mayday_monotonic_ns() >= stage_ends_ns) {
        armed_ns = 0;
        mayday_leave_stage(LEFT_DEADLINE);
    }
    arm(stage_ends_ns);
}

/// A profiler's signals are ignored: its handler has nothing to measure any more.
static void on_capture_signal(int signal, siginfo_t *info, void *context) {
    int saved_errno = errno;
    if (mayday_on_crashing_thread()) {
        stage_goes_on_or_ends();
    } else if (signal == SIGALRM) {
        // Of all threads that leave it open the kernel takes any.
        syscall(SYS_tgkill, mayday_crash.pid, mayday_crash.thread, SIGPROF);
    } else if (info->si_code == SI_QUEUE || info->si_code == SI_USER) {
        // Where the user's limit of pending signals is reached, the kernel delivers a signal without what was queued with it.
        mayday_park(context);
    }
    errno = saved_errno;
}

static void set_handler(int signal, struct sigaction *old) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_capture_signal;
    // SA_NODEFER: a previous handler may suspend threads by the same signal, those that we parked as well.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    sigaction(signal, &action, old);
}

bool mayday_deadline_is_alarm(void) { return means == ALARM; }

void mayday_capture_signal_start(void) {
    armed_ns = 0;
    set_handler(SIGPROF, &before);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = sys_gettid();
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0) {
        means = OWN_TIMER;
        return;
    }
    struct itimerval none = {{0, 0}, {0, 0}};
    if (syscall(SYS_setitimer, ITIMER_REAL, &none, &alarm_clock_before) != 0) {
        means = NO_TIMER;
        return;
    }
    means = ALARM;
    set_handler(SIGALRM, &alarm_before);
    mayday_mask_for_capture();
}

void mayday_deadline_set(uint64_t at_ns) {
    stage_ends_ns = at_ns;
    if (armed_ns == 0 || armed_ns > at_ns) arm(at_ns);
}

void mayday_deadline_disarm(void) {
    if (armed_ns != 0) arm(0);
}

void mayday_deadline_stop(void) {
    if (means == OWN_TIMER) syscall(SYS_timer_delete, timer);
    if (means == ALARM) set_alarm_clock(0);
    armed_ns = 0;
}

static void put_back(int signal, const struct sigaction *old) {
    // Ignoring a signal also drops those that are pending, which by default would end the process.
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(signal, &ignore, NULL);
    sigaction(signal, old, NULL);
}

void mayday_capture_signal_restore(void) {
    put_back(SIGPROF, &before);
    if (means != ALARM) return;
    put_back(SIGALRM, &alarm_before);
    syscall(SYS_setitimer, ITIMER_REAL, &alarm_clock_before, NULL);
    means = NO_TIMER;
}

#endif
