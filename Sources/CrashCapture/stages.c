// What each stage writes (docs/report-format.md). Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "backtrace.h"
#include "context_lines.h"
#include "runner.h"
#include "swift_runtime.h"
#include "system_calls.h"

#include <string.h>
#include <sys/prctl.h>

Stack mayday_crashed_stack;

static void members(Line *line, const char *prepared) {
    if (prepared == NULL || *prepared == '\0') return;
    char last = line->data[line->length - 1];
    if (last != '{') mayday_line_raw(line, ",");
    mayday_line_raw(line, prepared);
}

typedef struct Header {
    const char *kind;
    const char *id;
    uint64_t time_ns;
    pid_t pid;
    bool rehearsal;
    /// Without what was prepared: for when the whole one failed.
    bool bare;
} Header;

/// Async-signal-safe.
static void report_line(Line *line, const Header *header) {
    mayday_line_raw(line, "{\"type\":\"report\",\"version\":1");
    mayday_line_key(line, "id");
    mayday_line_string(line, header->id, strlen(header->id));
    mayday_line_key(line, "kind");
    mayday_line_string(line, header->kind, strlen(header->kind));
    mayday_line_key(line, "time");
    mayday_line_time(line, header->time_ns);
    if (header->rehearsal) mayday_line_raw(line, ",\"rehearsal\":true");
    if (header->bare) {
        mayday_line_raw(line, ",\"sdk\":{\"name\":\"mayday\",\"version\":\"unknown\"}");
    } else {
        members(line, mayday_settings->report_members);
    }
    mayday_line_key(line, "process");
    mayday_line_raw(line, "{");
    mayday_line_key(line, "pid");
    mayday_line_int(line, header->pid);
    if (!header->bare) members(line, mayday_settings->process_members);
    if (header->pid != mayday_settings->pid) {
        mayday_line_raw(line, ",\"forked\":true");
    } else if (mayday_settings->process_started_ns != 0) {
        mayday_line_key(line, "uptime_ms");
        mayday_line_int(line, (int64_t)((mayday_boottime_ns() - mayday_settings->process_started_ns) / 1000000u));
    }
    mayday_line_raw(line, "}}");
}

size_t mayday_report_header(const char *kind, const char *id, uint64_t unix_ns, char *buffer, size_t capacity) {
    if (mayday_settings == NULL) return 0;
    Line line = {.data = buffer, .capacity = capacity};
    Header header = {kind, id, unix_ns, sys_getpid(), false, false};
    report_line(&line, &header);
    return line.overflow ? 0 : line.length;
}

static void crash_report_line(bool bare) {
    Line *line = mayday_report_line();
    Header header = {"crash", mayday_crash.id, mayday_realtime_ns(), mayday_crash.pid, mayday_is_rehearsal(), bare};
    report_line(line, &header);
    mayday_report_write(line, "header");
}

static void crash_line(bool bare) {
    int signal = mayday_crash.signal;
    int code = mayday_crash.info.si_code;
    const char *name = mayday_signal_name(signal);
    const char *code_name = mayday_signal_code_name(signal, code);

    Line *line = mayday_report_line();
    mayday_line_raw(line, "{\"type\":\"crash\",\"signal\":{");
    mayday_line_key(line, "number");
    mayday_line_int(line, signal);
    mayday_line_key(line, "name");
    mayday_line_string(line, name != NULL ? name : "", name != NULL ? strlen(name) : 0);
    mayday_line_key(line, "code");
    mayday_line_int(line, code);
    if (code_name != NULL) {
        mayday_line_key(line, "code_name");
        mayday_line_string(line, code_name, strlen(code_name));
    }
    mayday_line_raw(line, "}");
    if (mayday_signal_has_address(signal, code)) {
        mayday_line_key(line, "fault_address");
        mayday_line_hex(line, (uintptr_t)mayday_crash.info.si_addr);
    }
    if (mayday_signal_has_sender(code)) {
        mayday_line_raw(line, ",\"sender\":{\"pid\":");
        mayday_line_int(line, mayday_crash.info.si_pid);
        mayday_line_raw(line, ",\"uid\":");
        mayday_line_int(line, mayday_crash.info.si_uid);
        mayday_line_raw(line, "}");
    }
    mayday_line_key(line, "thread");
    mayday_line_int(line, mayday_crash.thread);
    if (mayday_crash.message_source != NULL) {
        mayday_line_key(line, "message");
        mayday_line_string(line, mayday_crash.message, mayday_crash.message_length);
        mayday_line_key(line, "message_source");
        mayday_line_string(line, mayday_crash.message_source, strlen(mayday_crash.message_source));
    }
    if (!bare) {
        mayday_line_key(line, "registers");
        mayday_registers(line, mayday_crash.context);
    }
    mayday_line_raw(line, "}");
    mayday_report_write(line, "header");
}

void mayday_stage_header(void) {
    crash_report_line(false);
    mayday_message_find();
    crash_line(false);
    mayday_report_flush();
}

void mayday_stage_bare_header(void) {
    mayday_report_discard();
    mayday_crash.message_source = NULL;
    crash_report_line(true);
    crash_line(true);
    mayday_report_flush();
}

void mayday_stage_unwind(void) {
    uintptr_t pc = mayday_context_pc(mayday_crash.context);
    int signal = mayday_crash.signal;
    int code = mayday_crash.info.si_code;
    bool fetch_fault = (signal == SIGSEGV || signal == SIGBUS) && mayday_signal_has_address(signal, code) &&
                       (uintptr_t)mayday_crash.info.si_addr == pc;
    mayday_stack_reset(&mayday_crashed_stack, FIRST_FRAMES);
    mayday_unwind(mayday_crash.context, fetch_fault || pc < 4096, &mayday_crashed_stack);
}

void mayday_stage_stack(void) {
    char name[17] = {0};
    Line *line = mayday_report_line();
    mayday_line_raw(line, "{\"type\":\"thread\",\"id\":");
    mayday_line_int(line, mayday_crash.thread);
    if (syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0) == 0 && name[0] != '\0') {
        mayday_line_key(line, "name");
        mayday_line_string(line, name, strlen(name));
    }
    mayday_line_raw(line, ",\"crashed\":true");
    mayday_task_member(line);
    mayday_access_conflict_member(line);
    mayday_stack_members(line, &mayday_crashed_stack);
    mayday_line_raw(line, "}");
    mayday_report_write(line, "stack");
}

static uint64_t scope_of_crash;

/// Async-signal-safe. A stage of its own: it walks the runtime's memory, and what is kept in ours is written without it, too.
static void find_scope(void) { scope_of_crash = mayday_scope_of_this_thread(); }

static void context_stage(void) {
    MaydayContextCursor cursor = mayday_context_begin(scope_of_crash);
    for (Line *line = mayday_report_line(); mayday_context_next_line(&cursor, line); line = mayday_report_line()) {
        mayday_report_write(line, "context");
    }
}

void mayday_write_context(void) {
    if (!mayday_context_is_set()) return;
    scope_of_crash = 0;
    if (mayday_scopes_were_opened()) mayday_run_stage("scope", find_scope, WRITING_GRACE_NS);
    mayday_run_stage("context", context_stage, WRITING_GRACE_NS);
}

void mayday_stage_images(void) {
    uint32_t count = mayday_images.count;
    for (uint32_t index = 0; index < count; index++) {
        const LoadedImage *image = &mayday_images.images[index];
        Line *line = mayday_report_line();
        mayday_line_raw(line, "{\"type\":\"image\"");
        mayday_line_key(line, "path");
        mayday_line_string(line, image->path, strlen(image->path));
        mayday_line_key(line, "base");
        mayday_line_hex(line, image->base);
        mayday_line_key(line, "size");
        mayday_line_hex(line, image->end - image->base);
        if (image->build_id_length > 0) {
            mayday_line_key(line, "build_id");
            mayday_line_digest(line, image->build_id, image->build_id_length);
        }
        mayday_line_raw(line, "}");
        mayday_report_write(line, "images");
    }
    if (mayday_images.truncated) mayday_note_cut("images", "limit");
    mayday_report_flush();
}

void mayday_stage_end(void) {
    mayday_report_flush();
    Line *line = mayday_report_line();
    mayday_line_raw(line, "{\"type\":\"end\"");
    mayday_runner_members(line);
    mayday_line_key(line, "duration_us");
    mayday_line_int(line, (int64_t)((mayday_monotonic_ns() - mayday_crash.entered_ns) / 1000u));
    mayday_line_key(line, "unwinder");
    const char *unwinder = mayday_capture_unwinder();
    mayday_line_string(line, unwinder, strlen(unwinder));
    mayday_line_raw(line, "}");
    mayday_report_write(line, "end");
    mayday_report_flush();
}

#endif
