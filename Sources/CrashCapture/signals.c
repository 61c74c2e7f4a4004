// Names and kinds of signals (signal(7), sigaction(2), asm-generic/siginfo.h). Async-signal-safe; pure.

#if defined(__linux__)

#include "internal.h"

const int mayday_crash_signals[CRASH_SIGNALS] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT};

int mayday_signal_index(int signal) {
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        if (mayday_crash_signals[index] == signal) return index;
    }
    return -1;
}

const char *mayday_signal_name(int signal) {
    switch (signal) {
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGSEGV: return "SIGSEGV";
    case SIGSYS: return "SIGSYS";
    case SIGQUIT: return "SIGQUIT";
    default: return NULL;
    }
}

/// Names by si_code − 1.
#define NAME_OF(names, code) ((code) >= 1 && (size_t)(code) <= sizeof(names) / sizeof *(names) ? (names)[(code)-1] : NULL)

const char *mayday_signal_code_name(int signal, int code) {
    static const char *const ill[] = {"ILL_ILLOPC", "ILL_ILLOPN", "ILL_ILLADR", "ILL_ILLTRP",  "ILL_PRVOPC",
                                      "ILL_PRVREG", "ILL_COPROC", "ILL_BADSTK", "ILL_BADIADDR"};
    static const char *const fpe[] = {"FPE_INTDIV", "FPE_INTOVF", "FPE_FLTDIV", "FPE_FLTOVF",
                                      "FPE_FLTUND", "FPE_FLTRES", "FPE_FLTINV", "FPE_FLTSUB"};
    static const char *const segv[] = {"SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR",  "SEGV_PKUERR",  "SEGV_ACCADI",
                                       "SEGV_ADIDERR", "SEGV_ADIPERR", "SEGV_MTEAERR", "SEGV_MTESERR", "SEGV_CPERR"};
    static const char *const bus[] = {"BUS_ADRALN", "BUS_ADRERR", "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO"};
    static const char *const trap[] = {"TRAP_BRKPT", "TRAP_TRACE", "TRAP_BRANCH", "TRAP_HWBKPT", "TRAP_UNK", "TRAP_PERF"};
    static const char *const sys[] = {"SYS_SECCOMP", "SYS_USER_DISPATCH"};
    switch (code) {
    case SI_USER: return "SI_USER";
    case SI_KERNEL: return "SI_KERNEL";
    case SI_QUEUE: return "SI_QUEUE";
    case SI_TIMER: return "SI_TIMER";
    case SI_MESGQ: return "SI_MESGQ";
    case SI_ASYNCIO: return "SI_ASYNCIO";
    case SI_SIGIO: return "SI_SIGIO";
    case SI_TKILL: return "SI_TKILL";
    default: break;
    }
    switch (signal) {
    case SIGILL: return NAME_OF(ill, code);
    case SIGFPE: return NAME_OF(fpe, code);
    case SIGSEGV: return NAME_OF(segv, code);
    case SIGBUS: return NAME_OF(bus, code);
    case SIGTRAP: return NAME_OF(trap, code);
    case SIGSYS: return NAME_OF(sys, code);
    default: return NULL;
    }
}

bool mayday_signal_is_fault(int signal, int code) {
    if (code <= 0) return false;
    switch (signal) {
    case SIGILL:
    case SIGFPE:
    case SIGSEGV:
    case SIGTRAP:
    case SIGSYS: return true;
    case SIGBUS: return code != BUS_MCEERR_AO;  // a page somewhere went bad; no instruction touched it
    default: return false;
    }
}

bool mayday_signal_has_address(int signal, int code) {
    // SI_KERNEL is a fault whose address the processor does not tell: the field is 0, which would read as a null pointer.
    return signal != SIGSYS && code != SI_KERNEL && mayday_signal_is_fault(signal, code);
}

bool mayday_signal_has_sender(int code) { return code == SI_USER || code == SI_TKILL || code == SI_QUEUE; }

#endif
