// Descriptors of the capture: what is held from install on, and room for more at the crash.

#ifndef MAYDAY_DESCRIPTORS_H
#define MAYDAY_DESCRIPTORS_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

/// The descriptor while it still is what was opened (a service may close every descriptor that it does not know, and open
/// others), else -1. Async-signal-safe.
int mayday_held(const HeldDescriptor *held);

/// Makes room for the few descriptors of a capture, where the limit is reached. False when other threads may take it first.
/// Async-signal-safe.
bool mayday_make_room(void);
/// True when there was enough room, so that another thread finds as much of it. Async-signal-safe.
bool mayday_room_is_common(void);
/// Frees the same numbers again, which other threads may have taken in the meantime. Async-signal-safe.
void mayday_make_room_again(void);

#pragma GCC visibility pop

#endif
#endif
