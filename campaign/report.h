// Tables and plots of a campaign's results.
#pragma once
#include "campaign/store.h"

struct campaign_cell {
    double value;     // in the column's unit; NAN: missing
    double low, high; // range of the values of which it is the median; NAN: it is one value
    double paper;     // NAN: unknown
    struct campaign_bounds expected;
    bool is_expected;
};

struct campaign_row {
    const char *name; // name in `paper:`
    const char *label;
    bool is_mean;
    double x;                           // x of the point, or the row's index
    const struct campaign_point *point; // NULL: a row of workloads
    const struct campaign_rows *of;     // of a row of workloads
    uint32_t workload;                  // CAMPAIGN_NONE: a mean over `of`, or a point
    struct campaign_cell *cells;        // one per column
};

struct campaign_table {
    const struct campaign_figure *figure;
    VEC(struct campaign_row) rows;
    VEC(const char *) missing;  // distinct reasons for missing values
    VEC(const char *) left_out; // values that means leave out
    uint32_t expectations, met; // expectations of cells with a value, and those that hold
};

// The width of a plot: as wide as its bars, or of one or two columns of an article.
enum campaign_width { WIDTH_NATURAL, WIDTH_ONE, WIDTH_TWO };

struct campaign_report {
    const struct campaign *campaign;
    const struct campaign_plan *plan;
    struct campaign_store *store;
    struct arena *arena;
    const char *command; // command line, for the heading
    const char *date;    // date of the newest result, or NULL
    uint32_t jobs, with_result;
    struct campaign_tagged *tagged; // of campaign_table_inputs
    VEC(struct campaign_table) tables;
};

// Makes the tables of these figures, or of all. Returns NULL, or the name of an unknown figure.
// Jobs without a result have no values.
const char *campaign_report_make(struct campaign_report *report, struct campaign_store *store,
                                 const struct campaign_plan *plan, const struct text_list *figures,
                                 const char *command);
// Writes the report as text.
void campaign_report_text(const struct campaign_report *report, FILE *to);
// Writes one line of CSV for each number.
void campaign_report_csv(const struct campaign_report *report, FILE *to);
// Writes the report as an HTML page.
void campaign_report_html(const struct campaign_report *report, FILE *to);
// Returns true if the first table has a plot.
bool campaign_report_has_plot(const struct campaign_report *report);
// Writes the plot of the first table as SVG. Requires campaign_report_has_plot.
void campaign_report_svg(const struct campaign_report *report, enum campaign_width width, FILE *to);
// Writes the jobs that each cell needs as JSON, and the digests of what they read.
void campaign_report_cells(const struct campaign_report *report, FILE *to);
// Writes the report as Markdown. `notes` is the text around the tables (key `notes` of campaign
// files); NULL: no text.
void campaign_report_markdown(const struct campaign_report *report, const char *notes, FILE *to);

// Returns a column's value as text, "–" if it is missing.
const char *campaign_value_text(struct arena *arena, const struct campaign_column *column,
                                double value);
// Returns the unit to append to a column's name: ", %" or "".
const char *campaign_unit_text(enum campaign_unit unit);

// Returns "7 of 9 expectations hold", or NULL if no cell has an expectation.
const char *campaign_expectations_text(struct arena *arena, const struct campaign_table *table);

// Appends the lines below a table: the number of expectations that hold, and the reasons for
// missing values.
void campaign_report_reasons(const struct campaign_table *table, struct arena *arena,
                             struct text_list *lines);

// A table as text. The first row is the heading, the first column has the names.
struct campaign_grid {
    uint32_t columns;
    VEC(const char *) texts;
    VEC(bool) strong; // emphasis, per row
};

// Converts a table to text.
void campaign_grid_make(struct campaign_grid *grid, struct arena *arena,
                        const struct campaign_table *table);
// Writes the plot of a table as SVG.
void campaign_chart(const struct campaign_table *table, enum campaign_width width,
                    struct arena *arena, FILE *to);

// Evaluates expressions over the results of a workload's jobs.

struct campaign_query {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    uint32_t workload, variant, point; // variant: for names in definitions
    uint32_t reference;                // workload of `ref.`
    uint32_t depth;
};

// Appends the indices in the plan of the jobs that an expression may read, each once. A job stands
// for all jobs with its key.
void campaign_value_jobs(const struct campaign_query *query, const struct expr *expr,
                         struct campaign_indices *jobs);

// Digests of what the jobs of a table read.
struct campaign_inputs {
    char programs[SHA256_HEX + 1]; // run files, programs before and after tagging, data files
    char values[SHA256_HEX + 1];   // machines, policies, options, values of run files
};

// Starts the list of tagged programs, which the tables share.
void campaign_tagged_init(struct campaign_report *report);
// Computes the digests of a table; ptxoffload tags the programs.
void campaign_table_inputs(const struct campaign_report *report, const struct campaign_table *table,
                           struct campaign_inputs *inputs);

// Returns the value of an expression, or NAN with the reason in `*missing`.
double campaign_value(const struct campaign_query *query, const struct expr *expr,
                      const char **missing);
