// Counts per instruction of a launch: executions and their lanes, lines of memory that accesses
// touch, uniformity of results, and iterations of loops.
//
// Counts are sums, minima and maxima, so they do not depend on the order in which warps run. Warps
// without a profile run code without these checks.
#pragma once
#include "runtime-sim/exec/decode/program.h"

// Executions of a memory instruction by at least one lane, in global or local memory. Each line or
// sector counts once per execution, for any number of lanes and vector elements. As on a GPU,
// corresponding words of local memory are adjacent for the lanes of a warp.
struct profile_access {
    uint64_t accesses;
    uint64_t lines, sectors;
    uint64_t uniform;      // executions in which all active lanes had the same address
    uint32_t min, max;     // minimum and maximum of lines per execution
    uint32_t min_s, max_s; // minimum and maximum of sectors per execution
};

// Cache accesses of an instruction: lines, or parts of lines if the cache has sectors. Counted only
// by a machine with caches.
struct profile_cache {
    uint64_t accesses;
    uint64_t hits;
    uint64_t merged; // misses that merged with a miss in flight
};

struct profile_memory {
    struct profile_access all;
    struct profile_access full; // executions by all 32 lanes
    uint64_t shared;            // executions that accessed only shared memory
    struct profile_cache l1, llc;
};

struct profile_inst {
    uint64_t executions; // executions by a warp or a path, including those without an active lane
    uint64_t threads;    // sum of the lanes of these executions
    uint64_t active;     // executions with a lane whose guard was true
    uint64_t lanes;      // sum of the lanes whose guard was true; for a branch, of the lanes that
                         // took it
    uint64_t parted;     // executions in which some lanes were active and some were not
    uint64_t defined;    // executions whose results were compared
    uint64_t uniform;    // of these, executions in which each result was the same in all active
                         // lanes
    struct profile_memory *memory; // NULL: not a memory instruction, or never executed
};

// Executions of a loop by one thread, from entry to exit.
struct profile_loop {
    uint64_t entries;
    uint64_t iterations; // executions of the header
    uint64_t min, max;   // minimum and maximum per entry
};

struct profile_function {
    struct profile_inst *insts;
    struct profile_loop *loops;
    uint32_t inst_count, loop_count;
    uint32_t *block_at; // per code of the function: the block that begins there, or IR_NONE
};

struct access;
struct path;
struct warp;

// Callbacks that observe an untimed run instruction by instruction.
struct profile_watch {
    void *context;
    // Called before a path executes a code.
    void (*before)(void *context, const struct warp *warp, const struct path *path,
                   const struct code *code);
    // Called after a load or store. `lanes`, at least one, have accessed global memory.
    void (*accessed)(void *context, const struct warp *warp, const struct access *access,
                     uint32_t lanes);
};

struct profile {
    struct arena *arena;
    const struct profile_watch *watch; // may be NULL
    const struct program *program;
    struct profile_function **functions; // by program function; NULL: never executed
    uint32_t block[3];                   // shape of the blocks of the first launch
    bool blocks_differ;
};

struct lane_positions;

// Initialises a profile of a program.
void profile_init(struct profile *profile, struct arena *arena, const struct program *program);
// Adds the counts of another profile of the same program.
void profile_add(struct profile *to, const struct profile *from);

// Returns the cache counts of an instruction, for a machine with caches. The address stays valid.
struct profile_memory *profile_memory(struct profile *profile, uint32_t function, uint32_t inst);

// Called at the start of a launch with blocks of this shape.
void profile_shape(struct profile *profile, const uint32_t block[3]);
// Called before a path executes `code` with the active lanes `mask`, and after it, when the results
// are in their slots.
void profile_before(struct warp *warp, const struct path *path, const struct code *code,
                    uint32_t mask);
void profile_after(struct warp *warp, const struct code *code, uint32_t mask);
// Called instead of profile_after when an access that takes time has started.
void profile_begun(struct warp *warp, const struct access *access);
// Called when an operation that takes time is complete for all lanes of `mask`: the results of a
// program function's `code` are in its slots. `access` is that of the operation, or NULL.
void profile_done(struct warp *warp, uint32_t function, const struct code *code, uint32_t mask,
                  const struct access *access);
// Called when all lanes are at their start, outside all loops.
void profile_start(struct warp *warp);
