// The command line of ptxoffload: inputs, options and outputs.
#pragma once
#include "backend/backend.h"
#include "backend/remarks.h"
#include "cli/tagger/depfile.h"
#include "cli/common/options.h"
#include "cli/common/warnings.h"
#include "passes/plan/pipeline.h"
#include "support/prefix_map.h"

// Products that can be written. The first ones are the values of --emit.
enum command_product {
    PRODUCT_PTX,
    PRODUCT_META,
    PRODUCT_ELF,
    PRODUCT_IR,
    PRODUCT_DOT,
    PRODUCT_MAP,
    PRODUCT_EMITTED, // number of these
    PRODUCT_TEXT = PRODUCT_EMITTED,
    PRODUCT_JSON,
    PRODUCT_HTML,
    PRODUCT_DEPFILE,
    PRODUCTS,
};

struct output_request {
    enum command_product product;
    const char *path;   // NULL: standard error
    const char *option; // the option that requested it
    // Not NULL: the path is a folder, in which each module's file is named after the module, with
    // this suffix.
    const char *suffix;
};

enum { REPORT_TEXT, REPORT_JSON, REPORT_HTML, REPORT_FORMATS };

struct report_request {
    bool wanted;
    const char *path; // NULL: standard output or standard error
};

enum { DIAGNOSTICS_TEXT, DIAGNOSTICS_JSON, DIAGNOSTICS_SARIF };

struct diagnostics_request {
    int format;
    const char *path; // NULL: standard error
};

enum locations { LOCATIONS_PTX, LOCATIONS_SOURCE };

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct arguments {
    const char *input, *output, *metadata;
    const char *module, *arch; // of a container; NULL: any
    struct report_request reports[REPORT_FORMATS];
    unsigned emit; // a bit for each product
    int tags;      // enum tag_style; -1: not given
    int cost;      // enum cost_model; -1: not requested
    int fma;       // enum fma_mode; -1: not requested
    struct block_shape block;
    const char *capability_path;         // NULL: the default
    const struct capability *capability; // contents of the file
    int overlap;                         // 0: --overlap=advise; -1: not given
    const char *compare;                 // NULL: no comparison
    const char *beside;                  // a report to compare with; NULL: none
    const char *profile_path;            // NULL: no profile
    const struct source *profile;        // contents of the file
    int restrict_parameters, maps;
    const double *min_saving; // NULL: not given
    unsigned kinds;           // of candidate blocks, 1 << enum block_kind; 0: not given
    int reorder, verify, strip, format, check, list, fragment;
    int verbose, quiet, colour;
    int max_errors;    // 0: all, -1: default
    size_t max_memory; // bytes; 0: no limit
    unsigned threads;  // of the passes
    struct warnings warnings;
    struct diagnostics_request diagnostics;
    struct prefix_map prefixes; // of names of files in outputs
    int locations;              // enum locations
    int remarks_passed, remarks_missed, remarks_analysis;
    unsigned remarks;           // all, as bits REMARKS_…
    const char *remarks_filter; // a regular expression for names of functions; NULL: all
    int help, help_warnings, version, print_passes, time_passes, validate;
    const struct pass *print_after, *stop_after;
    struct depfile depfile;
    bool in_folders;                     // outputs go to folders: several modules can be processed
    VEC(struct output_request) requests; // the outputs in order
};

// Sets the defaults of options that are not given.
static inline enum cost_model arguments_cost(const struct arguments *arguments)
{
    return arguments->cost < 0 ? COST_REFINED : (enum cost_model)arguments->cost;
}
static inline enum fma_mode arguments_fma(const struct arguments *arguments)
{
    return arguments->fma < 0 ? FMA_FUSED : (enum fma_mode)arguments->fma;
}

// Takes --report=FORMAT[:FILE] into `into`, a struct that begins with struct arguments.
const char *arguments_take_report(struct arena *arena, void *into, const char *argument);
// Reads the command line with response files. Returns false after reporting errors on `errors`.
// With `help`, `version` or `print_passes` the rest is not checked.
bool arguments_read(struct arguments *arguments, struct arena *arena, int argc, char *const *argv,
                    FILE *errors);

// Returns true if the command line asks for information instead of a run.
bool arguments_only_print(const struct arguments *arguments);

// For outputs in folders: sets in `one` the names of the files of a module or file of this name
// (without folder and suffix). Returns NULL, or the error.
const char *arguments_for_module(struct arguments *one, const struct arguments *all,
                                 struct arena *arena, const char *name);

// Returns the name of the PTX output in the metadata: its path, or a name in angle brackets.
const char *arguments_ptx_name(const struct arguments *arguments);
