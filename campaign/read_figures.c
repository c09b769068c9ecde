// Reads the figures of a campaign file.
#include "campaign/reading.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const unit_words[] = {
    [UNIT_NUMBER] = "number", [UNIT_PERCENT] = "percent", [UNIT_GAIN] = "gain", NULL};
static const char *const mean_words[] = {
    [MEAN_ARITHMETIC] = "arithmetic", [MEAN_GEOMETRIC] = "geometric", [MEAN_NONE] = "none", NULL};
static const char *const plot_words[] = {
    [PLOT_NONE] = "none",   [PLOT_BARS] = "bars", [PLOT_STACKED] = "stacked",
    [PLOT_LINES] = "lines", [PLOT_HEAT] = "heat", NULL};
static const char *const better_words[] = {
    [BETTER_NONE] = "none", [BETTER_MORE] = "more", [BETTER_LESS] = "less", NULL};

// Rows

// Adds a row. Consecutive workloads listed by name share one mean.
static void parse_row(struct campaign_reading *r, const struct yaml_node *node,
                      struct campaign_figure *figure)
{
    struct arena *arena = r->campaign->arena;
    struct campaign_rows made = {0};
    if (!campaign_stands_for(r, node, CAMPAIGN_WORKLOADS, &made.workloads, &made.group))
        return;
    struct campaign_rows *last = figure->rows.n ? &figure->rows.v[figure->rows.n - 1] : NULL;
    if (last && !last->group && !made.group)
        vec_push(arena, &last->workloads.list, made.workloads.list.v[0]);
    else
        vec_push(arena, &figure->rows, made);
}

static void parse_rows(struct campaign_reading *r, const struct yaml_node *node,
                       struct campaign_figure *figure)
{
    if (node->kind == YAML_SCALAR)
        parse_row(r, node, figure);
    for (uint32_t i = 0; node->kind == YAML_SEQUENCE && i < node->count; i++)
        parse_row(r, yaml_at(&r->document, node->items[i]), figure);
    if (node->kind == YAML_SEQUENCE && !node->count)
        campaign_fault(r, node, "the list is empty");
}

static bool names_mean(const struct campaign_figure *figure, const char *name)
{
    if (!strcmp(name, "mean"))
        return figure->rows.n == 1;
    for (uint32_t i = 0; i < figure->rows.n; i++)
        if (figure->rows.v[i].group && !strncmp(name, "mean ", 5) &&
            !strcmp(name + 5, figure->rows.v[i].group))
            return figure->rows.n > 1;
    return false;
}

static bool names_row(const struct campaign_reading *r, const struct campaign_figure *figure,
                      const char *name)
{
    const struct campaign *campaign = r->campaign;
    for (uint32_t i = 0; i < figure->points.list.n; i++)
        if (!strcmp(campaign->points.v[figure->points.list.v[i]].row, name))
            return true;
    if (figure->points.list.n)
        return false;
    for (uint32_t i = 0; i < figure->rows.n; i++)
        for (uint32_t k = 0; k < figure->rows.v[i].workloads.list.n; k++)
            if (!strcmp(campaign->workloads.v[figure->rows.v[i].workloads.list.v[k]].name, name))
                return true;
    return names_mean(figure, name);
}

// Known values of a row

static struct campaign_known *known_of(struct campaign_reading *r, struct campaign_column *column,
                                       const char *row)
{
    for (uint32_t i = 0; i < column->known.n; i++)
        if (!strcmp(column->known.v[i].row, row))
            return &column->known.v[i];
    struct campaign_known made = {.row = row, .paper = NAN};
    vec_push(r->campaign->arena, &column->known, made);
    return &column->known.v[column->known.n - 1];
}

static void parse_paper(struct campaign_reading *r, const struct yaml_node *row,
                        const struct yaml_node *value, struct campaign_column *column)
{
    campaign_number(r, value, &known_of(r, column, row->text)->paper);
}

static bool read_bounds(const char *text, struct campaign_bounds *bounds)
{
    char *end;
    *bounds = (struct campaign_bounds){-INFINITY, INFINITY};
    bool upper = !strncmp(text, "<=", 2), lower = !strncmp(text, ">=", 2);
    double first = strtod(text + (upper || lower ? 2 : 0), &end);
    *(upper ? &bounds->max : &bounds->min) = first;
    if (end == text || upper || lower)
        return (upper || lower) && end > text + 2 && !*end && isfinite(first);
    end += strspn(end, " ");
    if (strncmp(end, "..", 2))
        return false;
    text = end + 2;
    bounds->max = strtod(text, &end);
    return end > text && !*end && bounds->min <= bounds->max;
}

static void parse_expected(struct campaign_reading *r, const struct yaml_node *row,
                           const struct yaml_node *value, struct campaign_column *column)
{
    struct campaign_known *known = known_of(r, column, row->text);
    known->is_expected = value->kind == YAML_SCALAR && read_bounds(value->text, &known->expected);
    if (!known->is_expected)
        campaign_fault(r, value, "an expectation must be written as >= N, <= N or N .. M");
}

typedef void parse_known_fn(struct campaign_reading *r, const struct yaml_node *row,
                            const struct yaml_node *value, struct campaign_column *column);

static void parse_known(struct campaign_reading *r, const struct yaml_node *node,
                        const struct campaign_figure *figure, struct campaign_column *column,
                        parse_known_fn *take)
{
    for (uint32_t i = 0; node && i < node->count; i += 2) {
        const struct yaml_node *row = yaml_at(&r->document, node->items[i]);
        const char *name = campaign_text(row);
        bool is_all = name && !strcmp(name, "all") && take == parse_expected;
        if (!name || !(is_all || names_row(r, figure, name)))
            campaign_fault(r, row, "the figure has no row '%s'", name ? name : "");
        else
            take(r, row, yaml_at(&r->document, node->items[i + 1]), column);
    }
}

// Columns

static void check_refs(struct campaign_reading *r, const struct yaml_node *value,
                       const struct campaign_figure *figure, uint32_t from)
{
    const struct campaign *campaign = r->campaign;
    for (uint32_t i = from; i < campaign->refs.n; i++)
        if (campaign->refs.v[i].is_reference && figure->reference == CAMPAIGN_NONE) {
            campaign_fault(r, value, "'ref.' needs the figure's key 'reference'");
            return;
        }
}

static void parse_column(struct campaign_reading *r, const struct yaml_node *node,
                         struct campaign_figure *figure, int mean, int unit)
{
    struct campaign *campaign = r->campaign;
    struct campaign_keys keys;
    uint32_t refs = campaign->refs.n;
    if (!campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_COLUMN, campaign->diags))
        return;
    const struct yaml_node *value = keys.of[CAMPAIGN_COLUMN_value];
    struct campaign_column made = {
        .name = keys.of[CAMPAIGN_COLUMN_name]->text,
        .expr = campaign_expression(r, value),
        .unit =
            (enum campaign_unit)campaign_choice(r, keys.of[CAMPAIGN_COLUMN_unit], unit_words, unit),
        .mean =
            (enum campaign_mean)campaign_choice(r, keys.of[CAMPAIGN_COLUMN_mean], mean_words, mean),
        .digits = 1,
        .is_plotted = campaign_flag(r, keys.of[CAMPAIGN_COLUMN_plot], true),
        .better = (enum campaign_better)campaign_choice(r, keys.of[CAMPAIGN_COLUMN_better],
                                                        better_words, BETTER_NONE),
    };
    text_list_read(r, keys.of[CAMPAIGN_COLUMN_words], &made.words);
    if (made.words.list.n) {
        made.mean = MEAN_NONE;
        made.is_plotted = false;
    }
    double digits;
    if (keys.of[CAMPAIGN_COLUMN_digits] &&
        campaign_number(r, keys.of[CAMPAIGN_COLUMN_digits], &digits)) {
        if (digits != trunc(digits) || digits < 0 || digits > 9)
            campaign_fault(r, keys.of[CAMPAIGN_COLUMN_digits],
                           "the number of digits must be 0 to 9");
        else
            made.digits = (int)digits;
    }
    check_refs(r, value, figure, refs);
    parse_known(r, keys.of[CAMPAIGN_COLUMN_paper], figure, &made, parse_paper);
    parse_known(r, keys.of[CAMPAIGN_COLUMN_expect], figure, &made, parse_expected);
    vec_push(campaign->arena, &figure->columns, made);
}

static void check_plot(struct campaign_reading *r, const struct campaign_keys *keys,
                       const struct campaign_figure *figure)
{
    bool has_goal = false, has_cells = figure->points.list.n;
    for (uint32_t i = 0; i < figure->columns.n; i++)
        has_goal |= figure->columns.v[i].better != BETTER_NONE;
    for (uint32_t i = 0; i < figure->points.list.n; i++)
        has_cells &= r->campaign->points.v[figure->points.list.v[i]].heat_x != NULL;
    if (figure->is_pareto && !has_goal)
        campaign_fault(r, keys->of[CAMPAIGN_FIGURE_pareto],
                       "no column says which value is 'better'");
    if (figure->plot == PLOT_HEAT && !has_cells)
        campaign_fault(r, keys->of[CAMPAIGN_FIGURE_plot],
                       "a heat map needs the points of a sweep over two keys");
}

static void parse_figure(struct campaign_reading *r, const struct yaml_node *node)
{
    struct campaign *campaign = r->campaign;
    struct campaign_keys keys;
    if (!campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_FIGURE, campaign->diags))
        return;
    const struct yaml_node *name = keys.of[CAMPAIGN_FIGURE_name];
    const struct yaml_node *columns = keys.of[CAMPAIGN_FIGURE_columns];
    const struct yaml_node *reference = keys.of[CAMPAIGN_FIGURE_reference];
    struct campaign_figure made = {
        .name = name->text,
        .title = keys.of[CAMPAIGN_FIGURE_title]->text,
        .source = campaign_text(keys.of[CAMPAIGN_FIGURE_source]),
        .text = campaign_text(keys.of[CAMPAIGN_FIGURE_text]),
        .x_title = campaign_text(keys.of[CAMPAIGN_FIGURE_x]),
        .y_title = campaign_text(keys.of[CAMPAIGN_FIGURE_y]),
        .reference = reference ? campaign_workload(campaign, reference->text) : CAMPAIGN_NONE,
        .plot = (enum campaign_plot)campaign_choice(r, keys.of[CAMPAIGN_FIGURE_plot], plot_words,
                                                    PLOT_BARS),
        .is_pareto = campaign_flag(r, keys.of[CAMPAIGN_FIGURE_pareto], false),
    };
    int mean = campaign_choice(r, keys.of[CAMPAIGN_FIGURE_mean], mean_words, MEAN_ARITHMETIC);
    int unit = campaign_choice(r, keys.of[CAMPAIGN_FIGURE_unit], unit_words, UNIT_NUMBER);
    if (reference && made.reference == CAMPAIGN_NONE)
        campaign_fault(r, reference, "unknown workload '%s'", reference->text);
    parse_rows(r, keys.of[CAMPAIGN_FIGURE_workloads], &made);
    campaign_indices_read(r, keys.of[CAMPAIGN_FIGURE_points], CAMPAIGN_POINTS, &made.points);
    for (uint32_t i = 0; i < columns->count; i++)
        parse_column(r, yaml_at(&r->document, columns->items[i]), &made, mean, unit);
    check_plot(r, &keys, &made);
    bool is_taken = false;
    for (uint32_t i = 0; i < campaign->figures.n; i++)
        is_taken |= !strcmp(campaign->figures.v[i].name, made.name);
    if (campaign_new_name(r, name, is_taken))
        vec_push(campaign->arena, &campaign->figures, made);
}

void campaign_figures_read(struct campaign_reading *r, const struct yaml_node *figures)
{
    for (uint32_t i = 0; figures && i < figures->count; i++)
        parse_figure(r, yaml_at(&r->document, figures->items[i]));
}
