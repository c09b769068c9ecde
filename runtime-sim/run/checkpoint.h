// The state of a run between two launches, as a file from which the run can be resumed with the
// same results.
//
// A line of JSON: the run's inputs, its position, its counts, and its allocations of memory; then,
// as they are in memory, the sums of the statistics (unsigned, 64 bits, little endian: in total,
// since the last sample, and of each kernel that has taken time) and the bytes of the allocations
// that live, in their order; then a line with the SHA-256 of all before.
#pragma once
#include "runtime-sim/device/timed.h"
#include "runtime-sim/run/session.h"

// The caches of a timed run are empty: timed_renew. Nothing is kept for --check or for profiles.
// Returns false if there is no memory for it. The caller checks the file.
bool checkpoint_write(const struct session *session, const struct timed *timed, FILE *to);

struct checkpoint;

// All these return NULL, or an error as a sentence without a full stop, in the arena.

// `bytes` stay.
const char *checkpoint_read(struct checkpoint **checkpoint, struct arena *arena, const char *bytes,
                            size_t size);
// Checks that it belongs to this run and program, with these options of time (NULL: values only).
// `every` is the number of launches between checkpoints that the user asks for, or 0.
const char *checkpoint_fits(const struct checkpoint *checkpoint, const struct session *session,
                            const struct timed_options *options, uint64_t every);
// Requires checkpoint_fits, session_prepare of the session and, for timed launches, timed_begin.
// session_run then continues after the last launch of the file.
const char *checkpoint_restore(const struct checkpoint *checkpoint, struct session *session,
                               struct timed *timed);

// Launches that were done.
uint64_t checkpoint_launches(const struct checkpoint *checkpoint);
