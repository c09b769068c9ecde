// What a run of the program has measured, for the passes: lines of memory that accesses touch, what
// caches serve of them, how often loops go round. No formats here; backend/profile_read.h reads
// them.
//
// What is proven stays: a number of lines that is the same for every whole warp, a trip count that
// is a constant. Measured numbers stand where the analyses expect, assume or do not know.
#pragma once
#include "passes/analysis/facts.h"

struct measured_lines {
    uint64_t accesses, lines, sectors;
    uint32_t least, most; // lines of one access
};

struct measured_cache {
    uint64_t accesses, hits, merged; // lines asked for; there; missed, but on their way already
};

// Of one instruction, in all launches.
struct measured_inst {
    struct measured_lines all, full; // full: by all lanes of a warp
    struct measured_cache l1, llc;
};

// Of one loop and single threads.
struct measured_loop {
    uint64_t entries;
    uint64_t iterations; // times at the header, the first one included
    uint64_t least, most;
};

struct measured_function {
    struct measured_inst *insts; // NULL: never executed
    struct measured_loop *loops;
};

struct measurements {
    const char *sha256; // of the file that they are from
    struct measured_function *functions;
};

// Which numbers of a block are measured.
enum { MEASURED_LINES = 1, MEASURED_MISSES = 2, MEASURED_TRIPS = 4 };

// Zeroed measurements for the module's functions; insts and loops are made by measured_function.
struct measurements *measurements_new(struct arena *arena, const struct ir_module *module);
struct measured_function *measured_function(struct measurements *measurements, struct arena *arena,
                                            const struct ir_module *module, uint32_t function);
// Add what another launch or kernel has counted; no sum wraps around.
void measured_add_inst(struct measured_inst *to, const struct measured_inst *from);
void measured_add_loop(struct measured_loop *to, const struct measured_loop *from);

// The instruction's or the loop's numbers, or NULL if it was never executed or nothing is measured.
const struct measured_inst *measured_inst(const struct facts *facts, uint32_t inst);
const struct measured_loop *measured_loop(const struct facts *facts, uint32_t loop);

// Each takes a number's place, and sets its bit in `which`, if it is measured and not proven.
//
// Lines of one access.
void measured_lines(const struct facts *facts, uint32_t inst, const struct coalescing *access,
                    struct ratio *lines, unsigned *which);
// Of the lines that a load asks for, those that a first-level cache asks others for.
bool measured_miss(const struct facts *facts, uint32_t inst, struct ratio *miss);
// The same behind all caches: what comes from memory.
bool measured_miss_all(const struct facts *facts, uint32_t inst, struct ratio *miss);
// Mean of iterations, of which the last one only tests if `tests_first`.
bool measured_trips(const struct facts *facts, uint32_t loop, bool tests_first, double *mean);

// What was measured of an access, for remarks: "measured: 4.25 lines for each access, of which a
// first-level cache served 30 %". NULL: nothing was.
const char *measured_text(const struct facts *facts, struct arena *arena, uint32_t inst);

// Warns, with the id "profile-differs", where whole warps have touched other numbers of lines than
// are proven, or a loop has gone round another number of times. `plan` is that of the blocks' pass.
void measured_compare(struct plan *plan, const struct ir_module *module,
                      const struct pass_options *options, struct diags *diags);
