// A service that ran out of descriptors is one that crashes: how the capture gets some all the same. Async-signal-safe.

#if defined(__linux__)

#include "descriptors.h"
#include "system_calls.h"
#include "unwinder.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define HAS_THREADS (__libc_single_threaded == 0)
#endif
#endif
#if !defined(HAS_THREADS)
#define HAS_THREADS false
#endif

enum {
    /// The report's file, a thread's status, and the pipe of safe_memory.c.
    NEEDED = 4,
    /// The list of threads and the pipe of libunwind, where they are not held.
    NEEDED_UNHELD = 3,
    SPARE_LIMIT = 16,
    /// Numbers that are looked at for some that can be closed.
    LOOKED_AT = 1024,
};

int mayday_held(const HeldDescriptor *held) {
    struct stat status;
    if (held->fd < 0 || sys_fstat(held->fd, &status) != 0) return -1;
    return status.st_dev == held->device && status.st_ino == held->inode ? held->fd : -1;
}

static int needed(void) { return mayday_settings->tasks.fd >= 0 ? NEEDED : NEEDED + NEEDED_UNHELD; }

/// True when as many can be opened as are needed.
static bool is_room(void) {
    int probes[NEEDED + NEEDED_UNHELD], count = 0, wanted = needed();
    // Of any file that is open, which costs least.
    probes[0] = sys_fcntl(mayday_settings->spool.fd, F_DUPFD_CLOEXEC, 0);
    if (probes[0] < 0 && errno == EBADF) probes[0] = sys_openat(AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0);
    while (probes[count] >= 0 && ++count < wanted) probes[count] = sys_fcntl(probes[0], F_DUPFD_CLOEXEC, 0);
    int error = errno;
    for (int index = 0; index < count; index++) sys_close(probes[index]);
    return count == wanted || error != EMFILE;
}

/// Up to the hard limit. False where that is reached.
static bool raise_limit(void) {
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit) != 0) return false;
    if (limit.rlim_cur + (rlim_t)needed() > limit.rlim_max) return false;
    limit.rlim_cur = limit.rlim_cur + SPARE_LIMIT < limit.rlim_max ? limit.rlim_cur + SPARE_LIMIT : limit.rlim_max;
    return syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, &limit, NULL) == 0;
}

/// True when no previous handler can let the process live on.
static bool surely_ends(void) {
    int index = mayday_signal_index(mayday_crash.signal);
    return index >= 0 && mayday_settings->previous[index].sa_handler == SIG_DFL;
}

static bool spare_is_ours;
static bool room_is_common;

/// In a table of its own, beside other threads that keep theirs, nobody sees what this thread closes.
static void close_unseen(void) {
    int missing = needed() - 1;
    for (int fd = STDERR_FILENO + 1; fd < LOOKED_AT && missing > 0; fd++) {
        bool ours = fd == mayday_settings->spool.fd || fd == mayday_settings->tasks.fd;
        if (!ours && sys_close(fd) == 0) missing -= 1;
    }
}

/// Gives libunwind the pipe back that it let go of, at its numbers: it would read from what has them now, wait for that or close it.
/// Where they are somebody else's, and seen by others, it is not used.
static void restore_pipe(bool may_take) {
    const int *numbers = mayday_unwinder.pipe;
    int ends[2];
    if (numbers[0] < 0) return;
    mayday_unwinder.usable = false;
    if (mayday_unwinder_pipe_is_taken() && !may_take) return;
    if (sys_pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    // An end may have the other's number.
    int first = ends[1] == numbers[0] ? 1 : 0;
    for (int turn = 0; turn < 2; turn++) {
        int index = turn == 0 ? first : 1 - first;
        if (ends[index] == numbers[index]) continue;
        if (syscall(SYS_dup3, ends[index], numbers[index], O_CLOEXEC) < 0) return;
        if (ends[index] != numbers[1 - index]) sys_close(ends[index]);
    }
    mayday_unwinder.usable = true;
}

/// False when other threads may take the room first; `own`: nobody sees what is closed.
static bool make_room(bool *own) {
    room_is_common = is_room() || raise_limit();
    if (room_is_common) return true;
    spare_is_ours = mayday_held(&mayday_settings->spare) >= 0;
    // In a table of its own this thread closes what it likes: nothing is closed for the others, and none of them, waiting
    // for a descriptor, takes the room away. A sandbox may refuse it.
    bool alone = surely_ends() && syscall(SYS_unshare, CLONE_FILES) == 0;
    *own = alone && HAS_THREADS;
    if (*own && mayday_settings->tasks.fd < 0) close_unseen();
    mayday_make_room_again();
    return alone;
}

bool mayday_make_room(void) {
    room_is_common = false;
    bool own = false, made = make_room(&own);
    if (!own && mayday_unwinder_pipe_is_taken()) {
        own = surely_ends() && HAS_THREADS && syscall(SYS_unshare, CLONE_FILES) == 0;
        if (own) room_is_common = false;
    }
    restore_pipe(own);
    return made;
}

bool mayday_room_is_common(void) { return room_is_common; }

void mayday_make_room_again(void) {
    sys_close(STDIN_FILENO);
    if (spare_is_ours) sys_close(mayday_settings->spare.fd);
}

#endif
