// Which functions have an async context, told by their code alone: a handler cannot read their names. Each keeps the context
// right below its saved frame pointer. How they begin is the compiler's choice and no ABI; tests compare it with what the
// compiler makes (EndToEndTests/AwaitTests, scripts/test-aarch64). Async-signal-safe.

#if defined(__linux__)

#include "internal.h"

#include <string.h>

#if defined(__x86_64__)

// push rbp; push r14; lea rbp, [rsp + 8]: so begins, and only begins, what has an async context.
static const uint8_t prologue[] = {0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08};
// sub rsp, N comes before it where a function tail-calls one with more arguments on the stack; N is 1 byte or 4.
static const uint8_t make_room[] = {0x48, 0x83, 0xec}, make_much_room[] = {0x48, 0x81, 0xec};
enum { ROOM_LENGTH = sizeof make_room + 1, MUCH_ROOM_LENGTH = sizeof make_much_room + 4 };

uintptr_t mayday_async_function(const CodeRange *function, uint32_t *room) {
    uint8_t begin[MUCH_ROOM_LENGTH + sizeof prologue];
    *room = 0;
    if (!mayday_safe_read(begin, function->start, sizeof begin)) return 0;
    size_t length = 0;
    if (memcmp(begin, make_room, sizeof make_room) == 0) {
        length = ROOM_LENGTH;
        *room = begin[sizeof make_room];
    } else if (memcmp(begin, make_much_room, sizeof make_much_room) == 0) {
        length = MUCH_ROOM_LENGTH;
        memcpy(room, begin + sizeof make_much_room, sizeof *room);
    }
    bool is_async = memcmp(begin + length, prologue, sizeof prologue) == 0;
    return is_async ? function->start + length + sizeof prologue : 0;
}

#elif defined(__aarch64__)

// The context comes in x22, which every other function must save before it uses it, and saves above its frame record. So async
// is what uses x22 first, or stores it right below the frame record (x29, x30). There is no fixed order: the compiler moves
// these instructions, puts a fast path before them, or, for size, some of them into a function of their own. Where that is all
// of them (-Osize), the function is not recognised.
enum { ASYNC_CONTEXT = 22, FRAME_POINTER = 29, STACK_POINTER = 31, MAX_INSTRUCTIONS = 256, CHUNK = 64, WORD = 8 };

/// Field of an instruction (Arm Architecture Reference Manual, C4.1).
static uint32_t field(uint32_t instruction, int shift, int width) {
    return instruction >> shift & ((1u << width) - 1);
}

/// stp x29, x30, [sp, #N], or with the stack pointer moved first. Returns N, or 0 when it is neither.
static uint32_t frame_record_at(uint32_t instruction) {
    if ((instruction & 0xffe07fff) != 0xa9007bfd) return 0;
    return field(instruction, 15, 6) * WORD;
}

/// str x22, [sp, #N - 8] where the frame record is at N, or stur x22, [x29, #-8].
static bool stores_context(uint32_t instruction, uint32_t record) {
    if (instruction == 0xf81f83b6) return true;
    if ((instruction & 0xffc003ff) != 0xf90003f6) return false;
    return record != 0 && field(instruction, 10, 12) * WORD == record - WORD;
}

typedef enum Use { USE_NONE, USE_OF_CONTEXT, USE_SAVES } Use;

static Use use_of(uint32_t instruction) {
    // mov xN, x22; add xN, x22, #M
    if ((instruction & 0xffffffe0) == 0xaa1603e0 || (instruction & 0xff8003e0) == 0x910002c0) return USE_OF_CONTEXT;
    bool is_memory = (instruction & 0x0a000000) == 0x08000000;
    bool is_literal = (instruction & 0x3b000000) == 0x18000000;
    if (!is_memory || is_literal) return USE_NONE;
    uint32_t base = field(instruction, 5, 5);
    if (base == ASYNC_CONTEXT) return USE_OF_CONTEXT;
    bool is_vector = field(instruction, 26, 1) != 0, is_pair = (instruction & 0x3a000000) == 0x28000000;
    bool is_meant = field(instruction, 0, 5) == ASYNC_CONTEXT || (is_pair && field(instruction, 10, 5) == ASYNC_CONTEXT);
    bool on_stack = base == STACK_POINTER || base == FRAME_POINTER;
    return on_stack && is_meant && !is_vector ? USE_SAVES : USE_NONE;
}

uintptr_t mayday_async_function(const CodeRange *function, uint32_t *room) {
    uint32_t code[CHUNK], record = 0;
    *room = 0;  // the frame record has both
    bool used = false;
    uintptr_t limit = function->start + MAX_INSTRUCTIONS * sizeof *code;
    if (limit > function->end) limit = function->end;
    for (uintptr_t at = function->start; at < limit;) {
        size_t count = (limit - at) / sizeof *code;
        if (count > CHUNK) count = CHUNK;
        if (count == 0 || !mayday_safe_read(code, at, count * sizeof *code)) break;
        for (size_t index = 0; index < count; index++, at += sizeof *code) {
            if (frame_record_at(code[index]) != 0) record = frame_record_at(code[index]);
            if (stores_context(code[index], record)) return at + sizeof *code;
            Use use = use_of(code[index]);
            if (use == USE_SAVES) return 0;
            if (use == USE_OF_CONTEXT) used = true;
        }
    }
    // Whether it has a frame, and so the context in it, await.c sees from the frame.
    return used ? function->start : 0;
}

#endif

#endif
