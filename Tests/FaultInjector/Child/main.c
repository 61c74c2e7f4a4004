// CaptureChild without the Swift runtime: it starts in a few milliseconds and has few images, and the walks start it
// thousands of times. The little of a runtime that a crash is asked for is here: a task with a name, and two accesses to
// memory that exclude each other, as the message says.

#include "CaptureChildCrashes.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__has_attribute)
#if __has_attribute(swiftcall)
#define SWIFT_CALL __attribute__((swiftcall))
#endif
#endif
#ifndef SWIFT_CALL
#define SWIFT_CALL
#endif

typedef struct Record {
    uintptr_t kind;
    struct Record *parent;
    const char *name;
} Record;

/// As much of a task as is read of it.
typedef struct Task {
    uintptr_t object[4];
    uint32_t flags;
    uint32_t id;
    uintptr_t unused[8];
    Record *record;
} Task;

_Static_assert(offsetof(Task, flags) == 0x20 && offsetof(Task, record) == 0x68, "as Swift 6.2 and 6.3 have it");

SWIFT_CALL void *swift_task_getCurrent(void) {
    static Record name = {6, NULL, "checkout"}, other = {4, &name, NULL};
    static Task task = {.flags = 1u << 30, .id = 12, .record = &other};
    return &task;
}

SWIFT_CALL uint64_t swift_task_getJobTaskId(const Task *task) { return task->id; }

void *swift_getFatalErrorMessageBuffer(void) {
    static const char *message = "Fatal access conflict detected.\n";
    return &message;
}

void swift_beginAccess(void) {}

typedef struct Thread {
    const char *description;
    uint64_t thread;
    uintptr_t frame_count;
    const uintptr_t *frames;
} Thread;

typedef struct Details {
    uintptr_t version;
    const char *type;
    const char *description;
    uintptr_t skipped;
    uintptr_t address;
    uintptr_t thread_count;
    const Thread *threads;
} Details;

/// Keeps what it is given on the stack of its caller.
static void see(const Details *details) { __asm__ volatile("" : : "r"(details) : "memory"); }

int main(int count, char **arguments) {
    const uintptr_t pc = (uintptr_t)see;
    const Thread other = {"Previous access (a modification) started at", 0, 1, &pc};
    const Details details = {
        2, "exclusivity-violation", "Current access (a read) started at", 1, (uintptr_t)&count, 1, &other,
    };
    see(&details);
    int status = capture_child_main(count, arguments);
    see(&details);
    capture_child_exit(status);
}
