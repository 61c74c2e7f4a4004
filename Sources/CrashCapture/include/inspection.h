// What can be asked of a running process: would a crash be captured? Nothing here is async-signal-safe.

#ifndef MAYDAY_INSPECTION_H
#define MAYDAY_INSPECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Who gets a signal.
typedef enum MaydayHandlerKind {
    MAYDAY_HANDLER_DEFAULT = 0,
    MAYDAY_HANDLER_IGNORED = 1,
    /// Ours.
    MAYDAY_HANDLER_OURS = 2,
    /// Somebody else's.
    MAYDAY_HANDLER_OTHER = 3,
} MaydayHandlerKind;

typedef struct MaydayHandler {
    MaydayHandlerKind kind;
    /// Path of the object that the function is in, as the loader has it, and its name; NULL when they are not known.
    /// Valid while that object is loaded.
    const char *image;
    const char *function;
    /// The function is in the same object as Mayday: the service's own binary, as a rule.
    bool is_in_our_image;
} MaydayHandler;

/// Number of the signals that are captured.
int mayday_inspect_count(void);
/// The signal at an index below the count.
int mayday_inspect_signal(int index);
/// `SIGSEGV`; NULL for a signal that is not captured.
const char *mayday_inspect_signal_name(int signal);
/// The signals that instructions raise, one bit each, that of signal N at N - 1, as in `SigBlk` of proc(5).
uint64_t mayday_inspect_faults(void);
/// Who gets the signal now.
MaydayHandler mayday_inspect_handler(int signal);
/// Who got it when the capture was installed: called after ours. Default when nothing was installed.
MaydayHandler mayday_inspect_previous(int signal);
/// Usable bytes of the calling thread's alternate signal stack; 0 when it has none.
size_t mayday_inspect_alternate_stack(void);
/// True when threads are created through us, which gives each an alternate stack.
bool mayday_inspect_creates_threads(void);
/// How long a file may become (RLIMIT_FSIZE), in bytes. Above it the kernel also sends SIGXFSZ.
uint64_t mayday_inspect_file_size_limit(void);

typedef struct MaydayLoadedObject {
    /// Empty for the executable.
    const char *path;
    /// Lowest mapped address, and bytes from there to the end of the last mapped segment.
    uintptr_t base;
    size_t size;
    /// NULL when it has none.
    const uint8_t *build_id;
    size_t build_id_length;
} MaydayLoadedObject;

/// Calls `each` with every loaded object, the executable first.
void mayday_inspect_images(void (*each)(void *context, const MaydayLoadedObject *object), void *context);

#ifdef __cplusplus
}
#endif

#endif
