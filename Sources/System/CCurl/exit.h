// What is being sent, and the end of the process. Thread-safe.

#ifndef MAYDAY_EXIT_H
#define MAYDAY_EXIT_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Counts a transfer. False when the process is ending: then nothing may be sent any more, and it is not counted.
bool mayday_transfer_begin(void);
void mayday_transfer_end(void);
/// The process is ending: a transfer is to be given up.
bool mayday_process_ends(void);
/// From now on `exit` waits for transfers before it does what was registered earlier, for three seconds at most. Called before
/// libcurl is loaded and again when it is: handlers run in reverse order, and this one must come before those of the libraries.
void mayday_wait_at_exit(void);

#pragma GCC visibility pop

#endif
