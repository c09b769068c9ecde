// Traffic of a warp's access between a core and memory, and the cost of moving a value, by the
// analyses: the terms of equations (3) and (4) with --cost=refined.
//
// Units: words per warp (the size of a register of one lane).
//    - A load requests the lines that it touches and that miss in L1: a word for each address to
//      memory, 32 words for each line from it.
//   - A store sends its data, as many words as its lanes write, and a word for each line's address;
//     a quarter of a word returns for each line.
//   - A register of 64 bits is two words. A value that is equal in all lanes is sent once, not 32
//     times. A predicate is a bit.
// An access with unknown lines counts the mean of its bounds. Accesses in called functions count as
// in TOM: one line, and half of the loads miss. Measured lines that are not proven, and measured
// hits, replace these numbers (passes/analysis/memory/measured.h).
#pragma once
#include "passes/analysis/memory/effects.h"
#include "passes/analysis/reuse/reuse.h"

struct traffic {
    uint64_t tx, rx;   // 1/BW_REFINED words
    unsigned measured; // MEASURED_…
};

struct facts;

struct traffics {
    struct facts *facts;
    const struct ir_function *fn;
    const struct divergence *divergence;
    struct coalescings *coalescings;
    struct reuses *reuses;
};

// Prepares the analyses of one function.
void traffics_init(struct traffics *traffics, struct plan *plan, const struct ir_module *module,
                   const struct pass_options *options, uint32_t function);

// Returns the traffic of one execution of the instruction.
struct traffic traffic_of(const struct traffics *traffics, uint32_t inst,
                          const struct memory_effect *effect);
// Returns the cost of live values as seen in this basic block (IR_NONE: at their definitions).
// Units: 1/BW_REFINED words.
uint64_t traffic_values(const struct traffics *traffics, const struct live_value *values,
                        uint32_t count, uint32_t block);
