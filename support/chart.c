#include "support/chart.h"
#include "support/integer.h"
#include <math.h>

static double share_of(const struct chart_range *range, double value)
{
    if (range->high <= range->low)
        return 0.5;
    double share =
        ((range->decades ? log10(value) : value) - range->low) / (range->high - range->low);
    return range->bounded ? fmin(1, fmax(0, share)) : share;
}

double chart_x(const struct chart *c, double value)
{
    return c->left + share_of(&c->x, value) * (c->right - c->left);
}

double chart_y(const struct chart *c, double value)
{
    return c->bottom - share_of(&c->y, value) * (c->bottom - c->top);
}

// The tolerance allows for sums of fractions that round to just above 100.
double chart_fit(struct chart_range *range, int count)
{
    double step = svg_round_up((range->high - range->low) / count);
    range->low = floor(range->low / step + 1e-9) * step;
    range->high = ceil(range->high / step - 1e-9) * step;
    return step;
}

// Axes

// Computes the value of axis label `i`. Returns false after the high end.
static bool next_value(const struct chart_range *range, double step, int i, double *value)
{
    if (range->decades) {
        *value = pow(10, range->low + i);
        return range->low + i <= range->high;
    }
    *value = (ceil(range->low / step - 1e-9) + i) * step;
    return *value <= range->high + 1e-9 * (range->high - range->low);
}

void chart_rows(const struct chart *c, double step, bool percent)
{
    double value, gap = *c->numbers ? 6 : 8;
    for (int i = 0; next_value(&c->y, step, i, &value); i++) {
        bool zero = !c->y.decades && fabs(value) < step / 2;
        double y = chart_y(c, value);
        svg_line(c->to, c->left, y, c->right, y, zero ? "axis" : "grid");
        svg_text(c->to, c->left - gap, y + 4, "end", c->numbers,
                 c->y.decades && value >= 1 ? "%.0f%s" : "%.4g%s",
                 zero ? 0 : value * (percent ? 100 : 1), percent ? " %" : "");
    }
}

void chart_columns(const struct chart *c, double step)
{
    double value;
    for (int i = 0; next_value(&c->x, step, i, &value); i++) {
        double x = chart_x(c, value);
        if (c->x.decades)
            svg_line(c->to, x, c->top, x, c->bottom, "grid");
        else
            svg_line(c->to, x, c->bottom, x, c->bottom + 5, "axis");
        svg_text(c->to, x, c->bottom + 18, "middle", c->numbers,
                 c->x.decades && value >= 1 ? "%.0f" : "%.9g", value);
    }
}

void chart_side(const struct chart *c)
{
    svg_line(c->to, c->left, c->top, c->left, c->bottom, "axis");
}

void chart_x_title(const struct chart *c, double y, const char *text)
{
    svg_text(c->to, (c->left + c->right) / 2, y, "middle", "faint", "%s", text);
}

void chart_mark(const struct chart *c, double value, const char *text)
{
    double x = chart_x(c, value);
    bool right = x > (c->left + c->right) / 2;
    svg_line(c->to, x, c->top, x, c->bottom, "mark");
    svg_text(c->to, x + (right ? -6 : 6), c->top + 14, right ? "end" : "start", "faint", "%s",
             text);
}

// Series

static const char *const fills[SVG_SERIES] = {"c0", "c1", "c2", "c3", "c4", "c5"};
static const char *const strokes[SVG_SERIES] = {"v0", "v1", "v2", "v3", "v4", "v5"};

const char *chart_fill(uint32_t series)
{
    return fills[series % SVG_SERIES];
}

const char *chart_stroke(uint32_t series)
{
    return strokes[series % SVG_SERIES];
}

void chart_clip(const struct chart *c)
{
    fprintf(c->to,
            "<clipPath id=\"panel%.0f\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" "
            "height=\"%.0f\"/></clipPath>\n",
            c->top, c->left, c->top, c->right - c->left, c->bottom - c->top);
}

void chart_line_begin(const struct chart *c, const char *class, bool clips)
{
    svg_open(c->to, "polyline", class);
    if (clips)
        fprintf(c->to, " clip-path=\"url(#panel%.0f)\"", c->top);
    fputs(" points=\"", c->to);
}

void chart_line_to(const struct chart *c, double x, double y)
{
    fprintf(c->to, "%.1f,%.1f ", chart_x(c, x), chart_y(c, y));
}

void chart_line_end(const struct chart *c)
{
    fputs("\"/>\n", c->to);
}

void chart_dot(const struct chart *c, const char *class, double x, double y, double radius,
               const char *tip)
{
    svg_open(c->to, "circle", class);
    fprintf(c->to, " cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"", chart_x(c, x), chart_y(c, y), radius);
    if (tip) {
        fputs("><title>", c->to);
        svg_escaped(c->to, tip);
        fputs("</title></circle>\n", c->to);
    } else {
        fputs("/>\n", c->to);
    }
}

// Legends

double chart_key_width(const char *text)
{
    double length = 0;
    for (const char *at = text; *at; at++)
        length += ((unsigned char)*at & 0xc0) != 0x80;
    return 30 + 6.4 * length;
}

void chart_key(FILE *to, double *x, double y, const char *class, const char *text)
{
    svg_open(to, "rect", class);
    fprintf(to, " x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\"/>\n", *x, y - 9);
    svg_text(to, *x + 14, y, "start", "small", "%s", text);
    *x += chart_key_width(text);
}

void chart_line_key(FILE *to, double x, double y, const char *class, const char *text)
{
    svg_line(to, x, y - 4, x + 26, y - 4, class);
    svg_text(to, x + 32, y, "start", "small", "%s", text);
}
