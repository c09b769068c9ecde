// What offloads chains, for the files of the machine.
#pragma once
#include "runtime-sim/gpu/machine_state.h"
#include "runtime-sim/schemes/llc_omni/offload_queue.h"
#include "runtime-sim/schemes/llc_omni/service.h"

struct machine_offload {
    struct machine *machine;
    struct offload_shared shared;
    struct offload_stats stats;
    struct service_hooks hooks;
    struct service_stats service_stats;
    struct service_energy at_cores, elsewhere;
    struct service *services; // by end
    uint32_t ends;
    union lanes *operands; // by end, entry, load: what was read in memory, for comparing
};

// Before memory system and cores are made, and behind that.
void machine_offload_prepare(struct machine *machine, const struct offload_table *table);
void machine_offload_join(struct machine *machine);
// Launches begin: what is offloaded while they run.
void machine_offload_launch(struct machine *machine);
// A request of CLIENT_OFFLOAD or CLIENT_SERVICE is served.
void machine_offload_served(struct machine *machine, const struct memsys_request *request);
// A cycle of the service queues; before the cores'.
void machine_offload_tick(struct machine *machine);
uint64_t machine_offload_next(const struct machine *machine);
void machine_offload_settle(struct machine *machine);
