// Counts for each instruction of a launch: executions and their lanes, lines of memory that its
// accesses touch, uniformity of its results, and iterations of loops.
//
// Counts are sums, minima and maxima: they do not depend on the order in which warps run. A warp
// without a profile runs code without these checks.
#pragma once
#include "runtime-sim/exec/decode/program.h"

// Executions of one memory instruction with at least one lane in global or local memory. A line or
// sector counts once per execution that touches it, for any number of lanes and elements of a
// vector. Words of local memory are placed as on a GPU: those of a warp's lanes are adjacent.
struct profile_access {
    uint64_t accesses;
    uint64_t lines, sectors;
    uint64_t uniform;         // all active lanes had the same address
    uint32_t least, most;     // lines of one execution
    uint32_t least_s, most_s; // sectors
};

// Accesses of one instruction to a cache: lines, or parts of them if it has sectors. Counted by a
// machine with caches only.
struct profile_cache {
    uint64_t accesses;
    uint64_t hits;
    uint64_t merged; // missed, but hit a miss in flight
};

struct profile_memory {
    struct profile_access all;
    struct profile_access full; // those by all 32 lanes
    uint64_t shared;            // executions with shared memory only
    struct profile_cache l1, llc;
};

struct profile_inst {
    uint64_t executions; // executions by a warp or a path of it, including those without an active
                         // lane
    uint64_t threads;    // lanes of these executions
    uint64_t active;     // executions with a lane whose guard was true
    uint64_t lanes;      // lanes whose guard was true; for a branch: lanes that took it
    uint64_t parted;     // executions in which some of the lanes were active and some were not
    uint64_t defined;    // executions whose results were evaluated
    uint64_t uniform;    // executions of these in which each result was the same in all active
                         // lanes
    struct profile_memory *memory; // NULL: no memory instruction, or never executed
};

// Executions of a loop by one thread, from entry to exit.
struct profile_loop {
    uint64_t entries;
    uint64_t iterations;  // executions of the header
    uint64_t least, most; // of one entry
};

struct profile_function {
    struct profile_inst *insts;
    struct profile_loop *loops;
    uint32_t inst_count, loop_count;
    uint32_t *block_at; // for each of the function's codes: the block that begins there, or IR_NONE
};

struct access;
struct path;
struct warp;

// Functions that follow a run without time, instruction by instruction.
struct profile_watch {
    void *context;
    // Called before a path executes a code.
    void (*before)(void *context, const struct warp *warp, const struct path *path,
                   const struct code *code);
    // Called after a load or store whose `lanes`, at least one, have accessed global memory.
    void (*accessed)(void *context, const struct warp *warp, const struct access *access,
                     uint32_t lanes);
};

struct profile {
    struct arena *arena;
    const struct profile_watch *watch; // NULL: no functions
    const struct program *program;
    struct profile_function **functions; // by program function; NULL: never executed
    uint32_t block[3];                   // of the first launch
    bool blocks_differ;
};

struct profile_places;

void profile_init(struct profile *profile, struct arena *arena, const struct program *program);
// Adds the counts of another profile of the same program.
void profile_add(struct profile *to, const struct profile *from);

// Returns the cache counts of an instruction of a program function, for a machine with caches. The
// address stays valid.
struct profile_memory *profile_memory(struct profile *profile, uint32_t function, uint32_t inst);

// Called when a launch with blocks of this shape begins.
void profile_shape(struct profile *profile, const uint32_t block[3]);
// Called by the executor before a path executes `code` with the active lanes `mask`, and after it.
// `done`: the results are in their slots.
void profile_before(struct warp *warp, const struct path *path, const struct code *code,
                    uint32_t mask);
void profile_after(struct warp *warp, const struct code *code, uint32_t mask);
// Called when an access that takes time has begun; it replaces profile_after.
void profile_begun(struct warp *warp, const struct access *access);
// Called when an operation that takes time is complete for all lanes of `mask`: the results of a
// program function's `code` are in its slots. `access`: its own, or NULL.
void profile_done(struct warp *warp, uint32_t function, const struct code *code, uint32_t mask,
                  const struct access *access);
// Called when all lanes are at their start, outside of all loops.
void profile_start(struct warp *warp);
