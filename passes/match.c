// Matches the nine patterns [000 Table 1], beginning at the ALU instruction.
//
// A loaded register has one reader and an intermediate result has one, so an instruction belongs to
// one candidate at most: candidates never overlap, and no choice between them is to be made.
//
// Where the table leaves something open:
//   pattern 4 is a unary operation or both sources the same loaded register;
//   pattern 6 is also h(a, a), a test for NaN, which needs no scalar; `set` compares like `setp`;
//   patterns 8 and 9 have their scalar: f(a, g(b)) is none, nor is h(a, g(b, i));
//   b·i + a in one instruction is 8 or 9, a·b + i and a·i + a are none;
//   an operation of three operands counts those that differ: lop3 of a and b is f(a, b);
//   a mov is a use as any other, and no part of a pattern;
//   members without a guard may feed members with one: where the guard is false nobody sees what
//   they make, and the lanes of the packet are those of the last member.
#include "passes/match.h"
#include "support/bits.h"
#include <string.h>

enum input_kind { INPUT_LOAD, INPUT_SCALAR, INPUT_REGISTER };

struct input {
    enum input_kind kind;
    uint32_t operand;
    uint32_t version;  // of a register, else IR_NONE
    struct load *load; // INPUT_LOAD
};

enum { MOST_INPUTS = 4 };

// What an ALU instruction computes with. The same register twice is one input, except in a fused
// multiply-add, where each has its place.
struct inputs {
    uint32_t count;     // more than MOST_INPUTS: there are others
    uint32_t number[3]; // of each kind, among v
    struct input v[MOST_INPUTS];
};

static struct input input_of(struct matcher *m, uint32_t inst, uint32_t operand)
{
    const struct ir_operand *at = &m->fn->operands.v[operand];
    struct input input = {INPUT_REGISTER, operand, IR_NONE, NULL};
    if (at->kind == OPERAND_REGISTER)
        input.version = m->fn->operand_version.v[operand];
    struct load *load = match_load_of(m, input.version);
    if (load && load->verdict.rule == RULE_COUNT && load->reader == inst && !at->part) {
        input.kind = INPUT_LOAD;
        input.load = load;
    } else if (at->kind != OPERAND_UNKNOWN &&
               divergence_operand(facts_certain(m->facts), operand)) {
        input.kind = INPUT_SCALAR;
    }
    return input;
}

static bool is_there(const struct inputs *inputs, uint32_t version)
{
    for (uint32_t i = 0; version != IR_NONE && i < inputs->count && i < MOST_INPUTS; i++)
        if (inputs->v[i].version == version)
            return true;
    return false;
}

static struct inputs inputs_of(struct matcher *m, uint32_t inst, bool merge)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    struct inputs inputs = {0};
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (!alu_is_source(m->fn, i))
            continue;
        struct input input = input_of(m, inst, i);
        if (merge && is_there(&inputs, input.version))
            continue;
        if (inputs.count < MOST_INPUTS) {
            inputs.v[inputs.count] = input;
            inputs.number[input.kind]++;
        }
        inputs.count += inputs.count <= MOST_INPUTS;
    }
    return inputs;
}

static const struct input *find_input(const struct inputs *inputs, enum input_kind kind)
{
    for (uint32_t i = 0; i < inputs->count && i < MOST_INPUTS; i++)
        if (inputs->v[i].kind == kind)
            return &inputs->v[i];
    return NULL;
}

static bool has_kinds(const struct inputs *inputs, uint32_t loads, uint32_t scalars,
                      uint32_t registers)
{
    return inputs->number[INPUT_LOAD] == loads && inputs->number[INPUT_SCALAR] == scalars &&
           inputs->number[INPUT_REGISTER] == registers;
}

// Stores

enum plan_rule match_store_fault(const struct matcher *m, uint32_t store, uint32_t from)
{
    const struct ir_inst *at = &m->fn->insts.v[store], *maker = &m->fn->insts.v[from];
    enum plan_rule rule = match_access_fault(m, store);
    if (rule != RULE_COUNT)
        return rule;
    if (at->vector > 1 && maker->class != CLASS_STORE && maker->vector != at->vector)
        return RULE_PATTERN;
    if (at->block != maker->block)
        return RULE_CROSS_BLOCK;
    return uses_may_feed(&m->uses, from, store) ? RULE_COUNT : RULE_GUARD;
}

// How a value goes on from the instruction that made it.
struct ending {
    uint32_t store; // that ends the chain, or IR_NONE
    struct readers readers;
    enum plan_rule rule; // of a single reader that is a store but cannot end the chain
};

static struct ending ending_of(struct matcher *m, uint32_t inst)
{
    struct ending ending = {IR_NONE, uses_readers(&m->uses, ir_defined(m->fn, inst)), RULE_COUNT};
    uint32_t reader = ending.readers.inst[0];
    if (ending.readers.count != 1 || reader == IR_NONE || m->fn->insts.v[reader].op != OP_st)
        return ending;
    ending.rule = match_store_fault(m, reader, inst);
    uint32_t address = ir_find_operand(m->fn, reader, ROLE_ADDRESS, 0);
    bool is_address =
        address != IR_NONE && m->fn->operand_version.v[address] == ir_defined(m->fn, inst);
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

static struct candidate candidate_of(const struct inputs *inputs, uint32_t pattern)
{
    struct candidate candidate = {.pattern = pattern, .scalars = inputs->number[INPUT_SCALAR]};
    for (uint32_t i = 0; i < inputs->count && i < MOST_INPUTS; i++)
        if (inputs->v[i].kind == INPUT_LOAD)
            match_add_load(&candidate, inputs->v[i].load);
    return candidate;
}

static void add_candidate(struct matcher *m, struct candidate candidate, uint32_t alu,
                          uint32_t store)
{
    for (uint32_t i = 0; i < candidate.count; i++)
        candidate.across |= m->fn->insts.v[candidate.inst[i]].block != m->fn->insts.v[alu].block;
    match_add(&candidate, alu);
    match_add(&candidate, store);
    vec_push(&m->scratch, &m->candidates, candidate);
}

// Judgements

static void judge_inputs(struct matcher *m, const struct inputs *inputs, enum plan_rule rule,
                         uint32_t because, const char *text)
{
    for (uint32_t i = 0; i < inputs->count && i < MOST_INPUTS; i++)
        if (inputs->v[i].kind == INPUT_LOAD)
            verdict_set(m, inputs->v[i].load, rule, because, "%s", text);
}

// The other operand comes from a load of the same block that is turned down itself: then for the
// same reason, since without it there might be a chain.
static bool judge_by_partner(struct matcher *m, const struct inputs *inputs, uint32_t inst,
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
    judge_inputs(m, inputs, partner->verdict.rule, because, text);
    return true;
}

// An operand that is a register of each thread. If a scalar in its place would make a pattern, that
// is the reason; else there is one operand too many.
static void judge_register(struct matcher *m, const struct inputs *inputs, uint32_t inst,
                           bool scalar_would_do)
{
    const struct input *other = find_input(inputs, INPUT_REGISTER);
    if (judge_by_partner(m, inputs, inst, other))
        return;
    const char *what = verdict_inst(m, inst), *name = verdict_operand(m, other->operand);
    if (scalar_would_do)
        judge_inputs(m, inputs, RULE_VARYING_SCALAR, inst,
                     arena_printf(&m->scratch,
                                  "%s in the %s is not the same for all lanes of a warp", name,
                                  what));
    else
        judge_inputs(
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

// One load and maybe a scalar make a result that no store of the chain takes.
static void judge_ending(struct matcher *m, const struct inputs *inputs, uint32_t inst,
                         const struct ending *ending)
{
    const char *what = verdict_inst(m, inst), *value = verdict_value(m, ir_defined(m->fn, inst));
    uint32_t reader = ending->readers.inst[0], store;
    if (ending->rule != RULE_COUNT) {
        for (uint32_t i = 0; i < inputs->count && i < MOST_INPUTS; i++)
            if (inputs->v[i].kind == INPUT_LOAD)
                verdict_store(m, inputs->v[i].load, reader, ending->rule);
    } else if (ending->readers.count == 2 &&
               is_among(m, ir_defined(m->fn, inst), true, inst, &store)) {
        uint32_t other = reader == store ? ending->readers.inst[1] : reader;
        const char *by = other == IR_NONE
                             ? "in another block"
                             : arena_printf(&m->scratch, "by the %s", verdict_inst(m, other));
        judge_inputs(m, inputs, RULE_RESULT_USED, other,
                     arena_printf(&m->scratch,
                                  "%s, the result of the %s, is stored and used again %s", value,
                                  what, by));
    } else {
        judge_inputs(
            m, inputs, RULE_PATTERN, inst,
            arena_printf(
                &m->scratch,
                "%s, the result of the %s, goes to no store; with one load that is no pattern",
                value, what));
    }
}

// Patterns 8 and 9 in two instructions: f(a, c) with c = g(b, i)

struct pair {
    uint32_t inner; // g
    struct load *a, *b;
    struct readers readers; // of c
};

static bool is_computation(const struct matcher *m, uint32_t inst)
{
    return alu_of(m->capability, m->module, m->fn, inst).kind == ALU_COMPUTE;
}

static bool find_pair(struct matcher *m, uint32_t outer, struct pair *pair)
{
    struct inputs inputs = inputs_of(m, outer, true);
    if (inputs.count != 2 || !has_kinds(&inputs, 1, 0, 1))
        return false;
    uint32_t version = find_input(&inputs, INPUT_REGISTER)->version;
    if (version == IR_NONE || m->fn->versions.v[version].kind != VERSION_INST)
        return false;
    uint32_t inner = m->fn->versions.v[version].index;
    if (m->fn->insts.v[inner].block != m->fn->insts.v[outer].block ||
        !uses_may_feed(&m->uses, inner, outer) || !is_computation(m, inner))
        return false;
    struct inputs under = inputs_of(m, inner, true);
    if (under.count != 2 || !has_kinds(&under, 1, 1, 0))
        return false;
    pair->inner = inner;
    pair->a = find_input(&inputs, INPUT_LOAD)->load;
    pair->b = find_input(&under, INPUT_LOAD)->load;
    pair->readers = uses_readers(&m->uses, version);
    return true;
}

static void match_pair(struct matcher *m, uint32_t outer)
{
    struct pair pair;
    if (!is_computation(m, outer) || !find_pair(m, outer, &pair))
        return;
    if (pair.readers.count != 1) {
        uint32_t other = pair.readers.inst[pair.readers.inst[0] == outer];
        const char *by = other == IR_NONE ? "in another block" : verdict_inst(m, other);
        const char *value = verdict_value(m, ir_defined(m->fn, pair.inner));
        verdict_set(m, pair.b, RULE_RESULT_USED, other, "%s is used again: %s", value, by);
        verdict_set(m, pair.a, RULE_RESULT_USED, other, "%s is used again: %s", value, by);
        return;
    }
    struct ending ending = ending_of(m, outer);
    struct candidate candidate = {.pattern = ending.store == IR_NONE ? 8 : 9, .scalars = 1};
    match_add_load(&candidate, pair.a);
    match_add_load(&candidate, pair.b);
    match_add(&candidate, pair.inner);
    add_candidate(m, candidate, outer, ending.store);
    bits_set(m->paired, pair.inner);
    bits_set(m->paired, outer);
}

// Patterns of one ALU instruction

static void match_compute(struct matcher *m, uint32_t inst)
{
    struct inputs inputs = inputs_of(m, inst, true);
    struct ending ending = ending_of(m, inst);
    bool stored = ending.store != IR_NONE;
    if (inputs.count == 2 && has_kinds(&inputs, 2, 0, 0))
        add_candidate(m, candidate_of(&inputs, stored ? 1 : 2), inst, ending.store);
    else if (stored && inputs.count == 1)
        add_candidate(m, candidate_of(&inputs, 4), inst, ending.store);
    else if (stored && inputs.count == 2 && has_kinds(&inputs, 1, 1, 0))
        add_candidate(m, candidate_of(&inputs, 7), inst, ending.store);
    else if (inputs.number[INPUT_REGISTER])
        judge_register(m, &inputs, inst, stored && inputs.count == 2);
    else if (inputs.count <= 2)
        judge_ending(m, &inputs, inst, &ending);
    else
        judge_inputs(m, &inputs, RULE_PATTERN, inst,
                     arena_printf(&m->scratch, "the %s computes what is none of the nine patterns",
                                  verdict_inst(m, inst)));
}

// h(a, a), as in a test for NaN, goes as h(a, i) without its scalar.
static void match_compare(struct matcher *m, uint32_t inst)
{
    struct inputs inputs = inputs_of(m, inst, true);
    if (inputs.count == 2 && has_kinds(&inputs, 2, 0, 0))
        add_candidate(m, candidate_of(&inputs, 5), inst, IR_NONE);
    else if (inputs.count == 1 || (inputs.count == 2 && has_kinds(&inputs, 1, 1, 0)))
        add_candidate(m, candidate_of(&inputs, 6), inst, IR_NONE);
    else if (inputs.number[INPUT_REGISTER])
        judge_register(m, &inputs, inst, inputs.count == 2);
    else
        judge_inputs(m, &inputs, RULE_PATTERN, inst,
                     arena_printf(&m->scratch, "the %s computes what is none of the nine patterns",
                                  verdict_inst(m, inst)));
}

// a·b + r: split, its product is pattern 2.
static void match_product(struct matcher *m, uint32_t inst, struct inputs *inputs)
{
    if (m->options->fma == FMA_SPLIT) {
        struct inputs product = *inputs;
        product.count = 2;
        product.number[INPUT_SCALAR] = 0;
        struct candidate candidate = candidate_of(&product, 2);
        candidate.split = true;
        add_candidate(m, candidate, inst, IR_NONE);
        if (inputs->v[2].kind == INPUT_LOAD)
            verdict_set(m, inputs->v[2].load, RULE_REGISTER_OPERAND, inst,
                        "the sum of the %s stays at the core, and %s with it",
                        verdict_inst(m, inst), verdict_operand(m, inputs->v[2].operand));
        return;
    }
    const char *text = arena_printf(
        &m->scratch, "the %s multiplies two loaded values and adds %s: --fma=split divides it",
        verdict_inst(m, inst), verdict_operand(m, inputs->v[2].operand));
    judge_inputs(m, inputs, RULE_FMA, inst, text);
    vec_push(&m->scratch, &m->rejections,
             (struct rejection){m->function, CANDIDATE_CHAIN, RULE_FMA, inst, IR_NONE,
                                arena_strndup(m->arena, text, strlen(text)), .last = IR_NONE});
}

static bool repeats_load(const struct inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count && i < MOST_INPUTS; i++)
        for (uint32_t k = 0; k < i && inputs->v[i].kind == INPUT_LOAD; k++)
            if (inputs->v[k].version == inputs->v[i].version)
                return true;
    return false;
}

static void match_fused(struct matcher *m, uint32_t inst)
{
    struct inputs inputs = inputs_of(m, inst, false);
    const struct input *x = &inputs.v[0], *y = &inputs.v[1], *z = &inputs.v[2];
    bool usual = inputs.count == 3 && !repeats_load(&inputs);
    bool scaled = (x->kind == INPUT_LOAD && y->kind == INPUT_SCALAR) ||
                  (x->kind == INPUT_SCALAR && y->kind == INPUT_LOAD);
    if (usual && scaled && z->kind == INPUT_LOAD) {
        struct ending ending = ending_of(m, inst);
        add_candidate(m, candidate_of(&inputs, ending.store == IR_NONE ? 8 : 9), inst,
                      ending.store);
    } else if (usual && x->kind == INPUT_LOAD && y->kind == INPUT_LOAD) {
        match_product(m, inst, &inputs);
    } else if (inputs.number[INPUT_REGISTER]) {
        judge_register(m, &inputs, inst,
                       usual && z->kind == INPUT_LOAD && inputs.number[INPUT_LOAD] == 2);
    } else {
        judge_inputs(m, &inputs, RULE_PATTERN, inst,
                     arena_printf(&m->scratch, "the %s computes what is none of the nine patterns",
                                  verdict_inst(m, inst)));
    }
}

// Pattern 3
static void match_copy(struct matcher *m, struct load *load)
{
    uint32_t store = load->reader;
    enum plan_rule rule = match_store_fault(m, store, load->inst);
    uint32_t address = ir_find_operand(m->fn, store, ROLE_ADDRESS, 0);
    if (address != IR_NONE && m->fn->operand_version.v[address] == load->version)
        rule = uses_readers(&m->uses, load->version).operands > 1 ? RULE_REUSE : RULE_PATTERN;
    if (rule == RULE_PATTERN) {
        verdict_reader(m, load, store);
    } else if (rule != RULE_COUNT) {
        verdict_store(m, load, store, rule);
    } else {
        struct candidate candidate = {.pattern = 3};
        match_add_load(&candidate, load);
        add_candidate(m, candidate, store, IR_NONE);
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
                        "%s only stays in its register where the guard of the %s is false",
                        verdict_value(m, load->version), verdict_inst(m, load->reader));
    }
    for (uint32_t i = 0; i < m->loads.n; i++)
        if (is_open(&m->loads.v[i]) && m->loads.v[i].reader != IR_NONE)
            match_pair(m, m->loads.v[i].reader);
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
