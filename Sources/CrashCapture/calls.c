// Calls of libc for Swift, which would need its overlay for them (calls.h). None of them is called in a dying process.

#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef F_OFD_SETLK
// Darwin has it without saying so.
#define F_OFD_SETLK 90
#endif

int mayday_errno(void) { return errno; }

int mayday_open_at(int directory, const char *path, int flags, uint32_t mode) {
    return openat(directory, path, flags | O_CLOEXEC, (mode_t)mode);
}

int mayday_lock_part(int number, bool lock, int64_t start, int64_t length) {
    struct flock part = {
        .l_type = lock ? F_WRLCK : F_UNLCK,
        .l_whence = SEEK_SET,
        .l_start = start,
        .l_len = length,
    };
    return fcntl(number, F_OFD_SETLK, &part);
}

MaydayFileKind mayday_file_kind(uint32_t mode) {
    if (S_ISREG(mode)) return MAYDAY_FILE_REGULAR;
    if (S_ISDIR(mode)) return MAYDAY_FILE_DIRECTORY;
    return S_ISFIFO(mode) ? MAYDAY_FILE_PIPE : MAYDAY_FILE_OTHER;
}
