// Lists the exits of loops.
#include "passes/analysis/divergence/regions.h"
#include "passes/analysis/trip/trip.h"

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

// Adds an exit to the loop. Returns the loop around it, or IR_NONE.
static uint32_t leave(struct loop_exits *exits, const struct ir_function *fn, uint32_t loop,
                      uint32_t from, uint32_t to)
{
    add_exit(&exits[loop], from, to);
    return fn->loops.v[loop].parent;
}

struct loop_exits *loop_exits_list(struct arena *arena, const struct ir_function *fn)
{
    struct loop_exits *exits = ARENA_ARRAY(arena, struct loop_exits, fn->loops.n + 1);
    for (uint32_t i = 0; i < fn->loops.n; i++)
        exits[i] = (struct loop_exits){0, IR_NONE, IR_NONE, IR_NONE};
    for (uint32_t block = 0; block < fn->blocks.n; block++) {
        uint32_t inner = fn->blocks.v[block].loop;
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count && inner != IR_NONE; k++) {
            uint32_t to = ir_succs(fn, block)[k], loop = inner;
            while (loop != IR_NONE && !ir_in_loop(fn, loop, to))
                loop = leave(exits, fn, loop, block, to);
        }
        for (uint32_t loop = inner; loop != IR_NONE && regions_leaves(fn, block);)
            loop = leave(exits, fn, loop, block, IR_NONE);
    }
    return exits;
}
