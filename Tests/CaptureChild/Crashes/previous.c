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
