// Plots of a table: bars, adjacent or stacked, or lines over the points of a sweep. The paper's
// values are outlined.
#include "campaign/report.h"
#include "support/svg.h"
#include <math.h>

enum { HEIGHT = 380, TOP = 64, LEFT = 70, RIGHT = 20, BOTTOM = 86 };

struct chart {
    const struct campaign_table *table;
    struct arena *arena;
    FILE *to;
    uint32_t *series; // columns that are drawn
    uint32_t count;
    double width, low, high, step; // of the axis
    double x_low, x_high;
};

static double at_y(const struct chart *c, double value)
{
    return TOP + (c->high - value) / (c->high - c->low) * (HEIGHT - TOP - BOTTOM);
}

static const struct campaign_cell *cell_of(const struct chart *c, uint32_t row, uint32_t series)
{
    return &c->table->rows.v[row].cells[c->series[series]];
}

static double drawn(double value)
{
    const double most = 1e300; // the axis has sums of these
    return isnan(value) ? 0 : fmin(most, fmax(-most, value));
}

// Axes

static void reach(struct chart *c, double value)
{
    c->low = fmin(c->low, drawn(value));
    c->high = fmax(c->high, drawn(value));
}

static void find_range(struct chart *c)
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
    if (c->high - c->low <= 0)
        c->high = 1;
    c->step = svg_round_up((c->high - c->low) / 7);
    // A sum of parts may be 100 and the last bit.
    c->low = floor(c->low / c->step + 1e-9) * c->step;
    c->high = ceil(c->high / c->step - 1e-9) * c->step;
}

static void draw_axis(const struct chart *c)
{
    const struct campaign_column *column = &c->table->figure->columns.v[c->series[0]];
    int steps = (int)lround((c->high - c->low) / c->step);
    for (int i = 0; i <= steps; i++) {
        double value = c->low + i * c->step;
        svg_line(c->to, LEFT, at_y(c, value), c->width - RIGHT, at_y(c, value),
                 fabs(value) < c->step / 2 ? "axis" : "grid");
        svg_text(c->to, LEFT - 8, at_y(c, value) + 4, "end", "", "%.4g",
                 fabs(value) < c->step / 2 ? 0 : value);
    }
    svg_line(c->to, LEFT, TOP, LEFT, HEIGHT - BOTTOM, "axis");
    if (column->unit != UNIT_NUMBER)
        svg_text(c->to, LEFT, TOP - 8, "end", "faint", "%%");
}

static bool has_papers(const struct chart *c)
{
    bool any = false;
    for (uint32_t r = 0; r < c->table->rows.n; r++)
        for (uint32_t s = 0; s < c->count; s++)
            any |= !isnan(cell_of(c, r, s)->paper);
    return any && c->table->figure->plot != PLOT_STACKED;
}

static void draw_key(const struct chart *c, double x, const char *class, const char *name)
{
    svg_open(c->to, "rect", class);
    fprintf(c->to, " x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\"/>\n", x, TOP - 32);
    svg_text(c->to, x + 17, TOP - 22, "start", "small", "%s", name);
}

static void draw_legend(const struct chart *c)
{
    double x = LEFT + 10;
    for (uint32_t s = 0; s < c->count; s++) {
        const char *name = c->table->figure->columns.v[c->series[s]].name;
        double length = 0;
        for (const char *at = name; *at; at++)
            length += ((unsigned char)*at & 0xc0) != 0x80;
        draw_key(c, x, arena_printf(c->arena, "c%u", s % SVG_SERIES), name);
        x += 34 + 6.4 * length;
    }
    if (has_papers(c))
        draw_key(c, x, "outline", "paper");
}

static void draw_label(const struct chart *c, double x, const struct campaign_row *row)
{
    const char *class = row->is_mean ? "strong small" : "small";
    svg_open(c->to, "text", class);
    fprintf(c->to, " transform=\"translate(%.1f,%d) rotate(-35)\" text-anchor=\"end\">", x,
            HEIGHT - BOTTOM + 16);
    svg_escaped(c->to, row->label);
    fputs("</text>\n", c->to);
}

// Bars

static void draw_bar(const struct chart *c, double x, double width, double from, double to,
                     const char *class, const char *tip)
{
    double top = fmin(at_y(c, from), at_y(c, to));
    svg_open(c->to, "rect", class);
    fprintf(c->to, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", x, top, width,
            fabs(at_y(c, from) - at_y(c, to)));
    svg_escaped(c->to, tip);
    fputs("</title></rect>\n", c->to);
}

static const char *tip_of(const struct chart *c, uint32_t row, uint32_t series, double value,
                          const char *whose)
{
    const struct campaign_column *column = &c->table->figure->columns.v[c->series[series]];
    return arena_printf(c->arena, "%s, %s%s: %s", c->table->rows.v[row].label, column->name, whose,
                        campaign_value_text(c->arena, column, value));
}

static void draw_group(const struct chart *c, uint32_t row, double x, double width)
{
    bool is_stacked = c->table->figure->plot == PLOT_STACKED;
    double each = is_stacked ? width : width / c->count, base = 0;
    for (uint32_t s = 0; s < c->count; s++) {
        const struct campaign_cell *cell = cell_of(c, row, s);
        const char *class = arena_printf(c->arena, "c%u", s % SVG_SERIES);
        double at = is_stacked ? x : x + s * each;
        if (!isnan(cell->value))
            draw_bar(c, at, each * 0.92, base, base + cell->value, class,
                     tip_of(c, row, s, cell->value, ""));
        base += is_stacked ? drawn(cell->value) : 0;
        if (!isnan(cell->paper) && !is_stacked)
            draw_bar(c, at + each * 0.2, each * 0.52, 0, cell->paper, "outline",
                     tip_of(c, row, s, cell->paper, ", paper"));
    }
}

static void draw_bars(const struct chart *c)
{
    double each = (c->width - LEFT - RIGHT) / c->table->rows.n;
    for (uint32_t r = 0; r < c->table->rows.n; r++) {
        draw_group(c, r, LEFT + (r + 0.1) * each, each * 0.8);
        draw_label(c, LEFT + (r + 0.55) * each, &c->table->rows.v[r]);
    }
}

// Lines

static double at_x(const struct chart *c, double value)
{
    double part = c->x_high > c->x_low ? (value - c->x_low) / (c->x_high - c->x_low) : 0.5;
    return LEFT + 24 + part * (c->width - LEFT - RIGHT - 48);
}

static void draw_dot(const struct chart *c, uint32_t row, uint32_t series, double value,
                     const char *class, const char *whose)
{
    if (isnan(value))
        return;
    svg_open(c->to, "circle", class);
    fprintf(c->to, " cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>", at_x(c, c->table->rows.v[row].x),
            at_y(c, value));
    svg_escaped(c->to, tip_of(c, row, series, value, whose));
    fputs("</title></circle>\n", c->to);
}

static void draw_lines(struct chart *c)
{
    const struct campaign_table *table = c->table;
    c->x_low = c->x_high = table->rows.v[0].x;
    for (uint32_t r = 0; r < table->rows.n; r++) {
        c->x_low = fmin(c->x_low, table->rows.v[r].x);
        c->x_high = fmax(c->x_high, table->rows.v[r].x);
    }
    for (uint32_t s = 0; s < c->count; s++) {
        const char *class = arena_printf(c->arena, "c%u", s % SVG_SERIES);
        svg_open_numbered(c->to, "polyline", 'v', s % SVG_SERIES);
        fputs(" points=\"", c->to);
        for (uint32_t r = 0; r < table->rows.n; r++)
            if (!isnan(cell_of(c, r, s)->value))
                fprintf(c->to, "%.1f,%.1f ", at_x(c, table->rows.v[r].x),
                        at_y(c, cell_of(c, r, s)->value));
        fputs("\"/>\n", c->to);
        for (uint32_t r = 0; r < table->rows.n; r++) {
            draw_dot(c, r, s, cell_of(c, r, s)->value, class, "");
            draw_dot(c, r, s, cell_of(c, r, s)->paper, "outline", ", paper");
        }
    }
    for (uint32_t r = 0; r < table->rows.n; r++)
        draw_label(c, at_x(c, table->rows.v[r].x), &table->rows.v[r]);
}

void campaign_chart(const struct campaign_table *table, struct arena *arena, FILE *to)
{
    enum { NARROWEST = 560, BAR = 13, GAP = 26 };
    const struct campaign_figure *figure = table->figure;
    struct chart c = {.table = table, .arena = arena, .to = to};
    c.series = ARENA_ARRAY(arena, uint32_t, figure->columns.n + 1);
    for (uint32_t i = 0; i < figure->columns.n; i++)
        if (figure->columns.v[i].is_plotted)
            c.series[c.count++] = i;
    if (!c.count || !table->rows.n)
        return;
    double bars = figure->plot == PLOT_STACKED ? 2 : c.count;
    c.width = fmax(NARROWEST, LEFT + RIGHT + table->rows.n * (bars * BAR + GAP));
    find_range(&c);
    svg_begin(to, c.width, HEIGHT, figure->title);
    svg_text(to, LEFT, 20, "start", "title", "%s", figure->title);
    draw_axis(&c);
    draw_legend(&c);
    if (figure->plot == PLOT_LINES)
        draw_lines(&c);
    else
        draw_bars(&c);
    if (figure->x_title)
        svg_text(to, (c.width + LEFT - RIGHT) / 2, HEIGHT - 8, "middle", "faint", "%s",
                 figure->x_title);
    svg_end(to);
}
