// Builds a module step by step, and answers small questions about it.
#include "ir/internal.h"

void ir_build(struct ir_module *module, struct arena *arena, struct tree *tree, struct diags *diags)
{
    *module = (struct ir_module){.arena = arena, .tree = tree};
    ir_lower_module(module, diags);
    for (uint32_t i = 0; i < module->functions.n; i++) {
        struct ir_function *fn = &module->functions.v[i];
        if (!fn->has_body)
            continue;
        ir_build_edges(module, fn);
        ir_build_dominators(module, fn);
        ir_build_loops(module, fn);
        ir_build_liveness(module, fn);
        ir_build_ssa(module, fn);
        ir_build_uniform(module, fn);
    }
}

uint16_t ir_type_bits(uint16_t type)
{
    return isa_is_type(type) ? isa_words[type].value : 0;
}

uint32_t ir_version_block(const struct ir_function *fn, uint32_t version)
{
    const struct ir_version *v = &fn->versions.v[version];
    switch (v->kind) {
    case VERSION_INST: return fn->insts.v[v->index].block;
    case VERSION_PHI: return fn->phis.v[v->index].block;
    default: return 0;
    }
}

uint32_t ir_find_operand(const struct ir_function *fn, uint32_t inst, enum ir_role role, uint32_t n)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role == role && !n--)
            return i;
    return IR_NONE;
}

uint32_t ir_defined(const struct ir_function *fn, uint32_t inst)
{
    uint32_t first = ir_find_operand(fn, inst, ROLE_DEF, 0);
    if (first == IR_NONE || ir_find_operand(fn, inst, ROLE_DEF, 1) != IR_NONE)
        return IR_NONE;
    return fn->operand_version.v[first];
}

bool ir_has_modifier(const struct ir_module *module, const struct ir_function *fn, uint32_t inst,
                     uint16_t word)
{
    uint32_t count;
    const uint16_t *mods = node_mods(module->tree, fn->insts.v[inst].node, &count);
    for (uint32_t i = 0; i < count; i++)
        if (mods[i] == word)
            return true;
    return false;
}

struct place ir_place(const struct ir_module *module, const struct ir_function *fn, uint32_t inst)
{
    return source_place(module->tree->source, module->tree->nodes.v[fn->insts.v[inst].node].begin);
}
