// Accelerated reply injection [004]: replies leave a memory controller by split queues, each with a
// link to virtual channels of its own, through several inputs of the router's crossbar, and with
// priority over packets that pass the router.
//
// The mechanisms are keys of the reply network (noc/noc.def). The scheme sets them at the nodes of
// the partitions, gives replies their priority, and observes the partitions' network interfaces.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

struct ari_config {
#define CONFIG_DEF "runtime-sim/schemes/ari/ari.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct scheme_ops ari;

// Returns the crossbar inputs for injection [004 §4.2]: the smallest number that takes the flits of
// `rate` packets per cycle (1), at least 1 and at most `bound` (2).
uint32_t ari_speedup(double rate, double packet_flits, uint32_t bound);
// Returns the bound (2) at a node: the outputs of its router, in a mesh those to other routers, or
// the virtual channels of a port if these are fewer.
uint32_t ari_bound(const struct noc_config *network, uint32_t node);
// Returns true if the scheme splits the injection queues, or adds inputs of the crossbar.
bool ari_supplies(const struct ari_config *config);
bool ari_consumes(const struct ari_config *config);
// Returns the links of a controller where queues are split.
uint32_t ari_links(const struct ari_config *config, const struct noc_config *network);
