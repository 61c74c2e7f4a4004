// Installs the handlers: everything that allocates, locks or resolves names happens here, before a crash.
// Nothing in this file is async-signal-safe.

#include "CrashCapture.h"

#if defined(__linux__)

#include "facts.h"
#include "runs_at_start.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

const Settings *mayday_settings WRITTEN_AT_START;

/// The Swift runtime's accessor for its fatal message; runtimes before 6.3 have none.
extern void *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));
/// The task that the calling thread is running, or NULL: reads a thread-local variable.
extern SWIFT_CALL void *swift_task_getCurrent(void) __attribute__((weak));
/// Reads the memory of the task.
extern SWIFT_CALL uint64_t swift_task_getJobTaskId(const void *task) __attribute__((weak));
/// Never called here.
extern void swift_beginAccess(void) __attribute__((weak));

/// What the handler asks the Swift runtime is looked up and called once now: nothing is bound at the crash.
static void find_swift_runtime(Settings *settings) {
    if (swift_getFatalErrorMessageBuffer != NULL) settings->swift_message = swift_getFatalErrorMessageBuffer();
    settings->begin_access = (uintptr_t)swift_beginAccess;
    if (swift_task_getCurrent == NULL || swift_task_getJobTaskId == NULL) return;
    settings->current_task = swift_task_getCurrent;
    settings->task_id = swift_task_getJobTaskId;
    settings->current_task();
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

/// None where few are left: what works without us at that limit must work with us. They are opened at the crash then.
static bool hold_descriptors(Settings *settings, const char *spool) {
    settings->spool = settings->tasks = settings->spare = (HeldDescriptor){.fd = -1};
    if (mayday_free_descriptors(MAYDAY_DESCRIPTORS_TO_HOLD) < MAYDAY_DESCRIPTORS_TO_HOLD) return false;
    if (spool != NULL) settings->spool = hold(spool, O_RDONLY);
    settings->tasks = hold("/proc/self/task", O_RDONLY);
    settings->spare = hold("/", O_PATH);
    return true;
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
    settings->process_started_ns = mayday_process_start();
    find_swift_runtime(settings);
#if defined(__GLIBC__)
    settings->abort_message = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
#endif
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
    bool holds = hold_descriptors(&settings, options->spool_directory);
    gather_facts(&settings, executable);
    mayday_safe_memory_probe();
    mayday_unwinder_load(holds);
    mayday_bind_calls();

    mayday_settings = mayday_settings_seal(&settings, options);
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
    static pthread_mutex_t once WRITTEN_AT_START = PTHREAD_MUTEX_INITIALIZER;
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
