// A seccomp filter as container runtimes install it: some system calls answer EPERM.

#include "reporter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define REFUSE(number)                                                                                                 \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static void enter(struct sock_filter *rules, size_t count) {
    struct sock_fprog program = {(unsigned short)count, rules};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void capture_child_enter_sandbox(bool refuses_memory) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(SYS_process_vm_readv),
        REFUSE(SYS_pidfd_open),
        REFUSE(SYS_close_range),
        REFUSE(SYS_timer_create),
        REFUSE(SYS_unshare),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    enter(rules, sizeof rules / sizeof *rules);
    if (!refuses_memory) return;
    struct sock_filter more[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(SYS_memfd_create),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    enter(more, sizeof more / sizeof *more);
}
