// The state of a run between two launches, as a file from which the run can be resumed with
// identical results.
//
// The file has three parts. The first is a line of JSON: the run's inputs, its position, its counts
// and its allocations. The second is binary: the sums of the statistics (64-bit unsigned, little
// endian; in total, since the last sample, and for each kernel with timed launches), then the bytes
// of the live allocations in their order. The last is a line with the SHA-256 of everything before
// it.
#pragma once
#include "runtime-sim/device/timed.h"
#include "runtime-sim/run/session.h"

// Writes a checkpoint. Requires that the caches of a timed run are empty (timed_renew). The state
// of --check and of profiles is not saved. Returns false if memory runs out; the caller checks the
// file for write errors.
bool checkpoint_write(const struct session *session, const struct timed *timed, FILE *to);

struct checkpoint;

// The three functions below return NULL, or an error as a sentence without a full stop, in the
// arena.

// Reads a checkpoint. `bytes` must stay valid as long as the checkpoint.
const char *checkpoint_read(struct checkpoint **checkpoint, struct arena *arena, const char *bytes,
                            size_t size);
// Checks that the checkpoint belongs to this run and program, and to these timing options (NULL:
// functional only). `every` is the number of launches between checkpoints that the user requests,
// or 0.
const char *checkpoint_fits(const struct checkpoint *checkpoint, const struct session *session,
                            const struct timed_options *options, uint64_t every);
// Restores the session. Requires checkpoint_fits, session_prepare and, for timed launches,
// timed_begin. session_run then continues after the last launch of the file.
const char *checkpoint_restore(const struct checkpoint *checkpoint, struct session *session,
                               struct timed *timed);

// Returns the number of launches completed before the checkpoint.
uint64_t checkpoint_launches(const struct checkpoint *checkpoint);
