#if defined(__linux__)

#include "task_list.h"
#include "system_calls.h"

#include <string.h>

/// What getdents64 fills in (getdents64(2)).
typedef struct DirectoryEntry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
} DirectoryEntry;

enum { MAX_READS = 4096 };

static pid_t number_of(const char *name) {
    pid_t value = 0;
    for (; *name >= '0' && *name <= '9' && value < 100000000; name++) value = value * 10 + (*name - '0');
    return *name == '\0' ? value : 0;
}

bool mayday_for_each_task(bool (*body)(pid_t thread)) {
    static _Alignas(8) char buffer[16 * 1024];
    int fd = sys_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    bool going = true;
    for (int reads = 0; going && reads < MAX_READS; reads++) {
        long length = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
        if (length <= 0) break;
        for (long at = 0; going && at < length;) {
            const DirectoryEntry *entry = (const DirectoryEntry *)(buffer + at);
            pid_t thread = number_of(entry->name);
            if (thread > 0) going = body(thread);
            at += entry->length;
        }
    }
    sys_close(fd);
    return true;
}

/// The text behind `key` at the start of a line, or NULL.
static const char *field(const char *text, const char *key) {
    size_t length = strlen(key);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        if (*line == '\n') line += 1;
        if (strncmp(line, key, length) == 0) return line + length;
    }
    return NULL;
}

bool mayday_task_status(pid_t thread, TaskStatus *status) {
    static char text[4096];
    char path[64];
    Line line = {.data = path, .capacity = sizeof path - 1};
    mayday_line_raw(&line, "/proc/self/task/");
    mayday_line_int(&line, thread);
    mayday_line_raw(&line, "/status");
    path[line.length] = '\0';

    int fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    ssize_t length = sys_read(fd, text, sizeof text - 1);
    sys_close(fd);
    if (length <= 0) return false;
    text[length] = '\0';

    memset(status, 0, sizeof *status);
    const char *name = field(text, "Name:\t");
    for (size_t index = 0; name != NULL && index + 1 < sizeof status->name && name[index] != '\n'; index++) {
        status->name[index] = name[index];
    }
    const char *state = field(text, "State:\t");
    status->state = state != NULL ? *state : '?';
    const char *blocked = field(text, "SigBlk:\t");
    for (; blocked != NULL && *blocked != '\n' && *blocked != '\0'; blocked++) {
        uint64_t digit = *blocked <= '9' ? (uint64_t)(*blocked - '0') : (uint64_t)(*blocked - 'a' + 10);
        status->blocked = status->blocked << 4 | (digit & 15);
    }
    return true;
}

#endif
