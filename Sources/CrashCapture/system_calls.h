// System calls of the handler, made with syscall(2): unlike the wrappers of libc they are no cancellation points, so a
// thread that was cancelled and then crashes is not unwound in the middle of its report.
// All async-signal-safe. Each returns what the kernel says: -1 and errno on an error.

#ifndef MAYDAY_SYSTEM_CALLS_H
#define MAYDAY_SYSTEM_CALLS_H

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/// The kernel's signal set: 64 signals in 8 bytes.
typedef uint64_t KernelSignals;

#define SIGNAL_BIT(signal) ((KernelSignals)1 << ((signal)-1))

static inline pid_t sys_getpid(void) { return (pid_t)syscall(SYS_getpid); }
static inline pid_t sys_gettid(void) { return (pid_t)syscall(SYS_gettid); }

static inline int sys_openat(int directory, const char *path, int flags, int mode) {
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}
static inline ssize_t sys_read(int fd, void *to, size_t count) { return syscall(SYS_read, fd, to, count); }
static inline ssize_t sys_pread(int fd, void *to, size_t count, off_t at) {
    return syscall(SYS_pread64, fd, to, count, at);
}
static inline ssize_t sys_pwrite(int fd, const void *from, size_t count, off_t at) {
    return syscall(SYS_pwrite64, fd, from, count, at);
}
static inline int sys_ftruncate(int fd, off_t size) { return (int)syscall(SYS_ftruncate, fd, size); }
static inline ssize_t sys_write(int fd, const void *from, size_t count) { return syscall(SYS_write, fd, from, count); }
static inline off_t sys_lseek(int fd, off_t offset, int whence) { return syscall(SYS_lseek, fd, offset, whence); }
static inline int sys_close(int fd) { return (int)syscall(SYS_close, fd); }
static inline int sys_fsync(int fd) { return (int)syscall(SYS_fsync, fd); }
static inline int sys_flock(int fd, int operation) { return (int)syscall(SYS_flock, fd, operation); }
static inline int sys_fcntl(int fd, int command, int argument) { return (int)syscall(SYS_fcntl, fd, command, argument); }
static inline int sys_fstat(int fd, struct stat *status) { return (int)syscall(SYS_fstat, fd, status); }
static inline int sys_rename_in(int directory, const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, directory, from, directory, to, 0);
}
static inline int sys_unlinkat(int directory, const char *path) {
    return (int)syscall(SYS_unlinkat, directory, path, 0);
}
static inline int sys_symlinkat(const char *target, int directory, const char *path) {
    return (int)syscall(SYS_symlinkat, target, directory, path);
}
static inline int sys_memfd_create(const char *name, unsigned flags) {
    return (int)syscall(SYS_memfd_create, name, flags);
}
static inline int sys_pipe2(int ends[2], int flags) { return (int)syscall(SYS_pipe2, ends, flags); }

static inline int sys_sigmask(KernelSignals mask) {
    return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}
/// Takes a pending signal of the set away from this thread, without waiting.
static inline int sys_take_pending(KernelSignals set) {
    struct timespec none = {0, 0};
    return (int)syscall(SYS_rt_sigtimedwait, &set, NULL, &none, sizeof set);
}
static inline int sys_queue_signal(pid_t process, pid_t thread, int signal, const siginfo_t *info) {
    return (int)syscall(SYS_rt_tgsigqueueinfo, process, thread, signal, info);
}
static inline int sys_sleep_ns(uint64_t ns) {
    struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    return (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}
/// After a call that should have waited: where it fails at once, and always will, the loop around it must not spin.
static inline int sys_waited(long result) {
    if (result < 0 && errno != EAGAIN && errno != ETIMEDOUT) sys_sleep_ns(1000000);
    return (int)result;
}
/// Waits while `*word` is `expected`, at most `limit_ns`.
static inline int sys_futex_wait(const void *word, uint32_t expected, uint64_t limit_ns) {
    struct timespec limit = {(time_t)(limit_ns / 1000000000u), (long)(limit_ns % 1000000000u)};
    return sys_waited(syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, NULL, 0L));
}
static inline int sys_futex_wake(const void *word) {
    return (int)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0L);
}
static inline int sys_poll_one(int fd, short events, uint64_t limit_ns) {
    struct pollfd entry = {fd, events, 0};
    struct timespec limit = {(time_t)(limit_ns / 1000000000u), (long)(limit_ns % 1000000000u)};
    return sys_waited(syscall(SYS_ppoll, &entry, 1, &limit, NULL, 8));
}
_Noreturn static inline void sys_exit_group(int status) {
    for (;;) syscall(SYS_exit_group, status);
}

#endif
#endif
