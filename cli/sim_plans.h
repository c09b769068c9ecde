// What the program's tags, its object or --metadata hold for the schemes of the machine.
#pragma once
#include "backend/tables.h"
#include "cli/messages.h"
#include "cli/sim_options.h"
#include "runtime-sim/gpu/machine.h"
#include "runtime-sim/run/run.h"

struct sim_plans {
    bool decided;         // `tables` are there
    bool of_object;       // and come with the program
    struct tables tables; // what was decided when the program was tagged
    struct machine_plans plans;
};

// The file of --metadata, or of the run file's key; NULL: there is none.
const char *sim_plans_path(const struct sim_arguments *arguments, const struct run *run);
// Reads what was decided for the program, unless it is an object, which has been read; but tags
// only if a scheme that reads a plan is on. False after telling what is wrong.
bool sim_plans_read(struct sim_plans *plans, struct arena *arena,
                    const struct sim_arguments *arguments, const struct messages *messages,
                    struct run *run, const struct source *program,
                    const struct machine_config *config);
// Makes the plans of all schemes. False after telling what does not go together with the program or
// machine.
bool sim_plans_build(struct sim_plans *plans, const struct messages *messages,
                     const struct program *program, const struct source *source,
                     const struct machine_config *config);
