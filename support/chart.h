// Charts as SVG: a plot area with scaled axes, series and legends.
#pragma once
#include "support/svg.h"
#include <stdbool.h>

// The values of an axis. If low equals high, all values are drawn in the middle.
struct chart_range {
    double low, high;
    bool decades; // logarithmic; `low` and `high` are exponents of ten
    bool bounded; // values outside are drawn at the end of the axis
};

struct chart {
    FILE *to;
    double left, top, right, bottom; // plot area in pixels
    struct chart_range x, y;
    const char *numbers; // class of the axis labels
};

// Return the position of a value in pixels.
double chart_x(const struct chart *chart, double value);
double chart_y(const struct chart *chart, double value);
// Extends a range to multiples of a step, with about `count` steps. Returns the step. Requires low
// < high.
double chart_fit(struct chart_range *range, int count);

// Draw the grid lines and numbers of an axis at multiples of a step. The line of 0 is the axis.
// Logarithmic axes have one line per decade.
void chart_rows(const struct chart *chart, double step, bool percent);
void chart_columns(const struct chart *chart, double step);
// Draw the left edge, and the title of the x axis at height `y`.
void chart_side(const struct chart *chart);
void chart_x_title(const struct chart *chart, double y, const char *text);
// Draws a dashed vertical line at a value of x, with its text on the side that has more room.
void chart_mark(const struct chart *chart, double value, const char *text);

// Return the class of a series' areas and lines.
const char *chart_fill(uint32_t series);
const char *chart_stroke(uint32_t series);
// Defines a clip path for lines that leave the plot area.
void chart_clip(const struct chart *chart);
// Draw a line: its start, each point, its end. `clips`: clip it by chart_clip.
void chart_line_begin(const struct chart *chart, const char *class, bool clips);
void chart_line_to(const struct chart *chart, double x, double y);
void chart_line_end(const struct chart *chart);
// Draws a dot with a radius in pixels and a tooltip; NULL: no tooltip.
void chart_dot(const struct chart *chart, const char *class, double x, double y, double radius,
               const char *tip);

// Draw a legend entry: an area at *x, which is advanced by its width, or a line.
double chart_key_width(const char *text);
void chart_key(FILE *to, double *x, double y, const char *class, const char *text);
void chart_line_key(FILE *to, double x, double y, const char *class, const char *text);
