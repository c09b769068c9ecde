// The state of ptxoffload-sim, and its steps.
#pragma once
#include "cli/sim/checkpoint.h"
#include "cli/sim/machine.h"
#include "cli/sim/options.h"
#include "cli/sim/plans.h"
#include "cli/sim/progress.h"
#include "cli/sim/reports.h"
#include "runtime-sim/run/listing.h"

struct sim {
    struct sim_base base;
    struct sim_arguments arguments;
    struct source run_source; // the run file, or the command line as a text
    struct diags run_diags, diags;
    struct run run;
    struct device_module module;
    struct sim_plans plans;
    struct session session;
    struct sites sites;                 // counts by instruction
    const struct site_listing *listing; // of these counts; NULL: not counted
    const char *program_name;           // path of the program, near which its sources may be
    struct sim_reports reports;
    struct sim_checkpoint checkpoint;
    struct sim_progress progress;
};

// Reads the run, the program and the metadata. Returns false after an error.
bool sim_read_inputs(struct sim *sim);
// Reports the faults found in the run file. Returns false if there are any.
bool sim_report_run(struct sim *sim);
// Checks the files that the run file names, before the run and again before they are written.
// Returns false after an error.
bool sim_check_saves(struct sim *sim);
// Writes all results. A run that ended early has statistics only. Returns the exit code.
int sim_write(struct sim *sim, enum session_outcome outcome);
