// Functions that the readers of run files share: run_file.c, streams_read.c.
#pragma once
#include "runtime-sim/run/keys.h"
#include "runtime-sim/run/run.h"

struct run_file_reading {
    struct run *run;
    struct yaml_document document;
    uint32_t depth, steps;
};

// Return false after errors. `what` names the value in errors.
bool run_file_is_scalar(struct run_file_reading *r, const struct yaml_node *node, const char *what);
// A value that is not given is no error.
bool run_file_expression(struct run_file_reading *r, const struct yaml_node *node,
                         struct run_expr *to);
bool run_file_flag(struct run_file_reading *r, const struct yaml_node *node, bool *to);
// Counts a step; there is a limit.
bool run_file_is_one_more(struct run_file_reading *r, const struct yaml_node *node);
// Returns NULL after an error.
struct run_launch *run_file_launch(struct run_file_reading *r, const struct yaml_node *node);
// Reads the steps of `streams`.
void run_file_calls(struct run_file_reading *r, const struct yaml_node *node,
                    struct run_calls *calls);
