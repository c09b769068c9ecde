// Plots a sweep: latency (top) and throughput (bottom) over the offered load.
#include "tools/dram/dram_report.h"
#include "support/chart.h"
#include <math.h>

enum { WIDTH = 720, HEIGHT = 600, LEFT = 70, RIGHT = 24 };

// The latency axis ends at this multiple of the minimum mean latency.
static const double tallest = 8;

static double max_load(const struct dram_sweep *sweep)
{
    double max = sweep->saturation;
    for (uint32_t i = 0; i < sweep->points.n; i++)
        max = fmax(max, sweep->points.v[i].drive->load);
    return max;
}

static double latency_shown(const struct dram_sweep *sweep)
{
    double min = INFINITY, max = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        double latency = dram_result_latency(&sweep->points.v[i]);
        min = latency > 0 ? fmin(min, latency) : min;
        max = fmax(max, latency);
    }
    return svg_round_up(max > 0 ? fmin(max, min * tallest) : 1);
}

// Draws a panel whose upper edge is at `top`.
static void draw_panel(FILE *to, const struct dram_sweep *sweep, double top, double height,
                       double x_max, double y_max, const char *title,
                       double (*value)(const struct dram_result *))
{
    char text[32];
    const struct chart c = {
        to, LEFT, top, WIDTH - RIGHT, top + height, {.high = x_max}, {.high = y_max}, ""};
    chart_rows(&c, svg_round_up(y_max / 6), false);
    chart_columns(&c, svg_round_up(x_max / 10));
    chart_side(&c);
    svg_text(to, LEFT, top - 10, "start", "faint", "%s", title);
    chart_clip(&c);
    chart_line_begin(&c, "a", true);
    for (uint32_t i = 0; i < sweep->points.n; i++)
        chart_line_to(&c, sweep->points.v[i].drive->load, value(&sweep->points.v[i]));
    chart_line_end(&c);
    for (uint32_t i = 0; i < sweep->points.n; i++)
        if (value(&sweep->points.v[i]) <= y_max)
            chart_dot(&c, "da", sweep->points.v[i].drive->load, value(&sweep->points.v[i]), 3.5,
                      NULL);
    snprintf(text, sizeof text, "at most %.4g", sweep->saturation);
    chart_mark(&c, sweep->saturation, text);
}

void dram_sweep_plot(const struct dram_head *head, const struct dram_sweep *sweep, FILE *to)
{
    char title[256];
    double max = svg_round_up(max_load(sweep) > 0 ? max_load(sweep) : 1);
    snprintf(title, sizeof title, "%s requests, %.4g %% writes, %u channel%s of %u banks",
             head->pattern, head->drive->writes * 100, head->drive->config->channels,
             head->drive->config->channels == 1 ? "" : "s", head->drive->config->banks);
    svg_begin(to, WIDTH, HEIGHT, title);
    svg_text(to, LEFT, 26, "start", "title", "%s", title);
    draw_panel(to, sweep, 64, 250, max, latency_shown(sweep), "mean latency, clocks",
               dram_result_latency);
    draw_panel(to, sweep, 380, 160, max, max, "answered, requests per clock", dram_result_rate);
    svg_text(to, (LEFT + WIDTH - RIGHT) / 2., HEIGHT - 14, "middle", "faint",
             "offered, requests per clock");
    svg_end(to);
}
