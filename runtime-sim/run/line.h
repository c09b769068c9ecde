// A run from a command line: one kernel, launched once.
#pragma once
#include "runtime-sim/run/run.h"

struct run_line {
    const char *program;
    const char *kernel;                          // NULL: the only one
    const char *grid, *block, *cluster, *shared; // NULL: not given
    const char *const *args;
    uint32_t arg_count;
    bool cooperative;
    const char *const *textures; // VARIABLE=…
    uint32_t texture_count;
};

// Makes a source of the words, in which errors have a place.
void run_line_source(struct source *source, struct arena *arena, const struct run_line *line);
// Returns false after errors, which are in `run->diags`. An argument `buf:TYPE:COUNT:FILL` makes a
// buffer that is named after its number: "arg0"; `tex:…` makes one, too, and the texture "tex0".
// The buffer of a --texture is named after the variable.
bool run_line_read(struct run *run, const struct run_line *line);
// Returns the buffer of an argument's number or of this name, or UINT32_MAX.
uint32_t run_saved_buffer(const struct run *run, const char *name);
