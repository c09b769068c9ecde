// The chains of a program as the machine needs them: from what was decided when it was tagged,
// which is checked against the program once more.
#pragma once
#include "backend/tables.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/exec/decode/program.h"

enum { OFFLOAD_NO_CHAIN = UINT32_MAX };

struct offload_chain {
    uint32_t function;         // of the program
    uint32_t id;               // place among its function's chains
    uint8_t pattern;           // 1 … 9 [000 Table 1]
    uint8_t count, loads;      // instructions; of these, loads, not all of them in front
    bool stores;               // the last one is a store
    uint8_t response;          // enum response
    uint8_t response_flits;    // its size
    uint8_t vector;            // elements of each access
    uint32_t copies;           // bit set over inst: copies of registers, which compute nothing
    double expected_saving;    // flits of a warp, for each hop [docs/chains.md]
    uint32_t inst[CHAIN_MOST]; // of the function's IR, ascending
};

// An instruction of a chain. Tags: 1 the first load, 2 what is between, 3 the last instruction.
struct offload_place {
    uint32_t chain; // of the table, or OFFLOAD_NO_CHAIN
    uint8_t place;  // in chain->inst
    uint8_t tag;    // 0: none
};

// What there is of a function of the program.
struct offload_function {
    const struct offload_place *places; // by instruction; NULL: it has no chains
    uint32_t first, count;              // chains of the table
    bool service_queue_at_core; // its shared memory leaves what the service queue takes at a core
};

struct offload_table {
    VEC(struct offload_chain) chains;       // by function, then id
    VEC(struct offload_function) functions; // of the program
};

// The place of an instruction of a program function.
static inline struct offload_place offload_place(const struct offload_table *table,
                                                 uint32_t function, uint32_t inst)
{
    const struct offload_place *places = table->functions.v[function].places;
    return places ? places[inst] : (struct offload_place){.chain = OFFLOAD_NO_CHAIN};
}

// Makes the table of what was decided for this program, from tags, a document or an object. What
// does not go together with the program or, under a policy that offloads, the machine is added to
// `diags` (id "metadata") with its place in the program. False if there is any.
bool offload_table_build(struct offload_table *table, struct arena *arena,
                         const struct tables *tables, const struct program *program,
                         const struct offload_config *config, struct diags *diags);
