// A thread that has nothing to do with the crash. Its stack must be in the report as well.

#include "CCrashKinds.h"

#include <pthread.h>
#include <unistd.h>

static int on_watch[2];

__attribute__((noinline)) static void keep_watch(void) {
    char ready = 1;
    // From here on the stack is the one that a report shall show.
    if (write(on_watch[1], &ready, 1) != 1) return;
    for (;;) pause();
}

static void *run(void *unused) {
#if defined(__APPLE__)
    pthread_setname_np("night-watch");
#else
    pthread_setname_np(pthread_self(), "night-watch");
#endif
    keep_watch();
    return unused;
}

int bystander_start(void) {
    pthread_t thread;
    char ready = 0;
    if (pipe(on_watch) != 0 || pthread_create(&thread, NULL, run, NULL) != 0) return -1;
    return read(on_watch[0], &ready, 1) == 1 ? 0 : -1;
}
