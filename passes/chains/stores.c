// Reasons why stores are in no chain: the access itself, or the origin of the stored value.
#include "passes/chains/match.h"
#include "support/bits.h"

// Lists the reason of a store, which is recorded like that of a load.
static void list(struct matcher *m, const struct load *store)
{
    vec_push(&m->scratch, &m->rejections,
             (struct rejection){m->function, CANDIDATE_STORE, store->verdict.rule, store->inst,
                                store->verdict.because, store->verdict.text, .last = IR_NONE});
}

static struct load subject(uint32_t inst)
{
    return (struct load){inst, IR_NONE, IR_NONE, false, {RULE_COUNT, IR_NONE, NULL}};
}

void stores_left_out(struct matcher *m, const struct candidate *candidate,
                     const struct obstacle *why)
{
    struct load store = subject(candidate->inst[candidate->count - 1]);
    verdict_obstacle(m, &store, why, candidate);
    list(m, &store);
}

// Returns the instruction that redefines the guard of both in between, or IR_NONE.
static uint32_t guard_between(const struct ir_function *fn, uint32_t from, uint32_t to)
{
    uint32_t first = ir_find_operand(fn, from, ROLE_GUARD, 0);
    uint32_t second = ir_find_operand(fn, to, ROLE_GUARD, 0);
    if (first == IR_NONE || second == IR_NONE ||
        fn->operands.v[first].index != fn->operands.v[second].index)
        return IR_NONE;
    uint32_t version = fn->operand_version.v[second];
    bool differs = version != IR_NONE && version != fn->operand_version.v[first];
    return differs && fn->versions.v[version].kind == VERSION_INST ? fn->versions.v[version].index
                                                                   : IR_NONE;
}

// Handles a store that would end the chain of `from` if it could.
static void check_end(struct matcher *m, struct load *store, uint32_t from, enum plan_rule rule)
{
    uint32_t writer = guard_between(m->fn, from, store->inst);
    const char *what = verdict_inst(m, store->inst), *chain = verdict_inst(m, from);
    if (rule == RULE_GUARD && writer != IR_NONE)
        verdict_set(m, store, rule, writer,
                    "the %s should end the chain of the %s, but the %s redefines the guard of both",
                    what, chain, verdict_inst(m, writer));
    else
        verdict_set(m, store, rule, from, "the %s should end the chain of the %s, but %s", what,
                    chain, verdict_it(m, store->inst, rule));
}

// Handles a value that is the result of a chain, which leaves it at the core.
static void check_result(struct matcher *m, struct load *store, uint32_t version, uint32_t from)
{
    struct readers readers = uses_readers(&m->uses, version);
    uint32_t other = readers.inst[readers.inst[0] == store->inst];
    const char *what = verdict_inst(m, store->inst), *value = verdict_value(m, version);
    enum plan_rule rule = match_store_fault(m, store->inst, from);
    if (readers.count < 2 && rule != RULE_COUNT)
        check_end(m, store, from, rule);
    else if (readers.count < 2)
        verdict_set(m, store, RULE_OVERLAP, from,
                    "the %s stores %s, which the chain of the %s leaves at the core", what, value,
                    verdict_inst(m, from));
    else
        verdict_set(m, store, RULE_RESULT_USED, other,
                    "the %s stores %s, the result of a chain, which is also needed at the core, "
                    "%s%s",
                    what, value, other == IR_NONE ? "in another block" : "by the ",
                    other == IR_NONE ? "" : verdict_inst(m, other));
}

// Handles a value from a load that is rejected. The reason of the load is that of the store.
static void check_store_of_load(struct matcher *m, struct load *store, const struct load *load)
{
    const struct verdict *verdict = &load->verdict;
    bool here = verdict->because == IR_NONE || verdict->because == store->inst;
    if (verdict->rule == RULE_COUNT)
        check_result(m, store, load->version, load->inst);
    else
        verdict_set(m, store, verdict->rule, here ? load->inst : verdict->because,
                    "the %s stores a value computed from %s, and there %s",
                    verdict_inst(m, store->inst), verdict_value(m, load->version), verdict->text);
}

// Returns the load of the first operand that is loaded in the same block, or NULL.
static const struct load *loaded_source(struct matcher *m, uint32_t inst)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (m->fn->operands.v[i].kind != OPERAND_REGISTER || m->fn->operands.v[i].role != ROLE_USE)
            continue;
        const struct load *load = match_load_of(m, m->fn->operand_version.v[i]);
        if (load && load->version != IR_NONE && m->fn->insts.v[load->inst].block == at->block)
            return load;
    }
    return NULL;
}

static void check_computation(struct matcher *m, struct load *store, uint32_t version,
                              uint32_t from)
{
    const struct load *load = loaded_source(m, from);
    struct alu alu = alu_of(m->capability, m->module, m->fn, from);
    const char *what = verdict_inst(m, store->inst), *value = verdict_value(m, version);
    if (bits_test(m->chained, from))
        check_result(m, store, version, from);
    else if (alu.kind == ALU_NONE)
        verdict_set(
            m, store, alu.rule, from,
            "the %s stores %s, the result of the %s, which the ALU near the data does not support",
            what, value, verdict_inst(m, from));
    else if (load)
        check_store_of_load(m, store, load);
    else
        verdict_set(m, store, RULE_PATTERN, from,
                    "the %s stores %s, the result of the %s, which reads no value that is loaded "
                    "in this basic block",
                    what, value, verdict_inst(m, from));
}

static void check_origin(struct matcher *m, struct load *store, uint32_t version)
{
    const struct ir_version *at = &m->fn->versions.v[version];
    const char *what = verdict_inst(m, store->inst), *value = verdict_value(m, version);
    if (at->kind != VERSION_INST) {
        verdict_set(m, store, RULE_CROSS_BLOCK, IR_NONE,
                    "the %s stores %s, which has more than one definition", what, value);
        return;
    }
    uint32_t original = m->original[at->index];
    const struct ir_inst *from = &m->fn->insts.v[original];
    const struct load *load = match_load_of(m, version);
    if (from->block != m->fn->insts.v[store->inst].block)
        verdict_set(m, store, RULE_CROSS_BLOCK, at->index,
                    "the %s stores %s, which is made in another block, by the %s", what, value,
                    verdict_inst(m, at->index));
    else if (load && load->version == version)
        check_store_of_load(m, store, load);
    else if (from->class == CLASS_LOAD || from->class == CLASS_ATOMIC)
        verdict_set(m, store, load ? load->verdict.rule : RULE_SPACE, at->index,
                    "the %s stores %s, which the %s does not load directly from global memory",
                    what, value, verdict_inst(m, at->index));
    else if (from->class == CLASS_MOVE)
        verdict_set(m, store, RULE_PATTERN, at->index, "the %s stores %s, a copy made by the %s",
                    what, value, verdict_inst(m, at->index));
    else
        check_computation(m, store, version, original);
}

static void check_value(struct matcher *m, struct load *store)
{
    uint32_t operand = ir_find_operand(m->fn, store->inst, ROLE_USE, 0);
    bool sum = operand != IR_NONE && m->fn->operands.v[operand].part;
    uint32_t version = operand == IR_NONE || sum ? IR_NONE : m->fn->operand_version.v[operand];
    if (version == IR_NONE)
        verdict_set(m, store, RULE_PATTERN, IR_NONE,
                    "the %s stores a value that is neither loaded nor computed",
                    verdict_inst(m, store->inst));
    else
        check_origin(m, store, version);
}

// Returns true if the stored value is loaded in the same block.
static bool stores_loaded(struct matcher *m, uint32_t inst)
{
    const struct load *load = loaded_source(m, inst);
    uint32_t operand = ir_find_operand(m->fn, inst, ROLE_USE, 0);
    return load && operand != IR_NONE && m->fn->operand_version.v[operand] == load->version;
}

static void check_store(struct matcher *m, struct load *store)
{
    const struct ir_function *fn = m->fn;
    if (fn->incomplete) {
        verdict_set(m, store, RULE_INCOMPLETE, IR_NONE,
                    "the function has errors or branches to unknown targets and is not changed");
        return;
    }
    // Checks the access alone, as if the value were computed here.
    enum plan_rule rule = match_store_fault(m, store->inst, store->inst);
    if (rule == RULE_WIDTH && match_access_fault(m, store->inst) == RULE_COUNT &&
        stores_loaded(m, store->inst))
        rule = RULE_COUNT; // it could be copied
    if (rule != RULE_COUNT)
        verdict_set(m, store, rule, IR_NONE, "%s", verdict_access(m, store->inst, rule));
    else if (fn->blocks.v[fn->insts.v[store->inst].block].rpo == IR_NONE)
        verdict_set(m, store, RULE_UNREACHABLE, IR_NONE, "the %s is unreachable",
                    verdict_inst(m, store->inst));
    else
        check_value(m, store);
}

static bool is_listed(const struct matcher *m, uint32_t inst)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    return at->class == CLASS_STORE && at->op == OP_st && match_is_listed(m, inst);
}

void stores_check(struct matcher *m, const struct plan *plan, uint32_t first_chain)
{
    uint32_t before = m->rejections.n;
    uint64_t *left = bits_new(&m->scratch, m->fn->insts.n + 1);
    m->chained = bits_new(&m->scratch, m->fn->insts.n + 1);
    for (uint32_t i = first_chain; i < plan->chains.n; i++)
        for (uint32_t k = 0; k < plan->chains.v[i].count; k++)
            bits_set(m->chained, plan->chains.v[i].inst[k]);
    for (uint32_t i = 0; i < before; i++)
        if (m->rejections.v[i].kind == CANDIDATE_STORE)
            bits_set(left, m->rejections.v[i].inst);
    for (uint32_t inst = 0; inst < m->fn->insts.n; inst++) {
        if (bits_test(m->chained, inst) || bits_test(left, inst) || !is_listed(m, inst))
            continue;
        struct load store = subject(inst);
        check_store(m, &store);
        list(m, &store);
    }
}
