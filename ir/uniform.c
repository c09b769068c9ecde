// Which versions surely hold the same value for all lanes of a warp: kernel parameters, constant
// memory, grid-wide special registers and arithmetic on those. Phis are taken as varying: whether
// the lanes came by the same way is not looked at.
#include "ir/internal.h"
#include "support/bits.h"

static const uint8_t pure_classes[] = {CLASS_ARITHMETIC, CLASS_SPECIAL, CLASS_LOGIC, CLASS_SHIFT,
                                       CLASS_COMPARE,    CLASS_SELECT,  CLASS_MOVE,  CLASS_CONVERT};
static const uint16_t uniform_ops[] = {OP_vote, OP_redux, OP_activemask, OP_ldu};

static bool is_pure(const struct ir_inst *inst)
{
    for (size_t i = 0; i < sizeof pure_classes; i++)
        if (inst->class == pure_classes[i])
            return true;
    return false;
}

// A load that gives all lanes the same if its address is the same for all.
static bool reads_one_place(const struct ir_module *module, const struct ir_function *fn,
                            const struct ir_inst *inst)
{
    bool parameter = fn->is_entry && (inst->space == W_param || inst->space == W_param_entry);
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->role == ROLE_ADDRESS &&
            operand->kind == OPERAND_SYMBOL) // a call's result is not the kernel's parameter
            parameter &= module->symbols.v[operand->index].parameter != IR_NONE;
    }
    return inst->op == OP_ld && !(inst->flags & INST_ORDERED) &&
           (parameter || inst->space == W_const);
}

static bool operand_uniform(const struct ir_function *fn, uint32_t operand)
{
    const struct ir_operand *o = &fn->operands.v[operand];
    switch (o->kind) {
    case OPERAND_REGISTER:
        return fn->operand_version.v[operand] != IR_NONE &&
               bits_test(fn->uniform, fn->operand_version.v[operand]);
    case OPERAND_SPECIAL:
        return isa_specials[o->index].varies != VARIES_LANE &&
               isa_specials[o->index].varies != VARIES_TIME;
    case OPERAND_IMMEDIATE:
    case OPERAND_SYMBOL: return true;
    default: return false;
    }
}

static bool inst_uniform(const struct ir_module *module, const struct ir_function *fn,
                         uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (size_t i = 0; i < sizeof uniform_ops / sizeof *uniform_ops; i++)
        if (at->op == uniform_ops[i] && !(at->flags & INST_GUARDED))
            return true;
    if (!is_pure(at) && !reads_one_place(module, fn, at))
        return false;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role != ROLE_DEF && !operand_uniform(fn, i))
            return false;
    return true;
}

void ir_build_uniform(struct ir_work *work, struct ir_function *fn)
{
    const struct ir_module *module = work->module;
    fn->uniform = bits_new(module->arena, fn->versions.n + 1);
    for (uint32_t i = 0; i < fn->rpo.n; i++) { // definitions come before what they dominate
        const struct ir_block *block = &fn->blocks.v[fn->rpo.v[i]];
        for (uint32_t inst = block->first; inst < block->end; inst++) {
            if (!inst_uniform(module, fn, inst))
                continue;
            const struct ir_inst *at = &fn->insts.v[inst];
            for (uint32_t k = at->operands; k < at->operands + at->operand_count; k++)
                if (fn->operands.v[k].role == ROLE_DEF && fn->operand_version.v[k] != IR_NONE)
                    bits_set(fn->uniform, fn->operand_version.v[k]);
        }
    }
}

bool ir_uniform(const struct ir_function *fn, uint32_t operand)
{
    return operand_uniform(fn, operand);
}
