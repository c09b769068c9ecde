// Runs the passes, from one list.
#pragma once
#include "passes/base/passes.h"
#include "passes/base/plan.h"
#include <stdio.h>

struct pass {
    const char *name;
    const struct function_pass *run;
    const char *what; // one line
};

// In the order of execution; the last has the name NULL.
extern const struct pass passes[];

const struct pass *pass_find(const char *name); // NULL if unknown

struct pipeline {
    struct pass_options options;
    const struct pass *stop_after; // last pass to run, or NULL
    bool validate;                 // check the module before the first pass and after each
    FILE *faults;                  // stream for the faults of the validation
    uint32_t threads; // maximum number of threads; 0 counts as 1. The plan does not depend on it
    bool keep_facts;  // keep the facts in the plan, for explanations; uses one thread
    // Called at the end for each pass and for "validate", with its CPU time. May be NULL.
    void (*spent)(void *context, const char *name, double seconds);
    void *context;
};

// Runs the passes over the module, one group of functions after the other, so that facts are freed
// early. Requires an empty plan with an arena. Returns the name of the pass after which validation
// found faults ("ir": before the first pass), or NULL.
const char *pipeline_run(const struct pipeline *pipeline, struct ir_module *module,
                         struct plan *plan);

// Prints the plan as comment lines that follow the module.
void plan_print(const struct ir_module *module, const struct plan *plan, FILE *to);

// --fma=split: divides a fused multiply-add into a multiplication, which ends its chain, and an
// addition.

// Adds the edits that divide the fused multiply-adds of split chains. The product is written to a
// new register of the function. Both instructions have an explicit rounding mode, so that no
// assembler fuses them again, and keep the lines of the original.
void split_fused(const struct ir_module *module, struct plan *plan);

// Threads that run passes over functions.

enum { MAX_PASSES = 8 };

// CPU time of each pass, and of validation.
struct crew_seconds {
    double pass[MAX_PASSES], validate;
};

double crew_clock(void); // CPU seconds of this thread

// Runs the first `count` passes over all functions. The plan is the same as if each pass had run
// over all functions before the next one. `invalid`: validation found faults first after this
// number of passes; 0 if it found none.
void crew_run(const struct pipeline *pipeline, const struct ir_module *module, struct plan *plan,
              uint32_t count, uint32_t threads, uint32_t *invalid, struct crew_seconds *seconds);
