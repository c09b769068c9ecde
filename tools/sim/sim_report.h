// The report of a simulation: facts about a run, collected from the device and machine or read from
// a document, and their presentation.
#pragma once
#include "backend/tables/tables.h"
#include "runtime-sim/device/timed.h"
#include "runtime-sim/run/listing.h"
#include "runtime-sim/run/session.h"
#include "tools/sim/sim_facts.h"

// Collects counts during a run through the sample callback of timed_options, whose `context` is the
// collector.
struct sim_collector {
    struct timed *timed;
    struct arena *arena;
    struct sim_series series;
    uint64_t last; // cycle of the last sample
    bool fixed;    // the user chose the interval
};
enum { SIM_INTERVAL = 256, SIM_SAMPLES = 480 }; // initial cycles; maximum samples
// Initialises the collector. Requires timed_begin.
void sim_collect_begin(struct sim_collector *collector, struct timed *timed, struct arena *arena,
                       bool fixed);
// Records the sample of an interval that ends at `cycle`. If there are too many samples, adjacent
// pairs are summed and the interval is doubled.
void sim_collect(struct sim_collector *collector, uint64_t cycle);

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

// Appends sentences about the bottleneck of a kernel; each ends in a full stop.
typedef VEC(const char *) sim_sentences;
void sim_explain(const struct sim_kernel *kernel, struct arena *arena, sim_sentences *to);

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
