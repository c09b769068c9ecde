// Determines why a launch makes no progress: what each warp that has not ended waits for, and which
// warps have not arrived there.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum stall_kind {
    STALL_BARRIER,       // barrier `number` of its CTA
    STALL_CLUSTER,       // the barrier of its cluster
    STALL_LANES,         // other lanes of the warp that must arrive at the same instruction
    STALL_RECONVERGENCE, // lanes of its warp on a divergent path
    STALL_MBARRIER,      // polls an mbarrier
    STALL_GRID,          // polls the barrier of a cooperative grid
    STALL_LOOP,          // executes a loop without effect
    STALL_KINDS,
};

enum { STALL_NEAREST = 160, STALL_MISSING = 4, STALLS = 16 };

struct code_position {
    uint32_t function, inst; // program function and instruction
};

// A warp that has not arrived.
struct stall_missing {
    uint32_t cta[3], warp, lanes;
    bool ended;
    struct code_position at;
};

// Warps that wait for the same event at the same instruction, or execute the same loop.
struct stall {
    uint8_t kind; // stall_kind
    struct code_position at;
    uint32_t first, last;         // first and last instruction of a loop, in the text
    uint32_t cta[3], warp, lanes; // an example
    uint64_t warps, ctas;         // number of warps, and of their CTAs
    uint32_t number;              // number of the barrier
    uint32_t come, expected; // arrived and expected: warps; threads, if the barrier counts threads;
                             // arrivals, for an mbarrier
    bool threads;
    struct stall_missing missing[STALL_MISSING];
    uint32_t missing_count;
    uint64_t ended;   // STALL_BARRIER: bit mask of the CTA's warps that have ended
    bool has_address; // the last access of the loop has an address
    uint16_t space;   // W_global, W_shared, W_local
    uint64_t address;
    char nearest[STALL_NEAREST]; // description of the location
    int64_t bytes;               // pending bytes of an mbarrier
    uint32_t last_cta;           // CTA that was counted last
};

struct stalls {
    uint32_t count;
    struct stall list[STALLS];
    uint64_t others;             // number of warps that are not in the list
    uint64_t ended, there, ctas; // numbers of ended CTAs, resident CTAs, and CTAs of the launch
    uint64_t idle; // cycles without progress although registers change; 0: they do not change
};

struct cta;
// Adds the warps of CTAs without progress.
void stall_look(struct stalls *stalls, struct cta *const *ctas, uint32_t count);
