// Bounds a stage: a POSIX timer of the kernel's, made in the handler, that signals the crashing thread alone.
// SIGPROF is used because it is the one asynchronous signal that dispatch workers leave open. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"
#include "system_calls.h"

#include <string.h>

static const int cookie;
static bool running;
static int timer;  // the kernel's timer id

static void on_capture_signal(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    bool ours = info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&cookie;
    if (!ours || !mayday_on_crashing_thread() || mayday_crash.phase != PHASE_STAGE) return;
    mayday_leave_stage(LEFT_DEADLINE);
}

void mayday_deadline_start(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_capture_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    sigaction(SIGPROF, &action, NULL);

    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_ptr = (void *)&cookie;
    event._sigev_un._tid = sys_gettid();
    running = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0;
}

static void set(uint64_t after_ns) {
    if (!running) return;
    struct itimerspec time = {{0, 0}, {(time_t)(after_ns / 1000000000u), (long)(after_ns % 1000000000u)}};
    syscall(SYS_timer_settime, timer, 0, &time, NULL);
}

void mayday_deadline_arm(uint64_t after_ns) { set(after_ns > 0 ? after_ns : 1); }

void mayday_deadline_disarm(void) { set(0); }

void mayday_deadline_stop(void) {
    if (running) syscall(SYS_timer_delete, timer);
    running = false;
}

#endif
