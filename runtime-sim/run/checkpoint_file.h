// The first line of a checkpoint, shared by the files that write, read and restore it.
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
    uint64_t timed_launches, cycles; // timed_launches 0: no sums in the file
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
    const char *simulator; // version of the program that wrote the file
    unsigned timed;        // mode: 0 functional, 1 timed
    char run[SHA256_HEX + 1], program[SHA256_HEX + 1], configuration[SHA256_HEX + 1];
    const char *regions; // regions of interest, as given to --timed
    VEC(struct checkpoint_input) inputs;
    uint64_t every, launches;
    VEC(struct session_frame) path;
    VEC(struct checkpoint_kernel) kernels;
    uint64_t cycle;                  // cycle that %clock shows
    uint64_t interval;               // sampling interval of the time series, or 0
    uint64_t timed_launches, cycles; // totals
    char statistics[SHA256_HEX + 1]; // digest of the names of the statistics
    uint64_t values;                 // number of values in each sum
    uint64_t next, heap_left;        // state of the allocator
    VEC(struct checkpoint_allocation) allocations;
    const char *sums, *memory; // in the bytes after the first line
};

// Fields of `struct checkpoint` in the JSON line.
extern const struct record_field checkpoint_rows[];

// Returns the number of sums in the file.
uint64_t checkpoint_sums(const struct checkpoint *checkpoint);
// Sets the fields that identify the run, from `simulator` to `regions`. The text of `regions` is in
// the arena.
void checkpoint_identify(struct checkpoint *checkpoint, struct arena *arena,
                         const struct session *session, const struct timed_options *options);
