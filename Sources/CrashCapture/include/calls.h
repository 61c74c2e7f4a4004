// What C has as a macro, as a variable of each thread or with any number of arguments. Swift has it too, but in its overlay of
// libc, which is linked as a whole: 20 KB of a static service that needs nothing else of it.

#ifndef MAYDAY_CALLS_H
#define MAYDAY_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/// Why the last call of this thread failed. Async-signal-safe.
int mayday_errno(void);

/// openat(2), with O_CLOEXEC. Async-signal-safe.
int mayday_open_at(int directory, const char *path, int flags, uint32_t mode);

/// Takes or gives up the exclusive lock of a part of a file, as fcntl(2) does with F_OFD_SETLK: it belongs to the open file, not
/// to the process. A length of 0 is all of the file. Returns 0, or -1 with errno. Async-signal-safe.
int mayday_lock_part(int number, bool lock, int64_t start, int64_t length);

/// What a file's mode says of its kind.
typedef enum MaydayFileKind {
    MAYDAY_FILE_REGULAR,
    MAYDAY_FILE_DIRECTORY,
    MAYDAY_FILE_PIPE,
    MAYDAY_FILE_OTHER,
} MaydayFileKind;

/// Async-signal-safe.
MaydayFileKind mayday_file_kind(uint32_t mode);

#endif
