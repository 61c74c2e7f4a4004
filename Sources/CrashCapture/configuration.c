// The configuration with the environment's overrides and the defaults. Pure; not async-signal-safe only for want of need.

#include "MaydayStart.h"
#include "utf8.h"
#include "runs_at_start.h"

#include <string.h>

enum { LONGEST_TEXT = 200, LARGEST_DEADLINE_MS = 60000 };

/// Where the value that counts was given.
typedef struct Given {
    const char *setting;
    MaydayText value;
} Given;

typedef struct Resolver {
    const char *const *environment;
    MaydayMistake *mistake;
} Resolver;

static MaydayText text_of(const char *string) { return (MaydayText){string, strlen(string)}; }

/// The value of a variable; empty counts as absent.
static MaydayText variable(const Resolver *resolver, const char *name) {
    size_t length = strlen(name);
    for (const char *const *entry = resolver->environment; *entry != NULL; entry++) {
        if (strncmp(*entry, name, length) != 0 || (*entry)[length] != '=') continue;
        MaydayText value = text_of(*entry + length + 1);
        return value.length > 0 ? value : (MaydayText){NULL, 0};
    }
    return (MaydayText){NULL, 0};
}

static Given given(const Resolver *resolver, const char *name, MaydayText own, const char *property) {
    MaydayText value = variable(resolver, name);
    return value.bytes != NULL ? (Given){name, value} : (Given){property, own};
}

/// Notes the mistake. Always false.
static bool refuse(const Resolver *resolver, Given value, const char *remedy) {
    *resolver->mistake = (MaydayMistake){value.setting, value.value, remedy};
    return false;
}

/// What is wrong with the characters of a text: control characters (C0 and C1), or bytes that are no UTF-8. NULL for nothing.
static const char *character_remedy(MaydayText text) {
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    for (size_t index = 0; index < text.length;) {
        size_t length = mayday_utf8_length(bytes + index, text.length - index);
        if (length == 0) return "write it in UTF-8";
        bool control = bytes[index] < 0x20 || bytes[index] == 0x7f || (bytes[index] == 0xc2 && bytes[index + 1] < 0xa0);
        if (control) return "write it without control characters";
        index += length;
    }
    return NULL;
}

static bool resolve_text(
    const Resolver *resolver, const char *name, MaydayText own, const char *property, MaydayText *result
) {
    Given value = given(resolver, name, own, property);
    *result = value.value;
    if (value.value.bytes == NULL) return true;
    if (value.value.length == 0) return refuse(resolver, value, "write a text, or leave it out");
    if (value.value.length > LONGEST_TEXT) return refuse(resolver, value, "write at most 200 bytes");
    const char *remedy = character_remedy(value.value);
    return remedy == NULL || refuse(resolver, value, remedy);
}

/// `checkout` of `checkout@1.4.2`; none when there is nothing before the `@`, or no `@`.
static MaydayText service_of_release(MaydayText release) {
    const char *at = release.bytes != NULL ? memchr(release.bytes, '@', release.length) : NULL;
    return at == NULL || at == release.bytes ? (MaydayText){NULL, 0}
                                             : (MaydayText){release.bytes, (size_t)(at - release.bytes)};
}

/// False for what is not a setting of ours and cannot be a place for the spool.
static bool is_usable_path(MaydayText path) {
    return path.bytes != NULL && path.bytes[0] == '/' && character_remedy(path) == NULL;
}

static void add_place(MaydaySettings *settings, MaydayText base, const char *below, bool must_exist) {
    settings->spools[settings->spool_count++] = (MaydaySpoolPlace){base, below, must_exist};
}

static bool resolve_spool(const Resolver *resolver, MaydayText own, const char *user_directory, MaydaySettings *settings) {
    Given value = given(resolver, "MAYDAY_SPOOL", own, "MaydayConfiguration.spool");
    if (value.value.bytes != NULL) {
        const char *remedy = character_remedy(value.value);
        if (remedy != NULL) return refuse(resolver, value, remedy);
        if (value.value.length == 0 || value.value.bytes[0] != '/') {
            return refuse(resolver, value, "write an absolute path, for example /var/lib/checkout/mayday");
        }
        add_place(settings, value.value, "", false);
        return true;
    }
    MaydayText state = variable(resolver, "XDG_STATE_HOME");
    if (is_usable_path(state)) add_place(settings, state, "/mayday", false);
    MaydayText home = variable(resolver, "HOME");
    if (is_usable_path(home)) add_place(settings, home, "/.local/state/mayday", true);
    add_place(settings, text_of("/var/tmp"), user_directory, true);
    return true;
}

/// Milliseconds of `5`, `2.5s` or `500ms`; -1 for anything else. Not by strtod, which goes by the locale.
static int64_t milliseconds(MaydayText text) {
    double unit = 1000, value = 0, weight = 0;
    bool digits = false;
    if (text.length > 2 && memcmp(text.bytes + text.length - 2, "ms", 2) == 0) {
        unit = 1;
        text.length -= 2;
    } else if (text.bytes[text.length - 1] == 's') {
        text.length -= 1;
    }
    for (size_t index = 0; index < text.length; index++) {
        char byte = text.bytes[index];
        if (byte == '.' && weight == 0) {
            weight = 1;
        } else if (byte < '0' || byte > '9') {
            return -1;
        } else {
            value = weight == 0 ? value * 10 + (byte - '0') : value + (byte - '0') * (weight /= 10);
            digits = true;
        }
    }
    return digits && value * unit <= 2.0 * LARGEST_DEADLINE_MS ? (int64_t)(value * unit + 0.5) : -1;
}

static bool resolve_deadline(const Resolver *resolver, int64_t own, uint32_t *result) {
    Given value = {"MAYDAY_DELIVERY_DEADLINE", variable(resolver, "MAYDAY_DELIVERY_DEADLINE")};
    bool is_own = value.value.bytes == NULL;
    int64_t deadline = is_own ? own : milliseconds(value.value);
    if (deadline >= 0 && deadline <= LARGEST_DEADLINE_MS) {
        *result = (uint32_t)deadline;
        return true;
    }
    if (!is_own) return refuse(resolver, value, "write seconds from 0 to 60, for example 5, 2.5s or 500ms");
    return refuse(resolver, (Given){"MaydayConfiguration.deliveryDeadline", {NULL, 0}}, "give from 0 to 60 seconds");
}

static bool is_word(MaydayText text, const char *word) {
    if (text.length != strlen(word)) return false;
    for (size_t index = 0; index < text.length; index++) {
        char byte = text.bytes[index];
        if ((byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte) != word[index]) return false;
    }
    return true;
}

static bool resolve_flag(const Resolver *resolver, const char *name, bool own, const char *remedy, bool *result) {
    static const char *const words[][4] = {{"0", "false", "no", "off"}, {"1", "true", "yes", "on"}};
    Given value = {name, variable(resolver, name)};
    *result = own;
    if (value.value.bytes == NULL) return true;
    for (int meaning = 0; meaning < 2; meaning++) {
        for (int index = 0; index < 4; index++) {
            if (!is_word(value.value, words[meaning][index])) continue;
            *result = meaning == 1;
            return true;
        }
    }
    return refuse(resolver, value, remedy);
}

static bool resolve_self_check(const Resolver *resolver, MaydayStartCheck *result) {
    static const char name[] = "MAYDAY_SELF_CHECK";
    MaydayText value = variable(resolver, name);
    if (value.length == strlen("rehearse") && memcmp(value.bytes, "rehearse", value.length) == 0) {
        *result = MAYDAY_CHECK_AND_REHEARSE;
        return true;
    }
    bool wanted = false;
    if (!resolve_flag(resolver, name, false, "write true, false or rehearse", &wanted)) return false;
    *result = wanted ? MAYDAY_CHECK_ONLY : MAYDAY_CHECK_NONE;
    return true;
}

bool mayday_resolve(
    const MaydayProgram *program, const char *const *environment, MaydayText executable, const char *user_directory,
    MaydaySettings *settings, MaydayMistake *mistake
) {
    const Resolver resolver = {environment, mistake};
    *mistake = (MaydayMistake){NULL, {NULL, 0}, NULL};
    memset(settings, 0, sizeof *settings);
    bool texts =
        resolve_text(&resolver, "MAYDAY_RELEASE", program->release, "MaydayConfiguration.release", &settings->release) &&
        resolve_text(&resolver, "MAYDAY_SERVICE", program->service, "MaydayConfiguration.service", &settings->service) &&
        resolve_text(
            &resolver, "MAYDAY_ENVIRONMENT", program->environment, "MaydayConfiguration.environment", &settings->environment
        );
    if (!texts) return false;
    if (settings->service.bytes == NULL) settings->service = service_of_release(settings->release);
    if (settings->service.bytes == NULL) settings->service = executable;
    return resolve_spool(&resolver, program->spool, user_directory, settings) &&
           resolve_deadline(&resolver, program->delivery_deadline_ms, &settings->delivery_deadline_ms) &&
           resolve_flag(&resolver, "MAYDAY_ENABLED", program->enabled, "write true or false", &settings->enabled) &&
           resolve_self_check(&resolver, &settings->self_check);
}
