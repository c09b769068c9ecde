// Loads, and the reasons against each on its own.
#include "passes/chains/match.h"

bool match_is_listed(const struct matcher *m, uint32_t inst)
{
    return spaces_of(m->facts->spaces, m->fn, inst) & (SPACE_GLOBAL | SPACE_SHARED);
}

static bool is_listed(const struct matcher *m, uint32_t inst)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    return (at->class == CLASS_LOAD || at->class == CLASS_ATOMIC) && match_is_listed(m, inst);
}

enum plan_rule match_access_fault(const struct matcher *m, uint32_t inst)
{
    static const enum plan_rule widths[] = {[ACCESS_WHOLE] = RULE_COUNT,
                                            [ACCESS_PART] = RULE_COUNT,
                                            [ACCESS_COPY] = RULE_COUNT,
                                            [ACCESS_NOT] = RULE_WIDTH,
                                            [ACCESS_TYPE] = RULE_TYPE};
    const struct ir_inst *at = &m->fn->insts.v[inst];
    unsigned set = spaces_of(m->facts->spaces, m->fn, inst);
    if (at->class == CLASS_ATOMIC)
        return RULE_ATOMIC;
    if (set == SPACE_SHARED)
        return RULE_SHARED;
    if (!(set & SPACE_GLOBAL))
        return RULE_SPACE;
    if (at->flags & INST_ORDERED)
        return RULE_VOLATILE;
    if (address_of(m->module, m->fn, inst).space != W_global)
        return RULE_GENERIC;
    if (at->op != OP_ld && at->op != OP_st)
        return RULE_OPERATION;
    return widths[capability_access(m->capability, at)];
}

// Returns true if both are in one block. A comparison may be in another, if it reads the load
// itself.
static bool is_near_enough(const struct matcher *m, uint32_t maker, uint32_t reader)
{
    return m->fn->insts.v[reader].block == m->fn->insts.v[maker].block ||
           (!ir_is_copy(m->fn, maker) &&
            alu_of(m->capability, m->module, m->fn, reader).kind == ALU_COMPARE);
}

// Returns true if the loaded value fills the register, or is converted from 8 or 16 bits.
static bool fits_register(const struct matcher *m, uint32_t inst, uint16_t bits)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    if (capability_access(m->capability, at) == ACCESS_PART)
        return bits <= 32;
    return bits == ir_type_bits(at->type);
}

// Returns true if all that is done with a loaded value of 64 bits is to store it.
static bool is_only_stored(const struct matcher *m, uint32_t inst)
{
    uint32_t version = ir_defined(m->fn, match_last_copy(m, inst));
    struct readers readers = uses_readers(&m->uses, version);
    uint32_t reader = readers.inst[0];
    if (readers.count != 1 || reader == IR_NONE || m->fn->insts.v[reader].op != OP_st ||
        ir_type_bits(m->fn->insts.v[reader].type) != 64)
        return false;
    uint32_t data = ir_find_operand(m->fn, reader, ROLE_USE, 0);
    return data != IR_NONE && m->fn->operand_version.v[data] == version;
}

static void check_readers(struct matcher *m, struct load *load)
{
    uint32_t maker = match_last_copy(m, load->inst);
    load->version = ir_defined(m->fn, maker);
    struct readers readers = uses_readers(&m->uses, load->version);
    const char *value = verdict_value(m, load->version);
    uint32_t reader = readers.inst[0];
    if (!readers.count)
        verdict_set(m, load, RULE_PATTERN, IR_NONE, "%s is never used", value);
    else if (readers.count > 1 && readers.inst[1] == IR_NONE)
        verdict_set(m, load, RULE_REUSE, IR_NONE,
                    "%s is used again in another block, so the load should stay near its L1",
                    value);
    else if (readers.count > 1)
        verdict_set(m, load, RULE_REUSE, readers.inst[1],
                    "%s is used again by the %s, so the load should stay near its L1", value,
                    verdict_inst(m, readers.inst[1]));
    else if (reader == IR_NONE)
        verdict_set(m, load, RULE_CROSS_BLOCK, IR_NONE, "%s is used in another block only", value);
    else if (!is_near_enough(m, maker, reader))
        verdict_set(m, load, RULE_CROSS_BLOCK, reader, "%s is used in another block, by the %s",
                    value, verdict_inst(m, reader));
    else if (!uses_may_feed(&m->uses, maker, reader))
        verdict_set(m, load, RULE_GUARD, reader, "the %s does not have the guard of the %s",
                    verdict_inst(m, reader), verdict_inst(m, maker));
    load->reader = reader;
}

static void check_load(struct matcher *m, struct load *load)
{
    const struct ir_function *fn = m->fn;
    if (fn->incomplete) {
        verdict_set(m, load, RULE_INCOMPLETE, IR_NONE,
                    "the function has errors or branches to unknown targets and is not changed");
        return;
    }
    enum plan_rule rule = match_access_fault(m, load->inst);
    if (rule != RULE_COUNT) {
        verdict_set(m, load, rule, IR_NONE, "%s", verdict_access(m, load->inst, rule));
        return;
    }
    if (fn->blocks.v[fn->insts.v[load->inst].block].rpo == IR_NONE) {
        verdict_set(m, load, RULE_UNREACHABLE, IR_NONE, "the %s is unreachable",
                    verdict_inst(m, load->inst));
        return;
    }
    uint32_t operand = ir_find_operand(fn, load->inst, ROLE_DEF, 0);
    if (fn->insts.v[load->inst].vector > 1)
        return;
    load->version = ir_defined(fn, load->inst);
    if (load->version == IR_NONE) {
        verdict_set(m, load, RULE_PATTERN, IR_NONE, "the value of the %s is not used",
                    verdict_inst(m, load->inst));
    } else if (!fits_register(m, load->inst, fn->registers.v[fn->operands.v[operand].index].bits)) {
        verdict_set(m, load, RULE_WIDTH, IR_NONE, "%s has more bits than the %s reads",
                    verdict_value(m, load->version), verdict_inst(m, load->inst));
    } else if (capability_access(m->capability, &fn->insts.v[load->inst]) == ACCESS_COPY &&
               !is_only_stored(m, load->inst)) {
        verdict_set(m, load, RULE_WIDTH, IR_NONE, "%s", verdict_access(m, load->inst, RULE_WIDTH));
    } else {
        check_readers(m, load);
    }
}

void match_loads(struct matcher *m)
{
    m->load_of = ARENA_ARRAY(&m->scratch, uint32_t, m->fn->insts.n + 1);
    for (uint32_t inst = 0; inst < m->fn->insts.n; inst++) {
        if (!is_listed(m, inst))
            continue;
        struct load load = {inst, IR_NONE, IR_NONE, false, {RULE_COUNT, IR_NONE, NULL}};
        check_load(m, &load);
        vec_push(&m->scratch, &m->loads, load);
        for (uint32_t at = inst; at != IR_NONE; at = m->copy[at])
            m->load_of[at] = m->loads.n;
    }
}

struct load *match_load_at(struct matcher *m, uint32_t inst)
{
    return &m->loads.v[m->load_of[inst] - 1];
}

struct load *match_load_of(struct matcher *m, uint32_t version)
{
    if (version == IR_NONE || m->fn->versions.v[version].kind != VERSION_INST)
        return NULL;
    uint32_t inst = m->fn->versions.v[version].index;
    return m->load_of[inst] ? match_load_at(m, inst) : NULL;
}
