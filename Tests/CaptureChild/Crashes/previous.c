// Handlers that were there before the capture.

#include "reporter.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT};

static void say(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(72);
}

/// As Swift's backtracer: resets itself, returns, and lets the instruction fault again.
static void reset_and_return(int signal, siginfo_t *info, void *context) {
    (void)info;
    (void)context;
    say("previous\n");
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
}

static void exit_42(int signal) {
    (void)signal;
    say("previous\n");
    _exit(42);
}

/// Takes care of the fault: the instruction is skipped, and the service lives on.
static void skip(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    say("previous\n");
#if defined(__x86_64__)
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 6;  // movl $1, (%rax)
#else
    ((ucontext_t *)context)->uc_mcontext.pc += 4;
#endif
}

/// Prints and goes on, as a thread dump does on SIGQUIT.
static void note(int signal) {
    (void)signal;
    say("previous\n");
}

/// The action that stood before this handler was set for the second time: ours.
static struct sigaction older;
static long entries, entries_before_default;

/// Comes to be there before us and behind us, as a library that is initialised twice: it calls whom it found, who calls it.
static void call_older(int signal, siginfo_t *info, void *context) {
    say("previous\n");
    entries += 1;
    if (entries == entries_before_default) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = SIG_DFL;
        sigaction(signal, &action, NULL);
    } else if (older.sa_sigaction != NULL) {
        older.sa_sigaction(signal, info, context);
    }
}

static void set_call_older(struct sigaction *old) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = call_older;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (unsigned index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, old);
}

void capture_child_install_previous_again(void) { set_call_older(&older); }

/// Needs what another thread holds, as a handler that allocates or logs does.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_lock(int signal) {
    (void)signal;
    pthread_mutex_lock(&lock);
    say("previous\n");
    _exit(42);
}

void *capture_child_hold_lock(void *held) {
    pthread_mutex_lock(&lock);
    pthread_barrier_wait(held);
    usleep(100000);
    pthread_mutex_unlock(&lock);
    for (;;) pause();
}

bool capture_child_install_previous(const char *mode) {
    if (strcmp(mode, "twice") == 0 || strcmp(mode, "for-ever") == 0) {
        entries_before_default = strcmp(mode, "twice") == 0 ? 3 : 0;
        set_call_older(NULL);
        return true;
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (strcmp(mode, "reset") == 0) {
        action.sa_sigaction = reset_and_return;
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    } else if (strcmp(mode, "exit") == 0) {
        action.sa_handler = exit_42;
        action.sa_flags = (int)SA_RESETHAND;
    } else if (strcmp(mode, "skip") == 0) {
        action.sa_sigaction = skip;
        action.sa_flags = SA_SIGINFO;
    } else if (strcmp(mode, "note") == 0) {
        action.sa_handler = note;
    } else if (strcmp(mode, "lock") == 0) {
        action.sa_handler = take_lock;
    } else if (strcmp(mode, "ignore") == 0) {
        action.sa_handler = SIG_IGN;
    } else {
        return false;
    }
    for (unsigned index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, NULL);
    return true;
}
