// Reports why a launch makes no progress: what each warp that has not ended waits for, and which
// warps have not arrived there.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum stall_kind {
    STALL_BARRIER,  // barrier `number` of its CTA
    STALL_CLUSTER,  // the barrier of its cluster
    STALL_LANES,    // other lanes that must arrive at the same instruction
    STALL_JOIN,     // lanes of its warp on a divergent path
    STALL_MBARRIER, // polls an mbarrier
    STALL_GRID,     // polls the barrier of a cooperative grid
    STALL_LOOP,     // executes a loop without effect
    STALL_KINDS,
};

enum { STALL_NEAREST = 160, STALL_MISSING = 4, STALLS = 16 };

struct stall_place {
    uint32_t function, inst; // program function and instruction
};

// A warp that has not arrived.
struct stall_missing {
    uint32_t cta[3], warp, lanes;
    bool ended;
    struct stall_place at;
};

// Warps that wait for the same event at the same instruction, or execute the same loop.
struct stall {
    uint8_t kind; // stall_kind
    struct stall_place at;
    uint32_t first, last;         // a loop's first and last instruction in the text
    uint32_t cta[3], warp, lanes; // one example
    uint64_t warps, ctas;         // number of warps, and of their CTAs
    uint32_t number;              // of the barrier
    uint32_t come, expected; // arrived and expected: warps; threads of a barrier with a count; an
                             // mbarrier's arrivals
    bool threads;
    struct stall_missing missing[STALL_MISSING];
    uint32_t missing_count;
    uint64_t ended;   // STALL_BARRIER: warps of the CTA that have ended, a bit each
    bool has_address; // of the last access in the loop
    uint16_t space;   // W_global, W_shared, W_local
    uint64_t address;
    char nearest[STALL_NEAREST]; // description of the place
    int64_t bytes;               // pending bytes of an mbarrier
    uint32_t last_cta;           // the CTA that was counted last
};

struct stalls {
    uint32_t count;
    struct stall list[STALLS];
    uint64_t others;             // warps that are not in the list
    uint64_t ended, there, ctas; // CTAs that have ended, that are resident, and of the launch
    uint64_t idle; // cycles without progress of warps whose registers change; 0: they do not
};

struct cta;
// Adds the warps of CTAs without progress.
void stall_look(struct stalls *stalls, struct cta *const *ctas, uint32_t count);
