// The scheme that lets LLC partitions, and nodes on the way to them, compute chains of loads,
// operations and stores: LLC-Compute and Omni-Compute [000].
#pragma once
#include "runtime-sim/gpu/machine.h"
#include "runtime-sim/schemes/llc_omni/log.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/schemes/llc_omni/storage.h"

extern const struct scheme_ops llc_omni;

// Cores compute for others, where the shared memory is left: in a mesh with a node at each router,
// of which there is a table of meet nodes.
bool offload_at_cores(const struct machine_config *config);
// What offloading takes of storage in such a machine.
struct offload_storage llc_omni_storage(const struct offload_config *offload,
                                        const struct machine_config *config);
// Tells what happens to chains, if the scheme is active.
void llc_omni_listen(struct machine *machine, const struct offload_log *log);
