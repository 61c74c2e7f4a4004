// What a process may suffer from when it crashes.

#include "SoakLoad.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace {

bool is(const char *text, const char *name) { return std::strcmp(text, name) == 0; }

void limit(__rlimit_resource what, rlim_t soft, rlim_t hard) {
    rlimit limits = {soft, hard};
    if (setrlimit(what, &limits) != 0) std::perror("soak: setrlimit");
}

rlim_t address_space() {
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (file == nullptr || std::fscanf(file, "%lu", &pages) != 1) _exit(72);
    std::fclose(file);
    return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void use_up_descriptors() {
    while (dup(STDERR_FILENO) >= 0) continue;
}

/// A reporter that hangs where no deadline of its own code is at work yet.
__attribute__((constructor(200))) void hang_before_main() {
    const char *mode = std::getenv("SOAK_REPORTER");
    if (mode == nullptr || !is(mode, "stuck") || std::getenv("MAYDAY_REPORTER") == nullptr) return;
    for (;;) pause();
}

}  // namespace

const char *soak_option(int32_t count, char *const *arguments, const char *name, const char *otherwise) {
    for (int32_t index = 1; index + 1 < count; index += 2) {
        if (is(arguments[index], name)) return arguments[index + 1];
    }
    return otherwise;
}

void soak_suffer_before(const char *condition) {
    if (!is(condition, "blocked")) return;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

void soak_suffer_after(const char *condition, const char *spool) {
    if (is(condition, "files-soft") || is(condition, "files-hard")) {
        limit(RLIMIT_NOFILE, 64, is(condition, "files-soft") ? 1024 : 64);
        use_up_descriptors();
    } else if (is(condition, "memory")) {
        rlim_t most = address_space() + (4 << 20);
        limit(RLIMIT_AS, most, most);
    } else if (is(condition, "file-size")) {
        limit(RLIMIT_FSIZE, 0, 0);
    } else if (is(condition, "signals")) {
        limit(RLIMIT_SIGPENDING, 0, 0);
    } else if (is(condition, "no-spool")) {
        if (std::system((std::string("rm -r '") + spool + "'").c_str()) != 0) _exit(73);
    }
}
