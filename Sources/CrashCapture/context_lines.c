// The `context`, `attachment` and `breadcrumb` lines, for a crash and for a handled error alike. Everything here is async-signal-safe.

#include "context_lines.h"

#include <string.h>
#include <time.h>

uint64_t mayday_context_time_ns(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

size_t mayday_context_cut(char *to, size_t capacity, MaydayText text) {
    static const char mark[] = "…";
    size_t length = text.length;
    bool is_cut = length > capacity;
    if (is_cut) {
        length = capacity - (sizeof mark - 1);
        // Not within a character: its bytes but the first are 10xxxxxx.
        while (length > 0 && ((uint8_t)text.bytes[length] & 0xc0) == 0x80) length -= 1;
    }
    if (length > 0) memcpy(to, text.bytes, length);
    if (!is_cut) return length;
    memcpy(to + length, mark, sizeof mark - 1);
    return length + sizeof mark - 1;
}

enum { STEP_PROCESS, STEP_SCOPE, STEP_ATTACHMENTS, STEP_BREADCRUMBS };

MaydayContextCursor mayday_context_begin(uint64_t scope) {
    MaydayContextCursor cursor = {.scope = scope, .step = STEP_PROCESS};
    mayday_breadcrumbs_range(&cursor.ticket, &cursor.end);
    return cursor;
}

/// Ends a `context` line. False when it has no members, and is not to be written.
static bool end_context(Line *line, size_t empty) {
    bool has_members = line->length > empty;
    mayday_line_raw(line, "}");
    if (!has_members) line->length = 0;
    return has_members;
}

static size_t begin_context(Line *line) {
    mayday_line_raw(line, "{\"type\":\"context\"");
    return line->length;
}

static bool process_line(Line *line) {
    size_t empty = begin_context(line);
    mayday_values_member(MAYDAY_TAG, "tags", line);
    mayday_values_member(MAYDAY_USER, "user", line);
    mayday_values_member(MAYDAY_CUSTOM, "custom", line);
    return end_context(line, empty);
}

static bool scope_line(uint64_t scope, Line *line) {
    size_t empty = begin_context(line);
    if (scope != 0) mayday_scope_members(scope, line);
    return end_context(line, empty);
}

bool mayday_context_next_line(MaydayContextCursor *cursor, Line *line) {
    if (cursor->step == STEP_PROCESS) {
        cursor->step = STEP_SCOPE;
        if (process_line(line)) return true;
    }
    if (cursor->step == STEP_SCOPE) {
        cursor->step = STEP_ATTACHMENTS;
        if (scope_line(cursor->scope, line)) return true;
    }
    if (cursor->step == STEP_ATTACHMENTS) {
        if (mayday_attachment_line(&cursor->attachment, line)) return true;
        cursor->step = STEP_BREADCRUMBS;
    }
    while (cursor->ticket < cursor->end) {
        if (mayday_breadcrumb_line(cursor->ticket++, line)) return true;
    }
    return false;
}

size_t mayday_context_next(MaydayContextCursor *cursor, char *buffer, size_t capacity) {
    Line line = {.data = buffer, .capacity = capacity};
    while (mayday_context_next_line(cursor, &line)) {
        if (!line.overflow) return line.length;
        line = (Line){.data = buffer, .capacity = capacity};
    }
    return 0;
}
