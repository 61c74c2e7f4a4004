// libdw and libelf (elfutils), loaded privately when debug information is first read: whoever links this and reads none
// pays nothing for it, in memory or at start. Until then, and without the library, every function answers 0 or NULL.

#ifndef MAYDAY_CDWFL_H
#define MAYDAY_CDWFL_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>
// Which file system a file is on; not part of the Glibc module.
#include <sys/vfs.h>

/// Loads the libraries at the first call. Returns NULL, or why they cannot be used, which stays valid. Thread-safe.
const char *mayday_libdw_load(void);

#endif
