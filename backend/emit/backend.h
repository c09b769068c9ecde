// Order of calls: backend_open, then the caller parses, builds the module and runs the passes, then
// backend_emit. Its result is the input of tables_write_json and the reports.
#pragma once
#include "backend/tables/bodies.h"
#include "backend/report/report.h"
#include "backend/tags/tags.h"
#include "support/prefix_map.h"

struct backend_options {
    enum tag_style tags;
    struct pass_options passes;
    bool profiled;                     // passes.measured will be set when the program exists
    const char *output_name;           // name of the output in the tables
    const struct prefix_map *prefixes; // of the names of files in the tables; NULL: none
    bool only_text;                    // no tables are written
    bool undigested; // only the text is written: digests of files are not computed
};

struct opened {
    // The text to parse: the input, or the input without the tags of an earlier run.
    struct source source;
    // The input equals the output of this run: pass it through; its tables are in `tables`. Of
    // small tags with `only_text` only: they lack most of the tables.
    bool current;
    struct tables tables;
};

// Returns the style of tags that a text gets without a choice: small ones, or full ones if it has
// such; comments if it may hold no .pragma, as before PTX 2.0.
enum tag_style backend_style(struct arena *arena, const struct source *source);

struct output {
    const char *text;
    uint32_t length;
    struct tables tables;
    enum tag_style style;
    struct bodies bodies; // of the text without its tags
    struct tree *tree;    // theirs: the module's, or that of a text with other instructions
};

// Finds tags of an earlier run. Requires an initialised source. With `--tags=none` and without
// reordering nothing changes, and the input counts as it is.
void backend_open(struct opened *opened, struct arena *arena, const struct source *input,
                  const struct backend_options *options);

// Writes the program with the plan's edits and tags, and fills the tables. Returns NULL, or the
// fault of the plan (an internal fault).
const char *backend_emit(struct output *output, struct arena *arena, const struct ir_module *module,
                         const struct plan *plan, const struct backend_options *options);

// Returns the input without tags in pragma and comment style.
const char *backend_strip(struct arena *arena, const struct source *input, uint32_t *length);
