// Accelerated reply injection [004]: a memory controller injects replies from split queues, each
// linked to its own virtual channels, through several inputs of the router's crossbar, and with
// priority over packets that pass through the router.
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

// Returns the crossbar inputs for injection [004 §4.2]: the smallest number that can accept the
// flits of `rate` packets per cycle, equation (1); at least 1 and at most `bound`, equation (2).
uint32_t ari_speedup(double rate, double packet_flits, uint32_t bound);
// Returns the bound of equation (2) at a node: the number of outputs of its router, in a mesh those
// to other routers, or the virtual channels of a port if these are fewer.
uint32_t ari_bound(const struct noc_config *network, uint32_t node);
// Return true if the scheme splits the injection queues (ari_supplies), or adds crossbar inputs
// (ari_consumes).
bool ari_supplies(const struct ari_config *config);
bool ari_consumes(const struct ari_config *config);
// Returns the number of queues and links of a controller. Requires ari_supplies.
uint32_t ari_links(const struct ari_config *config, const struct noc_config *network);
