// Opening the directories of the spool, which hold private data and are named by an environment that may be shared: each is
// a real directory of this user that nobody else can write to, or it is refused. Not async-signal-safe.

#include "MaydayStart.h"
#include "runs_at_start.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

enum { DIRECTORY_MODE = 0700, LONGEST_NAME = 200, SHORTENED_NAME = 180 };

static const char hex[] = "0123456789ABCDEF";

/// Appends what fits. False when it does not.
static bool append(char *to, size_t capacity, const char *bytes, size_t count) {
    size_t length = strlen(to);
    if (count >= capacity - length) return false;
    memcpy(to + length, bytes, count);
    to[length + count] = '\0';
    return true;
}

/// Notes the problem, with errno. Always false.
static bool refuse(MaydaySpoolDirectory *directory, MaydaySpoolProblem problem) {
    directory->problem = problem;
    directory->error = errno;
    if (directory->fd >= 0) close(directory->fd);
    directory->fd = -1;
    return false;
}

/// `open` says ENOTDIR for a symbolic link and for a file alike.
static MaydaySpoolProblem problem_of_opening(const char *path) {
    int error = errno;
    if (error != ENOTDIR && error != ELOOP) return MAYDAY_SPOOL_CANNOT_OPEN;
    struct stat status;
    bool link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    errno = error;
    return link ? MAYDAY_SPOOL_SYMBOLIC_LINK : MAYDAY_SPOOL_NOT_A_DIRECTORY;
}

static bool open_checked(MaydaySpoolDirectory *directory) {
    directory->fd = open(directory->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory->fd < 0) return refuse(directory, problem_of_opening(directory->path));
    struct stat status;
    if (fstat(directory->fd, &status) != 0) return refuse(directory, MAYDAY_SPOOL_CANNOT_EXAMINE);
    directory->owner = status.st_uid;
    directory->mode = status.st_mode & 07777;
    if (status.st_uid != geteuid()) return refuse(directory, MAYDAY_SPOOL_FOREIGN);
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refuse(directory, MAYDAY_SPOOL_WRITABLE_BY_OTHERS);
    directory->problem = MAYDAY_SPOOL_USABLE;
    return true;
}

void mayday_spool_directory_open(const char *path, MaydaySpoolDirectory *directory) {
    directory->fd = -1;
    directory->path[0] = '\0';
    errno = ENAMETOOLONG;
    if (!append(directory->path, sizeof directory->path, path, strlen(path))) {
        refuse(directory, MAYDAY_SPOOL_CANNOT_OPEN);
        return;
    }
    open_checked(directory);
}

static bool make(MaydaySpoolDirectory *directory) {
    if (mkdir(directory->path, DIRECTORY_MODE) == 0 || errno == EEXIST) return true;
    return refuse(directory, MAYDAY_SPOOL_CANNOT_CREATE);
}

/// Creates the directories above `directory` that are missing; the first that cannot be is the one with the problem.
static bool make_parents(MaydaySpoolDirectory *directory) {
    for (char *slash = strchr(directory->path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (access(directory->path, F_OK) != 0 && !make(directory)) return false;
        *slash = '/';
    }
    return true;
}

static bool create(const MaydaySpoolPlace *place, MaydayText service, MaydaySpoolDirectory *directory) {
    char *path = directory->path;
    size_t capacity = sizeof directory->path;
    char name[MAYDAY_FILE_NAME_CAPACITY];
    mayday_file_name(service, name);
    directory->fd = -1;
    path[0] = '\0';
    errno = ENAMETOOLONG;
    if (!append(path, capacity, place->base.bytes, place->base.length)) {
        return refuse(directory, MAYDAY_SPOOL_CANNOT_CREATE);
    }
    if (place->must_exist && access(path, F_OK) != 0) return refuse(directory, MAYDAY_SPOOL_CANNOT_FIND);
    if (!append(path, capacity, place->below, strlen(place->below))) return refuse(directory, MAYDAY_SPOOL_CANNOT_CREATE);
    if (mkdir(path, DIRECTORY_MODE) != 0 && errno != EEXIST && !(make_parents(directory) && make(directory))) return false;
    if (!open_checked(directory)) return false;
    close(directory->fd);
    directory->fd = -1;
    errno = ENAMETOOLONG;
    bool fits = append(path, capacity, "/", 1) && append(path, capacity, name, strlen(name));
    if (!fits) return refuse(directory, MAYDAY_SPOOL_CANNOT_CREATE);
    if (!make(directory) || !open_checked(directory)) return false;
    // Mode bits do not tell of a read-only file system, nor of other access control.
    if (faccessat(directory->fd, ".", W_OK | X_OK, AT_EACCESS) == 0) return true;
    return refuse(directory, MAYDAY_SPOOL_CANNOT_WRITE);
}

void mayday_spool_directory_create(
    const MaydaySpoolPlace *places, size_t count, MaydayText service, MaydaySpoolDirectory *directory
) {
    for (size_t index = 0; index < count; index++) {
        if (create(&places[index], service, directory)) return;
    }
    // Seldom more than once: the first place has failed, and says why again.
    if (count > 1) create(&places[0], service, directory);
}

static bool is_plain(char byte, size_t index) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' ||
           byte == '_' || (byte == '.' && index > 0);
}

void mayday_file_name(MaydayText text, char name[MAYDAY_FILE_NAME_CAPACITY]) {
    size_t length = 0;
    // FNV-1a tells long names apart that begin alike; `~` stands in no other name.
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t index = 0; index < text.length; index++) {
        char byte = text.bytes[index];
        hash = (hash ^ (uint8_t)byte) * 0x100000001b3u;
        if (length > LONGEST_NAME) continue;
        if (is_plain(byte, index)) {
            name[length++] = byte;
        } else {
            name[length++] = '%';
            name[length++] = hex[(uint8_t)byte >> 4];
            name[length++] = hex[byte & 15];
        }
    }
    if (length > LONGEST_NAME) {
        length = SHORTENED_NAME;
        name[length++] = '~';
        int shift = 60;
        while (shift > 0 && (hash >> shift) == 0) shift -= 4;
        for (; shift >= 0; shift -= 4) name[length++] = "0123456789abcdef"[(hash >> shift) & 15];
    }
    name[length] = '\0';
}

#if defined(__linux__)

/// The kernel's `struct linux_dirent64` (getdents64(2)).
typedef struct Entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
} Entry;

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), count = strlen(end);
    return length >= count && strcmp(name + length - count, end) == 0;
}

// Not by opendir, whose buffer would stay in the heap.
bool mayday_spool_directory_holds_reports(int fd) {
    _Alignas(8) char buffer[2048];
    for (;;) {
        long count = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
        if (count <= 0) return count < 0;
        for (long at = 0; at < count;) {
            const Entry *entry = (const Entry *)(buffer + at);
            if (ends_with(entry->name, ".jsonl.gz") || ends_with(entry->name, ".jsonl.gz.part")) return true;
            at += entry->size;
        }
    }
}

#else

bool mayday_spool_directory_holds_reports(int fd) {
    (void)fd;
    return true;
}

#endif
