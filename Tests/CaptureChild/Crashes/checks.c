// Survivors that print what they find.

#include "kinds.h"

#include "CrashCapture.h"
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// ---- decisions ---------------------------------------------------------------------------------------------------------

static const char *const owners[] = {"nobody", "self", "other", "borrowed"};
static const char *const phases[] = {"runner", "stage", "ending", "chained"};
static const char *const senders[] = {"none", "self", "another"};
static const char *const gate_actions[] = {
    "ignore", "exit", "capture", "wait", "leave-stage", "abandon", "die", "pass-on",
};

static void print_bits(unsigned bits, const char *const *names, int count) {
    bool first = true;
    for (int bit = 0; bit < count; bit++) {
        if ((bits & 1u << bit) == 0) continue;
        printf(first ? "%s" : ",%s", names[bit]);
        first = false;
    }
    printf("|");
}

/// The gate's table, as it is.
static void gate_table(void) {
    for (size_t index = 0; index < mayday_gate_row_count; index++) {
        const GateRow *row = &mayday_gate_rows[index];
        printf("%s|", row->name);
        print_bits(row->owners, owners, 4);
        print_bits(row->phases, phases, 4);
        print_bits(row->senders, senders, 3);
        printf("%s|%d|%s: %s\n", row->if_ignored ? "ignored" : "", row->faults, gate_actions[row->action], row->why);
    }
}

/// What the gate decides about everything that can be, and by which row.
static void gate(void) {
    static const char *const counts[] = {"", " many", " too-many"};
    static const int faults[] = {0, MAX_STAGE_FAULTS, MAX_NESTED_FAULTS};
    for (int state = 0; state < 4 * 4 * 3 * 2 * 3; state++) {
        GateFacts facts = {
            .owner = (GateOwner)(state % 4),
            .phase = (GatePhase)(state / 4 % 4),
            .sender = (GateSender)(state / 16 % 3),
            .ignored_before = state / 48 % 2,
            .nested_faults = faults[state / 96],
        };
        const GateRow *row = mayday_gate_row(&facts);
        printf("%s %s%s%s%s%s: %s: %s\n", owners[facts.owner], phases[facts.phase],
               facts.sender != SENDER_NONE ? " sent" : "", facts.sender == SENDER_SELF ? " by-self" : "",
               facts.ignored_before ? " ignored" : "", counts[state / 96], gate_actions[mayday_gate_decide(&facts)],
               row != NULL ? row->name : "no row");
    }
}

/// How a process ends whose previous action was the default: as process 1, and as any other.
static void end_table(void) {
    static const char *const actions[] = {"return", "requeue", "exit"};
    static const struct {
        const char *name;
        EndFacts facts;
    } rows[] = {
        {"SIGSEGV, SIGBUS, SIGILL, SIGFPE by an instruction", {SIGSEGV, SEGV_MAPERR, false, false, false}},
        {"SIGTRAP by an instruction that can be repeated", {SIGTRAP, SI_KERNEL, false, false, true}},
        {"SIGTRAP by another", {SIGTRAP, TRAP_TRACE, false, false, false}},
        {"SIGABRT by `abort()`", {SIGABRT, SI_TKILL, false, true, false}},
        {"SIGSYS by a sandbox", {SIGSYS, 1, false, false, false}},
        {"any that was sent", {SIGSEGV, SI_USER, false, false, false}},
    };
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        EndFacts facts = rows[index].facts;
        EndAction other = mayday_end_decide(&facts);
        facts.pid_one = true;
        printf("%s|%s|%s\n", rows[index].name, actions[mayday_end_decide(&facts)], actions[other]);
    }
}

static void ending(void) {
    static const char *const actions[] = {"return", "requeue", "exit"};
    static const struct {
        const char *name;
        EndFacts facts;
    } rows[] = {
        {"segv fault", {SIGSEGV, SEGV_MAPERR, false, false, false}},
        {"segv fault pid1", {SIGSEGV, SEGV_MAPERR, true, false, false}},
        {"segv kill", {SIGSEGV, SI_USER, false, false, false}},
        {"segv kill pid1", {SIGSEGV, SI_USER, true, false, false}},
        {"ill fault", {SIGILL, ILL_ILLOPN, false, false, false}},
        {"trap", {SIGTRAP, SI_KERNEL, false, false, false}},
        {"trap pid1", {SIGTRAP, SI_KERNEL, true, false, true}},
        {"trap pid1 not repeatable", {SIGTRAP, TRAP_TRACE, true, false, false}},
        {"abort", {SIGABRT, SI_TKILL, false, true, false}},
        {"abort pid1", {SIGABRT, SI_TKILL, true, true, false}},
        {"abort kill pid1", {SIGABRT, SI_USER, true, false, false}},
        {"sys pid1", {SIGSYS, 1, true, false, false}},
        {"quit", {SIGQUIT, SI_USER, false, false, false}},
        {"bus elsewhere", {SIGBUS, BUS_MCEERR_AO, false, false, false}},
    };
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        printf("%s: %s\n", rows[index].name, actions[mayday_end_decide(&rows[index].facts)]);
    }
}

// ---- text ----------------------------------------------------------------------------------------------------------------

static void json(void) {
    static char buffer[65536];
    Line line = {.data = buffer, .capacity = sizeof buffer};
    mayday_line_raw(&line, "{");
    static const char *const texts[] = {
        "plain", "quote \" and \\", "tab\tnewline\nbell\adelete\x7f", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9f",
        "cut \xe2\x82", "alone \x80 \xff", "overlong \xc0\xaf", "surrogate \xed\xa0\x80", "beyond \xf4\x90\x80\x80",
    };
    for (size_t index = 0; index < sizeof texts / sizeof *texts; index++) {
        char key[2] = {(char)('a' + index), 0};
        mayday_line_key(&line, key);
        mayday_line_string(&line, texts[index], strlen(texts[index]));
    }
    static const int64_t numbers[] = {0, -1, INT64_MAX, INT64_MIN};
    mayday_line_key(&line, "numbers");
    mayday_line_raw(&line, "[");
    for (int index = 0; index < 4; index++) {
        if (index > 0) mayday_line_raw(&line, ",");
        mayday_line_int(&line, numbers[index]);
    }
    mayday_line_raw(&line, "]");
    mayday_line_key(&line, "hex");
    mayday_line_hex(&line, 0);
    mayday_line_key(&line, "high");
    mayday_line_hex(&line, UINT64_MAX);
    mayday_line_raw(&line, "}\n");
    fwrite(buffer, 1, line.length, stdout);
}

/// A line that is too small takes whole pieces or none.
static void small_line(void) {
    char buffer[8];
    Line line = {.data = buffer, .capacity = sizeof buffer};
    mayday_line_raw(&line, "12345");
    mayday_line_raw(&line, "67890");
    mayday_line_raw(&line, "1");
    printf("%zu %s\n", line.length, line.overflow ? "overflow" : "fits");
}

/// A time each 400 years and a day around every end of February, against libc's.
static void times(void) {
    for (int64_t day = 0; day < 200000; day++) {
        time_t seconds = day * 86400 + 86399;
        struct tm parts;
        gmtime_r(&seconds, &parts);
        char expected[64], actual[64];
        strftime(expected, sizeof expected, "\"%Y-%m-%dT%H:%M:%S.000001Z\"", &parts);
        Line line = {.data = actual, .capacity = sizeof actual - 1};
        mayday_line_time(&line, (uint64_t)seconds * 1000000000u + 1999);
        actual[line.length] = '\0';
        if (strcmp(expected, actual) != 0) printf("day %lld: %s, expected %s\n", (long long)day, actual, expected);
    }
    printf("done\n");
}

static void ids(void) {
    for (int index = 0; index < 1000; index++) {
        char id[37];
        mayday_make_report_id(id);
        printf("%s\n", id);
    }
}

// ---- threads ---------------------------------------------------------------------------------------------------------------

static int mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    int lines = 0;
    for (int byte = getc(maps); byte != EOF; byte = getc(maps)) lines += byte == '\n';
    fclose(maps);
    return lines;
}

static void *returns(void *argument) { return argument; }

static void *exits(void *argument) { pthread_exit(argument); }

static void *waits(void *argument) {
    (void)argument;
    for (;;) pause();
}

/// Threads that end in each way leave nothing mapped behind.
static void thread_churn(void) {
    static int token;
    int before = 0;
    for (int round = 0; round < 300; round++) {
        if (round == 20) before = mappings();
        pthread_t threads[3];
        pthread_create(&threads[0], NULL, returns, &token);
        pthread_create(&threads[1], NULL, exits, &token);
        pthread_create(&threads[2], NULL, waits, &token);
        pthread_cancel(threads[2]);
        for (int index = 0; index < 3; index++) {
            void *result = NULL;
            pthread_join(threads[index], &result);
            void *expected = index == 2 ? PTHREAD_CANCELED : &token;
            if (result != expected) printf("thread %d returned %p\n", index, result);
        }
    }
    int after = mappings();
    printf("%s\n", after <= before + 2 ? "nothing left" : "mappings left");
}

static void *own_stack_size(void *size) {
    stack_t stack;
    sigaltstack(NULL, &stack);
    *(size_t *)size = stack.ss_flags == SS_DISABLE ? 0 : stack.ss_size;
    return NULL;
}

static void alternate_stack(void) {
    size_t size = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, own_stack_size, &size);
    pthread_join(thread, NULL);
    printf("%s\n", size >= 65536 ? "large" : "small or none");
}

static void second_install(void) {
    MaydayCaptureOptions options = {0};
    printf("status %d\n", (int)mayday_capture_install(&options));
}

static int entries(const char *path) {
    DIR *directory = opendir(path);
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        count += entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory);
    }
    closedir(directory);
    return count;
}

int capture_child_descriptors(void) {
    int count = 0;
    for (int fd = 0; fd < 1024; fd++) count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/// What a process that only installed keeps: threads, timers, descriptors (there is no spool directory here).
static void at_rest(void) {
    int tasks = entries("/proc/self/task");
    int files = capture_child_descriptors() - capture_child_descriptors_before;
    // What was there before was inherited itself.
    int inherited = -capture_child_descriptors_before;
    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        inherited += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    FILE *timers = fopen("/proc/self/timers", "re");
    int timer_bytes = timers != NULL && getc(timers) != EOF;
    printf("tasks %d\ntimers %d\ndescriptors %d\ninherited %d\n", tasks, timer_bytes, files, inherited);
}

/// What a container's sandbox answers, and what it lets through.
static void sandbox_answers(void) {
    const struct {
        const char *name;
        long number;
        long first;
    } calls[] = {
        {"getpid", SYS_getpid, 0},           {"mount", SYS_mount, 0},
        {"unshare", SYS_unshare, 0},         {"clone3", SYS_clone3, 0},
        {"clone of a namespace", SYS_clone, 0x10000000},
        {"personality", SYS_personality, 0xffffffff}, {"other personality", SYS_personality, 0x40000},
        {"internet", SYS_socket, 2},         {"vsock", SYS_socket, 40},
        {"newer than all", 1000, 0},         {"process_vm_readv", SYS_process_vm_readv, getpid()},
    };
    for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        long result = syscall(calls[index].number, calls[index].first, 1L, 0L, 0L, 0L, 0L);
        printf("%s: %s\n", calls[index].name, result >= 0 ? "allowed" : strerrorname_np(errno));
    }
}

static int early_objects;

static int count_object(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)info;
    (void)size;
    (void)unused;
    early_objects += 1;
    return 0;
}

/// Before every constructor of this program, that of the capture as well.
static void ask_early(void) { dl_iterate_phdr(count_object, NULL); }

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = ask_early;

static void early_objects_are_told(void) {
    printf("%s\n", early_objects > 1 ? "told" : "none");
}

/// Shows that the trap for allocations works.
static void allocate_in_capture(void) {
    mayday_crash.owner = 1;
    free(capture_child_opaque((uintptr_t)malloc(16)));
}

static void count_descriptors(void) {
    printf("%d held\n", capture_child_descriptors() - capture_child_descriptors_before);
}

const Kind capture_child_checks[] = {
    {"count-descriptors", count_descriptors},
    {"allocate-in-capture", allocate_in_capture},
    {"early-objects", early_objects_are_told},
    {"gate", gate},
    {"gate-table", gate_table},
    {"ending", ending},
    {"end-table", end_table},
    {"json", json},
    {"small-line", small_line},
    {"times", times},
    {"ids", ids},
    {"thread-churn", thread_churn},
    {"alternate-stack", alternate_stack},
    {"second-install", second_install},
    {"at-rest", at_rest},
    {"sandbox-answers", sandbox_answers},
    {NULL, NULL},
};
