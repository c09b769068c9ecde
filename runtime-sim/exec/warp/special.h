// Special registers: what a launch and a warp know of themselves.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

// The area BASE_WARP of a warp, once: what differs between lanes and warps of a CTA.
void special_fill_warp(struct warp *warp);
// The part of it that differs between CTAs, when the CTA has its place.
void special_fill_cta(struct warp *warp);
// The area BASE_LAUNCH.
void special_fill_launch(struct launch *launch, struct arena *arena);
// Zeroed memory for lanes, which are aligned to 64 bytes.
void *aligned_lanes(struct arena *arena, size_t bytes);
