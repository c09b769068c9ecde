// Steps of matrix instructions, which all lanes of a warp execute together: mma, wmma.mma.
#pragma once
#include "runtime-sim/exec/lanes/matrix_ops.h"
#include "runtime-sim/exec/warp/meet.h"

void fragment_gather(const struct warp *warp, const struct code *code,
                     const struct fragment *fragment, uint64_t *bits);
void fragment_scatter(const struct warp *warp, const struct code *code,
                      const struct fragment *fragment, const uint64_t *bits);
// Returns true if all lanes of a warp have arrived; else the warp faults.
bool matrix_lanes(struct warp *warp, const struct code *code, uint32_t mask);
// Waits for all lanes, then executes the instruction once; it may fault.
enum step_result matrix_meet(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask, meet_fn *fn);

step_fn step_mma;
extern const struct exec_row rows_matrix[];
