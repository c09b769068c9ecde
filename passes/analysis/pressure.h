// How many registers a thread needs at once, and how many warps a core has room for.
//
// Registers are counted as PTX has them, in 32-bit units: an assembler may need a few more, for
// addresses that it computes once, or fewer, where it computes a value again.
#pragma once
#include "ir/ir.h"
#include "passes/base/shape.h"

struct pressure {
    uint32_t registers;  // most 32-bit units that are live at once
    uint32_t predicates; // most that are live at once
    uint32_t at;         // instruction at which most registers are live, or IR_NONE
};

// Linear in the function's liveness. A result counts at the instruction that makes it, used or not.
struct pressure pressure_of(struct arena *scratch, const struct ir_function *fn);

// What a core has.
struct core_limits {
    uint32_t registers;       // of 32 bits
    uint32_t register_grain;  // of a warp, are given out in multiples of this
    uint32_t shared_bytes;    // for the CTAs together
    uint32_t reserved_shared; // bytes of these that are kept for something else
    uint32_t threads, ctas;   // at most
};

// [000 Table 2]: 64 KB of registers, 48 KB of shared memory, 1536 threads; in at most 8 CTAs, as
// GPUs of this size have them.
extern const struct core_limits core_limits_default;

enum occupancy_limit { LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_THREADS, LIMIT_CTAS };

struct occupancy {
    uint32_t ctas, warps;       // of a core; 0: not even one CTA fits
    enum occupancy_limit limit; // what there is too little of for more
};

// `shape` is that of the blocks; an unknown one counts 256 threads. `shared` is what a CTA has, in
// bytes.
struct occupancy occupancy_of(const struct core_limits *limits, const struct pressure *pressure,
                              struct block_shape shape, uint32_t shared);

// Bytes of shared memory of a kernel: its own variables and those of the module that it names,
// without what a launch adds.
uint32_t pressure_shared(struct arena *scratch, const struct ir_module *module,
                         const struct ir_function *fn);

// "registers leave room for 12 of 48 warps (42 registers for each thread)"
const char *occupancy_text(struct arena *arena, const struct core_limits *limits,
                           const struct pressure *pressure, const struct occupancy *occupancy);
