// Reads of memory that may not be there. process_vm_readv on the own process answers EFAULT instead of a signal; where a
// sandbox refuses it, the bytes go through a pipe, whose write answers EFAULT in the same way.

#if defined(__linux__)

#include "internal.h"
#include "system_calls.h"

#include <sys/uio.h>

static _Atomic bool readv_refused;
static int pipe_ends[2] = {-1, -1};
static pid_t pipe_owner;

static ssize_t read_self(void *to, uintptr_t from, size_t count) {
    struct iovec local = {to, count};
    struct iovec remote = {(void *)from, count};
    // Longs: the sixth argument of syscall(2) travels on the stack, where an int leaves half of the word undefined.
    return syscall(SYS_process_vm_readv, (long)sys_getpid(), &local, 1L, &remote, 1L, 0L);
}

/// Not async-signal-safe only in that it must run before a crash.
void mayday_safe_memory_probe(void) {
    static const char sample = 'm';
    char copy = 0;
    readv_refused = read_self(&copy, (uintptr_t)&sample, 1) != 1 || copy != sample;
}

/// Async-signal-safe. The pipe is made on first use: at rest it would be two descriptors for nothing.
static bool read_through_pipe(char *to, uintptr_t from, size_t count) {
    if (pipe_ends[0] < 0 || pipe_owner != sys_getpid()) {
        if (sys_pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
        pipe_owner = sys_getpid();
    }
    const size_t chunk_limit = 4096;
    while (count > 0) {
        size_t chunk = count < chunk_limit ? count : chunk_limit;
        ssize_t put = sys_write(pipe_ends[1], (const void *)from, chunk);
        if (put <= 0) return false;
        for (size_t got = 0; got < (size_t)put;) {
            ssize_t part = sys_read(pipe_ends[0], to + got, (size_t)put - got);
            if (part <= 0) return false;
            got += (size_t)part;
        }
        to += put;
        from += (uintptr_t)put;
        count -= (size_t)put;
    }
    return true;
}

/// Async-signal-safe.
bool mayday_safe_read(void *to, uintptr_t from, size_t count) {
    if (from + count < from) return false;
    if (!readv_refused) return read_self(to, from, count) == (ssize_t)count;
    return read_through_pipe(to, from, count);
}

/// Async-signal-safe.
size_t mayday_safe_read_string(char *to, uintptr_t from, size_t capacity) {
    size_t length = 0;
    // Chunks end at multiples of 256, so that a string at the end of a mapping is read to its end.
    while (length + 1 < capacity) {
        size_t chunk = 256 - ((from + length) & 255);
        if (chunk > capacity - 1 - length) chunk = capacity - 1 - length;
        if (!mayday_safe_read(to + length, from + length, chunk)) break;
        for (size_t index = 0; index < chunk; index++) {
            if (to[length + index] == '\0') return length + index;
        }
        length += chunk;
    }
    to[length] = '\0';
    return length;
}

#endif
