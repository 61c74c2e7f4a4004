// Crashes that are C's: each function is wrong in one way, with the line marked `crash: KIND` in its source.

#ifndef GALLERY_C_CRASH_KINDS_H
#define GALLERY_C_CRASH_KINDS_H

#include <stddef.h>
#include <stdint.h>

/// A parcel on a shelf.
typedef struct Parcel {
    int32_t weight;
    int32_t shelf;
} Parcel;

/// Reads through the pointer without asking whether it is null.
int32_t parcel_weight(const Parcel *parcel);
/// Writes through the pointer without asking whether it is null.
void parcel_move(Parcel *parcel, int32_t shelf);
/// Follows the next pointer of a list whose memory was overwritten.
int32_t shelf_weight_after_overwrite(int32_t shelf);

/// Somebody who wants to know of an arrival.
typedef int32_t (*ParcelListener)(const Parcel *parcel);
/// Calls the listener, registered or not, and counts the arrival.
int32_t parcel_arrived(ParcelListener listener, const Parcel *parcel);

/// Two owners, both of which free the parcel.
void parcel_return_twice(int32_t weight);
/// Asserts that a weight is above zero.
void parcel_stamp(int32_t weight);
/// Mean weight, of no parcels too.
int32_t parcel_mean_weight(int32_t total, int32_t count);
/// Reads a mapped file whose end was cut off meanwhile.
int32_t ledger_sum_after_truncation(size_t bytes);
/// Reaches what was thought to be unreachable.
int32_t shelf_height(int32_t kind);
/// Stops where a debugger was meant to be attached.
int32_t parcel_inspect(int32_t weight);
/// Makes a system call that the sandbox does not allow; returns the call's result where there is no sandbox.
int32_t sandbox_forbidden_call(void);
/// Sends the calling thread a signal.
int32_t signal_self(int32_t signal);

/// Starts a thread named `night-watch` that sleeps in `keep_watch`, and returns once it is there; -1 when it cannot.
int bystander_start(void);

#endif
