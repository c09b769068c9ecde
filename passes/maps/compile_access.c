// The loads and stores of a kernel: their streams, their order, and loads that share a unit.
#include "passes/maps/compile_internal.h"
#include <inttypes.h>
#include <string.h>

// Tokens that a load may be ahead of another whose words it reads: half of a FIFO, so that the other
// half lets the stream run on.
enum { AHEAD_MOST = 4 };

uint32_t map_access_of(const struct map_compiler *c, uint32_t inst)
{
    uint32_t i = 0;
    while (i < c->accesses.n && c->accesses.v[i].inst != inst)
        i++;
    return i;
}

static bool is_load(const struct map_compiler *c, const struct map_access *access)
{
    return c->fn->insts.v[access->inst].class == CLASS_LOAD;
}

// The range of the addresses of an access: [0] its least, [1] the one behind its last byte.
static void find_range(struct map_compiler *c, const struct map_access *a, const char *range[2])
{
    static const char letters[] = "xyz";
    range[0] = range[1] = a->sum.rest;
    for (uint32_t dim = 0; dim < DIMS; dim++) {
        const char *factor = a->sum.factor[dim];
        if (!factor)
            continue;
        const char *last = arena_printf(c->arena, "(%s) * last_%c", factor, letters[dim]);
        const char *first = arena_printf(c->arena, "(%s) * low_%c", factor, letters[dim]);
        range[0] = arena_printf(c->arena, "%s + min(%s, %s)", range[0], first, last);
        range[1] = arena_printf(c->arena, "%s + max(%s, %s)", range[1], first, last);
    }
    range[1] = arena_printf(c->arena, "%s + %u", range[1], a->parts.bytes);
}

// 32-bit sums of the kernel do not wrap around, and offsets fit a token.
static void require_extent(struct map_compiler *c, const struct map_access *a)
{
    static const char letters[] = "xyz";
    const char *all = "";
    for (uint32_t dim = 0; dim < DIMS; dim++)
        if (a->sum.factor[dim])
            all = arena_printf(c->arena, "%s%smax(%s, 0 - (%s)) * size_%c", all, *all ? " + " : "",
                               a->sum.factor[dim], a->sum.factor[dim], letters[dim]);
    if (*all)
        map_require(c, arena_printf(c->arena, "%s < 2147483648", all));
}

static bool check_kind(struct map_compiler *c, const struct map_access *a)
{
    const struct ir_inst *at = &c->fn->insts.v[a->inst];
    if (a->parts.space == W_shared)
        return map_refuse(c, MAP_RULE_BARRIER, a->inst, "the access is to shared memory");
    if (a->parts.space != W_global)
        return map_refuse(c, MAP_RULE_OFFSET, a->inst, "the address may lie outside global memory");
    if (at->flags & (INST_ORDERED | INST_OPAQUE))
        return map_refuse(c, MAP_RULE_ATOMIC, a->inst, "the access is volatile or ordered");
    if (at->vector > 1 || a->parts.bytes > 4)
        return map_refuse(c, MAP_RULE_TYPE, a->inst, "the access has %u bytes, and a FIFO words of 4",
                          a->parts.bytes);
    return true;
}

// Returns true if an earlier access of the same kind walks over the same array in the same steps.
static bool shares_memory(const struct map_compiler *c, const struct map_access *access)
{
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        const struct map_access *other = &c->accesses.v[i];
        if (access->parts.pointer != IR_NONE && access->parts.pointer == other->parts.pointer &&
            is_load(c, access) == is_load(c, other) && access->sum.is_number &&
            other->sum.is_number && access->sum.number == other->sum.number)
            return true;
    }
    return false;
}

static bool add_access(struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    struct map_access access = {.inst = inst, .leader = c->accesses.n};
    access.parts = address_in(c->facts, inst);
    access.type = at->type < WORD_COUNT ? isa_words[at->type].text + 1 : "b32";
    if (!check_kind(c, &access))
        return false;
    if (!affine_of_address(c->affines, inst, &access.address) ||
        !map_sum_of(c, &access.address, &access.sum))
        return map_refuse(c, MAP_RULE_OFFSET, inst,
                          "the address is not a sum of parameters and of the thread's place");
    require_extent(c, &access);
    if (!shares_memory(c, &access))
        c->to->bytes += access.parts.bytes;
    vec_push(c->arena, &c->accesses, access);
    return true;
}

// Order

static bool depends(const struct map_compiler *c, uint32_t inst, uint32_t on, bool *seen);

static bool version_depends(const struct map_compiler *c, uint32_t version, uint32_t on, bool *seen)
{
    if (version == IR_NONE || seen[version])
        return false;
    seen[version] = true;
    const struct ir_version *at = &c->fn->versions.v[version];
    if (at->kind == VERSION_INST)
        return depends(c, at->index, on, seen);
    if (at->kind != VERSION_PHI)
        return false;
    const struct ir_phi *phi = &c->fn->phis.v[at->index];
    for (uint32_t i = 0; i < c->fn->blocks.v[phi->block].pred_count; i++)
        if (version_depends(c, c->fn->phi_args.v[phi->args + i], on, seen))
            return true;
    return false;
}

static bool depends(const struct map_compiler *c, uint32_t inst, uint32_t on, bool *seen)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    if (inst == on)
        return true;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (c->fn->operands.v[i].role != ROLE_DEF &&
            version_depends(c, c->fn->operand_version.v[i], on, seen))
            return true;
    return false;
}

// Returns true if a store in this thread waits for the load's word.
static bool waits_for(const struct map_compiler *c, uint32_t store, uint32_t load)
{
    bool *seen = ARENA_ARRAY(c->arena, bool, c->fn->versions.n + 1);
    return depends(c, store, load, seen);
}

static bool reaches(const struct map_compiler *c, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; from != to && i < c->fn->blocks.v[from].succ_count; i++)
        if (reaches(c, ir_succs(c->fn, from)[i], to))
            return true;
    return from == to;
}

// Two accesses of a thread, the first of them before the other. A map keeps their order only if the
// second one needs the first one's word.
static bool check_order(struct map_compiler *c, const struct map_access *first,
                        const struct map_access *second)
{
    const char *a[2], *b[2];
    uint32_t from = c->fn->insts.v[first->inst].block, to = c->fn->insts.v[second->inst].block;
    if ((is_load(c, first) && is_load(c, second)) || !reaches(c, from, to) ||
        !address_may_alias(c->facts, &first->parts, &second->parts) ||
        (is_load(c, first) && waits_for(c, second->inst, first->inst)))
        return true;
    if (first->parts.pointer == second->parts.pointer || first->parts.pointer == IR_NONE ||
        second->parts.pointer == IR_NONE)
        return map_refuse(c, MAP_RULE_ALIAS, second->inst,
                          "it may touch the word of the access in line %u",
                          ir_place(c->module, c->fn, first->inst).line);
    find_range(c, first, a);
    find_range(c, second, b);
    map_require(c, arena_printf(c->arena, "%s <= %s || %s <= %s", a[1], b[0], b[1], a[0]));
    return true;
}

static bool check_orders(struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->accesses.n; i++)
        for (uint32_t k = i + 1; k < c->accesses.n; k++)
            if (!check_order(c, &c->accesses.v[i], &c->accesses.v[k]))
                return false;
    return true;
}

// Loads that share a unit

// Returns true if load b reads the words that a reads *tokens later.
static bool is_ahead(struct map_compiler *c, const struct map_access *a,
                     const struct map_access *b, int64_t *tokens)
{
    struct affine difference;
    if (!is_load(c, a) || !is_load(c, b) || strcmp(a->type, b->type) || !a->sum.is_number ||
        !affine_difference(c->affines, &b->address, &a->address, &difference) ||
        !affine_is_constant(&difference) || difference.constant % a->sum.number)
        return false;
    *tokens = difference.constant / a->sum.number;
    return true;
}

// A load that is not behind another one leads those that it is ahead of by AHEAD_MOST at most.
static void share_loads(struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        struct map_access *access = &c->accesses.v[i];
        uint32_t best = i;
        int64_t most = 0, tokens;
        for (uint32_t k = 0; k < c->accesses.n; k++)
            if (is_ahead(c, access, &c->accesses.v[k], &tokens) && tokens <= AHEAD_MOST &&
                (tokens > most || (tokens == most && k < best))) {
                best = k;
                most = tokens;
            }
        access->leader = best;
        access->distance = (uint32_t)most;
    }
    // A load whose leader follows another one loads its own words.
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        struct map_access *access = &c->accesses.v[i];
        if (c->accesses.v[access->leader].leader != access->leader) {
            access->leader = i;
            access->distance = 0;
        }
    }
}

bool map_accesses(struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->fn->rpo.n; i++) {
        const struct ir_block *block = &c->fn->blocks.v[c->fn->rpo.v[i]];
        for (uint32_t k = block->first; k < block->end; k++) {
            const struct ir_inst *at = &c->fn->insts.v[k];
            bool parameter = at->op == OP_ld && address_of(c->module, c->fn, k).space == W_param;
            if ((at->class == CLASS_LOAD || at->class == CLASS_STORE) && !parameter &&
                !add_access(c, k))
                return false;
        }
    }
    // Initial tokens are words at the begin of a row, which is long enough.
    if (c->has_rows)
        share_loads(c);
    return check_orders(c);
}

static const char *load_node(struct map_compiler *c, struct map_access *access)
{
    const char *step = map_increment(c, access->sum.step);
    return map_node_add(c, "{op: ld.%s, in: [%s], base: \"%s\"}", access->type, step,
                        access->sum.text);
}

const char *map_load(struct map_compiler *c, uint32_t number)
{
    struct map_access *access = &c->accesses.v[number];
    struct map_access *leader = &c->accesses.v[access->leader];
    const char *predicate;
    uint32_t block = c->fn->insts.v[access->inst].block;
    if (!map_predicate(c, block, &predicate))
        return NULL;
    if (predicate || c->fn->insts.v[access->inst].flags & INST_GUARDED) {
        map_refuse(c, MAP_RULE_OPERATION, access->inst,
                   "the load is executed under a condition, and its word is needed in each token");
        return NULL;
    }
    if (!access->sum.step)
        return arena_printf(c->arena, "{load: \"%s\", type: %s}", access->sum.text, access->type);
    if (!leader->node)
        leader->node = load_node(c, leader);
    if (!access->distance)
        return leader->node;
    map_require(c, arena_printf(c->arena, "last_x - low_x >= %u", access->distance));
    return arena_printf(c->arena,
                        "{from: %s, initial: {count: %u, base: \"%s\", step: %" PRId64
                        ", type: %s}}",
                        leader->node, access->distance, access->sum.text, access->sum.number,
                        access->type);
}
