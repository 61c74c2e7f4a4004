// A busy process and its ways to crash, for the soak (scripts/soak says how it is driven).

#ifndef SOAK_LOAD_H
#define SOAK_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The value behind `name` among the arguments, or `otherwise`. It lives as long as the arguments.
const char *soak_option(int32_t count, char *const *arguments, const char *name, const char *otherwise);

/// What the process suffers from its very beginning (`blocked`), or once the capture stands. Unknown names do nothing.
void soak_suffer_before(const char *condition);
void soak_suffer_after(const char *condition, const char *spool);

/// Starts `threads` threads that take turns at the loads named in `loads` (`malloc,dl,phdr,throw,fork,thread,sleep`).
void soak_load(int32_t threads, const char *loads, uint64_t seed);

/// Crashes on this thread, as `kind` says.
void soak_crash(const char *kind);

/// Crashes in the place named `place`, on as many threads at once as `kinds` has names. Returns when the crash comes later,
/// on another thread; false when there is no such place.
bool soak_crash_in(const char *place, const char *kinds);

/// Waits for the end; one that a signal wakes leaves as if all were well.
void soak_wait_for_end(void);

#ifdef __cplusplus
}
#endif

#endif
