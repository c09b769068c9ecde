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
    const char *const *textures; // each VARIABLE=…
    uint32_t texture_count;
};

// Makes a source from the words of the command line, so that errors have a place in it.
void run_line_source(struct source *source, struct arena *arena, const struct run_line *line);
// Reads the command line. Returns false after errors, which are in `run->diags`. An argument
// `buf:TYPE:COUNT:FILL` creates a buffer named after its position, such as "arg0"; `tex:…` also
// creates one, and the texture "tex0". The buffer of a --texture is named after the variable.
bool run_line_read(struct run *run, const struct run_line *line);
// Returns the index of the buffer with this name or of the argument with this number, or
// UINT32_MAX.
uint32_t run_saved_buffer(const struct run *run, const char *name);
