// A run of ptxoffload: what its steps make, and pass on.
#pragma once
#include "backend/elf_tables.h"
#include "cli/arguments.h"
#include "cli/messages.h"
#include "cli/timing.h"

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2 };

struct tagger_run {
    struct memory memory;
    struct arena whole; // what lives as long as the run
    struct arena arena; // what belongs to the text that is being read
    struct arguments arguments;
    struct messages messages;
    struct message_log log;
    bool out_of_memory;
    struct outputs outputs;
    struct pass_timing timing;
    // What the steps make, in their order.
    struct source input;
    struct opened opened;
    bool is_object; // the input has its tables with it, and they are in `opened`
    struct tree tree;
    struct diags diags;
    struct ir_module module;
    struct plan plan;
    struct plan without_profile; // with --profile: what is decided without it
    const struct tables *tables;
    const struct tables *explained; // those of the plan, which `tables` are unless they were read
    const char *text;               // the PTX to write
    uint32_t length;
    struct elf_image object; // with --emit=elf
    // For the depfile, quoted: the files that were written, and those that were read.
    VEC(const char *) targets, sources;
};

// Builds the program of a text in the run's tree and module; false, after saying what is wrong with
// it, if it is not one.
bool run_build(struct tagger_run *run, struct source *source);

// Writes the plan's output, without what the checker refutes of it: that is warned of. False if a
// warning is an error.
bool run_prove(struct tagger_run *run, struct output *output,
               const struct backend_options *options);
// The program is not valid after a pass: warns, and goes on without a plan. False if the warning is
// an error.
bool run_give_up(struct tagger_run *run, const char *pass);

// With --compare: what is to be done of the input. Returns the exit code.
int run_compare(struct tagger_run *run);

// Writes a product where its wish says. False, after saying why, if it cannot be written.
bool run_write(struct tagger_run *run, const struct output_request *request);
// Gives the files that were written their names. False, after saying why, if that cannot be.
bool run_commit(struct tagger_run *run);
// Writes all that is wished for. Returns the exit code.
int run_write_all(struct tagger_run *run);

// True if remarks or the HTML report are asked for.
bool run_explains(const struct tagger_run *run);
// What an earlier run has decided is explained by deciding it again, of the text without its tags:
// the tables that were read name lines of a file that is not here.
void run_read_untagged(struct tagger_run *run);
void run_report_remarks(struct tagger_run *run, const struct backend_options *options);
// The tables of the plan, where those that are written were read with the input. False, after
// saying why, if they cannot be made.
bool run_explain(struct tagger_run *run, const struct backend_options *options);
