// Reads of memory that may not be there. process_vm_readv on the own process answers EFAULT instead of a signal; where a
// sandbox refuses it, the bytes go through a pipe, whose write answers EFAULT in the same way.

#if defined(__linux__)

#include "internal.h"
#include "system_calls.h"
#include "runs_at_start.h"

#include <string.h>
#include <sys/uio.h>

/// What is copied at once of memory that is read in small pieces: never more than a page of any machine.
enum { BLOCK = 4096, BLOCKS = 4 };

typedef struct Block {
    /// 0 for none.
    uintptr_t address;
    uint32_t last_use;
    uint8_t bytes[BLOCK];
} Block;

static _Atomic bool readv_refused WRITTEN_AT_START;
static int pipe_ends[2] = {-1, -1};
static pid_t pipe_owner;
static Block blocks[BLOCKS];
static uint32_t uses;

/// Async-signal-safe. During a capture the process is known, and asking again would double the cost of a read.
static pid_t own_process(void) { return mayday_crash.pid != 0 ? mayday_crash.pid : sys_getpid(); }

static ssize_t read_self(void *to, uintptr_t from, size_t count) {
    struct iovec local = {to, count};
    struct iovec remote = {(void *)from, count};
    // Longs: the sixth argument of syscall(2) travels on the stack, where an int leaves half of the word undefined.
    return syscall(SYS_process_vm_readv, (long)own_process(), &local, 1L, &remote, 1L, 0L);
}

/// Not async-signal-safe only in that it must run before a crash.
void mayday_safe_memory_probe(void) {
    static const char sample = 'm';
    char copy = 0;
    readv_refused = read_self(&copy, (uintptr_t)&sample, 1) != 1 || copy != sample;
}

/// Async-signal-safe. The pipe is made on first use: at rest it would be two descriptors for nothing.
static bool read_through_pipe(char *to, uintptr_t from, size_t count) {
    if (pipe_ends[0] < 0 || pipe_owner != own_process()) {
        if (sys_pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
        pipe_owner = own_process();
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

bool mayday_safe_read_is_shared(void) { return readv_refused; }

void mayday_blocks_forget(void) {
    for (int index = 0; index < BLOCKS; index++) blocks[index].address = 0;
}

/// Async-signal-safe. The block at `address`, copied now or before; NULL when it cannot be read. The one that was used
/// longest ago makes room. Consistent after every step, in case the stage is left.
static const Block *block_at(uintptr_t address) {
    if (address == 0) return NULL;
    Block *block = &blocks[0];
    for (int index = 0; index < BLOCKS; index++) {
        if (blocks[index].address == address) {
            block = &blocks[index];
            break;
        }
        if (blocks[index].last_use < block->last_use) block = &blocks[index];
    }
    if (block->address != address) {
        block->address = 0;
        if (!mayday_safe_read(block->bytes, address, BLOCK)) return NULL;
        block->address = address;
    }
    uses += 1;
    block->last_use = uses;
    return block;
}

/// Async-signal-safe.
bool mayday_safe_read_near(void *to, uintptr_t from, size_t count) {
    if (from + count < from) return false;
    for (char *next = to; count > 0;) {
        size_t at = from % BLOCK;
        size_t part = count < BLOCK - at ? count : BLOCK - at;
        const Block *block = block_at(from - at);
        if (block == NULL) return false;
        memcpy(next, block->bytes + at, part);
        next += part;
        from += part;
        count -= part;
    }
    return true;
}

typedef bool Read(void *to, uintptr_t from, size_t count);

/// Async-signal-safe.
static size_t read_string(Read *read, char *to, uintptr_t from, size_t capacity) {
    size_t length = 0;
    // Chunks end at multiples of 256, so that a string at the end of a mapping is read to its end.
    while (length + 1 < capacity) {
        size_t chunk = 256 - ((from + length) & 255);
        if (chunk > capacity - 1 - length) chunk = capacity - 1 - length;
        if (!read(to + length, from + length, chunk)) break;
        for (size_t index = 0; index < chunk; index++) {
            if (to[length + index] == '\0') return length + index;
        }
        length += chunk;
    }
    to[length] = '\0';
    return length;
}

/// Async-signal-safe.
size_t mayday_safe_read_string(char *to, uintptr_t from, size_t capacity) {
    return read_string(mayday_safe_read, to, from, capacity);
}

/// Async-signal-safe.
size_t mayday_safe_read_string_near(char *to, uintptr_t from, size_t capacity) {
    return read_string(mayday_safe_read_near, to, from, capacity);
}

#endif
