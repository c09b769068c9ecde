// Common parts of ptxoffload-noc, ptxoffload-dram and ptxoffload-map.
#pragma once
#include "cli/common/frame.h"
#include "runtime-sim/base/config.h"

struct measure_arguments {
    struct common_options common;
    const char *config;
    struct text_list settings; // --set [SECTION.]KEY=VALUE
    uint64_t seed, cycles, warmup;
    double load; // negative: not given
    int sweep;
    VEC(double) loads; // of the sweep; empty: selected automatically
    const char *json, *csv, *plot, *stats;
    int print_config, list_stats, list_configs;
};

// The first member of the states of these programs, whose options begin with struct
// measure_arguments.
struct measure_base {
    struct frame frame;
    struct config_section section;
    struct config config;
};

struct measure_limits {
    double max;
    bool above_zero; // a load of 0 is an error
};

#define MAX_CYCLES UINT64_C(1000000000000)

// Options of commands whose arguments begin with struct measure_arguments.
extern const struct option measure_config_options[], measure_set_options[],
    measure_output_options[], measure_help_options[];

// Each of these returns NULL, or the error in the argument.
const char *measure_parse_sweep(struct arena *arena, struct measure_arguments *a,
                                const struct measure_limits *limits, const char *argument);
const char *measure_check_svg(struct arena *arena, void *into, const char *argument);
const char *measure_check_picture(struct arena *arena, void *into, const char *argument);

// Reads a number from 0 to `most` and advances `*at`. Returns false if `*at` does not start with
// one.
bool measure_read_real(const char **at, double max, double *value);
// Returns true if the name ends in the suffix and is longer: "a.svg" for ".svg".
bool measure_ends_in(const char *name, const char *suffix);

// Initialises the configuration, with built-in ones from `folder`; reads it. Reading returns false
// after reporting errors.
void measure_begin_config(struct measure_base *base, struct config_section section,
                          const char *folder);
bool measure_read_config(struct measure_base *base);
// Returns false after reporting an output that equals another output, the input or the
// configuration.
bool measure_check_paths(struct measure_base *base, const char *input);

// Topics: print the keys, the configuration, and the names of built-in configurations.
bool measure_print_keys(void *base, FILE *to);
bool measure_print_config(void *base, FILE *to);
bool measure_print_configs(void *base, FILE *to);
