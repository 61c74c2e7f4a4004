// On stderr: what happened, which report, and where it went; after the delivery, why it failed, if the reporter could not
// say it itself. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "delivery.h"
#include "standard_error.h"

#include <errno.h>
#include <string.h>

enum { MESSAGE_LIMIT = 200 };

static void error_name(Line *line, int error) {
    const char *name = NULL;
    switch (error) {
    case ENOSPC: name = "no space left on the device"; break;
    case EDQUOT: name = "disk quota exceeded"; break;
    case EFBIG: name = "file size limit exceeded"; break;
    case EROFS: name = "read-only file system"; break;
    case EACCES:
    case EPERM: name = "permission denied"; break;
    case ENOENT: name = "no such directory"; break;
    case ENOTDIR: name = "not a directory"; break;
    case EIO: name = "input/output error"; break;
    case EMFILE:
    case ENFILE: name = "too many open files"; break;
    default: break;
    }
    if (name != NULL) {
        mayday_line_raw(line, name);
    } else {
        mayday_line_raw(line, "errno ");
        mayday_line_int(line, error);
    }
}

/// The first line of the message, bounded; what could drive a terminal becomes `?`.
static void message(Line *line) {
    size_t length = mayday_crash.message_length;
    bool cut = length > MESSAGE_LIMIT;
    if (cut) {
        length = MESSAGE_LIMIT;
        // Not in the middle of a UTF-8 sequence.
        while (length > 0 && ((uint8_t)mayday_crash.message[length] & 0xc0) == 0x80) length -= 1;
    }
    mayday_line_raw(line, ": ");
    for (size_t index = 0; index < length; index++) {
        uint8_t byte = (uint8_t)mayday_crash.message[index];
        if (byte == '\n') break;
        // U+0080 to U+009F are control characters too: C2 80 to C2 9F.
        bool c1 = byte == 0xc2 && index + 1 < length && (uint8_t)mayday_crash.message[index + 1] < 0xa0;
        char shown = byte < 0x20 || byte == 0x7f || c1 ? '?' : (char)byte;
        mayday_line_bytes(line, &shown, 1);
        if (c1) index += 1;
    }
    if (cut) mayday_line_raw(line, "...");
}

static void place(Line *line) {
    if (mayday_spool.published) {
        mayday_line_raw(line, " written to ");
        mayday_line_raw(line, mayday_spool.path);
        return;
    }
    mayday_line_raw(line, mayday_spool.kept_count > 0 ? " in memory only" : " lost");
    if (mayday_spool.error != 0) {
        mayday_line_raw(line, " (");
        mayday_line_raw(line, mayday_settings->spool_path != NULL ? mayday_settings->spool_path : "memory");
        mayday_line_raw(line, ": ");
        error_name(line, mayday_spool.error);
        mayday_line_raw(line, ")");
    } else if (mayday_settings->spool_path == NULL) {
        mayday_line_raw(line, " (no spool directory)");
    }
}

/// What the reporter does not say itself. False when there is nothing.
static bool delivery(Line *line) {
    switch (mayday_delivery.outcome) {
    case DELIVERY_NONE:
    case DELIVERY_UNKNOWN:
    case DELIVERY_DONE: return false;
    case DELIVERY_EXITED:
        // It knows better than we do why, and where the report is now: a rejected one was set aside.
        if (mayday_delivery.detail == MAYDAY_REPORTER_NOT_DELIVERED) return false;
        mayday_line_raw(line, "the reporter exited with ");
        mayday_line_int(line, mayday_delivery.detail);
        mayday_line_raw(line, " before it came to `Mayday.start`");
        break;
    case DELIVERY_SIGNALLED:
        mayday_line_raw(line, "the reporter was ended by signal ");
        mayday_line_int(line, mayday_delivery.detail);
        break;
    case DELIVERY_TIMED_OUT:
        mayday_line_raw(line, "the reporter was stopped at its deadline of ");
        mayday_line_int(line, mayday_settings->reporter_deadline_ms);
        mayday_line_raw(line, " ms");
        break;
    case DELIVERY_LEFT:
        mayday_line_raw(line, "the handler left the delivery in the middle (");
        mayday_line_raw(line, mayday_leave_name((LeaveReason)mayday_delivery.detail));
        mayday_line_raw(line, ") and ended the reporter");
        break;
    case DELIVERY_NOT_STARTED:
        mayday_line_raw(line, "the reporter could not be started: ");
        error_name(line, mayday_delivery.detail);
        break;
    }
    if (mayday_spool.published) mayday_line_raw(line, "; the report stays in the spool");
    return true;
}

static char buffer[PATH_MAX + 1024];

static Line begin(void) {
    Line line = {.data = buffer, .capacity = sizeof buffer - 1};
    mayday_line_raw(&line, "mayday: ");
    return line;
}

static void say(Line *line) {
    buffer[line->length] = '\n';
    mayday_say(buffer, line->length + 1, mayday_monotonic_ns() + WRITING_GRACE_NS);
}

void mayday_status_line(void) {
    Line line = begin();
    const char *name = mayday_signal_name(mayday_crash.signal);
    mayday_line_raw(&line, name != NULL ? name : "crash");
    if (mayday_crash.message_source != NULL) message(&line);
    mayday_line_raw(&line, "; report ");
    mayday_line_raw(&line, mayday_crash.id);
    place(&line);
    say(&line);
}

void mayday_delivery_line(void) {
    Line line = begin();
    mayday_line_raw(&line, "report ");
    mayday_line_raw(&line, mayday_crash.id);
    mayday_line_raw(&line, " not delivered: ");
    if (delivery(&line)) say(&line);
}

#endif
