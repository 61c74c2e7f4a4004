// `start`: the configuration of this process, its spool, the capture. Not async-signal-safe.

#include "MaydayStart.h"
#include "facts.h"
#include "runs_at_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <crt_externs.h>
#include <mach-o/dyld.h>
#define environ (*_NSGetEnviron())
#endif

/// True for a process that runs with somebody else's rights (set-user-id).
static bool has_foreign_rights(void) { return getuid() != geteuid() || getgid() != getegid(); }

/// The environment of this process, or an empty one where it is not to be trusted.
static const char *const *own_environment(void) {
    static const char *const none[] = {NULL};
    return has_foreign_rights() || environ == NULL ? none : (const char *const *)environ;
}

const char *mayday_variable(MaydayText name) {
    for (const char *const *entry = own_environment(); *entry != NULL; entry++) {
        if (strncmp(*entry, name.bytes, name.length) != 0 || (*entry)[name.length] != '=') continue;
        const char *value = *entry + name.length + 1;
        return *value == '\0' ? NULL : value;
    }
    return NULL;
}

const char *mayday_reporter_deadline(void) { return getenv(MAYDAY_REPORTER_VARIABLE); }

int64_t mayday_uptime_ms(void) {
#if defined(__linux__)
    uint64_t started = mayday_process_start(), now = mayday_boottime_ns();
    return started == 0 || started > now ? 0 : (int64_t)((now - started) / 1000000u);
#else
    return 0;
#endif
}

static MaydayText executable_name(char path[PATH_MAX]) {
#if defined(__APPLE__)
    uint32_t capacity = PATH_MAX;
    if (_NSGetExecutablePath(path, &capacity) != 0) path[0] = '\0';
#else
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
#endif
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : "unknown";
    return (MaydayText){name, strlen(name)};
}

/// `/mayday-UID`.
static void name_user_directory(char name[32]) {
    static const char start[] = "/mayday-";
    char digits[16];
    size_t count = 0, length = sizeof start - 1;
    uint32_t user = geteuid();
    memcpy(name, start, length);
    do {
        digits[count++] = (char)('0' + user % 10);
        user /= 10;
    } while (user != 0);
    while (count > 0) name[length++] = digits[--count];
    name[length] = '\0';
}

static char spool_path[PATH_MAX];

const char *mayday_started_spool(void) { return spool_path; }

static char last_crash[MAYDAY_LAST_CRASH_CAPACITY];
static char last_child_crash[MAYDAY_LAST_CRASH_CAPACITY];

const char *mayday_last_crash(void) { return last_crash; }

const char *mayday_last_child_crash(void) { return last_child_crash; }

static void take(int directory, const char *name, char word[MAYDAY_LAST_CRASH_CAPACITY]) {
    ssize_t length = readlinkat(directory, name, word, MAYDAY_LAST_CRASH_CAPACITY - 1);
    if (length <= 0) return;
    // Of several processes that start at once, one is told.
    if (unlinkat(directory, name, 0) != 0) length = 0;
    word[length] = '\0';
}

void mayday_last_crash_take(int directory) {
    take(directory, MAYDAY_LAST_CRASH_LINK, last_crash);
    take(directory, MAYDAY_LAST_CHILD_CRASH_LINK, last_child_crash);
}

void mayday_start(const MaydayProgram *program, MaydayStart *outcome) {
    MaydaySettings settings;
    char executable[PATH_MAX];
    char user_directory[32];
    name_user_directory(user_directory);
    memset(outcome, 0, sizeof *outcome);
    MaydayText name = executable_name(executable);
    bool usable = mayday_resolve(program, own_environment(), name, user_directory, &settings, &outcome->mistake);
    outcome->enabled = usable && settings.enabled;
    if (!outcome->enabled) return;
    outcome->self_check = settings.self_check;
    outcome->delivery_deadline_ms = settings.delivery_deadline_ms;

    MaydaySpoolDirectory *spool = &outcome->spool;
    mayday_spool_directory_create(settings.spools, settings.spool_count, settings.service, spool);
    bool has_spool = spool->problem == MAYDAY_SPOOL_USABLE;
    if (has_spool) {
        memcpy(spool_path, spool->path, strlen(spool->path) + 1);
        outcome->left_over = mayday_spool_directory_holds_reports(spool->fd);
        mayday_last_crash_take(spool->fd);
        close(spool->fd);
        spool->fd = -1;
    }
    const MaydayCaptureOptions options = {
        .spool_directory = has_spool ? spool->path : NULL,
        .service = settings.service,
        .release = settings.release,
        .environment = settings.environment,
        .reporter_deadline_ms = settings.delivery_deadline_ms,
    };
    outcome->few_descriptors = mayday_free_descriptors(MAYDAY_DESCRIPTORS_TO_HOLD) < MAYDAY_DESCRIPTORS_TO_HOLD;
    outcome->capture = mayday_capture_install(&options);
    outcome->error = errno;
    outcome->has_unwinder = strcmp(mayday_capture_unwinder(), "libunwind") == 0;
}
