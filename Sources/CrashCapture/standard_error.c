#if defined(__linux__)

#include "standard_error.h"
#include "system_calls.h"

#include <errno.h>

bool mayday_say(const char *bytes, size_t count, uint64_t limit_ns) {
    while (count > 0) {
        uint64_t now = mayday_monotonic_ns();
        if (now >= limit_ns) return false;
        // A file is always ready, and what is closed as well: the write says so.
        int ready = sys_poll_one(STDERR_FILENO, POLLOUT, limit_ns - now);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t put = sys_write(STDERR_FILENO, bytes, count);
        if (put > 0) {
            bytes += put;
            count -= (size_t)put;
        } else if (put == 0 || (errno != EINTR && errno != EAGAIN)) {
            // A reader that went away, or a file at its limit, also sends a signal that would end the process in the
            // crash's place.
            if (put < 0 && (errno == EPIPE || errno == EFBIG)) {
                sys_take_pending(SIGNAL_BIT(SIGPIPE) | SIGNAL_BIT(SIGXFSZ));
            }
            return false;
        }
    }
    return true;
}

#endif
