// The end of a process in which something is being sent. `exit` runs the destructors of libcurl and of the thirty libraries
// beneath it, while a thread of ours may be in the middle of them: that thread would crash a service that ends well. So the
// end waits for it, and it gives up at once.

#include "exit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_WAIT_MS = 3000 };

static _Atomic int running;
static _Atomic bool ending;
/// Whose count it is: a forked child has the number and not the threads.
static _Atomic pid_t owner;

bool mayday_transfer_begin(void) {
    atomic_store(&owner, getpid());
    atomic_fetch_add(&running, 1);
    if (!atomic_load(&ending)) return true;
    mayday_transfer_end();
    return false;
}

void mayday_transfer_end(void) { atomic_fetch_sub(&running, 1); }

bool mayday_process_ends(void) { return atomic_load(&ending); }

static void wait_for_transfers(void) {
    if (atomic_load(&owner) != getpid()) return;
    atomic_store(&ending, true);
    for (int waited = 0; atomic_load(&running) > 0 && waited < LONGEST_WAIT_MS; waited++) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
}

void mayday_wait_at_exit(void) { atexit(wait_for_transfers); }
