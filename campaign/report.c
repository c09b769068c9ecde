#include "campaign/report.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct making {
    struct campaign_report *report;
    struct arena *arena;
    const struct campaign_figure *figure;
    struct campaign_table *table;
};

static double shown(const struct campaign_column *column, double value)
{
    switch (column->unit) {
    case UNIT_PERCENT: return 100 * value;
    case UNIT_GAIN: return 100 * (value - 1);
    default: return value;
    }
}

// Missing values

static void miss(struct making *m, const char *reason)
{
    for (uint32_t i = 0; i < m->table->missing.n; i++)
        if (!strcmp(m->table->missing.v[i], reason))
            return;
    vec_push(m->arena, &m->table->missing, reason);
}

// Means of the available values

struct mean {
    double sum;
    uint32_t count, of;
    const char *zeros; // names of the values without a logarithm, or NULL
};

static void mean_add(struct making *m, struct mean *mean, const struct campaign_column *column,
                     uint32_t workload, double value)
{
    bool is_geometric = column->mean == MEAN_GEOMETRIC;
    const char *name = m->report->campaign->workloads.v[workload].name;
    mean->of++;
    if (isnan(value))
        return;
    if (is_geometric && value <= 0) {
        mean->zeros = arena_printf(m->arena, "%s%s%s (%.4g)", mean->zeros ? mean->zeros : "",
                                   mean->zeros ? ", " : "", name, shown(column, value));
        return;
    }
    mean->sum += is_geometric ? log(value) : value;
    mean->count++;
}

// Reports the values that a mean leaves out.
static void report_left_out(struct making *m, const struct mean *mean,
                            const struct campaign_column *column, const char *row)
{
    const char *text = arena_printf(m->arena, "%s of '%s': over %u of %u values only", row,
                                    column->name, mean->count, mean->of);
    if (mean->zeros)
        text = arena_printf(
            m->arena, "%s; a geometric mean omits ratios and values that are not positive: %s",
            text, mean->zeros);
    vec_push(m->arena, &m->table->left_out, text);
}

static double mean_of(struct making *m, const struct mean *mean,
                      const struct campaign_column *column, const char *row)
{
    if (mean->count < mean->of && (mean->count || mean->zeros))
        report_left_out(m, mean, column, row);
    if (!mean->count)
        return NAN;
    double value = mean->sum / mean->count;
    return column->mean == MEAN_GEOMETRIC ? exp(value) : value;
}

// Cells

static void know(const struct campaign_column *column, const struct campaign_row *row,
                 struct campaign_cell *cell)
{
    cell->paper = NAN;
    for (uint32_t i = 0; i < column->known.n; i++) {
        const struct campaign_known *known = &column->known.v[i];
        bool is_row = !strcmp(known->row, row->name);
        if (is_row)
            cell->paper = known->paper;
        bool is_all = !strcmp(known->row, "all") && !row->is_mean && !cell->is_expected;
        if (known->is_expected && (is_row || is_all)) {
            cell->expected = known->expected;
            cell->is_expected = true;
        }
    }
}

static double ask(struct making *m, const struct campaign_column *column, uint32_t workload,
                  uint32_t point)
{
    const char *missing;
    struct campaign_query query = {.store = m->report->store,
                                   .plan = m->report->plan,
                                   .workload = workload,
                                   .variant = CAMPAIGN_NONE,
                                   .point = point,
                                   .reference = m->figure->reference};
    double value = campaign_value(&query, column->expr, &missing);
    if (missing)
        miss(m, missing);
    return value;
}

static bool is_met(const struct campaign_cell *cell)
{
    return cell->value >= cell->expected.min && cell->value <= cell->expected.max;
}

// A value, and the range of those of which it is the median.
struct cell_spread {
    double low, value, high; // low, high: NAN: it is one value
};

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Returns the median of the values that are not missing. Sorts the values.
static struct cell_spread spread_of(double *values, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    if (count == 1 || !n)
        return (struct cell_spread){NAN, n ? values[0] : NAN, NAN};
    qsort(values, n, sizeof *values, compare_numbers);
    return (struct cell_spread){values[0], (values[(n - 1) / 2] + values[n / 2]) / 2,
                                values[n - 1]};
}

static void add_row(struct making *m, struct campaign_row row, const struct cell_spread *values)
{
    uint32_t columns = m->figure->columns.n;
    row.cells = ARENA_ARRAY(m->arena, struct campaign_cell, columns);
    for (uint32_t i = 0; i < columns; i++) {
        row.cells[i].value = shown(&m->figure->columns.v[i], values[i].value);
        row.cells[i].low = shown(&m->figure->columns.v[i], values[i].low);
        row.cells[i].high = shown(&m->figure->columns.v[i], values[i].high);
        know(&m->figure->columns.v[i], &row, &row.cells[i]);
        if (row.cells[i].is_expected && !isnan(row.cells[i].value)) {
            m->table->expectations++;
            m->table->met += is_met(&row.cells[i]);
        }
    }
    vec_push(m->arena, &m->table->rows, row);
}

// Rows of workloads

static void add_mean(struct making *m, const struct campaign_rows *rows, const struct mean *means)
{
    const struct campaign_figure *figure = m->figure;
    struct cell_spread *values = ARENA_ARRAY(m->arena, struct cell_spread, figure->columns.n);
    bool any = false;
    const char *name =
        figure->rows.n > 1 && rows->group ? arena_printf(m->arena, "mean %s", rows->group) : "mean";
    for (uint32_t i = 0; i < figure->columns.n; i++) {
        const struct campaign_column *column = &figure->columns.v[i];
        any |= column->mean != MEAN_NONE;
        double value = column->mean == MEAN_NONE ? NAN : mean_of(m, &means[i], column, name);
        values[i] = spread_of(&value, 1);
    }
    if (any)
        add_row(m,
                (struct campaign_row){.name = name,
                                      .label = name,
                                      .is_mean = true,
                                      .of = rows,
                                      .workload = CAMPAIGN_NONE},
                values);
}

static void add_workloads(struct making *m, const struct campaign_rows *rows)
{
    const struct campaign *campaign = m->report->campaign;
    uint32_t columns = m->figure->columns.n;
    struct mean *means = ARENA_ARRAY(m->arena, struct mean, columns);
    struct cell_spread *values = ARENA_ARRAY(m->arena, struct cell_spread, columns);
    for (uint32_t i = 0; i < rows->workloads.list.n; i++) {
        uint32_t workload = rows->workloads.list.v[i];
        const char *name = campaign->workloads.v[workload].name;
        for (uint32_t k = 0; k < columns; k++) {
            double value = ask(m, &m->figure->columns.v[k], workload, CAMPAIGN_NONE);
            mean_add(m, &means[k], &m->figure->columns.v[k], workload, value);
            values[k] = spread_of(&value, 1);
        }
        add_row(m,
                (struct campaign_row){.name = name,
                                      .label = name,
                                      .x = m->table->rows.n,
                                      .of = rows,
                                      .workload = workload},
                values);
    }
    if (rows->workloads.list.n > 1)
        add_mean(m, rows, means);
}

// Returns a column's value at a point: a mean over all workloads.
static double value_at(struct making *m, const struct campaign_column *column, uint32_t point)
{
    const struct campaign_figure *figure = m->figure;
    struct mean mean = {0};
    for (uint32_t i = 0; i < figure->rows.n; i++)
        for (uint32_t w = 0; w < figure->rows.v[i].workloads.list.n; w++) {
            uint32_t workload = figure->rows.v[i].workloads.list.v[w];
            mean_add(m, &mean, column, workload, ask(m, column, workload, point));
        }
    return mean_of(m, &mean, column, m->report->campaign->points.v[point].name);
}

// Adds a row for a point and its repeats.
static void add_point(struct making *m, uint32_t point)
{
    const struct campaign_figure *figure = m->figure;
    const struct campaign_point *of = &m->report->campaign->points.v[point];
    struct cell_spread *values = ARENA_ARRAY(m->arena, struct cell_spread, figure->columns.n);
    double *each = ARENA_ARRAY(m->arena, double, of->repeats);
    if (!of->repeats)
        return;
    for (uint32_t k = 0; k < figure->columns.n; k++) {
        for (uint32_t i = 0; i < of->repeats; i++)
            each[i] = value_at(m, &figure->columns.v[k], point + i);
        values[k] = spread_of(each, of->repeats);
    }
    add_row(m,
            (struct campaign_row){.name = of->row,
                                  .point = of,
                                  .workload = CAMPAIGN_NONE,
                                  .label = of->label ? of->label : of->row,
                                  .x = isnan(of->x) ? m->table->rows.n : of->x},
            values);
}

// Returns true if row `a` is at least as good as row `b` in all columns with a goal, and better in
// one. A row with a missing value dominates none and is dominated by none.
static bool dominates(const struct campaign_figure *figure, const struct campaign_row *a,
                      const struct campaign_row *b)
{
    bool is_better = false;
    for (uint32_t i = 0; i < figure->columns.n; i++) {
        enum campaign_better better = figure->columns.v[i].better;
        double gain = a->cells[i].value - b->cells[i].value;
        if (better == BETTER_NONE)
            continue;
        if (better == BETTER_LESS)
            gain = -gain;
        if (!(gain >= 0))
            return false;
        is_better |= gain > 0;
    }
    return is_better;
}

static void keep_pareto(struct making *m)
{
    struct campaign_table *table = m->table;
    uint32_t count = table->rows.n, kept = 0;
    bool *out = ARENA_ARRAY(m->arena, bool, count);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = table->rows.v[i].is_mean;
        for (uint32_t k = 0; k < count && !out[i]; k++)
            out[i] = !table->rows.v[k].is_mean &&
                     dominates(m->figure, &table->rows.v[k], &table->rows.v[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!out[i])
            table->rows.v[kept++] = table->rows.v[i];
    table->rows.n = kept;
}

static void make_table(struct making *m)
{
    for (uint32_t i = 0; i < m->figure->points.list.n; i++)
        add_point(m, m->figure->points.list.v[i]);
    for (uint32_t i = 0; !m->figure->points.list.n && i < m->figure->rows.n; i++)
        add_workloads(m, &m->figure->rows.v[i]);
    if (m->figure->is_pareto)
        keep_pareto(m);
}

// Tables

static bool is_chosen(const struct text_list *figures, const char *name)
{
    bool chosen = !figures->list.n;
    for (uint32_t i = 0; i < figures->list.n; i++)
        chosen |= !strcmp(figures->list.v[i], name);
    return chosen;
}

static const char *check_figures(const struct campaign_report *report,
                                 const struct text_list *figures)
{
    for (uint32_t i = 0; i < figures->list.n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < report->campaign->figures.n; k++)
            found |= !strcmp(report->campaign->figures.v[k].name, figures->list.v[i]);
        if (!found)
            return arena_printf(report->arena, "unknown figure '%s'", figures->list.v[i]);
    }
    return NULL;
}

static void count_jobs(struct campaign_report *report)
{
    for (uint32_t i = 0; i < report->plan->jobs.n; i++) {
        const struct campaign_job *job = &report->plan->jobs.v[i];
        struct campaign_found found = {.is_there = false};
        if (!job->error && job->same != i)
            continue;
        if (!job->error)
            campaign_database_find(report->store, job->key, &found);
        bool good = found.is_there && !found.failure;
        report->jobs++;
        report->with_result += good;
        if (good && (!report->date || strcmp(found.ended, report->date) > 0))
            report->date = found.ended;
    }
}

static bool has_value(const struct campaign_table *table, const struct campaign_row *row)
{
    bool any = false;
    for (uint32_t i = 0; i < table->figure->columns.n; i++)
        any |= !isnan(row->cells[i].value);
    return any;
}

// Removes the rows of a preview without a value: their jobs are not part of it. Returns false if no
// row is left.
static bool keep_values(struct campaign_table *table)
{
    uint32_t kept = 0;
    bool any = false;
    for (uint32_t r = 0; r < table->rows.n; r++) {
        if (!has_value(table, &table->rows.v[r]))
            continue;
        any |= !table->rows.v[r].is_mean;
        table->rows.v[kept++] = table->rows.v[r];
    }
    table->rows.n = kept;
    table->missing.n = 0;
    return any;
}

const char *campaign_report_make(struct campaign_report *report, struct campaign_store *store,
                                 const struct campaign_plan *plan, const struct text_list *figures,
                                 const char *command)
{
    const struct campaign *campaign = plan->campaign;
    *report = (struct campaign_report){.campaign = campaign,
                                       .plan = plan,
                                       .store = store,
                                       .arena = plan->arena,
                                       .command = command};
    const char *error = check_figures(report, figures);
    campaign_tagged_init(report);
    for (uint32_t i = 0; !error && i < campaign->figures.n; i++) {
        const struct campaign_figure *figure = &campaign->figures.v[i];
        struct campaign_table table = {.figure = figure};
        struct making making = {report, plan->arena, figure, &table};
        if (!is_chosen(figures, figure->name))
            continue;
        make_table(&making);
        if (!plan->is_preview || keep_values(&table))
            vec_push(plan->arena, &report->tables, table);
    }
    count_jobs(report);
    return error;
}
