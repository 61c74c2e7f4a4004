// Tags, user and custom values of the process. Everything here is async-signal-safe.
//
// A value has two places: the writer fills the one that is not shown, then turns to it, so that a crash within a change shows
// what was there before. Writers exclude each other by a word with the process id in it: the child of a fork, in which the
// thread that held it is gone, takes it over.

#include "context_lines.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#else
#include <sched.h>
#endif

enum { LOCK_ATTEMPTS = 1000, READ_ATTEMPTS = 4 };

typedef struct Version {
    /// 0: there is no value.
    uint16_t length;
    char json[MAYDAY_VALUE_JSON];
} Version;

typedef struct Value {
    MaydayValueKind kind;
    uint8_t name_length;
    char name[MAYDAY_VALUE_NAME];
    /// Number of changes; its lowest bit is the version that is shown.
    _Atomic uint32_t turn;
    Version versions[2];
} Value;

static Value values[MAYDAY_VALUES];
/// Entries in use; never fewer again, as a value that is removed keeps its name.
static _Atomic uint32_t value_count;
/// Id of the process that writes, or 0.
static _Atomic pid_t writer;

/// Lets the other writer run. In glibc the function lies far from all others that are called at start, where it would be bound:
/// 64 KB of libc in memory.
static void yield(void) {
#if defined(__linux__)
    syscall(SYS_sched_yield);
#else
    sched_yield();
#endif
}

static bool lock(void) {
    pid_t self = getpid();
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
        pid_t owner = 0;
        if (atomic_compare_exchange_strong(&writer, &owner, self)) return true;
        if (owner != self && atomic_compare_exchange_strong(&writer, &owner, self)) return true;
        yield();
    }
    return false;
}

static Value *find(MaydayValueKind kind, MaydayText name) {
    uint32_t count = atomic_load(&value_count);
    for (uint32_t index = 0; index < count; index++) {
        Value *value = &values[index];
        if (value->kind == kind && value->name_length == name.length &&
            memcmp(value->name, name.bytes, name.length) == 0) {
            return value;
        }
    }
    return NULL;
}

static void change(Value *value, MaydayText json) {
    uint32_t turn = atomic_load_explicit(&value->turn, memory_order_relaxed);
    Version *hidden = &value->versions[(turn + 1) % 2];
    hidden->length = (uint16_t)json.length;
    if (json.length > 0) memcpy(hidden->json, json.bytes, json.length);
    atomic_store_explicit(&value->turn, turn + 1, memory_order_release);
}

static MaydayValueStatus set(MaydayValueKind kind, MaydayText name, MaydayText json) {
    Value *value = find(kind, name);
    if (value == NULL) {
        uint32_t count = atomic_load(&value_count);
        if (json.length == 0) return MAYDAY_VALUE_SET;
        if (count == MAYDAY_VALUES) return MAYDAY_VALUES_FULL;
        value = &values[count];
        value->kind = kind;
        value->name_length = (uint8_t)name.length;
        memcpy(value->name, name.bytes, name.length);
        change(value, json);
        atomic_store_explicit(&value_count, count + 1, memory_order_release);
        return MAYDAY_VALUE_SET;
    }
    change(value, json);
    return MAYDAY_VALUE_SET;
}

MaydayValueStatus mayday_value_set(MaydayValueKind kind, MaydayText name, MaydayText json) {
    if (name.length == 0 || name.length > MAYDAY_VALUE_NAME || json.length > MAYDAY_VALUE_JSON) return MAYDAY_VALUE_TOO_LONG;
    if (!lock()) return MAYDAY_VALUES_BUSY;
    MaydayValueStatus status = set(kind, name, json);
    atomic_store(&writer, 0);
    return status;
}

/// Copies what is shown. A second change meanwhile writes to that place: then again.
static bool copy(const Value *value, Version *version) {
    for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
        uint32_t turn = atomic_load_explicit(&value->turn, memory_order_acquire);
        memcpy(version, &value->versions[turn % 2], sizeof *version);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&value->turn, memory_order_relaxed) == turn) {
            return version->length > 0 && version->length <= MAYDAY_VALUE_JSON;
        }
    }
    return false;
}

void mayday_values_member(MaydayValueKind kind, const char *name, Line *line) {
    uint32_t count = atomic_load_explicit(&value_count, memory_order_acquire);
    bool begun = false;
    for (uint32_t index = 0; index < count; index++) {
        const Value *value = &values[index];
        Version version;
        if (value->kind != kind || !copy(value, &version)) continue;
        if (!begun) {
            mayday_line_key(line, name);
            mayday_line_raw(line, "{");
        } else {
            mayday_line_raw(line, ",");
        }
        begun = true;
        mayday_line_string(line, value->name, value->name_length);
        mayday_line_raw(line, ":");
        mayday_line_bytes(line, version.json, version.length);
    }
    if (begun) mayday_line_raw(line, "}");
}

bool mayday_attachment_line(uint32_t *index, Line *line) {
    uint32_t count = atomic_load_explicit(&value_count, memory_order_acquire);
    while (*index < count) {
        const Value *value = &values[(*index)++];
        Version version;
        if (value->kind != MAYDAY_ATTACHMENT || !copy(value, &version)) continue;
        mayday_line_raw(line, "{\"type\":\"attachment\"");
        mayday_line_key(line, "name");
        mayday_line_string(line, value->name, value->name_length);
        mayday_line_raw(line, ",");
        mayday_line_bytes(line, version.json, version.length);
        mayday_line_raw(line, "}");
        return true;
    }
    return false;
}

bool mayday_context_is_set(void) {
    uint64_t first, end;
    mayday_breadcrumbs_range(&first, &end);
    return end > 0 || atomic_load(&value_count) > 0 || mayday_scopes_were_opened();
}
