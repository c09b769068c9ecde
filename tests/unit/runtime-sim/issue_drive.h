// Executes launches by single instructions, with accesses that take a random time and are served in
// random parts: any order that a machine may have, as far as issue.h allows it.
#pragma once
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/warp/slots_used.h"
#include "tests/unit/runtime-sim/issue_chains.h"

struct drive {
    uint64_t seed;
    uint32_t ctas;                    // that are there at once, at least
    uint32_t max_delay;               // rounds that an access waits at most
    bool checked;                     // looks at every byte of the frames
    const struct chain_table *chains; // those that are issued ahead of their loads, or NULL
    uint64_t held, parts, served;     // what was done: held accesses, their parts, those at issue
    uint64_t computed, given_up;      // chains
};

// Executes a launch, as called by a session: `machine` is a struct drive.
void drive_run(void *machine, struct launch *launch, struct arena *arena,
               struct grid_result *result);
