// The report of a simulation: facts about a run, collected from the device and machine or read from
// a document, and their presentation.
#pragma once
#include "runtime-sim/device/timed.h"
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

// Appends sentences about the bottleneck of a kernel; each ends in a full stop.
typedef VEC(const char *) sim_sentences;
void sim_explain(const struct sim_kernel *kernel, struct arena *arena, sim_sentences *to);
