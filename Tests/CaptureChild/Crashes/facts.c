// The pure functions that read the system's files, for tests.

#include "CaptureChildCrashes.h"

#if defined(__linux__)

#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(MaydayText text) { return text.bytes == NULL ? NULL : strndup(text.bytes, text.length); }

static char *limit_files(MaydayText file) {
    ControlGroups groups = mayday_control_groups(file);
    static char buffer[65536];
    Line line = {.data = buffer, .capacity = sizeof buffer};
    for (int level = 0; mayday_memory_limit_file(&groups, level, &line); level++) mayday_line_raw(&line, "\n");
    return copy((MaydayText){buffer, line.length});
}

static char *limit(MaydayText file) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)mayday_memory_limit(file));
    return strdup(text);
}

char *capture_child_fact(const char *name, const char *text) {
    MaydayText file = {text, strlen(text)};
    if (strcmp(name, "os") == 0) return copy(mayday_operating_system(file));
    if (strcmp(name, "group-container") == 0) return copy(mayday_control_groups(file).container);
    if (strcmp(name, "mounted-container") == 0) return copy(mayday_mounted_container(file));
    if (strcmp(name, "limit-files") == 0) return limit_files(file);
    if (strcmp(name, "limit") == 0) return limit(file);
    abort();
}

#endif
