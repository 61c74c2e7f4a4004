// What the SDK's `start` does before it installs the capture: the configuration with the environment's overrides and the
// defaults (configuration.c), and the directories of the spool (spool_directory.c).
//
// In C, because `start` is the first line of `main`: each function of the Swift runtime that it is the first to call brings
// 64 KB of the executable into memory and takes as long as all of this (docs/decisions.md). Not async-signal-safe.

#ifndef MAYDAY_START_H
#define MAYDAY_START_H

#include "CrashCapture.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the program says of itself. Texts are lent.
typedef struct MaydayProgram {
    MaydayText release;
    MaydayText environment;
    MaydayText service;
    /// Absolute path of the spool.
    MaydayText spool;
    int64_t delivery_deadline_ms;
    bool enabled;
} MaydayProgram;

/// A directory that may become the spool: `base` and `below` together.
typedef struct MaydaySpoolPlace {
    MaydayText base;
    const char *below;
    /// `base` must be there already: a home that does not exist is not made up.
    bool must_exist;
} MaydaySpoolPlace;

/// What `start` prints about itself; for operators, by `MAYDAY_SELF_CHECK` alone.
typedef enum MaydayStartCheck {
    MAYDAY_CHECK_NONE = 0,
    /// `Mayday.selfCheck()`, on standard error.
    MAYDAY_CHECK_ONLY = 1,
    /// That, and `Mayday.rehearse()` in the background.
    MAYDAY_CHECK_AND_REHEARSE = 2,
} MaydayStartCheck;

/// The configuration after its defaults and the environment's overrides. Its texts are those of the program and of the
/// environment.
typedef struct MaydaySettings {
    MaydayText release;
    MaydayText environment;
    MaydayText service;
    /// Where the spool may be; the first that can be used is.
    MaydaySpoolPlace spools[3];
    size_t spool_count;
    uint32_t delivery_deadline_ms;
    bool enabled;
    MaydayStartCheck self_check;
} MaydaySettings;

/// A value that cannot be used.
typedef struct MaydayMistake {
    /// `MAYDAY_SPOOL`, or `MaydayConfiguration.spool`; NULL when there is none.
    const char *setting;
    MaydayText value;
    /// What to write instead.
    const char *remedy;
} MaydayMistake;

/// Applies the overrides and the defaults. Pure.
///
/// `environment` is a NULL-terminated vector of `NAME=value`. `executable` is the name of the executable,
/// `user_directory` that of this user's directory in /var/tmp, `/mayday-UID`. False when a value cannot be used: `mistake` says which.
bool mayday_resolve(
    const MaydayProgram *program, const char *const *environment, MaydayText executable, const char *user_directory,
    MaydaySettings *settings, MaydayMistake *mistake
);

/// Why a directory cannot be the spool.
typedef enum MaydaySpoolProblem {
    MAYDAY_SPOOL_USABLE = 0,
    MAYDAY_SPOOL_SYMBOLIC_LINK,
    MAYDAY_SPOOL_NOT_A_DIRECTORY,
    /// Of another user: `owner`.
    MAYDAY_SPOOL_FOREIGN,
    /// `mode`.
    MAYDAY_SPOOL_WRITABLE_BY_OTHERS,
    // A system call failed: `error` is its errno.
    MAYDAY_SPOOL_CANNOT_FIND,
    MAYDAY_SPOOL_CANNOT_CREATE,
    MAYDAY_SPOOL_CANNOT_OPEN,
    MAYDAY_SPOOL_CANNOT_EXAMINE,
    MAYDAY_SPOOL_CANNOT_WRITE,
} MaydaySpoolProblem;

/// A directory of the spool, or why it cannot be one.
typedef struct MaydaySpoolDirectory {
    MaydaySpoolProblem problem;
    int error;
    uint32_t owner;
    uint32_t mode;
    /// Open when there is no problem, else -1; the caller's to close.
    int fd;
    /// Absolute path of the directory, or of the one that has the problem.
    char path[PATH_MAX];
} MaydaySpoolDirectory;

/// Opens an existing directory of the spool after checking whose it is: a real one of this user that nobody else can write
/// to. The spool holds private data and is named by an environment that may be shared.
void mayday_spool_directory_open(const char *path, MaydaySpoolDirectory *directory);

/// Opens the service's directory in the first place that can be used, and creates what is missing, with mode 0700. When none
/// can, the problem is the first one's.
void mayday_spool_directory_create(
    const MaydaySpoolPlace *places, size_t count, MaydayText service, MaydaySpoolDirectory *directory
);

#define MAYDAY_FILE_NAME_CAPACITY 256

/// The file name for a service or an uploader: its name, with `%41` for whatever is not plain, so that no two share one and
/// none is hidden, reserved or a way out.
void mayday_file_name(MaydayText text, char name[MAYDAY_FILE_NAME_CAPACITY]);

/// False when the directory certainly holds no report that waits for its delivery.
bool mayday_spool_directory_holds_reports(int fd);

/// Names of the links in the spool in which a crash is remembered: of the process that called `start`, and of one that it forked.
#define MAYDAY_LAST_CRASH_LINK "last-crash"
#define MAYDAY_LAST_CHILD_CRASH_LINK "last-child-crash"

/// Bytes of what is remembered of a crash, with the NUL: what file systems keep with the link itself.
#define MAYDAY_LAST_CRASH_CAPACITY 60

/// Takes what crashes before left in the spool for the next start, `ID SIGNAL`. Two system calls when there is nothing.
void mayday_last_crash_take(int directory);

/// What was taken; empty when there was nothing.
const char *mayday_last_crash(void);
/// The same of a forked child.
const char *mayday_last_child_crash(void);

/// What must be free for descriptors to be held from start on, or to be used by what runs beside the service. The capture holds
/// five, a delivery over HTTP takes ten, four of them Dispatch's, which ends the process when it gets none; the rest is the
/// service's.
enum { MAYDAY_DESCRIPTORS_TO_HOLD = 32, MAYDAY_DESCRIPTORS_TO_USE = 24, MAYDAY_DESCRIPTORS_TO_REPORT = 12 };

/// How many descriptors this process can still open, counted up to `enough`. Takes none. Thread-safe; not async-signal-safe.
size_t mayday_free_descriptors(size_t enough);

/// Outcome of `mayday_start`.
typedef struct MaydayStart {
    /// A value cannot be used: nothing was done.
    MaydayMistake mistake;
    bool enabled;
    MaydayStartCheck self_check;
    uint32_t delivery_deadline_ms;
    /// Its descriptor is closed.
    MaydaySpoolDirectory spool;
    /// Earlier runs may have left reports in the spool.
    bool left_over;
    MaydayCaptureStatus capture;
    /// Few descriptors were left: the capture holds none, and nothing is to be delivered in the background.
    bool few_descriptors;
    /// Frames are found by libunwind, else by frame pointers.
    bool has_unwinder;
    /// errno of the capture.
    int error;
} MaydayStart;

/// Resolves the configuration for this process, opens the spool and installs the capture. `outcome` is filled in.
void mayday_start(const MaydayProgram *program, MaydayStart *outcome);

/// Path of the service's directory in the spool, as `mayday_start` found it; empty before that, and without one.
const char *mayday_started_spool(void);

/// A variable of the environment; NULL when it is not there or empty, and for a process that runs with somebody else's rights (set-user-id), whose environment is not to be trusted.
const char *mayday_variable(MaydayText name);

/// How long this process has been running, in milliseconds; 0 when that is not known.
int64_t mayday_uptime_ms(void);

/// The deadline that a dying process gave its reporter, in milliseconds; NULL in a process that is none.
const char *mayday_reporter_deadline(void);

#ifdef __cplusplus
}
#endif

#endif
