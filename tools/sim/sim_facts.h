// The content of a report of a simulation.
#pragma once
#include "support/vec.h"
#include <math.h>
#include <stdbool.h>

// A part of a whole.
struct sim_part {
    const char *name, *text;
    double value;
};
typedef VEC(struct sim_part) sim_parts;

struct sim_number {
    const char *name, *unit;
    double value;
};

// A part of the machine beside its peak.
struct sim_resource {
    const char *name, *unit, *text;
    double used, peak; // in a clock of its own
    double busiest;    // share of the busiest one; NAN: there is one, or not known
};

// A chain or a block.
struct sim_item {
    const char *kind, *function, *text; // text NULL: none
    const char *name;                   // the function's in the program; NULL: read from a document
    const char *source;                 // place in the CUDA source, or NULL
    uint32_t id, line;                  // line of its first instruction in the program
    double expected;
    const char *expected_in;
    VEC(struct sim_number) rows;
};

struct sim_kernel {
    const char *name;  // as in the program
    const char *shown; // as in the CUDA source
    uint64_t launches, timed, together;
    double cycles, warp_instructions, thread_instructions;
    const char *room; // a sentence about the CTAs of a core; NULL: not known
    sim_parts stalls; // of all slot cycles
    sim_parts served; // of the lines of loads
    sim_parts stages; // of the latency of reads, in cycles
    VEC(struct sim_number) numbers;
    VEC(struct sim_resource) resources;
    VEC(struct sim_item) items;
};

// A launch, in cycles of the run.
struct sim_span {
    uint32_t kernel; // of the report's
    double begun, ended;
    double grid[3], block[3];
};

// Counts of an interval, one for each name of the series.
struct sim_sample {
    double begun, ended; // cycles
    double *values;
};

struct sim_series {
    VEC(const char *) names;
    VEC(struct sim_sample) samples;
};

struct sim_report {
    struct arena *arena;
    const char *program, *run_file, *machine, *policy; // run_file NULL: a command line
    const char *outcome;
    bool has_time;
    VEC(struct sim_kernel) kernels;
    struct sim_kernel total;
    VEC(struct sim_span) spans;
    struct sim_series series;
    double clock;                         // of the cores, MHz
    double peak_instructions, dram_bytes; // roofs: in a cycle of the cores
    uint32_t passed, failed, checks_reported;
    double cpu_seconds, kernel_cpu_seconds;
    const struct timed *timed; // with networks to draw; NULL: read from a document
};

// The document with all of it.
#define SIM_FORMAT "ptxoffload-simulation"
enum { SIM_FORMAT_VERSION = 1 };
// Reads it. Returns NULL, or the fault as a sentence without the file's name.
const char *sim_report_read(struct sim_report *report, struct arena *arena, const char *path);

// Returns the kernel of another report with the same name, or NULL.
const struct sim_kernel *sim_same(const struct sim_report *report, const char *name);
const struct sim_item *sim_same_item(const struct sim_kernel *kernel, const struct sim_item *item);
// Returns the number with this name, or NAN.
double sim_number(const struct sim_kernel *kernel, const char *name);
double sim_parts_sum(const sim_parts *parts);
// Returns the reasons of slots with a warp. kernel may be NULL.
sim_parts sim_resident(struct arena *arena, const struct sim_kernel *kernel);
double sim_share(const struct sim_resource *resource);
// Returns the part's share of the whole, or of a whole with the same parts NAN if it lacks it.
double sim_part_share(const sim_parts *parts, const char *name);
// Returns the name of a kernel in the CUDA source, without parameters.
const char *sim_shown_name(struct arena *arena, const char *name);
