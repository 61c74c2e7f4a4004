// The two decisions of the handler, as pure functions. Async-signal-safe.

#if defined(__linux__)

#include "internal.h"

// What a signal means, first row that fits:
//
//   owner   | phase   | signal                       | decision
//   --------+---------+------------------------------+----------------------------------------------------------
//   borrowed|         | any                          | EXIT: nothing but this child, which is not the reporter yet
//   any     | any     | sent, SIG_IGN before us      | IGNORE: as without us
//   nobody  |         | any                          | CAPTURE (also in a forked child: it has an owner of its own)
//   other   | any     | any                          | WAIT: the first crash is the one that is told
//   self    | CHAINED | any                          | PASS_ON: the previous handler faulted, or put us back
//   self    | ENDING  | any                          | DIE: by the first crash's signal
//   self    | any     | sent, not by this thread     | IGNORE: somebody kills a process that is dying
//   self    | any     | the 25th fault or abort      | DIE: nothing works here
//   self    | STAGE   | fault, or abort in the stage | LEAVE_STAGE; from the 9th on ABANDON
//   self    | RUNNER  | fault                        | ABANDON: on with the next step
GateAction mayday_gate_decide(const GateFacts *facts) {
    if (facts->owner == OWNER_BORROWED) return GATE_EXIT;
    if (facts->sent && facts->ignored_before) return GATE_IGNORE;
    switch (facts->owner) {
    case OWNER_NOBODY: return GATE_CAPTURE;
    case OWNER_OTHER: return GATE_WAIT;
    case OWNER_BORROWED:
    case OWNER_SELF: break;
    }
    if (facts->phase == PHASE_CHAINED) return GATE_PASS_ON;
    if (facts->phase == PHASE_ENDING) return GATE_DIE;
    if (facts->sent && !facts->sent_by_self) return GATE_IGNORE;
    if (facts->nested_faults >= MAX_NESTED_FAULTS) return GATE_DIE;
    if (facts->phase == PHASE_STAGE && facts->nested_faults < MAX_STAGE_FAULTS) return GATE_LEAVE_STAGE;
    return GATE_ABANDON;
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
