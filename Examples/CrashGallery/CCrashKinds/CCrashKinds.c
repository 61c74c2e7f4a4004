#include "CCrashKinds.h"

#undef NDEBUG // the assertion is what this file is about, in release too
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int32_t parcel_weight(const Parcel *parcel) {
    return parcel->weight; // crash: null-read
}

void parcel_move(Parcel *parcel, int32_t shelf) {
    parcel->shelf = shelf; // crash: null-write
}

typedef struct Shelf {
    struct Shelf *next;
    int32_t weight;
} Shelf;

int32_t shelf_weight_after_overwrite(int32_t shelf) {
    Shelf last = {.next = NULL, .weight = shelf};
    memset(&last, 0x5a, sizeof last); // an overrun from a neighbour
    const Shelf *volatile next = last.next;
    return next->weight; // crash: wild-pointer
}

int32_t parcel_arrived(ParcelListener listener, const Parcel *parcel) {
    int32_t heard = listener(parcel); // crash: null-call
    return heard + 1;
}

void parcel_return_twice(int32_t weight) {
    Parcel *volatile parcel = calloc(1, sizeof *parcel);
    if (!parcel) return;
    parcel->weight = weight;
    Parcel *volatile same = parcel;
    free(parcel);
    free(same); // crash: double-free
    same = NULL;
}

void parcel_stamp(int32_t weight) {
    assert(weight > 1000000); // crash: c-assert
}

#if defined(__x86_64__)
int32_t parcel_mean_weight(int32_t total, int32_t count) {
    return total / count; // crash: c-divide-by-zero
}
#else
// The other machines' division gives 0 instead of a fault.
int32_t parcel_mean_weight(int32_t total, int32_t count) {
    return count == 0 ? raise(SIGFPE) : total / count; // crash: c-divide-by-zero
}
#endif

int32_t ledger_sum_after_truncation(size_t bytes) {
    char path[] = "/tmp/gallery-ledger-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return errno;
    unlink(path);
    if (ftruncate(file, (off_t)bytes) != 0) return errno;
    const volatile int32_t *entries = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    if (entries == MAP_FAILED) return errno;
    if (ftruncate(file, 0) != 0) return errno;
    int32_t sum = 0;
    for (size_t i = 0; i < bytes / sizeof *entries; i++) {
        sum += entries[i]; // crash: truncated-mapping
    }
    return sum;
}

int32_t shelf_height(int32_t kind) {
    switch (kind) {
    case 101: return 40;
    case 102: return 80;
    default: __builtin_trap(); // crash: c-trap
    }
}

int32_t parcel_inspect(int32_t weight) {
    __builtin_debugtrap(); // crash: c-debugtrap
    return weight + 1;
}

int32_t signal_self(int32_t signal) {
    int32_t sent = raise(signal); // crash: raise
    return sent + 1;
}
