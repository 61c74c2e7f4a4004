// Answers for Mayday.selfCheck(). Nothing in this file is async-signal-safe.

#include "inspection.h"

#if defined(__linux__)

#include "internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/resource.h>

int mayday_inspect_count(void) { return CRASH_SIGNALS; }

int mayday_inspect_signal(int index) { return mayday_crash_signals[index]; }

const char *mayday_inspect_signal_name(int signal) { return mayday_signal_name(signal); }

uint64_t mayday_inspect_faults(void) {
    uint64_t faults = 0;
    for (int index = 0; index < CRASH_SIGNALS; index++) {
        int signal = mayday_crash_signals[index];
        if (signal != SIGABRT && signal != SIGQUIT) faults |= (uint64_t)1 << (signal - 1);
    }
    return faults;
}

/// The object that an address is in; NULL when it is in none.
static const void *object_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

static MaydayHandler describe(const struct sigaction *action) {
    MaydayHandler handler = {.kind = MAYDAY_HANDLER_OTHER};
    if (action->sa_handler == SIG_DFL) handler.kind = MAYDAY_HANDLER_DEFAULT;
    if (action->sa_handler == SIG_IGN) handler.kind = MAYDAY_HANDLER_IGNORED;
    if (action->sa_sigaction == mayday_on_signal) handler.kind = MAYDAY_HANDLER_OURS;
    if (handler.kind != MAYDAY_HANDLER_OTHER) return handler;
    Dl_info info;
    const void *function = (const void *)(uintptr_t)action->sa_sigaction;
    if (dladdr(function, &info) == 0) return handler;
    handler.image = info.dli_fname;
    handler.function = info.dli_sname;
    handler.is_in_our_image = info.dli_fbase == object_of((const void *)(uintptr_t)mayday_on_signal);
    return handler;
}

MaydayHandler mayday_inspect_handler(int signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) return (MaydayHandler){.kind = MAYDAY_HANDLER_DEFAULT};
    return describe(&action);
}

MaydayHandler mayday_inspect_previous(int signal) {
    int index = mayday_signal_index(signal);
    if (index < 0 || mayday_settings == NULL) return (MaydayHandler){.kind = MAYDAY_HANDLER_DEFAULT};
    return describe(&mayday_settings->previous[index]);
}

size_t mayday_inspect_alternate_stack(void) {
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_DISABLE) != 0) return 0;
    return stack.ss_size;
}

bool mayday_inspect_creates_threads(void) {
    const void *first = dlsym(RTLD_DEFAULT, "pthread_create");
    const void *ours = object_of((const void *)(uintptr_t)mayday_on_signal);
    return MAYDAY_INTERPOSE && first != NULL && ours != NULL && object_of(first) == ours;
}

uint64_t mayday_inspect_file_size_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

typedef struct Walk {
    void (*each)(void *context, const MaydayLoadedObject *object);
    void *context;
} Walk;

/// ELF notes: name size, description size, type; name and description padded to 4.
static const uint8_t *find_build_id(const uint8_t *notes, size_t size, size_t *length) {
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
        size_t name = at + sizeof *note;
        size_t description = name + (((size_t)note->n_namesz + 3) & ~(size_t)3);
        if (description > size || note->n_descsz > size - description) return NULL;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
            *length = note->n_descsz;
            return notes + description;
        }
        at = description + (((size_t)note->n_descsz + 3) & ~(size_t)3);
    }
    return NULL;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const Walk *walk = data;
    MaydayLoadedObject object = {.path = info->dlpi_name != NULL ? info->dlpi_name : "", .base = UINTPTR_MAX};
    uintptr_t end = 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_NOTE && object.build_id == NULL) {
            object.build_id = find_build_id((const uint8_t *)start, header->p_memsz, &object.build_id_length);
        }
        if (header->p_type != PT_LOAD) continue;
        if (start < object.base) object.base = start & ~(uintptr_t)4095;
        if (start + header->p_memsz > end) end = start + header->p_memsz;
    }
    object.size = end > object.base ? end - object.base : 0;
    walk->each(walk->context, &object);
    return 0;
}

void mayday_inspect_images(void (*each)(void *context, const MaydayLoadedObject *object), void *context) {
    Walk walk = {each, context};
    dl_iterate_phdr(visit, &walk);
}

#else

int mayday_inspect_count(void) { return 0; }
int mayday_inspect_signal(int index) { return index; }
const char *mayday_inspect_signal_name(int signal) { return signal > 0 ? NULL : ""; }
uint64_t mayday_inspect_faults(void) { return 0; }
MaydayHandler mayday_inspect_handler(int signal) { return (MaydayHandler){.kind = MAYDAY_HANDLER_DEFAULT, .image = signal > 0 ? NULL : ""}; }
MaydayHandler mayday_inspect_previous(int signal) { return mayday_inspect_handler(signal); }
size_t mayday_inspect_alternate_stack(void) { return 0; }
bool mayday_inspect_creates_threads(void) { return false; }
uint64_t mayday_inspect_file_size_limit(void) { return UINT64_MAX; }
void mayday_inspect_images(void (*each)(void *context, const MaydayLoadedObject *object), void *context) {
    (void)each;
    (void)context;
}

#endif
