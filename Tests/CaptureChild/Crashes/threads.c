// More than one thread or process.

#include "internal.h"
#include "kinds.h"
#include "reporter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void *crash_at_barrier(void *unused) {
    (void)unused;
    pthread_barrier_wait(&barrier);
    capture_child_segv();
    return NULL;
}

/// All crash in the same instant.
static void crash_together(void) {
    enum { COUNT = 4 };
    pthread_t threads[COUNT];
    pthread_barrier_init(&barrier, NULL, COUNT);
    for (int index = 0; index < COUNT; index++) pthread_create(&threads[index], NULL, crash_at_barrier, NULL);
    pthread_join(threads[0], NULL);
}

/// State letter of a thread of this process; 0 when it is gone.
static char state_of(const char *thread) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    char *end = strrchr(text, ')');
    return end != NULL && end[1] == ' ' ? end[2] : '\0';
}

/// Threads past a barrier are not asleep yet.
static void wait_until_others_sleep(void) {
    for (bool all = false; !all; sched_yield()) {
        DIR *threads = opendir("/proc/self/task");
        // Without a descriptor, or /proc, nothing can be asked.
        if (threads == NULL && (errno == EMFILE || errno == ENOENT)) return;
        if (threads == NULL) _exit(71);
        all = true;
        for (struct dirent *entry = readdir(threads); entry != NULL; entry = readdir(threads)) {
            if (entry->d_name[0] == '.' || atoi(entry->d_name) == gettid()) continue;
            char state = state_of(entry->d_name);
            if (state != 'S' && state != '\0') all = false;
        }
        closedir(threads);
    }
}

static void *crash_after_barrier(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, "crasher", 0, 0, 0);
    pthread_barrier_wait(&barrier);
    wait_until_others_sleep();
    capture_child_segv();
    return NULL;
}

/// The main thread sleeps, and when a signal wakes it, leaves as if all were well.
static void exit_under_crash(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, crash_after_barrier, NULL);
    pthread_barrier_wait(&barrier);
    sleep(60);
    exit(0);
}

static void *idle(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, "idler", 0, 0, 0);
    pthread_barrier_wait(&barrier);
    for (;;) pause();
}

/// Starts that many threads; returns when they sleep.
static void start_threads(long count, void *(*body)(void *)) {
    pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
    for (long index = 0; index < count; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, body, NULL) != 0) _exit(71);
    }
    pthread_barrier_wait(&barrier);
    wait_until_others_sleep();
}

static void start_idle_threads(long count) { start_threads(count, idle); }

void capture_child_among(long count) {
    start_idle_threads(count);
    capture_child_segv();
}

/// The number is that of idle threads.
static void among_idle_threads(void) { capture_child_among(capture_child_number); }

static void abort_among_idle_threads(void) {
    start_idle_threads(capture_child_number);
    abort();
}

static void *take_descriptors(void *unused) {
    (void)unused;
    pthread_barrier_wait(&barrier);
    for (;;) dup(STDERR_FILENO);
}

/// As many threads as the number says wait for a descriptor that becomes free.
static void among_takers(void) {
    pthread_barrier_init(&barrier, NULL, (unsigned)capture_child_number + 1);
    for (long index = 0; index < capture_child_number; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, take_descriptors, NULL) != 0) _exit(71);
    }
    pthread_barrier_wait(&barrier);
    capture_child_segv();
}

static void *idle_and_blocked(void *unused) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    return idle(unused);
}

/// One thread blocks every signal.
static void beside_blocked_thread(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, idle_and_blocked, NULL);
    pthread_barrier_wait(&barrier);
    capture_child_segv();
}

/// As many idle threads as the number says, and behind them as many that block every signal.
static void among_blocked_threads(void) {
    start_idle_threads(capture_child_number);
    start_threads(capture_child_number, idle_and_blocked);
    capture_child_segv();
}

/// A forked child crashes; the parent says how it ended.
static void in_forked_child(void) {
    pid_t child = fork();
    if (child == 0) {
        capture_child_segv();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d ended by signal %d\n", (int)child, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/// The previous handler needs a lock that a stopped thread holds.
static void while_lock_is_held(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, capture_child_hold_lock, &barrier);
    pthread_barrier_wait(&barrier);
    capture_child_segv();
}

/// Leaves no signal open but those of faults: the capture cannot stop this thread.
static void stay_out_of_reach(void) {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

/// Until the crash of another thread is being captured.
static void wait_for_capture(void) {
    while (mayday_crash.owner == 0 || mayday_crash.phase != PHASE_STAGE) sched_yield();
}

static void *crash_meanwhile(void *unused) {
    (void)unused;
    stay_out_of_reach();
    pthread_barrier_wait(&barrier);
    wait_for_capture();
    if (write(STDOUT_FILENO, "crashing as well\n", 17) < 0) _exit(72);
    capture_child_segv();
    return NULL;
}

/// The child is a copy of a process in the middle of a capture, and crashes.
static void *fork_meanwhile(void *unused) {
    (void)unused;
    stay_out_of_reach();
    pthread_barrier_wait(&barrier);
    wait_for_capture();
    pid_t child = fork();
    if (child == 0) {
        capture_child_segv();
        _exit(0);
    }
    for (;;) pause();
}

/// Another thread does something while this one's crash is captured.
static void abort_beside(void *(*body)(void *)) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    if (pthread_create(&thread, NULL, body, NULL) != 0) _exit(71);
    pthread_barrier_wait(&barrier);
    abort();
}

static void beside_crash(void) { abort_beside(crash_meanwhile); }
static void beside_fork(void) { abort_beside(fork_meanwhile); }

static atomic_bool cancelled;

static void *crash_cancelled(void *unused) {
    (void)unused;
    while (!cancelled) continue;
    // A cancellation is pending: the next cancellation point would end the thread instead of the process.
    capture_child_segv();
    return NULL;
}

static void in_cancelled_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_cancelled, NULL);
    pthread_cancel(thread);
    cancelled = true;
    pthread_join(thread, NULL);
}

const Kind capture_child_threads[] = {
    {"together", crash_together},       {"exit-under-crash", exit_under_crash}, {"among", among_idle_threads},
    {"abort-among", abort_among_idle_threads},
    {"beside-blocked", beside_blocked_thread}, {"fork", in_forked_child},       {"cancelled", in_cancelled_thread}, {"lock-held", while_lock_is_held},
    {"takers", among_takers}, {"among-blocked", among_blocked_threads},
    {"beside-crash", beside_crash}, {"beside-fork", beside_fork},
    {NULL, NULL},
};
