// Rows of instructions that are steps, by group. They are the same for every instruction set of the
// host.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/memory/ldmatrix.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/meet.h"
#include "runtime-sim/exec/warp/steps.h"

const struct exec_row rows_steps[] = {
    {OP_bra, NULL, NULL, 0, .step = step_branch, .prepare = prepare_branch},
    {OP_brx, NULL, NULL, 0, .step = step_branch_indexed, .prepare = prepare_branch_indexed},
    {OP_call, NULL, NULL, 0, .step = step_call, .prepare = prepare_call},
    {OP_ret, NULL, NULL, 0, .step = step_return},
    {OP_exit, NULL, NULL, 0, .step = step_exit},
    {OP_trap, NULL, NULL, 0, .step = step_trap},
    {OP_brkpt, NULL, NULL, 0, .step = step_breakpoint},
    {OP_bar, NULL, NULL, 0, .step = step_barrier, .prepare = prepare_barrier},
    {OP_barrier, "cluster arrive", "=", 0, .step = step_cluster_arrive},
    {OP_barrier, "cluster arrive release", "=", 0, .step = step_cluster_arrive},
    {OP_barrier, "cluster arrive relaxed", "=", 0, .step = step_cluster_arrive},
    {OP_barrier, "cluster wait", "=", 0, .step = step_cluster_wait},
    {OP_barrier, "cluster wait acquire", "=", 0, .step = step_cluster_wait},
    {OP_barrier, NULL, NULL, 0, .step = step_barrier, .prepare = prepare_barrier},
    {OP_set, NULL, NULL, 0, .step = step_nothing, .prepare = prepare_set},
    {OP_nanosleep, NULL, "=4", 0, .step = step_sleep},
    {OP_pmevent, NULL, NULL, 0, .step = step_nothing},
    {OP_setmaxnreg, NULL, NULL, 0, .step = step_nothing}, // a hint
    {0},
};

const struct exec_row rows_matrix[] = {
    {OP_mma, NULL, NULL, 0, .step = step_mma, .prepare = prepare_mma},
    {OP_wmma, NULL, NULL, 0, .step = step_mma, .prepare = prepare_wmma},
    {OP_ldmatrix, NULL, NULL, 0, .step = step_matrix_load, .prepare = prepare_ldmatrix},
    {OP_stmatrix, NULL, NULL, 0, .step = step_matrix_store, .prepare = prepare_ldmatrix},
    {OP_movmatrix, NULL, NULL, 0, .step = step_movmatrix, .prepare = prepare_movmatrix},
    {OP_wgmma, NULL, NULL, 0, .step = step_nothing, .prepare = prepare_warpgroup},
    {0},
};

#define SYNC(op, words, widths, fn)                                                                \
    {                                                                                              \
        OP_##op, "sync " words, widths, 0, .step = fn, .prepare = prepare_warp_sync                \
    }
// Before PTX 6.0, the lanes were the active ones.
#define HERE(op, words, widths, fn)                                                                \
    {                                                                                              \
        OP_##op, words, widths, 0, .step = fn, .prepare = prepare_warp_sync_here                   \
    }

const struct exec_row rows_warp_sync[] = {
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
    {OP_match, "any sync b32", "4=44", 0, .step = step_match_any, .prepare = prepare_warp_sync},
    {OP_match, "any sync b64", "4=84", 0, .step = step_match_any, .prepare = prepare_warp_sync},
    {OP_match, "all sync b32", "4=44", 0, .step = step_match_all, .prepare = prepare_warp_sync},
    {OP_match, "all sync b64", "4=84", 0, .step = step_match_all, .prepare = prepare_warp_sync},
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
     .prepare = prepare_warp_sync},
    {OP_redux, "sync max f32", "4=44", ATTR_ABS | ATTR_NAN, .step = step_redux_max_f32,
     .prepare = prepare_warp_sync},
    {OP_elect, "sync", "4=4", 0, .step = step_elect, .prepare = prepare_warp_sync},
    {OP_activemask, "b32", "4=", 0, .step = step_activemask},
    {OP_bar, "warp sync", "=4", 0, .step = step_bar_warp, .prepare = prepare_warp_sync},
    {0},
};

// Instructions that access memory or compute with addresses

#define ROW(op, fn, prepare_fn)                                                                    \
    {                                                                                              \
        OP_##op, NULL, NULL, 0, .step = fn, .prepare = prepare_fn                                  \
    }

const struct exec_row rows_memory[] = {
    ROW(ld, step_load, prepare_load),
    ROW(ldu, step_load, prepare_load),
    ROW(st, step_store, prepare_store),
    ROW(atom, step_atomic, prepare_atomic),
    ROW(red, step_atomic, prepare_atomic),
    ROW(prefetch, step_nothing, NULL),
    ROW(prefetchu, step_nothing, NULL),
    ROW(applypriority, step_nothing, NULL),
    ROW(discard, step_discard, prepare_discard),
    ROW(createpolicy, step_nothing, prepare_policy),
    ROW(cvta, step_nothing, prepare_cvta),
    ROW(isspacep, step_is_in_space, prepare_isspacep),
    ROW(mapa, step_nothing, prepare_mapa),
    ROW(getctarank, step_nothing, prepare_getctarank),
    ROW(alloca, step_alloca, prepare_alloca),
    ROW(stacksave, step_stack_save, prepare_stack_save),
    ROW(stackrestore, step_stack_restore, prepare_stack_restore),
    ROW(membar, step_order, NULL),
    ROW(fence, step_order, NULL),
    ROW(cp, step_nothing, prepare_copy),
    ROW(tensormap, step_nothing, prepare_tensor_map),
    ROW(mbarrier, step_mbarrier, prepare_mbarrier),
    ROW(griddepcontrol, step_nothing, NULL),
    {0},
};

const struct exec_row rows_texture[] = {
    {OP_tex, NULL, NULL, 0, .step = step_tex, .prepare = prepare_tex},
    {OP_tld4, NULL, NULL, 0, .step = step_tld4, .prepare = prepare_tld4},
    {OP_txq, NULL, NULL, 0, .step = step_txq, .prepare = prepare_txq},
    {OP_suld, NULL, NULL, 0, .step = step_surface_load, .prepare = prepare_surface},
    {OP_sust, NULL, NULL, 0, .step = step_surface_store, .prepare = prepare_surface},
    {OP_sured, NULL, NULL, 0, .step = step_surface_reduce, .prepare = prepare_surface},
    {OP_suq, NULL, NULL, 0, .step = step_txq, .prepare = prepare_txq},
    {0},
};
