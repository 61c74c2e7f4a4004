// What Swift's runtime knows of a crash: the task, and the accesses to memory that exclude each other.

#ifndef MAYDAY_SWIFT_RUNTIME_H
#define MAYDAY_SWIFT_RUNTIME_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

// ---- swift_task.c; handler ----------------------------------------------------------------------------------------------

/// Forgets the task of the crash before. Plain stores.
void mayday_task_reset(void);
/// Finds the task that the crashed thread was running, if it was.
void mayday_stage_task(void);
/// The member `task`, when there is one.
void mayday_task_member(Line *line);

// ---- access_conflict.c; handler --------------------------------------------------------------------------------------------

/// True when the message is that of the runtime about two accesses to one variable.
bool mayday_is_access_conflict(void);
/// Forgets the conflict of the crash before. Plain stores.
void mayday_access_conflict_reset(void);
/// Finds what the runtime said of the two accesses, on the stack of the crashed thread.
void mayday_stage_accesses(void);
/// The member `access_conflict`, when there is one. The images are known by now.
void mayday_access_conflict_member(Line *line);

#pragma GCC visibility pop

#endif
#endif
