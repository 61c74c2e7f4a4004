// The values of requests and tasks in flight. Everything here is async-signal-safe, but for `mayday_scope_watch`.
//
// The Swift runtime keeps which scope is the current one, as a task-local value: a child task inherits it, and so does what
// `Task {}` starts. A crash asks the runtime for it; what that returns is read as memory that may be damaged.

#include "context_lines.h"
#include "swift_call.h"

#include <stdatomic.h>
#include <string.h>

#if defined(__linux__)
#include "internal.h"
#endif

typedef struct Scope {
    /// Odd while the scope is open.
    _Atomic uint32_t generation;
    uint16_t request_length;
    uint16_t custom_length;
    char json[MAYDAY_SCOPE_JSON];
} Scope;

enum { WORD = 64, WORDS = MAYDAY_SCOPES / WORD };

static Scope scopes[MAYDAY_SCOPES];
/// A bit for each scope that is taken. The lowest that is free is taken next, so that few pages are ever used.
static _Atomic uint64_t taken[WORDS];

static _Atomic(const void *) watched_key;
static _Atomic size_t watched_offset;

/// The runtime's own: where the current value of a task-local of the current task is, or NULL; outside a task, of the thread.
/// It walks a list that only this thread changes, without a lock and without allocation (swift, TaskLocal.cpp).
extern SWIFT_CALL const void *swift_task_localValueGet(const void *key) __attribute__((weak));
/// The same, bound by the loader: a call by name would be bound at the first call, in the handler.
typedef SWIFT_CALL const void *(*ValueGet)(const void *);
static _Atomic(ValueGet) value_get;

/// Index of a scope that was free, or -1.
static int take(void) {
    for (int word = 0; word < WORDS; word++) {
        uint64_t bits = atomic_load_explicit(&taken[word], memory_order_relaxed);
        while (bits != UINT64_MAX) {
            int bit = __builtin_ctzll(~bits);
            uint64_t wanted = bits | (uint64_t)1 << bit;
            if (atomic_compare_exchange_weak_explicit(
                    &taken[word], &bits, wanted, memory_order_acquire, memory_order_relaxed)) {
                return word * WORD + bit;
            }
        }
    }
    return -1;
}

uint64_t mayday_scope_open(MaydayText request, MaydayText custom) {
    if (request.length > MAYDAY_SCOPE_JSON || custom.length > MAYDAY_SCOPE_JSON - request.length) return 0;
    int index = take();
    if (index < 0) return 0;
    Scope *scope = &scopes[index];
    scope->request_length = (uint16_t)request.length;
    scope->custom_length = (uint16_t)custom.length;
    if (request.length > 0) memcpy(scope->json, request.bytes, request.length);
    if (custom.length > 0) memcpy(scope->json + request.length, custom.bytes, custom.length);
    uint32_t generation = atomic_load_explicit(&scope->generation, memory_order_relaxed) + 1;
    atomic_store_explicit(&scope->generation, generation, memory_order_release);
    return (uint64_t)generation << 32 | (uint64_t)(index + 1);
}

/// The scope of a token while it is open, else NULL.
static Scope *find(uint64_t token) {
    uint32_t number = (uint32_t)token;
    if (number == 0 || number > MAYDAY_SCOPES) return NULL;
    Scope *scope = &scopes[number - 1];
    uint32_t generation = atomic_load_explicit(&scope->generation, memory_order_acquire);
    return generation % 2 == 1 && generation == (uint32_t)(token >> 32) ? scope : NULL;
}

void mayday_scope_close(uint64_t token) {
    Scope *scope = find(token);
    if (scope == NULL) return;
    int index = (int)(scope - scopes);
    atomic_fetch_add_explicit(&scope->generation, 1, memory_order_release);
    atomic_fetch_and_explicit(&taken[index / WORD], ~((uint64_t)1 << index % WORD), memory_order_release);
}

void mayday_scope_watch(const void *key, size_t offset) {
    atomic_store(&watched_offset, offset);
    atomic_store(&value_get, swift_task_localValueGet);
    atomic_store(&watched_key, key);
}

bool mayday_scopes_were_opened(void) { return atomic_load(&watched_key) != NULL; }

static void object(const char *name, const char *members, size_t length, Line *line) {
    if (length == 0) return;
    mayday_line_key(line, name);
    mayday_line_raw(line, "{");
    mayday_line_bytes(line, members, length);
    mayday_line_raw(line, "}");
}

void mayday_scope_members(uint64_t token, Line *line) {
    const Scope *scope = find(token);
    if (scope == NULL) return;
    size_t begin = line->length;
    object("request", scope->json, scope->request_length, line);
    object("custom", scope->json + scope->request_length, scope->custom_length, line);
    // It was closed meanwhile, and perhaps opened again for another request.
    if (find(token) == NULL) line->length = begin;
}

#if defined(__linux__)

uint64_t mayday_scope_of_this_thread(void) {
    const void *key = atomic_load(&watched_key);
    ValueGet get = atomic_load(&value_get);
    if (key == NULL || get == NULL) return 0;
    uintptr_t value = (uintptr_t)get(key), reference = 0;
    uint64_t token = 0;
    if (value == 0 || !mayday_safe_read(&reference, value, sizeof reference) || reference == 0) return 0;
    if (!mayday_safe_read(&token, reference + atomic_load(&watched_offset), sizeof token)) return 0;
    return token;
}

#endif
