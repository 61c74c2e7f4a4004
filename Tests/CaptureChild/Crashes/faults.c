// Every captured signal, by a fault where there is one, and sent.

#include "kinds.h"

#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

long capture_child_number;

void *capture_child_opaque(uintptr_t value) {
    void *volatile hidden = (void *)value;
    return hidden;
}

__attribute__((noinline)) void capture_child_segv(void) { *(volatile int *)capture_child_opaque(0x18) = 1; }

/// For a previous handler that takes care of each.
static void segv_many_times(void) {
    for (long left = capture_child_number; left > 0; left--) capture_child_segv();
}

static void ill(void) {
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    __asm__ volatile("udf #0");  // the compiler's own trap is brk there, SIGTRAP
#endif
}

static void trap(void) {
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    __asm__ volatile("brk #0");
#endif
}

/// A page behind the end of its file.
static void bus(void) {
    int fd = memfd_create("empty", MFD_CLOEXEC);
    char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    volatile char byte = page[0];
    (void)byte;
}

/// Touches a page behind the end of the file `mapped` in CHILD_OUT, which the reporter `mend` makes longer meanwhile.
static void bus_once(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/mapped", getenv("CHILD_OUT"));
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    volatile char byte = page[0];
    (void)byte;
}

static void fpe(void) {
#if defined(__x86_64__)
    __asm__ volatile("xorl %%edx, %%edx\n movl $1, %%eax\n xorl %%ecx, %%ecx\n divl %%ecx" ::: "eax", "ecx", "edx");
#else
    raise(SIGFPE);
#endif
}

/// A system call that a sandbox refuses by a signal.
static void sys(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_acct, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    syscall(SYS_acct, NULL);
}

static void double_free(void) {
    void *volatile block = malloc(64);
    free(block);
    free(block);
}

extern void capture_child_fatal_error(void) __attribute__((weak));

/// Swift's own end, where the child has its runtime.
static void fatal_error(void) {
    if (capture_child_fatal_error == NULL) _exit(71);
    capture_child_fatal_error();
}

/// Throws an `int` that nobody catches, where the child has libstdc++.
static void terminate(void) {
    void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "__cxa_allocate_exception");
    void (*throw)(void *, void *, void (*)(void *)) =
        (void (*)(void *, void *, void (*)(void *)))dlsym(RTLD_DEFAULT, "__cxa_throw");
    void *type = dlsym(RTLD_DEFAULT, "_ZTIi");
    if (allocate == NULL || throw == NULL || type == NULL) _exit(71);
    throw(allocate(sizeof(int)), type, NULL);
}

static void failed_assert(void) { assert(capture_child_opaque(0) != NULL); }

static void raise_number(void) { raise((int)capture_child_number); }

static void kill_number(void) { kill(getpid(), (int)capture_child_number); }

/// Says that it is there, then waits for whatever comes, at most the number of seconds.
static void wait_outside(void) {
    printf("ready\n");
    fflush(stdout);
    for (unsigned left = (unsigned)capture_child_number; left > 0;) left = sleep(left);
}

const Kind capture_child_faults[] = {
    {"segv", capture_child_segv}, {"segvs", segv_many_times}, {"ill", ill},       {"trap", trap},          {"bus", bus}, {"bus-once", bus_once},
    {"fpe", fpe},                 {"sys", sys},       {"abort", abort},        {"double-free", double_free},
    {"assert", failed_assert},    {"raise", raise_number}, {"kill", kill_number}, {"wait", wait_outside},
    {"fatal-error", fatal_error}, {"terminate", terminate},
    {NULL, NULL},
};
