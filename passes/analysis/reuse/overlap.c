#include "passes/analysis/reuse/overlap.h"
#include "passes/analysis/affine/address.h"

enum { DEEPEST = 8 }; // limit on nested conditions

// Sums

// Terms of a sum that decide the order. Units: bytes; UINT64_MAX if a factor is unknown.
struct strides {
    bool has_block, has_iteration;
    bool is_grid_stride; // an iteration advances by the whole grid
    bool is_negative, is_scattered;
    uint64_t block, iteration; // of the CTA's number (minimum), of an iteration (maximum)
};

static bool is_special(const struct affine_atom *atom, enum isa_special special)
{
    return atom->kind == AFFINE_SPECIAL && atom->index == (uint32_t)special;
}

static void add_term(struct strides *to, const struct affines *affines,
                     const struct affine_term *term)
{
    bool block = false, thread = false, iteration = false, grid = false, factor = false;
    for (uint32_t i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++) {
        const struct affine_atom *atom = affine_atom(affines, term->atom[i]);
        block |= is_special(atom, SPECIAL_ctaid);
        thread |= is_special(atom, SPECIAL_tid);
        grid |= is_special(atom, SPECIAL_nctaid);
        iteration |= atom->kind == AFFINE_ITERATION;
        factor |= atom->kind == AFFINE_PARAMETER;
        to->is_scattered |=
            (atom->kind == AFFINE_VERSION || atom->kind == AFFINE_COMMON) && atom->varies;
    }
    uint64_t bytes = factor                  ? UINT64_MAX
                     : term->coefficient < 0 ? (uint64_t)-term->coefficient
                                             : (uint64_t)term->coefficient;
    to->is_negative |= term->coefficient < 0 && (block || thread || iteration);
    to->is_grid_stride |= iteration && grid;
    if (iteration && (!to->has_iteration || bytes > to->iteration))
        to->iteration = bytes;
    if (block && (!to->has_block || bytes < to->block))
        to->block = bytes;
    to->has_block |= block;
    to->has_iteration |= iteration;
}

static enum overlap_order order_of(const struct affines *affines, const struct address *address)
{
    struct strides s = {0};
    if (!address->has_sum)
        return OVERLAP_SCATTERED;
    for (uint32_t i = 0; i < address->sum.count; i++)
        add_term(&s, affines, &address->sum.terms[i]);
    if (s.is_scattered)
        return OVERLAP_SCATTERED;
    if (s.is_negative)
        return OVERLAP_SWEPT;
    if (!s.has_iteration || s.is_grid_stride)
        return OVERLAP_IN_ORDER;
    return s.has_block && s.iteration <= s.block ? OVERLAP_IN_ORDER : OVERLAP_SWEPT;
}

// Conditions

static bool is_of_data(struct facts *facts, uint32_t operand, uint32_t depth);

// Returns true if the value of a predicate depends on loaded or unknown values.
static bool predicate_is_of_data(struct facts *facts, uint32_t version, uint32_t depth)
{
    const struct ir_function *fn = facts->fn;
    const struct ir_version *of = &fn->versions.v[version];
    if (depth == DEEPEST || of->kind != VERSION_INST)
        return true;
    const struct ir_inst *inst = &fn->insts.v[of->index];
    bool data = false;
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++)
        if (fn->operands.v[i].role == ROLE_USE)
            data |= is_of_data(facts, i, depth);
    return data;
}

static bool is_of_data(struct facts *facts, uint32_t operand, uint32_t depth)
{
    const struct ir_function *fn = facts->fn;
    const struct affines *affines = facts_affines(facts);
    uint32_t version = fn->operand_version.v[operand];
    struct affine sum;
    bool data = false;
    if (version != IR_NONE && fn->registers.v[fn->versions.v[version].reg].type == W_pred)
        return predicate_is_of_data(facts, version, depth + 1);
    if (!affine_of_operand(facts->affines, operand, &sum))
        return true;
    for (uint32_t i = 0; i < sum.count; i++)
        for (uint32_t k = 0; k < AFFINE_FACTORS && sum.terms[i].atom[k] != IR_NONE; k++) {
            const struct affine_atom *atom = affine_atom(affines, sum.terms[i].atom[k]);
            data |= atom->kind == AFFINE_VERSION || atom->kind == AFFINE_COMMON;
        }
    return data;
}

// Returns true if an instruction's guard depends on data.
static bool has_data_guard(struct facts *facts, uint32_t inst)
{
    uint32_t guard = ir_find_operand(facts->fn, inst, ROLE_GUARD, 0);
    uint32_t version = guard == IR_NONE ? IR_NONE : facts->fn->operand_version.v[guard];
    return guard != IR_NONE && (version == IR_NONE || predicate_is_of_data(facts, version, 0));
}

// Returns true if data decides whether an instruction is executed: by its own guard, or by an
// earlier branch that may bypass it.
static bool is_by_data(struct facts *facts, uint32_t inst)
{
    const struct ir_function *fn = facts->fn;
    uint32_t block = fn->insts.v[inst].block;
    if (has_data_guard(facts, inst))
        return true;
    for (uint32_t at = fn->blocks.v[block].idom; at != IR_NONE; at = fn->blocks.v[at].idom) {
        const struct ir_block *from = &fn->blocks.v[at];
        if (from->end > from->first && !ir_post_dominates(fn, block, at) &&
            has_data_guard(facts, from->end - 1))
            return true;
    }
    return false;
}

// Accesses

static struct overlap_array *array_of(struct overlaps *to, struct facts *facts, uint32_t symbol)
{
    uint32_t at = 0;
    while (at < to->arrays.n && to->arrays.v[at].symbol < symbol)
        at++;
    if (at < to->arrays.n && to->arrays.v[at].symbol == symbol)
        return &to->arrays.v[at];
    struct overlap_array made = {.symbol = symbol, .read = IR_NONE, .write = IR_NONE};
    vec_push(facts->arena, &to->arrays, made);
    for (uint32_t i = to->arrays.n - 1; i > at; i--)
        to->arrays.v[i] = to->arrays.v[i - 1];
    to->arrays.v[at] = made;
    return &to->arrays.v[at];
}

static void add_access(struct overlaps *to, struct facts *facts, uint32_t inst)
{
    const struct ir_inst *one = &facts->fn->insts.v[inst];
    struct address address = address_in(facts, inst);
    bool is_atomic = one->class == CLASS_ATOMIC, is_store = one->class == CLASS_STORE;
    if (address.space != W_global && address.space != W_UNKNOWN)
        return;
    if (address.pointer == IR_NONE || facts->module->symbols.v[address.pointer].space != W_param) {
        to->unknown = to->unknown == IR_NONE && address.pointer == IR_NONE ? inst : to->unknown;
        return;
    }
    struct overlap_array *array = array_of(to, facts, address.pointer);
    enum overlap_order order = order_of(facts_affines(facts), &address);
    if (!is_store && order > array->reads) {
        array->reads = order;
        array->read = inst;
    }
    if ((is_store || is_atomic) && order > array->writes) {
        array->writes = order;
        array->write = inst;
    }
    array->atomics |= is_atomic;
    if (is_store && !array->by_data && is_by_data(facts, inst)) {
        array->by_data = true;
        array->write = inst;
    }
}

// Returns true if a load that precedes the store on all paths has the store's address.
static bool has_load_of(struct facts *facts, uint32_t store)
{
    const struct ir_function *fn = facts->fn;
    struct address to = address_in(facts, store);
    uint32_t block = fn->insts.v[store].block;
    for (uint32_t i = 0; i < fn->insts.n && to.has_sum; i++) {
        const struct ir_inst *one = &fn->insts.v[i];
        if (one->class != CLASS_LOAD || ir_find_operand(fn, i, ROLE_GUARD, 0) != IR_NONE ||
            (one->block == block ? i > store : !ir_dominates(fn, one->block, block)))
            continue;
        struct address from = address_in(facts, i);
        struct affine difference;
        if (from.pointer == to.pointer && from.has_sum &&
            affine_difference(facts_affines(facts), &from.sum, &to.sum, &difference) &&
            affine_is_constant(&difference) && !difference.constant)
            return true;
    }
    return false;
}

static void find_overwritten(struct overlap_array *array, struct facts *facts)
{
    for (uint32_t i = 0; i < facts->fn->insts.n && !array->overwrites; i++)
        if (facts->fn->insts.v[i].class == CLASS_STORE &&
            address_in(facts, i).pointer == array->symbol && !has_load_of(facts, i)) {
            array->overwrites = true;
            array->write = i;
        }
}

void overlap_find(struct overlaps *to, struct facts *facts)
{
    *to = (struct overlaps){.unknown = IR_NONE};
    for (uint32_t i = 0; i < facts->fn->insts.n; i++) {
        enum isa_class class = facts->fn->insts.v[i].class;
        if (class == CLASS_LOAD || class == CLASS_STORE || class == CLASS_ATOMIC)
            add_access(to, facts, i);
    }
    for (uint32_t i = 0; i < to->arrays.n; i++)
        if (to->arrays.v[i].reads && to->arrays.v[i].writes)
            find_overwritten(&to->arrays.v[i], facts);
}

// Advice

bool overlap_may_start(const struct overlap_array *array, const char **why)
{
    static const char *const reasons[] = {
        [OVERLAP_NOT] = "the kernel does not read it",
        [OVERLAP_IN_ORDER] = "the kernel reads it in the order in which a copy delivers it",
        [OVERLAP_SWEPT] = "each CTA needs words that a copy delivers late",
        [OVERLAP_SCATTERED] = "the order of its reads depends on data",
    };
    *why = array->overwrites ? "the kernel writes words that it has not read: the copy could "
                               "overwrite them"
                             : reasons[array->reads];
    return array->reads != OVERLAP_NOT && !array->overwrites;
}

bool overlap_may_finish(const struct overlap_array *array, const char **why)
{
    static const char *const reasons[] = {
        [OVERLAP_NOT] = "the kernel does not write it",
        [OVERLAP_IN_ORDER] = "the kernel writes it in the order in which a copy takes it",
        [OVERLAP_SWEPT] = "each CTA writes words that a copy takes late",
        [OVERLAP_SCATTERED] = "the order of its writes depends on data",
    };
    *why = array->atomics ? "its words are final only when the kernel has ended"
           : array->writes && array->reads
               ? "the kernel reads it, too: words are full before they are final"
           : array->by_data ? "a store depends on data or unknown values: some words may stay empty"
                            : reasons[array->writes];
    return array->writes != OVERLAP_NOT && !array->atomics && !array->reads && !array->by_data;
}
