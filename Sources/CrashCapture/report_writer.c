// Lines → gzip → spool file. Each flush ends a gzip member, so that a fault in the middle of the next one costs that one alone.
// Everything is static: one line buffer, the compressor's arena, one output buffer, and zlib itself, which is linked as an
// archive. Of a shared object the first call of each function would look it up, which no handler may do.
// windowBits 12 and memLevel 6 need 55 KB instead of 268 KB and cost nothing in size or time on reports (measured).

#if defined(__linux__)

#include "internal.h"

#include <string.h>
#include <zlib.h>

enum { LINE_CAPACITY = 192 * 1024, ARENA = 80 * 1024, OUTPUT = 16 * 1024 };
enum { WINDOW_BITS = 12, MEMORY_LEVEL = 6, GZIP = 16 };

static char line_buffer[LINE_CAPACITY];
static Line line_state;
static _Alignas(16) uint8_t arena[ARENA];
static size_t arena_used;
static uint8_t output[OUTPUT];
static z_stream stream;
/// A member is open, and what it got is in `stream`.
static bool open_member;
/// The compressor or the file is in the middle of something: when this was left, the member is lost.
static bool busy;
/// There is nowhere to write.
static bool lost;
/// Bytes of the members that are whole.
static uint64_t kept;

/// Async-signal-safe. Everything the compressor asks for comes when it is opened.
static voidpf take(voidpf unused, uInt items, uInt size) {
    (void)unused;
    size_t bytes = (((size_t)items * size) + 15) & ~(size_t)15;
    if (bytes > sizeof arena - arena_used) return Z_NULL;
    void *taken = arena + arena_used;
    arena_used += bytes;
    return taken;
}

/// Async-signal-safe.
static void give_back(voidpf unused, voidpf address) {
    (void)unused;
    (void)address;
}

/// Async-signal-safe.
static void empty_output(void) {
    stream.next_out = output;
    stream.avail_out = sizeof output;
}

/// Async-signal-safe.
static bool open_stream(void) {
    memset(&stream, 0, sizeof stream);
    arena_used = 0;
    empty_output();
    stream.zalloc = take;
    stream.zfree = give_back;
    return deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
}

/// Async-signal-safe. Runs the compressor over its input. What comes out is written when it is much, or at the end.
static void run_compressor(int flush) {
    for (bool more = true; more;) {
        int result = deflate(&stream, flush);
        more = stream.avail_out == 0 && result != Z_STREAM_END;
        size_t made = sizeof output - stream.avail_out;
        if (result != Z_STREAM_ERROR && !more && flush == Z_NO_FLUSH) return;
        if (result == Z_STREAM_ERROR || (made > 0 && !mayday_spool_write(output, made))) {
            lost = true;
            return;
        }
        empty_output();
    }
}

void mayday_report_reset(void) {
    open_member = false;
    busy = false;
    lost = false;
    kept = 0;
    mayday_spool_reset();
}

void mayday_report_open(void) { mayday_spool_open(mayday_crash.id); }

bool mayday_report_is_empty(void) { return kept == 0; }

void mayday_report_discard(void) {
    open_member = false;
    mayday_spool_cut(kept);
    busy = false;
}

Line *mayday_report_line(void) {
    line_state = (Line){.data = line_buffer, .length = 0, .capacity = sizeof line_buffer, .overflow = false};
    return &line_state;
}

void mayday_report_write(Line *line, const char *stage) {
    mayday_line_raw(line, "\n");
    if (line->overflow) {
        mayday_note_cut(stage, "limit");
        return;
    }
    if (busy) mayday_report_discard();
    if (!open_member) open_member = open_stream();
    if (!open_member || lost) {
        mayday_note_cut(stage, "io");
        return;
    }
    busy = true;
    stream.next_in = (Bytef *)line->data;
    stream.avail_in = (uInt)line->length;
    run_compressor(Z_NO_FLUSH);
    busy = false;
}

void mayday_report_flush(void) {
    if (busy) mayday_report_discard();
    if (!open_member || lost) return;
    busy = true;
    stream.avail_in = 0;
    run_compressor(Z_FINISH);
    if (lost) {
        mayday_spool_cut(kept);
    } else {
        kept = mayday_spool.size;
    }
    open_member = false;
    busy = false;
}

#endif
