// The re-executed child, and what there was before the capture: handlers, a sandbox.

#ifndef CAPTURE_CHILD_REPORTER_H
#define CAPTURE_CHILD_REPORTER_H

#include <stdbool.h>

/// Runs as the reporter that `mode` says; its exit status.
int capture_child_report(const char *mode);

/// Prints arguments and environment, one a line. Its exit status.
int capture_child_echo(char **arguments);

/// Installs handlers as `mode` says: before the capture is installed. False for an unknown mode.
bool capture_child_install_previous(const char *mode);

/// Installs the handlers of `twice` and `for-ever` again, after the capture.
void capture_child_install_previous_again(void);

/// A thread that takes the lock of the previous handler `lock`, passes the barrier `held`, and lets go a little later.
void *capture_child_hold_lock(void *held);

/// What becomes of children: `ignore` is SIG_IGN, `no-wait` is SA_NOCLDWAIT.
void capture_child_set_sigchld(const char *mode);

/// Installs a handler after the capture's, which it calls (`chain`) or not.
void capture_child_install_after(const char *mode);

/// From here on process_vm_readv, pidfd_open, close_range, timer_create and unshare are refused, and memfd_create when
/// `refuses_memory`.
void capture_child_enter_sandbox(bool refuses_memory);

/// From here on the default seccomp profile of Docker decides.
void capture_child_enter_container(void);

#endif
