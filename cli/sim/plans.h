// The plans of a program for the schemes of the machine: from its tags, its object or --metadata.
#pragma once
#include "backend/tables/tables.h"
#include "cli/common/messages.h"
#include "cli/sim/options.h"
#include "runtime-sim/gpu/machine/machine.h"
#include "runtime-sim/run/run.h"

struct sim_plans {
    bool decided;         // `tables` are valid
    bool of_object;       // `tables` come from the program's object
    const char *advice;   // the command that adds tags, for a note that the program has none; NULL:
                          // no note
    struct tables tables; // the tagger's plan
    struct machine_plans plans;
};

// Returns the file of --metadata or of the run file's key, or NULL.
const char *sim_plans_path(const struct sim_arguments *arguments, const struct run *run);
// Reads the program's plan, unless it is an object, whose plan was read before. Tags are read only
// if a scheme that reads a plan is enabled. Returns false after errors.
bool sim_plans_read(struct sim_plans *plans, struct arena *arena,
                    const struct sim_arguments *arguments, const struct messages *messages,
                    struct run *run, const struct source *program,
                    const struct machine_config *config);
// Makes the plans of all schemes. Returns false after reporting contradictions with the program or
// the machine.
bool sim_plans_build(struct sim_plans *plans, const struct messages *messages,
                     const struct program *program, const struct source *source,
                     const struct machine_config *config);
