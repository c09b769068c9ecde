// The scheme in which LLC partitions, and nodes on the routes to them, compute chains of loads,
// operations and stores: LLC-Compute and Omni-Compute [000].
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/schemes/llc_omni/storage.h"

extern const struct scheme_ops llc_omni;

// Returns true if cores that have free shared memory can compute for others: in a mesh with one
// node at each router, for which cores have tables of meet nodes.
bool offload_at_cores(const struct machine_config *config, const struct offload_config *offload);
// Returns the sizes that determine the storage of a machine.
struct offload_storage llc_omni_storage(const struct offload_config *offload,
                                        const struct machine_config *config);
