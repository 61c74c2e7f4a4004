// What a process may live with, and crash in.

#include "kinds.h"
#include "reporter.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

/// Writes where the allocation would be.
static void out_of_address_space(void) {
    char text[64] = {0};
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) _exit(71);
    close(fd);
    rlim_t now = strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit = {now, now};
    setrlimit(RLIMIT_AS, &limit);
    while (malloc(4096) != NULL) continue;
    capture_child_segv();
}

static void *crash(void *unused) {
    (void)unused;
    capture_child_segv();
    return NULL;
}

int capture_child_recurse(long depth);

static void *overflow(void *unused) {
    (void)unused;
    return capture_child_opaque((uintptr_t)capture_child_recurse(-1));
}

static void with_tiny_stack(void *(*body)(void *)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16 * 1024);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, body, NULL) != 0) _exit(71);
    pthread_join(thread, NULL);
}

static void on_tiny_stack(void) { with_tiny_stack(crash); }

static void overflow_tiny_stack(void) { with_tiny_stack(overflow); }

static void count_descriptors(void) {
    printf("descriptors %d\n", capture_child_descriptors());
    fflush(stdout);
}

static void say_how_it_ended(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child) _exit(71);
    printf("child ended by signal %d, status %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fflush(stdout);
}

/// Runs this program again, without the capture, as KIND of the variable CHILD_KIND.
static void execute(void) {
    char *arguments[] = {"CaptureChild", "--no-capture", (char *)variable("CHILD_KIND"), NULL};
    execve("/proc/self/exe", arguments, environ);
    _exit(71);
}

static void fork_and_execute(void) {
    printf("before %d\n", capture_child_descriptors_before);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) execute();
    say_how_it_ended(child);
}

/// A child that shares the memory crashes before it executes; then its parent does.
static void in_vfork_child(void) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    pid_t child = vfork();
#pragma clang diagnostic pop
    if (child == 0) {
        capture_child_segv();
        _exit(0);
    }
    say_how_it_ended(child);
    abort();
}

/// Another thread, which no signal reaches, waits for every child there is.
static void *reap_everything(void *unused) {
    (void)unused;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (;;) {
        if (waitpid(-1, NULL, __WALL) < 0) usleep(100);
    }
}

static void beside_reaper(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, reap_everything, NULL) != 0) _exit(71);
    capture_child_segv();
}

/// In the library CHILD_LIBRARY: in its function `crash`, in its constructor, or after it is gone.
static void in_library(void) {
    void *library = dlopen(variable("CHILD_LIBRARY"), RTLD_NOW);
    void (*function)(void) = library != NULL ? (void (*)(void))dlsym(library, "library_crash") : NULL;
    if (function == NULL) _exit(71);
    function();
}

static void after_library(void) {
    void *library = dlopen(variable("CHILD_LIBRARY"), RTLD_NOW);
    void (*volatile function)(void) = library != NULL ? (void (*)(void))dlsym(library, "library_crash") : NULL;
    if (function == NULL || dlclose(library) != 0) _exit(71);
    function();
    capture_child_segv();
}

/// Changes the root to the directory CHILD_ROOT, as daemons do.
static void in_other_root(void) {
    if (chroot(variable("CHILD_ROOT")) != 0 || chdir("/") != 0) _exit(71);
    capture_child_among(4);
}

void capture_child_set_sigchld(const char *mode) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = strcmp(mode, "ignore") == 0 ? SIG_IGN : SIG_DFL;
    if (strcmp(mode, "no-wait") == 0) action.sa_flags = SA_NOCLDWAIT;
    sigaction(SIGCHLD, &action, NULL);
}

static struct sigaction before;

static void pass_on(int signal, siginfo_t *info, void *context) {
    if (write(STDOUT_FILENO, "after\n", 6) < 0) _exit(72);
    before.sa_sigaction(signal, info, context);
}

static void exit_43(int signal) {
    (void)signal;
    _exit(43);
}

/// A handler that is installed after the capture's: it calls that (`chain`) or does not (`exit`).
void capture_child_install_after(const char *mode) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (strcmp(mode, "chain") == 0) {
        action.sa_sigaction = pass_on;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    } else {
        action.sa_handler = exit_43;
    }
    sigaction(SIGABRT, &action, NULL);
    sigaction(SIGSEGV, &action, &before);
}

const Kind capture_child_hosts[] = {
    {"address-space", out_of_address_space},
    {"tiny-stack", on_tiny_stack},
    {"tiny-stack-overflow", overflow_tiny_stack},
    {"descriptors", count_descriptors},
    {"fork-exec", fork_and_execute},
    {"vfork", in_vfork_child},
    {"reaper", beside_reaper},
    {"library", in_library},
    {"library-gone", after_library},
    {"other-root", in_other_root},
    {NULL, NULL},
};
