// What a launch does, counted for each instruction: how often it is executed and by how many lanes,
// which lines of memory its accesses touch, whether its lanes agree, and how often loops go round.
//
// Counts are sums, least and most values: they do not depend on the order in which warps run. A
// warp without a profile runs code in which nothing of this is asked for.
#pragma once
#include "runtime-sim/exec/decode/program.h"

// Executions of one memory instruction of which at least one lane went to global or local memory.
// A line or sector counts once for each execution that touches it, however many lanes and elements
// of a vector do. Words of local memory lie as on a GPU: those of a warp's lanes side by side.
struct profile_access {
    uint64_t accesses;
    uint64_t lines, sectors;
    uint64_t uniform;         // all active lanes had the same address
    uint32_t least, most;     // lines of one execution
    uint32_t least_s, most_s; // sectors
};

// What a cache was asked for by one instruction: lines, or parts of them if it has sectors. Filled
// in by a machine with caches; without one nothing is counted.
struct profile_cache {
    uint64_t accesses;
    uint64_t hits;
    uint64_t merged; // missed, but the line was on its way already
};

struct profile_memory {
    struct profile_access all;
    struct profile_access full; // those by all 32 lanes
    uint64_t shared;            // executions that went to shared memory alone
    struct profile_cache l1, llc;
};

struct profile_inst {
    uint64_t executions; // by a warp or a part of it, those with no lane active too
    uint64_t threads;    // lanes that came
    uint64_t active;     // executions with a lane whose guard was true
    uint64_t lanes;      // lanes whose guard was true; of a branch: that took it
    uint64_t parted;     // executions in which some of the lanes that came were active, some not
    uint64_t defined;    // executions whose results were looked at
    uint64_t uniform;    // of those: each result was the same in all active lanes
    struct profile_memory *memory; // NULL: none, or never executed
};

// What one thread does from its entry into a loop until it leaves it.
struct profile_loop {
    uint64_t entries;
    uint64_t iterations;  // times that it came to the header
    uint64_t least, most; // of one entry
};

struct profile_function {
    struct profile_inst *insts;
    struct profile_loop *loops;
    uint32_t inst_count, loop_count;
    uint32_t *block_at; // for each of its codes: the block that begins there, or IR_NONE
};

struct profile {
    struct arena *arena;
    const struct program *program;
    struct profile_function **functions; // by program function; NULL: never executed
    uint32_t block[3];                   // of the first launch
    bool blocks_differ;
};

struct access;
struct profile_places;
struct warp;
struct path;

void profile_init(struct profile *profile, struct arena *arena, const struct program *program);
// Adds what another profile of the same program has counted.
void profile_add(struct profile *to, const struct profile *from);

// For a machine with caches: what an instruction of a program function has asked them for. Stays.
struct profile_memory *profile_memory(struct profile *profile, uint32_t function, uint32_t inst);

// A launch with blocks of this shape begins.
void profile_shape(struct profile *profile, const uint32_t block[3]);
// For the core: a path is about to execute `code`, of whose lanes `mask` are active; and has
// executed it, with the result that its definitions are in their slots (`done`) or are not.
void profile_before(struct warp *warp, const struct path *path, const struct code *code,
                    uint32_t mask);
void profile_after(struct warp *warp, const struct code *code, uint32_t mask);
// An access that takes time instead: it has begun.
void profile_begun(struct warp *warp, const struct access *access);
// What takes time has been done for all lanes of `mask`: the results of a program function's `code`
// are in its slots. `access`: its own, or NULL.
void profile_done(struct warp *warp, uint32_t function, const struct code *code, uint32_t mask,
                  const struct access *access);
// All lanes are at their start: none is in a loop.
void profile_start(struct warp *warp);
