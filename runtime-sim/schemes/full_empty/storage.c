#include "runtime-sim/schemes/full_empty/storage.h"
#include "runtime-sim/exec/memory/plane.h"
#include <inttypes.h>

void fe_storage_print(const struct fe_config *config, const struct machine_config *machine,
                      FILE *to)
{
    uint32_t partitions = machine->memsys.memory.partition_nodes.n;
    uint32_t queue = config->queue_depth * FE_REQUEST_BITS,
             data = config->queue_depth * PLANE_LINE * 8;
    const struct dram_config *dram = &machine->memsys.dram;
    uint64_t memory =
        (uint64_t)dram->channels * dram->banks * dram->rows * dram->row_bytes * partitions;
    fprintf(to, "%-40s %12.3f %%\n", "bits of memory, part of the DRAM",
            100.0 * (double)config->counter_bits / (8 * (double)config->granule));
    fprintf(to, "%-40s %12" PRIu64 " B\n", "bits of memory",
            memory * config->counter_bits / (8 * config->granule));
    fprintf(to, "%-40s %12u B at each of %u partitions\n", "two more queues, without data",
            2 * queue / 8, partitions);
    fprintf(to, "%-40s %12u B at each of %u partitions\n", "data of writes in one of them",
            data / 8, partitions);
    fprintf(to, "%-40s %12u B in each core\n", "words of a line that L1 has",
            machine->l1.sets * machine->l1.ways * (PLANE_WORDS - 1) / 8);
}
