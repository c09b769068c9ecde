// The blocks that the hardware may offload, from the metadata of a program [002 §3.1, §4.2].
#pragma once
#include "backend/tables/tables.h"
#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/schemes/tom/condition.h"
#include "runtime-sim/schemes/tom/decide.h"

// A live-in of a packet.
struct tom_live_in {
    uint32_t place; // in the block's registers; UINT32_MAX: a special register
    bool varies;    // of these: between the lanes
    uint32_t bytes; // of all lanes
};

// An access that may be the first one of an instance.
struct tom_access {
    uint32_t inst;
    uint32_t base;  // of its address: place in `registers`; UINT32_MAX: none
    int64_t offset; // added to it
};

struct tom_block {
    uint32_t function, id; // of the program; in the metadata
    uint32_t number;       // 1000 for each kernel before its own in the metadata, and id
    const char *kernel;
    enum tom_place_of placed;
    bool loops;                // it is a loop: a warp comes to its begin in each iteration
    uint32_t begin, end;       // instructions, the last one included
    VEC(struct tom_access) at; // its accesses to global memory, by instruction
    unsigned saves;            // enum tom_saves, as bits
    bool has_condition;
    struct condition condition;
    uint64_t threshold;
    uint64_t threshold_tx, threshold_rx; // iterations from which the channel saves; 0: never
    uint32_t bytes_in, bytes_out;        // packets, with live-ins of all lanes; live-outs
    VEC(struct tom_live_in) in;
    uint32_t instructions, accesses;     // of its text; accesses to global memory
    uint32_t parameter_bytes;            // that it reads
    uint32_t lane_registers;             // 32-bit registers of a lane that it needs in a stack
    double saving;                       // words at the threshold
    double words;                        // of an iteration's accesses, on the channel with more
    VEC(struct warp_register) registers; // all that its instructions and its condition name
    VEC(struct warp_register) out;       // live-outs
    uint32_t values, out_values;         // bytes of their values
};

struct static_map;
struct tom_rehearsal;

struct tom_table {
    VEC(struct tom_block) blocks;
    struct tom_rehearsal *rehearsal; // of a run without time
    struct static_map *differences;  // TOM_STATIC: of the accesses of each block
    uint32_t left_out;               // candidates that the hardware does not know
    VEC(const char *) reasons;
};

// Returns false with faults in `diags`.
bool tom_table_build(struct tom_table *table, struct arena *arena, const struct tables *tables,
                     const struct program *program, const struct tom_config *config,
                     struct diags *diags);

// The metadata of a block [002 §6.6]: two PCs, two register vectors, tag, condition.
enum { TOM_ENTRY_BITS = 2 * 32 + 2 * 64 + 2 + 64 };
