// A traced program, and what to break in it.

#ifndef FAULT_INJECTOR_TRACEE_H
#define FAULT_INJECTOR_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum Role { CRASHER, OTHER, REPORTER, ROLES } Role;
extern const char *const role_names[ROLES];

typedef enum InjectionKind { INJECT_NOTHING, INJECT_FAULT, INJECT_STALL, INJECT_ERROR } InjectionKind;

enum { MAX_FUNCTIONS = 512 };

typedef struct Function {
    uintptr_t offset;
    long original;
    bool armed;
} Function;

typedef struct Injection {
    InjectionKind kind;
    int error;
    bool always;
    /// How often: at the call or function, and at those that follow.
    int times;
    /// The call, counted from 1; 0 for none.
    Role role;
    unsigned call;
    Function functions[MAX_FUNCTIONS];
    int function_count;
} Injection;

/// Runs `child`, which stands at its first stop, to its end. Returns its wait status.
int trace(pid_t child, Injection *injection);

#endif
