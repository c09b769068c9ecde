// Steps of the matrix instructions that all lanes of a warp execute together: mma, wmma.mma.
#pragma once
#include "runtime-sim/exec/lanes/matrix_ops.h"
#include "runtime-sim/exec/warp/meet.h"

// Reads a fragment from the registers of a warp. `bits` has its elements by rows.
void fragment_gather(const struct warp *warp, const struct code *code,
                     const struct fragment *fragment, uint64_t *bits);
// Writes a fragment to the registers of a warp.
void fragment_scatter(const struct warp *warp, const struct code *code,
                      const struct fragment *fragment, const uint64_t *bits);
// Returns true if all lanes of a warp have arrived. Otherwise the warp faults.
bool matrix_lanes(struct warp *warp, const struct code *code, uint32_t mask);
// Waits for all lanes, then executes the instruction once. The instruction may fault.
enum step_result matrix_warp_sync(struct warp *warp, struct path *path, const struct code *code,
                                  uint32_t mask, warp_sync_fn *fn);

step_fn step_mma;
extern const struct exec_row rows_matrix[];
