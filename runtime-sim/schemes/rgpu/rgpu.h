// R-GPU [003]: a core of the machine (an SM) runs a map instead of warps. The cores inside it keep
// one instruction each and send words to each other's FIFOs. Load-store units access memory for
// them.
//
// Read the files in this order: spatial.h (state), bind.c (a map and a launch), group.c (values of
// a group), array.c (firing), lsu.c and lines.c (loads, the prefetcher), stores.c, mode.c (the mode
// switch), written.c (waiting loads), rgpu.c (the machine), storage.c (power and area).
#pragma once
#include "passes/maps/map_hardware.h"
#include "runtime-sim/gpu/scheme/scheme.h"

struct spatial_config {
#define CONFIG_DEF "runtime-sim/schemes/rgpu/spatial.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct scheme_ops rgpu;
