// The functions of libdw and libelf that we use, by their own names, each handing on to the library once it is loaded.

#include "CDwfl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define FUNCTIONS(X)                                                                                                   \
    X(dwarf_abbrevhaschildren) X(dwarf_attr) X(dwarf_attr_integrate) X(dwarf_begin_elf) X(dwarf_cu_getdwarf)           \
    X(dwarf_cuoffset) X(dwarf_dieoffset) X(dwarf_end) X(dwarf_filesrc) X(dwarf_formref_die) X(dwarf_formstring)        \
    X(dwarf_formudata) X(dwarf_get_units) X(dwarf_getabbrev) X(dwarf_getabbrevattr_data) X(dwarf_getabbrevcode)        \
    X(dwarf_getabbrevtag) X(dwarf_getattrcnt) X(dwarf_getsrc_die) X(dwarf_getsrcfiles) X(dwarf_lineaddr)               \
    X(dwarf_linecol) X(dwarf_lineno) X(dwarf_linesrc) X(dwarf_next_unit) X(dwarf_ranges) X(dwarf_tag)                  \
    X(dwelf_elf_gnu_build_id) X(dwelf_elf_gnu_debuglink) X(elf_begin) X(elf_end) X(elf_getdata)                        \
    X(elf_getphdrnum) X(elf_getshdrstrndx) X(elf_kind) X(elf_nextscn) X(elf_rawfile) X(elf_strptr) X(elf_version)      \
    X(gelf_getehdr) X(gelf_getphdr) X(gelf_getshdr) X(gelf_getsym)

static struct {
#define POINTER(name) __typeof__(name) *name;
    FUNCTIONS(POINTER)
} library;

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static char load_problem[256];

static void load(void) {
    // RTLD_LOCAL: neither they nor the compression libraries that they bring take part in the program's symbol resolution.
    void *handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        snprintf(load_problem, sizeof load_problem, "%s", reason != NULL ? reason : "libdw.so.1 cannot be loaded");
        return;
    }
    // libelf's functions are found behind libdw, which needs them itself.
#define RESOLVE(name)                                                                                                  \
    library.name = (__typeof__(name) *)dlsym(handle, #name);                                                           \
    if (library.name == NULL && load_problem[0] == 0) {                                                                \
        snprintf(load_problem, sizeof load_problem, "libdw.so.1 has no function " #name);                              \
    }
    FUNCTIONS(RESOLVE)
}

const char *mayday_libdw_load(void) {
    pthread_once(&load_once, load);
    return load_problem[0] == 0 ? NULL : load_problem;
}

// Hidden, so that a program that uses the libraries itself, or the libraries among themselves, never come here.
#define FORWARD(result, name, parameters, ...)                                                                         \
    __attribute__((visibility("hidden"))) result name parameters {                                                     \
        return library.name != NULL ? library.name(__VA_ARGS__) : (result)0;                                           \
    }

FORWARD(int, dwarf_abbrevhaschildren, (Dwarf_Abbrev * abbreviation), abbreviation)
FORWARD(Dwarf_Attribute *, dwarf_attr, (Dwarf_Die * die, unsigned int name, Dwarf_Attribute *result), die, name, result)
FORWARD(Dwarf_Attribute *, dwarf_attr_integrate, (Dwarf_Die * die, unsigned int name, Dwarf_Attribute *result), die, name,
        result)
FORWARD(Dwarf *, dwarf_begin_elf, (Elf * elf, Dwarf_Cmd command, Elf_Scn *group), elf, command, group)
FORWARD(Dwarf *, dwarf_cu_getdwarf, (Dwarf_CU * unit), unit)
FORWARD(Dwarf_Off, dwarf_cuoffset, (Dwarf_Die * die), die)
FORWARD(Dwarf_Off, dwarf_dieoffset, (Dwarf_Die * die), die)
FORWARD(int, dwarf_end, (Dwarf * dwarf), dwarf)
FORWARD(const char *, dwarf_filesrc, (Dwarf_Files * file, size_t index, Dwarf_Word *time, Dwarf_Word *length), file, index,
        time, length)
FORWARD(Dwarf_Die *, dwarf_formref_die, (Dwarf_Attribute * attribute, Dwarf_Die *result), attribute, result)
FORWARD(const char *, dwarf_formstring, (Dwarf_Attribute * attribute), attribute)
FORWARD(int, dwarf_formudata, (Dwarf_Attribute * attribute, Dwarf_Word *value), attribute, value)
FORWARD(int, dwarf_get_units,
        (Dwarf * dwarf, Dwarf_CU *unit, Dwarf_CU **next, Dwarf_Half *version, uint8_t *type, Dwarf_Die *die, Dwarf_Die *sub),
        dwarf, unit, next, version, type, die, sub)
FORWARD(Dwarf_Abbrev *, dwarf_getabbrev, (Dwarf_Die * die, Dwarf_Off offset, size_t *length), die, offset, length)
FORWARD(int, dwarf_getabbrevattr_data,
        (Dwarf_Abbrev * abbreviation, size_t index, unsigned int *name, unsigned int *form, Dwarf_Sword *data,
         Dwarf_Off *offset),
        abbreviation, index, name, form, data, offset)
FORWARD(unsigned int, dwarf_getabbrevcode, (Dwarf_Abbrev * abbreviation), abbreviation)
FORWARD(unsigned int, dwarf_getabbrevtag, (Dwarf_Abbrev * abbreviation), abbreviation)
FORWARD(int, dwarf_getattrcnt, (Dwarf_Abbrev * abbreviation, size_t *count), abbreviation, count)
FORWARD(Dwarf_Line *, dwarf_getsrc_die, (Dwarf_Die * die, Dwarf_Addr address), die, address)
FORWARD(int, dwarf_getsrcfiles, (Dwarf_Die * die, Dwarf_Files **files, size_t *count), die, files, count)
FORWARD(int, dwarf_lineaddr, (Dwarf_Line * line, Dwarf_Addr *address), line, address)
FORWARD(int, dwarf_linecol, (Dwarf_Line * line, int *column), line, column)
FORWARD(int, dwarf_lineno, (Dwarf_Line * line, int *number), line, number)
FORWARD(const char *, dwarf_linesrc, (Dwarf_Line * line, Dwarf_Word *time, Dwarf_Word *length), line, time, length)
FORWARD(int, dwarf_next_unit,
        (Dwarf * dwarf, Dwarf_Off offset, Dwarf_Off *next, size_t *header, Dwarf_Half *version, Dwarf_Off *abbreviations,
         uint8_t *address_size, uint8_t *offset_size, uint64_t *signature, Dwarf_Off *type),
        dwarf, offset, next, header, version, abbreviations, address_size, offset_size, signature, type)
FORWARD(ptrdiff_t, dwarf_ranges,
        (Dwarf_Die * die, ptrdiff_t offset, Dwarf_Addr *base, Dwarf_Addr *start, Dwarf_Addr *end), die, offset, base, start,
        end)
FORWARD(int, dwarf_tag, (Dwarf_Die * die), die)
FORWARD(ssize_t, dwelf_elf_gnu_build_id, (Elf * elf, const void **id), elf, id)
FORWARD(const char *, dwelf_elf_gnu_debuglink, (Elf * elf, GElf_Word *checksum), elf, checksum)
FORWARD(Elf *, elf_begin, (int file, Elf_Cmd command, Elf *reference), file, command, reference)
FORWARD(int, elf_end, (Elf * elf), elf)
FORWARD(Elf_Data *, elf_getdata, (Elf_Scn * section, Elf_Data *data), section, data)
FORWARD(int, elf_getphdrnum, (Elf * elf, size_t *count), elf, count)
FORWARD(int, elf_getshdrstrndx, (Elf * elf, size_t *index), elf, index)
FORWARD(Elf_Kind, elf_kind, (Elf * elf), elf)
FORWARD(Elf_Scn *, elf_nextscn, (Elf * elf, Elf_Scn *section), elf, section)
FORWARD(char *, elf_rawfile, (Elf * elf, size_t *size), elf, size)
FORWARD(char *, elf_strptr, (Elf * elf, size_t index, size_t offset), elf, index, offset)
FORWARD(unsigned int, elf_version, (unsigned int version), version)
FORWARD(GElf_Ehdr *, gelf_getehdr, (Elf * elf, GElf_Ehdr *result), elf, result)
FORWARD(GElf_Phdr *, gelf_getphdr, (Elf * elf, int index, GElf_Phdr *result), elf, index, result)
FORWARD(GElf_Shdr *, gelf_getshdr, (Elf_Scn * section, GElf_Shdr *result), section, result)
FORWARD(GElf_Sym *, gelf_getsym, (Elf_Data * data, int index, GElf_Sym *result), data, index, result)
