// The chains of a program for the machine: the tagger's plan, checked against the program once
// more.
#pragma once
#include "backend/tables.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/exec/decode/program.h"

enum { OFFLOAD_NO_CHAIN = UINT32_MAX };

struct offload_chain {
    uint32_t function;         // of the program
    uint32_t id;               // number among its function's chains
    uint8_t pattern;           // 1 … 9 [000 Table 1]
    uint8_t count, loads;      // instructions; loads among them, at any place
    bool stores;               // the last one is a store
    uint8_t response;          // enum response
    uint8_t response_flits;    // its size
    uint8_t vector;            // elements of each access
    uint32_t copies;           // set of elements of inst: copies of registers
    double expected_saving;    // flits of a warp and hop (docs/reference/chains.md)
    uint32_t inst[CHAIN_MOST]; // of the function's IR, ascending
};

// An instruction of a chain. Tags: 1 the first load, 2 instructions between, 3 the last
// instruction.
struct offload_place {
    uint32_t chain; // of the table, or OFFLOAD_NO_CHAIN
    uint8_t place;  // in chain->inst
    uint8_t tag;    // 0: no tag
};

// The chains of a function of the program.
struct offload_function {
    const struct offload_place *places; // by instruction; NULL: no chains
    uint32_t first, count;              // chains of the table
    bool service_queue_at_core; // its shared memory leaves room for the service queue of a core
};

struct offload_table {
    VEC(struct offload_chain) chains;       // by function, then id
    VEC(struct offload_function) functions; // of the program
};

// Returns the place of an instruction of a program function.
static inline struct offload_place offload_place(const struct offload_table *table,
                                                 uint32_t function, uint32_t inst)
{
    const struct offload_place *places = table->functions.v[function].places;
    return places ? places[inst] : (struct offload_place){.chain = OFFLOAD_NO_CHAIN};
}

// Makes the table from the metadata of a program: tags, a document or an object. Each contradiction
// to the program or, under a policy that offloads, to the machine is added to `diags` (id
// "metadata") with its place in the program. Returns false if there is one.
bool offload_table_build(struct offload_table *table, struct arena *arena,
                         const struct tables *tables, const struct program *program,
                         const struct offload_config *config, struct diags *diags);
