// Chains of a program for the machine: the tagger's plan, checked against the program again.
#pragma once
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/schemes/kernels.h"
#include "runtime-sim/schemes/llc_omni/offload.h"

struct offload_chain {
    uint32_t function;        // program function
    uint32_t id;              // number among its function's chains
    uint8_t pattern;          // from 1 [000 Table 1]
    uint8_t count, loads;     // instructions; loads among them, at any position
    bool stores;              // the last instruction is a store
    uint8_t response;         // enum response
    uint8_t response_flits;   // its size
    uint8_t vector;           // elements of each access
    uint32_t copies;          // set of elements of inst that are register copies
    double expected_saving;   // flits per warp and hop (docs/reference/chains.md)
    uint32_t inst[CHAIN_MAX]; // instructions of the function's IR, ascending
};

struct offload_table {
    const struct scheme_kernels *kernels; // kernels that have the chains
    VEC(struct offload_chain) chains;     // in the order of scheme_mark_chains
};

// Builds the table from the metadata of a program: tags, a document or an object. Each
// contradiction to the program or, under a policy that offloads, to offload.chains_most is added to
// `diags` (id "metadata") with its location in the program. Returns false if there is any.
bool offload_table_build(struct offload_table *table, struct arena *arena,
                         const struct tables *tables, const struct program *program,
                         const struct offload_config *config, struct diags *diags);
