// Tables and plots of a campaign's results.
#pragma once
#include "campaign/store.h"

struct campaign_cell {
    double value; // in the column's unit; NAN: no value
    double paper; // NAN: unknown
    struct campaign_bounds expected;
    bool is_expected;
};

struct campaign_row {
    const char *name; // as in `paper:`
    const char *label;
    bool is_mean;
    double x;                    // of a point, or its number
    struct campaign_cell *cells; // one for each column
};

struct campaign_table {
    const struct campaign_figure *figure;
    VEC(struct campaign_row) rows;
    VEC(const char *) missing;  // reasons for missing values, each once
    VEC(const char *) left_out; // values that means are made without
    uint32_t expectations, met; // of cells with a value
};

struct campaign_report {
    const struct campaign *campaign;
    const struct campaign_plan *plan;
    struct campaign_store *store;
    struct arena *arena;
    const char *command; // for the head
    const char *date;    // of the newest result, or NULL
    uint32_t jobs, with_result;
    VEC(struct campaign_table) tables;
};

// Makes the tables of these figures, or of all. Returns NULL, or the name of an unknown figure.
// Rows of jobs without a result have no values.
const char *campaign_report_make(struct campaign_report *report, struct campaign_store *store,
                                 const struct campaign_plan *plan, const struct text_list *figures,
                                 const char *command);
void campaign_report_text(const struct campaign_report *report, FILE *to);
// Writes a line for each number.
void campaign_report_csv(const struct campaign_report *report, FILE *to);
void campaign_report_html(const struct campaign_report *report, FILE *to);
// Returns true if the first table has a plot.
bool campaign_report_has_plot(const struct campaign_report *report);
// Writes it. Requires campaign_report_has_plot.
void campaign_report_svg(const struct campaign_report *report, FILE *to);
// `notes` is the text around the tables, see the key of campaign files; NULL: no text.
void campaign_report_markdown(const struct campaign_report *report, const char *notes, FILE *to);

// Returns a column's value as text, "–" without a value.
const char *campaign_value_text(struct arena *arena, const struct campaign_column *column,
                                double value);
// Returns the unit after a column's name: " %", "" …
const char *campaign_unit_text(enum campaign_unit unit);

// Returns "7 of 9 expectations hold", or NULL if no cell has one.
const char *campaign_expectations_text(struct arena *arena, const struct campaign_table *table);

// The lines below a table: the number of expectations that hold, and the reasons for missing
// values.
void campaign_report_reasons(const struct campaign_table *table, struct arena *arena,
                             struct text_list *lines);

// A table as rows of texts; the first row is the heading, the first column has names.
struct campaign_grid {
    uint32_t columns;
    VEC(const char *) texts;
    VEC(bool) strong; // of each row
};

void campaign_grid_make(struct campaign_grid *grid, struct arena *arena,
                        const struct campaign_table *table);
// The plot of a table, as SVG.
void campaign_chart(const struct campaign_table *table, struct arena *arena, FILE *to);
