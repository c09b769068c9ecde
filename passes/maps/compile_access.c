// Loads and stores of a kernel: their streams, and loads that share a unit.
#include "passes/maps/compile_internal.h"
#include <inttypes.h>
#include <string.h>

// Tokens by which a load may lead another one that reads its words: half of a FIFO, so that the
// other half keeps the stream running.
enum { AHEAD_MAX = 4 };

uint32_t map_access_of(const struct map_compiler *c, uint32_t inst)
{
    uint32_t i = 0;
    while (i < c->accesses.n && c->accesses.v[i].inst != inst)
        i++;
    return i;
}

uint32_t map_access_to(const struct map_compiler *c, uint32_t version)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    uint32_t access = map_access_of(c, at->index), all = c->accesses.n;
    uint32_t element = at->operand - ir_find_operand(c->fn, at->index, ROLE_DEF, 0);
    while (access < all && c->accesses.v[access].element != element)
        access++;
    return access < all && c->accesses.v[access].inst == at->index ? access : all;
}

bool map_is_load(const struct map_compiler *c, const struct map_access *access)
{
    return c->fn->insts.v[access->inst].class == CLASS_LOAD;
}

void map_access_range(struct map_compiler *c, const struct map_access *a, const char *range[2])
{
    bool entered = map_enter_before(c, a->is_before);
    range[0] = range[1] = a->sum.rest;
    for (uint32_t dim = 0; dim < DIMS; dim++) {
        const char *factor = a->sum.factor[dim];
        if (!factor)
            continue;
        const char *last = arena_printf(c->arena, "(%s) * %s", factor, map_dimension_last(c, dim));
        const char *first = arena_printf(c->arena, "(%s) * %s", factor, map_dimension_low(c, dim));
        range[0] = arena_printf(c->arena, "%s + min(%s, %s)", range[0], first, last);
        range[1] = arena_printf(c->arena, "%s + max(%s, %s)", range[1], first, last);
    }
    range[1] = arena_printf(c->arena, "%s + %u", range[1], a->parts.bytes);
    if (entered)
        map_enter_before(c, !a->is_before);
}

// Requires that 32-bit sums of the kernel do not wrap around, and that offsets fit a token.
static void require_extent(struct map_compiler *c, const struct map_access *a)
{
    const char *all = "";
    for (uint32_t dim = 0; dim < DIMS; dim++)
        if (a->sum.factor[dim])
            all = arena_printf(c->arena, "%s%smax(%s, 0 - (%s)) * %s", all, *all ? " + " : "",
                               a->sum.factor[dim], a->sum.factor[dim], map_dimension_size(c, dim));
    if (*all)
        map_require(c, arena_printf(c->arena, "%s < 2147483648", all));
}

static bool check_kind(struct map_compiler *c, const struct map_access *a)
{
    const struct ir_inst *at = &c->fn->insts.v[a->inst];
    if (a->parts.space == W_shared)
        return map_refuse(c, RULE_MAP_BARRIER, a->inst, "the access is to shared memory");
    if (a->parts.space != W_global)
        return map_refuse(c, RULE_MAP_OFFSET, a->inst, "the address may lie outside global memory");
    if (at->flags & (INST_ORDERED | INST_OPAQUE))
        return map_refuse(c, RULE_MAP_ATOMIC, a->inst, "the access is volatile or ordered");
    if (a->parts.bytes > 4)
        return map_refuse(c, RULE_MAP_TYPE, a->inst,
                          "the access has %u bytes, but a FIFO holds words of 4", a->parts.bytes);
    return true;
}

// Returns true if two accesses with the same steps touch the same words at different times.
static bool share_words(const struct map_compiler *c, const struct map_access *a,
                        const struct map_access *b)
{
    struct affine difference;
    uint32_t dim = a->in_loop && a->sum.is_number[DIM_K] ? DIM_K : DIM_X;
    return !affine_difference(c->affines, &a->address, &b->address, &difference) ||
           !affine_is_constant(&difference) || !a->sum.number[dim] ||
           difference.constant % a->sum.number[dim] == 0;
}

// Returns true if an earlier access of the same kind walks over the same words in the same steps.
static bool shares_memory(const struct map_compiler *c, const struct map_access *access)
{
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        const struct map_access *other = &c->accesses.v[i];
        if (access->parts.pointer != IR_NONE && access->parts.pointer == other->parts.pointer &&
            map_is_load(c, access) == map_is_load(c, other) && access->sum.is_number[DIM_X] &&
            other->sum.is_number[DIM_X] && access->sum.number[DIM_X] == other->sum.number[DIM_X] &&
            share_words(c, access, other))
            return true;
    }
    return false;
}

enum { NEAR = 64 }; // bytes; usually in the same line

// Returns true if an earlier access of the same kind touches the same lines.
static bool shares_lines(const struct map_compiler *c, const struct map_access *access)
{
    struct affine difference;
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        const struct map_access *other = &c->accesses.v[i];
        if (map_is_load(c, access) == map_is_load(c, other) &&
            affine_difference(c->affines, &access->address, &other->address, &difference) &&
            affine_is_constant(&difference) && difference.constant <= NEAR &&
            difference.constant >= -NEAR)
            return true;
    }
    return false;
}

// Returns true if each iteration is in another line than the previous one.
static bool strides(const struct map_access *access)
{
    int64_t step = access->sum.number[DIM_K];
    return access->sum.factor[DIM_K] &&
           (!access->sum.is_number[DIM_K] || step > NEAR || step < -NEAR);
}

// Turns a vector access into that of one element.
static void select_element(struct map_access *access, uint32_t element, uint32_t elements)
{
    uint32_t bytes = access->parts.bytes / elements;
    access->parts.bytes = bytes;
    access->parts.offset += (int64_t)element * bytes;
    access->parts.sum.constant += (int64_t)element * bytes;
    access->address.constant += (int64_t)element * bytes;
}

static bool add_element(struct map_compiler *c, uint32_t inst, uint32_t element)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    struct map_access access = {.inst = inst,
                                .element = element,
                                .leader = c->accesses.n,
                                .above = IR_NONE,
                                .is_before = c->is_before,
                                .in_loop = map_in_loop(c, at->block)};
    access.parts = address_in(c->facts, inst);
    access.type = at->type < WORD_COUNT ? isa_words[at->type].text + 1 : "b32";
    bool has_sum = affine_of_address(c->affines, inst, &access.address);
    select_element(&access, element, at->vector > 1 ? at->vector : 1);
    if (!check_kind(c, &access))
        return false;
    if (!has_sum || !map_sum_of(c, &access.address, &access.sum))
        return map_refuse(c, RULE_MAP_OFFSET, inst,
                          "the address is not a sum of parameters and the thread's index");
    require_extent(c, &access);
    // Words that all threads read stay in the L1.
    bool is_own = c->form != MAP_TILES || access.sum.factor[DIM_X];
    if (is_own && !shares_memory(c, &access))
        *(access.in_loop ? &c->to->loop_bytes : &c->to->bytes) += access.parts.bytes;
    if (is_own && c->form == MAP_TILES && access.in_loop && strides(&access) &&
        !shares_lines(c, &access) && !c->to->loop_lines++) {
        const char *k = access.sum.factor[DIM_K];
        graph_value_add(c, "stride", graph_text(c, "\"max(%s, 0 - (%s))\"", k, k));
    }
    vec_push(c->arena, &c->accesses, access);
    return true;
}

static bool add_access_here(struct map_compiler *c, uint32_t inst)
{
    uint32_t elements = c->fn->insts.v[inst].vector;
    bool added = add_element(c, inst, 0);
    for (uint32_t i = 1; i < elements && added; i++)
        added = add_element(c, inst, i);
    return added;
}

// Adds an access of the nest or of the loop before it.
static bool add_access(struct map_compiler *c, uint32_t inst)
{
    uint32_t block = c->fn->insts.v[inst].block;
    if (c->before == IR_NONE && c->across == IR_NONE)
        return add_access_here(c, inst);
    bool is_before = c->before != IR_NONE && ir_in_loop(c->fn, c->before, block);
    if (!is_before && !ir_in_loop(c->fn, c->nest, block))
        return map_refuse(c, RULE_MAP_LOOP, inst,
                          "it is neither in the nest nor in the loop before");
    map_enter_before(c, is_before);
    bool added = add_access_here(c, inst);
    map_enter_before(c, false);
    return added;
}

// Loads that share a unit

// Returns true if load a reads, *tokens later, the words that b reads.
static bool is_ahead(struct map_compiler *c, const struct map_access *a, const struct map_access *b,
                     int64_t *tokens)
{
    struct affine difference;
    if (!map_is_load(c, a) || !map_is_load(c, b) || strcmp(a->type, b->type) ||
        !a->sum.is_number[DIM_X] ||
        !affine_difference(c->affines, &b->address, &a->address, &difference) ||
        !affine_is_constant(&difference) || difference.constant % a->sum.number[DIM_X])
        return false;
    *tokens = difference.constant / a->sum.number[DIM_X];
    return true;
}

// Each load follows the one that is furthest ahead of it, by at most AHEAD_MAX tokens.
static void share_loads(struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        struct map_access *access = &c->accesses.v[i];
        uint32_t best = i;
        int64_t max = 0, tokens;
        for (uint32_t k = 0; k < c->accesses.n; k++)
            if (is_ahead(c, access, &c->accesses.v[k], &tokens) && tokens <= AHEAD_MAX &&
                (tokens > max || (tokens == max && k < best))) {
                best = k;
                max = tokens;
            }
        access->leader = best;
        access->distance = (uint32_t)max;
    }
    // A load whose leader follows another load fetches its own words.
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        struct map_access *access = &c->accesses.v[i];
        if (c->accesses.v[access->leader].leader != access->leader) {
            access->leader = i;
            access->distance = 0;
        }
    }
}

static bool is_second_row(const struct map_compiler *c, uint32_t number)
{
    const struct map_access *a = &c->accesses.v[number];
    for (uint32_t i = 0; i < number; i++) {
        const struct map_access *b = &c->accesses.v[i];
        if (b->leader == i && map_is_load(c, b) && a->parts.pointer != IR_NONE &&
            a->parts.pointer == b->parts.pointer)
            return true;
    }
    return false;
}

// Records the bytes that units move if no row stays in the L1 until it is read again.
static void count_rows(struct map_compiler *c)
{
    bool again = false;
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        const struct map_access *access = &c->accesses.v[i];
        bool loads = map_is_load(c, access);
        if (access->leader != i)
            continue;
        again |= loads && is_second_row(c, i);
        c->to->row_loads += loads ? access->parts.bytes : 0;
        c->to->row_bytes += access->parts.bytes;
    }
    if (!again)
        c->to->row_loads = c->to->row_bytes = 0;
}

bool map_accesses(struct map_compiler *c)
{
    enum { LIMIT = 256 }; // no machine has more units, and all pairs are compared
    for (uint32_t i = 0; i < c->fn->rpo.n; i++) {
        const struct ir_block *block = &c->fn->blocks.v[c->fn->rpo.v[i]];
        for (uint32_t k = block->first; k < block->end && !c->blocks[c->fn->rpo.v[i]].skipped;
             k++) {
            const struct ir_inst *at = &c->fn->insts.v[k];
            bool parameter = at->op == OP_ld && address_of(c->module, c->fn, k).space == W_param;
            if ((at->class == CLASS_LOAD || at->class == CLASS_STORE) && !parameter &&
                !add_access(c, k))
                return false;
            if (c->accesses.n > LIMIT)
                return map_refuse(c, RULE_MAP_LSUS, k, "it has more than %d accesses", LIMIT);
        }
    }
    // Initial tokens are the first words of a row, which is long enough.
    if (c->has_rows && c->loop == IR_NONE) {
        share_loads(c);
        count_rows(c);
    }
    return map_orders(c);
}

// Words of a load

static uint32_t load_node(struct map_compiler *c, struct map_access *access)
{
    uint32_t offset = map_sum_node(c, &access->sum, "0");
    struct graph_node node = {.op = graph_text(c, "ld.%s", access->type),
                              .in = {offset},
                              .base = graph_quoted(c, map_sum_first(c, &access->sum))};
    if (access->above != IR_NONE)
        node.wait = graph_text(c, access->is_awaited ? "1" : "turn > 0");
    return graph_node_add(c, &node);
}

// A load before the loop fetches one word for each thread of a tile. In the loop these words
// circulate in a FIFO.
static uint32_t keep_words(struct map_compiler *c, uint32_t number)
{
    struct graph_operand words = {.from = GRAPH_SELF, .count = c->tile};
    if (!map_load_first(c, number, &words))
        return 0;
    return graph_node_add(c, &(struct graph_node){.op = graph_text(c, "mov.b32"),
                                                  .in = {graph_operand_add(c, &words)},
                                                  .count = c->count});
}

static bool check_condition(struct map_compiler *c, const struct map_access *access)
{
    uint32_t predicate;
    if (!map_predicate(c, c->fn->insts.v[access->inst].block, &predicate))
        return false;
    return (!predicate && !(c->fn->insts.v[access->inst].flags & INST_GUARDED)) ||
           map_refuse(
               c, RULE_MAP_OPERATION, access->inst,
               "the load is executed under a condition, but its word is needed in each token");
}

// Sets the initial tokens to the first words of an access.
static void set_words(struct map_compiler *c, const struct map_access *access, uint32_t step,
                      struct graph_operand *to)
{
    to->base = graph_quoted(c, map_sum_first(c, &access->sum));
    to->step = step;
    to->type = graph_text(c, "%s", access->type);
}

bool map_load_first(struct map_compiler *c, uint32_t number, struct graph_operand *to)
{
    const struct map_access *access = &c->accesses.v[number];
    if (!check_condition(c, access))
        return false;
    const char *step = access->sum.factor[DIM_X] ? access->sum.factor[DIM_X] : "0";
    set_words(c, access, graph_quoted(c, step), to);
    return true;
}

// Returns the words of the row above, or 0 in the first row of the group.
static uint32_t words_above(const struct map_compiler *c, const struct map_access *access)
{
    return access->above == IR_NONE || !c->row ? 0 : c->accesses.v[access->above].data_above;
}

uint32_t map_load(struct map_compiler *c, uint32_t number)
{
    struct map_access *access = &c->accesses.v[number];
    struct map_access *leader = &c->accesses.v[access->leader];
    uint32_t above = words_above(c, access);
    if (above)
        return above;
    if (access->is_before != c->is_before) {
        map_refuse(c, RULE_MAP_LOOP, access->inst, "its word is passed from one loop to the next");
        return 0;
    }
    if (!check_condition(c, access))
        return 0;
    struct graph_operand words = {.from = MAP_NO_NODE};
    if (!map_sum_varies(c, &access->sum)) {
        words.value = graph_quoted(c, map_sum_first(c, &access->sum));
        words.type = graph_text(c, "%s", access->type);
        return graph_operand_add(c, &words);
    }
    if (c->loop != IR_NONE && c->domain == MAP_BODY && !access->in_loop)
        return keep_words(c, number);
    if (c->loop != IR_NONE)
        return load_node(c, access);
    if (!leader->node)
        leader->node = load_node(c, leader);
    if (!access->distance)
        return leader->node;
    map_require(c, arena_printf(c->arena, "last_x - low_x >= %u", access->distance));
    words.from = graph_operand_at(c, leader->node)->from;
    words.count = access->distance;
    set_words(c, access, graph_text(c, "%" PRId64, access->sum.number[DIM_X]), &words);
    return graph_operand_add(c, &words);
}
