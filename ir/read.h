// Reads a program: text → syntax tree → IR → checks. All commands use this function.
#pragma once
#include "ir/check.h"

// A program while it is read. Everything is allocated in the arena.
struct ir_reading {
    struct arena *arena;
    struct source *source;
    struct tree *tree;
    struct ir_module *module;
    struct diags *diags;
    uint32_t
        threads; // upper limit, unless only_check; 0 counts as 1. The result does not depend on it
    bool only_check; // functions are freed after their check and are not analysed
    void (*step)(void *context, const char *name); // called with its name after each stage; may be
                                                   // NULL
    void *context;
    struct ir_check *check;
};

struct read_stage {
    const char *name;
    void (*run)(struct ir_reading *reading);
    const char *what; // description, one line
};

// The stages in order, terminated by a NULL name.
extern const struct read_stage read_stages[];

// Runs all stages. With `only_check`, each function is checked as soon as it is built. Requires
// initialised diags, to which faults of the input are added.
void ir_read_program(struct ir_reading *reading);

// For ir_read_program. Reads and checks the text function by function, and frees the tree and
// instructions of each function, so that they stay in the caches. Returns true, with the heads of
// the functions in the module, if the program has no faults. Otherwise returns false and reports
// nothing, since a complete report requires the whole program.
bool read_each(struct ir_reading *reading);
