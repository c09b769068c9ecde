// Why a launch stands still: what each warp that has not ended waits for, and for whom.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum stall_kind {
    STALL_BARRIER,  // barrier `number` of its CTA
    STALL_CLUSTER,  // the barrier of its cluster
    STALL_LANES,    // lanes that are to come to the same instruction
    STALL_JOIN,     // lanes of its warp that a branch has parted from it
    STALL_MBARRIER, // asks an mbarrier again and again
    STALL_GRID,     // goes round until the barrier of a cooperative grid opens
    STALL_LOOP,     // goes round, and nothing changes
    STALL_KINDS,
};

enum { STALL_NEAREST = 160, STALL_MISSING = 4, STALLS = 16 };

struct stall_place {
    uint32_t function, inst; // program function and instruction
};

// A warp that has not come.
struct stall_missing {
    uint32_t cta[3], warp, lanes;
    bool ended;
    struct stall_place at;
};

// Warps that wait for the same at the same instruction, or go round the same loop.
struct stall {
    uint8_t kind; // stall_kind
    struct stall_place at;
    uint32_t first, last;         // a loop's first and last instruction in the text
    uint32_t cta[3], warp, lanes; // one of them
    uint64_t warps, ctas;         // how many; of how many CTAs
    uint32_t number;              // of the barrier
    uint32_t come, expected; // warps; threads of a barrier with a count; an mbarrier's arrivals
    bool threads;
    struct stall_missing missing[STALL_MISSING];
    uint32_t missing_count;
    uint64_t ended;   // STALL_BARRIER: warps of the CTA that have ended, a bit each
    bool has_address; // of the last access in the loop
    uint16_t space;   // W_global, W_shared, W_local
    uint64_t address;
    char nearest[STALL_NEAREST]; // where that is, in words
    int64_t bytes;               // that an mbarrier waits for
    uint32_t last_cta;           // that was counted
};

struct stalls {
    uint32_t count;
    struct stall list[STALLS];
    uint64_t others;             // warps that are in no row of the list
    uint64_t ended, there, ctas; // CTAs that have ended, that are there, of the launch
};

struct cta;
// Looks at CTAs that stand still.
void stall_look(struct stalls *stalls, struct cta *const *ctas, uint32_t count);
