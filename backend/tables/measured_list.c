#include "backend/tables/profile_read.h"
#include "passes/analysis/memory/measured.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A measurement, with the place by which it is sorted.
struct measurement {
    uint32_t function, inst;
    struct table_measurement entry;
};

struct lister {
    struct arena *arena;
    const struct ir_module *module;
    const struct pass_options *options;
    struct plan *plan;
    VEC(struct measurement) list;
};

static void add(struct lister *l, uint32_t function, uint32_t first, uint32_t last,
                struct table_measurement entry)
{
    const struct ir_function *fn = &l->module->functions.v[function];
    const struct name *name = tree_name(l->module->tree, fn->name);
    struct source_position place = ir_position(l->module, fn, first);
    entry.kernel = arena_strndup(l->arena, name->text, name->length);
    entry.line = place.line;
    entry.column = place.column;
    entry.end_line = ir_position(l->module, fn, last).line;
    struct measurement made = {function, first, entry};
    vec_push(l->arena, &l->list, made);
}

// Accesses

static const char *lines_text(struct arena *arena, const struct coalescing *c)
{
    if (c->min == c->max)
        return arena_printf(arena, "%u line%s", c->max, c->max == 1 ? "" : "s");
    return arena_printf(arena, "%s%u to %u lines", c->known ? "" : "not known, ", c->min, c->max);
}

static uint64_t served(const struct measured_cache *cache)
{
    return cache->hits > UINT64_MAX - cache->merged ? UINT64_MAX : cache->hits + cache->merged;
}

static enum measured_kind kind_of(const struct ir_inst *inst)
{
    if (inst->class == CLASS_ATOMIC)
        return MEASURED_ATOMIC;
    return inst->class == CLASS_LOAD ? MEASURED_LOAD : MEASURED_STORE;
}

static void list_access(struct lister *l, struct facts *facts, uint32_t function, uint32_t inst)
{
    const struct measured_inst *at = measured_inst(facts, inst);
    const struct coalescing c = coalescing_of(facts_coalescings(facts), inst);
    if (!c.access || !at->all.accesses)
        return;
    enum measured_kind kind = kind_of(&facts->fn->insts.v[inst]);
    struct table_measurement entry = {
        .kind = kind,
        .times = at->all.accesses,
        .mean = (double)at->all.lines / (double)at->all.accesses,
        .min = at->all.min,
        .max = at->all.max,
        .analysis = lines_text(l->arena, &c),
        .l1_accesses = at->l1.accesses,
        .l1_served = served(&at->l1),
        .llc_accesses = at->llc.accesses,
        .llc_served = served(&at->llc),
    };
    bool cached = kind == MEASURED_LOAD && (entry.l1_accesses || entry.llc_accesses);
    entry.decides = l->options->cost == COST_REFINED && kind != MEASURED_ATOMIC &&
                    (!coalescing_is_exact(&c) || cached);
    add(l, function, inst, inst, entry);
}

// Loops

static const char *trips_text(struct arena *arena, const struct block_plan *block)
{
    if (block->trip == TRIP_CONSTANT)
        return arena_printf(arena, "%" PRIu64 " iteration%s", block->trips,
                            block->trips == 1 ? "" : "s");
    return block->trip == TRIP_COUNTED ? arena_printf(arena, "%s iterations", block->trip_text)
                                       : "not known";
}

static void list_loop(struct lister *l, const struct block_plan *block)
{
    const struct facts *facts = facts_of(l->plan, l->module, l->options, block->function);
    uint32_t loop = facts->fn->blocks.v[block->entry].loop;
    const struct measured_loop *at =
        block->kind == BLOCK_LOOP && loop != IR_NONE ? measured_loop(facts, loop) : NULL;
    if (!at || !at->entries)
        return;
    double times = (double)at->iterations / (double)at->entries;
    bool constant = block->trip == TRIP_CONSTANT;
    // The last evaluation of the loop's condition does not count as an iteration.
    bool tests = constant ? at->min == at->max && at->min == block->trips + 1
                          : times - block->measured_trips > 0.5;
    struct table_measurement entry = {
        .kind = MEASURED_LOOP,
        .times = at->entries,
        .mean = times - tests,
        .min = at->min - tests,
        .max = at->max - tests,
        .analysis = trips_text(l->arena, block),
        .decides = !constant && l->options->cost == COST_REFINED,
    };
    add(l, block->function, block->first, block->last, entry);
}

// Orders by place; loops precede the accesses in them.
static int in_text(const void *left, const void *right)
{
    const struct measurement *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->inst != b->inst)
        return a->inst < b->inst ? -1 : 1;
    if (a->entry.end_line != b->entry.end_line)
        return a->entry.end_line > b->entry.end_line ? -1 : 1;
    return (a->entry.kind < b->entry.kind) - (a->entry.kind > b->entry.kind);
}

// Returns true if the function is this kernel of the tables, whose order is that of the functions.
static bool is_next(const struct lister *l, const struct tables *tables, uint32_t kernel,
                    uint32_t function)
{
    const struct name *name = tree_name(l->module->tree, l->module->functions.v[function].name);
    return kernel < tables->kernels.n && strlen(tables->kernels.v[kernel].name) == name->length &&
           !memcmp(tables->kernels.v[kernel].name, name->text, name->length);
}

static void list_function(struct lister *l, uint32_t function, uint32_t *block)
{
    struct facts *facts = facts_of(l->plan, l->module, l->options, function);
    for (uint32_t inst = 0; inst < facts->fn->insts.n; inst++)
        list_access(l, facts, function, inst);
    while (*block < l->plan->blocks.n && l->plan->blocks.v[*block].function < function)
        ++*block;
    for (; *block < l->plan->blocks.n && l->plan->blocks.v[*block].function == function; ++*block)
        list_loop(l, &l->plan->blocks.v[*block]);
}

void measured_list(struct tables *tables, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, struct plan *plan)
{
    struct lister l = {.arena = arena, .module = module, .options = options, .plan = plan};
    for (uint32_t i = 0, kernel = 0, block = 0; i < module->functions.n; i++) {
        if (!is_next(&l, tables, kernel, i))
            continue;
        kernel++;
        if (options->measured->functions[i].insts)
            list_function(&l, i, &block);
    }
    if (l.list.n)
        qsort(l.list.v, l.list.n, sizeof *l.list.v, in_text);
    for (uint32_t i = 0; i < l.list.n; i++)
        vec_push(arena, &tables->measurements, l.list.v[i].entry);
}
