// emulate EMULATOR ARGUMENT …: runs qemu-user as the tests of CaptureChild need it.
//
// A fault's signal that a process queues to itself with the information of the fault, as the capture does to end, looks to
// qemu-user like a fault of its own and ends it by an assertion. It is refused here, as some sandboxes do, and the capture ends
// the process by its second way, tgkill. SIGPROF, by which the other threads are parked, is let through.

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: emulate EMULATOR ARGUMENT ...\n");
        return 64;
    }
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGPROF, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    // Core files of the emulator's own making would be left in the working directory.
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("emulate");
        return 70;
    }
    execv(arguments[1], arguments + 1);
    perror(arguments[1]);
    return 71;
}
