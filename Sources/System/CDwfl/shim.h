#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>
// Which file system a file is on; not part of the Glibc module.
#include <sys/vfs.h>
