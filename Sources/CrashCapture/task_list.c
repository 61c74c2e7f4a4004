#if defined(__linux__)

#include "task_list.h"
#include "descriptors.h"
#include "system_calls.h"

#include <errno.h>
#include <string.h>

/// What getdents64 fills in (getdents64(2)).
typedef struct DirectoryEntry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
} DirectoryEntry;

enum {
    MAX_READS = 4096,
    /// How far from the process' own id, and from the crashed thread's, ids are tried where there is no list.
    SEARCHED_IDS = 4096,
    /// Numbers of fields in a thread's `stat` (proc_pid_stat(5)).
    STATE_FIELD = 3,
    BLOCKED_FIELD = 32,
    /// As far as that field, whatever the numbers before it: on the stack of a thread that has stopped.
    STATUS_LENGTH = 704,
    READ_AT_ONCE = 16 * 1024,
    /// What the longest name of a thread takes of it.
    LONGEST_ENTRY = 32,
};

/// The open list of this process' threads, or -1 when there is none.
static int tasks_fd = -1;
/// It is not the one held from install.
static bool tasks_are_opened;
/// It lists this process by its own ids.
static bool tasks_are_ours;

static pid_t number_of(const char *name) {
    pid_t value = 0;
    for (; *name >= '0' && *name <= '9' && value < 100000000; name++) value = value * 10 + (*name - '0');
    return *name == '\0' ? value : 0;
}

/// `THREAD` and `behind` it.
static void set_path(char path[32], pid_t thread, const char *behind) {
    Line line = {.data = path, .capacity = 31};
    mayday_line_int(&line, thread);
    mayday_line_raw(&line, behind);
    path[line.length] = '\0';
}

void mayday_tasks_close(void) {
    int fd = tasks_fd;
    tasks_fd = -1;
    tasks_are_ours = false;
    if (fd >= 0 && tasks_are_opened) sys_close(fd);
}

/// From its beginning. The list held from install, which is not that of a forked child; that one opens its own. It stays the same
/// until it is closed: another thread may be asking by it.
static void open_tasks(void) {
    if (tasks_fd >= 0) {
        sys_lseek(tasks_fd, 0, SEEK_SET);
        return;
    }
    int fd = mayday_crash.pid == mayday_settings->pid ? mayday_held(&mayday_settings->tasks) : -1;
    tasks_are_opened = fd < 0 || sys_lseek(fd, 0, SEEK_SET) != 0;
    if (tasks_are_opened) fd = sys_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    tasks_fd = fd;
}

static _Alignas(8) char entries[READ_AT_ONCE];

static long read_entries(void) { return syscall(SYS_getdents64, tasks_fd, entries, sizeof entries); }

/// False when `body` returned false.
static bool for_each_of(long length, bool (*body)(pid_t thread)) {
    for (long at = 0; at < length;) {
        const DirectoryEntry *entry = (const DirectoryEntry *)(entries + at);
        pid_t thread = number_of(entry->name);
        if (thread > 0 && !body(thread)) return false;
        at += entry->length;
    }
    return true;
}

static bool is_another(pid_t thread) { return thread != mayday_crash.thread; }

/// False for a /proc of another PID namespace, which lists threads by other ids. The lookup is for lists that are long: it
/// costs as much as to list 8 threads.
static bool lists_this_thread(long length) {
    if (!for_each_of(length, is_another)) return true;
    char path[32];
    set_path(path, mayday_crash.thread, "");
    return syscall(SYS_faccessat, tasks_fd, path, F_OK) == 0;
}

/// False where it is not the list of this process.
static bool read_tasks(bool (*body)(pid_t thread)) {
    long length = read_entries();
    if (!tasks_are_ours) tasks_are_ours = lists_this_thread(length);
    if (!tasks_are_ours) return false;
    for (int reads = 1; length > 0 && for_each_of(length, body) && reads < MAX_READS; reads++) {
        // Where there was room for another the list is at its end; what a signal cut short is seen by its length, later.
        if (length <= READ_AT_ONCE - LONGEST_ENTRY) break;
        length = read_entries();
    }
    return true;
}

static bool try_ids(pid_t first, pid_t last, bool (*body)(pid_t thread)) {
    for (pid_t thread = first > 1 ? first : 1; thread <= last; thread++) {
        if (syscall(SYS_tgkill, mayday_crash.pid, thread, 0) == 0 && !body(thread)) return false;
    }
    return true;
}

/// Without a list: ids are given in turn, so most threads are found by asking for those near the two that are known.
static void search_tasks(bool (*body)(pid_t thread)) {
    pid_t process = mayday_crash.pid, thread = mayday_crash.thread;
    if (!try_ids(process, process + SEARCHED_IDS, body)) return;
    pid_t first = thread - SEARCHED_IDS / 2 > process + SEARCHED_IDS ? thread - SEARCHED_IDS / 2 : process + SEARCHED_IDS + 1;
    try_ids(first, thread + SEARCHED_IDS / 2, body);
}

bool mayday_for_each_task(bool (*body)(pid_t thread)) {
    open_tasks();
    if (tasks_fd >= 0 && read_tasks(body)) return true;
    mayday_tasks_close();
    search_tasks(body);
    return false;
}

uint32_t mayday_task_count(void) {
    struct stat status;
    // Beside one link for each thread those of every directory: `.` and that of its parent.
    return tasks_fd >= 0 && sys_fstat(tasks_fd, &status) == 0 && status.st_nlink > 2 ? (uint32_t)status.st_nlink - 2 : 0;
}

/// Behind the `count`th space of `text`, or NULL.
static const char *behind_spaces(const char *text, int count) {
    for (; text != NULL && count > 0; count--) {
        text = strchr(text, ' ');
        if (text != NULL) text += 1;
    }
    return text;
}

bool mayday_task_status(pid_t thread, TaskStatus *status) {
    char text[STATUS_LENGTH];
    char path[32];
    set_path(path, thread, "/stat");
    memset(status, 0, sizeof *status);
    status->state = '?';
    int fd = tasks_fd >= 0 ? sys_openat(tasks_fd, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    // Listed, or found, and no descriptor to ask with: it is there.
    if (fd < 0) return tasks_fd < 0 || errno == EMFILE || errno == ENFILE;
    ssize_t length = sys_read(fd, text, sizeof text - 1);
    sys_close(fd);
    if (length <= 0) return false;
    text[length] = '\0';

    const char *name = strchr(text, '(');
    const char *name_end = text + length;
    while (name_end > text && *name_end != ')') name_end -= 1;  // the last one: a name may contain anything
    if (name == NULL || name_end <= name) return true;
    size_t name_length = (size_t)(name_end - name) - 1;
    memcpy(status->name, name + 1, name_length < sizeof status->name ? name_length : sizeof status->name - 1);
    const char *state = behind_spaces(name_end, 1);
    if (state != NULL) status->state = *state;
    const char *blocked = behind_spaces(state, BLOCKED_FIELD - STATE_FIELD);
    for (; blocked != NULL && *blocked >= '0' && *blocked <= '9'; blocked++) {
        status->blocked = status->blocked * 10 + (uint64_t)(*blocked - '0');
    }
    return true;
}

#endif
