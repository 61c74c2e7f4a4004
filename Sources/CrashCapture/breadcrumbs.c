// The last things that happened, in a ring. Everything here is async-signal-safe.
//
// A writer draws a ticket, which is a slot and a turn of the ring, and claims the slot by making its sequence odd. It never
// waits: where another is still writing, or a later turn has been there, it draws again. A reader takes a slot of which the
// sequence was even and the same before and after it was copied (the sequence lock of Lameter, 2005).

#include "context_lines.h"

#include <stdatomic.h>
#include <string.h>

enum { ATTEMPTS = 8 };

typedef struct Crumb {
    uint64_t time_ns;
    uint16_t message_length;
    uint8_t category_length;
    uint8_t data_length;
    uint8_t level;
    bool data_left_out;
    char text[MAYDAY_BREADCRUMB_MESSAGE + MAYDAY_BREADCRUMB_CATEGORY + MAYDAY_BREADCRUMB_DATA];
} Crumb;

typedef struct Slot {
    /// 2 × ticket + 1 while it is written, 2 × ticket + 2 when it is whole; 0 at first.
    _Atomic uint64_t sequence;
    Crumb crumb;
} Slot;

static Slot ring[MAYDAY_BREADCRUMBS];
static _Atomic uint64_t next_ticket;

static bool claim(Slot *slot, uint64_t ticket) {
    uint64_t sequence = atomic_load_explicit(&slot->sequence, memory_order_relaxed);
    bool is_free = sequence % 2 == 0 && sequence <= 2 * ticket;
    if (!is_free) return false;
    bool claimed = atomic_compare_exchange_strong_explicit(
        &slot->sequence, &sequence, 2 * ticket + 1, memory_order_relaxed, memory_order_relaxed);
    // What follows must not be seen before the odd sequence.
    atomic_thread_fence(memory_order_release);
    return claimed;
}

void mayday_breadcrumb_add(MaydayText message, MaydayText category, int level, MaydayText data) {
    uint64_t time_ns = mayday_context_time_ns();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint64_t ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
        Slot *slot = &ring[ticket % MAYDAY_BREADCRUMBS];
        if (!claim(slot, ticket)) continue;
        Crumb *crumb = &slot->crumb;
        crumb->time_ns = time_ns;
        crumb->level = (uint8_t)level;
        size_t at = mayday_context_cut(crumb->text, MAYDAY_BREADCRUMB_MESSAGE, message);
        crumb->message_length = (uint16_t)at;
        crumb->category_length = (uint8_t)mayday_context_cut(crumb->text + at, MAYDAY_BREADCRUMB_CATEGORY, category);
        at += crumb->category_length;
        crumb->data_left_out = data.length > MAYDAY_BREADCRUMB_DATA;
        crumb->data_length = crumb->data_left_out ? 0 : (uint8_t)data.length;
        if (crumb->data_length > 0) memcpy(crumb->text + at, data.bytes, crumb->data_length);
        atomic_store_explicit(&slot->sequence, 2 * ticket + 2, memory_order_release);
        return;
    }
}

/// False when the slot holds another ticket, or is being written.
static bool copy(uint64_t ticket, Crumb *crumb) {
    const Slot *slot = &ring[ticket % MAYDAY_BREADCRUMBS];
    if (atomic_load_explicit(&slot->sequence, memory_order_acquire) != 2 * ticket + 2) return false;
    memcpy(crumb, &slot->crumb, sizeof *crumb);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&slot->sequence, memory_order_relaxed) == 2 * ticket + 2;
}

void mayday_breadcrumbs_range(uint64_t *first, uint64_t *end) {
    *end = atomic_load_explicit(&next_ticket, memory_order_acquire);
    *first = *end > MAYDAY_BREADCRUMBS ? *end - MAYDAY_BREADCRUMBS : 0;
}

bool mayday_breadcrumb_line(uint64_t ticket, Line *line) {
    static const char *const levels[] = {NULL, "debug", "info", "warning", "error", "fatal"};
    Crumb crumb;
    if (!copy(ticket, &crumb)) return false;
    mayday_line_raw(line, "{\"type\":\"breadcrumb\"");
    mayday_line_key(line, "time");
    mayday_line_time(line, crumb.time_ns);
    mayday_line_key(line, "message");
    mayday_line_string(line, crumb.text, crumb.message_length);
    if (crumb.category_length > 0) {
        mayday_line_key(line, "category");
        mayday_line_string(line, crumb.text + crumb.message_length, crumb.category_length);
    }
    if (crumb.level > 0 && crumb.level < sizeof levels / sizeof *levels) {
        mayday_line_key(line, "level");
        mayday_line_string(line, levels[crumb.level], strlen(levels[crumb.level]));
    }
    if (crumb.data_left_out) mayday_line_raw(line, ",\"data\":{\"…\":\"too long\"}");
    if (crumb.data_length > 0) {
        mayday_line_key(line, "data");
        mayday_line_bytes(line, crumb.text + crumb.message_length + crumb.category_length, crumb.data_length);
    }
    mayday_line_raw(line, "}");
    return true;
}
