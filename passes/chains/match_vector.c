// Chains of vectors: loads of two or four values, the same operation on each element, and maybe a
// store of as many. They are the patterns of single values, applied to each element, in one packet
// for each line.
//
// All elements are read by the same opcode with the same modifiers, in the same operands, with the
// same scalar. A store writes the results in the order of the elements. Supported are patterns 1 to
// 7, and 8 and 9 as a fused multiply-add b·i + a.
#include "passes/chains/match.h"
#include <string.h>

enum { MAX_ELEMENTS = 4, MAX_SOURCES = 4 };

struct elements {
    uint32_t count;
    uint32_t version[MAX_ELEMENTS];
};

// Source of an operation's operand: a vector, a scalar, or neither.
struct source_of {
    struct load *load;
    uint32_t operand; // in the operation of the first element; a scalar if there is no load
};

struct shape {
    uint32_t count, loads, scalars;
    struct source_of v[MAX_SOURCES];
};

struct vector {
    struct matcher *m;
    struct load *load;
    uint32_t width;
    uint32_t operation[MAX_ELEMENTS];
};

// Returns the registers that an access loads or stores, in order; count 0 if not all are registers.
static struct elements elements_of(const struct matcher *m, uint32_t inst, enum ir_role role)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    struct elements elements = {0};
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &m->fn->operands.v[i];
        if (operand->role != role)
            continue;
        if (operand->kind != OPERAND_REGISTER || elements.count == MAX_ELEMENTS)
            return (struct elements){0};
        elements.version[elements.count++] = m->fn->operand_version.v[i];
    }
    if (elements.count != at->vector)
        elements.count = 0;
    return elements;
}

static bool refuse(const struct vector *v, enum plan_rule rule, uint32_t because, const char *why)
{
    verdict_set(v->m, v->load, rule, because, "the %s reads a vector, and %s",
                verdict_inst(v->m, v->load->inst), why);
    return false;
}

// Finds the only reader of each element, which must be in the same block and execute with the load.
static bool find_readers(struct vector *v)
{
    struct matcher *m = v->m;
    struct elements elements = elements_of(m, v->load->inst, ROLE_DEF);
    v->width = elements.count;
    if (!elements.count)
        return refuse(v, RULE_PATTERN, IR_NONE, "not all of its elements go to registers");
    for (uint32_t i = 0; i < elements.count; i++) {
        struct readers readers = uses_readers(&m->uses, elements.version[i]);
        uint32_t reader = readers.inst[0];
        if (!readers.count)
            return refuse(v, RULE_PATTERN, IR_NONE, "not all of its elements are used");
        if (readers.count > 1 || readers.operands > 1)
            return refuse(v, RULE_REUSE, readers.inst[1], "an element is used again");
        if (reader == IR_NONE ||
            m->fn->insts.v[reader].block != m->fn->insts.v[v->load->inst].block)
            return refuse(v, RULE_CROSS_BLOCK, reader, "an element is used in another block");
        if (!uses_may_feed(&m->uses, v->load->inst, reader))
            return refuse(v, RULE_GUARD, reader, "an element is used under another guard");
        v->operation[i] = reader;
    }
    return true;
}

static bool same_elements(const struct elements *a, const struct elements *b)
{
    return a->count && a->count == b->count &&
           !memcmp(a->version, b->version, a->count * sizeof *a->version);
}

static bool same_operation(const struct matcher *m, uint32_t a, uint32_t b)
{
    const struct ir_inst *x = &m->fn->insts.v[a], *y = &m->fn->insts.v[b];
    uint32_t count, other;
    const uint16_t *mods = node_mods(m->module->tree, x->node, &count);
    const uint16_t *others = node_mods(m->module->tree, y->node, &other);
    return x->op == y->op && count == other && !memcmp(mods, others, count * sizeof *mods) &&
           x->operand_count == y->operand_count && uses_same_guard(m->fn, a, b);
}

// Returns the vector of which the version is this element, or NULL.
static struct load *vector_of(struct matcher *m, uint32_t version, uint32_t element)
{
    struct load *load = match_load_of(m, version);
    if (!load || load->verdict.rule != RULE_COUNT || m->fn->insts.v[load->inst].vector < 2)
        return NULL;
    struct elements elements = elements_of(m, load->inst, ROLE_DEF);
    return element < elements.count && elements.version[element] == version ? load : NULL;
}

static bool same_scalar(const struct matcher *m, uint32_t a, uint32_t b)
{
    const struct ir_operand *x = &m->fn->operands.v[a], *y = &m->fn->operands.v[b];
    return x->kind == y->kind && m->fn->operand_version.v[a] == m->fn->operand_version.v[b] &&
           (x->kind == OPERAND_REGISTER || (x->index == y->index && x->member == y->member)) &&
           x->value == y->value && x->negated == y->negated && x->part == y->part;
}

// Finds the operands of the operation on one element. Returns false if one is neither an element of
// a vector nor a scalar.
static bool read_sources(struct vector *v, uint32_t element, struct shape *shape)
{
    struct matcher *m = v->m;
    const struct ir_inst *at = &m->fn->insts.v[v->operation[element]];
    *shape = (struct shape){0};
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &m->fn->operands.v[i];
        if (!alu_is_source(m->fn, i))
            continue;
        struct source_of from = {NULL, i};
        if (operand->kind == OPERAND_REGISTER && !operand->part)
            from.load = vector_of(m, m->fn->operand_version.v[i], element);
        bool scalar = !from.load && operand->kind != OPERAND_UNKNOWN &&
                      divergence_operand(facts_certain(m->facts), i);
        if ((!from.load && !scalar) || shape->count == MAX_SOURCES)
            return false;
        shape->loads += from.load != NULL;
        shape->scalars += scalar;
        shape->v[shape->count++] = from;
    }
    return true;
}

static bool same_shape(const struct matcher *m, const struct shape *a, const struct shape *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; i < a->count && same; i++)
        same = a->v[i].load == b->v[i].load &&
               (a->v[i].load || same_scalar(m, a->v[i].operand, b->v[i].operand));
    return same;
}

// Returns true if the elements of the other vectors have the same readers, and no others.
static bool partners_match(struct vector *v, const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        struct vector other = {.m = v->m, .load = shape->v[i].load};
        if (!other.load || other.load == v->load)
            continue;
        if (!find_readers(&other) || other.width != v->width ||
            memcmp(other.operation, v->operation, v->width * sizeof *v->operation) != 0)
            return refuse(v, RULE_PATTERN, other.load->inst, "its partner does not match");
    }
    return true;
}

// Returns the store that writes all results in order, or IR_NONE.
static uint32_t store_of(const struct vector *v)
{
    struct matcher *m = v->m;
    struct elements results = {.count = v->width};
    uint32_t store = IR_NONE;
    for (uint32_t i = 0; i < v->width; i++) {
        results.version[i] = ir_defined(m->fn, v->operation[i]);
        if (results.version[i] == IR_NONE)
            return IR_NONE;
        struct readers readers = uses_readers(&m->uses, results.version[i]);
        if (readers.count != 1 || readers.operands != 1 || readers.inst[0] == IR_NONE ||
            (i && readers.inst[0] != store))
            return IR_NONE;
        store = readers.inst[0];
    }
    struct elements stored = elements_of(m, store, ROLE_USE);
    const struct ir_inst *at = &m->fn->insts.v[store];
    bool fits = at->op == OP_st && match_access_fault(m, store) == RULE_COUNT &&
                at->block == m->fn->insts.v[v->load->inst].block &&
                uses_may_feed(&m->uses, v->operation[0], store);
    return fits && same_elements(&stored, &results) ? store : IR_NONE;
}

// Returns the pattern of the operations, or 0.
static uint32_t pattern_of(const struct shape *shape, enum alu_kind kind, bool stored)
{
    bool apart = shape->loads < 2 || shape->v[0].load != shape->v[1].load;
    bool product = kind == ALU_FUSED && shape->count == 3 && shape->scalars == 1 &&
                   shape->v[2].load &&
                   (shape->v[0].load ? shape->v[0].load : shape->v[1].load) != shape->v[2].load;
    if (product)
        return pattern_find(2, 2, 1, stored, false);
    if (kind == ALU_FUSED || !apart)
        return 0;
    return pattern_find(shape->loads, 1, shape->scalars, stored, kind == ALU_COMPARE);
}

static void add_vector(struct vector *v, const struct shape *shape, uint32_t pattern,
                       uint32_t store)
{
    struct candidate candidate = {.pattern = pattern, .scalars = shape->scalars};
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->v[i].load)
            match_add_load(&candidate, shape->v[i].load);
    uint32_t loads = candidate.count;
    for (uint32_t i = 0; i < v->width; i++)
        match_add(&candidate, v->operation[i]);
    for (uint32_t i = loads + 1; i < candidate.count; i++)
        for (uint32_t k = i; k > loads && candidate.inst[k] < candidate.inst[k - 1]; k--) {
            uint32_t earlier = candidate.inst[k];
            candidate.inst[k] = candidate.inst[k - 1];
            candidate.inst[k - 1] = earlier;
        }
    match_add(&candidate, store);
    candidate.tail = store != IR_NONE;
    vec_push(&v->m->scratch, &v->m->candidates, candidate);
}

static void match_elements(struct vector *v)
{
    struct matcher *m = v->m;
    struct shape first, other;
    enum alu_kind kind = alu_of(m->capability, m->module, m->fn, v->operation[0]).kind;
    bool alike = kind != ALU_NONE && read_sources(v, 0, &first);
    for (uint32_t i = 1; i < v->width && alike; i++)
        alike = v->operation[i] != v->operation[0] &&
                same_operation(m, v->operation[0], v->operation[i]) && read_sources(v, i, &other) &&
                same_shape(m, &first, &other);
    if (!alike) {
        refuse(v, RULE_PATTERN, v->operation[0],
               "its elements do not have the same operation of the ALU near the data");
        return;
    }
    uint32_t store = store_of(v), pattern = pattern_of(&first, kind, store != IR_NONE);
    if (!pattern)
        refuse(v, RULE_PATTERN, v->operation[0], "its elements match none of the patterns");
    else if (partners_match(v, &first))
        add_vector(v, &first, pattern, kind == ALU_COMPARE ? IR_NONE : store);
}

static bool match_copy(struct vector *v)
{
    struct matcher *m = v->m;
    uint32_t store = v->operation[0];
    struct elements loaded = elements_of(m, v->load->inst, ROLE_DEF);
    struct elements stored = elements_of(m, store, ROLE_USE);
    if (m->fn->insts.v[store].op != OP_st)
        return false;
    enum plan_rule rule = match_access_fault(m, store);
    if (rule != RULE_COUNT) {
        verdict_store(m, v->load, store, rule);
    } else if (!same_elements(&loaded, &stored)) {
        refuse(v, RULE_PATTERN, store, "it is not stored as a whole");
    } else {
        struct candidate candidate = {.pattern = pattern_find(1, 0, 0, true, false)};
        match_add_load(&candidate, v->load);
        match_add(&candidate, store);
        vec_push(&m->scratch, &m->candidates, candidate);
    }
    return true;
}

void match_vector(struct matcher *m, struct load *load)
{
    struct vector vector = {.m = m, .load = load};
    if (find_readers(&vector) && !match_copy(&vector))
        match_elements(&vector);
}
