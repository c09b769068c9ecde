// Special registers, which describe a launch and a warp.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

// Fills the area BASE_WARP of a warp with the values that differ between lanes and warps of a CTA.
// Called once.
void special_fill_warp(struct warp *warp);
// Fills the part of that area that differs between CTAs. Called when the CTA has its index.
void special_fill_cta(struct warp *warp);
// Fills the area BASE_LAUNCH.
void special_fill_launch(struct launch *launch, struct arena *arena);
// Allocates zeroed memory for lanes, aligned to 64 bytes.
void *aligned_lanes(struct arena *arena, size_t bytes);
