// What the service says about itself while it runs, kept where a crash finds it: breadcrumbs, tags, and the values of the
// request in flight. Static memory, so that nothing is allocated; pages that are never written cost nothing.
//
// Text is UTF-8. What is given as JSON must be whole and valid: it is copied into the report as it is.

#ifndef MAYDAY_CONTEXT_H
#define MAYDAY_CONTEXT_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- breadcrumbs ------------------------------------------------------------------------------------------------------

enum {
    /// How many are kept; the oldest go.
    MAYDAY_BREADCRUMBS = 128,
    /// Bytes of each; what is longer is cut at a character and ends with `…`.
    MAYDAY_BREADCRUMB_MESSAGE = 240,
    MAYDAY_BREADCRUMB_CATEGORY = 40,
    /// Bytes of the data's JSON object with its braces; longer data is left out, and the breadcrumb says so.
    MAYDAY_BREADCRUMB_DATA = 200,
};

/// Not given.
#define MAYDAY_NO_LEVEL 0
typedef enum MaydayLevel {
    MAYDAY_DEBUG = 1,
    MAYDAY_INFO = 2,
    MAYDAY_WARNING = 3,
    MAYDAY_ERROR = 4,
    MAYDAY_FATAL = 5,
} MaydayLevel;

/// Adds a breadcrumb with the time of now. Lock-free, thread-safe, async-signal-safe.
/// `level` is a MaydayLevel or MAYDAY_NO_LEVEL; `category` and `data`, a JSON object, may be empty.
void mayday_breadcrumb_add(MaydayText message, MaydayText category, int level, MaydayText data);

// ---- values of the process: tags, user, custom ------------------------------------------------------------------------

enum {
    MAYDAY_VALUES = 96,
    MAYDAY_VALUE_NAME = 64,
    /// Bytes of a value's JSON.
    MAYDAY_VALUE_JSON = 400,
};

typedef enum MaydayValueKind {
    MAYDAY_TAG = 1,
    MAYDAY_USER = 2,
    MAYDAY_CUSTOM = 3,
    /// A file that reports are to have. Its JSON are the members of the `attachment` line beside its name, without braces.
    MAYDAY_ATTACHMENT = 4,
} MaydayValueKind;

typedef enum MaydayValueStatus {
    MAYDAY_VALUE_SET = 0,
    /// The name is empty or too long, or the JSON is too long.
    MAYDAY_VALUE_TOO_LONG = 1,
    /// There are MAYDAY_VALUES names already.
    MAYDAY_VALUES_FULL = 2,
    /// Another thread was writing all the time.
    MAYDAY_VALUES_BUSY = 3,
} MaydayValueStatus;

/// Sets a value, or removes it where `json` is empty. A crash at any moment shows the value before or the one after.
/// Thread-safe. Async-signal-safe: within a signal handler that interrupted another call it does nothing, and says busy.
MaydayValueStatus mayday_value_set(MaydayValueKind kind, MaydayText name, MaydayText json);

// ---- scopes: the values of one request or task --------------------------------------------------------------------------

enum {
    /// How many may be open at a time; those above it do not reach crashes.
    MAYDAY_SCOPES = 1024,
    /// Bytes of the JSON members of both objects together.
    MAYDAY_SCOPE_JSON = 1000,
};

/// Keeps the members (`"id":"a1","n":2`, without braces) of the objects `request` and `custom` until it is closed.
/// Returns its token; 0 when no scope is free or the members are too long. Thread-safe, async-signal-safe.
uint64_t mayday_scope_open(MaydayText request, MaydayText custom);

/// Closes a scope; 0 is ignored. Thread-safe, async-signal-safe.
void mayday_scope_close(uint64_t scope);

/// Says under which key the Swift runtime keeps the current scope among a task's local values: the address of the task-local,
/// whose value is a reference to an object with the token `offset` bytes behind its start. Thread-safe.
void mayday_scope_watch(const void *key, size_t offset);

// ---- reading it all ------------------------------------------------------------------------------------------------------

typedef struct MaydayContextCursor {
    uint64_t scope;
    uint64_t ticket;
    uint64_t end;
    uint32_t attachment;
    int step;
} MaydayContextCursor;

/// Begins with the `context` lines; `scope` may be 0.
MaydayContextCursor mayday_context_begin(uint64_t scope);

/// Writes the next line of the report, `context`, `attachment` or `breadcrumb`, without its `\n`, and returns its length; 0 at the end.
/// `capacity` of 96 KiB holds every line. Thread-safe, async-signal-safe: what is being written at that moment is left out.
size_t mayday_context_next(MaydayContextCursor *cursor, char *line, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
