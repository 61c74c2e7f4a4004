// The decisions of the handler: who captures, and how the process ends. Pure (gate.c), and shown in docs/handler.md.

#ifndef MAYDAY_GATE_H
#define MAYDAY_GATE_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

typedef enum GateOwner {
    OWNER_NOBODY,
    OWNER_SELF,
    OWNER_OTHER,
    /// Another process', whose memory this one works on: the child that is about to execute the reporter.
    OWNER_BORROWED,
} GateOwner;
typedef enum GatePhase { PHASE_RUNNER, PHASE_STAGE, PHASE_ENDING, PHASE_CHAINED } GatePhase;
/// Who sent the signal: nobody, where an instruction raised it.
typedef enum GateSender { SENDER_NONE, SENDER_SELF, SENDER_ANOTHER } GateSender;

typedef struct GateFacts {
    /// Whose crash is being captured in this process.
    GateOwner owner;
    /// What the owner was doing.
    GatePhase phase;
    /// `SENDER_SELF`: this thread, by abort() or raise().
    GateSender sender;
    /// The previous action was SIG_IGN.
    bool ignored_before;
    /// Faults of the owner inside the capture so far, and inside the previous handler.
    int nested_faults;
} GateFacts;

typedef enum GateAction {
    GATE_IGNORE,
    GATE_EXIT,
    GATE_CAPTURE,
    GATE_WAIT,
    GATE_LEAVE_STAGE,
    GATE_ABANDON,
    GATE_DIE,
    GATE_PASS_ON,
} GateAction;

/// Faults inside the capture after which no stage goes on, and after which the process ends at once.
enum { MAX_STAGE_FAULTS = 8, MAX_NESTED_FAULTS = 24 };

/// One row of the decision table. It fits when every fact is among its bits.
typedef struct GateRow {
    char name[36];
    unsigned owners;
    unsigned phases;
    unsigned senders;
    /// Fits only where the previous action was SIG_IGN.
    bool if_ignored;
    /// Fits from so many nested faults on.
    int faults;
    GateAction action;
    char why[80];
} GateRow;

/// What a signal means: the first row that fits. Every signal has one.
extern const GateRow mayday_gate_rows[];
extern const size_t mayday_gate_row_count;

const GateRow *mayday_gate_row(const GateFacts *facts);
GateAction mayday_gate_decide(const GateFacts *facts);

typedef struct EndFacts {
    int signal;
    int code;
    bool pid_one;
    bool sent_by_self;
    bool trap_instruction_repeats;
} EndFacts;

typedef enum EndAction {
    /// Return: the instruction faults again, or abort() goes on, with the default action.
    END_RETURN,
    /// Queue the original signal again, blocked until the handler has returned.
    END_REQUEUE,
    /// _exit(128 + signal): nothing else ends this process.
    END_EXIT,
} EndAction;

/// How a process whose previous action was the default ends.
EndAction mayday_end_decide(const EndFacts *facts);

#pragma GCC visibility pop

#endif
