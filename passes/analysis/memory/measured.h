// Measured numbers of a profile, for the passes: lines of memory that accesses touch, hits in
// caches, iterations of loops. backend/tables/profile_read.h reads their file format.
//
// Proven numbers take precedence: a number of lines that is the same for every whole warp, a
// constant trip count. Measured numbers replace those that the analyses expect, assume or do not
// know.
#pragma once
#include "passes/analysis/facts.h"

struct measured_lines {
    uint64_t accesses, lines, sectors;
    uint32_t min, max; // lines of one access
};

struct measured_cache {
    uint64_t accesses, hits,
        merged; // lines requested; hits; misses of lines that were already requested
};

// One instruction, in all launches.
struct measured_inst {
    struct measured_lines all, full; // full: accesses by all lanes of a warp
    struct measured_cache l1, llc;
};

// One loop, per thread.
struct measured_loop {
    uint64_t entries;
    uint64_t iterations; // executions of the header, the first one included
    uint64_t min, max;
};

struct measured_function {
    struct measured_inst *insts; // NULL: never executed
    struct measured_loop *loops;
};

struct measurements {
    const char *sha256; // of the file
    struct measured_function *functions;
};

// Bits of block_plan.measured.
enum { MEASURED_LINES = 1, MEASURED_MISSES = 2, MEASURED_TRIPS = 4 };

// measurements_new allocates zeroed measurements for the module's functions; measured_function
// allocates insts and loops of one function.
struct measurements *measurements_new(struct arena *arena, const struct ir_module *module);
struct measured_function *measured_function(struct measurements *measurements, struct arena *arena,
                                            const struct ir_module *module, uint32_t function);
// Add the counts of another launch or kernel; sums saturate.
void measured_add_inst(struct measured_inst *to, const struct measured_inst *from);
void measured_add_loop(struct measured_loop *to, const struct measured_loop *from);

// Return the numbers of the instruction or the loop, or NULL if it was never executed or there is
// no profile.
const struct measured_inst *measured_inst(const struct facts *facts, uint32_t inst);
const struct measured_loop *measured_loop(const struct facts *facts, uint32_t loop);

// Measured numbers. measured_lines replaces numbers that are not proven, and sets its bit in
// `which`; the other functions return false if nothing was measured.
//
// Lines and sectors of one access.
void measured_lines(const struct facts *facts, uint32_t inst, struct coalescing *access,
                    unsigned *which);
// Misses in L1 of the lines that a load requests.
bool measured_miss(const struct facts *facts, uint32_t inst, struct ratio *miss);
// Misses of these lines in all caches: lines from memory.
bool measured_miss_all(const struct facts *facts, uint32_t inst, struct ratio *miss);
// Mean trip count. With `tests_first` the last execution of the header only tests, and does not
// count.
bool measured_trips(const struct facts *facts, uint32_t loop, bool tests_first, double *mean);

// Returns the measured numbers of an access, for remarks: "measured: 4.25 lines for each access, of
// which L1 served 30 %". Returns NULL if it was not measured.
const char *measured_text(const struct facts *facts, struct arena *arena, uint32_t inst);

// Warns, with the id "profile-differs", if whole warps touched other numbers of lines than proven,
// or if a loop had another trip count. `plan` is that of the pass for blocks.
void measured_compare(struct plan *plan, const struct ir_module *module,
                      const struct pass_options *options, struct diags *diags);
