// Where the linker puts what `start` runs and writes, so that a service at rest has little of it in memory.

#ifndef MAYDAY_AT_START_H
#define MAYDAY_AT_START_H

#if defined(__linux__)

/// A function that `start` runs; `runs_at_start.h` says it of all of a file. It lies beside those that run before `main` in any
/// program. A page that is touched brings 64 KB of the executable into memory, and here they are not those of the handler.
#define RUNS_AT_START __attribute__((section(".text.startup")))

/// A variable that `start` writes. Among the buffers of .bss it would take a page of its own; the pages of .data are private
/// anyway, by the pointers that the loader writes into them.
#define WRITTEN_AT_START __attribute__((section(".data")))

#else

#define RUNS_AT_START
#define WRITTEN_AT_START

#endif
#endif
