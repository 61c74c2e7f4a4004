// The crash handler under ptrace: counts, takes away and derails.

#include "tracee.h"

const char *const role_names[ROLES] = {"crasher", "other", "reporter"};

#if defined(__x86_64__)

#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// <sys/ptrace.h> and <linux/ptrace.h> exclude each other.
extern long ptrace(int request, ...);

enum { MAX_TASKS = 64 };

typedef struct Task {
    pid_t id;
    Role role;
    /// Its system calls since the crash.
    unsigned calls;
    /// It came before we were told who started it.
    bool held;
    /// What to do when the call that was taken from it returns.
    InjectionKind pending;
} Task;

static Task tasks[MAX_TASKS];
static int task_count;
static Injection *injection;
static pid_t program;
static uintptr_t base;
/// Where a stalled thread waits.
static uintptr_t stall_code;
static bool crashed;
/// How often it is still to be broken.
static int left;
static long failing_call = -1;

static Task *find(pid_t id) {
    for (int index = 0; index < task_count; index++) {
        if (tasks[index].id == id) return &tasks[index];
    }
    return NULL;
}

static Task *add(pid_t id, Role role) {
    if (task_count == MAX_TASKS) abort();
    tasks[task_count] = (Task){.id = id, .role = role};
    return &tasks[task_count++];
}

/// Stops at system calls only as long as they matter: each stop costs more than most calls.
static void resume(pid_t id, int signal) {
    const Task *task = find(id);
    bool done = left == 0 && !injection->always && (task == NULL || task->pending == INJECT_NOTHING);
    bool stops = crashed && injection->function_count == 0 && !done;
    ptrace(stops ? PTRACE_SYSCALL : PTRACE_CONT, id, 0, (long)signal);
}

/// Start of the program in memory, and its entry point, which it will not run again.
static void locate(pid_t id) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)id);
    FILE *maps = fopen(path, "re");
    if (maps == NULL || fscanf(maps, "%lx", &base) != 1) abort();
    fclose(maps);
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)id);
    FILE *vector = fopen(path, "re");
    unsigned long pair[2];
    const unsigned long entry = 9;  // AT_ENTRY
    while (vector != NULL && fread(pair, sizeof pair, 1, vector) == 1) {
        if (pair[0] == entry) stall_code = pair[1];
    }
    if (vector == NULL || stall_code == 0) abort();
    fclose(vector);
}

static void begin(Task *task) {
    crashed = true;
    task->role = CRASHER;
    locate(task->id);
    // mov eax, SYS_pause; syscall; jmp to the beginning
    static const unsigned char wait_for_ever[16] = {0xb8, SYS_pause, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7};
    for (size_t at = 0; at < sizeof wait_for_ever; at += sizeof(long)) {
        long word;
        memcpy(&word, wait_for_ever + at, sizeof word);
        ptrace(PTRACE_POKETEXT, task->id, stall_code + at, word);
    }
    for (int index = 0; index < injection->function_count; index++) {
        Function *function = &injection->functions[index];
        function->original = ptrace(PTRACE_PEEKTEXT, task->id, base + function->offset, 0);
    }
    for (int index = 0; index < injection->function_count; index++) {
        Function *function = &injection->functions[index];
        const long breakpoint = 0xcc;
        function->armed = true;
        // Others may stand in the same word.
        long word = ptrace(PTRACE_PEEKTEXT, task->id, base + function->offset, 0);
        ptrace(PTRACE_POKETEXT, task->id, base + function->offset, (word & ~0xffl) | breakpoint);
    }
}

/// Sends the thread where it faults or stays.
static void derail(pid_t id, InjectionKind kind) {
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, id, 0, &registers);
    registers.rip = kind == INJECT_FAULT ? 0 : stall_code;
    registers.orig_rax = (unsigned long)-1;
    ptrace(PTRACE_SETREGS, id, 0, &registers);
}

static bool cannot_fail(long number) {
    return number == SYS_rt_sigreturn || number == SYS_exit_group || number == SYS_exit;
}

static void on_call(Task *task) {
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, task->id, 0, &registers);
    long number = (long)registers.orig_rax;
    if (task->pending != INJECT_NOTHING) return;
    task->calls += 1;
    bool chosen = left > 0 && injection->call > 0 && task->calls >= injection->call && injection->role == task->role;
    bool again = injection->always && task->role == injection->role && number == failing_call;
    if (injection->kind == INJECT_NOTHING && injection->function_count == 0) {
        printf("injector: call %s:%u %ld\n", role_names[task->role], task->calls, number);
    }
    if (injection->kind == INJECT_NOTHING || (!chosen && !again)) return;
    if (injection->kind == INJECT_ERROR && cannot_fail(number)) {
        printf("injector: exempt %ld\n", number);
        left = 0;
        return;
    }
    if (chosen) printf("injector: at %s:%u call %ld\n", role_names[task->role], task->calls, number);
    if (left > 0) left -= 1;
    if (injection->always) failing_call = number;
    task->pending = injection->kind;
    registers.orig_rax = (unsigned long)-1;  // no call at all
    ptrace(PTRACE_SETREGS, task->id, 0, &registers);
}

static void on_return(Task *task) {
    InjectionKind kind = task->pending;
    if (kind == INJECT_NOTHING) return;
    task->pending = INJECT_NOTHING;
    if (kind == INJECT_ERROR) {
        struct user_regs_struct registers;
        ptrace(PTRACE_GETREGS, task->id, 0, &registers);
        registers.rax = (unsigned long)-(long)injection->error;
        ptrace(PTRACE_SETREGS, task->id, 0, &registers);
    } else {
        derail(task->id, kind);
    }
}

/// True when the stop was one of ours.
static bool on_breakpoint(Task *task) {
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, task->id, 0, &registers);
    for (int index = 0; index < injection->function_count; index++) {
        Function *function = &injection->functions[index];
        if (registers.rip != base + function->offset + 1) continue;
        registers.rip -= 1;
        ptrace(PTRACE_SETREGS, task->id, 0, &registers);
        if (!function->armed) return true;  // two threads came at once
        if (left > 0) left -= 1;
        function->armed = injection->kind == INJECT_FAULT && left > 0;
        if (!function->armed) {
            long word = ptrace(PTRACE_PEEKTEXT, task->id, base + function->offset, 0);
            ptrace(PTRACE_POKETEXT, task->id, base + function->offset, (word & ~0xffl) | (function->original & 0xff));
        }
        printf("injector: at %s function %lx\n", role_names[task->role], (unsigned long)function->offset);
        if (injection->kind != INJECT_NOTHING) derail(task->id, injection->kind);
        return true;
    }
    return false;
}

static bool is_crash(int signal) {
    return signal == SIGSEGV || signal == SIGABRT || signal == SIGILL || signal == SIGTRAP || signal == SIGBUS ||
           signal == SIGFPE || signal == SIGSYS || signal == SIGQUIT;
}

/// Not a thread of another process.
static bool is_process(pid_t id) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)id);
    FILE *status = fopen(path, "re");
    char line[256];
    int group = 0;
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "Tgid: %d", &group) == 1) break;
    }
    if (status != NULL) fclose(status);
    return group == id;
}

static void on_start_of_task(pid_t parent) {
    unsigned long id = 0;
    ptrace(PTRACE_GETEVENTMSG, parent, 0, &id);
    Role role = crashed && is_process((pid_t)id) ? REPORTER : OTHER;
    Task *task = find((pid_t)id);
    if (task == NULL) {
        add((pid_t)id, role);
    } else if (task->held) {
        task->held = false;
        task->role = role;
        resume(task->id, 0);
    }
}

static void on_stop(pid_t id, int status) {
    Task *task = find(id);
    if (task == NULL) {
        add(id, OTHER)->held = true;
        return;
    }
    int signal = WSTOPSIG(status), event = status >> 16;
    switch (event) {
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK: on_start_of_task(id); resume(id, 0); return;
    case PTRACE_EVENT_EXEC:
        if (id == program) {
            resume(id, 0);
        } else {
            ptrace(PTRACE_DETACH, id, 0, 0);
        }
        return;
    default: break;
    }
    if (signal == (SIGTRAP | 0x80)) {
        struct ptrace_syscall_info info;
        ptrace(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info);
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) on_call(task);
        if (info.op == PTRACE_SYSCALL_INFO_EXIT) on_return(task);
        resume(id, 0);
        return;
    }
    if (signal == SIGTRAP && crashed && on_breakpoint(task)) {
        resume(id, 0);
        return;
    }
    if (!crashed && is_crash(signal)) begin(task);
    resume(id, signal == SIGSTOP ? 0 : signal);
}

int trace(pid_t child, Injection *wanted) {
    injection = wanted;
    left = wanted->times;
    program = child;
    add(child, OTHER);
    setvbuf(stdout, NULL, _IOLBF, 0);
    ptrace(PTRACE_SETOPTIONS, child, 0,
           (long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                  PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
    resume(child, 0);
    for (;;) {
        int status = 0;
        pid_t id = waitpid(-1, &status, __WALL);
        if (id < 0 && errno == EINTR) continue;
        if (id < 0) abort();
        if (WIFSTOPPED(status)) {
            on_stop(id, status);
        } else if (id == child) {
            return status;
        }
    }
}

#else

// NOT IMPLEMENTED: other machines have other registers. FaultInjectionTests is not built there.
int trace(pid_t child, Injection *wanted) {
    (void)child;
    (void)wanted;
    return 0;
}

#endif
