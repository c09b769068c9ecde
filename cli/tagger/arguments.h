// The command line of ptxoffload: inputs, options and outputs.
#pragma once
#include "backend/emit/backend.h"
#include "backend/report/remarks.h"
#include "cli/common/common_options.h"
#include "cli/tagger/depfile.h"
#include "passes/plan/pipeline.h"

// Products that can be written. Those before PRODUCT_EMITTED are the values of --emit.
enum command_product {
    PRODUCT_PTX,
    PRODUCT_META,
    PRODUCT_ELF,
    PRODUCT_IR,
    PRODUCT_DOT,
    PRODUCT_MAP,
    PRODUCT_EMITTED, // number of values of --emit
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
    // If not NULL, the path is a folder in which each module's file is named after the module, with
    // this suffix.
    const char *suffix;
};

struct arguments {
    struct common_options common;
    const char *output, *metadata;
    unsigned emit; // a bit for each product
    int tags;      // enum tag_style; -1: not given
    int cost;      // enum cost_model; -1: not given
    int fma;       // enum fma_mode; -1: not given
    struct block_shape block;
    const char *machine;                 // whose sizes the costs have; NULL: the default
    const char *capability_path;         // NULL: the default
    const struct capability *capability; // of the machine and the file
    const char *compare;                 // NULL: no comparison
    const char *beside;                  // a report to compare with; NULL: none
    const char *placement;               // a machine; NULL: not given
    const char *profile_path;            // NULL: no profile
    const struct source *profile;        // contents of the file
    int restrict_parameters, maps;
    const double *min_saving; // NULL: not given
    unsigned kinds;           // of candidate blocks, 1 << enum block_kind; 0: not given
    int reorder, verify, strip, format, check, list, fragment, overlap;
    uint64_t threads; // of the passes
    int remarks_passed, remarks_missed, remarks_analysis;
    unsigned remarks;           // all, as bits REMARKS_…
    const char *remarks_filter; // a regular expression for names of functions; NULL: all
    int print_passes, time_passes, validate;
    const struct pass *print_after, *stop_after;
    struct depfile depfile;
    bool embedded;   // tags a program for another command; reports only on request
    bool in_folders; // outputs are folders: several modules can be processed
    VEC(struct output_request) requests; // outputs, in order
};

// Return the option's value, or its default.
static inline enum cost_model arguments_cost(const struct arguments *arguments)
{
    return arguments->cost < 0 ? COST_REFINED : (enum cost_model)arguments->cost;
}
static inline enum fma_mode arguments_fma(const struct arguments *arguments)
{
    return arguments->fma < 0 ? FMA_FUSED : (enum fma_mode)arguments->fma;
}

extern const struct command ptxoffload_command;

// Sets the defaults before the options are read.
void arguments_default(void *arguments, struct arena *arena);
// Checks the options together, and collects the outputs. Returns false after reporting errors.
bool arguments_check(void *arguments, struct command_line *line);

// For outputs in folders: sets `one` to the arguments for a module with this file name, without
// folder and suffix. Returns NULL, or the error.
const char *arguments_for_module(struct arguments *one, const struct arguments *all,
                                 struct arena *arena, const char *name);

// Returns the name of the PTX output in the metadata: its path, or a name in angle brackets.
const char *arguments_ptx_name(const struct arguments *arguments);
