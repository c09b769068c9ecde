#include "passes/analysis/cost/transfer.h"
#include "passes/analysis/memory/measured.h"
#include <inttypes.h>

enum { MAX_LINES = WARP_LANES * 16 }; // of one access: a vector in local memory

struct measurements *measurements_new(struct arena *arena, const struct ir_module *module)
{
    struct measurements *m = ARENA_NEW(arena, struct measurements);
    m->functions = ARENA_ARRAY(arena, struct measured_function, module->functions.n + 1);
    return m;
}

struct measured_function *measured_function(struct measurements *measurements, struct arena *arena,
                                            const struct ir_module *module, uint32_t function)
{
    struct measured_function *to = &measurements->functions[function];
    const struct ir_function *fn = &module->functions.v[function];
    if (!to->insts) {
        to->insts = ARENA_ARRAY(arena, struct measured_inst, fn->insts.n + 1);
        to->loops = ARENA_ARRAY(arena, struct measured_loop, fn->loops.n + 1);
    }
    return to;
}

// Sums

static void add(uint64_t *to, uint64_t more)
{
    *to = more > UINT64_MAX - *to ? UINT64_MAX : *to + more;
}

static void add_lines(struct measured_lines *to, const struct measured_lines *from)
{
    if (!from->accesses)
        return;
    if (!to->accesses || from->min < to->min)
        to->min = from->min;
    to->max = from->max > to->max ? from->max : to->max;
    add(&to->accesses, from->accesses);
    add(&to->lines, from->lines);
    add(&to->sectors, from->sectors);
}

static void add_cache(struct measured_cache *to, const struct measured_cache *from)
{
    add(&to->accesses, from->accesses);
    add(&to->hits, from->hits);
    add(&to->merged, from->merged);
}

void measured_add_inst(struct measured_inst *to, const struct measured_inst *from)
{
    add_lines(&to->all, &from->all);
    add_lines(&to->full, &from->full);
    add_cache(&to->l1, &from->l1);
    add_cache(&to->llc, &from->llc);
}

void measured_add_loop(struct measured_loop *to, const struct measured_loop *from)
{
    if (!from->entries)
        return;
    if (!to->entries || from->min < to->min)
        to->min = from->min;
    to->max = from->max > to->max ? from->max : to->max;
    add(&to->entries, from->entries);
    add(&to->iterations, from->iterations);
}

// Numbers

static const struct measured_function *function_of(const struct facts *facts)
{
    const struct measurements *m = facts->options.measured;
    return m ? &m->functions[facts->fn - facts->module->functions.v] : NULL;
}

const struct measured_inst *measured_inst(const struct facts *facts, uint32_t inst)
{
    const struct measured_function *function = function_of(facts);
    return function && function->insts ? &function->insts[inst] : NULL;
}

const struct measured_loop *measured_loop(const struct facts *facts, uint32_t loop)
{
    const struct measured_function *function = function_of(facts);
    return function && function->insts ? &function->loops[loop] : NULL;
}

// Returns count / of, at most `most`. Large denominators are rounded to BW_REFINED, the unit of the
// sums.
static struct ratio ratio_near(uint64_t count, uint64_t of, uint64_t max)
{
    struct ratio ratio = ratio_of(count, of);
    if (ratio.count / ratio.of >= max)
        return (struct ratio){max, 1};
    if (ratio.of > BW_REFINED)
        ratio = ratio_of((uint64_t)((double)ratio.count / (double)ratio.of * BW_REFINED + 0.5),
                         BW_REFINED);
    return ratio;
}

void measured_lines(const struct facts *facts, uint32_t inst, struct coalescing *access,
                    unsigned *which)
{
    const struct measured_inst *at = measured_inst(facts, inst);
    if (!at || !at->all.accesses || coalescing_is_exact(access))
        return;
    access->lines = ratio_near(at->all.lines, at->all.accesses, MAX_LINES);
    access->sectors = ratio_near(at->all.sectors, at->all.accesses, MAX_LINES);
    *which |= MEASURED_LINES;
}

static uint64_t missed(const struct measured_cache *cache)
{
    uint64_t served = cache->hits;
    add(&served, cache->merged);
    return served < cache->accesses ? cache->accesses - served : 0;
}

bool measured_miss(const struct facts *facts, uint32_t inst, struct ratio *miss)
{
    const struct measured_inst *at = measured_inst(facts, inst);
    if (!at || !at->l1.accesses)
        return false;
    *miss = ratio_near(missed(&at->l1), at->l1.accesses, 1);
    return true;
}

// A load that bypasses L1 requests all of its lines from the LLC.
bool measured_miss_all(const struct facts *facts, uint32_t inst, struct ratio *miss)
{
    const struct measured_inst *at = measured_inst(facts, inst);
    if (!at || !at->llc.accesses)
        return measured_miss(facts, inst, miss);
    *miss = ratio_near(missed(&at->llc), at->l1.accesses ? at->l1.accesses : at->llc.accesses, 1);
    return true;
}

bool measured_trips(const struct facts *facts, uint32_t loop, bool tests_first, double *mean)
{
    const struct measured_loop *at = measured_loop(facts, loop);
    if (!at || !at->entries)
        return false;
    *mean = (double)at->iterations / (double)at->entries - tests_first;
    return true;
}

// Text

static double mean_lines(const struct measured_lines *lines)
{
    return (double)lines->lines / (double)lines->accesses;
}

const char *measured_text(const struct facts *facts, struct arena *arena, uint32_t inst)
{
    const struct measured_inst *at = measured_inst(facts, inst);
    if (!at || !at->all.accesses)
        return NULL;
    double mean = mean_lines(&at->all);
    const char *lines = arena_printf(arena, "measured: %.4g line%s for each access", mean,
                                     at->all.lines == at->all.accesses ? "" : "s");
    if (!at->l1.accesses)
        return lines;
    uint64_t served = at->l1.accesses - missed(&at->l1);
    return arena_printf(arena, "%s, of which L1 served %.3g %%", lines,
                        100.0 * (double)served / (double)at->l1.accesses);
}

// Comparison with proven numbers

static void warn(const struct facts *facts, struct diags *diags, uint32_t inst, const char *text)
{
    const struct node *node = &facts->module->tree->nodes.v[facts->fn->insts.v[inst].node];
    diag_add(diags, DIAG_WARNING, "profile-differs", node->begin, node->end, "%s", text);
}

static const char *range_text(struct arena *arena, uint64_t min, uint64_t max)
{
    return min == max ? arena_printf(arena, "%" PRIu64, min)
                      : arena_printf(arena, "%" PRIu64 " to %" PRIu64, min, max);
}

static void compare_access(struct facts *facts, struct diags *diags, uint32_t inst)
{
    const struct measured_lines *full = &measured_inst(facts, inst)->full;
    if (!full->accesses)
        return;
    struct coalescing c = coalescing_of(facts_coalescings(facts), inst);
    if (!c.access || (full->min >= c.min && full->max <= c.max))
        return;
    const char *hint = shape_is_known(&facts->shape)
                           ? ""
                           : "; without --block, blocks of one dimension are assumed";
    warn(facts, diags, inst,
         arena_printf(facts->arena,
                      "whole warps touched %s lines with an access; the analysis found %s%s",
                      range_text(facts->arena, full->min, full->max),
                      range_text(facts->arena, c.min, c.max), hint));
}

static uint32_t loop_at(const struct ir_function *fn, uint32_t header)
{
    uint32_t loop = fn->blocks.v[header].loop;
    return loop != IR_NONE && fn->loops.v[loop].header == header ? loop : IR_NONE;
}

static void compare_loop(struct facts *facts, struct diags *diags, const struct block_plan *plan)
{
    uint32_t header = loop_at(facts->fn, plan->entry);
    const struct measured_loop *at = header == IR_NONE ? NULL : measured_loop(facts, header);
    if (plan->kind != BLOCK_LOOP || plan->trip != TRIP_CONSTANT || !at || !at->entries)
        return;
    // A last execution that only tests counts once more at the header.
    if (at->min >= plan->trips && at->max - plan->trips <= 1 && at->min == at->max)
        return;
    warn(facts, diags, plan->first,
         arena_printf(facts->arena,
                      "threads executed this loop %s times; the analysis found %" PRIu64 " times",
                      range_text(facts->arena, at->min, at->max), plan->trips));
}

void measured_compare(struct plan *plan, const struct ir_module *module,
                      const struct pass_options *options, struct diags *diags)
{
    for (uint32_t i = 0; i < module->functions.n; i++) {
        if (!options->measured->functions[i].insts)
            continue;
        struct facts *facts = facts_of(plan, module, options, i);
        for (uint32_t inst = 0; inst < facts->fn->insts.n; inst++)
            compare_access(facts, diags, inst);
    }
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        compare_loop(facts_of(plan, module, options, plan->blocks.v[i].function), diags,
                     &plan->blocks.v[i]);
}
