// Matches the patterns [000 Table 1], starting at the ALU instruction.
//
// A loaded register has one reader, and so has an intermediate result. An instruction therefore
// belongs to at most one candidate, and candidates never overlap. A load that is equal in all lanes
// of a warp can be a load of the chain, or stay at the core and be its scalar: such forms of one
// candidate are its alternatives; choose.c selects one.
//
// Interpretation of the table:
//   - Pattern 4 is a unary operation, or one whose sources are the same loaded register.
//   - Pattern 6 is also h(a, a), a test for NaN, which needs no scalar. `set` compares like `setp`.
//   - Patterns 8 and 9 have a scalar: f(a, g(b)) does not match, nor does h(a, g(b, i)).
//   - b·i + a in one instruction is 8 or 9. a·b + i and a·i + a do not match.
//   - An operation with three operands counts those that differ: lop3 of a and b is f(a, b).
//   - A mov that copies a whole register is a member without computation (copies.c); any other mov
//     is an ordinary use.
//   - Members without a guard may feed members with one: their results are not used if the guard is
//     false, and the lanes of the packet are those of the last member.
#include "passes/chains/match.h"
#include "support/bits.h"
#include <string.h>

// Stores

// Returns true if the store writes 64 bits that are not copied from a load.
static bool computes_wide(const struct matcher *m, uint32_t store, uint32_t from)
{
    const struct ir_inst *maker = &m->fn->insts.v[m->original[from]];
    return capability_access(m->capability, &m->fn->insts.v[store]) == ACCESS_COPY &&
           (maker->class != CLASS_LOAD || ir_type_bits(maker->type) != 64);
}

enum plan_rule match_store_fault(const struct matcher *m, uint32_t store, uint32_t from)
{
    const struct ir_inst *at = &m->fn->insts.v[store], *maker = &m->fn->insts.v[from];
    enum plan_rule rule = match_access_fault(m, store);
    if (rule != RULE_COUNT)
        return rule;
    if (at->vector > 1 && maker->class != CLASS_STORE && maker->vector != at->vector)
        return RULE_PATTERN;
    if (computes_wide(m, store, from))
        return RULE_WIDTH;
    if (ir_reads_part(m->fn, store))
        return RULE_OPERATION;
    if (at->block != maker->block)
        return RULE_CROSS_BLOCK;
    return uses_may_feed(&m->uses, from, store) ? RULE_COUNT : RULE_GUARD;
}

struct ending match_ending(struct matcher *m, uint32_t inst)
{
    uint32_t maker = match_last_copy(m, inst), result = ir_defined(m->fn, maker);
    struct ending ending = {IR_NONE, uses_readers(&m->uses, result), RULE_COUNT};
    uint32_t reader = ending.readers.inst[0];
    if (ending.readers.count != 1 || reader == IR_NONE || m->fn->insts.v[reader].op != OP_st)
        return ending;
    ending.rule = match_store_fault(m, reader, maker);
    uint32_t address = ir_find_operand(m->fn, reader, ROLE_ADDRESS, 0);
    bool is_address = address != IR_NONE && m->fn->operand_version.v[address] == result;
    if (ending.rule == RULE_COUNT && (ending.readers.operands != 1 || is_address))
        ending.rule = RULE_REUSE;
    if (ending.rule == RULE_COUNT)
        ending.store = reader;
    return ending;
}

// Candidates

void match_add(struct candidate *candidate, uint32_t inst)
{
    if (inst != IR_NONE)
        candidate->inst[candidate->count++] = inst;
}

void match_add_load(struct candidate *candidate, struct load *load)
{
    load->taken = true;
    match_add(candidate, load->inst);
    uint32_t *inst = candidate->inst;
    if (candidate->count == 2 && inst[0] > inst[1]) {
        uint32_t first = inst[1];
        inst[1] = inst[0];
        inst[0] = first;
    }
}

void match_add_scalar(struct candidate *candidate, const struct input *input)
{
    candidate->scalars = 1;
    if (input->kind != INPUT_LOAD)
        return;
    input->load->taken = true;
    candidate->aside[candidate->aside_count++] = input->load->inst;
}

static struct candidate candidate_of(const struct inputs *inputs, uint32_t pattern)
{
    struct candidate candidate = {.pattern = pattern, .scalars = inputs->number[INPUT_SCALAR]};
    for (uint32_t i = 0; i < inputs->count && i < MAX_INPUTS; i++)
        if (inputs->v[i].kind == INPUT_LOAD)
            match_add_load(&candidate, inputs->v[i].load);
    return candidate;
}

static bool is_load(const struct matcher *m, uint32_t inst)
{
    return m->fn->insts.v[inst].class == CLASS_LOAD;
}

void match_finish(struct matcher *m, struct candidate *candidate, uint32_t alu, uint32_t store)
{
    const struct candidate members = *candidate;
    candidate->count = 0;
    for (uint32_t i = 0; i < members.count; i++)
        if (is_load(m, members.inst[i]))
            match_add(candidate, members.inst[i]);
    for (uint32_t i = 0; i < members.count; i++) {
        if (!is_load(m, members.inst[i]))
            match_add(candidate, members.inst[i]);
        match_add_copies(m, candidate, members.inst[i]);
    }
    for (uint32_t i = 0; i < candidate->count; i++)
        candidate->across |= m->fn->insts.v[candidate->inst[i]].block != m->fn->insts.v[alu].block;
    match_add(candidate, alu);
    candidate->tail = candidate->count;
    if (store != IR_NONE)
        match_add_copies(m, candidate, alu);
    match_add(candidate, store);
    candidate->tail = candidate->count - candidate->tail;
}

void match_offer(struct matcher *m, const struct candidate *candidate)
{
    vec_push(&m->scratch, &m->candidates, *candidate);
}

void match_offer_instead(struct matcher *m, const struct candidate *candidate)
{
    struct candidate *last = &m->candidates.v[m->candidates.n - 1], also = *candidate;
    also.next = last->next;
    vec_push(&m->scratch, &m->alternatives, also);
    last->next = m->alternatives.n;
}

// Adds the forms in which one load is in the chain and the other, equal in all lanes, is its
// scalar.
static void add_alternatives(struct matcher *m, const struct inputs *inputs, uint32_t pattern,
                             uint32_t alu, uint32_t store)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct candidate candidate = {.pattern = pattern};
        if (!inputs->v[1 - i].uniform)
            continue;
        match_add_scalar(&candidate, &inputs->v[1 - i]);
        match_add_load(&candidate, inputs->v[i].load);
        match_finish(m, &candidate, alu, store);
        match_offer_instead(m, &candidate);
    }
}

// Returns the pattern of one operation, or 0.
static uint32_t pattern_of(const struct inputs *inputs, bool stored, bool compares)
{
    if (inputs->count > MAX_INPUTS || inputs->number[INPUT_REGISTER])
        return 0;
    return pattern_find(inputs->number[INPUT_LOAD], 1, inputs->number[INPUT_SCALAR], stored,
                        compares);
}

static void add_candidate(struct matcher *m, const struct inputs *inputs, uint32_t pattern,
                          uint32_t alu, uint32_t store)
{
    struct candidate candidate = candidate_of(inputs, pattern);
    bool compares = chain_patterns[pattern].response == RESPONSE_BITMAP;
    uint32_t with_scalar = pattern_find(1, 1, 1, store != IR_NONE, compares);
    match_finish(m, &candidate, alu, store);
    match_offer(m, &candidate);
    if (chain_patterns[pattern].loads == 2 && with_scalar)
        add_alternatives(m, inputs, with_scalar, alu, store);
}

// Verdicts

static void check_inputs(struct matcher *m, const struct inputs *inputs, enum plan_rule rule,
                         uint32_t because, const char *text)
{
    for (uint32_t i = 0; i < inputs->count && i < MAX_INPUTS; i++)
        if (inputs->v[i].kind == INPUT_LOAD)
            verdict_set(m, inputs->v[i].load, rule, because, "%s", text);
}

// Handles an operand from a load of the same block that is rejected itself. Its reason holds here,
// too, since without it there might be a chain.
static bool check_partner(struct matcher *m, const struct inputs *inputs, uint32_t inst,
                          const struct input *other)
{
    const struct load *partner = match_load_of(m, other->version);
    if (!partner || partner->verdict.rule == RULE_COUNT ||
        m->fn->insts.v[partner->inst].block != m->fn->insts.v[inst].block)
        return false;
    const char *text =
        arena_printf(&m->scratch, "the %s needs %s as well, and there %s", verdict_inst(m, inst),
                     verdict_operand(m, other->operand), partner->verdict.text);
    uint32_t because =
        partner->verdict.because == IR_NONE ? partner->inst : partner->verdict.because;
    check_inputs(m, inputs, partner->verdict.rule, because, text);
    return true;
}

// Handles an operand that is a register of each thread. If a scalar in its place would match a
// pattern, that is the reason; otherwise the operation has one operand too many.
static void check_register(struct matcher *m, const struct inputs *inputs, uint32_t inst,
                           bool scalar_would_do)
{
    const struct input *other = inputs_find(inputs, INPUT_REGISTER);
    if (check_partner(m, inputs, inst, other))
        return;
    const char *what = verdict_inst(m, inst), *name = verdict_operand(m, other->operand);
    if (scalar_would_do)
        check_inputs(m, inputs, RULE_VARYING_SCALAR, inst,
                     arena_printf(&m->scratch,
                                  "%s in the %s may differ between the lanes of a warp", name,
                                  what));
    else
        check_inputs(
            m, inputs, RULE_REGISTER_OPERAND, inst,
            arena_printf(&m->scratch,
                         "the %s needs %s, a register of each thread that does not fit the packet",
                         what, name));
}

static bool is_among(const struct matcher *m, uint32_t version, bool want_store, uint32_t inst,
                     uint32_t *found)
{
    for (uint32_t i = 0; i < m->fn->versions.v[version].use_count; i++) {
        uint32_t use = ir_uses(m->fn, version)[i];
        *found = use & USE_PHI ? IR_NONE : m->fn->operand_inst.v[use];
        if (want_store && *found != IR_NONE && m->fn->insts.v[*found].op == OP_st &&
            m->fn->operands.v[use].role == ROLE_USE &&
            match_store_fault(m, *found, inst) == RULE_COUNT)
            return true;
    }
    return false;
}

// Handles a result of one load, and maybe a scalar, that no store of the chain accepts.
static void check_ending(struct matcher *m, const struct inputs *inputs, uint32_t inst,
                         const struct ending *ending)
{
    const char *what = verdict_inst(m, inst), *value = verdict_value(m, ir_defined(m->fn, inst));
    uint32_t reader = ending->readers.inst[0], store;
    if (ending->rule != RULE_COUNT) {
        for (uint32_t i = 0; i < inputs->count && i < MAX_INPUTS; i++)
            if (inputs->v[i].kind == INPUT_LOAD)
                verdict_store(m, inputs->v[i].load, reader, ending->rule);
    } else if (ending->readers.count == 2 &&
               is_among(m, ir_defined(m->fn, inst), true, inst, &store)) {
        uint32_t other = reader == store ? ending->readers.inst[1] : reader;
        const char *by = other == IR_NONE
                             ? "in another block"
                             : arena_printf(&m->scratch, "by the %s", verdict_inst(m, other));
        check_inputs(m, inputs, RULE_RESULT_USED, other,
                     arena_printf(&m->scratch,
                                  "%s, the result of the %s, is stored and used again %s", value,
                                  what, by));
    } else {
        check_inputs(m, inputs, RULE_PATTERN, inst,
                     arena_printf(&m->scratch,
                                  "%s, the result of the %s, is not stored; no pattern has such "
                                  "a result",
                                  value, what));
    }
}

// Patterns of one ALU instruction

static void match_compute(struct matcher *m, uint32_t inst)
{
    struct inputs inputs = inputs_of(m, inst, true);
    struct ending ending = match_ending(m, inst);
    bool stored = ending.store != IR_NONE;
    uint32_t pattern = pattern_of(&inputs, stored, false);
    if (pattern)
        add_candidate(m, &inputs, pattern, inst, ending.store);
    else if (inputs.number[INPUT_REGISTER])
        check_register(m, &inputs, inst, stored && inputs.count == 2);
    else if (inputs.count <= 2)
        check_ending(m, &inputs, inst, &ending);
    else
        check_inputs(m, &inputs, RULE_PATTERN, inst,
                     arena_printf(&m->scratch, "the %s matches none of the patterns",
                                  verdict_inst(m, inst)));
}

// Returns true if a signed byte is compared as an unsigned value of 16 bits: extended to 32 bits it
// has another value.
static bool loses_sign(const struct matcher *m, uint32_t inst, const struct inputs *inputs)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    uint16_t type = at->op == OP_set ? at->type2 : at->type;
    bool loses = false;
    for (uint32_t i = 0; i < inputs->count && i < MAX_INPUTS; i++)
        loses |=
            inputs->v[i].kind == INPUT_LOAD && m->fn->insts.v[inputs->v[i].load->inst].type == W_s8;
    return loses && ir_type_bits(type) == 16 && !ir_type_is_signed(type);
}

// h(a, a), as in a test for NaN, matches h(a, i) without its scalar.
static void match_compare(struct matcher *m, uint32_t inst)
{
    struct inputs inputs = inputs_of(m, inst, true);
    uint32_t pattern = pattern_of(&inputs, false, true);
    if (pattern && loses_sign(m, inst, &inputs))
        check_inputs(m, &inputs, RULE_TYPE, inst,
                     arena_printf(&m->scratch,
                                  "the %s compares a signed byte as an unsigned value of 16 bits",
                                  verdict_inst(m, inst)));
    else if (pattern)
        add_candidate(m, &inputs, pattern, inst, IR_NONE);
    else if (inputs.number[INPUT_REGISTER])
        check_register(m, &inputs, inst, inputs.count == 2);
    else
        check_inputs(m, &inputs, RULE_PATTERN, inst,
                     arena_printf(&m->scratch, "the %s matches none of the patterns",
                                  verdict_inst(m, inst)));
}

// a·b + r: once divided, its product is pattern 2.
static struct candidate product_of(struct matcher *m, const struct inputs *inputs, uint32_t inst)
{
    struct inputs product = *inputs;
    product.count = 2;
    product.number[INPUT_SCALAR] = 0;
    struct candidate candidate = candidate_of(&product, pattern_find(2, 1, 0, false, false));
    candidate.split = true;
    match_finish(m, &candidate, inst, IR_NONE);
    return candidate;
}

static void match_product(struct matcher *m, uint32_t inst, const struct inputs *inputs)
{
    if (m->options->fma != FMA_FUSED) {
        struct candidate candidate = product_of(m, inputs, inst);
        match_offer(m, &candidate);
        if (inputs->v[2].kind == INPUT_LOAD)
            verdict_addend(m, inputs->v[2].load, inst);
        return;
    }
    const char *text = arena_printf(
        &m->scratch, "the %s multiplies two loaded values and adds %s: --fma=split divides it",
        verdict_inst(m, inst), verdict_operand(m, inputs->v[2].operand));
    check_inputs(m, inputs, RULE_FMA, inst, text);
    vec_push(&m->scratch, &m->rejections,
             (struct rejection){m->function, CANDIDATE_CHAIN, RULE_FMA, inst, IR_NONE,
                                arena_strndup(m->arena, text, strlen(text)), .last = IR_NONE});
}

static bool repeats_load(const struct inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count && i < MAX_INPUTS; i++)
        for (uint32_t k = 0; k < i && inputs->v[i].kind == INPUT_LOAD; k++)
            if (inputs->v[k].version == inputs->v[i].version)
                return true;
    return false;
}

// b·i + a, with either factor as the scalar. Returns false if neither can be.
static bool match_scaled(struct matcher *m, uint32_t inst, const struct inputs *inputs)
{
    struct ending ending = match_ending(m, inst);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const struct input *scaled = &inputs->v[i], *scalar = &inputs->v[1 - i];
        struct candidate candidate = {.pattern =
                                          pattern_find(2, 2, 1, ending.store != IR_NONE, false)};
        if (scaled->kind != INPUT_LOAD || !scalar->uniform)
            continue;
        match_add_scalar(&candidate, scalar);
        match_add_load(&candidate, scaled->load);
        match_add_load(&candidate, inputs->v[2].load);
        match_finish(m, &candidate, inst, ending.store);
        (count++ ? match_offer_instead : match_offer)(m, &candidate);
    }
    bool product = inputs->v[0].kind == INPUT_LOAD && inputs->v[1].kind == INPUT_LOAD;
    if (count && product && m->options->fma != FMA_FUSED) {
        struct candidate candidate = product_of(m, inputs, inst);
        match_offer_instead(m, &candidate);
    }
    return count;
}

static void match_fused(struct matcher *m, uint32_t inst)
{
    struct inputs inputs = inputs_of(m, inst, false);
    const struct input *x = &inputs.v[0], *y = &inputs.v[1], *z = &inputs.v[2];
    bool usual = inputs.count == 3 && !repeats_load(&inputs);
    if (usual && z->kind == INPUT_LOAD && match_scaled(m, inst, &inputs))
        return;
    if (usual && x->kind == INPUT_LOAD && y->kind == INPUT_LOAD)
        match_product(m, inst, &inputs);
    else if (inputs.number[INPUT_REGISTER])
        check_register(m, &inputs, inst,
                       usual && z->kind == INPUT_LOAD && inputs.number[INPUT_LOAD] == 2);
    else
        check_inputs(m, &inputs, RULE_PATTERN, inst,
                     arena_printf(&m->scratch, "the %s matches none of the patterns",
                                  verdict_inst(m, inst)));
}

// c = a
static void match_copy(struct matcher *m, struct load *load)
{
    uint32_t store = load->reader;
    enum plan_rule rule = match_store_fault(m, store, match_last_copy(m, load->inst));
    uint32_t address = ir_find_operand(m->fn, store, ROLE_ADDRESS, 0);
    if (address != IR_NONE && m->fn->operand_version.v[address] == load->version)
        rule = uses_readers(&m->uses, load->version).operands > 1 ? RULE_REUSE : RULE_PATTERN;
    if (rule == RULE_PATTERN) {
        verdict_reader(m, load, store);
    } else if (rule != RULE_COUNT) {
        verdict_store(m, load, store, rule);
    } else {
        struct candidate candidate = {.pattern = pattern_find(1, 0, 0, true, false)};
        match_add_load(&candidate, load);
        match_finish(m, &candidate, store, IR_NONE);
        match_offer(m, &candidate);
    }
}

static void match_alu(struct matcher *m, uint32_t inst)
{
    if (bits_test(m->paired, inst))
        return;
    switch (alu_of(m->capability, m->module, m->fn, inst).kind) {
    case ALU_COMPUTE: match_compute(m, inst); break;
    case ALU_FUSED: match_fused(m, inst); break;
    case ALU_COMPARE: match_compare(m, inst); break;
    default: break;
    }
}

// Returns false if the instruction only keeps the value where its guard is false.
static bool reads(const struct matcher *m, uint32_t inst, uint32_t version)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    bool keeps = at->flags & INST_GUARDED && !(at->flags & INST_OPAQUE);
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (m->fn->operand_version.v[i] == version &&
            !(keeps && m->fn->operands.v[i].role == ROLE_KEEP))
            return true;
    return false;
}

static bool is_open(const struct load *load)
{
    return !load->taken && load->verdict.rule == RULE_COUNT;
}

void match_patterns(struct matcher *m)
{
    m->paired = bits_new(&m->scratch, m->fn->insts.n + 1);
    for (uint32_t i = 0; i < m->loads.n; i++) {
        struct load *load = &m->loads.v[i];
        if (is_open(load) && load->reader != IR_NONE && !reads(m, load->reader, load->version))
            verdict_set(m, load, RULE_PATTERN, load->reader,
                        "%s keeps its old value in lanes where the guard of the %s is false",
                        verdict_value(m, load->version), verdict_inst(m, load->reader));
    }
    for (uint32_t i = 0; i < m->loads.n; i++)
        if (is_open(&m->loads.v[i]) && m->loads.v[i].reader != IR_NONE)
            match_pair(m, m->loads.v[i].reader);
    for (uint32_t i = 0; i < m->loads.n; i++)
        if (is_open(&m->loads.v[i]) && m->loads.v[i].reader != IR_NONE)
            match_uniform_pair(m, m->loads.v[i].reader);
    for (uint32_t i = 0; i < m->loads.n; i++) {
        struct load *load = &m->loads.v[i];
        if (!is_open(load))
            continue;
        if (load->reader == IR_NONE)
            match_vector(m, load);
        else if (m->fn->insts.v[load->reader].op == OP_st)
            match_copy(m, load);
        else
            match_alu(m, load->reader);
        if (is_open(load) && load->reader != IR_NONE)
            verdict_reader(m, load, load->reader);
    }
}
