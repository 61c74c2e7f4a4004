// What the keepers of context share, and how they write it (context_lines.c). Everything here is async-signal-safe.

#ifndef MAYDAY_CONTEXT_LINES_H
#define MAYDAY_CONTEXT_LINES_H

#include "context.h"
#include "line.h"

#pragma GCC visibility push(hidden)

/// Nanoseconds since 1970.
uint64_t mayday_context_time_ns(void);
/// Copies text; where it is longer than `capacity`, up to a whole character and `…` behind it. Returns the length.
size_t mayday_context_cut(char *to, size_t capacity, MaydayText text);

/// The tickets of the breadcrumbs that may still be there.
void mayday_breadcrumbs_range(uint64_t *first, uint64_t *end);
/// Writes one. False when it is gone, or is being written.
bool mayday_breadcrumb_line(uint64_t ticket, Line *line);

/// Writes the member of `kind`, an object, when it has any values.
void mayday_values_member(MaydayValueKind kind, const char *name, Line *line);
/// Writes the line of the next attachment from `*index` on, and moves it. False when there is none.
bool mayday_attachment_line(uint32_t *index, Line *line);
/// Writes the members `request` and `custom` of an open scope.
void mayday_scope_members(uint64_t scope, Line *line);
/// True when there were scopes in this process.
bool mayday_scopes_were_opened(void);
/// The scope of the task that runs on the calling thread, or 0. Of memory that may be damaged: run as a stage.
uint64_t mayday_scope_of_this_thread(void);

/// True when there is anything to write.
bool mayday_context_is_set(void);
/// Writes the next line; false at the end.
bool mayday_context_next_line(MaydayContextCursor *cursor, Line *line);

#pragma GCC visibility pop

#endif
