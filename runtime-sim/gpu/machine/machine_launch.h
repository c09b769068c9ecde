// A launch of a kernel on a machine.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct launch;

// Order in which the CTAs of a launch start. A CTA starts after the previous one in this order.
enum cta_order { CTAS_ASCENDING, CTAS_DESCENDING };

// The placement of the CTAs of a launch.
struct cta_placement {
    uint32_t kind;     // kind of cores
    uint8_t order;     // enum cta_order
    bool one_per_core; // such a CTA does not share its core
};

// The parts of a launch that sampling skipped, and the measurements of the others.
struct machine_skipped {
    uint64_t ctas, warp_instructions, thread_instructions;
    uint64_t timed;                   // CTAs that were simulated with time
    uint64_t begin_ctas, begin_ended; // CTAs before the first piece, and the cycle in which the
                                      // next CTA started
    uint64_t last_begun;              // cycle in which the last timed CTA started
    uint64_t pieces;                  // number of measured pieces
    double slopes, squares;           // sums over pieces of cycles per CTA, and of their squares
    uint64_t first;                   // of the current piece: cycle of its first CTA
    double sum, product;              // sums of cycles since then, and of cycles times index
};

// A launch and its result.
struct machine_launch {
    struct launch *launch; // with the members that grid_run requires
    uint64_t sample_waves; // simulates one wave of CTAs out of this number, or more, with time; 0:
                           // all
    struct machine_skipped skipped;
    struct cta_placement placement;
    uint64_t begun, ended; // cycles; at most the end of the run
    uint64_t warp_instructions, thread_instructions;
    // Registers per thread and the source of this number; CTAs per core and the resource that
    // limits them.
    uint32_t registers, room;
    const char *registers_source, *limit;
};
