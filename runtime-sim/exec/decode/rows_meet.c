#include "runtime-sim/exec/warp/meet.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/decode/prepare.h"

#define SYNC(op, words, widths, fn)                                                                \
    {                                                                                              \
        OP_##op, "sync " words, widths, 0, .step = fn, .prepare = prepare_meet                     \
    }
// Before PTX 6.0, the lanes were the active ones.
#define HERE(op, words, widths, fn)                                                                \
    {                                                                                              \
        OP_##op, words, widths, 0, .step = fn, .prepare = prepare_meet_here                        \
    }

const struct exec_row rows_meet[] = {
    SYNC(shfl, "up b32", "4=4444", step_shfl_up),
    SYNC(shfl, "down b32", "4=4444", step_shfl_down),
    SYNC(shfl, "bfly b32", "4=4444", step_shfl_bfly),
    SYNC(shfl, "idx b32", "4=4444", step_shfl_idx),
    HERE(shfl, "up b32", "4=444", step_shfl_up),
    HERE(shfl, "down b32", "4=444", step_shfl_down),
    HERE(shfl, "bfly b32", "4=444", step_shfl_bfly),
    HERE(shfl, "idx b32", "4=444", step_shfl_idx),
    SYNC(vote, "all pred", "p=p4", step_vote_all),
    SYNC(vote, "any pred", "p=p4", step_vote_any),
    SYNC(vote, "uni pred", "p=p4", step_vote_uni),
    SYNC(vote, "ballot b32", "4=p4", step_vote_ballot),
    HERE(vote, "all pred", "p=p", step_vote_all),
    HERE(vote, "any pred", "p=p", step_vote_any),
    HERE(vote, "uni pred", "p=p", step_vote_uni),
    HERE(vote, "ballot b32", "4=p", step_vote_ballot),
    {OP_match, "any sync b32", "4=44", 0, .step = step_match_any, .prepare = prepare_meet},
    {OP_match, "any sync b64", "4=84", 0, .step = step_match_any, .prepare = prepare_meet},
    {OP_match, "all sync b32", "4=44", 0, .step = step_match_all, .prepare = prepare_meet},
    {OP_match, "all sync b64", "4=84", 0, .step = step_match_all, .prepare = prepare_meet},
    SYNC(redux, "add u32", "4=44", step_redux_add),
    SYNC(redux, "add s32", "4=44", step_redux_add),
    SYNC(redux, "min u32", "4=44", step_redux_min_u32),
    SYNC(redux, "max u32", "4=44", step_redux_max_u32),
    SYNC(redux, "min s32", "4=44", step_redux_min_s32),
    SYNC(redux, "max s32", "4=44", step_redux_max_s32),
    SYNC(redux, "and b32", "4=44", step_redux_and),
    SYNC(redux, "or b32", "4=44", step_redux_or),
    SYNC(redux, "xor b32", "4=44", step_redux_xor),
    {OP_redux, "sync min f32", "4=44", ATTR_ABS | ATTR_NAN, .step = step_redux_min_f32,
     .prepare = prepare_meet},
    {OP_redux, "sync max f32", "4=44", ATTR_ABS | ATTR_NAN, .step = step_redux_max_f32,
     .prepare = prepare_meet},
    {OP_elect, "sync", "4=4", 0, .step = step_elect, .prepare = prepare_meet},
    {OP_activemask, "b32", "4=", 0, .step = step_activemask},
    {OP_bar, "warp sync", "=4", 0, .step = step_bar_warp, .prepare = prepare_meet},
    {0},
};
