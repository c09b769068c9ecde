// Threads that run passes over functions.
#pragma once
#include "passes/plan/pipeline.h"

enum { MOST_PASSES = 8 };

// CPU time of each pass, and of validation.
struct crew_seconds {
    double pass[MOST_PASSES], validate;
};

double crew_clock(void); // CPU seconds of this thread

// Runs the first `count` passes over all functions. The plan is the same as if each pass had run
// over all functions before the next one. `invalid`: validation found faults first after this
// number of passes; 0 if it found none.
void crew_run(const struct pipeline *pipeline, const struct ir_module *module, struct plan *plan,
              uint32_t count, uint32_t threads, uint32_t *invalid, struct crew_seconds *seconds);
