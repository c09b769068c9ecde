#include "passes/blocks/candidates.h"
#include <ctype.h>

static uint32_t line_of(const struct ir_module *module, const struct ir_function *fn, uint32_t inst)
{
    return ir_position(module, fn, inst).line;
}

// Returns the opcode as it is written, with its modifiers.
static const char *opcode_text(struct arena *arena, const struct ir_module *module,
                               const struct ir_function *fn, uint32_t inst)
{
    uint32_t begin, end;
    const struct source *source = module->tree->source;
    node_opcode_range(module->tree, fn->insts.v[inst].node, &begin, &end);
    while (end < source->length &&
           (isalnum((unsigned char)source->text[end]) || source->text[end] == '.' ||
            source->text[end] == ':' || source->text[end] == '_'))
        end++;
    return arena_strndup(arena, source->text + begin, end - begin);
}

// Returns the rule's sentence on an instruction that no block can contain, to follow its name and
// line.
static const char *advice(struct arena *arena, enum plan_rule rule)
{
#define BLOCK(...) return arena_printf(arena, " " __VA_ARGS__);
#define PLAN_RULE(name, id, text, sentences)                                                       \
    case RULE_##name: sentences break;
    switch (rule) {
#include "passes/base/rules.def"
    case RULE_COUNT: break;
    }
    return arena_printf(arena, ": %s", plan_rules[rule].text);
}

const char *reason_barred(struct arena *arena, const struct ir_module *module,
                          const struct ir_function *fn, uint32_t inst, enum plan_rule rule)
{
    return arena_printf(arena, "%s on line %u%s", opcode_text(arena, module, fn, inst),
                        line_of(module, fn, inst), advice(arena, rule));
}

const char *reason_cut(struct arena *arena, const struct ir_module *module,
                       const struct ir_function *fn, uint32_t inst)
{
    return arena_printf(arena,
                        "%s on line %u names an argument or result of a call that code outside of "
                        "the block names, too; a block must have all of it or none",
                        opcode_text(arena, module, fn, inst), line_of(module, fn, inst));
}

const char *reason_open(struct arena *arena, const struct ir_module *module,
                        const struct ir_function *fn, const struct block_candidate *candidate)
{
    const struct loop_exits *exits = &candidate->exits;
    if (candidate->loop == IR_NONE)
        return "it has several exits, so that its threads do not reconverge";
    if (!exits->edges)
        return "the loop has no exit";
    const struct ir_block *from = &fn->blocks.v[exits->from], *other = &fn->blocks.v[exits->other];
    if (exits->other == exits->from || from->first == from->end || other->first == other->end)
        return "the loop has exits to several places, so that its threads do not reconverge";
    return arena_printf(arena,
                        "the loop is left on line %u and on line %u to different places, so that "
                        "its threads do not reconverge",
                        line_of(module, fn, from->end - 1), line_of(module, fn, other->end - 1));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *reason_cost(struct arena *arena, const struct ir_module *module,
                        const struct ir_function *fn, const struct block_candidate *candidate,
                        const struct block_plan *plan)
{
    const struct block_estimate *e = &plan->estimate;
    const char *sums = arena_printf(
        arena, "moving %u value%s in and %u out costs %g, its %u load%s and %u store%s save %g",
        plan->live_in.n, plural(plan->live_in.n), plan->live_out.n, e->in + e->out, plan->loads,
        plural(plan->loads), plan->stores, plural(plan->stores), e->saved_tx + e->saved_rx);
    if (candidate->loop == IR_NONE)
        return sums;
    if (plan->trip == TRIP_CONSTANT)
        return arena_printf(arena, "%s in each of %llu iteration%s", sums,
                            (unsigned long long)plan->trips, plural(plan->trips));
    if (candidate->has_mean && e->cost == COST_REFINED && e->threshold)
        return arena_printf(
            arena, "%s in each iteration: it saves from %llu on, but the measured mean is %.4g",
            sums, (unsigned long long)e->threshold, candidate->mean);
    if (plan->trip != TRIP_UNKNOWN || !e->threshold)
        return arena_printf(arena, "%s in each iteration", sums);
    uint32_t because = candidate->trip.because;
    const char *where =
        because == IR_NONE ? "" : arena_printf(arena, " (line %u)", line_of(module, fn, because));
    return arena_printf(arena,
                        "it would save from %llu iterations on, but their number is not known "
                        "before the loop: %s%s",
                        (unsigned long long)e->threshold, candidate->trip.why, where);
}

const char *reason_rival(struct arena *arena, const struct ir_module *module,
                         const struct ir_function *fn, const struct block_plan *rival, bool around)
{
    static const char *const kinds[] = {
        [BLOCK_LOOP] = "loop", [BLOCK_BASIC] = "block", [BLOCK_REGION] = "region"};
    return arena_printf(arena, "the %s on lines %u to %u, %s it, saves more", kinds[rival->kind],
                        line_of(module, fn, rival->first), line_of(module, fn, rival->last),
                        around ? "around" : "inside");
}
