// Converts sums of the affine analysis to expressions of a map. A place in a dimension is %ctaid ·
// %ntid + %tid: both terms have the same factor in a sum.
#include "passes/maps/compile_internal.h"
#include <inttypes.h>
#include <string.h>

static const uint16_t members[LAUNCH_DIMS] = {W_x, W_y, W_z};
static const char letters[] = "xyz";

static bool is_special(const struct map_compiler *c, uint32_t atom, enum isa_special special,
                       uint16_t member)
{
    if (atom == IR_NONE)
        return false;
    const struct affine_atom *at = affine_atom(c->affines, atom);
    return at->kind == AFFINE_SPECIAL && at->index == (uint32_t)special && at->member == member;
}

// Returns the index of the atom among the factors of a term, or AFFINE_FACTORS.
static uint32_t find_factor(const struct map_compiler *c, const struct affine_term *term,
                            enum isa_special special, uint16_t member)
{
    uint32_t i = 0;
    while (i < AFFINE_FACTORS && !is_special(c, term->atom[i], special, member))
        i++;
    return i;
}

static struct affine_term without(const struct affine_term *term, uint32_t at)
{
    struct affine_term to = *term;
    memmove(&to.atom[at], &to.atom[at + 1], (AFFINE_FACTORS - 1 - at) * sizeof *to.atom);
    to.atom[AFFINE_FACTORS - 1] = IR_NONE;
    return to;
}

// Returns a 32-bit parameter as a signed number.
static const char *signed_param(struct map_compiler *c, uint32_t number)
{
    if (number < 64 && !(c->signed_params >> number & 1)) {
        graph_value_add(c, arena_printf(c->arena, "s%u", number),
                        graph_text(c, "(p%u + 2147483648) %% 4294967296 - 2147483648", number));
        c->signed_params |= UINT64_C(1) << number;
    }
    return number < 64 ? arena_printf(c->arena, "s%u", number) : NULL;
}

static const char *param_text(struct map_compiler *c, const struct affine_atom *atom)
{
    const struct ir_symbol *symbol = &c->module->symbols.v[atom->index];
    if (atom->offset || symbol->parameter == IR_NONE || (atom->bits != 32 && atom->bits != 64))
        return NULL;
    if (atom->bits == 64)
        return arena_printf(c->arena, "p%u", symbol->parameter);
    return atom->is_unsigned
               ? arena_printf(c->arena, "((p%u + 4294967296) %% 4294967296)", symbol->parameter)
               : signed_param(c, symbol->parameter);
}

// Returns the text of an operand that is equal for all tokens, or NULL.
static const char *equal_operand(struct map_compiler *c, uint32_t inst, uint32_t number)
{
    struct affine a;
    struct map_sum sum;
    uint32_t use = ir_find_operand(c->fn, inst, ROLE_USE, number);
    bool equal = use != IR_NONE && affine_of_operand(c->affines, use, &a) &&
                 map_sum_of(c, &a, &sum) && map_sum_is_free(&sum, DIMS);
    return equal ? sum.rest : NULL;
}

// Returns the low bits of a value, as a remainder that is not negative.
static const char *low_bits(struct map_compiler *c, uint32_t inst)
{
    const char *value = equal_operand(c, inst, 0);
    struct affine mask;
    uint32_t use = ir_find_operand(c->fn, inst, ROLE_USE, 1);
    if (!value || use == IR_NONE || !affine_of_operand(c->affines, use, &mask) ||
        !affine_is_constant(&mask) || mask.constant < 1 || mask.constant >= INT32_MAX ||
        mask.constant & (mask.constant + 1))
        return NULL;
    int64_t count = mask.constant + 1;
    return arena_printf(c->arena, "(((%s) %% %" PRId64 " + %" PRId64 ") %% %" PRId64 ")", value,
                        count, count, count);
}

static const char *inst_text(struct map_compiler *c, const struct ir_version *at)
{
    if (at->kind != VERSION_INST || c->fn->insts.v[at->index].flags & INST_GUARDED)
        return NULL;
    const struct ir_inst *inst = &c->fn->insts.v[at->index];
    if (inst->op == OP_and && inst->type == W_b32)
        return low_bits(c, at->index);
    if ((inst->op != OP_max && inst->op != OP_min) || inst->type != W_s32)
        return NULL;
    const char *a = equal_operand(c, at->index, 0), *b = equal_operand(c, at->index, 1);
    return a && b ? arena_printf(c->arena, "%s(%s, %s)", inst->op == OP_max ? "max" : "min", a, b)
                  : NULL;
}

// Returns the text of a 32-bit value computed from values that are equal for all tokens, or NULL.
// The nesting is limited, because each level may double the text.
static const char *operation_text(struct map_compiler *c, uint32_t version)
{
    enum { DEPTH = 3 };
    const struct ir_version *at = &c->fn->versions.v[version];
    if (c->depth == DEPTH)
        return NULL;
    c->depth++;
    const char *text = inst_text(c, at);
    c->depth--;
    return text;
}

static const char *atom_text(struct map_compiler *c, uint32_t number)
{
    static const struct {
        enum isa_special special;
        const char *name;
    } counts[] = {{SPECIAL_ntid, "block"}, {SPECIAL_nctaid, "grid"}};
    const struct affine_atom *atom = affine_atom(c->affines, number);
    if (atom->kind == AFFINE_PARAMETER)
        return param_text(c, atom);
    if (atom->kind == AFFINE_VERSION && atom->bits == 32 && !atom->is_unsigned)
        return operation_text(c, map_origin(c, atom->index));
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t dim = 0; dim < LAUNCH_DIMS; dim++)
            if (is_special(c, number, counts[i].special, members[dim]))
                return arena_printf(c->arena, "%s_%c", counts[i].name, letters[dim]);
    return NULL;
}

static const char *term_text(struct map_compiler *c, const struct affine_term *term)
{
    const char *text = arena_printf(c->arena, "%" PRId64, term->coefficient);
    if (term->coefficient < 0)
        text = arena_printf(c->arena, "(%s)", text);
    for (uint32_t i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++) {
        const char *factor = atom_text(c, term->atom[i]);
        if (!factor)
            return NULL;
        text =
            i || term->coefficient != 1 ? arena_printf(c->arena, "%s * %s", text, factor) : factor;
    }
    return text;
}

static const char *add_text(struct map_compiler *c, const char *sum, const char *more)
{
    return sum ? arena_printf(c->arena, "%s + %s", sum, more) : more;
}

static bool is_same(const struct affine_term *a, const struct affine_term *b)
{
    return a->coefficient == b->coefficient && !memcmp(a->atom, b->atom, sizeof a->atom);
}

// Finds the term of %ctaid that belongs to a term of %tid: `rest` times %ntid, or times a number,
// which must then be the launch's block size. Marks it in `used`.
static bool find_partner(struct map_compiler *c, const struct affine *a, uint32_t dim,
                         const struct affine_term *rest, bool *used, int64_t *block)
{
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t at = find_factor(c, &a->terms[i], SPECIAL_ctaid, members[dim]);
        if (used[i] || at == AFFINE_FACTORS)
            continue;
        struct affine_term other = without(&a->terms[i], at);
        at = find_factor(c, &other, SPECIAL_ntid, members[dim]);
        struct affine_term plain = at < AFFINE_FACTORS ? without(&other, at) : other;
        bool fits = !memcmp(plain.atom, rest->atom, sizeof rest->atom) &&
                    plain.coefficient % rest->coefficient == 0;
        if (!fits || (at < AFFINE_FACTORS && !is_same(&plain, rest)))
            continue;
        *block = at < AFFINE_FACTORS ? 0 : plain.coefficient / rest->coefficient;
        used[i] = true;
        return true;
    }
    return false;
}

// Adds the rest of a term to the factor of a dimension. Returns false if it has no text.
static bool add_factor(struct map_compiler *c, uint32_t dim, const struct affine_term *rest,
                       struct map_sum *to)
{
    const char *text = term_text(c, rest);
    if (!text)
        return false;
    to->is_number[dim] = !to->factor[dim] && rest->atom[0] == IR_NONE;
    to->number[dim] = rest->coefficient;
    to->factor[dim] = add_text(c, to->factor[dim], text);
    return true;
}

// A CTA number alone is a place if the CTA has one thread in the dimension.
static bool move_blocks(struct map_compiler *c, const struct affine *a, uint32_t dim, bool *used,
                        struct map_sum *to)
{
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t at = find_factor(c, &a->terms[i], SPECIAL_ctaid, members[dim]);
        if (used[i] || at == AFFINE_FACTORS)
            continue;
        struct affine_term rest = without(&a->terms[i], at);
        used[i] = true;
        if (!add_factor(c, dim, &rest, to))
            return false;
        map_require(c, arena_printf(c->arena, "block_%c == 1", letters[dim]));
    }
    return true;
}

static bool is_iteration(const struct map_compiler *c, uint32_t atom, uint32_t loop)
{
    if (atom == IR_NONE)
        return false;
    const struct affine_atom *at = affine_atom(c->affines, atom);
    return at->kind == AFFINE_ITERATION && at->index == loop;
}

// Moves the terms of a dimension out of the sum, into the dimension's factor in `to`.
static bool move_dimension(struct map_compiler *c, const struct affine *a, uint32_t dim, bool *used,
                           struct map_sum *to)
{
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t at = find_factor(c, &a->terms[i], SPECIAL_tid, members[dim]);
        if (used[i] || at == AFFINE_FACTORS)
            continue;
        struct affine_term rest = without(&a->terms[i], at);
        int64_t block;
        used[i] = true;
        if (!add_factor(c, dim, &rest, to))
            return false;
        if (!find_partner(c, a, dim, &rest, used, &block))
            map_require(c, arena_printf(c->arena, "grid_%c == 1", letters[dim]));
        else if (block)
            map_require(c, arena_printf(c->arena, "block_%c == %" PRId64, letters[dim], block));
    }
    return move_blocks(c, a, dim, used, to);
}

// Moves the terms with the number of a loop's iteration into the factor of a dimension.
static bool move_loop(struct map_compiler *c, const struct affine *a, uint32_t loop, uint32_t dim,
                      bool *used, struct map_sum *to)
{
    for (uint32_t i = 0; i < a->count && loop != IR_NONE; i++) {
        uint32_t at = 0;
        while (at < AFFINE_FACTORS && !is_iteration(c, a->terms[i].atom[at], loop))
            at++;
        if (at == AFFINE_FACTORS)
            continue;
        struct affine_term rest = without(&a->terms[i], at);
        used[i] = true;
        if (!add_factor(c, dim, &rest, to))
            return false;
    }
    return true;
}

// Computes the expression with a term's only atom replaced by another version.
static bool replace_term(struct map_compiler *c, const struct affine *a, uint32_t term,
                         uint32_t origin, struct affine *to)
{
    int64_t factor = -a->terms[term].coefficient; // it is subtracted
    struct affine copy = affine_of_version(c->affines, origin), rest = *a;
    struct affine_term *terms = ARENA_ARRAY(c->arena, struct affine_term, a->count + copy.count);
    memcpy(terms, a->terms, term * sizeof *terms);
    memcpy(terms + term, a->terms + term + 1, (a->count - term - 1) * sizeof *terms);
    rest.terms = terms;
    rest.count--;
    struct affine_term *scaled = terms + rest.count;
    for (uint32_t i = 0; i < copy.count; i++) {
        scaled[i] = copy.terms[i];
        if (__builtin_mul_overflow(scaled[i].coefficient, factor, &scaled[i].coefficient))
            return false;
    }
    copy.terms = scaled;
    return !__builtin_mul_overflow(copy.constant, factor, &copy.constant) &&
           affine_difference(c->affines, &rest, &copy, to);
}

// Replaces values that the launch decides to be copies of others.
static struct affine with_origins(struct map_compiler *c, const struct affine *from)
{
    struct affine a = *from;
    for (uint32_t i = 0; c->skips && i < a.count; i++) {
        const struct affine_atom *atom = affine_atom(c->affines, a.terms[i].atom[0]);
        if (a.terms[i].atom[1] != IR_NONE || atom->kind != AFFINE_VERSION || atom->is_unsigned)
            continue;
        uint32_t version = atom->index, origin = map_origin(c, version);
        struct affine replaced;
        if (origin == version || !replace_term(c, &a, i, origin, &replaced))
            continue;
        a = replaced;
        i = UINT32_MAX; // restarts at the first term
    }
    return a;
}

bool map_sum_of(struct map_compiler *c, const struct affine *from, struct map_sum *to)
{
    const struct affine replaced = with_origins(c, from), *a = &replaced;
    bool used[16] = {0}; // an expression has at most this many terms
    *to = (struct map_sum){0};
    if (a->count > sizeof used || !move_loop(c, a, c->loop, DIM_K, used, to) ||
        !move_loop(c, a, c->outer, DIM_I, used, to) || !move_loop(c, a, c->across, DIM_X, used, to))
        return false;
    for (uint32_t dim = 0; dim < LAUNCH_DIMS; dim++)
        if (!move_dimension(c, a, dim, used, to))
            return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const char *text = used[i] ? NULL : term_text(c, &a->terms[i]);
        if (!used[i] && !text)
            return false;
        to->rest = used[i] ? to->rest : add_text(c, to->rest, text);
    }
    if (a->constant || !to->rest)
        to->rest = add_text(c, to->rest, arena_printf(c->arena, "(%" PRId64 ")", a->constant));
    c->has_rows |= to->factor[DIM_Y] != NULL;
    c->has_planes |= to->factor[DIM_Z] != NULL;
    return true;
}

// Dimensions

bool map_sum_is_free(const struct map_sum *sum, uint32_t except)
{
    for (uint32_t dim = 0; dim < DIMS; dim++)
        if (dim != except && sum->factor[dim])
            return false;
    return true;
}

const char *map_dimension_low(struct map_compiler *c, uint32_t dim)
{
    return dim < LAUNCH_DIMS ? arena_printf(c->arena, "low_%c", letters[dim]) : "0";
}

const char *map_dimension_last(struct map_compiler *c, uint32_t dim)
{
    return dim < LAUNCH_DIMS ? arena_printf(c->arena, "last_%c", letters[dim])
                             : arena_printf(c->arena, "(%s - 1)", map_dimension_size(c, dim));
}

const char *map_dimension_size(struct map_compiler *c, uint32_t dim)
{
    return dim < LAUNCH_DIMS ? arena_printf(c->arena, "size_%c", letters[dim])
           : dim == DIM_K    ? (c->is_before ? "trip_before" : "trip")
                             : "trips";
}

// Returns the place of the first token, or NULL for 0.
static const char *first_position(struct map_compiler *c, uint32_t dim)
{
    static const char *const places[LAUNCH_DIMS] = {"begin", "y", "z"};
    if (dim < LAUNCH_DIMS)
        return places[dim];
    if (dim == DIM_I)
        return arena_printf(c->arena, "row%u", c->row);
    return c->domain == MAP_OUTER ? "(trip - 1)" : NULL; // after the loop
}

// Tokens

const char *map_sum_first(struct map_compiler *c, const struct map_sum *sum)
{
    const char *text = sum->rest;
    for (uint32_t dim = 0; dim < DIMS; dim++) {
        const char *place = sum->factor[dim] ? first_position(c, dim) : NULL;
        if (place)
            text = arena_printf(c->arena, "%s + (%s) * %s", text, sum->factor[dim], place);
    }
    return text;
}

static bool is_body_of_loop(const struct map_compiler *c)
{
    return c->loop != IR_NONE && c->domain == MAP_BODY;
}

bool map_sum_varies(const struct map_compiler *c, const struct map_sum *sum)
{
    return sum->factor[DIM_X] || (is_body_of_loop(c) && sum->factor[DIM_K]);
}

uint32_t map_tokens_in(struct map_compiler *c)
{
    return graph_text(c, c->domain == MAP_OUTER ? "last_count"
                         : c->is_before         ? "count_before"
                                                : "count");
}

uint32_t map_sum_node(struct map_compiler *c, const struct map_sum *sum, const char *first)
{
    const char *x = sum->factor[DIM_X] ? sum->factor[DIM_X] : "0";
    const char *k = sum->factor[DIM_K] ? sum->factor[DIM_K] : "0";
    struct graph_node node = {.op = graph_text(c, "increment"),
                              .start = strcmp(first, "0") ? graph_quoted(c, first) : 0,
                              .step = graph_quoted(c, is_body_of_loop(c) ? k : x),
                              .count = map_tokens_in(c)};
    if (is_body_of_loop(c) && c->tile > 1) {
        struct graph_operand own = {.from = GRAPH_SELF,
                                    .count = c->tile,
                                    .first = graph_text(c, "\"%s - (%s)\"", first, k),
                                    .step = graph_quoted(c, x)};
        node = (struct graph_node){.op = graph_text(c, "add.u32"),
                                   .in = {graph_operand_add(c, &own)},
                                   .imm = graph_quoted(c, k),
                                   .count = c->count};
    }
    return graph_node_add(c, &node);
}
