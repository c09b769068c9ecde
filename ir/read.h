// Reads a program: text → syntax tree → IR → checks. Every command reads with this function.
#pragma once
#include "ir/check.h"

// A program during reading. Everything lives in the arena.
struct ir_reading {
    struct arena *arena;
    struct source *source;
    struct tree *tree;
    struct ir_module *module;
    struct diags *diags;
    uint32_t
        threads; // the most, unless only_check; 0 counts as 1. The program does not depend on it
    bool only_check; // functions are freed after their check, and are not analysed
    void (*step)(void *context, const char *name); // after each stage, with its name; or NULL
    void *context;
    struct ir_check *check;
};

struct read_stage {
    const char *name;
    void (*run)(struct ir_reading *reading);
    const char *what; // one line
};

// In their order, up to a name of NULL.
extern const struct read_stage read_stages[];

// Runs all stages; with `only_check` each function is checked as soon as it is built. Requires
// initialised diags; faults of the input are added to them.
void program_read(struct ir_reading *reading);
