// Runs a program under ptrace, waits until it crashes, and breaks one thing in its crash handler: the N-th system call of a
// thread, or the entry of a function. What is broken is the program as it is shipped, without a line for it in its code.
//
//   FaultInjector [--call ROLE:N | --function OFFSET[,OFFSET …]] --with FAULT PROGRAM [argument …]
//
//   ROLE     crasher, other (each of the other threads counts for itself) or reporter (the child, before it executes)
//   OFFSET   hex, from the beginning of the program, as `nm` prints it
//   FAULT    fault        a jump to address 0: a real SIGSEGV; fault:N in the next N - 1 places as well
//            stall        it stays there, for as long as no signal handler jumps out
//            errno:E      the call fails with E; errno:E:always those of the same number after it as well
//            nothing      only lists: the calls, and which of the functions are entered
//
// Its own lines on standard output begin with `injector: `. It exits with 0 when the program has ended, in whatever way.

#include "tracee.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static bool parse_fault(const char *text, Injection *injection) {
    injection->times = 1;
    if (strcmp(text, "nothing") == 0) injection->kind = INJECT_NOTHING;
    else if (strcmp(text, "fault") == 0) injection->kind = INJECT_FAULT;
    else if (strncmp(text, "fault:", 6) == 0) {
        injection->kind = INJECT_FAULT;
        injection->times = (int)strtol(text + 6, NULL, 10);
    }
    else if (strcmp(text, "stall") == 0) injection->kind = INJECT_STALL;
    else if (strncmp(text, "errno:", 6) == 0) {
        char *end;
        injection->kind = INJECT_ERROR;
        injection->error = (int)strtol(text + 6, &end, 10);
        injection->always = strcmp(end, ":always") == 0;
    } else return false;
    return true;
}

static bool parse_call(const char *text, Injection *injection) {
    for (int role = 0; role < ROLES; role++) {
        size_t length = strlen(role_names[role]);
        if (strncmp(text, role_names[role], length) != 0 || text[length] != ':') continue;
        injection->role = (Role)role;
        injection->call = (unsigned)strtoul(text + length + 1, NULL, 10);
        return injection->call > 0;
    }
    return false;
}

static void parse_functions(const char *text, Injection *injection) {
    while (injection->function_count < MAX_FUNCTIONS) {
        char *end;
        unsigned long offset = strtoul(text, &end, 16);
        if (end == text) return;
        injection->functions[injection->function_count++].offset = offset;
        text = *end == ',' ? end + 1 : end;
    }
}

static _Noreturn void become(char **arguments) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execv(arguments[0], arguments);
    _exit(127);
}

int main(int count, char **arguments) {
    static Injection injection;
    int index = 1;
    bool valid = true;
    for (; valid && index + 1 < count && strncmp(arguments[index], "--", 2) == 0; index += 2) {
        const char *value = arguments[index + 1];
        if (strcmp(arguments[index], "--call") == 0) valid = parse_call(value, &injection);
        else if (strcmp(arguments[index], "--function") == 0) parse_functions(value, &injection);
        else if (strcmp(arguments[index], "--with") == 0) valid = parse_fault(value, &injection);
        else valid = false;
    }
    if (!valid || index >= count) {
        fprintf(stderr, "usage: FaultInjector [--call ROLE:N | --function OFFSET,…] --with FAULT PROGRAM [argument …]\n");
        return 64;
    }
    pid_t child = fork();
    if (child == 0) become(arguments + index);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        printf("injector: ptrace is refused here: %s\n", strerror(errno));
        return 77;
    }
    status = trace(child, &injection);
    if (WIFSIGNALED(status)) printf("injector: ended by signal %d\n", WTERMSIG(status));
    else printf("injector: ended by exit %d\n", WEXITSTATUS(status));
    return 0;
}
