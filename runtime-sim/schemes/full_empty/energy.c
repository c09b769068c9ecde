// Energy of full/empty bits, which are stored in the DRAM [001 §4.2], and of the two additional
// queues of a partition [001 §4.3].
#include "runtime-sim/schemes/full_empty/energy.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/schemes/full_empty/storage.h"

void fe_energy(const void *own, const struct machine_config *machine, struct energy_model *model)
{
    const struct fe_config *config = own;
    double partitions = machine->memsys.memory.partition_nodes.n;
    const struct array queue = {.entries = (double)config->queue_depth, .bits = FE_REQUEST_BITS};
    const struct array data = {.entries = (double)config->queue_depth, .bits = PLANE_LINE * 8};
    energy_add_structure(model, "full_empty", "queue of requests", queue, 2 * partitions, "");
    energy_add_structure(model, "full_empty", "data of writes", data, partitions, "");
    energy_add(model, "full_empty", "fe.fe_read", ENERGY_dram_read, 1);
    energy_add(model, "full_empty", "fe.fe_write", ENERGY_dram_write, 1);
}
