#include "runtime-sim/schemes/tom/static_map.h"
#include "passes/analysis/facts.h"
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/schemes/tom/analyzer.h"
#include "runtime-sim/schemes/tom/block_table.h"
#include <stdlib.h>
#include <string.h>

enum static_kind { STATIC_PARAMETER, STATIC_BLOCK, STATIC_GRID, STATIC_ADDRESS };
enum { ITERATIONS = 16, DISTANCES_MAX = 4096, THOUSAND = 1000 };

struct static_builder {
    struct arena *arena;
    const struct program *program;
    const struct program_function *function;
    const struct ir_function *fn;
    struct affines *affines;
    const struct tom_block *block;
};

// Sums

static bool find_parameter(const struct static_builder *b, const struct affine_atom *atom,
                           struct static_factor *to)
{
    for (uint32_t i = 0; i < b->function->param_count; i++) {
        const struct program_parameter *p = &b->program->parameters.v[b->function->params + i];
        if (p->symbol != atom->index)
            continue;
        *to = (struct static_factor){.kind = STATIC_PARAMETER,
                                     .bits = atom->bits,
                                     .is_unsigned = atom->is_unsigned,
                                     .place = p->offset + (uint32_t)atom->offset};
        return true;
    }
    return false;
}

static bool add_factor(const struct static_builder *b, const struct affine_atom *atom,
                       struct static_factor *to)
{
    uint32_t dimension = (uint32_t)(atom->member - W_x);
    switch (atom->kind) {
    case AFFINE_PARAMETER: return find_parameter(b, atom, to);
    case AFFINE_SYMBOL:
        *to = (struct static_factor){.kind = STATIC_ADDRESS,
                                     .address = b->program->address_of.v[atom->index]};
        return true;
    case AFFINE_SPECIAL:
        *to = (struct static_factor){
            .kind = atom->index == SPECIAL_ntid ? STATIC_BLOCK : STATIC_GRID, .place = dimension};
        return (atom->index == SPECIAL_ntid || atom->index == SPECIAL_nctaid) && dimension < 3;
    default: return false;
    }
}

// Returns true for the iteration number of a loop inside the block.
static bool is_iteration(const struct static_builder *b, const struct affine_atom *atom)
{
    if (atom->kind != AFFINE_ITERATION)
        return false;
    uint32_t first = b->fn->blocks.v[b->fn->loops.v[atom->index].header].first;
    return first >= b->block->begin && first <= b->block->end;
}

static bool has_iteration(const struct static_builder *b, const struct affine_term *term)
{
    for (uint32_t i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++)
        if (is_iteration(b, affine_atom(b->affines, term->atom[i])))
            return true;
    return false;
}

// Translates a sum, without the terms with iterations if `first`. Returns false if a factor is not
// known at a launch.
static bool translate(const struct static_builder *b, const struct affine *from, bool first,
                      struct static_sum *to)
{
    *to = (struct static_sum){.constant = from->constant};
    for (uint32_t i = 0; i < from->count; i++) {
        const struct affine_term *term = &from->terms[i];
        struct static_term made = {.coefficient = term->coefficient};
        if (first && has_iteration(b, term))
            continue;
        for (uint32_t k = 0; k < AFFINE_FACTORS && term->atom[k] != IR_NONE; k++)
            if (!add_factor(b, affine_atom(b->affines, term->atom[k]), &made.factors[made.count++]))
                return false;
        vec_push(b->arena, &to->terms, made);
    }
    return true;
}

// Accesses

// Finds the change of an address per step of the atoms that `is` accepts, summed over all such
// atoms. Returns false if it is not known at a launch.
static bool find_step(const struct static_builder *b, const struct affine *address,
                      bool (*is)(const struct static_builder *b, const struct affine_atom *atom),
                      struct static_sum *to)
{
    *to = (struct static_sum){0};
    for (uint32_t i = 0; i < address->count; i++) {
        const struct affine_term *term = &address->terms[i];
        struct static_term made = {.coefficient = term->coefficient};
        uint32_t found = 0;
        bool good = true;
        for (uint32_t k = 0; k < AFFINE_FACTORS && term->atom[k] != IR_NONE; k++) {
            const struct affine_atom *atom = affine_atom(b->affines, term->atom[k]);
            if (is(b, atom))
                found++;
            else
                good &= add_factor(b, atom, &made.factors[made.count++]);
        }
        if (found > 1 || (found && !good))
            return false;
        if (found)
            vec_push(b->arena, &to->terms, made);
    }
    return true;
}

static bool is_lane(const struct static_builder *b, const struct affine_atom *atom)
{
    (void)b;
    return atom->kind == AFFINE_SPECIAL &&
           ((atom->index == SPECIAL_tid && atom->member == W_x) || atom->index == SPECIAL_laneid);
}

static void add_access(const struct static_builder *b, struct static_block *to, uint32_t inst,
                       const struct affine *first)
{
    struct static_access access = {0};
    struct affine address, apart;
    if (affine_of_address(b->affines, inst, &address)) {
        uint32_t base = affine_base(b->affines, &address);
        access.has_base =
            base != IR_NONE && add_factor(b, affine_atom(b->affines, base), &access.at);
        access.known = affine_difference(b->affines, &address, first, &apart) &&
                       translate(b, &apart, true, &access.apart) &&
                       find_step(b, &address, is_iteration, &access.step) &&
                       find_step(b, &address, is_lane, &access.lane);
    }
    vec_push(b->arena, &to->accesses, access);
}

static void add_block(struct static_builder *b, struct static_map *map,
                      const struct tom_block *block)
{
    struct static_block made = {.block = block};
    struct affine first;
    b->block = block;
    if (!affine_of_address(b->affines, block->at.v[0].inst, &first))
        return;
    for (uint32_t i = 0; i < block->at.n; i++)
        add_access(b, &made, block->at.v[i].inst, &first);
    vec_push(b->arena, &map->blocks, made);
}

void static_map_count(const struct static_map *map, uint64_t *some, uint64_t *all)
{
    *some = *all = 0;
    for (uint32_t i = 0; i < map->blocks.n; i++) {
        const struct static_block *block = &map->blocks.v[i];
        uint32_t known = 0;
        for (uint32_t k = 0; k < block->accesses.n; k++)
            known += block->accesses.v[k].known;
        *some += known > 1 || (known && block->accesses.n == 1);
        *all += known && known == block->accesses.n;
    }
}

void static_map_build(struct static_map *map, struct arena *arena, const struct program *program,
                      const struct tom_block *blocks, uint32_t count)
{
    struct plan plan = {.arena = arena};
    const struct pass_options options = {.cost = COST_TOM};
    struct static_builder b = {.arena = arena, .program = program};
    *map = (struct static_map){0};
    for (uint32_t i = 0; i < count; i++) {
        b.function = &program->functions.v[blocks[i].function];
        b.fn = &program->module->functions.v[b.function->function];
        b.affines = facts_affines(facts_of(&plan, program->module, &options, b.function->function));
        add_block(&b, map, &blocks[i]);
    }
}

// Launches

static int64_t factor_value(const struct static_factor *factor, const struct launch *launch)
{
    uint64_t value = 0;
    switch (factor->kind) {
    case STATIC_BLOCK: return launch->block[factor->place];
    case STATIC_GRID: return launch->grid[factor->place];
    case STATIC_ADDRESS: return (int64_t)factor->address;
    default: break;
    }
    memcpy(&value, launch->params + factor->place, factor->bits / 8);
    if (factor->bits >= 64 || factor->is_unsigned)
        return (int64_t)value;
    return (int64_t)(value << (64 - factor->bits)) >> (64 - factor->bits);
}

static uint64_t sum_value(const struct static_sum *sum, const struct launch *launch)
{
    uint64_t value = (uint64_t)sum->constant;
    for (uint32_t i = 0; i < sum->terms.n; i++) {
        uint64_t product = (uint64_t)sum->terms.v[i].coefficient;
        for (uint32_t k = 0; k < sum->terms.v[i].count; k++)
            product *= (uint64_t)factor_value(&sum->terms.v[i].factors[k], launch);
        value += product;
    }
    return value;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t static_map_probability(const uint64_t *distances, uint32_t count, uint32_t bit,
                                uint64_t *at)
{
    uint64_t part = UINT64_C(1) << bit, circle = MAP_STACKS * part, gap = 0;
    for (uint32_t i = 0; i < count; i++)
        at[i] = distances[i] % circle;
    qsort(at, count, sizeof *at, by_value);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t next = i + 1 < count ? at[i + 1] : at[0] + circle;
        gap = next - at[i] > gap ? next - at[i] : gap;
    }
    uint64_t width = circle - gap;
    return width < part ? (uint32_t)((part - width) * THOUSAND / part) : 0;
}

// Adds the distances of an access's lines, while there is room.
static void add_distances(const struct static_access *access, const struct launch *launch,
                          uint64_t *to, uint32_t *count)
{
    uint64_t apart = sum_value(&access->apart, launch), step = sum_value(&access->step, launch);
    uint64_t lane = sum_value(&access->lane, launch);
    for (uint64_t i = 0; i < ITERATIONS; i++)
        for (uint64_t k = 0; k < LANES; k++) {
            uint64_t at = (apart + i * step + k * lane) / LINE_BYTES * LINE_BYTES;
            bool again = *count && to[*count - 1] == at;
            if (!again && *count < DISTANCES_MAX)
                to[(*count)++] = at;
        }
}

uint32_t static_map_choose(const struct static_map *map, struct arena *arena,
                           const struct launch *launch, uint64_t *used, uint32_t max,
                           uint32_t *count)
{
    uint64_t *distances = ARENA_ARRAY(arena, uint64_t, DISTANCES_MAX);
    uint64_t *room = ARENA_ARRAY(arena, uint64_t, DISTANCES_MAX);
    uint64_t sums[MAP_PAIRS] = {0};
    uint32_t best = 0;
    bool any = false;
    *count = 0;
    for (uint32_t i = 0; i < map->blocks.n; i++) {
        const struct static_block *block = &map->blocks.v[i];
        uint32_t number = 0;
        if (block->block->function != launch->function)
            continue;
        for (uint32_t k = 0; k < block->accesses.n; k++) {
            const struct static_access *access = &block->accesses.v[k];
            if (access->known)
                add_distances(access, launch, distances, &number);
            if (access->has_base && *count < max)
                used[(*count)++] = (uint64_t)factor_value(&access->at, launch);
        }
        any |= number > 0;
        for (uint32_t pair = 0; number && pair < MAP_PAIRS; pair++)
            sums[pair] += block->accesses.n *
                          static_map_probability(distances, number, MAP_FIRST_BIT + pair, room);
    }
    for (uint32_t pair = 1; pair < MAP_PAIRS; pair++)
        best = sums[pair] > sums[best] ? pair : best;
    return any ? MAP_FIRST_BIT + best : 0;
}
