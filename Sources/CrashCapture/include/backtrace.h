// The stack of a thread that goes on running, for a handled error.

#ifndef MAYDAY_BACKTRACE_H
#define MAYDAY_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MAYDAY_BACKTRACE_FRAMES = 96, MAYDAY_BACKTRACE_CALLERS = 32 };

typedef struct MaydayBacktrace {
    /// Kernel id and name of the thread.
    int32_t thread;
    char thread_name[16];
    /// The stack went on.
    bool is_cut;
    uint32_t count;
    /// Return addresses, innermost first, without the call itself.
    uintptr_t addresses[MAYDAY_BACKTRACE_FRAMES];
    /// The functions that await the async one at `addresses[async_index]`, innermost first: where each goes on.
    uint32_t async_index;
    uint32_t caller_count;
    uintptr_t callers[MAYDAY_BACKTRACE_CALLERS];
} MaydayBacktrace;

/// Takes the stack of the calling thread by its frame pointers, which Swift keeps, and in a task the async callers. Thread-safe;
/// not async-signal-safe: the first call on a thread asks libc where its stack is.
void mayday_backtrace(MaydayBacktrace *backtrace, bool is_in_task);

/// Writes the `report` line of a report of this process without its `\n`, with the facts that are known since start, and
/// returns its length; 0 before the capture is installed. `kind` and `id` are words without anything to escape.
/// `unix_ns` is when it happened. Thread-safe.
size_t mayday_report_header(const char *kind, const char *id, uint64_t unix_ns, char *line, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
