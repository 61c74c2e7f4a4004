// What a process may live with, and crash in.

#include "kinds.h"
#include "reporter.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/// A number of /proc/self/statm in bytes, counted from 0.
static rlim_t memory_now(int field) {
    unsigned long fields[7] = {0};
    FILE *file = fopen("/proc/self/statm", "re");
    for (int index = 0; file != NULL && index < 7; index++) {
        if (fscanf(file, "%lu", &fields[index]) != 1) _exit(71);
    }
    if (file == NULL) _exit(71);
    fclose(file);
    return fields[field] * (rlim_t)sysconf(_SC_PAGESIZE);
}

/// Takes all that the limit leaves, then crashes.
static void use_up(__rlimit_resource_t what, rlim_t now) {
    struct rlimit limit = {now, now};
    setrlimit(what, &limit);
    while (malloc(4096) != NULL) continue;
    capture_child_segv();
}

static void out_of_address_space(void) { use_up(RLIMIT_AS, memory_now(0)); }
static void out_of_data(void) { use_up(RLIMIT_DATA, memory_now(5)); }

static unsigned long long number_in(const char *directory, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unsigned long long number = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL || fscanf(file, "%llu", &number) != 1) _exit(71);
    fclose(file);
    return number;
}

/// In the control group CHILD_CGROUP, of which as many KiB are left as the number says.
static void at_memory_limit(void) {
    const char *group = variable("CHILD_CGROUP");
    bool second = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0;
    unsigned long long limit = number_in(group, second ? "memory.max" : "memory.limit_in_bytes");
    unsigned long long wanted = (unsigned long long)capture_child_number * 1024;
    enum { PIECE = 16 * 1024 };
    while (number_in(group, second ? "memory.current" : "memory.usage_in_bytes") + wanted + PIECE < limit) {
        memset(malloc(PIECE), 1, PIECE);
    }
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

static pid_t spawn(char *const *arguments) {
    pid_t child;
    if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) != 0) _exit(71);
    return child;
}

/// The same by posix_spawn.
static void spawn_and_wait(void) {
    printf("before %d\n", capture_child_descriptors_before);
    fflush(stdout);
    char *arguments[] = {"/proc/self/exe", "--no-capture", (char *)variable("CHILD_KIND"), NULL};
    say_how_it_ended(spawn(arguments));
}

static atomic_int spawned;

static void *spawn_for_ever(void *unused) {
    (void)unused;
    for (;;) {
        char *arguments[] = {"/bin/true", NULL};
        waitpid(spawn(arguments), NULL, 0);
        spawned += 1;
    }
}

/// Beside as many threads as the number says that start one program after the other.
static void among_spawners(void) {
    for (long index = 0; index < capture_child_number; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, spawn_for_ever, NULL) != 0) _exit(71);
    }
    while (spawned < 8) sched_yield();
    capture_child_segv();
}

/// Becomes the program that CHILD_EXECUTE names, with its arguments: in the sandbox that was entered.
static void become(void) {
    char *arguments[8] = {NULL};
    char *next = strdup(variable("CHILD_EXECUTE"));
    for (int count = 0; count < 7 && (arguments[count] = strtok(next, " ")) != NULL; count++) next = NULL;
    execve(arguments[0], arguments, environ);
    _exit(71);
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

static void *in_thread_of_library(void *function) {
    ((void (*)(void))function)();
    return NULL;
}

/// Beside as many threads as the number says that run `library_work`, once all of them have, a thousand times in all.
static void beside_library(void) {
    void *library = dlopen(variable("CHILD_LIBRARY"), RTLD_NOW);
    void *work = library != NULL ? dlsym(library, "library_work") : NULL;
    atomic_int *workers = library != NULL ? dlsym(library, "library_workers") : NULL;
    atomic_int *done = library != NULL ? dlsym(library, "library_done") : NULL;
    if (work == NULL || workers == NULL || done == NULL) _exit(71);
    for (long index = 0; index < capture_child_number; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, in_thread_of_library, work) != 0) _exit(71);
    }
    while (*workers < capture_child_number || *done < 1000) sched_yield();
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

/// Puts back what stood there, and lets it happen again.
static void put_back(int signal) {
    if (write(STDOUT_FILENO, "after\n", 6) < 0) _exit(72);
    sigaction(signal, &before, NULL);
}

/// A handler that is installed after the capture's: it calls that (`chain`), puts it back (`put-back`), or does neither
/// (`exit`); `previous` is the one of --previous, once more.
void capture_child_install_after(const char *mode) {
    if (strcmp(mode, "previous") == 0) {
        capture_child_install_previous_again();
        return;
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (strcmp(mode, "chain") == 0) {
        action.sa_sigaction = pass_on;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    } else if (strcmp(mode, "put-back") == 0) {
        action.sa_handler = put_back;
    } else {
        action.sa_handler = exit_43;
    }
    sigaction(SIGABRT, &action, NULL);
    sigaction(SIGSEGV, &action, &before);
}

const Kind capture_child_hosts[] = {
    {"address-space", out_of_address_space},
    {"data", out_of_data},
    {"memory-limit", at_memory_limit},
    {"tiny-stack", on_tiny_stack},
    {"tiny-stack-overflow", overflow_tiny_stack},
    {"descriptors", count_descriptors},
    {"fork-exec", fork_and_execute},
    {"spawn", spawn_and_wait},
    {"spawners", among_spawners},
    {"become", become},
    {"vfork", in_vfork_child},
    {"reaper", beside_reaper},
    {"library", in_library},
    {"library-gone", after_library},
    {"library-beside", beside_library},
    {"other-root", in_other_root},
    {NULL, NULL},
};
