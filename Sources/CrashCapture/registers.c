// Registers out of a signal's context, by machine. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"

typedef struct RegisterName {
    const char *name;
    int index;
} RegisterName;

#if defined(__x86_64__)

uintptr_t mayday_context_pc(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.gregs[REG_RIP]; }
uintptr_t mayday_context_sp(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.gregs[REG_RSP]; }
uintptr_t mayday_context_fp(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.gregs[REG_RBP]; }
uintptr_t mayday_context_async(const ucontext_t *context) { return (uintptr_t)context->uc_mcontext.gregs[REG_R14]; }

uintptr_t mayday_code_address(uintptr_t address) { return address; }

const bool mayday_may_sign = false;

bool mayday_signs(const CodeRange *function, uintptr_t pc) {
    (void)function;
    (void)pc;
    return false;
}

void mayday_context_set_frame(ucontext_t *context, uintptr_t pc, uintptr_t sp, uintptr_t fp) {
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)fp;
}

bool mayday_context_undo_call(ucontext_t *context) {
    uintptr_t caller;
    if (!mayday_safe_read(&caller, mayday_context_sp(context), sizeof caller)) return false;
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)caller;
    context->uc_mcontext.gregs[REG_RSP] += (greg_t)sizeof caller;
    return true;
}

bool mayday_context_repeat_trap(ucontext_t *context) {
    const uint8_t breakpoint = 0xcc;  // int3; the pc is already behind it
    uint8_t before;
    uintptr_t pc = mayday_context_pc(context);
    if (!mayday_safe_read(&before, pc - 1, 1) || before != breakpoint) return false;
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(pc - 1);
    return true;
}

void mayday_registers(Line *line, const ucontext_t *context) {
    static const RegisterName names[] = {
        {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX}, {"rdx", REG_RDX}, {"rsi", REG_RSI},    {"rdi", REG_RDI},
        {"rbp", REG_RBP}, {"rsp", REG_RSP}, {"r8", REG_R8},   {"r9", REG_R9},   {"r10", REG_R10},    {"r11", REG_R11},
        {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15}, {"rip", REG_RIP},    {"eflags", REG_EFL},
        {"cr2", REG_CR2},
    };
    mayday_line_raw(line, "{");
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        mayday_line_key(line, names[index].name);
        mayday_line_hex(line, (uint64_t)context->uc_mcontext.gregs[names[index].index]);
    }
    mayday_line_raw(line, "}");
}

#elif defined(__aarch64__)

uintptr_t mayday_context_pc(const ucontext_t *context) { return context->uc_mcontext.pc; }
uintptr_t mayday_context_sp(const ucontext_t *context) { return context->uc_mcontext.sp; }
uintptr_t mayday_context_fp(const ucontext_t *context) { return context->uc_mcontext.regs[29]; }
uintptr_t mayday_context_async(const ucontext_t *context) { return context->uc_mcontext.regs[22]; }

uintptr_t mayday_code_address(uintptr_t address) {
    register uintptr_t link __asm__("x30") = address;
    __asm__("hint #7" : "+r"(link));  // xpaclri: does nothing on machines that sign no addresses
    return link;
}

const bool mayday_may_sign = true;

bool mayday_signs(const CodeRange *function, uintptr_t pc) {
    // At the beginning, or behind what a function does before it needs a frame.
    uint32_t code[16];
    uintptr_t end = pc < function->end ? pc : function->end;
    for (uintptr_t at = function->start; at < end && at < function->start + 4 * sizeof code; at += sizeof code) {
        size_t count = (end - at) / sizeof *code;
        if (count > sizeof code / sizeof *code) count = sizeof code / sizeof *code;
        if (count == 0 || !mayday_safe_read(code, at, count * sizeof *code)) return false;
        for (size_t index = 0; index < count; index++) {
            const uint32_t paciasp = 0xd503233f, pacibsp = 0xd503237f;
            if (code[index] == paciasp || code[index] == pacibsp) return true;
        }
    }
    return false;
}

void mayday_context_set_frame(ucontext_t *context, uintptr_t pc, uintptr_t sp, uintptr_t fp) {
    context->uc_mcontext.pc = pc;
    context->uc_mcontext.sp = sp;
    context->uc_mcontext.regs[29] = fp;
}

bool mayday_context_undo_call(ucontext_t *context) {
    if (context->uc_mcontext.regs[30] == 0) return false;
    context->uc_mcontext.pc = mayday_code_address(context->uc_mcontext.regs[30]);
    return true;
}

bool mayday_context_repeat_trap(ucontext_t *context) {
    (void)context;
    return true;  // the pc stays at brk
}

void mayday_registers(Line *line, const ucontext_t *context) {
    mayday_line_raw(line, "{");
    for (int index = 0; index < 31; index++) {
        char name[4] = {'x', 0, 0, 0};
        if (index < 10) {
            name[1] = (char)('0' + index);
        } else {
            name[1] = (char)('0' + index / 10);
            name[2] = (char)('0' + index % 10);
        }
        mayday_line_key(line, name);
        mayday_line_hex(line, context->uc_mcontext.regs[index]);
    }
    static const char *const names[] = {"sp", "pc", "pstate"};
    const uint64_t values[] = {context->uc_mcontext.sp, context->uc_mcontext.pc, context->uc_mcontext.pstate};
    for (int index = 0; index < 3; index++) {
        mayday_line_key(line, names[index]);
        mayday_line_hex(line, values[index]);
    }
    mayday_line_raw(line, "}");
}

#else
#error "CrashCapture knows the registers of x86_64 and aarch64 only"
#endif

#endif
