// CPU time of the steps of a run.
#pragma once
#include "support/vec.h"
#include <stdio.h>

struct timing_step {
    const char *name;
    double seconds;
};

struct pass_timing {
    struct arena *arena;
    double mark;                   // CPU seconds of the process at the end of the last step
    VEC(struct timing_step) steps; // in the order of their first end
};

// Starts the first step.
void timing_init(struct pass_timing *timing, struct arena *arena);
// Adds the time since the last end to this step, which may have several parts.
void timing_end(struct pass_timing *timing, const char *name);
// Adds time that was measured separately, and takes it off the step that ends next.
void timing_add(struct pass_timing *timing, const char *name, double seconds);
// Prints a table: seconds, share, name.
void timing_print(const struct pass_timing *timing, FILE *to);
