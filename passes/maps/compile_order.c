// Order of accesses. A map executes the accesses of one unit in the order of the tokens, and those
// of different units only in the order of the data.
#include "passes/maps/compile_internal.h"
#include <inttypes.h>
#include <string.h>

// Returns true if a store waits for the word that the load reads in the same iteration.
static bool waits_for(const struct map_compiler *c, uint32_t store, uint32_t load)
{
    return map_inst_reads(c, store, load, IR_NONE,
                          ARENA_ARRAY(c->arena, bool, c->fn->versions.n + 1));
}

static bool reaches(const struct map_compiler *c, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; from != to && i < c->fn->blocks.v[from].succ_count; i++)
        if (reaches(c, ir_succs(c->fn, from)[i], to))
            return true;
    return from == to;
}

// Returns the condition under which the ranges of two accesses have no byte in common.
static const char *different_ranges(struct map_compiler *c, const struct map_access *first,
                                    const struct map_access *second)
{
    const char *a[2], *b[2];
    map_access_range(c, first, a);
    map_access_range(c, second, b);
    return arena_printf(c->arena, "%s <= %s || %s <= %s", a[1], b[0], b[1], a[0]);
}

static bool require_apart(struct map_compiler *c, const struct map_access *first,
                          const struct map_access *second)
{
    map_require(c, different_ranges(c, first, second));
    return true;
}

static bool is_known(const struct map_access *first, const struct map_access *second)
{
    return first->parts.pointer != IR_NONE && second->parts.pointer != IR_NONE;
}

static bool is_other(const struct map_access *first, const struct map_access *second)
{
    return is_known(first, second) && first->parts.pointer != second->parts.pointer;
}

static bool refuse(struct map_compiler *c, const struct map_access *first,
                   const struct map_access *second)
{
    return map_refuse(c, RULE_MAP_ALIAS, second->inst,
                      "it may touch the word of the access in line %u",
                      ir_position(c->module, c->fn, first->inst).line);
}

// Checks two accesses of a thread, the first of them earlier. A map keeps their order only if the
// second one needs the first one's word.
static bool check_thread(struct map_compiler *c, struct map_access *first,
                         struct map_access *second)
{
    uint32_t from = c->fn->insts.v[first->inst].block, to = c->fn->insts.v[second->inst].block;
    if (!reaches(c, from, to) || !address_may_alias(c->facts, &first->parts, &second->parts) ||
        (map_is_load(c, first) && waits_for(c, second->inst, first->inst)))
        return true;
    struct affine difference;
    bool may_differ =
        is_other(first, second) ||
        (affine_difference(c->affines, &first->address, &second->address, &difference) &&
         !affine_is_constant(&difference));
    return may_differ ? require_apart(c, first, second) : refuse(c, first, second);
}

// Threads with a loop

// Returns true if a thread stores where it loaded in the same iteration. Each iteration must have
// its own word.
static bool is_update(struct map_compiler *c, const struct map_access *load,
                      const struct map_access *store)
{
    struct affine difference;
    const char *k = store->sum.factor[DIM_K];
    if (!map_is_load(c, load) || map_is_load(c, store) || load->in_loop != store->in_loop ||
        !affine_difference(c->affines, &load->address, &store->address, &difference) ||
        !affine_is_constant(&difference) || difference.constant ||
        load->parts.bytes != store->parts.bytes || !waits_for(c, store->inst, load->inst) ||
        (load->in_loop && !k))
        return false;
    if (load->in_loop)
        map_require(c, arena_printf(c->arena, "(%s) >= %u || (%s) <= -%u", k, load->parts.bytes, k,
                                    load->parts.bytes));
    return true;
}

// Computes the address of `access` in the previous row minus the address of `other`. Returns false
// without rows.
static bool minus_row(struct map_compiler *c, const struct map_access *access,
                      const struct map_access *other, struct affine *to)
{
    struct affine difference, step;
    uint32_t atom = IR_NONE;
    for (uint32_t i = 0; i < access->address.count; i++)
        for (uint32_t k = 0; k < AFFINE_FACTORS; k++) {
            uint32_t at = access->address.terms[i].atom[k];
            if (at != IR_NONE && affine_atom(c->affines, at)->kind == AFFINE_ITERATION &&
                affine_atom(c->affines, at)->index == c->outer)
                atom = at;
        }
    return atom != IR_NONE && affine_step(c->affines, &access->address, atom, &step) &&
           affine_difference(c->affines, &access->address, &other->address, &difference) &&
           affine_difference(c->affines, &difference, &step, to);
}

// Computes the distance of the first access from the second one in one array, in the same row or in
// adjacent rows. Returns false if it is not a constant.
static bool find_distance(struct map_compiler *c, const struct map_access *first,
                          const struct map_access *second, int64_t *to)
{
    struct affine distance;
    int64_t sign = 1;
    if (!affine_difference(c->affines, &first->address, &second->address, &distance))
        return false;
    if (!affine_is_constant(&distance) &&
        (!minus_row(c, first, second, &distance) || !affine_is_constant(&distance))) {
        sign = -1;
        if (!minus_row(c, second, first, &distance))
            return false;
    }
    *to = sign * distance.constant;
    return affine_is_constant(&distance);
}

// Returns true if the accesses walk over one array side by side, in steps larger than the words of
// both together: then all their words differ. Requires that rows and threads start a multiple of
// the step apart.
static bool are_beside(struct map_compiler *c, const struct map_access *first,
                       const struct map_access *second)
{
    int64_t k = first->sum.number[DIM_K], step = k < 0 ? -k : k, behind;
    if (!first->in_loop || !second->in_loop || !first->sum.factor[DIM_K] ||
        !first->sum.is_number[DIM_K] || !second->sum.is_number[DIM_K] ||
        second->sum.number[DIM_K] != k || !find_distance(c, second, first, &behind))
        return false;
    behind = (behind % step + step) % step;
    if (behind < first->parts.bytes || step - behind < second->parts.bytes)
        return false;
    for (uint32_t dim = 0; dim < DIMS; dim++)
        if (dim != DIM_K && first->sum.factor[dim])
            map_require(c, arena_printf(c->arena, "(%s) %% %" PRId64 " == 0",
                                        first->sum.factor[dim], step));
    return true;
}

static bool check_tile(struct map_compiler *c, struct map_access *first, struct map_access *second)
{
    if (!is_known(first, second))
        return refuse(c, first, second);
    if (are_beside(c, first, second))
        return true;
    if (!is_other(first, second) && (is_update(c, first, second) || is_update(c, second, first))) {
        c->in_place = true;
        return true;
    }
    return require_apart(c, first, second);
}

// Rows of a nest

// Returns the dimension of the rows.
static uint32_t row_dimension(const struct map_compiler *c)
{
    return c->across == IR_NONE ? DIM_I : DIM_X;
}

// Returns true if the load reads in row i what the store writes in row i - 1.
static bool is_above(struct map_compiler *c, const struct map_access *load,
                     const struct map_access *store)
{
    struct affine rest;
    return load->in_loop && store->in_loop && load->parts.bytes == 4 && store->parts.bytes == 4 &&
           minus_row(c, store, load, &rest) && affine_is_constant(&rest) && !rest.constant;
}

// Computes the address range of a single row.
static void row_range(struct map_compiler *c, const struct map_access *a, const char *range[2])
{
    struct map_access row = *a;
    row.sum.factor[row_dimension(c)] = NULL;
    map_access_range(c, &row, range);
}

// Returns the condition under which the accesses touch different words of a row of `pitch` bytes.
// All rows have this pitch, which is required to be positive.
static const char *different_windows(struct map_compiler *c, const struct map_access *first,
                                     const struct map_access *second, const char *pitch)
{
    const char *a[2], *b[2];
    row_range(c, first, a);
    row_range(c, second, b);
    const char *behind = arena_printf(c->arena, "(((%s) - (%s)) %% (%s) + (%s)) %% (%s)", b[0],
                                      a[0], pitch, pitch, pitch);
    map_require(c, arena_printf(c->arena, "(%s) > 0", pitch));
    return arena_printf(c->arena, "%s >= (%s) - (%s) && %s + (%s) - (%s) <= (%s)", behind, a[1],
                        a[0], behind, b[1], b[0], pitch);
}

static bool require_windows(struct map_compiler *c, const struct map_access *first,
                            const struct map_access *second)
{
    const char *pitch = first->sum.factor[DIM_I], *other = second->sum.factor[DIM_I];
    if (!pitch || !other || strcmp(pitch, other))
        return false;
    map_require(c, different_windows(c, first, second, pitch));
    return true;
}

// Requires that rows of a store do not overlap, or that all rows fit between two of its iterations,
// and that the words of its iterations do not overlap.
static bool require_rows(struct map_compiler *c, const struct map_access *store)
{
    const char *pitch = store->sum.factor[row_dimension(c)], *k = store->sum.factor[DIM_K];
    const char *range[2];
    row_range(c, store, range);
    if (!pitch || (store->in_loop && !k))
        return map_refuse(c, RULE_MAP_ALIAS, store->inst, "several iterations store to one word");
    if (store->in_loop)
        map_require(c, arena_printf(c->arena, "(%s) >= %u || (%s) <= -%u", k, store->parts.bytes, k,
                                    store->parts.bytes));
    const char *apart = arena_printf(c->arena, "(%s) - (%s) <= max(%s, 0 - (%s))", range[1],
                                     range[0], pitch, pitch);
    if (store->in_loop)
        apart =
            arena_printf(c->arena,
                         "%s || (max(%s, 0 - (%s)) >= %u && max(%s, 0 - (%s)) * (%s - 1) + %u <= "
                         "max(%s, 0 - (%s)))",
                         apart, pitch, pitch, store->parts.bytes, pitch, pitch,
                         map_dimension_size(c, row_dimension(c)), store->parts.bytes, k, k);
    map_require(c, apart);
    return true;
}

static bool check_rows(struct map_compiler *c, struct map_access *first, struct map_access *second)
{
    struct map_access *load = map_is_load(c, first) ? first : second;
    struct map_access *store = map_is_load(c, first) ? second : first;
    if (!is_known(first, second))
        return refuse(c, first, second);
    if (is_other(first, second))
        return require_apart(c, first, second);
    if (map_is_load(c, load) && is_above(c, load, store)) {
        load->above = (uint32_t)(store - c->accesses.v);
        return true;
    }
    return are_beside(c, first, second) || is_update(c, load, store) ||
           require_windows(c, store, load) || require_apart(c, first, second);
}

// Checks two accesses, one of them in the loop before the nest. If that loop stores the row above
// the first one, loads wait for its words.
static bool check_before(struct map_compiler *c, struct map_access *first,
                         struct map_access *second)
{
    struct map_access *load = map_is_load(c, first) ? first : second;
    struct map_access *store = map_is_load(c, first) ? second : first;
    if (!is_known(first, second))
        return refuse(c, first, second);
    const char *pitch = first->is_before ? second->sum.factor[DIM_I] : first->sum.factor[DIM_I];
    if (!pitch || is_other(first, second))
        return require_apart(c, first, second);
    if (!map_is_load(c, load) || load->above == IR_NONE) {
        const char *windows = different_windows(c, first, second, pitch);
        map_require(
            c, arena_printf(c->arena, "%s || %s", different_ranges(c, first, second), windows));
        return true;
    }
    const struct map_access *row = &c->accesses.v[load->above];
    const char *k = store->sum.factor[DIM_K];
    if (load->is_awaited || !k || !row->sum.factor[DIM_K] || store->parts.bytes != 4)
        return refuse(c, first, second);
    load->is_awaited = true;
    map_require(c, "trip_before == trip");
    map_require(c, arena_printf(c->arena, "%s == %s", k, row->sum.factor[DIM_K]));
    map_require(c, arena_printf(c->arena, "%s == %s - (%s)", store->sum.rest, row->sum.rest,
                                row->sum.factor[DIM_I]));
    return true;
}

// `mixed`: checks only accesses of the nest against those of the loop before it.
static bool check_pair(struct map_compiler *c, struct map_access *first, struct map_access *second,
                       bool mixed)
{
    if ((first->is_before != second->is_before) != mixed)
        return true;
    if ((map_is_load(c, first) && map_is_load(c, second)) || first->parts.read_only ||
        second->parts.read_only)
        return true;
    if (mixed)
        return check_before(c, first, second);
    map_enter_before(c, first->is_before);
    bool kept = c->loop == IR_NONE    ? check_thread(c, first, second)
                : c->outer == IR_NONE ? check_tile(c, first, second)
                                      : check_rows(c, first, second);
    map_enter_before(c, false);
    return kept;
}

bool map_orders(struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        struct map_access *access = &c->accesses.v[i];
        bool in_nest = c->nest != IR_NONE && !access->is_before;
        if (in_nest && !map_is_load(c, access) && !require_rows(c, access))
            return false;
        for (uint32_t k = i + 1; k < c->accesses.n; k++)
            if (!check_pair(c, access, &c->accesses.v[k], false))
                return false;
    }
    for (uint32_t i = 0; i < c->accesses.n && c->before != IR_NONE; i++)
        for (uint32_t k = i + 1; k < c->accesses.n; k++)
            if (!check_pair(c, &c->accesses.v[i], &c->accesses.v[k], true))
                return false;
    return true;
}
