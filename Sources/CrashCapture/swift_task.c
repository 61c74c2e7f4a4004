// The Swift task that the crashed thread was running: its id, and its name. Async-signal-safe.
//
// The id is what the runtime's own functions say, which read the thread's and the task's memory and nothing else. The one that
// gives the name takes a lock of the task, which a thread that stands still may hold: the name is read where Swift 6.2 and 6.3
// keep it, in the last of the task's status records. That is no ABI; a runtime that keeps it elsewhere gives no name, and
// the matrix of the tests fails.

#if defined(__linux__)

#include "swift_runtime.h"

#include <string.h>

enum {
    /// `JobFlags` in a job (swift, ABI/Task.h): the kind, 0 for a task, and whether it was given a name.
    FLAGS_OFFSET = 0x20,
    KIND_OF_JOB = 0xff,
    HAS_NAME = 1 << 30,
    /// The innermost status record in a task (swift, TaskPrivate.h, ActiveTaskStatus).
    RECORD_OFFSET = 0x68,
    /// The kind in a record's flags, and that of a name (swift, ABI/TaskStatus.h).
    KIND_OF_RECORD = 0xff,
    NAME_RECORD = 6,
    MAX_RECORDS = 64,
};

/// TaskNameStatusRecord; others have something else behind the first two.
typedef struct StatusRecord {
    uintptr_t flags;
    uintptr_t parent;
    uintptr_t name;
} StatusRecord;

static struct {
    uint64_t id;
    size_t name_length;
    char name[256];
} current;

void mayday_task_reset(void) {
    // Written only where there was one: a page that nobody writes to takes no memory.
    if (current.id == 0) return;
    current.id = 0;
    current.name_length = 0;
}

/// Async-signal-safe. False when a task that has a name does not give it away.
static bool find_name(uintptr_t task) {
    uint32_t flags;
    uintptr_t at;
    if (!mayday_safe_read(&flags, task + FLAGS_OFFSET, sizeof flags)) return false;
    if ((flags & KIND_OF_JOB) != 0 || (flags & HAS_NAME) == 0) return true;
    if (!mayday_safe_read(&at, task + RECORD_OFFSET, sizeof at)) return false;
    for (int count = 0; at != 0 && count < MAX_RECORDS; count++) {
        StatusRecord record;
        if (!mayday_safe_read(&record, at, sizeof record)) return false;
        if ((record.flags & KIND_OF_RECORD) == NAME_RECORD) {
            char first;
            if (!mayday_safe_read(&first, record.name, sizeof first)) return false;
            current.name_length = mayday_safe_read_string(current.name, record.name, sizeof current.name);
            return true;
        }
        at = record.parent;
    }
    return false;
}

void mayday_stage_task(void) {
    void *task = mayday_settings->current_task == NULL ? NULL : mayday_settings->current_task();
    if (task == NULL) return;
    current.id = mayday_settings->task_id(task);
    if (!find_name((uintptr_t)task)) mayday_note_cut("task", "unreadable");
}

void mayday_task_member(Line *line) {
    if (current.id == 0) return;
    mayday_line_key(line, "task");
    mayday_line_raw(line, "{\"id\":");
    mayday_line_int(line, (int64_t)current.id);
    if (current.name_length > 0) {
        mayday_line_key(line, "name");
        mayday_line_string(line, current.name, current.name_length);
    }
    mayday_line_raw(line, "}");
}

#endif
