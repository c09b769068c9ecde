// A campaign consists of workloads, variants of a machine, studies that combine them, and the
// tables and plots of the results. It is read from a YAML file.
#pragma once
#include "support/expr.h"
#include "support/diag.h"

enum { CAMPAIGN_NONE = UINT32_MAX };

// A setting KEY=VALUE.
struct campaign_setting {
    const char *key, *value;
};

struct campaign_settings {
    VEC(struct campaign_setting) list;
};

struct campaign_indices {
    VEC(uint32_t) list;
};

struct campaign_workload {
    const char *name, *group; // group: may be NULL
    const char *run;          // path of the run file
    const char *tagged;       // run file for tagged variants
    struct campaign_settings values;
    struct campaign_settings quick; // with --quick; override `values`
    struct text_list sample;        // options of ptxoffload-sim for sampled variants
};

struct campaign_variant {
    const char *name, *label;
    const char *policy, *config;
    struct campaign_settings set;
    struct campaign_settings values; // run-file values; override the workload's
    struct text_list tag;            // options of ptxoffload
    bool tagged;                     // run the tagged program instead of the original
    bool sampled;                    // run with the workload's `sample` options
};

// Run-file values of one workload at a point; they override others.
struct campaign_values {
    uint32_t workload;
    struct campaign_settings list;
};

// A point of a sweep: settings applied to a variant.
struct campaign_point {
    const char *name, *group, *label;
    double x; // NAN: not given
    const char *config;
    struct campaign_settings set;
    VEC(struct campaign_values) values;
    const char *row;  // name of its row in tables
    uint32_t repeats; // points that are one row, from this one on; 0: part of an earlier one's
    const char *heat_x, *heat_y; // its cell in a heat map, or NULL
};

struct campaign_study {
    const char *name;
    struct campaign_indices workloads, variants, points; // no points: only the variants
    bool is_quick;                                       // also run with --quick
};

// A name for an expression over the statistics of one job.
struct campaign_definition {
    const char *name;
    const struct expr *expr;
};

// The meaning of a name in an expression: a definition or a statistic, and its job.
struct campaign_ref {
    uint32_t variant;    // CAMPAIGN_NONE: the job's (in a definition)
    bool is_plain;       // of the job without the row's point
    bool is_reference;   // of the figure's reference workload
    uint32_t definition; // CAMPAIGN_NONE: a statistic
    const char *statistic;
    uint32_t begin, end; // byte range of the expression in the source
};

enum campaign_unit {
    UNIT_NUMBER,
    UNIT_PERCENT, // a fraction, shown in percent
    UNIT_GAIN,    // a ratio, shown as its gain over 1 in percent
};

enum campaign_mean { MEAN_ARITHMETIC, MEAN_GEOMETRIC, MEAN_NONE };

struct campaign_bounds {
    double min, max; // inclusive; infinite if open
};

// Known and expected values of a row, in the column's unit.
struct campaign_known {
    const char *row;
    double paper; // NAN: not given
    struct campaign_bounds expected;
    bool is_expected;
};

enum campaign_better { BETTER_NONE, BETTER_MORE, BETTER_LESS };

struct campaign_column {
    const char *name;
    const struct expr *expr;
    enum campaign_unit unit;
    enum campaign_mean mean;
    int digits;
    bool is_plotted;
    enum campaign_better better; // BETTER_NONE: no goal
    struct text_list words;      // words for the values 0, 1, …; empty: numbers
    VEC(struct campaign_known) known;
};

enum campaign_plot { PLOT_NONE, PLOT_BARS, PLOT_STACKED, PLOT_LINES, PLOT_HEAT };

// Rows of a figure: a group of workloads, which has a mean, or workloads listed by name.
struct campaign_rows {
    const char *group; // NULL: listed by name
    struct campaign_indices workloads;
};

struct campaign_figure {
    const char *name, *title, *source, *text;
    VEC(struct campaign_rows) rows;
    struct campaign_indices points; // if given, the rows; their cells are means over the workloads
    uint32_t reference;             // workload of `ref.`
    const char *x_title, *y_title;
    enum campaign_plot plot;
    bool is_pareto; // only the rows that no other row dominates
    VEC(struct campaign_column) columns;
};

struct campaign {
    struct arena *arena;
    const struct source *source;
    struct diags *diags;
    const char *folder; // base of relative file names; "" or ends in a slash
    const char *name, *title;
    struct text_list preview;        // names of workloads
    const char *notes, *quick_notes; // paths of the files with the text around the tables, or NULL
    struct text_list options;
    struct campaign_settings slurm;
    bool is_trusted; // jobs may write files anywhere
    VEC(struct campaign_workload) workloads;
    VEC(struct campaign_variant) variants;
    VEC(struct campaign_point) points;
    VEC(struct campaign_study) studies;
    VEC(struct campaign_definition) definitions;
    VEC(struct campaign_ref) refs; // indexed by the references of expressions
    VEC(struct campaign_figure) figures;
};

// Reads a campaign file. Returns false after errors, which are in `diags`. The results are in the
// arena.
bool campaign_read(struct campaign *campaign, struct arena *arena, const struct source *source,
                   struct diags *diags);
// Return the index of a workload or variant, or CAMPAIGN_NONE if the name is unknown.
uint32_t campaign_workload(const struct campaign *campaign, const char *name);
uint32_t campaign_variant(const struct campaign *campaign, const char *name);
