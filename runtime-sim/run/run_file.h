// Functions that run_file.c and streams_read.c share.
#pragma once
#include "runtime-sim/run/keys.h"
#include "runtime-sim/run/run.h"

struct run_file_reading {
    struct run *run;
    struct yaml_document document;
    uint32_t depth, steps;
};

// Checks that a node is a non-empty scalar. Returns false after an error, in which `what` names the
// value.
bool run_file_is_scalar(struct run_file_reading *r, const struct yaml_node *node, const char *what);
// Read an expression, and `true` or `false`. A missing node (NULL) is not an error. Return false
// after errors.
bool run_file_expression(struct run_file_reading *r, const struct yaml_node *node,
                         struct run_expr *to);
bool run_file_flag(struct run_file_reading *r, const struct yaml_node *node, bool *to);
// Counts a step. Returns false after an error if there are too many.
bool run_file_is_one_more(struct run_file_reading *r, const struct yaml_node *node);
// Reads a launch. Returns NULL after an error.
struct run_launch *run_file_launch(struct run_file_reading *r, const struct yaml_node *node);
// Reads the steps of `streams` or of one of its repeats.
void run_file_calls(struct run_file_reading *r, const struct yaml_node *node,
                    struct run_calls *calls);
