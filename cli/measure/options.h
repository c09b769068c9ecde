// Common parts of ptxoffload-noc, ptxoffload-dram and ptxoffload-map.
#pragma once
#include "cli/common/frame.h"
#include "runtime-sim/base/config.h"
#include "tools/trace/trace.h"

struct measure_arguments {
    struct common_options common;
    const char *config;
    struct text_list settings; // --set [SECTION.]KEY=VALUE
    uint64_t seed, cycles, warmup;
    double load; // negative: not given
    int sweep;
    VEC(double) loads; // of the sweep; empty: selected automatically
    const char *json, *csv, *plot, *stats;
    const char *trace_in, *latencies;
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

// Returns false after reporting that options of traces and of other sources exclude each other.
bool measure_check_trace(struct command_line *line, const struct measure_arguments *a);

// Initialises the configuration, with built-in ones from `folder`; reads it. Reading returns false
// after reporting errors.
void measure_begin_config(struct measure_base *base, struct config_section section,
                          const char *folder);
bool measure_read_config(struct measure_base *base);
// Reads the file of --trace-in as a text, for trace_read_requests or trace_read_packets, with
// `read`. Returns false after reporting errors.
typedef void measure_read_trace_fn(struct trace_text *trace, struct arena *arena,
                                   const struct source *source, struct diags *diags);
// `check` adds errors of the requests or packets; NULL: none.
bool measure_read_trace(struct measure_base *base, struct trace_text *trace,
                        measure_read_trace_fn *read,
                        void (*check)(void *base, const struct trace_text *trace,
                                      struct diags *diags));
// Returns false after reporting an output that equals another output, the input or the
// configuration.
bool measure_check_paths(struct measure_base *base, const char *input);

// Topics: print the keys, the configuration, and the names of built-in configurations.
bool measure_print_keys(void *base, FILE *to);
bool measure_print_config(void *base, FILE *to);
bool measure_print_configs(void *base, FILE *to);
