// The state of ptxoffload-sim, and its steps.
#pragma once
#include "cli/sim/checkpoint.h"
#include "cli/sim/machine.h"
#include "cli/sim/options.h"
#include "cli/sim/plans.h"
#include "cli/sim/progress.h"
#include "cli/sim/reports.h"

// Exit codes
enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2, CHECK_FAILED = 3, NO_PROGRESS = 4, FAULT = 5 };

struct sim {
    struct memory memory;
    struct arena arena;
    struct sim_arguments arguments;
    struct messages messages;
    struct message_log log;
    struct outputs outputs;
    bool out_of_memory;
    struct source run_source; // the run file, or the command line as a text
    struct diags run_diags, diags;
    struct run run;
    struct device_module module;
    struct sim_plans plans;
    struct session session;
    struct sim_machine machine;
    struct sim_reports reports;
    struct sim_checkpoint checkpoint;
    struct sim_progress progress;
    atomic_int stop; // the signal that has interrupted the run, or 0
};

// Reads run, program and metadata. Returns false after an error.
bool sim_read_inputs(struct sim *sim);
// Reports the faults of the run file that were found. Returns false if there were any.
bool sim_report_run(struct sim *sim);
// Checks the files that a run file names, before the run and again before they are written.
bool sim_check_saves(struct sim *sim);
// Opens an output, which sim_write completes. Returns NULL after an error.
FILE *sim_open_output(struct sim *sim, const char *path);
// Writes all results. A run that did not end writes statistics and no others. Returns the exit
// code.
int sim_write(struct sim *sim, enum session_outcome outcome);
// Prints what is printed instead of a run. Returns the exit code.
int sim_print_topic(struct sim *sim);
