// The report of a simulation: facts about a run, collected from the device and the machine or read
// from a document, and their forms for people.
#pragma once
#include "runtime-sim/device/timed.h"
#include "runtime-sim/run/session.h"
#include "tools/sim/sim_facts.h"

// Collects counts during a run. One sample callback of timed_options; `context` is the series.
struct sim_collector {
    struct timed *timed;
    struct arena *arena;
    struct sim_series series;
    uint64_t last; // cycle of the last sample
    bool fixed;    // the interval is the user's
};
enum { SIM_INTERVAL = 256, SIM_SAMPLES = 480 }; // cycles at first; samples at most
// Begins; timed_begin has been called.
void sim_collect_begin(struct sim_collector *collector, struct timed *timed, struct arena *arena,
                       bool fixed);
// At the end of an interval, before the next one begins. Sums pairs of samples and doubles the
// interval if there are too many.
void sim_collect(struct sim_collector *collector, uint64_t cycle);

struct sim_facts {
    struct session *session;
    struct timed *timed;                   // NULL: values only
    const struct sim_collector *collector; // NULL: no series
    const char *run_file, *machine, *outcome;
    double cpu_seconds;
};
void sim_report_collect(struct sim_report *report, struct arena *arena,
                        const struct sim_facts *facts);

// {"format": "ptxoffload-simulation", …}
void sim_report_json(const struct sim_report *report, FILE *to);

// The forms. `beside`: another run to compare with, or NULL; `beside_name`: of its document.
struct sim_view {
    const struct sim_report *report, *beside;
    const char *beside_name;
    bool explains;
};
void sim_report_text(const struct sim_view *view, FILE *to);
void sim_report_html(const struct sim_view *view, struct arena *arena, FILE *to);

// The bottleneck of a kernel, as sentences; each ends in a full stop.
typedef VEC(const char *) sim_sentences;
void sim_explain(const struct sim_kernel *kernel, struct arena *arena, sim_sentences *to);
