// Declarations that the files of placing.h share.
#pragma once
#include "report/placing.h"
#include "runtime-sim/schemes/llc_omni/emn.h"

// A machine, as far as it determines where chains are computed.
struct placing_machine {
    struct arena *arena;
    const struct machine_config *config;
    struct partition_map map;
    uint64_t period; // bytes after which the address map repeats; 0: it does not
    uint64_t start;  // a multiple of all partitions' chunks, from which differences stay positive
    uint32_t line, partitions, cores;
    const struct placement *mesh; // NULL: another network
    const uint16_t *meet;         // emn_tables; NULL: no core computes
    uint32_t distance;            // hops between any two nodes of other networks
    uint32_t *keys;               // partitions of the operands of each sample
};

void placing_machine_init(struct placing_machine *machine, struct arena *arena,
                          const struct machine_config *config);
// Computes shares and costs of a chain. `proposed`: with the places of the kernel's bases,
// otherwise with all places that the granules allow.
void placing_evaluate(struct placing_machine *machine, const struct placing_kernel *kernel,
                      const struct placed_chain *placed, const struct chain *chain, bool proposed,
                      struct placing_result *result);
// Returns the share of instances whose operands are in one partition.
double placing_share(struct placing_machine *machine, const struct placing_kernel *kernel,
                     const struct placed_chain *placed, bool proposed);
// Returns the flits that such an instance saves at the reply ports of partitions.
double placing_saving(const struct placing_machine *machine, const struct placed_chain *placed,
                      const struct chain *chain);
