// What ptxoffload-sim offloads: the chains that the program's tags, its object or --metadata tell.
#pragma once
#include "cli/messages.h"
#include "cli/sim_options.h"
#include "runtime-sim/schemes/llc_omni/table.h"
#include "runtime-sim/run/run.h"

struct sim_offload {
    bool decided;         // `tables` are there
    bool of_object;       // and come with the program
    struct tables tables; // what was decided when the program was tagged
    struct offload_table table;
};

// The file of --metadata, or of the run file's key; NULL: there is none.
const char *sim_offload_path(const struct sim_arguments *arguments, const struct run *run);
// Reads what was decided for the program, unless it is an object, which has been read; but tags
// only under a policy that offloads. False after telling what is wrong.
bool sim_offload_read(struct sim_offload *offload, struct arena *arena,
                      const struct sim_arguments *arguments, const struct messages *messages,
                      struct run *run, const struct source *program, enum offload_policy policy);
// Makes the table. False after telling what does not go together with the program or machine.
bool sim_offload_build(struct sim_offload *offload, const struct messages *messages,
                       const struct program *program, const struct source *source,
                       const struct offload_config *config);
// The table for the machine; NULL: nothing is to be offloaded.
const struct offload_table *sim_offload_chosen(const struct sim_offload *offload,
                                               const struct offload_config *config);
