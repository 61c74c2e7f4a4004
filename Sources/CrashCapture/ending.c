// The end of the process: exit status, core file and the previous handler's behaviour are as without us.
// Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"
#include "system_calls.h"

#include <string.h>

enum {
    MAX_SURVIVED = 8,
    /// Of ending by the signal; then the process ends by the status that a shell would show for it.
    MAX_ATTEMPTS = 4,
};

static void set_default(int signal) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
}

/// An instruction that faults again when the handler returns, unless what it touches has changed.
static bool repeats(int signal, int code) {
    bool of_a_kind = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
    return of_a_kind && mayday_signal_is_fault(signal, code);
}

/// Queues the signal to this thread; it is delivered when the handler returns, so that a core file shows the crash.
static void requeue(int signal, const siginfo_t *info) {
    pid_t process = sys_getpid(), thread = sys_gettid();
    if (process <= 0) process = mayday_crash.pid;
    if (thread <= 0) thread = mayday_crash.thread;
    // A fault or a stall from here on still reaches us, and ends the process by this signal.
    KernelSignals ticks = SIGNAL_BIT(mayday_watchdog_is_alarm() ? SIGALRM : SIGPROF) | SIGNAL_BIT(SIGPROF);
    sys_sigmask(~(mayday_faults() | ticks) | SIGNAL_BIT(signal));
    if (sys_queue_signal(process, thread, signal, info) == 0) return;
    if (syscall(SYS_tgkill, process, thread, signal) == 0) return;
    // A sandbox refuses both. A fault most likely repeats.
    if (!repeats(signal, info->si_code)) sys_exit_group(128 + signal);
}

static bool sent_by_self(const siginfo_t *info) { return info->si_code == SI_TKILL && info->si_pid == sys_getpid(); }

static void restore_previous(void) {
    mayday_watchdog_stop();
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        sigaction(mayday_crash_signals[index], &mayday_settings->previous[index], NULL);
    }
}

static void end_by_default(void) {
    int signal = mayday_crash.signal;
    bool pid_one = sys_getpid() == 1;
    set_default(signal);
    EndFacts facts = {
        .signal = signal,
        .code = mayday_crash.info.si_code,
        .pid_one = pid_one,
        .sent_by_self = sent_by_self(&mayday_crash.info),
        .trap_instruction_repeats =
            pid_one && signal == SIGTRAP && mayday_context_repeat_trap(mayday_crash.context),
    };
    switch (mayday_end_decide(&facts)) {
    // What abort() does next is for the default action as well.
    case END_RETURN: restore_previous(); return;
    case END_REQUEUE: requeue(signal, &mayday_crash.info); return;
    case END_EXIT: sys_exit_group(128 + signal);
    }
}

/// Calls the previous handler as the kernel would have.
static void call(const struct sigaction *previous) {
    int signal = mayday_crash.signal;
    if ((previous->sa_flags & (int)SA_RESETHAND) != 0) set_default(signal);
    KernelSignals mask, added;
    memcpy(&mask, &mayday_crash.context->uc_sigmask, sizeof mask);
    memcpy(&added, &previous->sa_mask, sizeof added);
    if ((previous->sa_flags & SA_NODEFER) == 0) added |= SIGNAL_BIT(signal);
    sys_sigmask(mask | added);
    if ((previous->sa_flags & SA_SIGINFO) != 0) {
        previous->sa_sigaction(signal, &mayday_crash.info, mayday_crash.context);
    } else {
        previous->sa_handler(signal);
    }
}

/// The previous handler took care of it: the process lives on, and its next crash is captured as well. Not for ever: where
/// faults are a way of working, each would cost a report.
static void live_on(void) {
    static int survived;
    mayday_capture_signal_restore();
    mayday_park_release();
    survived += 1;
    if (survived == MAX_SURVIVED) return;
    mayday_arm();
    mayday_crash.owner = 0;
}

static void chain(const struct sigaction *previous) {
    int signal = mayday_crash.signal;
    uintptr_t pc = mayday_context_pc(mayday_crash.context);
    uintptr_t sp = mayday_context_sp(mayday_crash.context);
    mayday_crash.nested_faults = 0;
    mayday_crash.phase = PHASE_CHAINED;
    mayday_park_chained();
    call(previous);
    if (mayday_context_pc(mayday_crash.context) != pc || mayday_context_sp(mayday_crash.context) != sp) {
        live_on();
        return;
    }
    if (repeats(signal, mayday_crash.info.si_code)) return;

    // No instruction faults again. A handler that reset itself to the default, as Swift's does, meant the process to end.
    struct sigaction now;
    if (sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
        end_by_default();
    } else if (signal != SIGABRT || !sent_by_self(&mayday_crash.info)) {
        live_on();
    }
}

void mayday_end(void) {
    mayday_crash.phase = PHASE_ENDING;
    int index = mayday_signal_index(mayday_crash.signal);
    const struct sigaction *previous = &mayday_settings->previous[index];
    if (previous->sa_handler == SIG_DFL || previous->sa_handler == SIG_IGN) {
        // Our handlers stay for the other signals: a fault on the way out must not end the process by another signal.
        end_by_default();
        return;
    }
    restore_previous();
    chain(previous);
}

void mayday_end_now(void) {
    int signal = mayday_crash.signal;
    static _Atomic int attempts;
    if (atomic_fetch_add(&attempts, 1) >= MAX_ATTEMPTS) sys_exit_group(128 + signal);
    sys_sigmask(~mayday_faults());
    set_default(signal);
    sys_queue_signal(sys_getpid(), sys_gettid(), signal, &mayday_crash.info);
    sys_sigmask(~SIGNAL_BIT(signal));
    sys_exit_group(128 + signal);
}

void mayday_pass_on(int signal, const siginfo_t *info) {
    int index = mayday_signal_index(signal);
    if (index < 0) return;
    sigaction(signal, &mayday_settings->previous[index], NULL);
    if (!mayday_signal_is_fault(signal, info->si_code)) requeue(signal, info);
}

#endif
