// What an uncaught C++ exception says. Only a handler of std::terminate can ask it: it runs on the thread that threw, in no
// signal, before abort(). Everything of libstdc++ is looked up, so that a service without it stays without it.
// Not async-signal-safe, but for the last function.

#if defined(__linux__)

#include "internal.h"
#include "system_calls.h"
#include "runs_at_start.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void TerminateHandler(void);

/// `std::exception_ptr`: one pointer, returned in memory. The rest makes the structure large enough for C to do the same.
typedef struct ExceptionPointer {
    void *object;
    void *unused[3];
} ExceptionPointer;

/// `std::type_info`.
typedef struct TypeInfo {
    const void *functions;
    const char *name;
} TypeInfo;

/// `std::exception`: the third virtual function, behind the two destructors, is `what`.
typedef struct Exception {
    const char *(**functions)(const struct Exception *);
} Exception;

enum { WHAT = 2 };

// Itanium C++ ABI; the names of libstdc++ behind them.
typedef struct Runtime {
    TerminateHandler *(*set_terminate)(TerminateHandler *);
    const TypeInfo *(*current_type)(void);
    ExceptionPointer (*current_exception)(void);
    char *(*demangle)(const char *, char *, size_t *, int *);
    /// Is the first type a base of the second? Moves the pointer to that base.
    bool (*class_catches)(const TypeInfo *, const TypeInfo *, void **, unsigned);
    const TypeInfo *exception_type;
} Runtime;

static Runtime runtime WRITTEN_AT_START;
static TerminateHandler *previous WRITTEN_AT_START;

static char text[2048];
static _Atomic bool claimed;
/// Thread whose exception `text` is about; 0 before it is complete.
static _Atomic pid_t owner;

/// Appends what fits.
static void append(const char *more) {
    size_t length = strlen(text);
    size_t count = strnlen(more, sizeof text - 1 - length);
    memcpy(text + length, more, count);
    text[length + count] = '\0';
}

static void describe(void) {
    const TypeInfo *type = runtime.current_type();
    if (type == NULL) {
        append("std::terminate called without an active exception");
        return;
    }
    // A name that begins with `*` is compared by address; it is no part of it.
    const char *mangled = *type->name == '*' ? type->name + 1 : type->name;
    int status = 0;
    char *name = runtime.demangle(mangled, NULL, NULL, &status);
    append("uncaught ");
    append(name != NULL ? name : mangled);
    free(name);

    // The reference that this takes is never given back: the process ends.
    void *object = runtime.current_exception().object;
    if (object == NULL || !runtime.class_catches(runtime.exception_type, type, &object, 1)) return;
    const Exception *exception = object;
    const char *what = exception->functions[WHAT](exception);
    if (what == NULL || *what == '\0') return;
    append(": ");
    append(what);
}

/// A `what` that throws comes here again, and another thread may come too: they go straight on.
static void on_terminate(void) {
    if (!atomic_exchange(&claimed, true)) {
        describe();
        owner = sys_gettid();
    }
    if (previous == NULL) abort();
    // Leaves no frame of ours in the stack.
    __attribute__((musttail)) return previous();
}

void mayday_terminate_install(void) {
    Runtime found = {
        .set_terminate = (TerminateHandler * (*)(TerminateHandler *)) dlsym(RTLD_DEFAULT, "_ZSt13set_terminatePFvvE"),
        .current_type = (const TypeInfo *(*)(void))dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"),
        .current_exception = (ExceptionPointer(*)(void))dlsym(RTLD_DEFAULT, "_ZSt17current_exceptionv"),
        .demangle = (char *(*)(const char *, char *, size_t *, int *))dlsym(RTLD_DEFAULT, "__cxa_demangle"),
        .class_catches = (bool (*)(const TypeInfo *, const TypeInfo *, void **, unsigned))dlsym(
            RTLD_DEFAULT, "_ZNK10__cxxabiv117__class_type_info10__do_catchEPKSt9type_infoPPvj"),
        .exception_type = (const TypeInfo *)dlsym(RTLD_DEFAULT, "_ZTISt9exception"),
    };
    // libc++ and others have other names for some of these: then nothing is changed.
    if (found.set_terminate == NULL || found.current_type == NULL || found.current_exception == NULL) return;
    if (found.demangle == NULL || found.class_catches == NULL || found.exception_type == NULL) return;
    runtime = found;
    previous = found.set_terminate(on_terminate);
}

/// Async-signal-safe.
const char *mayday_terminate_message(pid_t thread) { return owner != 0 && owner == thread ? text : NULL; }

#endif
