// Arguments: [option …] KIND
//
//   --no-capture            does not install
//   --spool DIR             spool directory; without it the report lives in memory
//   --reporter MODE         re-executes itself as `--as-reporter MODE`
//   --reporter-deadline MS  how long the dying process waits for it
//   --previous MODE         installs a handler of its own first (see previous.c)

#include "CaptureChildCrashes.h"

#include "CrashCapture.h"
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Arguments {
    bool capture;
    const char *spool;
    const char *reporter;
    const char *kind;
    uint32_t reporter_deadline_ms;
} Arguments;

static bool parse(int count, char **arguments, Arguments *result) {
    *result = (Arguments){.capture = true, .reporter_deadline_ms = 5000};
    for (int index = 1; index < count; index++) {
        const char *argument = arguments[index];
        const char *value = index + 1 < count ? arguments[index + 1] : "";
        if (strcmp(argument, "--no-capture") == 0) {
            result->capture = false;
        } else if (strcmp(argument, "--spool") == 0) {
            result->spool = value;
            index += 1;
        } else if (strcmp(argument, "--reporter") == 0) {
            result->reporter = value;
            index += 1;
        } else if (strcmp(argument, "--reporter-deadline") == 0) {
            result->reporter_deadline_ms = (uint32_t)strtoul(value, NULL, 10);
            index += 1;
        } else if (result->kind == NULL) {
            result->kind = argument;
        } else {
            return false;
        }
    }
    return result->kind != NULL;
}

static bool install(const Arguments *arguments) {
    MaydayCaptureOptions options = {
        .spool_directory = arguments->spool,
        .report_members = "\"release\":\"capture-child@1\",\"sdk\":{\"name\":\"test\",\"version\":\"0\"}",
        .process_members = "\"name\":\"CaptureChild\"",
        .reporter_deadline_ms = arguments->reporter_deadline_ms,
    };
    MaydayCaptureStatus status = mayday_capture_install(&options);
    if (status == MAYDAY_CAPTURE_INSTALLED) return true;
    fprintf(stderr, "install: status %d\n", (int)status);
    return false;
}

int capture_child_main(int32_t count, char **arguments) {
    Arguments parsed;
    if (!parse(count, arguments, &parsed)) {
        fprintf(stderr, "usage: CaptureChild [option ...] KIND\n");
        return 64;
    }
    if (parsed.capture && !install(&parsed)) return 70;
    for (const Kind *kind = capture_child_kinds; kind->name != NULL; kind++) {
        if (strcmp(kind->name, parsed.kind) != 0) continue;
        kind->run();
        fprintf(stderr, "survived %s\n", kind->name);
        return 0;
    }
    fprintf(stderr, "no kind %s\n", parsed.kind);
    return 64;
}

void capture_child_exit(int status) { exit(status); }
