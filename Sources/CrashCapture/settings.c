// Copies of the options, in pages of their own that are read-only after install: a stray write cannot redirect the exec.
// Nothing in this file is async-signal-safe.

#if defined(__linux__)

#include "delivery.h"
#include "facts.h"
#include "runs_at_start.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Only what is used becomes memory. The kernel bounds arguments and environment together by 6 MB.
enum { LARGEST = 16 << 20, LARGEST_MEMBERS = 64 << 10 };

static const char *copy_string(Pages *pages, const char *text) {
    if (text == NULL) return NULL;
    size_t count = strlen(text) + 1;
    char *to = mayday_pages_take(pages, count);
    return to == NULL ? NULL : memcpy(to, text, count);
}

static bool is_backtracer(const char *variable) {
    static const char name[] = "SWIFT_BACKTRACE=";
    return strncmp(variable, name, sizeof name - 1) == 0;
}

/// The two variables of ours come first: whatever the service's own environment says of them, getenv finds ours.
static char **copy_environment(Pages *pages, const char *const *given) {
    const char *const *from = given != NULL ? given : (const char *const *)environ;
    size_t count = 0, at = 0;
    while (from != NULL && from[count] != NULL) count += 1;
    char **copies = mayday_pages_take(pages, (count + 4) * sizeof *copies);
    if (copies == NULL) return NULL;
    copies[at++] = mayday_reporter_variable;
    copies[at++] = mayday_report_variable;
    for (size_t index = 0; index < count; index++) {
        if (given == NULL && is_backtracer(from[index])) continue;
        copies[at++] = (char *)copy_string(pages, from[index]);
    }
    if (given == NULL) copies[at++] = (char *)copy_string(pages, "SWIFT_BACKTRACE=enable=no");
    copies[at] = NULL;
    return copies;
}

static char **copy_arguments(Pages *pages, const char *const *given) {
    if (given == NULL) return mayday_own_arguments(pages);
    size_t count = 0;
    while (given[count] != NULL) count += 1;
    char **copies = mayday_pages_take(pages, (count + 1) * sizeof *copies);
    if (copies == NULL) return NULL;
    for (size_t index = 0; index < count; index++) copies[index] = (char *)copy_string(pages, given[index]);
    copies[count] = NULL;
    return copies;
}

static Line begin_members(Pages *pages) {
    return (Line){.data = mayday_pages_take(pages, LARGEST_MEMBERS), .capacity = LARGEST_MEMBERS - 1};
}

/// Ends the text and gives back what it did not need.
static const char *end_members(Pages *pages, Line *members) {
    if (members->overflow) members->length = 0;
    members->data[members->length] = '\0';
    pages->used = (size_t)(members->data - pages->memory) + members->length + 1;
    return members->data;
}

/// `"service":"…","host":{…},"sdk":{…}`: members of the `report` line, without braces.
static const char *report_members(Pages *pages, const MaydayCaptureOptions *options) {
    Line line = begin_members(pages);
    if (line.data == NULL) return NULL;
    mayday_line_member(&line, "service", options->service);
    mayday_line_member(&line, "release", options->release);
    mayday_line_member(&line, "environment", options->environment);
    mayday_line_key(&line, "host");
    mayday_line_raw(&line, "{");
    mayday_host_members(&line, pages);
    mayday_line_raw(&line, "},\"sdk\":{\"name\":\"" MAYDAY_SDK_NAME "\",\"version\":\"" MAYDAY_SDK_VERSION "\"}");
    return end_members(pages, &line);
}

/// `"name":"…","path":"…"`: members of the `process` object, without braces.
static const char *process_members(Pages *pages, const Settings *found) {
    Line line = begin_members(pages);
    if (line.data == NULL) return NULL;
    mayday_process_members(&line, found->executable, found->process_started_ns);
    return end_members(pages, &line);
}

const Settings *mayday_settings_seal(const Settings *found, const MaydayCaptureOptions *options) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, LARGEST, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    Pages pages = {.memory = memory, .capacity = LARGEST};
    Settings *settings = mayday_pages_take(&pages, sizeof *settings);
    *settings = *found;
    settings->spool_path = copy_string(&pages, options->spool_directory);
    settings->executable = copy_string(&pages, found->executable);
    settings->report_members = report_members(&pages, options);
    settings->process_members = process_members(&pages, found);
    if (options->reporter_deadline_ms > 0) {
        settings->reporter_arguments = copy_arguments(&pages, options->reporter_arguments);
        settings->reporter_environment = copy_environment(&pages, options->reporter_environment);
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t kept = pages.overflow ? 0 : (pages.used + page - 1) / page * page;
    munmap((char *)memory + kept, LARGEST - kept);
    if (pages.overflow) {
        errno = E2BIG;
        return NULL;
    }
    mprotect(memory, kept, PROT_READ);
    return settings;
}

#endif
