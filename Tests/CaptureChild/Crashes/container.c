// The default seccomp profile of Docker (moby, profiles/seccomp/default.json, as of 2024), as a container without added
// capabilities has it. What it allows is a fact about it; how it is written down here is not.
//
// x86_64 only: the list is of that machine's calls, and other entries of the kernel (32 bits) are refused where Docker has rules.

#include "reporter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

enum { NEWEST = SYS_set_mempolicy_home_node, VSOCK = 40 };

/// Flags of clone() that make namespaces.
enum { NAMESPACES = 0x7e020000 };

/// Whatever their arguments are.
static const uint16_t allowed[] = {
    // By name.
    SYS_accept, SYS_accept4, SYS_access, SYS_adjtimex, SYS_alarm, SYS_bind, SYS_brk, SYS_capget, SYS_capset,
    SYS_chdir, SYS_chmod, SYS_chown, SYS_clock_adjtime, SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep,
    SYS_close, SYS_close_range, SYS_connect, SYS_copy_file_range, SYS_creat, SYS_dup, SYS_dup2, SYS_dup3,
    SYS_epoll_create, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_ctl_old, SYS_epoll_pwait, SYS_epoll_pwait2,
    SYS_epoll_wait, SYS_epoll_wait_old, SYS_eventfd, SYS_eventfd2, SYS_execve, SYS_execveat, SYS_exit,
    SYS_exit_group, SYS_faccessat, SYS_faccessat2, SYS_fadvise64, SYS_fallocate, SYS_fanotify_mark, SYS_fchdir,
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_fcntl, SYS_fdatasync, SYS_fgetxattr, SYS_flistxattr,
    SYS_flock, SYS_fork, SYS_fremovexattr, SYS_fsetxattr, SYS_fstat, SYS_fstatfs, SYS_fsync, SYS_ftruncate,
    SYS_futex, SYS_futex_waitv, SYS_futimesat, SYS_get_robust_list, SYS_get_thread_area, SYS_getcpu, SYS_getcwd,
    SYS_getdents, SYS_getdents64, SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getgroups, SYS_getitimer,
    SYS_getpeername, SYS_getpgid, SYS_getpgrp, SYS_getpid, SYS_getppid, SYS_getpriority, SYS_getrandom,
    SYS_getresgid, SYS_getresuid, SYS_getrlimit, SYS_getrusage, SYS_getsid, SYS_getsockname, SYS_getsockopt,
    SYS_gettid, SYS_gettimeofday, SYS_getuid, SYS_getxattr, SYS_inotify_add_watch, SYS_inotify_init,
    SYS_inotify_init1, SYS_inotify_rm_watch, SYS_io_cancel, SYS_io_destroy, SYS_io_getevents, SYS_io_pgetevents,
    SYS_io_setup, SYS_io_submit, SYS_ioctl, SYS_ioprio_get, SYS_ioprio_set, SYS_kill, SYS_landlock_add_rule,
    SYS_landlock_create_ruleset, SYS_landlock_restrict_self, SYS_lchown, SYS_lgetxattr, SYS_link, SYS_linkat,
    SYS_listen, SYS_listxattr, SYS_llistxattr, SYS_lremovexattr, SYS_lseek, SYS_lsetxattr, SYS_lstat, SYS_madvise,
    SYS_membarrier, SYS_memfd_create, SYS_memfd_secret, SYS_mincore, SYS_mkdir, SYS_mkdirat, SYS_mknod, SYS_mknodat,
    SYS_mlock, SYS_mlock2, SYS_mlockall, SYS_mmap, SYS_mprotect, SYS_mq_getsetattr, SYS_mq_notify, SYS_mq_open,
    SYS_mq_timedreceive, SYS_mq_timedsend, SYS_mq_unlink, SYS_mremap, SYS_msgctl, SYS_msgget, SYS_msgrcv,
    SYS_msgsnd, SYS_msync, SYS_munlock, SYS_munlockall, SYS_munmap, SYS_name_to_handle_at, SYS_nanosleep,
    SYS_newfstatat, SYS_open, SYS_openat, SYS_openat2, SYS_pause, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_pipe,
    SYS_pipe2, SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect, SYS_poll, SYS_ppoll, SYS_prctl, SYS_pread64,
    SYS_preadv, SYS_preadv2, SYS_prlimit64, SYS_process_mrelease, SYS_pselect6, SYS_pwrite64, SYS_pwritev,
    SYS_pwritev2, SYS_read, SYS_readahead, SYS_readlink, SYS_readlinkat, SYS_readv, SYS_recvfrom, SYS_recvmmsg,
    SYS_recvmsg, SYS_remap_file_pages, SYS_removexattr, SYS_rename, SYS_renameat, SYS_renameat2,
    SYS_restart_syscall, SYS_rmdir, SYS_rseq, SYS_rt_sigaction, SYS_rt_sigpending, SYS_rt_sigprocmask,
    SYS_rt_sigqueueinfo, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_getaffinity, SYS_sched_getattr,
    SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_rr_get_interval, SYS_sched_setaffinity, SYS_sched_setattr,
    SYS_sched_setparam, SYS_sched_setscheduler, SYS_sched_yield, SYS_seccomp, SYS_select, SYS_semctl, SYS_semget,
    SYS_semop, SYS_semtimedop, SYS_sendfile, SYS_sendmmsg, SYS_sendmsg, SYS_sendto, SYS_set_robust_list,
    SYS_set_thread_area, SYS_set_tid_address, SYS_setfsgid, SYS_setfsuid, SYS_setgid, SYS_setgroups, SYS_setitimer,
    SYS_setpgid, SYS_setpriority, SYS_setregid, SYS_setresgid, SYS_setresuid, SYS_setreuid, SYS_setrlimit,
    SYS_setsid, SYS_setsockopt, SYS_setuid, SYS_setxattr, SYS_shmat, SYS_shmctl, SYS_shmdt, SYS_shmget,
    SYS_shutdown, SYS_sigaltstack, SYS_signalfd, SYS_signalfd4, SYS_socketpair, SYS_splice, SYS_stat, SYS_statfs,
    SYS_statx, SYS_symlink, SYS_symlinkat, SYS_sync, SYS_sync_file_range, SYS_syncfs, SYS_sysinfo, SYS_tee,
    SYS_tgkill, SYS_time, SYS_timer_create, SYS_timer_delete, SYS_timer_getoverrun, SYS_timer_gettime,
    SYS_timer_settime, SYS_timerfd_create, SYS_timerfd_gettime, SYS_timerfd_settime, SYS_times, SYS_tkill,
    SYS_truncate, SYS_umask, SYS_uname, SYS_unlink, SYS_unlinkat, SYS_utime, SYS_utimensat, SYS_utimes, SYS_vfork,
    SYS_vmsplice, SYS_wait4, SYS_waitid, SYS_write, SYS_writev,
    // Since Linux 4.8.
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace,
    // On this machine.
    SYS_arch_prctl, SYS_modify_ldt,
    // With CAP_SYS_CHROOT, which a container has by default.
    SYS_chroot,
};

enum { MAX_RULES = 2 * sizeof allowed / sizeof *allowed + 64 };

static struct sock_filter rules[MAX_RULES];
static unsigned short count;

static void add(uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    rules[count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void answer(uint32_t with) { add(BPF_RET | BPF_K, with, 0, 0); }

/// Skips the next `length` rules unless what was loaded is `value`.
static void if_equal(uint32_t value, uint8_t length) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, length); }

static void refuse(int error) { answer(SECCOMP_RET_ERRNO | (uint32_t)error); }

void capture_child_enter_container(void) {
    const size_t number = offsetof(struct seccomp_data, nr), first = offsetof(struct seccomp_data, args);
    load(offsetof(struct seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    refuse(EPERM);
    load(number);
    for (size_t index = 0; index < sizeof allowed / sizeof *allowed; index++) {
        if_equal(allowed[index], 1);
        answer(SECCOMP_RET_ALLOW);
    }
    // libc falls back to clone() when it hears that there is no clone3(), whose flags no filter can read.
    if_equal(SYS_clone3, 1);
    refuse(ENOSYS);
    if_equal(SYS_clone, 4);
    load(first);
    add(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 1, 0);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPERM);
    if_equal(SYS_socket, 4);
    load(first);
    if_equal(VSOCK, 1);
    refuse(EPERM);
    answer(SECCOMP_RET_ALLOW);
    // PER_LINUX, PER_LINUX32, each also with UNAME26, and the question.
    static const uint32_t personalities[] = {0, 0x8, 0x20000, 0x20008, 0xffffffff};
    const size_t kinds = sizeof personalities / sizeof *personalities;
    if_equal(SYS_personality, (uint8_t)(2 * kinds + 2));
    load(first);
    for (size_t index = 0; index < kinds; index++) {
        if_equal(personalities[index], 1);
        answer(SECCOMP_RET_ALLOW);
    }
    refuse(EPERM);
    // runc answers so for whatever is newer than the profile.
    add(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1);
    refuse(ENOSYS);
    refuse(EPERM);

    struct sock_fprog program = {count, rules};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

// NOT IMPLEMENTED: other machines have other calls. The tests that need it are not built there.
void capture_child_enter_container(void) {}

#endif
