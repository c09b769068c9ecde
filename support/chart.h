// Charts: an area with a scale for each direction, axes, series and legends, drawn as SVG.
#pragma once
#include "support/svg.h"
#include <stdbool.h>

// Values along an axis. Without any extent all values are in the middle.
struct chart_range {
    double low, high;
    bool decades; // logarithmic; `low` and `high` are exponents of ten
    bool bounded; // values beyond an end are at it
};

struct chart {
    FILE *to;
    double left, top, right, bottom; // of the area, in pixels
    struct chart_range x, y;
    const char *numbers; // class of the numbers at the axes
};

// Return the place of a value in pixels.
double chart_x(const struct chart *chart, double value);
double chart_y(const struct chart *chart, double value);
// Extends a range of values to multiples of a step, of which it then has `count` or some more.
// Returns the step. Requires low < high.
double chart_fit(struct chart_range *range, int count);

// Draw the lines and numbers of an axis in steps. The line of 0 is the axis. Decades have a step of
// their own.
void chart_rows(const struct chart *chart, double step, bool percent);
void chart_columns(const struct chart *chart, double step);
// Draws the left edge, and the title of x below the area at this height.
void chart_side(const struct chart *chart);
void chart_x_title(const struct chart *chart, double y, const char *text);
// Draws a dashed vertical line at a value of x, and the text beside it, on the side with more room.
void chart_mark(const struct chart *chart, double value, const char *text);

// Returns the class of the areas, or of the lines, of a series.
const char *chart_fill(uint32_t series);
const char *chart_stroke(uint32_t series);
// Makes a clip path of the area, for lines that leave it.
void chart_clip(const struct chart *chart);
// Draws a line through points: a start, points and an end. `clips`: by chart_clip.
void chart_line_begin(const struct chart *chart, const char *class, bool clips);
void chart_line_to(const struct chart *chart, double x, double y);
void chart_line_end(const struct chart *chart);
// Draws a dot of a radius in pixels, with a text for pointers; NULL: none.
void chart_dot(const struct chart *chart, const char *class, double x, double y, double radius,
               const char *tip);

// Draw an entry of a legend: an area, at *x, which is advanced; a line.
void chart_key(FILE *to, double *x, double y, const char *class, const char *text);
void chart_line_key(FILE *to, double x, double y, const char *class, const char *text);
