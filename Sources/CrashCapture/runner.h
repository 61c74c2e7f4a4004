// The runner's bookkeeping, for the handler and the `end` line. Async-signal-safe.

#ifndef MAYDAY_RUNNER_H
#define MAYDAY_RUNNER_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

void mayday_runner_reset(void);
/// The members `stages` and `cut` of the `end` line.
void mayday_runner_members(Line *line);

/// Notes a stage that ran to its end, unless it was cut short.
void mayday_note_completed(const char *stage);

/// The signal of a capture (capture_signal.c), and the stage deadline: a timer that exists only during the capture and
/// signals the crashing thread alone.
void mayday_capture_signal_start(void);
/// The stage that runs now is left at `at_ns` of the monotonic clock.
void mayday_deadline_set(uint64_t at_ns);
void mayday_deadline_disarm(void);
void mayday_deadline_stop(void);
/// True when stages are ended by SIGALRM, which the crashing thread then leaves open.
bool mayday_deadline_is_alarm(void);
/// The process lives on: the actions before ours are put back.
void mayday_capture_signal_restore(void);

#pragma GCC visibility pop

#endif
#endif
