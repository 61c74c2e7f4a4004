// Arguments: [option …] KIND, or KIND:NUMBER
//
//   --no-capture            does not install
//   --spool DIR             spool directory; without it the report lives in memory
//   --reporter MODE         re-executes itself as a reporter (see reporter.c)
//   --out DIR               where a good reporter leaves the report
//   --reporter-deadline MS  how long the dying process waits for it
//   --capture-deadline MS   bound of the capture
//   --previous MODE         installs a handler of its own first (see previous.c)
//   --after MODE            installs one afterwards (see hosts.c)
//   --children MODE         nobody waits for them: `ignore`, `no-wait`
//   --file-limit BYTES      RLIMIT_FSIZE
//   --trap-allocations yes  exits with 99 when the capture allocates
//   --descriptors MODE      none are left: `soft` below the hard limit, `hard` at it, `pipes` by pipes that nobody writes to
//   --descriptor-limit N    RLIMIT_NOFILE from the beginning, which `--descriptors` leaves as it is
//   --daemon bare|busy      closes every descriptor above 2 after it has installed, and opens others when it is busy
//   --blocked yes           every signal is blocked from the beginning
//   --processors one        runs on one of those that it may run on
//   --signal-limit COUNT    RLIMIT_SIGPENDING
//   --sandbox yes           refuses the newer system calls, as old kernels and strict seccomp profiles do (see sandbox.c);
//                           `memory` refuses memfd_create as well; `container` is Docker's profile (see container.c)

#include "CaptureChildCrashes.h"

#include "CrashCapture.h"
#include "kinds.h"
#include "reporter.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int capture_child_descriptors_before;

typedef struct Arguments {
    bool capture;
    const char *spool;
    const char *reporter;
    const char *as_reporter;
    const char *out;
    const char *previous;
    const char *file_limit;
    const char *descriptors;
    const char *descriptor_limit;
    const char *trap_allocations;
    const char *daemon;
    const char *after;
    const char *children;
    const char *processors;
    const char *signal_limit;
    const char *blocked;
    const char *sandbox;
    const char *reporter_deadline;
    const char *capture_deadline;
    const char *kind;
} Arguments;

static bool parse(int count, char **arguments, Arguments *result) {
    *result = (Arguments){.capture = true};
    const struct {
        const char *name;
        const char **value;
    } options[] = {
        {"--spool", &result->spool},
        {"--reporter", &result->reporter},
        {"--as-reporter", &result->as_reporter},
        {"--out", &result->out},
        {"--previous", &result->previous},
        {"--file-limit", &result->file_limit},
        {"--descriptors", &result->descriptors},
        {"--descriptor-limit", &result->descriptor_limit},
        {"--trap-allocations", &result->trap_allocations},
        {"--daemon", &result->daemon},
        {"--after", &result->after},
        {"--children", &result->children},
        {"--blocked", &result->blocked},
        {"--processors", &result->processors},
        {"--signal-limit", &result->signal_limit},
        {"--sandbox", &result->sandbox},
        {"--reporter-deadline", &result->reporter_deadline},
        {"--capture-deadline", &result->capture_deadline},
    };
    for (int index = 1; index < count; index++) {
        bool known = false;
        if (strcmp(arguments[index], "--no-capture") == 0) {
            result->capture = false;
            continue;
        }
        for (size_t option = 0; option < sizeof options / sizeof *options; option++) {
            if (strcmp(arguments[index], options[option].name) != 0 || index + 1 == count) continue;
            *options[option].value = arguments[++index];
            known = true;
            break;
        }
        if (known) continue;
        if (result->kind != NULL) return false;
        result->kind = arguments[index];
    }
    return result->kind != NULL || result->as_reporter != NULL;
}

static uint32_t number(const char *text, uint32_t otherwise) {
    return text == NULL ? otherwise : (uint32_t)strtoul(text, NULL, 10);
}

static bool install(const char *program, const Arguments *arguments) {
    char out[4096];
    snprintf(out, sizeof out, "CHILD_OUT=%s", arguments->out != NULL ? arguments->out : "");
    bool early = arguments->reporter != NULL && strcmp(arguments->reporter, "early") == 0;
    bool own = arguments->reporter != NULL && strcmp(arguments->reporter, "own") == 0;
    const char *const reporter[] = {program, "--as-reporter", arguments->reporter, NULL};
    const char *const environment[] = {out, "SWIFT_BACKTRACE=enable=no", early ? "CHILD_HANGS_EARLY=1" : NULL, NULL};
    MaydayCaptureOptions options = {
        .spool_directory = arguments->spool,
        .release = {"capture-child@1", strlen("capture-child@1")},
        .reporter_arguments = own ? NULL : reporter,
        .reporter_environment = own ? NULL : environment,
        .reporter_deadline_ms = arguments->reporter != NULL ? number(arguments->reporter_deadline, 60000) : 0,
        .capture_deadline_ms = number(arguments->capture_deadline, 30000),
    };
    MaydayCaptureStatus status = mayday_capture_install(&options);
    if (status == MAYDAY_CAPTURE_INSTALLED) return true;
    fprintf(stderr, "install: status %d\n", (int)status);
    return false;
}

static void limit_descriptors(rlim_t soft, rlim_t hard) {
    struct rlimit limit = {soft, hard};
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void use_up_descriptors(bool by_pipes) {
    int ends[2];
    while (by_pipes && pipe(ends) == 0) continue;
    while (dup(STDERR_FILENO) >= 0) continue;
}

static void stay_on_one_processor(void) {
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) _exit(71);
    int processor = 0;
    while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, &allowed)) processor += 1;
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(71);
}

static void become_daemon(bool busy) {
    for (int fd = 3; fd < 64; fd++) close(fd);
    for (int fd = 3; busy && fd < 16; fd++) open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void enter_sandbox(const char *mode) {
    if (strcmp(mode, "container") == 0) {
        capture_child_enter_container();
    } else {
        capture_child_enter_sandbox(strcmp(mode, "memory") == 0);
    }
}

static int run(const char *name) {
    static const Kind *const tables[] = {
        capture_child_faults,
        capture_child_stacks,
        capture_child_asyncs,
        capture_child_compiled,
        capture_child_threads,
        capture_child_hosts,
        capture_child_checks,
    };
    size_t length = strcspn(name, ":");
    capture_child_number = name[length] == ':' ? strtol(name + length + 1, NULL, 10) : 0;
    for (size_t table = 0; table < sizeof tables / sizeof *tables; table++) {
        for (const Kind *kind = tables[table]; kind != NULL && kind->name != NULL; kind++) {
            if (strlen(kind->name) != length || strncmp(kind->name, name, length) != 0) continue;
            kind->run();
            return 0;
        }
    }
    fprintf(stderr, "no kind %s\n", name);
    return 64;
}

static int kept_count;
static char **kept_arguments;

/// Swift reads them from /proc, which may not be there. libc gives them to constructors too.
__attribute__((constructor)) static void keep_arguments(int count, char **arguments) {
    kept_count = count;
    kept_arguments = arguments;
}

int capture_child_main(int32_t count, char **arguments) {
    if (count < 2) {
        count = kept_count;
        arguments = kept_arguments;
    }
    Arguments parsed;
    if (!parse(count, arguments, &parsed)) {
        fprintf(stderr, "usage: CaptureChild [option ...] KIND\n");
        return 64;
    }
    if (parsed.as_reporter != NULL) return capture_child_report(parsed.as_reporter);
    // Run again with its own arguments: `--reporter own`.
    if (getenv(MAYDAY_REPORTER_VARIABLE) != NULL) return capture_child_echo(arguments);
    if (parsed.previous != NULL && !capture_child_install_previous(parsed.previous)) return 64;
    if (parsed.file_limit != NULL) {
        struct rlimit limit = {number(parsed.file_limit, 0), number(parsed.file_limit, 0)};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (parsed.descriptor_limit != NULL) {
        rlim_t limit = number(parsed.descriptor_limit, 0);
        // What whoever started us let slip.
        for (int fd = 3; fd < 1024; fd++) close(fd);
        limit_descriptors(limit, limit);
    }
    if (parsed.blocked != NULL) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
    }
    if (parsed.processors != NULL) stay_on_one_processor();
    if (parsed.signal_limit != NULL) {
        struct rlimit limit = {number(parsed.signal_limit, 0), number(parsed.signal_limit, 0)};
        setrlimit(RLIMIT_SIGPENDING, &limit);
    }
    if (parsed.sandbox != NULL) enter_sandbox(parsed.sandbox);
    capture_child_descriptors_before = capture_child_descriptors();
    if (parsed.capture && !install(arguments[0], &parsed)) return 70;
    if (parsed.after != NULL) capture_child_install_after(parsed.after);
    if (parsed.children != NULL) capture_child_set_sigchld(parsed.children);
    if (parsed.daemon != NULL) become_daemon(strcmp(parsed.daemon, "busy") == 0);
    if (parsed.descriptors != NULL && parsed.descriptor_limit == NULL) {
        limit_descriptors(64, strcmp(parsed.descriptors, "hard") == 0 ? 64 : 1024);
    }
    if (parsed.descriptors != NULL) use_up_descriptors(strcmp(parsed.descriptors, "pipes") == 0);
    capture_child_trap_allocations = parsed.trap_allocations != NULL;
    return run(parsed.kind);
}

void capture_child_exit(int status) { exit(status); }
