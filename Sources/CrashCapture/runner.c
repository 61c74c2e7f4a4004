// Runs the stages of a capture. A stage may fault or stall; what it had is kept and the next one runs.
// Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "runner.h"

#include <string.h>

enum { MAX_NOTES = 16 };

typedef struct Cut {
    const char *stage;
    const char *reason;
} Cut;

static const char *completed[MAX_NOTES];
static int completed_count;
static Cut cuts[MAX_NOTES];
static int cut_count;

void mayday_runner_reset(void) {
    completed_count = 0;
    cut_count = 0;
}

void mayday_note_cut(const char *stage, const char *reason) {
    for (int index = 0; index < cut_count; index++) {
        if (strcmp(cuts[index].stage, stage) == 0 && strcmp(cuts[index].reason, reason) == 0) return;
    }
    if (cut_count < MAX_NOTES) cuts[cut_count++] = (Cut){stage, reason};
}

_Noreturn void mayday_leave_stage(LeaveReason reason) { siglongjmp(mayday_crash.stage_exit, reason); }

void mayday_note_completed(const char *stage) {
    for (int index = 0; index < cut_count; index++) {
        if (strcmp(cuts[index].stage, stage) == 0) return;
    }
    if (completed_count < MAX_NOTES) completed[completed_count++] = stage;
}

LeaveReason mayday_attempt(void (*body)(void), uint64_t grace_ns) {
    uint64_t now = mayday_monotonic_ns();
    // A stage gets half of what is left, so that one that stalls leaves time for those behind it.
    uint64_t limit = now < mayday_crash.deadline_ns ? (mayday_crash.deadline_ns - now) / 2 : 0;
    if (limit < grace_ns) limit = grace_ns;
    if (limit == 0) return LEFT_DEADLINE;
    mayday_crash.leave_ns = now + limit;
    LeaveReason left = (LeaveReason)sigsetjmp(mayday_crash.stage_exit, 0);
    if (left == LEFT_NOT) {
        mayday_crash.phase = PHASE_STAGE;
        body();
    }
    mayday_crash.phase = PHASE_RUNNER;
    mayday_crash.leave_ns = now + limit + RUNNER_GRACE_NS;
    if (left != LEFT_NOT) mayday_mask_for_capture();
    return left;
}

LeaveReason mayday_run_stage(const char *name, void (*body)(void), uint64_t grace_ns) {
    LeaveReason left = mayday_attempt(body, grace_ns);
    if (left == LEFT_NOT) {
        mayday_note_completed(name);
    } else {
        mayday_note_cut(name, mayday_leave_name(left));
    }
    return left;
}

const char *mayday_leave_name(LeaveReason reason) { return reason == LEFT_FAULT ? "fault" : "deadline"; }

void mayday_runner_members(Line *line) {
    mayday_line_key(line, "stages");
    mayday_line_raw(line, "[");
    for (int index = 0; index < completed_count; index++) {
        if (index > 0) mayday_line_raw(line, ",");
        mayday_line_string(line, completed[index], strlen(completed[index]));
    }
    mayday_line_raw(line, "]");
    if (cut_count == 0) return;
    mayday_line_key(line, "cut");
    mayday_line_raw(line, "[");
    for (int index = 0; index < cut_count; index++) {
        mayday_line_raw(line, index > 0 ? ",{" : "{");
        mayday_line_key(line, "stage");
        mayday_line_string(line, cuts[index].stage, strlen(cuts[index].stage));
        mayday_line_key(line, "reason");
        mayday_line_string(line, cuts[index].reason, strlen(cuts[index].reason));
        mayday_line_raw(line, "}");
    }
    mayday_line_raw(line, "]");
}

#endif
