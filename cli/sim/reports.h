// The reports of a run: --report, --explain, and the report that a run prints if it writes no file.
#pragma once
#include "cli/sim/machine.h"
#include "support/output.h"

struct sim_reports {
    const struct sim_arguments *arguments;
    const struct messages *messages;
    struct arena *arena;
    struct sim_collector collector;
    bool collects;
    struct sim_report beside;
};

// Reads --beside. Returns false after an error.
bool sim_reports_init(struct sim_reports *reports, struct arena *arena,
                      const struct sim_arguments *arguments, const struct messages *messages);
// Prepare and start the collection of samples: before timed_begin, and after it.
void sim_reports_prepare(struct sim_reports *reports, struct sim_machine *machine);
void sim_reports_begin(struct sim_reports *reports, struct timed *timed);
// Writes the requested reports to files from `open`, which returns NULL after an error; with
// `page`, also the text to standard output. Returns false after an error.
typedef FILE *sim_reports_open(void *context, const char *path);
bool sim_reports_write(struct sim_reports *reports, const struct sim_facts *facts, bool page,
                       sim_reports_open *open, void *context);
// Prints what the run took, beside the other run, and what limited it, as notes. For a run that
// prints no report.
void sim_reports_summary(struct sim_reports *reports, const struct sim_facts *facts);
