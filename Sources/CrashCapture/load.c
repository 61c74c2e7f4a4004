// What happens before `main`: the functions behind our interposers are found, and a reporter is given its end.
// Nothing here is async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runs_at_start.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

bool mayday_is_reporter WRITTEN_AT_START;

enum { REPORTER_DEFAULT_MS = 10000, REPORTER_MARGIN_MS = 1000, REPORTER_MAXIMUM_MS = 600000 };

/// Ends this process at its deadline, wherever it is: a timer of the kernel's that sends SIGKILL.
static void bound_reporter(const char *deadline) {
    char *end;
    unsigned long milliseconds = strtoul(deadline, &end, 10);
    if (end == deadline || *end != '\0' || milliseconds == 0 || milliseconds > REPORTER_MAXIMUM_MS) {
        milliseconds = REPORTER_DEFAULT_MS;
    }
    milliseconds += REPORTER_MARGIN_MS;

    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        struct itimerspec time = {{0, 0}, {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000}};
        timer_settime(timer, 0, &time, NULL);
    }
    // A crash of the reporter is not the service's: it leaves no core file in the service's name.
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

#if MAYDAY_INTERPOSE
int (*mayday_find_dl_iterate_phdr(void))(PhdrCallback, void *) {
    mayday_real_dl_iterate_phdr = (int (*)(PhdrCallback, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    return mayday_real_dl_iterate_phdr;
}
#endif

__attribute__((constructor(101))) static void load(void) {
#if MAYDAY_INTERPOSE
    mayday_find_dl_iterate_phdr();
#endif
    const char *deadline = getenv(MAYDAY_REPORTER_VARIABLE);
    mayday_is_reporter = deadline != NULL;
    if (mayday_is_reporter) bound_reporter(deadline);
}

#endif
