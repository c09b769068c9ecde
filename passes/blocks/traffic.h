// What an access of a warp moves between a core and memory, and what a value costs to move along,
// as the analyses see it: the terms of equations (3) and (4) with --cost=refined.
//
// Per warp, in words (the size of a register of one lane):
//   - a load asks for the lines that it touches and L1 does not have: a word for each address to
//     memory, 32 words for each line from it;
//   - a store sends its data, as many words as its lanes write, and a word for each line's address;
//     a quarter of a word comes back for each line;
//   - a register of 64 bits is two words; what is the same in all lanes goes once, not 32 times; a
//     predicate is a bit.
// An access whose lines are not known counts the mean of its bounds. Accesses in called functions
// count as in TOM: one line, of which half the loads miss. Where a run has measured lines that are
// not proven, or what caches served, that counts instead (passes/analysis/measured.h).
#pragma once
#include "passes/analysis/effects.h"
#include "passes/analysis/reuse.h"

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

void traffics_init(struct traffics *traffics, struct plan *plan, const struct ir_module *module,
                   const struct pass_options *options, uint32_t function);

// Of one instruction, executed once.
struct traffic traffic_of(const struct traffics *traffics, uint32_t inst,
                          const struct memory_effect *effect);
// Of live values, as seen in this basic block (IR_NONE: where they are made); 1/BW_REFINED words.
uint64_t traffic_values(const struct traffics *traffics, const struct live_value *values,
                        uint32_t count, uint32_t block);
