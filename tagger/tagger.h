// The tagger as one function, from a text and options to a tagged text and its tables. Every
// program calls it: the command, the C API, the language server, the CUDA runtime.
//
// It runs the stages of `tagger_stages` in their order, which --print-passes prints. A stage that
// has nothing to do, as `profile` without a profile, returns at once.
#pragma once
#include "backend/emit/proof.h"
#include "passes/plan/pipeline.h"

// How far a run goes.
enum tagger_goal {
    TAGGER_INPUT,   // finds the PTX and the tags of an earlier run
    TAGGER_PROGRAM, // reads and checks the program
    TAGGER_PLAN,    // decides what is offloaded
    TAGGER_OUTPUT,  // writes and proves the tagged text, and fills its tables
};

struct tagger_options {
    // passes.measured and `profiled` are set by the run.
    struct backend_options output;
    enum tagger_goal goal;
    // The tables that came with the input, as of an ELF object: nothing is decided anew, and the
    // options are those of these tables. NULL: none.
    const struct tables *known;
    const struct source *profile; // of ptxoffload-sim --profile-out; NULL: none
    uint32_t threads;             // at most; 0 counts as 1. No result depends on it
    bool as_is;                   // offsets are those of the input: its tags are not removed
    bool explains; // results are explained: facts are kept, and decisions of earlier tags repeated
    bool validate; // checks the IR between passes; a build with assertions always does
    bool unverified; // writes without proof
    bool only_check; // goal TAGGER_PROGRAM: functions are freed after their check
    bool has_places; // fills tables.places
    bool by_source;  // tables name places of the CUDA source
    // Prints module and plan after this pass; ends the passes after that one. May be NULL.
    const struct pass *print_after, *stop_after;
    FILE *to; // of print_after and of faults that the validation finds; NULL: not printed
};

// How a caller follows a run. All functions are optional.
struct tagger_client {
    void *context;
    // Reports the diagnostics of a source, which may be none. Returns false to end the run. NULL:
    // errors end it.
    bool (*report)(void *context, struct diags *diags, const struct source *source);
    // A stage, or a part of one, has ended.
    void (*step)(void *context, const char *name);
    // A pass has ended, with the CPU time that it took, which is part of no step.
    void (*spent)(void *context, const char *name, double seconds);
};

// A run, and the results of its stages. Everything lives in the arena.
struct tagging {
    struct arena *arena;
    struct source *input;
    struct tagger_options options;
    struct tagger_client client;
    // open
    struct opened opened;
    // parse, ir, check
    struct tree tree;
    struct ir_module module;
    // profile
    struct table_outcomes outcomes;
    struct plan without_profile; // decisions without the profile
    // passes
    struct plan plan;
    // open, if the input is the output of this run; otherwise emit
    const struct tables *tables;
    const char *text;
    uint32_t length;
    struct proof proof;
};

struct tagger_stage {
    const char *name; // NULL: the rows of read_stages, or of passes
    const char *what; // one line
    enum tagger_goal goal;
    // Returns false after a report that ends the run.
    bool (*run)(struct tagging *t);
};

// In order, up to a `run` of NULL.
extern const struct tagger_stage tagger_stages[];
// Prints the names of all stages, with those of the parts of each, a line each.
void tagger_print_stages(FILE *to);

// Runs the stages up to the goal. Requires an initialised source, which lives as long as the arena.
// Returns false if a report ended the run.
bool tagger_run(struct tagging *t, struct arena *arena, struct source *input,
                const struct tagger_options *options, const struct tagger_client *client);
// Writes the plan in another style, with tables of their own. Requires a plan. Returns false if a
// report ended the run.
bool tagger_emit(struct tagging *t, struct output *output, const struct backend_options *options);
// Writes the map of each kernel for spatial cores as a YAML document, or a comment with the reason
// why it has none. Requires a program.
void tagger_write_maps(const struct tagging *t, FILE *to);
