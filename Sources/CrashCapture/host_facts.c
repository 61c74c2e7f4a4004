// The facts of this host or container, from system calls and small pseudo files. Not async-signal-safe.
// In C, because `start` is the first line of `main`: each function of the Swift runtime that it is the first to call
// brings 64 KB of the executable into memory (docs/decisions.md).

#if defined(__linux__)

#include "facts.h"
#include "runs_at_start.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { CONTAINER_ID = 64, DOCKER_HOST_NAME = 12, MAX_LEVELS = 8, MASK_WORDS = 256 };

static MaydayText text_of(const char *string) { return (MaydayText){string, strlen(string)}; }

static bool equals(MaydayText text, const char *string) {
    return text.length == strlen(string) && memcmp(text.bytes, string, text.length) == 0;
}

static bool is_hex_digit(char byte) { return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'); }

/// The last run of 64 hex digits: `/docker/ID`, `/system.slice/docker-ID.scope`, `…/cri-containerd-ID.scope`.
static MaydayText last_container(MaydayText path) {
    MaydayText found = {NULL, 0};
    for (size_t start = 0; start < path.length;) {
        size_t end = start;
        while (end < path.length && is_hex_digit(path.bytes[end])) end++;
        if (end - start == CONTAINER_ID) found = (MaydayText){path.bytes + start, CONTAINER_ID};
        start = end + 1;
    }
    return found;
}

MaydayText mayday_operating_system(MaydayText file) {
    static const char key[] = "PRETTY_NAME=";
    size_t length = sizeof key - 1;
    for (MaydayText line; mayday_text_until(&file, '\n', &line);) {
        if (line.length < length || memcmp(line.bytes, key, length) != 0) continue;
        MaydayText value = {line.bytes + length, line.length - length};
        char quote = value.length > 1 ? value.bytes[0] : '\0';
        if ((quote == '"' || quote == '\'') && value.bytes[value.length - 1] == quote) {
            return (MaydayText){value.bytes + 1, value.length - 2};
        }
        return value;
    }
    return (MaydayText){NULL, 0};
}

MaydayText mayday_mounted_container(MaydayText file) {
    for (MaydayText line; mayday_text_until(&file, '\n', &line);) {
        MaydayText field, source = {NULL, 0};
        for (int number = 1; number <= 5 && mayday_text_until(&line, ' ', &field); number++) {
            if (number == 4) source = field;
            if (number != 5 || !(equals(field, "/etc/hostname") || equals(field, "/etc/resolv.conf"))) continue;
            MaydayText id = last_container(source);
            if (id.length > 0) return id;
        }
    }
    return (MaydayText){NULL, 0};
}

static bool names_memory(MaydayText controllers) {
    for (MaydayText name; mayday_text_until(&controllers, ',', &name);) {
        if (equals(name, "memory")) return true;
    }
    return false;
}

ControlGroups mayday_control_groups(MaydayText file) {
    ControlGroups groups = {0};
    for (MaydayText line; mayday_text_until(&file, '\n', &line);) {
        // hierarchy:controllers:path, and the path may hold colons.
        MaydayText number, controllers;
        if (!mayday_text_until(&line, ':', &number) || !mayday_text_until(&line, ':', &controllers)) continue;
        if (line.bytes == NULL) continue;
        bool memory = names_memory(controllers);
        if (memory || (controllers.length == 0 && !groups.first_version)) groups.path = line;
        if (memory) groups.first_version = true;
        if (groups.container.length == 0) groups.container = last_container(line);
    }
    return groups;
}

bool mayday_memory_limit_file(const ControlGroups *groups, int level, Line *path) {
    size_t length = groups->path.length;
    int found = 0;
    for (; found < MAX_LEVELS - 1 && length > 0; found++) {
        if (length == 1 || found == level) break;
        while (length > 0 && groups->path.bytes[length - 1] != '/') length--;
        if (length > 0) length--;
    }
    if (level > found) return false;
    bool inner = length > 1 && found < MAX_LEVELS - 1;
    mayday_line_raw(path, groups->first_version ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup");
    if (inner) mayday_line_bytes(path, groups->path.bytes, length);
    mayday_line_raw(path, groups->first_version ? "/memory.limit_in_bytes" : "/memory.max");
    return !path->overflow;
}

uint64_t mayday_memory_limit(MaydayText file) {
    uint64_t number = 0;
    size_t index = 0;
    for (; index < file.length && file.bytes[index] >= '0' && file.bytes[index] <= '9'; index++) {
        if (number > UINT64_MAX / 10 - 1) return UINT64_MAX;
        number = number * 10 + (uint64_t)(file.bytes[index] - '0');
    }
    return index == 0 ? UINT64_MAX : number;
}

/// The least of the host's memory and the limits of the cgroups this process is in; 0 when unknown.
static uint64_t memory(const ControlGroups *groups, Pages *behind) {
    struct sysinfo info;
    uint64_t least = sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : UINT64_MAX;
    for (int level = 0; level < MAX_LEVELS; level++) {
        char text[PATH_MAX];
        Line path = {.data = text, .capacity = sizeof text - 1};
        if (!mayday_memory_limit_file(groups, level, &path)) break;
        text[path.length] = '\0';
        uint64_t limit = mayday_memory_limit(mayday_read_file(text, behind));
        if (limit < least) least = limit;
    }
    return least == UINT64_MAX ? 0 : least;
}

/// Processors this process may run on.
static int64_t processors(void) {
    unsigned long mask[MASK_WORDS];
    long size = syscall(SYS_sched_getaffinity, 0L, sizeof mask, mask);
    int64_t count = 0;
    for (long word = 0; word < size / (long)sizeof *mask; word++) count += __builtin_popcountl(mask[word]);
    return count;
}

/// The container's id, by what container runtimes leave to be seen: its cgroup's path, the bind mounts of its own files, or
/// the host name of a Docker container.
static MaydayText container(const ControlGroups *groups, const char *host_name, Pages *behind) {
    if (groups->container.length > 0) return groups->container;
    MaydayText none = {NULL, 0};
    if (access("/.dockerenv", F_OK) != 0 && access("/run/.containerenv", F_OK) != 0) return none;
    MaydayText id = mayday_mounted_container(mayday_read_file("/proc/self/mountinfo", behind));
    if (id.length > 0) return id;
    for (const char *byte = host_name; *byte != '\0'; byte++) {
        if (!is_hex_digit(*byte)) return none;
    }
    return strlen(host_name) == DOCKER_HOST_NAME ? text_of(host_name) : none;
}

void mayday_host_members(Line *line, Pages *pages) {
    struct utsname names;
    if (uname(&names) != 0) return;
    mayday_line_member(line, "name", text_of(names.nodename));
    mayday_line_member(line, "os", mayday_operating_system(mayday_read_file("/etc/os-release", pages)));
    mayday_line_member(line, "kernel", text_of(names.release));
    mayday_line_member(line, "arch", text_of(names.machine));

    // The groups are texts within their file: what is read while they are used goes behind it.
    MaydayText file = mayday_read_file("/proc/self/cgroup", pages);
    Pages behind = *pages;
    mayday_pages_take(&behind, file.length + 1);
    ControlGroups groups = mayday_control_groups(file);
    mayday_line_member(line, "container", container(&groups, names.nodename, &behind));
    // As the downward API of Kubernetes is used to name them (docs/report-format.md).
    static const char *const placed[][2] = {
        {"pod", "POD_NAME"}, {"namespace", "POD_NAMESPACE"}, {"node", "NODE_NAME"}, {"instance", "MAYDAY_INSTANCE"},
    };
    for (size_t index = 0; index < sizeof placed / sizeof *placed; index++) {
        const char *value = getenv(placed[index][1]);
        if (value != NULL) mayday_line_member(line, placed[index][0], text_of(value));
    }
    int64_t cpus = processors();
    if (cpus > 0) {
        mayday_line_key(line, "cpus");
        mayday_line_int(line, cpus);
    }
    uint64_t bytes = memory(&groups, &behind);
    if (bytes > 0) {
        mayday_line_key(line, "memory");
        mayday_line_hex(line, bytes);
    }
}

#endif
