// What keeps the process busy: locks of libc and the loader held, threads and children that come and go.

#include "SoakLoad.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

struct Random {
    uint64_t state;
    uint64_t next() {
        state += 0x9e3779b97f4a7c15u;
        uint64_t value = state;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
        return value ^ (value >> 31);
    }
    uint64_t below(uint64_t limit) { return next() % limit; }
};

void allocate(Random &random) {
    void *blocks[64] = {};
    for (int round = 0; round < 500; round++) {
        void *&block = blocks[random.below(64)];
        std::free(block);
        block = std::malloc(random.below(16) == 0 ? 200000 : 16 + random.below(2000));
        if (block != nullptr) *static_cast<volatile char *>(block) = 1;
    }
    for (void *block : blocks) std::free(block);
}

void load_libraries(Random &random) {
    static const char *const names[] = {"liblzma.so.5", "libbz2.so.1.0", "libanl.so.1", "libcrypt.so.1",
                                        "libsqlite3.so.0", "libmicrohttpd.so.12", "libthread_db.so.1"};
    void *library = dlopen(names[random.below(sizeof names / sizeof *names)], RTLD_NOW);
    if (library != nullptr) dlclose(library);
}

int dwell(dl_phdr_info *, size_t, void *) {
    timespec time = {0, 20000};
    nanosleep(&time, nullptr);
    return 0;
}

__attribute__((noinline)) void throw_from(int depth) {
    std::string local(40, 'x');
    if (depth == 0) throw std::runtime_error(local);
    throw_from(depth - 1);
    if (local.empty()) std::abort();
}

void throw_and_catch(Random &random) {
    try {
        throw_from(static_cast<int>(random.below(20)));
    } catch (const std::exception &) {
    }
}

void fork_and_wait() {
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0) return;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
}

/// Where the condition leaves no memory, it is not this thread that is to crash.
void *nothing(void *) {
    try {
        thread_local std::string touched(100, 'y');
        return touched.data() != nullptr ? nullptr : &errno;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void start_and_join() {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, nothing, nullptr) == 0) pthread_join(thread, nullptr);
}

void sleep_shortly() {
    timespec time = {0, 1000000};
    while (nanosleep(&time, &time) < 0 && errno == EINTR) continue;
}

struct Worker {
    Random random;
    std::string loads;
};

void work(Random &random, char load) {
    switch (load) {
    case 'm': allocate(random); break;
    case 'd': load_libraries(random); break;
    case 'p': dl_iterate_phdr(dwell, nullptr); break;
    case 't': throw_and_catch(random); break;
    case 'f': fork_and_wait(); break;
    case 'j': start_and_join(); break;
    default: sleep_shortly(); break;
    }
}

void *work_for_ever(void *argument) {
    Worker *worker = static_cast<Worker *>(argument);
    for (;;) work(worker->random, worker->loads[worker->random.below(worker->loads.size())]);
}

}  // namespace

void soak_load(int32_t threads, const char *loads, uint64_t seed) {
    for (int32_t index = 0; index < threads; index++) {
        Worker *worker = new Worker{{seed + static_cast<uint64_t>(index) * 7919}, loads};
        pthread_t thread;
        if (pthread_create(&thread, nullptr, work_for_ever, worker) == 0) pthread_detach(thread);
    }
}
