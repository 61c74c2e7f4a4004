// Where the bytes of a report go: `ID.jsonl.gz.part` in the spool directory, locked while it is written and renamed when
// it is whole and durable; or a memfd, when there is no directory or it takes no more; or, where that is refused as well,
// nowhere but the memory in which a copy is kept for the last resort. Async-signal-safe.

#if defined(__linux__)

#include "descriptors.h"
#include "internal.h"
#include "system_calls.h"

#include <errno.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/file.h>

enum {
    OPEN_ATTEMPTS = 16,
    MAX_INTERRUPTIONS = 100,
    /// Not above 63: the kernel begins with a table of 64, and to grow that of a process with threads it waits for all
    /// processors (8 to 20 ms).
    FIRST_CLEAR = 32,
    KEPT_LIMIT = 1024 * 1024,
};

SpoolFile mayday_spool = {.fd = -1};

/// The directory that is held from install on; AT_FDCWD where none is, and the names are absolute paths; -1 for none.
static int directory_fd = -1;
static char part_name[PATH_MAX];
static char final_name[PATH_MAX];

/// libunwind keeps a pipe from install on, by its numbers. Where the service closed it, the walk reads from what has these
/// numbers now and closes it: the report stays clear of low ones.
static int keep_clear(int fd) {
    int high = fd < 0 ? -1 : sys_fcntl(fd, F_DUPFD_CLOEXEC, FIRST_CLEAR);
    // Nor in the place of a standard one that was closed, which the reporter has itself.
    if (high < 0 && fd >= 0 && fd <= STDERR_FILENO) high = sys_fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (high < 0) return fd;
    sys_close(fd);
    return high;
}

/// The descriptor from install, unless that directory was removed. Elsewhere paths do, which cost no descriptor.
static int find_directory(void) {
    struct stat status;
    int fd = mayday_held(&mayday_settings->spool);
    return fd >= 0 && sys_fstat(fd, &status) == 0 && status.st_nlink > 0 ? fd : AT_FDCWD;
}

int mayday_spool_directory(void) { return directory_fd; }

static void join(char to[PATH_MAX], const char *directory, const char *name, const char *suffix) {
    size_t at = 0;
    const char *parts[] = {directory, *directory != '\0' ? "/" : "", name, suffix};
    for (int index = 0; index < 4; index++) {
        for (const char *from = parts[index]; *from != '\0' && at + 1 < PATH_MAX; from++) to[at++] = *from;
    }
    to[at] = '\0';
}

void mayday_spool_name(char to[PATH_MAX], const char *name) {
    join(to, directory_fd == AT_FDCWD ? mayday_settings->spool_path : "", name, "");
}

/// The beginning of the report, up to its whole. Address space only, as far as it is not used.
static uint8_t kept[KEPT_LIMIT];

static void keep(const void *bytes, size_t count) {
    if (mayday_spool.size < sizeof kept) {
        size_t room = sizeof kept - (size_t)mayday_spool.size;
        memcpy(kept + mayday_spool.size, bytes, count < room ? count : room);
    }
    mayday_spool.size += count;
    mayday_spool.kept_count = mayday_spool.size < sizeof kept ? (size_t)mayday_spool.size : sizeof kept;
}

/// Writes all of it at its place: what stood there is of no use. 0, or errno.
static int write_at(int fd, const void *bytes, size_t count, uint64_t at) {
    const char *next = bytes;
    for (int interruptions = 0; count > 0;) {
        ssize_t put = sys_pwrite(fd, next, count, (off_t)at);
        if (put > 0) {
            next += put;
            at += (uint64_t)put;
            count -= (size_t)put;
        } else if (put == 0 || errno != EINTR || interruptions++ == MAX_INTERRUPTIONS) {
            int error = put == 0 ? EIO : errno;
            // Above RLIMIT_FSIZE the kernel also sends SIGXFSZ, which would end the process in the crash's place.
            if (error == EFBIG) sys_take_pending(SIGNAL_BIT(SIGXFSZ));
            return error;
        }
    }
    return 0;
}

/// Goes on in memory, with what is kept. `error` says why. The file is given up last: when this is left in the middle, the
/// report is still in one place or the other.
static void move_to_memory(int error) {
    int file = mayday_spool.fd;
    int memory = keep_clear(sys_memfd_create("mayday-report", MFD_CLOEXEC));
    if (memory >= 0 && write_at(memory, kept, mayday_spool.kept_count, 0) != 0) {
        sys_close(memory);
        memory = -1;
    }
    mayday_spool.size = mayday_spool.kept_count;
    mayday_spool.error = error;
    mayday_spool.in_memory = true;
    mayday_spool.fd = memory;
    if (file < 0) return;
    sys_unlinkat(directory_fd, part_name);
    sys_close(file);
}

void mayday_spool_reset(void) {
    mayday_spool.fd = -1;
    mayday_spool.in_memory = false;
    mayday_spool.published = false;
    mayday_spool.has_tail = false;
    mayday_spool.sync_tried = false;
    mayday_spool.size = 0;
    mayday_spool.error = 0;
    mayday_spool.kept = kept;
    mayday_spool.kept_count = 0;
    mayday_spool.path[0] = '\0';
    directory_fd = -1;
}

void mayday_spool_open(const char *id) {
    if (mayday_settings->spool_path == NULL) {
        move_to_memory(0);
        return;
    }
    directory_fd = find_directory();
    const char *above = directory_fd == AT_FDCWD ? mayday_settings->spool_path : "";
    join(part_name, above, id, ".jsonl.gz.part");
    join(final_name, above, id, ".jsonl.gz");
    join(mayday_spool.path, mayday_settings->spool_path, id, ".jsonl.gz");
    // Without O_EXCL: an attempt that was left may have made it.
    int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    mayday_spool.fd = sys_openat(directory_fd, part_name, flags, 0600);
    // A thread that is not stopped and waits for a descriptor may have taken the room that was made.
    for (int attempt = 1; mayday_spool.fd < 0 && errno == EMFILE && attempt < OPEN_ATTEMPTS; attempt++) {
        mayday_make_room_again();
        mayday_spool.fd = sys_openat(directory_fd, part_name, flags, 0600);
    }
    if (mayday_spool.fd < 0) {
        move_to_memory(errno);
        return;
    }
    mayday_spool.fd = keep_clear(mayday_spool.fd);
    sys_flock(mayday_spool.fd, LOCK_EX | LOCK_NB);
}

void mayday_spool_cut(uint64_t size) {
    if (mayday_spool.size == size) return;
    mayday_spool.size = size;
    if (mayday_spool.kept_count > size) mayday_spool.kept_count = (size_t)size;
    mayday_spool.has_tail = true;
}

bool mayday_spool_write(const void *bytes, size_t count) {
    // The file could not be opened, and that was not the end of it.
    if (mayday_spool.fd < 0 && !mayday_spool.in_memory) move_to_memory(EIO);
    uint64_t at = mayday_spool.size;
    keep(bytes, count);
    int error = mayday_spool.fd >= 0 ? write_at(mayday_spool.fd, bytes, count, at) : 0;
    if (error != 0 && !mayday_spool.in_memory) {
        move_to_memory(error);
    } else if (error != 0) {
        mayday_spool.error = error;
        sys_close(mayday_spool.fd);
        mayday_spool.fd = -1;
    }
    return mayday_spool.fd >= 0 || mayday_spool.size <= sizeof kept;
}

/// The name is durable, too.
static void sync_directory(void) {
    int fd = directory_fd;
    if (fd < 0) fd = sys_openat(AT_FDCWD, mayday_settings->spool_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    sys_fsync(fd);
    if (fd >= 0 && fd != directory_fd) sys_close(fd);
}

void mayday_spool_publish(void) {
    if (mayday_spool.fd < 0 || mayday_spool.published) return;
    if (mayday_spool.has_tail) sys_ftruncate(mayday_spool.fd, (off_t)mayday_spool.size);
    if (mayday_spool.size == 0) {
        mayday_spool_remove_part();
        sys_close(mayday_spool.fd);
        mayday_spool.fd = -1;
        return;
    }
    if (mayday_spool.in_memory) return;
    // A disk that was too slow once is not waited for again: then the name is all that is missing.
    bool tried = mayday_spool.sync_tried;
    mayday_spool.sync_tried = true;
    bool synced = tried || sys_fsync(mayday_spool.fd) == 0;
    bool renamed = synced && sys_rename_in(directory_fd, part_name, final_name) == 0;
    // Or the attempt that was left had come that far.
    if (!renamed && !(tried && errno == ENOENT)) {
        move_to_memory(errno);
        return;
    }
    mayday_spool.published = true;
    // Closing releases the lock: from here on the report is anybody's who claims it.
    sys_close(mayday_spool.fd);
    mayday_spool.fd = -1;
    if (!tried) sync_directory();
}

bool mayday_spool_through_pipe(void) {
    size_t left = mayday_spool.kept_count;
    const uint8_t *next = kept;
    int ends[2];
    // Cut short, it would count as delivered.
    if (left == 0 || left < mayday_spool.size || sys_pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    sys_fcntl(ends[1], F_SETPIPE_SZ, (int)left);
    for (ssize_t put = 1; left > 0 && put > 0; next += put > 0 ? put : 0, left -= put > 0 ? (size_t)put : 0) {
        put = sys_write(ends[1], next, left);
    }
    sys_close(ends[1]);
    if (left == 0) {
        mayday_spool.fd = keep_clear(ends[0]);
    } else {
        sys_close(ends[0]);
    }
    return left == 0;
}

void mayday_spool_remove_part(void) {
    if (mayday_spool.fd >= 0 && !mayday_spool.in_memory && !mayday_spool.published) sys_unlinkat(directory_fd, part_name);
}

#endif
