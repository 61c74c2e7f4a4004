// The two decisions of the handler, as pure functions. Async-signal-safe. docs/handler.md shows both, made from here by a test.

#if defined(__linux__)

#include "internal.h"

// Each row as bits of what it fits. No pointers: the table is in pages that nothing ever writes, from the start.
#define OF(owner) (1u << (owner))
#define IN(phase) (1u << (phase))
#define BY(sender) (1u << (sender))
#define ANY_OWNER (OF(OWNER_NOBODY) | OF(OWNER_SELF) | OF(OWNER_OTHER) | OF(OWNER_BORROWED))
#define ANY_PHASE (IN(PHASE_RUNNER) | IN(PHASE_STAGE) | IN(PHASE_ENDING) | IN(PHASE_CHAINED))
#define IN_CAPTURE (IN(PHASE_RUNNER) | IN(PHASE_STAGE))
#define ANY_SENDER (BY(SENDER_NONE) | BY(SENDER_SELF) | BY(SENDER_ANOTHER))
#define SENT (BY(SENDER_SELF) | BY(SENDER_ANOTHER))
#define OWN (BY(SENDER_NONE) | BY(SENDER_SELF))

const GateRow mayday_gate_rows[] = {
    {"reporter's child", OF(OWNER_BORROWED), ANY_PHASE, ANY_SENDER, false, 0, GATE_EXIT,
     "nothing but this child ends, which is not the reporter yet"},
    {"ignored", ANY_OWNER, ANY_PHASE, SENT, true, 0, GATE_IGNORE, "it was ignored before us, so it still is"},
    {"first crash", OF(OWNER_NOBODY), ANY_PHASE, ANY_SENDER, false, 0, GATE_CAPTURE,
     "in a forked child too, whoever crashes in its parent: its crash is its own"},
    {"another thread", OF(OWNER_OTHER), ANY_PHASE, ANY_SENDER, false, 0, GATE_WAIT,
     "the first crash is the one that is told"},
    {"previous handler, again and again", OF(OWNER_SELF), IN(PHASE_CHAINED), ANY_SENDER, false, MAX_NESTED_FAULTS, GATE_DIE,
     "it comes back to us for ever"},
    {"previous handler", OF(OWNER_SELF), IN(PHASE_CHAINED), ANY_SENDER, false, 0, GATE_PASS_ON,
     "it calls us, or has put us back: the action before ours decides"},
    {"on the way out", OF(OWNER_SELF), IN(PHASE_ENDING), ANY_SENDER, false, 0, GATE_DIE,
     "by the signal of the crash, not by this one"},
    {"killed while dying", OF(OWNER_SELF), IN_CAPTURE, BY(SENDER_ANOTHER), false, 0, GATE_IGNORE,
     "the process ends by its crash already"},
    {"nothing works", OF(OWNER_SELF), IN_CAPTURE, OWN, false, MAX_NESTED_FAULTS, GATE_DIE, "by the signal of the crash"},
    {"in a stage, often", OF(OWNER_SELF), IN(PHASE_STAGE), OWN, false, MAX_STAGE_FAULTS, GATE_ABANDON,
     "the whole step is left, not a part of it"},
    {"in a stage", OF(OWNER_SELF), IN(PHASE_STAGE), OWN, false, 0, GATE_LEAVE_STAGE,
     "what it had is kept, and the next stage runs"},
    {"between stages", OF(OWNER_SELF), IN(PHASE_RUNNER), OWN, false, 0, GATE_ABANDON, "the next step runs"},
};

const size_t mayday_gate_row_count = sizeof mayday_gate_rows / sizeof *mayday_gate_rows;

static bool fits(const GateRow *row, const GateFacts *facts) {
    return (row->owners & OF(facts->owner)) != 0 && (row->phases & IN(facts->phase)) != 0 &&
           (row->senders & BY(facts->sender)) != 0 && (!row->if_ignored || facts->ignored_before) &&
           facts->nested_faults >= row->faults;
}

const GateRow *mayday_gate_row(const GateFacts *facts) {
    for (size_t index = 0; index < mayday_gate_row_count; index++) {
        if (fits(&mayday_gate_rows[index], facts)) return &mayday_gate_rows[index];
    }
    return NULL;
}

GateAction mayday_gate_decide(const GateFacts *facts) {
    const GateRow *row = mayday_gate_row(facts);
    return row != NULL ? row->action : GATE_DIE;
}

// How the process ends when the previous action is the default, which has been put back:
//
//   signal                              | PID 1                       | any other process
//   ------------------------------------+-----------------------------+---------------------
//   SEGV BUS ILL FPE by an instruction  | RETURN: it faults again     | REQUEUE: it may not, memory can be there by now
//   TRAP by an instruction, repeatable  | RETURN: it traps again      | REQUEUE
//   ABRT by this thread: abort()        | RETURN: abort() goes on     | REQUEUE: raise() ends too
//   anything else                       | EXIT: the kernel drops it   | REQUEUE
EndAction mayday_end_decide(const EndFacts *facts) {
    bool by_instruction = mayday_signal_is_fault(facts->signal, facts->code);
    bool repeats = facts->signal == SIGSEGV || facts->signal == SIGBUS || facts->signal == SIGILL ||
                   facts->signal == SIGFPE;
    if (!facts->pid_one) return END_REQUEUE;
    if (by_instruction && repeats) return END_RETURN;
    if (facts->signal == SIGABRT && facts->sent_by_self) return END_RETURN;
    if (by_instruction && facts->signal == SIGTRAP && facts->trap_instruction_repeats) return END_RETURN;
    return END_EXIT;
}

#endif
