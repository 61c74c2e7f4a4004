// What the files of CrashCapture share. One section for each file; each section says in which context its functions run:
// "handler" functions are async-signal-safe, "install" functions are not and are only called before a crash.

#ifndef MAYDAY_INTERNAL_H
#define MAYDAY_INTERNAL_H

#if defined(__linux__)

/// Functions of libc are interposed where its own can be found behind ours (dlsym with RTLD_NEXT), and where no sanitizer,
/// which interposes the same ones, has come first.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MAYDAY_SANITIZED 1
#endif
#endif
#include <features.h>
#if defined(__GLIBC__) && !defined(MAYDAY_SANITIZED)
#define MAYDAY_INTERPOSE 1
#else
#define MAYDAY_INTERPOSE 0
#endif

#include "CrashCapture.h"
#include "at_start.h"
#include "gate.h"
#include "line.h"
#include "stack.h"
#include "swift_call.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

// ---- settings: written by install.c, read-only pages afterwards ------------------------------------------------------

enum { CRASH_SIGNALS = 8, DEFAULT_CAPTURE_DEADLINE_MS = 2000 };

/// The signals that are captured, in the order of `Settings.previous`.
extern const int mayday_crash_signals[CRASH_SIGNALS];

/// A descriptor that is held from install on, or -1; its device and inode tell whether it still is what it was.
typedef struct HeldDescriptor {
    int fd;
    dev_t device;
    ino_t inode;
} HeldDescriptor;

typedef SWIFT_CALL void *CurrentTask(void);
typedef SWIFT_CALL uint64_t TaskID(const void *task);

typedef struct Settings {
    pid_t pid;
    /// Spool directory; without one the path is NULL.
    HeldDescriptor spool;
    const char *spool_path;
    /// /proc/self/task of this process, not of a forked child: there even when the service changes its root, or when no
    /// other descriptor can be opened.
    HeldDescriptor tasks;
    /// Closed at the crash to have room for another.
    HeldDescriptor spare;
    const char *report_members;
    const char *process_members;
    /// Arguments, and the environment, which begins with the two variables that delivery.c fills in. NULL for no reporter.
    char **reporter_arguments;
    char **reporter_environment;
    uint32_t reporter_deadline_ms;
    uint32_t capture_deadline_ms;
    /// Executable's absolute path, program headers, the loader's list and the kernel's own object.
    const char *executable;
    uintptr_t executable_headers;
    size_t executable_header_count;
    uintptr_t loader_debug;
    uintptr_t vdso;
    /// CLOCK_BOOTTIME of the start of the process.
    uint64_t process_started_ns;
    /// Where the Swift runtime and libc keep their fatal messages, or NULL.
    const void *swift_message;
    const void *abort_message;
    /// Functions of the Swift runtime, or NULL: the task of the calling thread or NULL, the id of a task, and what checks an
    /// access to memory, of which only the address is of use.
    CurrentTask *current_task;
    TaskID *task_id;
    uintptr_t begin_access;
    struct sigaction previous[CRASH_SIGNALS];
} Settings;

/// NULL until installed.
extern const Settings *mayday_settings;

/// Index of `signal` in `mayday_crash_signals`, or -1. Handler.
int mayday_signal_index(int signal);

// ---- handler.c: the crash being captured -------------------------------------------------------------------------------

typedef enum LeaveReason { LEFT_NOT = 0, LEFT_FAULT = 1, LEFT_DEADLINE = 2 } LeaveReason;

typedef struct Crash {
    /// pid << 32 | tid of the crashing thread; 0 when there is no crash.
    _Atomic uint64_t owner;
    _Atomic int phase;
    int nested_faults;
    int signal;
    siginfo_t info;
    ucontext_t *context;
    pid_t pid;
    pid_t thread;
    /// Tells that thread from the others without a system call.
    const void *thread_pointer;
    char id[37];
    char message[2048];
    size_t message_length;
    const char *message_source;
    uint64_t entered_ns;
    uint64_t deadline_ns;
    /// When the watchdog ends what is running now.
    _Atomic uint64_t leave_ns;
    sigjmp_buf stage_exit;
    sigjmp_buf capture_exit;
} Crash;

extern Crash mayday_crash;

/// The handler. Handler.
void mayday_on_signal(int signal, siginfo_t *info, void *context);
/// Sets the handlers. False and errno when one could not be set; then none is. Handler.
bool mayday_arm(void);
/// The signals that instructions raise, as the kernel's set. Handler.
uint64_t mayday_faults(void);
/// Lets faults through on the calling thread: where one is blocked, the kernel ends the process without calling a handler.
/// Handler.
void mayday_open_faults(void);
/// True on the thread whose crash is being captured. Handler.
RUNS_AT_START bool mayday_on_crashing_thread(void);
/// Leaves what runs outside a stage, and goes on with what comes next. Handler.
_Noreturn void mayday_abandon_step(LeaveReason reason);
/// Sets the mask for the capture: everything blocked but faults and the deadline's signal. Handler.
void mayday_mask_for_capture(void);

// ---- runner.c: stages that can be left ---------------------------------------------------------------------------------

enum {
    /// Time that a stage gets even when the capture's deadline has passed: what was found is still written.
    WRITING_GRACE_NS = 50 * 1000 * 1000,
    /// Time for what is done between the stages.
    RUNNER_GRACE_NS = 200 * 1000 * 1000,
};

/// Runs `body`; a fault or stall in it comes back here. Returns why it was left. Handler.
LeaveReason mayday_attempt(void (*body)(void), uint64_t grace_ns);
/// `fault` or `deadline`. Handler.
const char *mayday_leave_name(LeaveReason reason);
/// The same, and notes for the `end` line how it went. Handler.
LeaveReason mayday_run_stage(const char *name, void (*body)(void), uint64_t grace_ns);
/// Notes that a stage was cut short for another reason (`limit`, `io`). Handler.
void mayday_note_cut(const char *stage, const char *reason);
/// Leaves the current stage; called from a nested signal on the crashing thread. Handler.
_Noreturn void mayday_leave_stage(LeaveReason reason);

// ---- park.c: the other threads stand still; handler --------------------------------------------------------------------

/// The calling thread was signalled: it stays here if it was asked to stop, and if nobody releases it until the process is gone.
void mayday_park(const ucontext_t *context);
/// Another thread crashed while a crash is being captured: waits until the process is gone, bounded.
void mayday_wait_for_end(void);
void mayday_park_reset(void);
/// A previous handler runs now: threads are let go after some seconds, in case it needs a lock that one of them holds.
void mayday_park_chained(void);
/// The process lives on.
void mayday_park_release(void);

// ---- ending.c: the process ends as it would have without us -------------------------------------------------------------

/// Puts the previous actions back and hands the signal on. Returns when the handler must return. Handler.
void mayday_end(void);
/// Makes sure that the process ends by the first crash's signal, from any thread. Handler.
void mayday_end_now(void);
/// A signal in the previous handler: its own action is put back and decides. Handler.
void mayday_pass_on(int signal, const siginfo_t *info);

// ---- report_writer.c: lines → gzip → spool file; handler ----------------------------------------------------------------

/// Forgets the report before. Plain stores.
void mayday_report_reset(void);
/// Opens the file. Where that fails or was left in the middle, the first write finds another place.
void mayday_report_open(void);
/// Nothing was flushed yet.
bool mayday_report_is_empty(void);
/// Drops what was written since the last flush.
void mayday_report_discard(void);
/// The empty line buffer, shared by all stages.
Line *mayday_report_line(void);
/// Ends the line with `\n` and compresses it. A line that overflowed is dropped and noted.
void mayday_report_write(Line *line, const char *stage);
/// Hands what was compressed so far to the file, as a gzip member of its own: whatever fails later cannot spoil it.
void mayday_report_flush(void);

// ---- spool_file.c: where the bytes go; handler ----------------------------------------------------------------------------

typedef struct SpoolFile {
    /// The file, or the memfd; -1 when there is neither.
    int fd;
    /// There is no file: the report is in the memfd, or only in what is kept.
    bool in_memory;
    /// Renamed into place.
    bool published;
    /// There may be bytes behind `size`.
    bool has_tail;
    /// It was synced, or the attempt took too long.
    bool sync_tried;
    uint64_t size;
    /// errno that sent the report into memory, or took the memfd.
    int error;
    /// Its first bytes: all of a report that has not an extraordinary number of threads.
    const uint8_t *kept;
    size_t kept_count;
    char path[PATH_MAX];
} SpoolFile;

extern SpoolFile mayday_spool;

/// Forgets the file before. Plain stores.
void mayday_spool_reset(void);
void mayday_spool_open(const char *id);
/// Writes behind the `size` bytes that are there. Goes on in memory when the disk takes no more; false when nothing does.
bool mayday_spool_write(const void *bytes, size_t count);
/// What was written behind `size` bytes does not count.
void mayday_spool_cut(uint64_t size);
/// fsync, rename, fsync of the directory; the lock is released.
void mayday_spool_publish(void);
/// The directory, once the report was opened, to be given to calls beside a name from `mayday_spool_name`; -1 when there is none.
int mayday_spool_directory(void);
/// What a file in that directory is called.
void mayday_spool_name(char to[PATH_MAX], const char *name);
/// Where neither file nor memfd takes the report (RLIMIT_FSIZE is for both): `fd` is a pipe that holds all of it, or it is false.
bool mayday_spool_through_pipe(void);
/// The file that is not published is not needed: it is empty, or somebody has the report.
void mayday_spool_remove_part(void);
/// Leaves word for the next start (last_crash.c).
void mayday_remember_crash(void);

// ---- safe_memory.c: reads that may fault; handler -------------------------------------------------------------------------

/// Probes what this kernel allows. Install.
void mayday_safe_memory_probe(void);
/// True where reads share a pipe: then only the thread that captures a crash may read. Handler.
bool mayday_safe_read_is_shared(void);
/// Copies all of it or returns false.
bool mayday_safe_read(void *to, uintptr_t from, size_t count);
/// Copies up to the first NUL, at most `capacity` - 1 bytes; always ends `to` with a NUL. Returns the length.
size_t mayday_safe_read_string(char *to, uintptr_t from, size_t capacity);
/// The same two for many small pieces that lie close together: whole blocks are copied and kept, so that a piece seldom costs
/// a system call. What is read may be as old as the last `mayday_blocks_forget`.
bool mayday_safe_read_near(void *to, uintptr_t from, size_t count);
size_t mayday_safe_read_string_near(char *to, uintptr_t from, size_t capacity);
void mayday_blocks_forget(void);

// ---- images.c: loaded objects ----------------------------------------------------------------------------------------------

enum { MAX_IMAGES = 1024, MAX_BUILD_ID = 32 };

typedef struct LoadedImage {
    uintptr_t bias;
    uintptr_t base;
    uintptr_t end;
    uintptr_t executable_start;
    uintptr_t executable_end;
    uintptr_t headers;
    uint16_t header_count;
    uint8_t build_id_length;
    uint8_t build_id[MAX_BUILD_ID];
    const char *path;
} LoadedImage;

typedef struct ImageTable {
    /// Number of valid entries; grows entry by entry, so that what was read before a fault stays.
    _Atomic uint32_t count;
    bool truncated;
    LoadedImage images[MAX_IMAGES];
} ImageTable;

extern ImageTable mayday_images;

/// Walks the loader's list into `mayday_images`. Handler.
void mayday_images_walk(void);
/// Index of the image that contains `address`, or -1. Handler.
int mayday_image_of(uintptr_t address);
/// True within the executable segments of an image. Handler.
bool mayday_is_code(uintptr_t address);

// ---- registers.c; handler -------------------------------------------------------------------------------------------------------

RUNS_AT_START uintptr_t mayday_context_pc(const ucontext_t *context);
uintptr_t mayday_context_sp(const ucontext_t *context);
uintptr_t mayday_context_fp(const ucontext_t *context);
/// The register in which Swift passes the async context to a function. Handler.
uintptr_t mayday_context_async(const ucontext_t *context);
/// A return address without the signature that machines with pointer authentication put into its upper bits.
RUNS_AT_START uintptr_t mayday_code_address(uintptr_t address);
/// Machines where functions may sign their return address before they store it.
extern const bool mayday_may_sign;
/// True when the function has signed its return address by `pc`.
bool mayday_signs(const CodeRange *function, uintptr_t pc);
/// Makes the context that of another frame, as far as frame pointers are followed from it.
void mayday_context_set_frame(ucontext_t *context, uintptr_t pc, uintptr_t sp, uintptr_t fp);
/// Undoes a call to an address that cannot be executed: pc becomes the return address. False when it cannot be read.
bool mayday_context_undo_call(ucontext_t *context);
/// Moves pc back over a one-byte trap, when there is one, so that it traps again. True when returning repeats the trap.
bool mayday_context_repeat_trap(ucontext_t *context);
/// The object of all registers.
void mayday_registers(Line *line, const ucontext_t *context);

// ---- signals.c, message.c, stages.c, threads.c, status_line.c; handler ------------------------------------------------------------------------

/// `SIGSEGV`, or NULL.
const char *mayday_signal_name(int signal);
/// `SEGV_MAPERR`, or NULL.
const char *mayday_signal_code_name(int signal, int code);
/// Raised by an instruction of this thread, not sent.
bool mayday_signal_is_fault(int signal, int code);
/// The kernel filled in the address of the fault.
bool mayday_signal_has_address(int signal, int code);
/// The kernel filled in who sent it.
bool mayday_signal_has_sender(int code);

/// Fills `mayday_crash.message`.
void mayday_message_find(void);

void mayday_stage_header(void);
/// The header with as little as can be: for when the whole one failed.
void mayday_stage_bare_header(void);
void mayday_stage_unwind(void);
/// Adds the async callers to `mayday_crashed_stack` (await.c).
void mayday_stage_await(void);
void mayday_stage_stack(void);
void mayday_stage_images(void);
/// The `context` and `breadcrumb` lines, where the service said anything. Not run as a stage: it runs two.
void mayday_write_context(void);
/// The `end` line.
void mayday_stage_end(void);

extern Stack mayday_crashed_stack;

/// The `thread` lines of the parked threads. Not run as a stage: each thread is one of its own.
void mayday_write_threads(void);

/// One line on stderr: the crash and its report. Before the delivery, which may take a while and has lines of its own.
void mayday_status_line(void);
/// One line on stderr when the reporter failed and could not say so itself.
void mayday_delivery_line(void);

// ---- rehearse.c; handler ----------------------------------------------------------------------------------------------------------

/// True in the child of a rehearsal.
bool mayday_is_rehearsal(void);
/// In the child of a rehearsal: tells its parent how it went, and ends it. Elsewhere nothing.
void mayday_rehearsal_end(void);

// ---- terminate.c ------------------------------------------------------------------------------------------------------------------

/// Asks uncaught C++ exceptions for their type and text, where libstdc++ is in the process. Install.
void mayday_terminate_install(void);
/// What the exception said that `thread` ends by, or NULL. Handler.
const char *mayday_terminate_message(pid_t thread);

// ---- bind_calls.c ---------------------------------------------------------------------------------------------------------------

/// Has the loader look up what the handler calls. Install.
void mayday_bind_calls(void);

// ---- phdr_interpose.c, thread_stack.c, load.c: what is in place before `main` ----------------------------------------------------

typedef struct dl_phdr_info PhdrInfo;
typedef int (*PhdrCallback)(PhdrInfo *, size_t, void *);
extern _Atomic(int (*)(PhdrCallback, void *)) mayday_real_dl_iterate_phdr;
/// Finds the loader's behind ours, and remembers it. NULL when there is none. Before a crash.
int (*mayday_find_dl_iterate_phdr(void))(PhdrCallback, void *);

/// Puts an alternate stack on the calling thread when it has none that is large enough. Install.
bool mayday_thread_stack_ensure(void);
/// True in a process that was started as the reporter.
extern bool mayday_is_reporter;

// ---- clock; handler ------------------------------------------------------------------------------------------------------------------

uint64_t mayday_monotonic_ns(void);
uint64_t mayday_boottime_ns(void);
uint64_t mayday_realtime_ns(void);

#pragma GCC visibility pop

#endif
#endif
