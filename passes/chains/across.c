#include "passes/chains/match.h"

enum { MAX_BLOCKS = 64, MAX_INSTRUCTIONS = 2048 };

// The blocks between the load's block and the comparison's.
struct between {
    uint32_t block[MAX_BLOCKS];
    uint32_t count;
};

void across_init(struct across *across, struct arena *arena, struct order *order)
{
    *across = (struct across){.order = order, .divergence = facts_certain(order->facts)};
    across->met = ARENA_ARRAY(arena, uint32_t, order->fn->blocks.n + 1);
}

// Adds the successors of a block that come before `to`. Returns false if control may reach `from`,
// leave the function, enter a loop, or reach too many blocks.
static bool go_on(struct across *across, uint32_t block, uint32_t from, uint32_t to,
                  struct between *between)
{
    const struct ir_function *fn = across->order->fn;
    if (!ir_post_dominates(fn, to, block))
        return false;
    for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++) {
        uint32_t next = ir_succs(fn, block)[i];
        if (next == from || (next != to && between->count == MAX_BLOCKS))
            return false;
        if (next == to)
            continue;
        // While a warp iterates the loop, no other warp could form a chain.
        if (fn->blocks.v[next].rpo <= fn->blocks.v[block].rpo)
            return false;
        if (across->met[next] == across->round)
            continue;
        across->met[next] = across->round;
        between->block[between->count++] = next;
    }
    return true;
}

// Returns true if control reaches the block only from `from` and from the blocks between.
static bool is_closed(const struct across *across, uint32_t block, uint32_t from)
{
    const struct ir_function *fn = across->order->fn;
    for (uint32_t i = 0; i < fn->blocks.v[block].pred_count; i++) {
        uint32_t pred = ir_preds(fn, block)[i];
        bool reachable = fn->blocks.v[pred].rpo != IR_NONE;
        if (reachable && pred != from && across->met[pred] != across->round)
            return false;
    }
    return true;
}

static bool find_between(struct across *across, uint32_t from, uint32_t to, struct between *between)
{
    between->count = 0;
    across->round++;
    if (!go_on(across, from, from, to, between))
        return false;
    for (uint32_t i = 0; i < between->count; i++)
        if (!go_on(across, between->block[i], from, to, between))
            return false;
    for (uint32_t i = 0; i < between->count; i++)
        if (!is_closed(across, between->block[i], from))
            return false;
    return is_closed(across, to, from);
}

static bool diverges_at(const struct across *across, uint32_t block, struct obstacle *why)
{
    const struct ir_block *at = &across->order->fn->blocks.v[block];
    if (at->first == at->end || !divergence_branches(across->divergence, block))
        return false;
    *why = (struct obstacle){RULE_DIVERGES, at->end - 1, IR_NONE};
    return true;
}

// Returns true if no instruction prevents the load from completing after it.
static bool may_pass(const struct across *across, uint32_t load, uint32_t first, uint32_t end,
                     struct obstacle *why)
{
    for (uint32_t inst = first; inst < end; inst++) {
        enum plan_rule rule = order_crossing(across->order, load, inst);
        if (rule == RULE_COUNT)
            continue;
        *why = (struct obstacle){rule, inst, load};
        return false;
    }
    return true;
}

static bool may_pass_all(const struct across *across, uint32_t load, uint32_t last,
                         const struct between *between, struct obstacle *why)
{
    const struct ir_function *fn = across->order->fn;
    const struct ir_block *from = &fn->blocks.v[fn->insts.v[load].block];
    const struct ir_block *to = &fn->blocks.v[fn->insts.v[last].block];
    uint32_t count = from->end - load + (last - to->first);
    for (uint32_t i = 0; i < between->count; i++)
        count += fn->blocks.v[between->block[i]].end - fn->blocks.v[between->block[i]].first;
    if (count > MAX_INSTRUCTIONS) {
        *why = (struct obstacle){RULE_CROSS_BLOCK, last, load};
        return false;
    }
    if (!may_pass(across, load, load + 1, from->end, why))
        return false;
    for (uint32_t i = 0; i < between->count; i++) {
        const struct ir_block *block = &fn->blocks.v[between->block[i]];
        if (!may_pass(across, load, block->first, block->end, why))
            return false;
    }
    return may_pass(across, load, to->first, last, why);
}

bool across_allows(struct across *across, uint32_t load, uint32_t last, struct obstacle *why)
{
    const struct ir_function *fn = across->order->fn;
    uint32_t from = fn->insts.v[load].block, to = fn->insts.v[last].block;
    struct between between = {.count = 0};
    *why = (struct obstacle){RULE_CROSS_BLOCK, last, load};
    if (load > last)
        return false;
    if (from == to)
        return may_pass(across, load, load + 1, last, why);
    if (!find_between(across, from, to, &between) || diverges_at(across, from, why))
        return false;
    for (uint32_t i = 0; i < between.count; i++)
        if (diverges_at(across, between.block[i], why))
            return false;
    return may_pass_all(across, load, last, &between, why);
}
