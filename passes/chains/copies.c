// Copies of registers between the members of a chain: `mov.b32 %r1, %f1;`.
//
// A copy is followed if it is the only reader of the result of a load or an operation in the same
// basic block, and is executed with it. It is a member of the chain, but not an operation of a
// pattern.
#include "passes/chains/match.h"

static bool may_be_copied(const struct matcher *m, uint32_t inst)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    if (at->class == CLASS_LOAD)
        return at->vector == 1;
    enum alu_kind kind = alu_of(m->capability, m->module, m->fn, inst).kind;
    return kind == ALU_COMPUTE || kind == ALU_FUSED || m->original[inst] != inst;
}

static uint32_t count_copies(const struct matcher *m, uint32_t original)
{
    uint32_t count = 0;
    while ((original = m->copy[original]) != IR_NONE)
        count++;
    return count;
}

static void find_copy(struct matcher *m, uint32_t inst)
{
    const struct ir_function *fn = m->fn;
    uint32_t version = fn->operand_version.v[ir_find_operand(fn, inst, ROLE_USE, 0)];
    if (version == IR_NONE || fn->versions.v[version].kind != VERSION_INST)
        return;
    uint32_t from = fn->versions.v[version].index;
    struct readers readers = uses_readers(&m->uses, version);
    if (fn->insts.v[from].block != fn->insts.v[inst].block || ir_defined(fn, from) != version ||
        readers.count != 1 || readers.inst[0] != inst || !may_be_copied(m, from) ||
        !uses_may_feed(&m->uses, from, inst) || count_copies(m, m->original[from]) == CHAIN_COPIES)
        return;
    m->copy[from] = inst;
    m->original[inst] = m->original[from];
}

void match_find_copies(struct matcher *m)
{
    uint32_t count = m->fn->insts.n;
    m->copy = ARENA_ARRAY(&m->scratch, uint32_t, count + 1);
    m->original = ARENA_ARRAY(&m->scratch, uint32_t, count + 1);
    for (uint32_t inst = 0; inst < count; inst++) {
        m->copy[inst] = IR_NONE;
        m->original[inst] = inst;
    }
    for (uint32_t inst = 0; inst < count && !m->fn->incomplete; inst++)
        if (ir_is_copy(m->fn, inst))
            find_copy(m, inst);
}

uint32_t match_last_copy(const struct matcher *m, uint32_t inst)
{
    while (m->copy[inst] != IR_NONE)
        inst = m->copy[inst];
    return inst;
}

void match_add_copies(const struct matcher *m, struct candidate *candidate, uint32_t inst)
{
    while ((inst = m->copy[inst]) != IR_NONE)
        match_add(candidate, inst);
}
