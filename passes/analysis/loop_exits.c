// The ways out of a loop.
#include "passes/analysis/regions.h"
#include "passes/analysis/trip.h"

static void add_exit(struct loop_exits *exits, uint32_t from, uint32_t to)
{
    if (!exits->edges++) {
        exits->from = from;
        exits->to = to;
        exits->other = to == IR_NONE ? from : IR_NONE;
    } else if (to == IR_NONE || to != exits->to) {
        exits->other = from;
    }
}

struct loop_exits loop_exits_of(const struct ir_function *fn, uint32_t loop)
{
    const struct ir_loop *at = &fn->loops.v[loop];
    struct loop_exits exits = {0, IR_NONE, IR_NONE, IR_NONE};
    for (uint32_t i = 0; i < at->block_count; i++) {
        uint32_t block = at->blocks[i];
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count; k++) {
            uint32_t to = ir_succs(fn, block)[k];
            if (!ir_in_loop(fn, loop, to))
                add_exit(&exits, block, to);
        }
        if (regions_leaves(fn, block))
            add_exit(&exits, block, IR_NONE);
    }
    return exits;
}
