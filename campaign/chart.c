// Plots of a table: adjacent or stacked bars, or lines over the points of a sweep. Bars with the
// paper's values are drawn as outlines.
#include "campaign/report.h"
#include "support/chart.h"
#include <math.h>

enum { HEIGHT = 380, TOP = 64, LEFT = 70, RIGHT = 20, BOTTOM = 86 };

struct figure_chart {
    const struct campaign_table *table;
    struct arena *arena;
    FILE *to;
    uint32_t *series; // plotted columns
    uint32_t count;
    struct chart chart;
};

static const struct campaign_cell *cell_of(const struct figure_chart *c, uint32_t row,
                                           uint32_t series)
{
    return &c->table->rows.v[row].cells[c->series[series]];
}

static double drawn(double value)
{
    const double most = 1e300; // limited, because the axis uses sums of values
    return isnan(value) ? 0 : fmin(most, fmax(-most, value));
}

// Axes

static void reach(struct figure_chart *c, double value)
{
    c->chart.y.low = fmin(c->chart.y.low, drawn(value));
    c->chart.y.high = fmax(c->chart.y.high, drawn(value));
}

// Sets the range of the axis. Returns its step.
static double find_range(struct figure_chart *c)
{
    for (uint32_t r = 0; r < c->table->rows.n; r++) {
        double sum = 0;
        for (uint32_t s = 0; s < c->count; s++) {
            sum += fmax(0, drawn(cell_of(c, r, s)->value));
            reach(c, cell_of(c, r, s)->value);
            reach(c, cell_of(c, r, s)->paper);
        }
        if (c->table->figure->plot == PLOT_STACKED)
            reach(c, sum);
    }
    if (c->chart.y.high - c->chart.y.low <= 0)
        c->chart.y.high = 1;
    return chart_fit(&c->chart.y, 7);
}

static void draw_axis(const struct figure_chart *c, double step)
{
    const struct campaign_column *column = &c->table->figure->columns.v[c->series[0]];
    chart_rows(&c->chart, step, false);
    chart_side(&c->chart);
    if (column->unit != UNIT_NUMBER)
        svg_text(c->to, LEFT, TOP - 8, "end", "faint", "%%");
}

static bool has_papers(const struct figure_chart *c)
{
    bool any = false;
    for (uint32_t r = 0; r < c->table->rows.n; r++)
        for (uint32_t s = 0; s < c->count; s++)
            any |= !isnan(cell_of(c, r, s)->paper);
    return any && c->table->figure->plot != PLOT_STACKED;
}

static void draw_legend(const struct figure_chart *c)
{
    double x = LEFT + 10;
    for (uint32_t s = 0; s < c->count; s++)
        chart_key(c->to, &x, TOP - 22, chart_fill(s),
                  c->table->figure->columns.v[c->series[s]].name);
    if (has_papers(c))
        chart_key(c->to, &x, TOP - 22, "outline", "paper");
}

static void draw_label(const struct figure_chart *c, double x, const struct campaign_row *row)
{
    const char *class = row->is_mean ? "strong small" : "small";
    svg_open(c->to, "text", class);
    fprintf(c->to, " transform=\"translate(%.1f,%d) rotate(-35)\" text-anchor=\"end\">", x,
            HEIGHT - BOTTOM + 16);
    svg_escaped(c->to, row->label);
    fputs("</text>\n", c->to);
}

// Bars

static void draw_bar(const struct figure_chart *c, double x, double width, double from, double to,
                     const char *class, const char *tip)
{
    double top = fmin(chart_y(&c->chart, from), chart_y(&c->chart, to));
    svg_open(c->to, "rect", class);
    fprintf(c->to, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", x, top, width,
            fabs(chart_y(&c->chart, from) - chart_y(&c->chart, to)));
    svg_escaped(c->to, tip);
    fputs("</title></rect>\n", c->to);
}

static const char *tip_of(const struct figure_chart *c, uint32_t row, uint32_t series, double value,
                          const char *whose)
{
    const struct campaign_column *column = &c->table->figure->columns.v[c->series[series]];
    return arena_printf(c->arena, "%s, %s%s: %s", c->table->rows.v[row].label, column->name, whose,
                        campaign_value_text(c->arena, column, value));
}

static void draw_group(const struct figure_chart *c, uint32_t row, double x, double width)
{
    bool is_stacked = c->table->figure->plot == PLOT_STACKED;
    double each = is_stacked ? width : width / c->count, base = 0;
    for (uint32_t s = 0; s < c->count; s++) {
        const struct campaign_cell *cell = cell_of(c, row, s);
        double at = is_stacked ? x : x + s * each;
        if (!isnan(cell->value))
            draw_bar(c, at, each * 0.92, base, base + cell->value, chart_fill(s),
                     tip_of(c, row, s, cell->value, ""));
        base += is_stacked ? drawn(cell->value) : 0;
        if (!isnan(cell->paper) && !is_stacked)
            draw_bar(c, at + each * 0.2, each * 0.52, 0, cell->paper, "outline",
                     tip_of(c, row, s, cell->paper, ", paper"));
    }
}

static void draw_bars(const struct figure_chart *c)
{
    double each = (c->chart.right - LEFT) / c->table->rows.n;
    for (uint32_t r = 0; r < c->table->rows.n; r++) {
        draw_group(c, r, LEFT + (r + 0.1) * each, each * 0.8);
        draw_label(c, LEFT + (r + 0.55) * each, &c->table->rows.v[r]);
    }
}

// Lines

static void draw_dot(const struct figure_chart *c, const struct chart *on, uint32_t row,
                     uint32_t series, double value, const char *class, const char *whose)
{
    if (!isnan(value))
        chart_dot(on, class, c->table->rows.v[row].x, value, 4,
                  tip_of(c, row, series, value, whose));
}

static void draw_lines(const struct figure_chart *c)
{
    enum { EDGE = 24 };
    const struct campaign_table *table = c->table;
    struct chart on = c->chart;
    on.left += EDGE;
    on.right -= EDGE;
    on.x = (struct chart_range){table->rows.v[0].x, table->rows.v[0].x, false, false};
    for (uint32_t r = 0; r < table->rows.n; r++) {
        on.x.low = fmin(on.x.low, table->rows.v[r].x);
        on.x.high = fmax(on.x.high, table->rows.v[r].x);
    }
    for (uint32_t s = 0; s < c->count; s++) {
        chart_line_begin(&on, chart_stroke(s), false);
        for (uint32_t r = 0; r < table->rows.n; r++)
            if (!isnan(cell_of(c, r, s)->value))
                chart_line_to(&on, table->rows.v[r].x, cell_of(c, r, s)->value);
        chart_line_end(&on);
        for (uint32_t r = 0; r < table->rows.n; r++) {
            draw_dot(c, &on, r, s, cell_of(c, r, s)->value, chart_fill(s), "");
            draw_dot(c, &on, r, s, cell_of(c, r, s)->paper, "outline", ", paper");
        }
    }
    for (uint32_t r = 0; r < table->rows.n; r++)
        draw_label(c, chart_x(&on, table->rows.v[r].x), &table->rows.v[r]);
}

void campaign_chart(const struct campaign_table *table, struct arena *arena, FILE *to)
{
    enum { NARROWEST = 560, BAR = 13, GAP = 26 };
    const struct campaign_figure *figure = table->figure;
    struct figure_chart c = {.table = table, .arena = arena, .to = to};
    c.series = ARENA_ARRAY(arena, uint32_t, figure->columns.n + 1);
    for (uint32_t i = 0; i < figure->columns.n; i++)
        if (figure->columns.v[i].is_plotted)
            c.series[c.count++] = i;
    if (!c.count || !table->rows.n)
        return;
    double bars = figure->plot == PLOT_STACKED ? 2 : c.count;
    double width = fmax(NARROWEST, LEFT + RIGHT + table->rows.n * (bars * BAR + GAP));
    c.chart = (struct chart){.to = to,
                             .left = LEFT,
                             .top = TOP,
                             .right = width - RIGHT,
                             .bottom = HEIGHT - BOTTOM,
                             .numbers = ""};
    double step = find_range(&c);
    svg_begin(to, width, HEIGHT, figure->title);
    svg_text(to, LEFT, 20, "start", "title", "%s", figure->title);
    draw_axis(&c, step);
    draw_legend(&c);
    if (figure->plot == PLOT_LINES)
        draw_lines(&c);
    else
        draw_bars(&c);
    if (figure->x_title)
        chart_x_title(&c.chart, HEIGHT - 8, figure->x_title);
    svg_end(to);
}
