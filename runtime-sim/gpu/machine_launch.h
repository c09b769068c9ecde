// A launch of a kernel on a machine.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct launch;

// Order in which the CTAs of a launch start. A CTA starts after the one before it in this order.
enum cta_order { CTAS_ASCENDING, CTAS_DESCENDING };

// Placement of the CTAs of a launch.
struct cta_placement {
    uint32_t kind;     // of cores
    uint8_t order;     // enum cta_order
    bool one_per_core; // such a CTA does not share its core
};

// The parts of a launch that sampling skipped, and what it measured of the others.
struct machine_skipped {
    uint64_t ctas, warp_instructions, thread_instructions;
    uint64_t timed;                   // CTAs that have started with time
    uint64_t begin_ctas, begin_ended; // CTAs before the first pieces, and the cycle of the next one
    uint64_t last_begun;              // cycle in which the last CTA with time has started
    uint64_t pieces;                  // measured ones
    double slopes, squares;           // sums over pieces: cycles for each CTA
    uint64_t first;                   // of the current piece: cycle of the first CTA,
    double sum, product;              // sums of cycles since then, and of cycles by place
};

// A launch and its result.
struct machine_launch {
    struct launch *launch; // as required by grid_run
    uint64_t sample_waves; // one wave of CTAs in this number takes time, or more of them do; 0: all
    struct machine_skipped skipped;
    struct cta_placement placement;
    uint64_t begun, ended; // cycles, at most the end of the run
    uint64_t warp_instructions, thread_instructions;
    // Registers of a thread, and the source of this number; CTAs that fit a core, and the resource
    // that limits them.
    uint32_t registers, room;
    const char *registers_source, *limit;
};
