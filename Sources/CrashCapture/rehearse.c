// A rehearsal: a forked child crashes as this process would, and says how far its report came.
//
// The child is made by the bare system call. fork() would run what the service registered with pthread_atfork, and its
// SIGCHLD and wait() would be told of a child that is none of theirs.

#include "CrashCapture.h"

#if defined(__linux__)

#include "internal.h"
#include "delivery.h"
#include "system_calls.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { MARGIN_NS = 2000 * 1000 * 1000, REAP_NS = 1000 * 1000 * 1000 };

/// A page that child and parent share. NULL in every process but the child of a rehearsal.
static MaydayRehearsal *result;

/// Async-signal-safe.
bool mayday_is_rehearsal(void) { return result != NULL; }

/// Async-signal-safe.
void mayday_rehearsal_end(void) {
    if (result == NULL) return;
    memcpy(result->id, mayday_crash.id, sizeof result->id);
    result->spooled = mayday_spool.published;
    result->reported = mayday_delivery.outcome != DELIVERY_NONE;
    result->delivered = mayday_delivery.outcome == DELIVERY_DONE;
    result->captured = true;
    sys_exit_group(0);
}

/// Async-signal-safe. Swift's own traps are this instruction.
__attribute__((noinline)) static _Noreturn void mayday_rehearsal_crash(void) { __builtin_trap(); }

/// Async-signal-safe. In the child.
static _Noreturn void crash(MaydayRehearsal *shared, int said) {
    if (said >= 0) syscall(SYS_dup3, said, STDERR_FILENO, 0);
    // Connections that the service closes meanwhile would stay open here.
    mayday_close_others(mayday_settings->spool.fd);
    // Where the capture fails, a core file would be in the service's name. One byte also stops those that go to a program.
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0L, (long)RLIMIT_CORE, NULL, &limit) == 0 && limit.rlim_max > 0) {
        limit.rlim_cur = 1;
        syscall(SYS_prlimit64, 0L, (long)RLIMIT_CORE, &limit, NULL);
    }
    result = shared;
    mayday_rehearsal_crash();
}

/// Waits for the child, within what a crash may take.
static void watch(pid_t child, MaydayRehearsal *shared) {
    uint64_t bound_ms = 2ull * mayday_settings->capture_deadline_ms + mayday_settings->reporter_deadline_ms;
    uint64_t limit = mayday_monotonic_ns() + bound_ms * 1000000u + MARGIN_NS;
    shared->status = -1;
    int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    if (pidfd >= 0) sys_fcntl(pidfd, F_SETFD, FD_CLOEXEC);
    if (!mayday_wait_for_child(child, pidfd, limit, &shared->status)) {
        shared->timed_out = true;
        syscall(SYS_kill, child, SIGKILL);
        mayday_wait_for_child(child, pidfd, mayday_monotonic_ns() + REAP_NS, &shared->status);
    }
    if (pidfd >= 0) sys_close(pidfd);
}

void mayday_capture_rehearse(MaydayRehearsal *rehearsal, char *said, size_t capacity) {
    memset(rehearsal, 0, sizeof *rehearsal);
    if (capacity > 0) said[0] = '\0';
    uint64_t began = mayday_monotonic_ns();
    long page = syscall(SYS_mmap, NULL, sizeof *rehearsal, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mayday_settings == NULL || page == -1) {
        rehearsal->error = mayday_settings == NULL ? EINVAL : errno;
        return;
    }
    MaydayRehearsal *shared = (MaydayRehearsal *)page;
    // Not a memfd: RLIMIT_FSIZE is for that, too. What does not fit in is not waited for.
    int log[2] = {-1, -1};
    if (sys_pipe2(log, O_CLOEXEC | O_NONBLOCK) != 0) log[0] = log[1] = -1;
    long child = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (child == 0) crash(shared, log[1]);
    if (log[1] >= 0) sys_close(log[1]);
    if (child < 0) {
        shared->error = errno;
    } else {
        watch((pid_t)child, shared);
    }
    *rehearsal = *shared;
    rehearsal->duration_us = (mayday_monotonic_ns() - began) / 1000u;
    ssize_t length = log[0] >= 0 && capacity > 1 ? sys_read(log[0], said, capacity - 1) : 0;
    if (length > 0) said[length] = '\0';
    if (log[0] >= 0) sys_close(log[0]);
    syscall(SYS_munmap, page, sizeof *rehearsal);
}

#else

#include <string.h>

void mayday_capture_rehearse(MaydayRehearsal *rehearsal, char *said, size_t capacity) {
    memset(rehearsal, 0, sizeof *rehearsal);
    rehearsal->error = 1;
    if (capacity > 0) said[0] = '\0';
}

#endif
