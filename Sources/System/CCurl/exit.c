// The end of a process in which something is being sent. `exit` runs the destructors of libcurl and of the thirty libraries
// beneath it, while a thread of ours may be in the middle of them, or ends and gives back what they keep for it: it would crash
// a service that ends well. So the end waits for such threads, which give up at once, and joins them.

#include "exit.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_WAIT_MS = 3000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// Threads that are sending, and those of ours that have sent and are not done.
static int senders;
/// Threads that have sent and are about to end.
static SendingThread *ended;
static bool ending;
/// Whose threads they are: a forked child has the numbers and not the threads.
static pid_t owner;

/// The calling thread is one of `senders`.
static __thread bool has_sent;
static __thread bool is_ours;

bool mayday_sending_begin(void) {
    pthread_mutex_lock(&lock);
    owner = getpid();
    bool may_send = !ending;
    if (may_send && !has_sent) {
        senders += 1;
        has_sent = true;
    }
    pthread_mutex_unlock(&lock);
    return may_send;
}

void mayday_sending_end(void) {
    // Ours counts until it is done: what the libraries keep for a thread is given back at its end.
    if (is_ours || !has_sent) return;
    pthread_mutex_lock(&lock);
    senders -= 1;
    has_sent = false;
    pthread_mutex_unlock(&lock);
}

bool mayday_http_holds_exit(void) { return has_sent; }

void mayday_sending_thread_begins(void) { is_ours = true; }

bool mayday_process_ends(void) {
    pthread_mutex_lock(&lock);
    bool is_ending = ending;
    pthread_mutex_unlock(&lock);
    return is_ending;
}

void mayday_sending_thread_ends(SendingThread *thread) {
    if (!has_sent) {
        pthread_detach(pthread_self());
        free(thread);
        return;
    }
    pthread_mutex_lock(&lock);
    thread->thread = pthread_self();
    thread->next = ended;
    ended = thread;
    senders -= 1;
    pthread_mutex_unlock(&lock);
}

void mayday_join_senders(void) {
    pthread_mutex_lock(&lock);
    SendingThread *all = getpid() == owner ? ended : NULL;
    ended = NULL;
    pthread_mutex_unlock(&lock);
    while (all != NULL) {
        SendingThread *next = all->next;
        pthread_join(all->thread, NULL);
        free(all);
        all = next;
    }
}

static bool is_sending(void) {
    pthread_mutex_lock(&lock);
    ending = true;
    // Whoever calls `exit` while it sends would wait for itself.
    int others = senders - (has_sent ? 1 : 0);
    bool is_sending = others > 0 && getpid() == owner;
    pthread_mutex_unlock(&lock);
    return is_sending;
}

static void wait_for_senders(void) {
    for (int waited = 0; is_sending() && waited < LONGEST_WAIT_MS; waited++) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    mayday_join_senders();
}

void mayday_wait_at_exit(void) { atexit(wait_for_senders); }
