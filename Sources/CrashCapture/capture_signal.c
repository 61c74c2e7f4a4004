// The one asynchronous signal of a capture: it ends what stalls, and it parks the other threads.
// SIGPROF, because dispatch workers leave it open. The handler stands from the crash on. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"
#include "system_calls.h"

#include <errno.h>
#include <string.h>
#include <sys/time.h>

enum { TICK_NS = 20 * 1000 * 1000 };

/// What ticks. A timer of its own takes one of the signals that the user may have pending, and where there is none left, or a
/// sandbox refuses it, the process' alarm clock does: it takes nothing.
static enum { NO_TIMER, OWN_TIMER, ALARM } means;
static bool ready;
/// Whose handlers and timer these are: the child of a vfork leaves its own marks in its parent's memory.
static pid_t owner;
static int timer;  // the kernel's timer id
static struct sigaction before;
static struct sigaction alarm_before;
static struct itimerval alarm_clock_before;

/// Leaves what is overdue. The time decides, not who sent the signal: where none can be queued, it does not come with that.
/// The previous handler is not ours to end.
static void watch(void) {
    if (mayday_monotonic_ns() < mayday_crash.leave_ns) return;
    if (mayday_crash.phase == PHASE_STAGE) mayday_leave_stage(LEFT_DEADLINE);
    if (mayday_crash.phase == PHASE_RUNNER) mayday_abandon_step(LEFT_DEADLINE);
    if (mayday_crash.phase == PHASE_ENDING) mayday_end_now();
}

/// A profiler's signals are ignored: its handler has nothing to measure any more.
static void on_capture_signal(int signal, siginfo_t *info, void *context) {
    int saved_errno = errno;
    if (mayday_on_crashing_thread()) {
        watch();
    } else if (signal == SIGALRM) {
        // Of all threads that leave it open the kernel takes any. This one passes it on and stays, to be parked where it is: what
        // it was in, sleep() for instance, would come back early, and perhaps end the process with a status of its own.
        KernelSignals alarm = SIGNAL_BIT(SIGALRM);
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, &alarm, NULL, sizeof alarm);
        syscall(SYS_tgkill, mayday_crash.pid, mayday_crash.thread, SIGPROF);
        // Where it was asked to stop already, that handler is interrupted before it began, and would never come to it.
        mayday_park(context);
        mayday_wait_for_end();
    } else if (info->si_code == SI_QUEUE || info->si_code == SI_USER) {
        // Where the user's limit of pending signals is reached, the kernel delivers a signal without what was queued with it.
        mayday_park(context);
    }
    errno = saved_errno;
}

static bool set_handler(int signal, struct sigaction *old) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_capture_signal;
    // SA_NODEFER: a previous handler may suspend threads by the same signal, those that we parked as well.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    return sigaction(signal, &action, old) == 0;
}

bool mayday_watchdog_is_alarm(void) { return means == ALARM; }

static bool start_own_timer(void) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = sys_gettid();
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0) return false;
    struct itimerspec time = {{0, TICK_NS}, {0, TICK_NS}};
    return syscall(SYS_timer_settime, timer, 0, &time, NULL) == 0;
}

static bool start_alarm_clock(void) {
    struct itimerval none = {{0, 0}, {0, 0}};
    struct itimerval time = {{0, TICK_NS / 1000}, {0, TICK_NS / 1000}};
    if (syscall(SYS_setitimer, ITIMER_REAL, &none, &alarm_clock_before) != 0) return false;
    if (!set_handler(SIGALRM, &alarm_before)) return false;
    return syscall(SYS_setitimer, ITIMER_REAL, &time, NULL) == 0;
}

/// Ticks, and does not wait for one limit: so it costs two calls for all stages, and also ends what hangs between them.
void mayday_capture_signal_start(void) {
    if (owner != mayday_crash.pid) {
        ready = false;
        means = NO_TIMER;
        owner = mayday_crash.pid;
    }
    if (!ready) ready = set_handler(SIGPROF, &before);
    if (!ready || means != NO_TIMER) return;
    means = start_own_timer() ? OWN_TIMER : start_alarm_clock() ? ALARM : NO_TIMER;
    if (means == ALARM) mayday_mask_for_capture();
}

bool mayday_capture_signal_ready(void) { return ready; }

void mayday_watchdog_stop(void) {
    struct itimerval none = {{0, 0}, {0, 0}};
    if (means == OWN_TIMER && syscall(SYS_timer_delete, timer) == 0) means = NO_TIMER;
    if (means == ALARM) syscall(SYS_setitimer, ITIMER_REAL, &none, NULL);
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
    // Not while it ticks.
    if (!ready || means == OWN_TIMER) return;
    ready = false;
    put_back(SIGPROF, &before);
    if (means != ALARM) return;
    put_back(SIGALRM, &alarm_before);
    syscall(SYS_setitimer, ITIMER_REAL, &alarm_clock_before, NULL);
    means = NO_TIMER;
}

#endif
