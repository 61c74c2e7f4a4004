// The ways to crash, and the places to do it in.

#include "SoakLoad.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

volatile int sink;

bool is(const char *text, const char *name) { return std::strcmp(text, name) == 0; }

__attribute__((noinline, disable_tail_calls)) int overflow(int depth) {
    volatile char frame[256];
    frame[depth & 255] = 1;
    if (depth < 0) return 0;
    return overflow(depth + 1) + frame[0];
}

void touch_null() {
    volatile int *volatile nowhere = reinterpret_cast<volatile int *>(0x18);
    *nowhere = 1;
}

/// For those that find no memory left: what they are to do wrong needs a block.
void *const small_reserve = std::malloc(64);
void *const large_reserve = std::malloc(4000);

void *allocate(size_t size, void *reserve) {
    void *block = std::malloc(size);
    return block != nullptr ? block : reserve;
}

void free_twice() {
    void *volatile block = allocate(64, small_reserve);
    std::free(block);
    std::free(block);
}

/// The arena is found corrupt with its lock held.
void corrupt_heap() {
    char *volatile block = static_cast<char *>(allocate(4000, large_reserve));
    std::memset(block - 16, 0x41, 16);
    std::free(block);
}

void throw_something() { throw std::runtime_error("nobody catches this"); }

void throw_uncaught() noexcept { throw_something(); }

pthread_barrier_t barrier;
const char *kind_here;
std::vector<std::string> kinds_here;

void *crash_at_barrier(void *kind) {
    pthread_barrier_wait(&barrier);
    soak_crash(static_cast<const char *>(kind));
    return nullptr;
}

void start(void *(*body)(void *), const void *argument, size_t stack = 0, bool detached = false) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack > 0) pthread_attr_setstacksize(&attributes, stack);
    if (detached) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    for (int attempt = 0; attempt < 100; attempt++) {
        if (pthread_create(&thread, &attributes, body, const_cast<void *>(argument)) == 0) return;
        usleep(1000);
    }
    std::fprintf(stderr, "soak: no thread\n");
    _exit(71);
}

void *crash_thread(void *kind) {
    soak_crash(static_cast<const char *>(kind));
    return nullptr;
}

struct Dying {
    bool armed = false;
    ~Dying() {
        if (armed) soak_crash(kind_here);
    }
};

void *end_with_local(void *) {
    thread_local Dying dying;
    dying.armed = true;
    return nullptr;
}

void crash_in_key(void *) { soak_crash(kind_here); }

void *end_with_key(void *) {
    pthread_key_t key;
    pthread_key_create(&key, crash_in_key);
    pthread_setspecific(key, &barrier);
    return nullptr;
}

void crash_in_handler(int) { soak_crash(kind_here); }

void *raise_here(void *) {
    raise(SIGUSR1);
    return nullptr;
}

void crash_at_exit() { soak_crash(kind_here); }

/// In a child that shares our memory; then here as well.
void *crash_in_vfork(void *) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    pid_t child = vfork();
#pragma clang diagnostic pop
    if (child == 0) {
        soak_crash(kind_here);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) std::fprintf(stderr, "soak: the vfork child did not crash: %x\n", status);
    soak_crash(kind_here);
    return nullptr;
}

void set_handler(int flags) {
    struct sigaction action = {};
    action.sa_handler = crash_in_handler;
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, nullptr);
}

std::vector<std::string> split(const char *text) {
    std::vector<std::string> parts(1);
    for (; *text != '\0'; text++) {
        if (*text == ',') {
            parts.emplace_back();
        } else {
            parts.back() += *text;
        }
    }
    return parts;
}

}  // namespace

void soak_crash(const char *kind) {
    if (is(kind, "null")) touch_null();
    if (is(kind, "abort")) std::abort();
    if (is(kind, "ud2")) __builtin_trap();
    if (is(kind, "overflow")) sink = overflow(0);
    if (is(kind, "free")) free_twice();
    if (is(kind, "heap")) corrupt_heap();
    if (is(kind, "throw")) throw_uncaught();
    if (is(kind, "quit")) raise(SIGQUIT);
}

bool soak_crash_in(const char *place, const char *kinds) {
    kinds_here = split(kinds);
    kind_here = kinds_here[0].c_str();
    if (is(place, "main")) {
        soak_crash(kind_here);
    } else if (is(place, "thread")) {
        pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(kinds_here.size()));
        for (const std::string &kind : kinds_here) start(crash_at_barrier, kind.c_str());
    } else if (is(place, "small")) {
        start(crash_thread, kind_here, 64 * 1024);
    } else if (is(place, "detached")) {
        start(crash_thread, kind_here, 0, true);
    } else if (is(place, "local")) {
        start(end_with_local, nullptr);
    } else if (is(place, "key")) {
        start(end_with_key, nullptr);
    } else if (is(place, "handler")) {
        set_handler(0);
        start(raise_here, nullptr);
    } else if (is(place, "handler-alternate")) {
        set_handler(SA_ONSTACK);
        start(raise_here, nullptr);
    } else if (is(place, "atexit")) {
        std::atexit(crash_at_exit);
        std::exit(0);
    } else if (is(place, "vfork")) {
        start(crash_in_vfork, nullptr);
    } else if (!is(place, "outside")) {
        return false;
    }
    return true;
}

void soak_wait_for_end(void) {
    pause();
    std::exit(0);
}
