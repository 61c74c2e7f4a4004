// The stacks of the parked threads, unwound by the crashing thread one after another: two threads in the unwinder at once
// would wait for each other's locks. Async-signal-safe.

#if defined(__linux__)

#include "park.h"
#include "runner.h"

#include <string.h>

enum { THREAD_FIRST_FRAMES = 64 };

static const ParkedThread *current;
static Stack stack;

static void unwind_thread(void) {
    const ucontext_t *context = current->context;
    mayday_stack_reset(&stack, THREAD_FIRST_FRAMES);
    if (context != NULL) {
        mayday_unwind(context, false, &stack);
    } else {
        stack.truncated = current->is_known && current->unreachable ? "unreadable" : "deadline";
    }
}

static void write_thread(void) {
    Line *line = mayday_report_line();
    mayday_line_raw(line, "{\"type\":\"thread\",\"id\":");
    mayday_line_int(line, current->id);
    bool is_known = current->is_known;
    if (is_known && current->name[0] != '\0') {
        mayday_line_key(line, "name");
        mayday_line_string(line, current->name, strnlen(current->name, sizeof current->name));
    }
    if (is_known && current->state != '?') {
        mayday_line_key(line, "state");
        mayday_line_string(line, &current->state, 1);
    }
    mayday_stack_members(line, &stack);
    mayday_line_raw(line, "}");
    mayday_report_write(line, "threads");
}

void mayday_write_threads(void) {
    for (uint32_t index = 0; index < mayday_parked_count; index++) {
        current = &mayday_parked[index];
        if (current->is_known && current->gone) continue;
        LeaveReason left = mayday_attempt(unwind_thread, 0);
        if (left != LEFT_NOT) {
            stack.truncated = mayday_leave_name(left);
            mayday_note_cut("threads", stack.truncated);
        }
        left = mayday_attempt(write_thread, 0);
        if (left != LEFT_NOT) mayday_note_cut("threads", mayday_leave_name(left));
    }
    LeaveReason left = mayday_attempt(mayday_report_flush, WRITING_GRACE_NS);
    if (left != LEFT_NOT) mayday_note_cut("threads", mayday_leave_name(left));
    mayday_note_completed("threads");
}

#endif
