// Runs the passes: one list, in one place.
#pragma once
#include "passes/base/passes.h"
#include <stdio.h>

struct pass {
    const char *name;
    pass_function *run;
    const char *what; // one line
};

// In the order in which they run, up to a name of NULL.
extern const struct pass passes[];

const struct pass *pass_find(const char *name); // NULL if there is none

struct pipeline {
    struct pass_options options;
    const struct pass *stop_after; // the last one to run, or NULL
    bool validate;                 // check the module before the first pass and after each one
    FILE *faults;                  // where validation says what it found
    // Called after each pass with its name, and after each validation with "validate"; may be NULL.
    void (*step)(void *context, const char *name);
    void *context;
};

// Runs the passes over the module; the plan must be empty and have an arena. Returns the name of
// the pass after which validation found faults ("ir" for those that were there before), or NULL.
const char *pipeline_run(const struct pipeline *pipeline, struct ir_module *module,
                         struct plan *plan);

// The plan as comment lines, to be read beside the module.
void plan_print(const struct ir_module *module, const struct plan *plan, FILE *to);
