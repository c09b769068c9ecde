// The report of a simulation: facts about a run, collected from the device and machine or read from
// a document, and their presentation.
#pragma once
#include "backend/tables/tables.h"
#include "report/phases.h"
#include "runtime-sim/run/listing.h"
#include "runtime-sim/run/session.h"

// The statistics whose sum is the latency of all reads that leave the cores.
#define SIM_READ_CYCLES                                                                            \
    "memory.in_request_network memory.in_request_delay memory.in_slice "                           \
    "memory.in_slice_out memory.in_dram_delay memory.in_dram memory.in_fill "                      \
    "memory.in_reply_queue memory.in_reply_network"

// A bounded number of samples: when there are too many, adjacent pairs are added up.
struct sim_recording {
    VEC(struct sim_sample) samples; // their values lie in one array
    uint32_t columns, capacity;
    double width; // cycles of a sample, at most
};

struct sim_kernel_phases {
    const struct device_kernel *kernel;
    struct sim_phase_sums sums;
};

// Collects counts during a run through the callbacks of timed_options, whose `context` is the
// collector.
struct sim_collector {
    struct timed *timed;
    struct arena *arena;
    struct sim_meter meter, busiest; // the second one is read at the end of a period
    struct sim_phase_columns columns;
    struct sim_recording run, period; // of the run, and of the present busy period
    struct sim_series series;         // names only
    double *values;                   // of a sample
    VEC(struct sim_kernel_phases) kernels;
    struct sim_phase_sums total;
    uint32_t spans; // launches that were counted
    uint64_t last;  // cycle of the last sample
    bool fixed;     // the user chose the interval
};
// Cycles between samples at the start of a period; maximum samples of a period, and of the run.
enum { SIM_INTERVAL = 64, SIM_SAMPLES = 480, SIM_SHOWN = 240 };
// Initialises the collector. Requires timed_begin.
void sim_collect_begin(struct sim_collector *collector, struct timed *timed, struct arena *arena,
                       bool fixed);
// Records the sample of an interval that ends at `cycle`. If there are too many in a period, the
// interval is doubled.
void sim_collect(struct sim_collector *collector, uint64_t cycle);
// Records the end of a busy period: adds its launches to the phases of their kernels.
void sim_collect_period(struct sim_collector *collector, uint64_t cycle);
// Returns the phases of a kernel, or NULL.
const struct sim_phase_sums *sim_collected(const struct sim_collector *collector,
                                           const struct device_kernel *kernel);

struct sim_facts {
    struct session *session;
    struct timed *timed;                   // NULL: functional only
    const struct sim_collector *collector; // NULL: no series
    const char *run_file, *machine, *outcome;
    const struct site_listing *listing; // counts by instruction; NULL: none
    const char *program;                // path of the program, near which its sources may be
    double cpu_seconds;
};
// Fills a report with the facts about a run.
void sim_report_collect(struct sim_report *report, struct arena *arena,
                        const struct sim_facts *facts);

// Writes the document {"format": "ptxoffload-simulation", …}.
void sim_report_json(const struct sim_report *report, FILE *to);

// The input of the text and HTML forms. `beside`: another run to compare with, or NULL;
// `beside_name`: name of its document.
struct sim_view {
    const struct sim_report *report, *beside;
    const char *beside_name;
    bool explains;
};
// Write the report as text, and as an HTML page.
void sim_report_text(const struct sim_view *view, FILE *to);
void sim_report_html(const struct sim_view *view, struct arena *arena, FILE *to);

// Writes the instructions and source lines with their counts. `program`: its path.
void sim_annotate(const struct site_listing *listing, const char *program, struct arena *arena,
                  FILE *to);

// For the page: the busiest lines or instructions of the run; the lists of a kernel, by its number
// in the report; the anchor of a line of the program in the lists. `id`: of the kernel's section.
// Have no effect without report->listing.
void sim_source_top(const struct sim_report *report, struct arena *arena, FILE *to);
void sim_source_kernel(const struct sim_report *report, uint32_t kernel, const char *id,
                       struct arena *arena, FILE *to);
const char *sim_source_id(struct arena *arena, const char *id, uint32_t line);

// Appends paragraphs about what limits a kernel, each of whole sentences.
typedef VEC(const char *) sim_sentences;
void sim_explain(const struct sim_kernel *kernel, struct arena *arena, sim_sentences *to);

// Returns what limits the kernel most, as one line without a full stop; "" if it is unknown.
const char *sim_explain_brief(const struct sim_kernel *kernel, struct arena *arena);
// Returns what holds without a limit: the largest possible gain, and what would limit then. Without
// a full stop.
const char *sim_gain_text(struct arena *arena, const struct sim_kernel *kernel,
                          const struct sim_limit *limit);
// Returns "limited by", or "probably limited by" if the part is not near its peak.
const char *sim_limit_word(const struct sim_limit *limit);
// Returns what offloading the chain or block has cost or saved, without a full stop, or NULL.
// `costs`: it cost more than it saved.
const char *sim_item_verdict(struct arena *arena, const struct sim_item *item, bool *costs);

// Charts of a simulation's page.

// Draws the launches and the series of a run over cycles 0 to `most`.
void sim_chart_timeline(const struct sim_report *report, double max, struct arena *arena, FILE *to);
// An interval of a run, in cycles.
struct sim_window {
    double from, until;
};
// Returns the number of samples in the window, and the index of the first.
uint32_t sim_samples_in(const struct sim_report *report, struct sim_window window, uint32_t *first);
// Draws the series in the window, which must not be empty.
void sim_chart_launch(const struct sim_report *report, struct sim_window window,
                      struct arena *arena, FILE *to);
// Draws the kernels over instructions per DRAM byte, below the roofs of issue and DRAM.
void sim_chart_roofline(const struct sim_report *report, const struct sim_report *beside,
                        struct arena *arena, FILE *to);
// Returns the cycle at which the last launch or sample ends.
double sim_last_cycle(const struct sim_report *report);

// Writes the measurements of chains and blocks, for profiles.

struct json;
// Adds the members tagged_from, policy, machine and offloaded to a profile. Source places are those
// of `tables`, the program's metadata.
void sim_outcomes_write(const struct sim_report *report, const struct tables *tables,
                        struct json *json);
