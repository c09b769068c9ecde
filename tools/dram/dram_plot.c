// The picture of a sweep: above latency, below what was answered, both over what came.
#include "tools/dram/dram_report.h"
#include "support/svg.h"
#include <math.h>

enum { WIDTH = 720, HEIGHT = 600, LEFT = 70, RIGHT = 24 };

// Latency is shown up to this many times the least mean one.
static const double tallest = 8;

struct dram_panel {
    double top, height; // in pixels
    double x_most, y_most;
};

static double at_x(const struct dram_panel *p, double value)
{
    return LEFT + value / p->x_most * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct dram_panel *p, double value)
{
    return p->top + p->height * (1 - value / p->y_most);
}

static void draw_axes(FILE *to, const struct dram_panel *p, const char *title)
{
    double x_step = svg_round_up(p->x_most / 10), y_step = svg_round_up(p->y_most / 6);
    double bottom = p->top + p->height;
    for (int i = 0; i * y_step <= p->y_most * (1 + 1e-9); i++) {
        svg_line(to, LEFT, at_y(p, i * y_step), WIDTH - RIGHT, at_y(p, i * y_step), "grid");
        svg_text(to, LEFT - 8, at_y(p, i * y_step) + 4, "end", "", "%.4g", i * y_step);
    }
    for (int i = 0; i * x_step <= p->x_most * (1 + 1e-9); i++)
        svg_text(to, at_x(p, i * x_step), bottom + 18, "middle", "", "%.4g", i * x_step);
    svg_line(to, LEFT, bottom, WIDTH - RIGHT, bottom, "axis");
    svg_line(to, LEFT, p->top, LEFT, bottom, "axis");
    svg_text(to, LEFT, p->top - 10, "start", "faint", "%s", title);
}

// The line ends at the panel's upper edge, through which it may go.
static void draw_line(FILE *to, const struct dram_panel *p, const struct dram_sweep *sweep,
                      double (*value)(const struct dram_result *))
{
    double before_x = 0, before_y = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct dram_result *r = &sweep->points.v[i];
        double x = at_x(p, r->drive->load), y = at_y(p, value(r));
        bool cut = y < p->top;
        if (cut && i)
            x = before_x + (x - before_x) * (p->top - before_y) / (y - before_y);
        y = cut ? p->top : y;
        if (i)
            svg_line(to, before_x, before_y, x, y, "a");
        if (cut)
            return;
        svg_open(to, "circle", "da");
        fprintf(to, " cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", x, y);
        before_x = x;
        before_y = y;
    }
}

static double most_load(const struct dram_sweep *sweep)
{
    double most = sweep->saturation;
    for (uint32_t i = 0; i < sweep->points.n; i++)
        most = fmax(most, sweep->points.v[i].drive->load);
    return most;
}

static double latency_shown(const struct dram_sweep *sweep)
{
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        double latency = dram_result_latency(&sweep->points.v[i]);
        least = latency > 0 ? fmin(least, latency) : least;
        most = fmax(most, latency);
    }
    return svg_round_up(most > 0 ? fmin(most, least * tallest) : 1);
}

static void draw_saturation(FILE *to, const struct dram_panel *p, double saturation)
{
    double x = at_x(p, saturation);
    svg_line(to, x, p->top, x, p->top + p->height, "mark");
    bool right = x > WIDTH - 120;
    svg_text(to, x + (right ? -6 : 6), p->top + 14, right ? "end" : "start", "faint",
             "at most %.4g", saturation);
}

void dram_sweep_plot(const struct dram_head *head, const struct dram_sweep *sweep, FILE *to)
{
    char title[256];
    double most = svg_round_up(most_load(sweep) > 0 ? most_load(sweep) : 1);
    struct dram_panel latency = {64, 250, most, latency_shown(sweep)};
    struct dram_panel rate = {380, 160, most, most};
    snprintf(title, sizeof title, "%s requests, %.4g %% writes, %u channel%s of %u banks",
             head->pattern, head->drive->writes * 100, head->drive->config->channels,
             head->drive->config->channels == 1 ? "" : "s", head->drive->config->banks);
    svg_begin(to, WIDTH, HEIGHT, title);
    svg_text(to, LEFT, 26, "start", "title", "%s", title);
    draw_axes(to, &latency, "mean latency, clocks");
    draw_line(to, &latency, sweep, dram_result_latency);
    draw_saturation(to, &latency, sweep->saturation);
    draw_axes(to, &rate, "answered, requests per clock");
    draw_line(to, &rate, sweep, dram_result_rate);
    draw_saturation(to, &rate, sweep->saturation);
    svg_text(to, (WIDTH + LEFT) / 2., HEIGHT - 14, "middle", "faint",
             "offered, requests per clock");
    svg_end(to);
}
