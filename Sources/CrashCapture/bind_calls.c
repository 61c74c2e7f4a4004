// Binds what the handler calls: the loader looks a function up at its first call from an object, which walks tables of all objects and
// takes kilobytes of stack. Each is called once here, directly, since a pointer to it would be bound apart. Not async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runs_at_start.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/// What the optimiser may neither foresee nor leave out.
static char *volatile text WRITTEN_AT_START;
static volatile size_t one = 1;
static volatile long sink WRITTEN_AT_START;

static void bind_strings(void) {
    char first[] = "ab", second[] = "ac";
    text = first;
    char *a = text;
    text = second;
    char *b = text;
    memcpy(a, b, one);
    memmove(a, b, one);
    memset(a, 'a', one);
    sink += memcmp(a, b, one) < 0;
    sink += bcmp(a, b, one) != 0;
    sink += strcmp(a, b) < 0;
    sink += strncmp(a, b, one) < 0;
    sink += (long)strlen(a) + (long)strnlen(a, one);
    sink += strchr(a, (int)one) != NULL;
}

static void bind_jumps(void) {
    sigjmp_buf here;
    if (sigsetjmp(here, 0) == 0) siglongjmp(here, 1);
}

void mayday_bind_calls(void) {
    bind_strings();
    bind_jumps();
    int cancellation;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    pthread_setcancelstate(cancellation, &cancellation);
    sigset_t signals;
    sigemptyset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    struct timespec now;
    sink += clock_gettime(CLOCK_MONOTONIC, &now);
    sink += getpid();
    // Without a function and a stack it does nothing.
    sink += clone(NULL, NULL, 0, NULL);
}

#endif
