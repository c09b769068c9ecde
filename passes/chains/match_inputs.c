#include "passes/chains/match.h"

static struct input input_of(struct matcher *m, uint32_t inst, uint32_t operand)
{
    const struct ir_operand *at = &m->fn->operands.v[operand];
    struct input input = {INPUT_REGISTER, operand, IR_NONE, NULL, false};
    if (at->kind == OPERAND_REGISTER)
        input.version = m->fn->operand_version.v[operand];
    struct load *load = match_load_of(m, input.version);
    input.uniform =
        at->kind != OPERAND_UNKNOWN && divergence_operand(facts_certain(m->facts), operand);
    if (load && load->verdict.rule == RULE_COUNT && load->reader == inst && !at->part) {
        input.kind = INPUT_LOAD;
        input.load = load;
    } else if (input.uniform) {
        input.kind = INPUT_SCALAR;
    }
    return input;
}

static bool is_there(const struct inputs *inputs, uint32_t version)
{
    for (uint32_t i = 0; version != IR_NONE && i < inputs->count && i < MAX_INPUTS; i++)
        if (inputs->v[i].version == version)
            return true;
    return false;
}

struct inputs inputs_of(struct matcher *m, uint32_t inst, bool merge)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    struct inputs inputs = {0};
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (!alu_is_source(m->fn, i))
            continue;
        struct input input = input_of(m, inst, i);
        if (merge && is_there(&inputs, input.version))
            continue;
        if (inputs.count < MAX_INPUTS) {
            inputs.v[inputs.count] = input;
            inputs.number[input.kind]++;
        }
        inputs.count += inputs.count <= MAX_INPUTS;
    }
    return inputs;
}

const struct input *inputs_find(const struct inputs *inputs, enum input_kind kind)
{
    for (uint32_t i = 0; i < inputs->count && i < MAX_INPUTS; i++)
        if (inputs->v[i].kind == kind)
            return &inputs->v[i];
    return NULL;
}

bool inputs_have(const struct inputs *inputs, uint32_t loads, uint32_t scalars, uint32_t registers)
{
    return inputs->number[INPUT_LOAD] == loads && inputs->number[INPUT_SCALAR] == scalars &&
           inputs->number[INPUT_REGISTER] == registers;
}
