// The facts of this process that are known at start. Not async-signal-safe.

#if defined(__linux__)

#include "facts.h"
#include "runs_at_start.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 20, NS_PER_HUNDREDTH = 10 * 1000 * 1000 };

void *mayday_pages_take(Pages *pages, size_t count) {
    size_t start = (pages->used + 15) & ~(size_t)15;
    if (pages->overflow || start > pages->capacity || count > pages->capacity - start) {
        pages->overflow = true;
        return NULL;
    }
    pages->used = start + count;
    return pages->memory + start;
}

MaydayText mayday_read_file(const char *path, Pages *pages) {
    MaydayText text = {NULL, 0};
    size_t start = (pages->used + 15) & ~(size_t)15;
    if (pages->overflow || start >= pages->capacity) return text;
    size_t capacity = pages->capacity - start < LARGEST_FILE ? pages->capacity - start : LARGEST_FILE;
    char *to = pages->memory + start;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return text;
    text.bytes = to;
    while (text.length < capacity) {
        ssize_t got = read(fd, to + text.length, capacity - text.length);
        if (got <= 0) break;
        text.length += (size_t)got;
    }
    close(fd);
    return text;
}

bool mayday_text_until(MaydayText *rest, char separator, MaydayText *part) {
    if (rest->bytes == NULL) return false;
    const char *end = memchr(rest->bytes, separator, rest->length);
    *part = *rest;
    if (end == NULL) {
        *rest = (MaydayText){NULL, 0};
        return true;
    }
    part->length = (size_t)(end - rest->bytes);
    rest->bytes = end + 1;
    rest->length -= part->length + 1;
    return true;
}

void mayday_line_member(Line *line, const char *key, MaydayText text) {
    if (text.length == 0) return;
    mayday_line_key(line, key);
    mayday_line_string(line, text.bytes, text.length);
}

/// Field 22 of /proc/self/stat (proc(5)), in clock ticks.
uint64_t mayday_process_start(void) {
    char text[1024];
    Pages pages = {.memory = text, .capacity = sizeof text - 1};
    MaydayText file = mayday_read_file("/proc/self/stat", &pages);
    text[file.length] = '\0';
    char *field = strrchr(text, ')');  // the name before it may contain anything
    for (int number = 2; field != NULL && number < 22; number++) field = strchr(field + 1, ' ');
    if (field == NULL) return 0;
    return strtoull(field + 1, NULL, 10) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

MaydayText mayday_last_component(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return (MaydayText){name, strlen(name)};
}

void mayday_process_members(Line *line, const char *executable, uint64_t started_ns) {
    mayday_line_member(line, "name", mayday_last_component(executable));
    mayday_line_member(line, "path", (MaydayText){executable, strlen(executable)});
    if (started_ns == 0) return;
    uint64_t started = mayday_realtime_ns() - mayday_boottime_ns() + started_ns;
    mayday_line_key(line, "started");
    // The kernel counts in hundredths; more digits would be made up.
    mayday_line_time(line, started / NS_PER_HUNDREDTH * NS_PER_HUNDREDTH);
}

char **mayday_own_arguments(Pages *pages) {
    MaydayText file = mayday_read_file("/proc/self/cmdline", pages);
    if (file.length == 0 || file.bytes[file.length - 1] != '\0') return NULL;
    char *next = mayday_pages_take(pages, file.length);
    size_t count = 0, at = 0;
    for (size_t index = 0; index < file.length; index++) count += file.bytes[index] == '\0';
    char **arguments = mayday_pages_take(pages, (count + 1) * sizeof *arguments);
    if (arguments == NULL) return NULL;
    for (; at < count; next += strlen(next) + 1) arguments[at++] = next;
    arguments[at] = NULL;
    return arguments;
}

#endif
