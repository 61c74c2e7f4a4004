// CrashCapture: all that runs in a dying process.
//
// `mayday_start` (MaydayStart.h) is what the SDK's `start` does: it resolves the configuration, opens the spool and installs
// the handlers. From then on a fatal signal writes a report (docs/report-format.md), runs the
// reporter within its deadline, and lets the process end as it would have without us.
// Nothing below allocates, locks or waits at rest: no thread, no timer, no wake-up until the crash.

#ifndef MAYDAY_CRASH_CAPTURE_H
#define MAYDAY_CRASH_CAPTURE_H

#include "backtrace.h"
#include "calls.h"
#include "context.h"
#include "inspection.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Name and version of the SDK, as in `CHANGELOG.md`.
#define MAYDAY_SDK_NAME "mayday-swift"
#define MAYDAY_SDK_VERSION "0.1.0"

/// What the handler needs to know, all of it prepared before a crash. Every text is copied.
typedef struct MaydayCaptureOptions {
    /// Absolute path of the service's spool directory, which must exist. NULL: no disk, the report lives in memory (memfd)
    /// and is handed to the reporter alone. A report is written as `ID.jsonl.gz.part`, locked with `flock` meanwhile, and
    /// renamed to `ID.jsonl.gz` when it is whole and durable. A `.part` that nobody has locked is a report that was cut
    /// short from outside (SIGKILL, power): what it has is readable.
    const char *spool_directory;
    /// Members of the `report` line, each left out when it is empty.
    MaydayText service;
    MaydayText release;
    MaydayText environment;
    /// NULL-terminated argument vector for the re-executed binary. NULL: that of this process.
    const char *const *reporter_arguments;
    /// NULL-terminated environment for the reporter. NULL: that of this process, without Swift's backtracer, which would
    /// hold up a reporter that crashes. The handler adds MAYDAY_REPORTER and MAYDAY_REPORT (see below).
    const char *const *reporter_environment;
    /// How long the dying process waits for the reporter, in milliseconds; 0 for no reporter.
    uint32_t reporter_deadline_ms;
    /// Upper bound for collecting, in milliseconds; 0 takes the default of 2,000. What was found by then is still written,
    /// within 50 ms for each stage.
    uint32_t capture_deadline_ms;
} MaydayCaptureOptions;

/// Outcome of `mayday_capture_install`.
typedef enum MaydayCaptureStatus {
    MAYDAY_CAPTURE_INSTALLED = 0,
    /// Already installed in this process; nothing was changed.
    MAYDAY_CAPTURE_ALREADY_INSTALLED = 1,
    /// This platform's crashes are not captured (anything but Linux).
    MAYDAY_CAPTURE_UNSUPPORTED = 2,
    /// A system call failed: `errno` says why. Nothing is left half installed.
    MAYDAY_CAPTURE_FAILED = 3,
    /// This process is a reporter (it was started with MAYDAY_REPORTER): its own crashes are not captured.
    MAYDAY_CAPTURE_IN_REPORTER = 4,
} MaydayCaptureStatus;

/// Installs the handlers. Call on any thread, outside signal handlers. Not async-signal-safe.
MaydayCaptureStatus mayday_capture_install(const MaydayCaptureOptions *options);

/// How frames will be found: "libunwind" when it could be loaded, "frame-pointer" otherwise. Valid after install.
const char *mayday_capture_unwinder(void);

/// Why libunwind could not be loaded, as the loader says it; empty when that is not known. Valid after install.
const char *mayday_capture_unwinder_problem(void);

/// How a rehearsal went.
typedef struct MaydayRehearsal {
    /// errno when no child could be started, else 0.
    int error;
    /// The child captured its crash: the members below it are valid.
    bool captured;
    /// The report was durable in the spool; where it is not, it was in memory only.
    bool spooled;
    /// A reporter ran.
    bool reported;
    /// The reporter says that the backend has the report.
    bool delivered;
    /// Id of the report.
    char id[37];
    /// How the child ended, as waitpid(2) has it, -1 when somebody else reaped it; of interest when nothing was captured.
    int status;
    /// It had not ended within its bound, and was killed.
    bool timed_out;
    uint64_t duration_us;
} MaydayRehearsal;

/// Forks a child, crashes it, and waits until its crash was captured and its report delivered, as those of this process
/// would be. Blocks at most for both deadlines of the options and two seconds. The child raises no SIGCHLD, is seen by no
/// wait() but one with __WALL, and no handler that was set before ours is called in it.
///
/// `said` gets what the child and its reporter wrote on standard error, cut at `capacity` - 1 bytes, and a NUL.
/// Call after install. Thread-safe. Not async-signal-safe.
void mayday_capture_rehearse(MaydayRehearsal *rehearsal, char *said, size_t capacity);

/// Writes a fresh UUIDv7 as 36 characters and a NUL. Thread-safe; async-signal-safe.
void mayday_make_report_id(char out[37]);

/// Environment variable that marks a re-executed reporter; its value is its deadline in milliseconds.
/// A process that has it at load time is given a timer by the constructor that ends it at the deadline, wherever it is.
#define MAYDAY_REPORTER_VARIABLE "MAYDAY_REPORTER"

/// Environment variable that names the report to deliver: an absolute path in the spool, or `fd:N` for an inherited memfd.
#define MAYDAY_REPORT_VARIABLE "MAYDAY_REPORT"

/// Exit statuses of a reporter that reached `start`. A program that ends before that, with 0 or 1 as programs do, has neither.
/// Delivered: the backend has the report.
#define MAYDAY_REPORTER_DELIVERED 80
/// Not delivered: it has said why, and where the report is, on standard error.
#define MAYDAY_REPORTER_NOT_DELIVERED 81

#ifdef __cplusplus
}
#endif

#include "MaydayStart.h"

#endif
