// Loaded objects, read from the loader's own list (the r_debug protocol of debuggers, <link.h>) without its lock, at the
// moment of the crash. The list may be half changed or overwritten: every read is guarded, every loop bounded.

#if defined(__linux__)

#include "internal.h"

#include <elf.h>
#include <link.h>
#include <string.h>

enum { MAX_HEADERS = 64, MAX_NOTE_BYTES = 4096, MAX_NAMESPACES = 16, PATH_ARENA = 128 * 1024 };

ImageTable mayday_images;

// Static: the alternate stack is small. Only the crashing thread comes here.
static ElfW(Phdr) headers[MAX_HEADERS];
static uint8_t notes[MAX_NOTE_BYTES];
static char paths[PATH_ARENA];
static size_t paths_used;

/// Async-signal-safe. The build id of a PT_NOTE segment (ELF notes: name size, description size, type, padded to 4).
static void find_build_id(LoadedImage *image, uintptr_t address, size_t size) {
    if (size > sizeof notes) size = sizeof notes;
    if (!mayday_safe_read_near(notes, address, size)) return;
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note;
        if (note.n_namesz > size - name) return;
        size_t description = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
        if (description > size || note.n_descsz > size - description) return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
            size_t length = note.n_descsz < MAX_BUILD_ID ? note.n_descsz : MAX_BUILD_ID;
            memcpy(image->build_id, notes + description, length);
            image->build_id_length = (uint8_t)length;
            return;
        }
        at = description + (((size_t)note.n_descsz + 3) & ~(size_t)3);
    }
}

/// Async-signal-safe. Fills in what the program headers say. False when they make no object.
static bool read_headers(LoadedImage *image, uintptr_t address, size_t count) {
    if (count == 0 || count > MAX_HEADERS) return false;
    if (!mayday_safe_read_near(headers, address, count * sizeof *headers)) return false;
    image->headers = address;
    image->header_count = (uint16_t)count;
    image->base = UINTPTR_MAX;
    image->executable_start = UINTPTR_MAX;
    for (size_t index = 0; index < count; index++) {
        const ElfW(Phdr) *header = &headers[index];
        if (header->p_type != PT_LOAD) continue;
        uintptr_t start = (image->bias + header->p_vaddr) & ~(uintptr_t)4095;
        uintptr_t end = image->bias + header->p_vaddr + header->p_memsz;
        if (end < start) return false;
        if (start < image->base) image->base = start;
        if (end > image->end) image->end = end;
        if ((header->p_flags & PF_X) == 0) continue;
        if (start < image->executable_start) image->executable_start = start;
        if (end > image->executable_end) image->executable_end = end;
    }
    if (image->base >= image->end) return false;
    for (size_t index = 0; index < count && image->build_id_length == 0; index++) {
        if (headers[index].p_type == PT_NOTE) {
            find_build_id(image, image->bias + headers[index].p_vaddr, headers[index].p_memsz);
        }
    }
    return true;
}

/// Async-signal-safe. The object whose ELF header is mapped at `address`.
static bool read_object(LoadedImage *image, uintptr_t address) {
    ElfW(Ehdr) header;
    if (!mayday_safe_read_near(&header, address, sizeof header)) return false;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr))) return false;
    return read_headers(image, address + header.e_phoff, header.e_phnum);
}

/// Async-signal-safe. The next free entry, zeroed, or NULL.
static LoadedImage *new_image(uintptr_t bias) {
    uint32_t count = mayday_images.count;
    if (count >= MAX_IMAGES) {
        mayday_images.truncated = true;
        return NULL;
    }
    LoadedImage *image = &mayday_images.images[count];
    memset(image, 0, sizeof *image);
    image->bias = bias;
    image->path = "";
    return image;
}

/// Async-signal-safe.
static void add_mapped_path(LoadedImage *image, uintptr_t name) {
    if (paths_used + 2 >= sizeof paths) {
        mayday_images.truncated = true;
        return;
    }
    size_t room = sizeof paths - paths_used;
    char *path = paths + paths_used;
    size_t length = mayday_safe_read_string_near(path, name, room < PATH_MAX ? room : PATH_MAX);
    image->path = path;
    paths_used += length + 1;
}

/// Async-signal-safe.
static bool is_known(uintptr_t base) {
    for (uint32_t index = 0; index < mayday_images.count; index++) {
        if (mayday_images.images[index].base == base) return true;
    }
    return false;
}

/// Async-signal-safe. Walks one list. The executable is known from the auxiliary vector, whatever the list says of it;
/// more that is known already is a cycle.
static void walk_list(uintptr_t first) {
    uintptr_t next = first;
    int repeated = 0;
    for (int steps = 0; next != 0 && steps < 2 * MAX_IMAGES; steps++) {
        struct link_map map;
        if (!mayday_safe_read_near(&map, next, sizeof map)) return;
        next = (uintptr_t)map.l_next;
        LoadedImage *image = new_image(map.l_addr);
        if (image == NULL) return;
        if (!read_object(image, map.l_addr)) continue;
        if (is_known(image->base)) {
            repeated += 1;
            if (repeated > MAX_NAMESPACES) return;
            continue;
        }
        add_mapped_path(image, (uintptr_t)map.l_name);
        mayday_images.count += 1;
    }
}

/// Async-signal-safe.
void mayday_images_walk(void) {
    mayday_blocks_forget();
    mayday_images.count = 0;
    mayday_images.truncated = false;
    paths_used = 0;

    // PT_PHDR of the executable tells how far it was moved.
    size_t count = mayday_settings->executable_header_count;
    LoadedImage *image = new_image(0);
    if (count <= MAX_HEADERS && mayday_safe_read_near(headers, mayday_settings->executable_headers, count * sizeof *headers)) {
        for (size_t index = 0; index < count; index++) {
            if (headers[index].p_type != PT_PHDR) continue;
            image->bias = mayday_settings->executable_headers - headers[index].p_vaddr;
        }
        if (read_headers(image, mayday_settings->executable_headers, count)) {
            image->path = mayday_settings->executable;
            mayday_images.count += 1;
        }
    }

    uintptr_t debug = mayday_settings->loader_debug;
    for (int namespaces = 0; debug != 0 && namespaces < MAX_NAMESPACES; namespaces++) {
        struct r_debug list;
        if (!mayday_safe_read_near(&list, debug, sizeof list)) break;
        walk_list((uintptr_t)list.r_map);
        // From version 2 on, the lists of dlmopen follow: one pointer behind the structure (glibc 2.35).
        uintptr_t next = 0;
        if (list.r_version >= 2) mayday_safe_read_near(&next, debug + sizeof list, sizeof next);
        debug = next;
    }

    image = new_image(0);
    if (image != NULL && mayday_settings->vdso != 0 && !is_known(mayday_settings->vdso)) {
        image->bias = mayday_settings->vdso;
        if (read_object(image, mayday_settings->vdso)) {
            image->path = "linux-vdso.so.1";
            mayday_images.count += 1;
        }
    }
}

/// Async-signal-safe.
int mayday_image_of(uintptr_t address) {
    for (uint32_t index = 0; index < mayday_images.count; index++) {
        const LoadedImage *image = &mayday_images.images[index];
        if (address >= image->base && address < image->end) return (int)index;
    }
    return -1;
}

/// Async-signal-safe.
bool mayday_is_code(uintptr_t address) {
    int index = mayday_image_of(address);
    if (index < 0) return false;
    const LoadedImage *image = &mayday_images.images[index];
    return address >= image->executable_start && address < image->executable_end;
}

#endif
