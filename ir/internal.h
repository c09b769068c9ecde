// The steps of ir_build, in their order. Private to the floor.
#pragma once
#include "ir/ir.h"

// Rows of a sparse table by counting: `at` has rows + 1 entries; fill with csr_put.
struct csr {
    uint32_t *at, *fill, *item;
};
static inline struct csr csr_from_counts(struct arena *arena, uint32_t *counts, uint32_t rows)
{
    struct csr csr = {.at = ARENA_ARRAY(arena, uint32_t, rows + 1), .fill = counts};
    for (uint32_t i = 0; i < rows; i++)
        csr.at[i + 1] = csr.at[i] + counts[i];
    for (uint32_t i = 0; i < rows; i++)
        counts[i] = csr.at[i];
    csr.item = ARENA_ARRAY(arena, uint32_t, csr.at[rows] + 1);
    return csr;
}
static inline void csr_put(struct csr *csr, uint32_t row, uint32_t item)
{
    csr->item[csr->fill[row]++] = item;
}

// State that the steps share while they build one function after another.
struct ir_work {
    struct ir_module *module;
    struct arena *kept;   // the function's arrays afterwards
    struct arena lists;   // the function's arrays during construction
    struct arena scratch; // of one step
    // By liveness for SSA: the blocks that define each register that is live somewhere.
    struct csr definitions;
};

// The result lives in the arena.
struct ir_lower *ir_lower_new(struct ir_work *work, struct arena *arena, struct diags *diags);
// Reads the items of the module that the tree has got since the last call: its header, its
// variables and its list of functions.
void ir_lower_items(struct ir_lower *lower);
// Builds instructions, operands, registers and blocks of one function from its tree; branch targets
// are resolved, edges are made later.
void ir_lower_function(struct ir_lower *lower, uint32_t function);

void ir_build_edges(struct ir_work *work, struct ir_function *fn);
void ir_build_dominators(struct ir_work *work, struct ir_function *fn);
void ir_build_loops(struct ir_work *work, struct ir_function *fn);
void ir_build_liveness(struct ir_work *work, struct ir_function *fn);
void ir_build_ssa(struct ir_work *work, struct ir_function *fn);
