// Full/empty bits between CPU and GPU [001]. With a bit for each word of memory, a kernel can begin
// before its input has arrived, and a copy can begin before the kernel has ended.
//
// Requests that arrive at a partition wait at its gate (gate.h) until the bits of their words allow
// them to proceed. Reads name the words that they need. A reply carries the full words of its line,
// and the L1 keeps no others. The host's commands are those of runtime-sim/host.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

struct fe_config {
#define CONFIG_DEF "runtime-sim/schemes/full_empty/full_empty.def"
#include "runtime-sim/base/config_fields.inc"
};

struct fe_stats {
#define STATS_DEF "runtime-sim/schemes/full_empty/full_empty_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct scheme_ops full_empty;
