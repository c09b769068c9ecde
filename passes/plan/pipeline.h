// Runs the passes, from one list.
#pragma once
#include "passes/base/passes.h"
#include <stdio.h>

struct pass {
    const char *name;
    pass_function *run;
    const char *what; // one line
};

// In order; the last has the name NULL.
extern const struct pass passes[];

const struct pass *pass_find(const char *name); // NULL if unknown

struct pipeline {
    struct pass_options options;
    const struct pass *stop_after; // the last one to run, or NULL
    bool validate;                 // check the module before the first pass and after each
    FILE *faults;                  // stream for the faults of the validation
    // Called after each pass with its name, and after each validation with "validate"; may be NULL.
    void (*step)(void *context, const char *name);
    void *context;
};

// Runs the passes over the module. Requires an empty plan with an arena. Returns the name of the
// pass after which validation found faults ("ir": before the first pass), or NULL.
const char *pipeline_run(const struct pipeline *pipeline, struct ir_module *module,
                         struct plan *plan);

// Prints the plan as comment lines that follow the module.
void plan_print(const struct ir_module *module, const struct plan *plan, FILE *to);
