// The steps of ir_build, in order. Private to the floor.
#pragma once
#include "ir/ir.h"

// Builds the rows of a sparse table from their lengths. `at` has rows + 1 entries; csr_put fills
// the rows. Reuses `counts`.
struct csr {
    uint32_t *at, *fill, *item;
};
// Allocates the rows in `arena`.
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
// Appends an item to a row.
static inline void csr_put(struct csr *csr, uint32_t row, uint32_t item)
{
    csr->item[csr->fill[row]++] = item;
}

// State shared by the steps while they build one function after another.
struct ir_work {
    struct ir_module *module;
    struct arena *kept;   // the function's final arrays
    struct arena lists;   // the function's arrays during construction
    struct arena scratch; // reset after each step
    // The blocks that define each register that is live somewhere. Computed by liveness, used by
    // SSA.
    struct csr definitions;
};

// Creates the lowering of a module. Allocates in `arena`.
struct ir_lower *ir_lower_new(struct ir_work *work, struct arena *arena, struct diags *diags);
// Reads the module's items that were added to the tree since the last call: header, variables and
// functions.
void ir_lower_items(struct ir_lower *lower);
// Builds the instructions, operands, registers and blocks of a function from its tree. Resolves
// branch targets; ir_build_edges adds the edges.
void ir_lower_function(struct ir_lower *lower, uint32_t function);

// Analyses of a function that is lowered; each requires the ones before it.
void ir_build_edges(struct ir_work *work, struct ir_function *fn);
void ir_build_dominators(struct ir_work *work, struct ir_function *fn);
void ir_build_loops(struct ir_work *work, struct ir_function *fn);
void ir_build_liveness(struct ir_work *work, struct ir_function *fn);
void ir_build_ssa(struct ir_work *work, struct ir_function *fn);
