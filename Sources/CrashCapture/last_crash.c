// What the next start is told of this crash: a symbolic link in the spool that leads nowhere, `last-crash`, or `last-child-crash`
// where the process that crashed was forked by the one that called `start`, which may crash as well. Its target is the
// text `ID SIGNAL`, short enough to need no block of its own where the process has reached its memory limit. It is made by one
// system call and read by one (start.c), whole or not there, and left when the report is delivered. Async-signal-safe.

#if defined(__linux__)

#include "MaydayStart.h"
#include "internal.h"
#include "system_calls.h"

#include <errno.h>

static char target[MAYDAY_LAST_CRASH_CAPACITY];
static char link_name[PATH_MAX];

void mayday_remember_crash(void) {
    int directory = mayday_spool_directory();
    if (directory == -1 || mayday_is_rehearsal()) return;
    bool is_child = mayday_crash.pid != mayday_settings->pid;
    Line line = {.data = target, .capacity = sizeof target - 1};
    const char *name = mayday_signal_name(mayday_crash.signal);
    mayday_line_raw(&line, mayday_crash.id);
    mayday_line_raw(&line, " ");
    mayday_line_raw(&line, name != NULL ? name : "crash");
    target[line.length] = '\0';
    mayday_spool_name(link_name, is_child ? MAYDAY_LAST_CHILD_CRASH_LINK : MAYDAY_LAST_CRASH_LINK);
    if (sys_symlinkat(target, directory, link_name) == 0 || errno != EEXIST) return;
    // An older one was not told to anybody, and is not the last any more.
    sys_unlinkat(directory, link_name);
    sys_symlinkat(target, directory, link_name);
}

#endif
