// The backend's road: backend_open, then (the caller) parse, build, run the passes, then
// backend_emit; tables_write_json and the reports take what it returns.
#pragma once
#include "backend/report.h"
#include "backend/tags.h"

struct backend_options {
    enum tag_style tags;
    struct pass_options passes;
    bool profiled;           // passes.measured will be there once there is a program
    const char *output_name; // as it is to stand in the tables
};

struct opened {
    // What to parse: the input, or the input without the tags that an earlier run has left.
    struct source source;
    // The input is what this run would write: pass it through, its tables are in `tables`.
    bool current;
    struct tables tables;
};

struct output {
    const char *text;
    uint32_t length;
    struct tables tables;
};

// Looks for tags of an earlier run. Needs an initialised source. With `--tags=none` and without
// reordering nothing is to change: the input is taken as it is.
void backend_open(struct opened *opened, struct arena *arena, const struct source *input,
                  const struct backend_options *options);

// Writes the program with the plan's edits and tags, and fills the tables. Returns NULL, or what is
// wrong with the plan (a fault of this program, not of the user's).
const char *backend_emit(struct output *output, struct arena *arena, const struct ir_module *module,
                         const struct plan *plan, const struct backend_options *options);

// The input without tags in pragma and comment style.
const char *backend_strip(struct arena *arena, const struct source *input, uint32_t *length);
