// What the re-executed child does, good and bad.

#include "reporter.h"

#include "CrashCapture.h"
#include "kinds.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/// Before `main`, where no deadline of the reporter's own code can be at work.
__attribute__((constructor(200))) static void hang_early(void) {
    if (getenv("CHILD_HANGS_EARLY") == NULL || getenv(MAYDAY_REPORTER_VARIABLE) == NULL) return;
    for (;;) pause();
}

/// Takes the report in one step, so that one which the handler ends in the middle has it or leaves it.
static void take_report(const char *report, const char *directory) {
    char path[4096];
    char unfinished[4096];
    snprintf(path, sizeof path, "%s/delivered", directory);
    snprintf(unfinished, sizeof unfinished, "%s/.delivered", directory);
    if (rename(report, path) == 0) return;
    int from = strncmp(report, "fd:", 3) == 0 ? atoi(report + 3) : open(report, O_RDONLY);
    int to = open(unfinished, O_WRONLY | O_CREAT | O_EXCL, 0600);
    char chunk[4096];
    for (ssize_t count = read(from, chunk, sizeof chunk); count > 0; count = read(from, chunk, sizeof chunk)) {
        if (write(to, chunk, (size_t)count) != count) abort();
    }
    close(to);
    if (rename(unfinished, path) != 0) abort();
}

/// Signal masks of this process, its descriptors above 2, and its core limit.
static void print_facts(void) {
    FILE *status = fopen("/proc/self/status", "re");
    if (status == NULL) return;
    char line[256];
    while (fgets(line, sizeof line, status) != NULL) {
        // Without 32 and 33, libc's own, which its posix_spawn leaves ignored.
        unsigned long long set = strtoull(line + 7, NULL, 16) & ~0x180000000ull;
        if (strncmp(line, "SigBlk", 6) == 0) printf("blocked %llx\n", set);
        if (strncmp(line, "SigIgn", 6) == 0) printf("ignored %llx\n", set);
    }
    fclose(status);
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    printf("core %llu\n", (unsigned long long)core.rlim_cur);
    int open_files = 0;
    for (int fd = 3; fd < 1024; fd++) open_files += fcntl(fd, F_GETFD) >= 0;
    printf("descriptors %d\n", open_files);
    char target[256] = {0};
    if (readlink("/proc/self/fd/0", target, sizeof target - 1) > 0) printf("stdin %s\n", target);
    fflush(stdout);
}

int capture_child_echo(char **arguments) {
    for (char **argument = arguments; *argument != NULL; argument++) printf("argument %s\n", *argument);
    for (char **variable = environ; *variable != NULL; variable++) printf("variable %s\n", *variable);
    fflush(stdout);
    return MAYDAY_REPORTER_DELIVERED;
}

/// Until the spool holds a second report: that of a process that crashes meanwhile.
static void wait_for_second(const char *report) {
    char directory[4096];
    snprintf(directory, sizeof directory, "%s", report);
    char *end = strrchr(directory, '/');
    if (end == NULL) return;
    *end = '\0';
    for (int reports = 0; reports < 2; usleep(1000)) {
        DIR *spool = opendir(directory);
        if (spool == NULL) return;
        reports = 0;
        for (struct dirent *entry = readdir(spool); entry != NULL; entry = readdir(spool)) {
            const char *suffix = strstr(entry->d_name, ".jsonl.gz");
            reports += suffix != NULL && strcmp(suffix, ".jsonl.gz") == 0;
        }
        closedir(spool);
    }
}

int capture_child_report(const char *mode) {
    const char *report = getenv(MAYDAY_REPORT_VARIABLE);
    const char *directory = getenv("CHILD_OUT");
    MaydayCaptureOptions options = {0};
    MaydayCaptureStatus status = mayday_capture_install(&options);
    printf("reporter: install %d deadline %s\n", (int)status, getenv(MAYDAY_REPORTER_VARIABLE));
    fflush(stdout);
    bool late = strcmp(mode, "late") == 0;
    // Longer than a limit in nanoseconds that was kept in 32 bits.
    if (late) sleep(5);
    if ((late || strcmp(mode, "ok") == 0) && report != NULL && directory != NULL) {
        print_facts();
        take_report(report, directory);
        if (report[0] == '/') unlink(report);
        dprintf(STDERR_FILENO, "reporter: delivered\n");
        return MAYDAY_REPORTER_DELIVERED;
    }
    if (strcmp(mode, "count") == 0 && report != NULL && strncmp(report, "fd:", 3) == 0) {
        char chunk[4096];
        size_t bytes = 0;
        for (ssize_t count; (count = read(atoi(report + 3), chunk, sizeof chunk)) > 0; bytes += (size_t)count) continue;
        printf("reporter: read %zu bytes\n", bytes);
        fflush(stdout);
        return MAYDAY_REPORTER_DELIVERED;
    }
    if (strcmp(mode, "mend") == 0 && directory != NULL) {
        char path[4096];
        snprintf(path, sizeof path, "%s/mapped", directory);
        if (truncate(path, 4096) != 0) return 4;
        dprintf(STDERR_FILENO, "reporter: delivered\n");
        return MAYDAY_REPORTER_DELIVERED;
    }
    if (strcmp(mode, "hang") == 0) {
        for (;;) pause();
    }
    if (strcmp(mode, "second") == 0 && report != NULL) wait_for_second(report);
    if (strcmp(mode, "crash") == 0) capture_child_segv();
    return 3;
}
