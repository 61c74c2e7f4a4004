// A service that ran out of descriptors is one that crashes: how the capture gets some all the same. Async-signal-safe.

#if defined(__linux__)

#include "descriptors.h"
#include "system_calls.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

enum {
    /// The report's file, a thread's status, and the pipe of safe_memory.c.
    NEEDED = 4,
    SPARE_LIMIT = 16,
};

int mayday_held(const HeldDescriptor *held) {
    struct stat status;
    if (held->fd < 0 || sys_fstat(held->fd, &status) != 0) return -1;
    return status.st_dev == held->device && status.st_ino == held->inode ? held->fd : -1;
}

/// True when as many can be opened as are needed.
static bool is_room(void) {
    int probes[NEEDED], count = 0;
    // Of any file that is open, which costs least.
    probes[0] = sys_fcntl(mayday_settings->spool.fd, F_DUPFD_CLOEXEC, 0);
    if (probes[0] < 0 && errno == EBADF) probes[0] = sys_openat(AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0);
    while (probes[count] >= 0 && ++count < NEEDED) probes[count] = sys_fcntl(probes[0], F_DUPFD_CLOEXEC, 0);
    int error = errno;
    for (int index = 0; index < count; index++) sys_close(probes[index]);
    return count == NEEDED || error != EMFILE;
}

/// Up to the hard limit. False where that is reached.
static bool raise_limit(void) {
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit) != 0) return false;
    if (limit.rlim_cur + NEEDED > limit.rlim_max) return false;
    limit.rlim_cur = limit.rlim_cur + SPARE_LIMIT < limit.rlim_max ? limit.rlim_cur + SPARE_LIMIT : limit.rlim_max;
    return syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, &limit, NULL) == 0;
}

/// True when no previous handler can let the process live on.
static bool surely_ends(void) {
    int index = mayday_signal_index(mayday_crash.signal);
    return index >= 0 && mayday_settings->previous[index].sa_handler == SIG_DFL;
}

static bool spare_is_ours;

bool mayday_make_room(void) {
    if (is_room() || raise_limit()) return true;
    spare_is_ours = mayday_held(&mayday_settings->spare) >= 0;
    // In a table of its own this thread closes what it likes: nothing is closed for the others, and none of them, waiting
    // for a descriptor, takes the room away. A sandbox may refuse it.
    bool own = surely_ends() && syscall(SYS_unshare, CLONE_FILES) == 0;
    mayday_make_room_again();
    return own;
}

void mayday_make_room_again(void) {
    sys_close(STDIN_FILENO);
    if (spare_is_ours) sys_close(mayday_settings->spare.fd);
}

#endif
