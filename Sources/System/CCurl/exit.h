// Threads that send, and the end of the process. Thread-safe.

#ifndef MAYDAY_EXIT_H
#define MAYDAY_EXIT_H

#include <pthread.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// A thread of ours, in a list when it has ended.
typedef struct SendingThread {
    pthread_t thread;
    struct SendingThread *next;
} SendingThread;

/// The calling thread is about to use libcurl: `exit` waits for it. False when the process is ending: then nothing may be sent any more.
bool mayday_sending_begin(void);
/// The calling thread has used libcurl, after a `mayday_sending_begin` that returned true. One of ours is waited for until it ends.
void mayday_sending_end(void);
/// The calling thread is one of ours, which calls `mayday_sending_thread_ends` in the end.
void mayday_sending_thread_begins(void);
/// The process is ending: what is being sent is to be given up.
bool mayday_process_ends(void);
/// The calling thread does nothing more. Takes over `thread`.
void mayday_sending_thread_ends(SendingThread *thread);
/// Waits for threads that have ended, and gives back what is left of them.
void mayday_join_senders(void);
/// From now on `exit` waits for senders before it does what was registered earlier, for three seconds at most. Called before
/// libcurl is loaded and again when it is: handlers run in reverse order, and this one must come before those of the libraries.
void mayday_wait_at_exit(void);

#pragma GCC visibility pop

#endif
