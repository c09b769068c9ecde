// The tagger as one function, from a text and options to a tagged text and its tables. All programs
// call it: the command, the C API, the language server and the CUDA runtime.
//
// It runs the stages of `tagger_stages`, which --print-passes prints, in order. A stage without
// work, such as `profile` without a profile, returns immediately.
#pragma once
#include "backend/emit/proof.h"
#include "passes/plan/pipeline.h"

// The last result that a run must produce.
enum tagger_goal {
    TAGGER_INPUT,   // find the PTX and the tags of an earlier run
    TAGGER_PROGRAM, // read and check the program
    TAGGER_PLAN,    // decide what is offloaded
    TAGGER_OUTPUT,  // write and prove the tagged text, and fill its tables
};

struct tagger_options {
    // The run sets passes.measured and `profiled`.
    struct backend_options output;
    enum tagger_goal goal;
    // Tables that came with the input, such as those of an ELF object, or NULL. Nothing is decided
    // again, and their options apply.
    const struct tables *known;
    const struct source *profile; // profile written by ptxoffload-sim --profile-out, or NULL
    uint32_t threads;             // maximum number; 0 counts as 1. Results do not depend on it
    bool as_is;                   // keep the input's tags, so that offsets are the input's
    bool explains;      // explain results: keep facts, and repeat decisions of earlier tags
    bool validate;      // check the IR between passes; a build with assertions always does
    bool unverified;    // write without proof
    bool only_check;    // with goal TAGGER_PROGRAM: free functions after their check
    bool has_locations; // fill tables.places
    bool by_source;     // tables use places of the CUDA source
    // Print module and plan after the first pass; end the passes after the second. May be NULL.
    const struct pass *print_after, *stop_after;
    FILE *to; // for print_after and validation errors; NULL: not printed
};

// Callbacks that report a run's progress. All may be NULL.
struct tagger_callbacks {
    void *context;
    // Reports the diagnostics of a source, possibly without any. Returns false to end the run. If
    // NULL, errors end the run.
    bool (*report)(void *context, struct diags *diags, const struct source *source);
    // Called at the end of a stage or of a part of one.
    void (*step)(void *context, const char *name);
    // Called at the end of a pass with its CPU time, which is not included in a step.
    void (*spent)(void *context, const char *name, double seconds);
};

// A run and the results of its stages. All memory is in the arena.
struct tagging {
    struct arena *arena;
    struct source *input;
    struct tagger_options options;
    struct tagger_callbacks callbacks;
    // Result of `open`
    struct opened opened;
    // Results of `read`
    struct tree tree;
    struct ir_module module;
    // Results of `profile`
    struct table_outcomes outcomes;
    struct plan without_profile; // decisions without the profile
    // Result of `decide`
    struct plan plan;
    // Results of `output`, or of `open` if the input is already the output of these options
    const struct tables *tables;
    const char *text;
    uint32_t length;
    struct proof proof;
};

struct tagger_stage {
    const char *name; // name in --print-passes
    const char *what; // description, one line
    enum tagger_goal goal;
    // Runs the stage. Returns false if a report ended the run. NULL: end of the table.
    bool (*run)(struct tagging *t);
};

// The stages in order, up to one without `run`.
extern const struct tagger_stage tagger_stages[];
// Prints the names of all stages and of their parts, one per line.
void tagger_print_stages(FILE *to);

// Runs the stages up to the goal. Requires an initialised source that lives as long as the arena.
// Returns false if a report ended the run.
bool tagger_process(struct tagging *t, struct arena *arena, struct source *input,
                    const struct tagger_options *options, const struct tagger_callbacks *callbacks);
// Writes the plan in another style, with its own tables. Requires a plan. Returns false if a report
// ended the run.
bool tagger_emit(struct tagging *t, struct output *output, const struct backend_options *options);
// Writes the map of each kernel for spatial cores as a YAML document, or a comment with the reason
// why there is no map. Requires a program.
void tagger_write_maps(const struct tagging *t, FILE *to);
