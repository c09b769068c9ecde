// A campaign: workloads and variants of a machine, studies that combine them, and the tables and
// plots of the results. Read from a YAML file.
#pragma once
#include "support/expr.h"
#include "support/diag.h"

enum { CAMPAIGN_NONE = UINT32_MAX };

// KEY=VALUE
struct campaign_setting {
    const char *key, *value;
};

struct campaign_settings {
    VEC(struct campaign_setting) list;
};

struct campaign_places {
    VEC(uint32_t) list;
};

struct campaign_workload {
    const char *name, *group; // the group may be NULL
    const char *run;          // path of the run file
    const char *tagged;       // the same for tagged variants
    struct campaign_settings values;
    struct campaign_settings quick; // with --quick: take precedence over `values`
    struct text_list sample;        // options of ptxoffload-sim for sampled variants
};

struct campaign_variant {
    const char *name, *label;
    const char *policy, *config;
    struct campaign_settings set;
    struct campaign_settings values; // of all run files: take precedence over the workload's
    struct text_list tag;            // options of ptxoffload
    bool tagged;                     // otherwise the program is run unchanged
    bool sampled;                    // with the workload's options
};

// Other values of the run file of a workload at a point.
struct campaign_values {
    uint32_t workload;
    struct campaign_settings list;
};

// A point of a sweep: settings that are applied to a variant.
struct campaign_point {
    const char *name, *group, *label;
    double x; // NAN: not given
    const char *config;
    struct campaign_settings set;
    VEC(struct campaign_values) values;
};

struct campaign_study {
    const char *name;
    struct campaign_places workloads, variants, points; // no point: the variants alone
    bool is_quick;                                      // also run with --quick
};

// A name for an expression over the statistics of one job.
struct campaign_definition {
    const char *name;
    const struct expr *expr;
};

// The meaning of a name in an expression: a definition or a statistic, and its job.
struct campaign_ref {
    uint32_t variant;    // CAMPAIGN_NONE: in a definition, that of the job
    bool is_plain;       // without the point of the row
    bool is_reference;   // of the figure's reference workload
    uint32_t definition; // CAMPAIGN_NONE: a statistic
    const char *statistic;
    uint32_t begin, end; // the expression's place
};

enum campaign_unit {
    UNIT_NUMBER,
    UNIT_PERCENT, // a fraction, shown times 100
    UNIT_GAIN,    // a ratio, shown as its excess over 1, times 100
};

enum campaign_mean { MEAN_ARITHMETIC, MEAN_GEOMETRIC, MEAN_NONE };

struct campaign_bounds {
    double least, most; // included; infinite if open
};

// Known or required values of a row, in the unit of the column.
struct campaign_known {
    const char *row;
    double paper; // NAN: not given
    struct campaign_bounds expected;
    bool is_expected;
};

struct campaign_column {
    const char *name;
    const struct expr *expr;
    enum campaign_unit unit;
    enum campaign_mean mean;
    int digits;
    bool is_plotted;
    struct text_list words; // of the values 0, 1, …; none: numbers
    VEC(struct campaign_known) known;
};

enum campaign_plot { PLOT_NONE, PLOT_BARS, PLOT_STACKED, PLOT_LINES };

// A list of workloads: a group, which has a mean, or workloads by name.
struct campaign_rows {
    const char *group; // NULL: by names
    struct campaign_places workloads;
};

struct campaign_figure {
    const char *name, *title, *source, *text;
    VEC(struct campaign_rows) rows;
    struct campaign_places points; // if given, these are the rows, and cells are means
    uint32_t reference;            // workload of `ref.`
    const char *x_title;
    enum campaign_plot plot;
    VEC(struct campaign_column) columns;
};

struct campaign {
    struct arena *arena;
    const struct source *source;
    struct diags *diags;
    const char *folder; // file names are relative to it; "" or ending in a slash
    const char *name, *title;
    const char *notes, *quick_notes; // paths of the text around the tables, or NULL
    struct text_list options;
    struct campaign_settings slurm;
    bool is_trusted; // run files of jobs may write anywhere
    VEC(struct campaign_workload) workloads;
    VEC(struct campaign_variant) variants;
    VEC(struct campaign_point) points;
    VEC(struct campaign_study) studies;
    VEC(struct campaign_definition) definitions;
    VEC(struct campaign_ref) refs; // by the index of an expression's reference
    VEC(struct campaign_figure) figures;
};

// Reads the file. Returns false after errors, all of which are in `diags`. Results are in the
// arena.
bool campaign_read(struct campaign *campaign, struct arena *arena, const struct source *source,
                   struct diags *diags);
// Returns CAMPAIGN_NONE if the name is unknown.
uint32_t campaign_workload(const struct campaign *campaign, const char *name);
uint32_t campaign_variant(const struct campaign *campaign, const char *name);
