// Loops that become a stream, and their trip counts. A loop must be tested once, at its end.
#include "passes/maps/compile_internal.h"
#include "passes/analysis/trip/trip.h"
#include <inttypes.h>

bool map_in_loop(const struct map_compiler *c, uint32_t block)
{
    return c->loop != IR_NONE && ir_in_loop(c->fn, c->loop, block);
}

bool map_is_header(const struct map_compiler *c, uint32_t block)
{
    uint32_t loop = c->fn->blocks.v[block].loop;
    return loop != IR_NONE && c->fn->loops.v[loop].header == block;
}

bool map_enter_before(struct map_compiler *c, bool is_before)
{
    if (is_before == c->is_before)
        return false;
    c->is_before = is_before;
    c->loop = is_before ? c->before : c->inner;
    c->outer = is_before ? IR_NONE : c->nest;
    return true;
}

// Form

static bool uses_threads(const struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->fn->operands.n; i++) {
        const struct ir_operand *at = &c->fn->operands.v[i];
        if (at->kind == OPERAND_SPECIAL &&
            (at->index == SPECIAL_tid || at->index == SPECIAL_ctaid ||
             at->index == SPECIAL_laneid || at->index == SPECIAL_warpid))
            return true;
    }
    return false;
}

static bool refuse_loop(struct map_compiler *c, uint32_t loop, enum plan_rule rule, const char *why)
{
    const struct ir_block *header = &c->fn->blocks.v[c->fn->loops.v[loop].header];
    return map_refuse(c, rule, header->first < header->end ? header->first : IR_NONE, "%s", why);
}

// Lists the first loops that are not skipped. Returns the number of all such loops.
static uint32_t list_loops(const struct map_compiler *c, uint32_t *to, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->fn->loops.n; i++)
        if (!c->blocks[c->fn->loops.v[i].header].skipped && count++ < max)
            to[count - 1] = i;
    return count;
}

static bool find_form(struct map_compiler *c)
{
    enum { LIMIT = 3 };
    const struct ir_function *fn = c->fn;
    uint32_t loop[LIMIT], loops = list_loops(c, loop, LIMIT);
    if (!loops)
        return true;
    bool threads = uses_threads(c), nested = loops == 2 && fn->loops.v[loop[1]].parent == loop[0];
    bool second = loops == 3 && fn->loops.v[loop[1]].parent == IR_NONE &&
                  fn->loops.v[loop[2]].parent == loop[1];
    if (nested && threads)
        return refuse_loop(c, loop[1], RULE_MAP_LOOP, "a thread has nested loops");
    if (loops > 1 && !nested && (!second || threads))
        return refuse_loop(c, loop[loops == 2 ? 1 : 2], RULE_MAP_LOOP,
                           "it is a second loop, but a map streams over one");
    bool slows = c->slows && nested;
    c->form = threads || slows ? MAP_TILES : MAP_NEST;
    c->loop = c->inner = loop[loops - 1];
    c->nest = loops > 1 ? loop[loops - 2] : IR_NONE;
    c->outer = slows ? IR_NONE : c->nest;
    c->across = slows ? c->nest : IR_NONE;
    c->before = second ? loop[0] : IR_NONE;
    if (threads)
        return true;
    for (uint32_t dim = 0; dim < LAUNCH_DIMS; dim++)
        map_require(c, arena_printf(c->arena, "grid_%c == 1 && block_%c == 1", 'x' + (int)dim,
                                    'x' + (int)dim));
    return true;
}

// Number of iterations

// The loop continues after iteration k while a + s · k relation 0.
static const char *count_iterations(struct map_compiler *c, const char *a, int64_t s,
                                    enum map_relation relation)
{
    bool falls = relation == MAP_GT || relation == MAP_GE;
    int64_t step = falls ? -s : s;
    const char *first = arena_printf(c->arena, falls ? "0 - (%s)" : "(%s)", a);
    if (relation == MAP_LE || relation == MAP_GE)
        first = arena_printf(c->arena, "%s - 1", first);
    if (relation == MAP_EQ || (relation != MAP_NE && step <= 0))
        return NULL;
    if (relation != MAP_NE)
        return arena_printf(c->arena, "1 + max(0, (%" PRId64 " - (%s)) / %" PRId64 ")", step - 1,
                            first, step);
    int64_t size = step < 0 ? -step : step;
    const char *way = step < 0 ? first : arena_printf(c->arena, "0 - %s", first);
    map_require(c, arena_printf(c->arena, "%s >= 0 && (%s) %% %" PRId64 " == 0", way, way, size));
    return arena_printf(c->arena, "1 + (%s) / %" PRId64, way, size);
}

static const char *read_count(struct map_compiler *c, uint32_t loop, uint32_t block)
{
    struct map_sum sum;
    enum map_relation relation;
    uint32_t version, taken, dim = loop == c->loop ? DIM_K : loop == c->across ? DIM_X : DIM_I;
    bool negated;
    if (!map_condition(c, block, &version, &negated, &taken))
        return NULL;
    const struct ir_version *at = &c->fn->versions.v[version];
    bool goes_on = (taken == c->fn->loops.v[loop].header) != negated;
    if (at->kind != VERSION_INST || c->fn->insts.v[at->index].op != OP_setp ||
        !map_comparison(c, at->index, goes_on, &sum, &relation) || !map_sum_is_free(&sum, dim) ||
        !sum.is_number[dim] || !sum.number[dim])
        return NULL;
    return count_iterations(c, sum.rest, sum.number[dim], relation);
}

static bool find_count(struct map_compiler *c, uint32_t loop, const struct loop_exits *exits,
                       const char *name)
{
    const struct ir_loop *at = &c->fn->loops.v[loop];
    if (exits->edges != 1)
        return refuse_loop(c, loop, RULE_MAP_TRIP, "the loop has several ends");
    if (at->latch_count != 1 || exits->from != at->latch)
        return refuse_loop(c, loop, RULE_MAP_TRIP, "the loop is not tested at its end");
    if (c->fn->blocks.v[at->header].pred_count != 2)
        return refuse_loop(c, loop, RULE_MAP_DIVERGES, "several branches lead into the loop");
    const char *count = read_count(c, loop, exits->from);
    if (!count)
        return refuse_loop(c, loop, RULE_MAP_TRIP,
                           "the number of iterations is not an expression of the launch");
    c->blocks[exits->from].bounds = true;
    c->blocks[exits->from].follow = exits->to;
    graph_value_add(c, name, graph_quoted(c, count));
    map_require(c, arena_printf(c->arena, "%s < 2147483648", name));
    return true;
}

bool map_loops(struct map_compiler *c)
{
    if (c->skips)
        map_skip(c);
    if (!find_form(c))
        return false;
    if (c->loop == IR_NONE)
        return true;
    struct loop_exits *exits = loop_exits_list(c->arena, c->fn);
    if (c->nest != IR_NONE && !find_count(c, c->nest, &exits[c->nest], "trips"))
        return false;
    if (!find_count(c, c->loop, &exits[c->loop], "trip"))
        return false;
    map_enter_before(c, c->before != IR_NONE);
    bool counted = !c->is_before || find_count(c, c->loop, &exits[c->loop], "trip_before");
    map_enter_before(c, false);
    if (c->outer == IR_NONE || !counted)
        return counted;
    graph_value_add(c, "turn",
                    graph_text(c, c->before == IR_NONE ? "group" : "group - 1")); // group 0
                                                                                  // executes the
                                                                                  // loop before
    c->row_values = c->values.n;
    return true;
}
