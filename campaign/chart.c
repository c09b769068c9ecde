// Plots of a table: adjacent or stacked bars, lines over the points of a sweep, or a heat map of
// the first plotted column. Bars with the paper's values are drawn as outlines.
#include "campaign/report.h"
#include "support/chart.h"
#include <math.h>
#include <string.h>

enum { LEFT = 70, RIGHT = 20, BOTTOM = 86, TITLE = 26, LEGEND = 20 };

struct figure_chart {
    const struct campaign_table *table;
    struct arena *arena;
    FILE *to;
    uint32_t *series; // plotted columns
    uint32_t count;
    struct chart chart;
    bool steep; // labels of rows stand close together
};

static const struct campaign_cell *cell_of(const struct figure_chart *c, uint32_t row,
                                           uint32_t series)
{
    return &c->table->rows.v[row].cells[c->series[series]];
}

static double drawn(double value)
{
    const double max = 1e300; // limited, because the axis uses sums of values
    return isnan(value) ? 0 : fmin(max, fmax(-max, value));
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
            reach(c, cell_of(c, r, s)->low);
            reach(c, cell_of(c, r, s)->high);
        }
        if (c->table->figure->plot == PLOT_STACKED)
            reach(c, sum);
    }
    if (c->chart.y.high - c->chart.y.low <= 0)
        c->chart.y.high = 1;
    return chart_fit(&c->chart.y, c->chart.bottom - c->chart.top < 180 ? 4 : 7);
}

static void draw_axis(const struct figure_chart *c, double step)
{
    const struct campaign_column *column = &c->table->figure->columns.v[c->series[0]];
    chart_rows(&c->chart, step, false);
    chart_side(&c->chart);
    if (column->unit != UNIT_NUMBER)
        svg_text(c->to, LEFT, c->chart.top - 8, "end", "faint", "%%");
}

static bool has_papers(const struct figure_chart *c)
{
    bool any = false;
    for (uint32_t r = 0; r < c->table->rows.n; r++)
        for (uint32_t s = 0; s < c->count; s++)
            any |= !isnan(cell_of(c, r, s)->paper);
    return any && c->table->figure->plot != PLOT_STACKED;
}

struct legend {
    FILE *to; // NULL: it is only measured
    double x, y, right;
};

// Adds an entry, on the next line if this one has no room for it.
static void add_key(struct legend *legend, const char *class, const char *text)
{
    double end = legend->x + chart_key_width(text);
    if (end > legend->right && legend->x > LEFT) {
        legend->x = LEFT;
        legend->y += LEGEND;
        end = legend->x + chart_key_width(text);
    }
    if (legend->to)
        chart_key(legend->to, &legend->x, legend->y, class, text);
    legend->x = end;
}

// Draws the legend from `y` on, or measures it. Returns the position of its last line.
static double draw_legend(const struct figure_chart *c, FILE *to, double y)
{
    struct legend legend = {to, LEFT, y, c->chart.right};
    for (uint32_t s = 0; s < c->count; s++)
        add_key(&legend, chart_fill(s), c->table->figure->columns.v[c->series[s]].name);
    if (has_papers(c))
        add_key(&legend, "outline", "paper");
    return legend.y;
}

static void draw_label(const struct figure_chart *c, double x, const struct campaign_row *row)
{
    const char *class = row->is_mean ? "strong small" : "small";
    svg_open(c->to, "text", class);
    fprintf(c->to, " transform=\"translate(%.1f,%.0f) rotate(%d)\" text-anchor=\"end\">", x,
            c->chart.bottom + 16, c->steep ? -60 : -35);
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

// Draws the range of the values of which the cell has the median.
static void draw_range(const struct figure_chart *c, const struct campaign_cell *cell, double x)
{
    if (!isnan(cell->low))
        svg_line(c->to, x, chart_y(&c->chart, cell->low), x, chart_y(&c->chart, cell->high),
                 "outline");
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
        if (!is_stacked)
            draw_range(c, cell, at + each * 0.46);
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
            draw_range(c, cell_of(c, r, s), chart_x(&on, table->rows.v[r].x));
            draw_dot(c, &on, r, s, cell_of(c, r, s)->value, chart_fill(s), "");
            draw_dot(c, &on, r, s, cell_of(c, r, s)->paper, "outline", ", paper");
        }
    }
    for (uint32_t r = 0; r < table->rows.n; r++)
        draw_label(c, chart_x(&on, table->rows.v[r].x), &table->rows.v[r]);
}

// Heat maps

struct heat_axis {
    struct text_list values; // in the order of the points
    uint32_t *of;            // by row of the table
};

static void find_cells(const struct figure_chart *c, struct heat_axis *axis, bool is_x)
{
    axis->of = ARENA_ARRAY(c->arena, uint32_t, c->table->rows.n);
    for (uint32_t r = 0; r < c->table->rows.n; r++) {
        const struct campaign_point *point = c->table->rows.v[r].point;
        const char *value = is_x ? point->heat_x : point->heat_y;
        uint32_t at = 0;
        while (at < axis->values.list.n && strcmp(axis->values.list.v[at], value))
            at++;
        if (at == axis->values.list.n)
            vec_push(c->arena, &axis->values.list, value);
        axis->of[r] = at;
    }
}

static void draw_heat_cell(const struct figure_chart *c, uint32_t row, double x, double y,
                           double width, double height)
{
    const struct campaign_column *column = &c->table->figure->columns.v[c->series[0]];
    double value = cell_of(c, row, 0)->value, low = c->chart.y.low, high = c->chart.y.high;
    if (isnan(value))
        return;
    svg_open_numbered(c->to, "rect", 'h',
                      (unsigned)fmin(SVG_SHADES - 1, SVG_SHADES * (value - low) / (high - low)));
    fprintf(c->to, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", x, y, width - 1,
            height - 1);
    svg_escaped(c->to, tip_of(c, row, 0, value, ""));
    fputs("</title></rect>\n", c->to);
    svg_text(c->to, x + width / 2, y + height / 2 + 4, "middle", "halo small", "%s",
             campaign_value_text(c->arena, column, value));
}

// Draws a map. Shades go from the lowest to the highest value.
static void draw_heat(struct figure_chart *c)
{
    struct heat_axis x = {.of = NULL}, y = {.of = NULL};
    find_cells(c, &x, true);
    find_cells(c, &y, false);
    double width = (c->chart.right - LEFT) / x.values.list.n;
    double height = (c->chart.bottom - c->chart.top) / y.values.list.n;
    c->chart.y = (struct chart_range){INFINITY, -INFINITY, false, false};
    for (uint32_t r = 0; r < c->table->rows.n; r++)
        if (!isnan(cell_of(c, r, 0)->value))
            reach(c, cell_of(c, r, 0)->value);
    if (!(c->chart.y.high > c->chart.y.low))
        c->chart.y.high = c->chart.y.low + 1;
    for (uint32_t r = 0; r < c->table->rows.n; r++)
        draw_heat_cell(c, r, LEFT + x.of[r] * width, c->chart.bottom - (y.of[r] + 1) * height,
                       width, height);
    if (c->table->figure->y_title)
        svg_text(c->to, 10, c->chart.top - 10, "start", "faint", "%s", c->table->figure->y_title);
    for (uint32_t i = 0; i < x.values.list.n; i++)
        svg_text(c->to, LEFT + (i + 0.5) * width, c->chart.bottom + 16, "middle", "small", "%s",
                 x.values.list.v[i]);
    for (uint32_t i = 0; i < y.values.list.n; i++)
        svg_text(c->to, LEFT - 6, c->chart.bottom - (i + 0.5) * height + 4, "end", "small", "%s",
                 y.values.list.v[i]);
}

// Returns the width of a plot that has room for each bar.
static double natural_width(const struct figure_chart *c)
{
    enum { NARROWEST = 560, BAR = 13, GAP = 26 };
    const struct campaign_figure *figure = c->table->figure;
    double bars = figure->plot == PLOT_STACKED ? 2 : c->count;
    return figure->plot == PLOT_HEAT
               ? NARROWEST
               : fmax(NARROWEST, LEFT + RIGHT + c->table->rows.n * (bars * BAR + GAP));
}

void campaign_chart(const struct campaign_table *table, enum campaign_width columns,
                    struct arena *arena, FILE *to)
{
    // Pixels, 96 to the inch: 3.5 and 7.125 inches. A caption stands in place of the title.
    static const double widths[] = {[WIDTH_ONE] = 336, [WIDTH_TWO] = 684},
                        heights[] = {[WIDTH_NATURAL] = 380, [WIDTH_ONE] = 260, [WIDTH_TWO] = 300};
    const struct campaign_figure *figure = table->figure;
    struct figure_chart c = {.table = table, .arena = arena, .to = to};
    c.series = ARENA_ARRAY(arena, uint32_t, figure->columns.n + 1);
    for (uint32_t i = 0; i < figure->columns.n; i++)
        if (figure->columns.v[i].is_plotted)
            c.series[c.count++] = i;
    if (!c.count || !table->rows.n)
        return;
    double width = columns == WIDTH_NATURAL ? natural_width(&c) : widths[columns];
    double title = columns == WIDTH_NATURAL ? TITLE : 0;
    bool has_legend = figure->plot != PLOT_HEAT;
    c.chart = (struct chart){.to = to, .left = LEFT, .right = width - RIGHT, .numbers = ""};
    double legend = has_legend ? draw_legend(&c, NULL, title + 16) : title + 16;
    double height = heights[columns] + legend - (title + 16); // more lines of legend need more room
    c.chart.top = legend + (has_legend ? 22 : 6);
    c.chart.bottom = height - BOTTOM;
    c.steep = (c.chart.right - LEFT) / table->rows.n < 28;
    svg_begin(to, width, height, figure->title);
    if (title > 0)
        svg_text(to, LEFT, 20, "start", "title", "%s", figure->title);
    if (figure->plot == PLOT_HEAT) {
        draw_heat(&c);
    } else {
        draw_axis(&c, find_range(&c));
        draw_legend(&c, to, title + 16);
        (figure->plot == PLOT_LINES ? draw_lines : draw_bars)(&c);
    }
    if (figure->x_title)
        chart_x_title(&c.chart, height - 8, figure->x_title);
    svg_end(to);
}
