#include "CCrashKinds.h"

#if defined(__linux__)

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of all calls only swapoff is forbidden: nothing else in the process, and nothing it starts, needs that one.
static int forbid_swapoff(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_swapoff, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int32_t sandbox_forbidden_call(void) {
    if (forbid_swapoff() != 0) return errno;
    long result = syscall(SYS_swapoff, ""); // crash: seccomp
    return (int32_t)result + 1;
}

#else

int32_t sandbox_forbidden_call(void) { return 0; }

#endif
