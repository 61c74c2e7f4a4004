// Two accesses to one variable that exclude each other. The runtime prints what it knows of them and keeps one sentence; but what it
// printed it has also handed to a function that debuggers stop in, in a structure that is still on the stack of the crashed
// thread when it ends (swift, Runtime/Debug.h, `RuntimeErrorDetails`, which has a version). Async-signal-safe.

#if defined(__linux__)

#include "swift_runtime.h"

#include <string.h>

enum {
    /// Version of the structure that is known here.
    DETAILS_VERSION = 2,
    /// What lies between the structure and the stack pointer at the end is fatalError() and abort(): about 1 KiB.
    SEARCHED_BYTES = 16 * 1024,
    CHUNK_WORDS = 128,
    /// Frames that are searched for the check that failed.
    SEARCHED_FRAMES = 24,
};

static const char message_start[] = "Fatal access conflict detected";
static const char error_type[] = "exclusivity-violation";

/// `RuntimeErrorDetails::Thread`.
typedef struct OtherThread {
    uintptr_t description;
    uint64_t thread;
    uintptr_t frame_count;
    uintptr_t frames;
} OtherThread;

/// `RuntimeErrorDetails`, up to what is of use.
typedef struct Details {
    uintptr_t version;
    uintptr_t error_type;
    uintptr_t current_description;
    uintptr_t frames_to_skip;
    uintptr_t address;
    uintptr_t thread_count;
    uintptr_t threads;
} Details;

typedef struct Access {
    /// `read` or `modification`; empty when unknown.
    char kind[16];
    /// Return address of its beginning; 0 when unknown.
    uintptr_t pc;
} Access;

static struct {
    bool found;
    uintptr_t address;
    Access previous;
    Access current;
} conflict;

bool mayday_is_access_conflict(void) {
    size_t length = sizeof message_start - 1;
    return mayday_crash.message_source != NULL && strcmp(mayday_crash.message_source, "swift") == 0 &&
           strncmp(mayday_crash.message, message_start, length) == 0;
}

void mayday_access_conflict_reset(void) {
    // What is not written takes no memory.
    if (conflict.found) conflict.found = false;
}

/// Async-signal-safe. The kind out of `Previous access (a modification) started at`.
static void read_kind(Access *access, uintptr_t description) {
    char text[64];
    access->kind[0] = '\0';
    size_t length = mayday_safe_read_string(text, description, sizeof text);
    const char *start = strchr(text, '(');
    if (length == 0 || start == NULL || strncmp(start, "(a ", 3) != 0) return;
    start += 3;
    const char *end = strchr(start, ')');
    if (end == NULL || (size_t)(end - start) >= sizeof access->kind) return;
    memcpy(access->kind, start, (size_t)(end - start));
    access->kind[end - start] = '\0';
}

/// Async-signal-safe. Reads the structure at `at`, if one is there.
static bool read_details(uintptr_t at, Details *details) {
    char type[sizeof error_type];
    if (!mayday_safe_read(details, at, sizeof *details) || details->version != DETAILS_VERSION) return false;
    mayday_safe_read_string(type, details->error_type, sizeof type);
    return strcmp(type, error_type) == 0;
}

/// Async-signal-safe.
static bool find_details(Details *details) {
    static uintptr_t words[CHUNK_WORDS];
    uintptr_t start = mayday_context_sp(mayday_crash.context) & ~(uintptr_t)(sizeof *words - 1);
    for (size_t offset = 0; offset < SEARCHED_BYTES; offset += sizeof words) {
        if (!mayday_safe_read(words, start + offset, sizeof words)) return false;
        for (size_t index = 0; index < CHUNK_WORDS; index++) {
            if (words[index] == DETAILS_VERSION && read_details(start + offset + index * sizeof *words, details)) return true;
        }
    }
    return false;
}

/// Async-signal-safe. Where the current access began: behind the call of the check that failed.
static uintptr_t current_access(void) {
    uint32_t gap, kept = mayday_stack_kept(&mayday_crashed_stack, &gap);
    if (!mayday_unwinder_usable() || mayday_settings->begin_access == 0) return 0;
    for (uint32_t index = 1; index + 1 < kept && index < SEARCHED_FRAMES; index++) {
        CodeRange function;
        uintptr_t address = mayday_stack_frame(&mayday_crashed_stack, index)->address;
        if (!mayday_unwinder_function(address - 1, &function)) continue;
        if (function.start == mayday_settings->begin_access) return mayday_stack_frame(&mayday_crashed_stack, index + 1)->address;
    }
    return 0;
}

void mayday_stage_accesses(void) {
    Details details;
    OtherThread other;
    if (!find_details(&details) || details.thread_count == 0 ||
        !mayday_safe_read(&other, details.threads, sizeof other)) {
        mayday_note_cut("accesses", "unreadable");
        return;
    }
    conflict.address = details.address;
    read_kind(&conflict.previous, other.description);
    read_kind(&conflict.current, details.current_description);
    if (other.frame_count == 0 || !mayday_safe_read(&conflict.previous.pc, other.frames, sizeof conflict.previous.pc)) {
        conflict.previous.pc = 0;
    }
    conflict.previous.pc = mayday_code_address(conflict.previous.pc);
    conflict.current.pc = current_access();
    conflict.found = true;
}

/// Async-signal-safe.
static void access_member(Line *line, const char *name, const Access *access) {
    mayday_line_key(line, name);
    mayday_line_raw(line, "{");
    if (access->kind[0] != '\0') {
        mayday_line_key(line, "kind");
        mayday_line_string(line, access->kind, strlen(access->kind));
    }
    if (access->pc != 0) {
        StackFrame frame = {access->pc, 0, TRUST_CFI};
        mayday_line_key(line, "frame");
        mayday_frame_object(line, &frame);
    }
    mayday_line_raw(line, "}");
}

void mayday_access_conflict_member(Line *line) {
    if (!conflict.found) return;
    mayday_line_key(line, "access_conflict");
    mayday_line_raw(line, "{");
    mayday_line_key(line, "address");
    mayday_line_hex(line, conflict.address);
    access_member(line, "previous", &conflict.previous);
    access_member(line, "current", &conflict.current);
    mayday_line_raw(line, "}");
}

#endif
