// What a report says of the process and its host, gathered at start (host_facts.c, process_facts.c). Nothing here is
// async-signal-safe.

#ifndef MAYDAY_FACTS_H
#define MAYDAY_FACTS_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

/// Memory that grows by what is taken from it. Files are read behind what was taken, and forgotten.
typedef struct Pages {
    char *memory;
    size_t used;
    size_t capacity;
    /// Something did not fit.
    bool overflow;
} Pages;

/// `count` bytes, aligned for everything, or NULL.
void *mayday_pages_take(Pages *pages, size_t count);
/// The start of a file, up to the end of the pages; valid until the next call for them. Empty when it cannot be read.
MaydayText mayday_read_file(const char *path, Pages *pages);
/// The part of a text before the next `separator`, both of which are taken off. False when nothing is left.
bool mayday_text_until(MaydayText *rest, char separator, MaydayText *part);
/// Writes a member when its text is not empty.
void mayday_line_member(Line *line, const char *key, MaydayText text);

// ---- host_facts.c -----------------------------------------------------------------------------------------------------

/// What `/proc/self/cgroup` says (cgroups(7)); texts within it.
typedef struct ControlGroups {
    /// Path in the hierarchy that limits memory: the unified one, or that of version 1.
    MaydayText path;
    bool first_version;
    MaydayText container;
} ControlGroups;

ControlGroups mayday_control_groups(MaydayText file);
/// Path of a file that may hold a memory limit: level 0 is the group itself, then those above it, eight at most. Within a
/// container the group is often seen as the root. False above the last.
bool mayday_memory_limit_file(const ControlGroups *groups, int level, Line *path);
/// The number of such a file; UINT64_MAX for `max`, and for one that is too great to be a limit.
uint64_t mayday_memory_limit(MaydayText file);
/// `PRETTY_NAME` of os-release(5), without its quotes.
MaydayText mayday_operating_system(MaydayText file);
/// The id in the source of a mount of `hostname` or `resolv.conf`, `…/containers/ID/hostname` (`/proc/self/mountinfo`).
MaydayText mayday_mounted_container(MaydayText file);
/// Writes the members of the `host` object.
void mayday_host_members(Line *line, Pages *pages);

// ---- process_facts.c --------------------------------------------------------------------------------------------------

/// CLOCK_BOOTTIME of the start of this process in nanoseconds, to the hundredth of a second; 0 when unknown.
uint64_t mayday_process_start(void);
/// The part of a path after its last `/`.
MaydayText mayday_last_component(const char *path);
/// Writes the members of the `process` object that are known at start.
void mayday_process_members(Line *line, const char *executable, uint64_t started_ns);
/// The argument vector of `main`, NULL-terminated, in `pages`; NULL when it cannot be read.
char **mayday_own_arguments(Pages *pages);

// ---- settings.c -------------------------------------------------------------------------------------------------------

/// Copies what `found` and `options` say, with what is known of process and host, into read-only pages. NULL and errno when
/// there is no room.
const Settings *mayday_settings_seal(const Settings *found, const MaydayCaptureOptions *options);

#pragma GCC visibility pop

#endif
#endif
