// The content of a report of a simulation.
#pragma once
#include "support/vec.h"
#include <math.h>
#include <stdbool.h>

// A component of a total.
struct sim_part {
    const char *name, *text;
    double value;
};
typedef VEC(struct sim_part) sim_parts;

struct sim_number {
    const char *name, *unit;
    double value;
};

// The use of a part of the machine, with its peak.
struct sim_resource {
    const char *name, *unit, *text;
    double used, peak; // per cycle of the part's own clock
    double busiest;    // use of the busiest instance; NAN: single instance or unknown
};

// A measured chain or block.
struct sim_item {
    const char *kind, *function, *text; // text: may be NULL
    const char *name;                   // name in the program; NULL: read from a document
    const char *source;                 // place in the CUDA source, or NULL
    uint32_t id, line;                  // line: of the first instruction in the program
    double expected;
    const char *expected_in;
    VEC(struct sim_number) rows;
};

// A limit of a kernel for some of its cycles: a part of the machine, or latency.
struct sim_limit {
    const char *name; // of the resource, or "latency"
    bool is_part;
    double cycles;
    double used;      // use of the resource in these cycles; for latency, of the most used one
    double without;   // cycles that would be left of these without the limit
    const char *next; // most used of the other resources; NULL: none is used
    const char *wait, *wait_text; // reason for which most warps wait, or NULL
    double waiting;               // its part of all waiting
};
typedef VEC(struct sim_limit) sim_limits;

// A phase of the launches, see report/phases.h. Limits are sorted by cycles, largest first.
struct sim_phase {
    const char *name;
    double cycles;
    sim_limits limits;
};

struct sim_kernel {
    const char *name;  // name in the program
    const char *shown; // name in the CUDA source
    uint64_t launches, timed, together;
    double cycles, warp_instructions, thread_instructions;
    const char *room;             // sentence about resident CTAs per core; NULL: unknown
    double ctas, places;          // mean CTAs of a launch; CTAs that fit the machine; 0: unknown
    VEC(struct sim_phase) phases; // none: not collected
    sim_limits limits;            // those of all phases
    sim_parts stalls;             // breakdown of all slot cycles
    sim_parts served;             // breakdown of the lines of loads by level
    sim_parts stages;             // breakdown of read latency, in cycles
    VEC(struct sim_number) numbers;
    VEC(struct sim_resource) resources;
    VEC(struct sim_item) items;
};

// A launch in the timeline of the run.
struct sim_span {
    uint32_t kernel; // index in the report's kernels
    double begun, ended;
    double grid[3], block[3];
};

// A copy in the timeline of the run.
struct sim_copy {
    double begun, ended, bytes;
};

// Counts in an interval, one for each name of the series.
struct sim_sample {
    double begun, ended; // interval in cycles
    double *values;
};

struct sim_series {
    VEC(const char *) names;
    VEC(struct sim_sample) samples;
};

struct sim_report {
    struct arena *arena;
    const char *program, *run_file, *machine, *policy; // run_file: NULL for a command line
    const char *outcome;
    bool has_time;
    VEC(struct sim_kernel) kernels;
    struct sim_kernel total;
    VEC(struct sim_span) spans;
    VEC(struct sim_copy) copies;
    struct sim_series series;
    double clock;                         // core clock in MHz
    double peak_instructions, dram_bytes; // roofs per core cycle
    uint32_t passed, failed, checks_reported;
    double cpu_seconds, kernel_cpu_seconds;
    const struct timed *timed;          // state with the networks; NULL: read from a document
    const struct site_listing *listing; // counts by instruction; NULL: none
    const char *program_path;           // path of the program, near which its sources may be
};

// Format of the JSON document.
#define SIM_FORMAT "ptxoffload-simulation"
enum { SIM_FORMAT_VERSION = 1 };
// Reads a document. Returns NULL, or the error as a sentence without the file's name.
const char *sim_report_read(struct sim_report *report, struct arena *arena, const char *path);

// Returns the kernel of another report with the same name, or NULL.
const struct sim_kernel *sim_same(const struct sim_report *report, const char *name);
// Returns the same chain or block of another kernel, or NULL.
const struct sim_item *sim_same_item(const struct sim_kernel *kernel, const struct sim_item *item);
// Returns the number with this name, or NAN.
double sim_number(const struct sim_kernel *kernel, const char *name);
// Returns the measured value with this name, or NAN. `item` may be NULL.
double sim_row(const struct sim_item *item, const char *name);
// Returns the sum of the components.
double sim_parts_sum(const sim_parts *parts);
// Returns the breakdown of slot cycles with a resident warp. `kernel` may be NULL.
sim_parts sim_resident(struct arena *arena, const struct sim_kernel *kernel);
// Returns the use of a resource as a fraction of its peak; that of the busiest instance if greater.
double sim_share(const struct sim_resource *resource);
// Returns the component's fraction of the total; NAN if there is no such component.
double sim_part_share(const sim_parts *parts, const char *name);
// Returns the change of a value: a percentage or, where that would be hard to read, both values; ""
// if it is unknown.
const char *sim_change(struct arena *arena, double now, double before);
// Returns a count with separators of thousands.
const char *sim_count(struct arena *arena, double value);
// Returns the cycles of the run in which no kernel ran.
double sim_idle_cycles(const struct sim_report *report);
// Returns the kernel's cycles and launches: "4,032 cycles in 1 launch".
const char *sim_cycles(struct arena *arena, const struct sim_kernel *kernel);
// Returns the name of a kernel in the CUDA source, without parameters.
const char *sim_shown_name(struct arena *arena, const char *name);
