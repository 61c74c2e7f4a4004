// How many descriptors a process has left, asked before some are held or used. Not async-signal-safe.

#include "MaydayStart.h"
#include "runs_at_start.h"

#include <poll.h>
#include <sys/resource.h>

enum {
    AT_ONCE = 64,
    /// Numbers that are looked at: above it, those that are free are free enough.
    LOOKED_AT = 1 << 17,
};

/// Of `count` numbers from `first` on, how many are free; all of them when the kernel does not say.
static size_t free_among(int first, size_t count) {
    struct pollfd entries[AT_ONCE];
    for (size_t index = 0; index < count; index++) entries[index] = (struct pollfd){.fd = first + (int)index};
    if (poll(entries, (nfds_t)count, 0) < 0) return count;
    size_t found = 0;
    for (size_t index = 0; index < count; index++) found += (entries[index].revents & POLLNVAL) != 0;
    return found;
}

size_t mayday_free_descriptors(size_t enough) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return enough;
    size_t numbers = limit.rlim_cur < LOOKED_AT ? (size_t)limit.rlim_cur : LOOKED_AT, found = 0;
    for (size_t first = 0; first < numbers && found < enough; first += AT_ONCE) {
        size_t left = numbers - first;
        found += free_among((int)first, left < AT_ONCE ? left : AT_ONCE);
    }
    if (numbers == LOOKED_AT) return enough;
    return found < enough ? found : enough;
}
