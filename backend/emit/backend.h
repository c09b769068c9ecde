// Order of calls: backend_open, then the caller parses, builds the module and runs the passes, then
// backend_emit. Its result is the input of tables_write_json and the reports.
#pragma once
#include "backend/tables/bodies.h"
#include "backend/report/report.h"
#include "backend/tags/tags.h"
#include "support/file.h"

struct backend_options {
    enum tag_style tags;
    struct pass_options passes;
    bool profiled;                     // passes.measured will be set once the module exists
    const char *output_name;           // name of the output in the tables
    const struct prefix_map *prefixes; // for names of files in the tables; NULL: none
    bool only_text;                    // the tables are not written
    bool undigested; // only the text is written: digests of files are not computed
};

struct opened {
    // The text to parse: the input, or the input without the tags of an earlier run.
    struct source source;
    // The input equals the output of this run: pass it through; its tables are in `tables`. With
    // small tags only if `only_text`, because small tags lack most of the tables.
    bool current;
    struct tables tables;
};

// Returns the default style of tags for a text: small ones, or full ones if the text has full ones;
// comments before PTX 2.0, which has no .pragma.
enum tag_style backend_style(struct arena *arena, const struct source *source);

struct output {
    const char *text;
    uint32_t length;
    struct tables tables;
    enum tag_style style;
    struct bodies bodies; // of the text without its tags
    struct tree *tree;    // the bodies' tree: the module's, or a new one if instructions changed
};

// Finds the tags of an earlier run. Removes them from `opened->source` unless the input is current.
// Requires an initialised source. With `--tags=none` and without reordering, the input is kept as
// it is.
void backend_open(struct opened *opened, struct arena *arena, const struct source *input,
                  const struct backend_options *options);

// Writes the program with the plan's edits and tags, and fills the tables. Returns NULL, or the
// fault of the plan (an internal fault).
const char *backend_emit(struct output *output, struct arena *arena, const struct ir_module *module,
                         const struct plan *plan, const struct backend_options *options);

// Returns the input without tags in pragma and comment style; sets its length.
const char *backend_strip(struct arena *arena, const struct source *input, uint32_t *length);
