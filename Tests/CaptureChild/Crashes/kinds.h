// The ways to end, by name.

#ifndef CAPTURE_CHILD_KINDS_H
#define CAPTURE_CHILD_KINDS_H

typedef struct Kind {
    const char *name;
    void (*run)(void);
} Kind;

/// Ended by an entry without a name.
extern const Kind capture_child_kinds[];

#endif
