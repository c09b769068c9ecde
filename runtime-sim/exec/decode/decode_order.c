// Determines whether the threads of a function may depend on each other and on the order of CTAs.
#include "runtime-sim/exec/decode/decode.h"
#include "support/bits.h"

static bool is_ordered(const struct ir_inst *inst)
{
    return inst->class == CLASS_ATOMIC || inst->op == OP_sured || inst->flags & INST_ORDERED;
}

static bool is_shared(const struct ir_inst *inst)
{
    return inst->space == W_shared || inst->space == W_shared_cta;
}

static bool is_integer(uint16_t type)
{
    static const uint16_t types[] = {W_u32, W_s32, W_b32, W_u64, W_s64, W_b64};
    for (uint32_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (types[i] == type)
            return true;
    return false;
}

// Returns the set of registers that instructions read.
static const uint64_t *find_read(struct decoder *d)
{
    const struct ir_function *fn = d->fn;
    uint64_t *read = bits_new(&d->scratch, fn->registers.n);
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        const struct ir_operand *operands = ir_operands(fn, i);
        for (uint32_t k = 0; k < fn->insts.v[i].operand_count; k++)
            if (operands[k].kind == OPERAND_REGISTER && operands[k].role != ROLE_DEF &&
                operands[k].role != ROLE_KEEP)
                bits_set(read, operands[k].index);
    }
    return read;
}

static bool is_result_read(const struct ir_function *fn, uint32_t inst, const uint64_t *read)
{
    const struct ir_operand *operands = ir_operands(fn, inst);
    for (uint32_t k = 0; k < fn->insts.v[inst].operand_count; k++)
        if (operands[k].kind == OPERAND_REGISTER && operands[k].role == ROLE_DEF &&
            bits_test(read, operands[k].index))
            return true;
    return false;
}

// Returns the operation of an atomic instruction whose effect on memory does not depend on the
// order, if no instruction reads its result. Returns 0 for other instructions.
static uint16_t reduction_of(const struct decoder *d, uint32_t i, const uint64_t *read)
{
    static const uint16_t words[] = {W_add, W_and, W_or, W_xor, W_min, W_max};
    const struct ir_inst *inst = &d->fn->insts.v[i];
    if ((inst->op != OP_atom && inst->op != OP_red) || inst->class != CLASS_ATOMIC ||
        (inst->space != W_global && inst->space != W_UNKNOWN) || !is_integer(inst->type) ||
        is_result_read(d->fn, i, read))
        return 0;
    for (uint32_t k = 0; k < ARRAY_LENGTH(words); k++)
        if (ir_has_modifier(d->program->module, d->fn, i, words[k]))
            return words[k];
    return 0;
}

bool decode_add_reduction(struct program_function *to, uint16_t reduction)
{
    bool differs = to->reduction && reduction && to->reduction != reduction;
    bool changed = (differs && !to->in_order) || (!to->reduction && reduction);
    to->in_order |= differs;
    if (!to->reduction)
        to->reduction = reduction;
    return changed;
}

void decode_order(struct decoder *d)
{
    const struct ir_function *fn = d->fn;
    const uint64_t *read = NULL;
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        const struct ir_inst *inst = &fn->insts.v[i];
        if (!is_ordered(inst))
            continue;
        d->function->ordered = true;
        if (is_shared(inst))
            continue;
        d->function->alone = true;
        read = read ? read : find_read(d);
        uint16_t reduction = reduction_of(d, i, read);
        d->function->in_order |= !reduction;
        decode_add_reduction(d->function, reduction);
    }
}
