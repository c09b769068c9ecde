#include "passes/capability.h"

// mul24, mad24 and sad (24 bits, absolute differences), bit counts, bit fields and selp (its
// predicate would have to go along) are not among them.
static const struct alu_row {
    uint16_t op;
    enum alu_kind kind;
} rows[] = {
    {OP_add, ALU_COMPUTE},  {OP_sub, ALU_COMPUTE}, {OP_mul, ALU_COMPUTE}, {OP_mad, ALU_FUSED},
    {OP_fma, ALU_FUSED},    {OP_min, ALU_COMPUTE}, {OP_max, ALU_COMPUTE}, {OP_and, ALU_COMPUTE},
    {OP_or, ALU_COMPUTE},   {OP_xor, ALU_COMPUTE}, {OP_not, ALU_COMPUTE}, {OP_cnot, ALU_COMPUTE},
    {OP_lop3, ALU_COMPUTE}, {OP_shl, ALU_COMPUTE}, {OP_shr, ALU_COMPUTE}, {OP_shf, ALU_COMPUTE},
    {OP_abs, ALU_COMPUTE},  {OP_neg, ALU_COMPUTE}, {OP_cvt, ALU_COMPUTE}, {OP_setp, ALU_COMPARE},
    {OP_set, ALU_COMPARE},
};

bool alu_has_type(uint16_t type)
{
    return type == W_f32 || type == W_s32 || type == W_u32 || type == W_b32;
}

bool alu_is_source(const struct ir_function *fn, uint32_t operand)
{
    enum { LOP3_TABLE = 4 };
    const struct ir_operand *at = &fn->operands.v[operand];
    bool table = fn->insts.v[fn->operand_inst.v[operand]].op == OP_lop3 && at->slot == LOP3_TABLE;
    return at->role == ROLE_USE && !table;
}

// A form that the ALU lacks: RULE_OPERATION or RULE_TYPE; else RULE_COUNT.
static enum plan_rule fault_of_modifiers(const struct ir_module *module, const struct ir_inst *inst)
{
    uint32_t count;
    const uint16_t *mods = node_mods(module->tree, inst->node, &count);
    enum plan_rule rule = inst->type == W_UNKNOWN ? RULE_TYPE : RULE_COUNT;
    for (uint32_t i = 0; i < count; i++) {
        bool unknown = mods[i] == W_UNKNOWN && inst->op != OP_shf; // .l .r .wrap .clamp
        if (unknown || mods[i] == W_cc)
            return RULE_OPERATION;
        if (mods[i] == W_wide || (isa_is_type(mods[i]) && !alu_has_type(mods[i])))
            rule = RULE_TYPE;
    }
    return rule;
}

// Exactly one register of 32 bits is written; a comparison may write two predicates.
static bool has_result(const struct ir_function *fn, const struct ir_inst *inst, enum alu_kind kind)
{
    uint32_t results = 0;
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->role != ROLE_DEF)
            continue;
        bool plain =
            operand->kind == OPERAND_REGISTER && fn->registers.v[operand->index].bits == 32;
        if (!plain && kind != ALU_COMPARE)
            return false;
        results++;
    }
    return kind == ALU_COMPARE ? results > 0 : results == 1;
}

struct alu alu_of(const struct ir_module *module, const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    struct alu alu = {ALU_NONE, RULE_OPERATION};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].op != at->op)
            continue;
        alu.rule = fault_of_modifiers(module, at);
        if (alu.rule == RULE_COUNT && !has_result(fn, at, rows[i].kind))
            alu.rule = RULE_TYPE;
        if (alu.rule == RULE_COUNT)
            alu.kind = rows[i].kind;
        break;
    }
    return alu;
}
