// Delivery at crash time: the own binary, executed again as the reporter, with a deadline. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"
#include "delivery.h"
#include "system_calls.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum {
    CHILD_STACK = 32 * 1024,
    POLL_NS = 2 * 1000 * 1000,
    REAP_LIMIT_NS = 1000 * 1000 * 1000,
    MARGIN_MS = 200,
    /// A delivery needs descriptors that the service did not have (`MaydayStart.h`).
    REPORTER_DESCRIPTORS = 64,
    HIGHEST_SIGNAL = 64,
    STATUS_TAKEN = -1,
};

char mayday_reporter_variable[64];
char mayday_report_variable[PATH_MAX + 32];
Delivery mayday_delivery;
_Atomic pid_t mayday_starting_reporter;

static _Alignas(16) char child_stack[CHILD_STACK];

/// The reporter until it is reaped, else 0.
static volatile pid_t reporter;

static void set_variables(void) {
    Line line = {.data = mayday_reporter_variable, .capacity = sizeof mayday_reporter_variable - 1};
    mayday_line_raw(&line, MAYDAY_REPORTER_VARIABLE "=");
    mayday_line_int(&line, mayday_settings->reporter_deadline_ms);
    line.data[line.length] = '\0';

    line = (Line){.data = mayday_report_variable, .capacity = sizeof mayday_report_variable - 1};
    mayday_line_raw(&line, MAYDAY_REPORT_VARIABLE "=");
    if (mayday_spool.published) {
        mayday_line_raw(&line, mayday_spool.path);
    } else {
        mayday_line_raw(&line, "fd:");
        mayday_line_int(&line, mayday_spool.fd);
    }
    line.data[line.length] = '\0';
}

/// The service's sockets are not the reporter's: held open, they would keep the next start from its port.
void mayday_close_others(int kept) {
#if defined(SYS_close_range)
    bool closed = kept > 3 ? syscall(SYS_close_range, 3, kept - 1, 0) == 0 : true;
    int first = kept >= 3 ? kept + 1 : 3;
    if (closed && syscall(SYS_close_range, first, ~0u, 0) == 0) return;
#endif
    for (int fd = 3; fd < 4096; fd++) {
        if (fd != kept) sys_close(fd);
    }
}

/// The reporter's own limit, where the hard one allows for more than the service had.
static void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit) != 0) return;
    rlim_t wanted = limit.rlim_max < REPORTER_DESCRIPTORS ? limit.rlim_max : REPORTER_DESCRIPTORS;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = wanted;
    syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, &limit, NULL);
}

/// In the child, which shares our memory until it executes: system calls only.
static int become_reporter(void *unused) {
    (void)unused;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    for (int signal = 1; signal <= HIGHEST_SIGNAL; signal++) sigaction(signal, &action, NULL);
    sys_sigmask(0);

    int null = sys_openat(AT_FDCWD, "/dev/null", O_RDONLY, 0);
    if (null > 0) syscall(SYS_dup3, null, STDIN_FILENO, 0);
    int kept = mayday_spool.published ? -1 : mayday_spool.fd;
    if (kept >= 0) sys_fcntl(kept, F_SETFD, 0);
    mayday_close_others(kept);
    raise_descriptor_limit();
    char **arguments = mayday_settings->reporter_arguments;
    char **environment = mayday_settings->reporter_environment;
    syscall(SYS_execve, "/proc/self/exe", arguments, environment);
    syscall(SYS_execve, mayday_settings->executable, arguments, environment);
    sys_exit_group(MAYDAY_REPORTER_LOST);
}

/// Reaps the reporter. False while it runs.
static bool reap(pid_t child, int *status) {
    long reaped = syscall(SYS_wait4, child, status, __WALL | WNOHANG, NULL);
    return reaped == child || (reaped < 0 && errno != EINTR);
}

/// Waits until the child has memory of its own. Until then ours is its.
static void wait_for_execution(uint64_t limit) {
    for (pid_t starting = mayday_starting_reporter; starting != 0; starting = mayday_starting_reporter) {
        uint64_t now = mayday_monotonic_ns();
        if (now >= limit) return;
        sys_futex_wait(&mayday_starting_reporter, (uint32_t)starting, limit - now);
    }
}

/// Waits for the child's end, until `limit`.
bool mayday_wait_for_child(pid_t child, int pidfd, uint64_t limit, int *status) {
    for (bool ended = false;;) {
        if (reap(child, status)) return true;
        uint64_t now = mayday_monotonic_ns();
        if (now >= limit) return false;
        // It has ended and is not to be had: a sandbox that answers every wait4() like that must not make us spin.
        if (pidfd < 0 || ended) {
            sys_sleep_ns(POLL_NS);
        } else {
            ended = sys_poll_one(pidfd, POLLIN, limit - now) > 0;
        }
    }
}

/// Outcome of a reporter that has ended.
static Delivery outcome_of(int status) {
    if (status == STATUS_TAKEN) return (Delivery){DELIVERY_UNKNOWN, 0};
    if (WIFSIGNALED(status)) return (Delivery){DELIVERY_SIGNALLED, WTERMSIG(status)};
    int code = WEXITSTATUS(status);
    return (Delivery){code == MAYDAY_REPORTER_DELIVERED ? DELIVERY_DONE : DELIVERY_EXITED, code};
}

uint64_t mayday_delivery_limit_ns(void) {
    uint64_t waited_ms = (uint64_t)mayday_settings->reporter_deadline_ms + MARGIN_MS;
    return waited_ms * 1000000u + REAP_LIMIT_NS;
}

/// Async-signal-safe.
static void end_reporter(int pidfd) {
    int status;
    pid_t child = reporter;
    syscall(SYS_kill, child, SIGKILL);
    if (mayday_wait_for_child(child, pidfd, mayday_monotonic_ns() + REAP_LIMIT_NS, &status)) reporter = 0;
}

static void start_and_wait(void) {
    // No exit signal, so that a SIGCHLD handler or a wait() of the service's does not see this child until it executes. No
    // CLONE_VFORK: there an execution that never comes back (a dead network file system) would hold us beyond every deadline,
    // and a fault in the child would run our handler on the stack on which we are.
    uint64_t limit = mayday_monotonic_ns() + (uint64_t)mayday_settings->reporter_deadline_ms * 1000000u;
    mayday_starting_reporter = 0;
    int flags = CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    pid_t child = clone(become_reporter, child_stack + sizeof child_stack, flags, NULL, &mayday_starting_reporter, NULL,
                        &mayday_starting_reporter);
    // Emulators of user programs know no child that is neither thread nor fork.
    if (child < 0 && errno == EINVAL) {
        child = clone(become_reporter, child_stack + sizeof child_stack, CLONE_VM | CLONE_VFORK, NULL);
    }
    if (child < 0) {
        mayday_delivery = (Delivery){DELIVERY_NOT_STARTED, errno};
        return;
    }
    reporter = child;
    int status = STATUS_TAKEN;
    int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    wait_for_execution(limit);
    if (mayday_wait_for_child(child, pidfd, limit, &status)) {
        reporter = 0;
        mayday_delivery = outcome_of(status);
    } else {
        mayday_delivery = (Delivery){DELIVERY_TIMED_OUT, 0};
        end_reporter(pidfd);
    }
    if (pidfd >= 0) sys_close(pidfd);
    if (mayday_delivery.outcome == DELIVERY_DONE) mayday_spool_remove_part();
}

/// What the service does about SIGCHLD.
static struct sigaction child_action;
static bool child_action_changed;

void mayday_deliver(void) {
    mayday_delivery = (Delivery){DELIVERY_NONE, 0};
    reporter = 0;
    if (mayday_settings->reporter_arguments == NULL) return;
    if (!mayday_spool.published && mayday_spool.fd < 0 && !mayday_spool_through_pipe()) return;
    set_variables();

    // Executing gives the child SIGCHLD back. Where the service ignores that, the kernel would drop the exit status.
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    child_action_changed = sigaction(SIGCHLD, &action, &child_action) == 0;
    start_and_wait();
}

void mayday_delivery_settle(LeaveReason left) {
    if (reporter == 0) reporter = mayday_starting_reporter;
    int status = STATUS_TAKEN;
    if (left != LEFT_NOT && mayday_delivery.outcome == DELIVERY_NONE && mayday_settings->reporter_arguments != NULL) {
        bool ended = reporter > 0 && reap(reporter, &status);
        mayday_delivery = ended ? outcome_of(status) : (Delivery){DELIVERY_LEFT, (int)left};
        if (reporter > 0 && !ended) end_reporter(-1);
    }
    if (child_action_changed) sigaction(SIGCHLD, &child_action, NULL);
    child_action_changed = false;
}

#endif
