// The steps of ir_build, in order. Private to the floor.
#pragma once
#include "ir/ir.h"
#include "ir/names.h"

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

// Dominance frontiers of single blocks, found without a walk over the blocks that they dominate.
struct frontiers;

// Prepares the queries. `level` is the depth of each reachable block in the dominator tree.
struct frontiers *frontiers_new(struct arena *arena, const struct ir_function *fn,
                                const uint32_t *level);

struct frontier_list {
    VEC(uint32_t) blocks;
};
// Adds to the list, once each, those of the join blocks `joins` that are in the dominance frontier
// of a reachable block.
void frontiers_find(const struct frontiers *frontiers, struct arena *arena, uint32_t block,
                    struct block_range joins, struct frontier_list *list);

// Liveness of registers that are live in many blocks.
struct wide_list {
    uint32_t reg;
    // Ranges of blocks in which it is live on entry; ascending, not adjacent.
    VEC(struct block_range) runs;
};

// Computes the ranges of these registers. Returns false if it gave up on some of them, whose ranges
// stay empty. `readers` and `kills` have, per register, the blocks that read its entry value and
// the blocks that define it.
bool liveness_wide(const struct ir_function *fn, struct arena *scratch, const struct csr *readers,
                   const struct csr *kills, struct wide_list *lists, uint32_t count);

// State of a module while it is lowered from tree to instructions.

// An opcode with its modifiers: the properties of its instructions that do not depend on operands.
struct spelled_inst {
    struct ir_inst inst;
    const char *roles; // as in struct isa_form; NULL: not looked up yet
    uint32_t count;    // number of modifiers
    bool reads_carry, sets_carry;
};

// A name that must be a label; `list` is the .branchtargets that contains it, or IR_NONE.
struct late_name {
    uint32_t node, list;
};

struct ir_lower {
    struct ir_module *module;
    struct diags *diags;
    struct arena *arena; // lives as long as the module
    struct arena *lists; // lives as long as the function
    struct ir_function *fn;
    struct names names;
    uint32_t item;                    // node of the item that was read last, or 0
    uint32_t block;                   // current block
    bool open;                        // the current block accepts instructions
    VEC(struct spelled_inst) spelled; // by the index of the first modifier
    VEC(uint32_t) label_operands;     // operands whose index is still a name id
    VEC(struct late_name) late_names; // checked when all labels are known
};

// Returns the syntax node with this index.
static inline const struct node *node_at(const struct ir_lower *l, uint32_t node)
{
    return &l->module->tree->nodes.v[node];
}

// Adds the operands of the function's last instruction. `first` is the node of its first operand.
// `roles` has a letter per operand, as in struct isa_form; the last one is repeated.
void lower_operands(struct ir_lower *l, uint32_t node, uint32_t first, const char *roles);
// Adds the guard of the last instruction, whose name is at `node`.
void lower_guard(struct ir_lower *l, uint32_t node, bool negated);
// Makes the last instruction read the registers in which the function returns its results. They are
// declared before all others.
void lower_results(struct ir_lower *l);
// Returns true for a register that returns a result.
static inline bool lower_is_result(const struct ir_lower *l, uint32_t reg)
{
    uint32_t list = l->fn->returns, decl = l->fn->registers.v[reg].decl;
    return list != IR_NONE && decl > list && decl < node_next(l->module->tree, list);
}
// Makes the last instruction read or write the carry flag.
void lower_carry(struct ir_lower *l, enum ir_role role);
