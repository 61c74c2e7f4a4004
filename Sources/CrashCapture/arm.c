// Sets our handlers, in front of those that were there at install. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "system_calls.h"
#include "runs_at_start.h"

#include <errno.h>
#include <string.h>

bool mayday_arm(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = mayday_on_signal;
    // SA_NODEFER: a fault inside the capture must reach us again; blocked, the kernel would end the process at once.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        int signal = mayday_crash_signals[index];
        // Only ever sent: ignored (a background job of a shell, nohup) it stays ignored, in our children too.
        if (signal == SIGQUIT && mayday_settings->previous[index].sa_handler == SIG_IGN) continue;
        if (sigaction(signal, &action, NULL) == 0) continue;
        int error = errno;
        while (index-- > 0) sigaction(mayday_crash_signals[index], &mayday_settings->previous[index], NULL);
        errno = error;
        return false;
    }
    return true;
}

KernelSignals mayday_faults(void) {
    KernelSignals faults = 0;
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        // abort() opens its own; the rest are only ever sent.
        int signal = mayday_crash_signals[index];
        if (signal != SIGABRT && signal != SIGQUIT) faults |= SIGNAL_BIT(signal);
    }
    return faults;
}

void mayday_open_faults(void) {
    KernelSignals faults = mayday_faults();
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &faults, NULL, sizeof faults);
}

#endif
