// The fatal message, from where the Swift runtime, libc and our handler of std::terminate keep it. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"

static const char rehearsal_message[] = "Rehearsal: a crash made on purpose by Mayday.rehearse(); the service lives on";

/// Cuts trailing white space: both sources end with a newline.
static void trim(void) {
    size_t length = mayday_crash.message_length;
    while (length > 0) {
        char last = mayday_crash.message[length - 1];
        if (last != '\n' && last != '\r' && last != ' ') break;
        length -= 1;
    }
    mayday_crash.message_length = length;
}

static bool read_message(uintptr_t text, const char *source) {
    if (text == 0) return false;
    mayday_crash.message_length = mayday_safe_read_string(mayday_crash.message, text, sizeof mayday_crash.message);
    trim();
    if (mayday_crash.message_length == 0) return false;
    mayday_crash.message_source = source;
    return true;
}

/// libc keeps a pointer to {unsigned size; char text[]} (glibc, `__abort_msg`).
static bool find_abort_message(void) {
    uintptr_t record = 0;
    const void *pointer = mayday_settings->abort_message;
    if (pointer == NULL || !mayday_safe_read(&record, (uintptr_t)pointer, sizeof record) || record == 0) return false;
    return read_message(record + sizeof(unsigned), "glibc");
}

/// The Swift runtime keeps an atomic pointer to the text (swift_getFatalErrorMessageBuffer, 6.3).
static bool find_swift_message(void) {
    uintptr_t text = 0;
    const void *pointer = mayday_settings->swift_message;
    if (pointer == NULL || !mayday_safe_read(&text, (uintptr_t)pointer, sizeof text)) return false;
    return read_message(text, "swift");
}

void mayday_message_find(void) {
    mayday_crash.message_length = 0;
    mayday_crash.message_source = NULL;
    if (mayday_is_rehearsal() && read_message((uintptr_t)rehearsal_message, "rehearsal")) return;
    // The runtime also stores warnings that ended nothing. It ends by a trap or abort(): in another crash the text is old.
    int signal = mayday_crash.signal;
    if (signal == SIGABRT && find_abort_message()) return;
    // The previous handler of std::terminate may end the process by another signal than abort()'s.
    if (read_message((uintptr_t)mayday_terminate_message(mayday_crash.thread), "terminate")) return;
    if (signal == SIGILL || signal == SIGTRAP || signal == SIGABRT) find_swift_message();
}

#endif
