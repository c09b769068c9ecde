// Special registers: properties of a launch and a warp.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

// Fills the area BASE_WARP of a warp once: values that differ between lanes and warps of a CTA.
void special_fill_warp(struct warp *warp);
// Fills the part of it that differs between CTAs, when the CTA has its place.
void special_fill_cta(struct warp *warp);
// Fills the area BASE_LAUNCH.
void special_fill_launch(struct launch *launch, struct arena *arena);
// Allocates zeroed memory for lanes, aligned to 64 bytes.
void *aligned_lanes(struct arena *arena, size_t bytes);
