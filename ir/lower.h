// State of a module while it is lowered from tree to instructions. Private to the floor.
#pragma once
#include "ir/internal.h"
#include "ir/names.h"

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
