// Installs the handlers: everything that allocates, locks or resolves names happens here, before a crash.
// Nothing in this file is async-signal-safe.

#include "CrashCapture.h"

#if defined(__linux__)

#include "internal.h"
#include "delivery.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const Settings *mayday_settings;

/// The Swift runtime's accessor for its fatal message; runtimes before 6.3 have none.
extern void *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));

/// Copies of the options live in pages of their own, read-only after install: a stray write cannot redirect the exec.
typedef struct Copier {
    char *memory;
    size_t used;
    size_t capacity;
} Copier;

static void *copy(Copier *copier, const void *from, size_t count) {
    size_t start = (copier->used + 15) & ~(size_t)15;
    copier->used = start + count;
    if (copier->memory == NULL) return NULL;  // the first pass only measures
    char *to = copier->memory + start;
    if (from != NULL) memcpy(to, from, count);
    return to;
}

static const char *copy_string(Copier *copier, const char *text) {
    return text == NULL ? NULL : copy(copier, text, strlen(text) + 1);
}

/// `first` and `second` come before the copies when they are given.
static char **copy_strings(Copier *copier, char *first, char *second, const char *const *strings) {
    size_t count = 0, at = 0;
    while (strings != NULL && strings[count] != NULL) count += 1;
    char **copies = copy(copier, NULL, (count + 3) * sizeof(char *));
    if (copies != NULL && first != NULL) copies[at++] = first;
    if (copies != NULL && second != NULL) copies[at++] = second;
    for (size_t index = 0; index < count; index++) {
        const char *text = copy_string(copier, strings[index]);
        if (copies != NULL) copies[at++] = (char *)text;
    }
    return copies;
}

static Settings *copy_settings(Copier *copier, const Settings *facts, const MaydayCaptureOptions *options) {
    Settings settings = *facts;
    settings.spool_path = copy_string(copier, options->spool_directory);
    settings.report_members = copy_string(copier, options->report_members);
    settings.process_members = copy_string(copier, options->process_members);
    settings.executable = copy_string(copier, facts->executable);
    if (options->reporter_arguments != NULL && options->reporter_arguments[0] != NULL) {
        settings.reporter_arguments = copy_strings(copier, NULL, NULL, options->reporter_arguments);
        // First: whatever the service's own environment says of these two, getenv finds ours.
        settings.reporter_environment = copy_strings(
            copier, mayday_reporter_variable, mayday_report_variable, options->reporter_environment);
    }
    return copy(copier, &settings, sizeof settings);
}

/// The loader's list, by the executable's DT_DEBUG entry (<link.h>).
static uintptr_t find_loader_debug(const Settings *settings) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)settings->executable_headers;
    uintptr_t bias = 0, dynamic = 0;
    for (size_t index = 0; index < settings->executable_header_count; index++) {
        if (headers[index].p_type == PT_PHDR) bias = settings->executable_headers - headers[index].p_vaddr;
        if (headers[index].p_type == PT_DYNAMIC) dynamic = headers[index].p_vaddr;
    }
    if (dynamic == 0) return 0;
    for (const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(bias + dynamic); entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_DEBUG) return entry->d_un.d_ptr;
    }
    return 0;
}

/// CLOCK_BOOTTIME of the start of this process: field 22 of /proc/self/stat, in clock ticks.
static uint64_t find_process_start(void) {
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) return 0;
    text[length] = '\0';
    char *field = strrchr(text, ')');  // the name before it may contain anything
    for (int number = 2; field != NULL && number < 22; number++) field = strchr(field + 1, ' ');
    if (field == NULL) return 0;
    return strtoull(field + 1, NULL, 10) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

/// Opens a directory for the crash. -1 and errno when that fails.
static HeldDescriptor hold(const char *directory, int flags) {
    HeldDescriptor held = {.fd = open(directory, flags | O_DIRECTORY | O_CLOEXEC)};
    struct stat status;
    if (held.fd >= 0 && fstat(held.fd, &status) == 0) {
        held.device = status.st_dev;
        held.inode = status.st_ino;
    }
    return held;
}

static void hold_descriptors(Settings *settings, const char *spool) {
    settings->spool = spool != NULL ? hold(spool, O_RDONLY) : (HeldDescriptor){.fd = -1};
    settings->spool_error = spool != NULL && settings->spool.fd < 0 ? errno : 0;
    settings->tasks = hold("/proc/self/task", O_RDONLY);
    settings->spare = hold("/", O_PATH);
}

static void let_go(const Settings *settings) {
    const HeldDescriptor *all[] = {&settings->spool, &settings->tasks, &settings->spare};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) {
        if (all[index]->fd >= 0) close(all[index]->fd);
    }
}

static void gather_facts(Settings *settings, char executable[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", executable, PATH_MAX - 1);
    executable[length > 0 ? length : 0] = '\0';
    // Without a /proc: as it was executed, which is of use when that was no relative path.
    const char *executed = (const char *)getauxval(AT_EXECFN);
    if (length <= 0 && executed != NULL && *executed == '/') strncat(executable, executed, PATH_MAX - 1);
    settings->executable = executable;
    settings->pid = getpid();
    settings->executable_headers = getauxval(AT_PHDR);
    settings->executable_header_count = getauxval(AT_PHNUM);
    settings->vdso = getauxval(AT_SYSINFO_EHDR);
    settings->loader_debug = find_loader_debug(settings);
    settings->process_started_ns = find_process_start();
    if (swift_getFatalErrorMessageBuffer != NULL) settings->swift_message = swift_getFatalErrorMessageBuffer();
#if defined(__GLIBC__)
    settings->abort_message = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
#endif
}

/// Copies everything into read-only pages. NULL and errno when there is no memory.
static const Settings *seal(const Settings *facts, const MaydayCaptureOptions *options) {
    Copier measure = {0};
    copy_settings(&measure, facts, options);
    Copier copier = {.capacity = measure.used};
    void *memory = mmap(NULL, copier.capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    copier.memory = memory;
    const Settings *settings = copy_settings(&copier, facts, options);
    mprotect(memory, copier.capacity, PROT_READ);
    return settings;
}

static MaydayCaptureStatus install(const MaydayCaptureOptions *options) {
    static char executable[PATH_MAX];
    Settings settings;
    memset(&settings, 0, sizeof settings);
    settings.reporter_deadline_ms = options->reporter_deadline_ms;
    settings.capture_deadline_ms =
        options->capture_deadline_ms > 0 ? options->capture_deadline_ms : DEFAULT_CAPTURE_DEADLINE_MS;
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        if (sigaction(mayday_crash_signals[index], NULL, &settings.previous[index]) != 0) return MAYDAY_CAPTURE_FAILED;
    }
    if (!mayday_thread_stack_ensure()) return MAYDAY_CAPTURE_FAILED;
    hold_descriptors(&settings, options->spool_directory);
    gather_facts(&settings, executable);
    mayday_safe_memory_probe();
    mayday_unwinder_load();
    mayday_report_warm_up();

    mayday_settings = seal(&settings, options);
    if (mayday_settings != NULL && mayday_arm()) {
        mayday_terminate_install();
        mayday_open_faults();
        return MAYDAY_CAPTURE_INSTALLED;
    }
    int error = errno;
    mayday_settings = NULL;
    let_go(&settings);
    errno = error;
    return MAYDAY_CAPTURE_FAILED;
}

MaydayCaptureStatus mayday_capture_install(const MaydayCaptureOptions *options) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    if (mayday_is_reporter) return MAYDAY_CAPTURE_IN_REPORTER;
    pthread_mutex_lock(&once);
    MaydayCaptureStatus status =
        mayday_settings != NULL ? MAYDAY_CAPTURE_ALREADY_INSTALLED : install(options);
    int error = errno;
    pthread_mutex_unlock(&once);
    errno = error;
    return status;
}

#else

MaydayCaptureStatus mayday_capture_install(const MaydayCaptureOptions *options) {
    (void)options;
    return MAYDAY_CAPTURE_UNSUPPORTED;
}

#endif
