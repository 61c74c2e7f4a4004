// sigprocmask of the whole process. libunwind blocks every signal while it holds a lock: there a fault would end the process at
// once, and a stall could not be ended. On the thread whose crash is being captured its calls change nothing.

#include "internal.h"
#include "runs_at_start.h"

#if defined(__linux__) && MAYDAY_INTERPOSE

#include <errno.h>
#include <pthread.h>

/// Async-signal-safe, and as libc's everywhere else.
__attribute__((visibility("default"))) int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    // The phase says enough: nobody forks in a stage.
    if (mayday_crash.phase == PHASE_STAGE && __builtin_thread_pointer() == mayday_crash.thread_pointer) {
        if (old != NULL) sigemptyset(old);
        return 0;
    }
    int error = pthread_sigmask(how, set, old);
    if (error == 0) return 0;
    errno = error;
    return -1;
}

#endif
