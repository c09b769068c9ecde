// A run of ptxoffload: the results of its steps.
#pragma once
#include "backend/report/differences.h"
#include "backend/elf/elf_tables.h"
#include "cli/common/frame.h"
#include "cli/tagger/arguments.h"
#include "cli/tagger/timing.h"
#include "tagger/tagger.h"

struct tagger_invocation {
    struct frame frame;
    struct arena arena; // for the current text, and the outputs
    struct arguments arguments;
    struct pass_timing timing;
    // Results of the steps, in order.
    struct source input;
    bool is_object;      // the input is an object with tables
    struct tables known; // tables of the object
    struct tagging tagging;
    const struct tables *tables;
    const struct tables *explained;  // tables of the plan; same as `tables` unless those were read
    struct differences *differences; // shown by reports with --beside; otherwise NULL
    const char *text;                // the PTX to write
    uint32_t length;
    struct elf_image object; // with --emit=elf
    // For the depfile: quoted names of outputs and inputs.
    VEC(const char *) targets, sources;
};

// Reads a file that an option names, as a text. Returns NULL after reporting an error.
struct source *tag_read_file(struct tagger_invocation *run, struct arena *arena, const char *path);
// Reads the program of a text, with its tags. Returns false after reporting errors.
bool tag_read(struct tagger_invocation *run, struct source *source);

// Reads the files of --machine, --capability and --profile. Returns false after reporting an error.
bool tag_read_files(struct tagger_invocation *run);
// Decides, and writes the outputs. Returns the exit code.
int tag_analyse(struct tagger_invocation *run);

// Runs --compare on the input. Returns the exit code.
int tag_compare(struct tagger_invocation *run);

// Returns true if the input is a report for --beside.
bool tag_is_report(const struct tagger_invocation *run);
// Compares the report of --beside with the run's tables. Returns false after reporting an error.
bool tag_find_differences(struct tagger_invocation *run);
// Compares an input that is a report. Returns the exit code.
int tag_beside(struct tagger_invocation *run);

// Runs --overlap on the input. Returns the exit code.
int tag_overlap(struct tagger_invocation *run);
// Prints the placement of the plan's chains, which these options decided. Returns the exit code.
int tag_placement(struct tagger_invocation *run, const struct pass_options *options);

// Writes a product to the place of its request. Returns false after reporting an error.
bool tag_write(struct tagger_invocation *run, const struct output_request *request);
// Returns false after a message if the rule of -MD cannot hold a name.
bool tag_check_rule(struct tagger_invocation *run);
// Writes all requested outputs. Returns the exit code.
int tag_write_all(struct tagger_invocation *run);

// Returns true if remarks or the HTML report are requested.
bool tag_explains(const struct tagger_invocation *run);
// Reports the requested remarks.
void tag_report_remarks(struct tagger_invocation *run);
// Sets `explained`: makes the tables of the plan if a page needs them and `tables` were read with
// the input. Returns false after reporting an error.
bool tag_explain(struct tagger_invocation *run);
