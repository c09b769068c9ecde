// Instructions that several lanes execute together.
#pragma once
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/warp/warp.h"

// Executes an instruction for all its lanes. Results go to warp->temp.
typedef void warp_sync_fn(struct warp *warp, const struct code *code, uint32_t mask);
// Waits for the lanes that the code names, then executes `fn` once for all of them; NULL: only
// synchronises. With `anywhere`, lanes at other codes count if the instruction there differs only
// in its registers; `extra` must then have the bytes per lane of each source.
enum step_result warp_sync(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask, warp_sync_fn *fn, bool anywhere);
// Called when lanes have ended, so that lanes that wait for them check again.
void warp_sync_again(struct warp *warp);

// code->value is the number of the source, counted from 1, that has the mask of lanes; 0: the lanes
// of the path.
step_fn step_shfl_up, step_shfl_down, step_shfl_bfly, step_shfl_idx;
step_fn step_vote_all, step_vote_any, step_vote_uni, step_vote_ballot;
step_fn step_match_any, step_match_all;
step_fn step_redux_add, step_redux_and, step_redux_or, step_redux_xor;
step_fn step_redux_min_u32, step_redux_max_u32, step_redux_min_s32, step_redux_max_s32;
step_fn step_redux_min_f32, step_redux_max_f32;
step_fn step_elect, step_bar_warp, step_activemask;

extern const struct exec_row rows_warp_sync[];
