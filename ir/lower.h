// A module while it is lowered from tree to instructions. Private to the floor.
#pragma once
#include "ir/internal.h"
#include "ir/names.h"

// An opcode with its modifiers: the parts of its instructions that do not depend on their operands.
struct spelled_inst {
    struct ir_inst inst;
    const char *roles; // as in struct isa_form; NULL: not read yet
    uint32_t count;    // of modifiers
    bool reads_carry, sets_carry;
};

// A name that must be a label; list: the .branchtargets that has it, or IR_NONE.
struct late_name {
    uint32_t node, list;
};

struct ir_lower {
    struct ir_module *module;
    struct diags *diags;
    struct arena *arena; // for one module
    struct arena *lists; // for one function
    struct ir_function *fn;
    struct names names;
    uint32_t item;                    // node of the module's item that was read last, or 0
    uint32_t block;                   // current
    bool open;                        // the current block takes instructions
    VEC(struct spelled_inst) spelled; // by the place of the modifiers
    VEC(uint32_t) label_operands;     // operands whose index still is a name id
    VEC(struct late_name) late_names; // of labels, once all are known
};

static inline const struct node *node_at(const struct ir_lower *l, uint32_t node)
{
    return &l->module->tree->nodes.v[node];
}

// Operands of the last instruction of the function. `first`: the node of its first operand.
// `roles`: a letter for each operand, as in struct isa_form; the last one is repeated.
void lower_operands(struct ir_lower *l, uint32_t node, uint32_t first, const char *roles);
// The name at `node` guards the instruction.
void lower_guard(struct ir_lower *l, uint32_t node, bool negated);
// The instruction reads the registers in which the function returns its results, which are declared
// before all others.
void lower_results(struct ir_lower *l);
static inline bool lower_is_result(const struct ir_lower *l, uint32_t reg)
{
    uint32_t list = l->fn->returns, decl = l->fn->registers.v[reg].decl;
    return list != IR_NONE && decl > list && decl < node_next(l->module->tree, list);
}
// The instruction reads or writes the carry flag.
void lower_carry(struct ir_lower *l, enum ir_role role);
