// The threads of this process, as the kernel lists them. Async-signal-safe.

#ifndef MAYDAY_TASK_LIST_H
#define MAYDAY_TASK_LIST_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

typedef struct TaskStatus {
    char name[16];
    char state;
    /// Blocked signals up to 31, one bit each from bit 0 for signal 1.
    uint64_t blocked;
} TaskStatus;

/// Calls `body` with each thread id until it returns false. Where there is no list to read, ids are tried: then false.
bool mayday_for_each_task(bool (*body)(pid_t thread));
/// How many threads there are, by the number of links that their directory has: listing them takes longer. 0 when unknown.
uint32_t mayday_task_count(void);
/// What is known of a thread that was listed: where nothing can be asked, state `?`. False when the thread has ended. From its
/// `stat`: the kernel takes twice as long for its `status`.
bool mayday_task_status(pid_t thread, TaskStatus *status);
/// Nothing more is asked.
void mayday_tasks_close(void);

#pragma GCC visibility pop

#endif
#endif
