// The first line of a checkpoint, for the files of checkpoints.
#pragma once
#include "backend/tables/build.h"
#include "backend/tables/fields.h"
#include "runtime-sim/run/checkpoint.h"

#define CHECKPOINT_FORMAT "ptxoffload-checkpoint"
enum { CHECKPOINT_VERSION = 1, CHECKPOINT_END = SHA256_HEX + 1 }; // bytes of the last line

struct checkpoint_input {
    const char *file;
    char sha256[SHA256_HEX + 1];
};

struct checkpoint_kernel {
    const char *name;
    uint64_t launches, warp_instructions, thread_instructions;
    uint64_t timed_launches, cycles; // 0: it has no sums
    uint64_t together, timed_warp_instructions, timed_thread_instructions;
};

struct checkpoint_allocation {
    const char *name;
    uint64_t address, bytes;
    bool freed, constant, heap, filled;
};

struct checkpoint {
    struct arena *arena;
    uint32_t version;
    const char *simulator; // the version of the program that wrote it
    unsigned timed;        // mode: 0 values only, 1 with time
    char run[SHA256_HEX + 1], program[SHA256_HEX + 1], configuration[SHA256_HEX + 1];
    const char *regions; // of interest, as the values of --timed
    VEC(struct checkpoint_input) inputs;
    uint64_t every, launches;
    VEC(struct session_frame) path;
    VEC(struct checkpoint_kernel) kernels;
    uint64_t cycle;                  // that clocks show
    uint64_t interval;               // of the time series, or 0
    uint64_t timed_launches, cycles; // in total
    char statistics[SHA256_HEX + 1]; // what the sums are of
    uint64_t values;                 // of each sum
    uint64_t next, heap_left;        // of the image
    VEC(struct checkpoint_allocation) allocations;
    const char *sums, *memory; // after the first line
};

extern const struct record_field checkpoint_rows[];

// Returns the number of sums.
uint64_t checkpoint_sums(const struct checkpoint *checkpoint);
// Sets the inputs of the run: the fields from `run` to `regions`. The text of `regions` is in the
// arena.
void checkpoint_identify(struct checkpoint *checkpoint, struct arena *arena,
                         const struct session *session, const struct timed_options *options);
