#include "tools/noc/plot.h"
#include "support/svg.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 760, HEIGHT = 660, LEFT = 76, RIGHT = 24 };

// Latency is shown up to this many times the least one.
static const double tallest = 6;

struct panel {
    double y, height; // of the upper edge, in pixels
    double x_most, y_most;
};

static double at_x(const struct panel *panel, double value)
{
    return LEFT + value / panel->x_most * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct panel *panel, double value)
{
    return panel->y + panel->height - value / panel->y_most * panel->height;
}

const char *plot_title(char text[PLOT_TITLE], const struct measure_head *head)
{
    static const char *const names[] = {
        [NOC_MESH] = "mesh", [NOC_CROSSBAR] = "crossbar", [NOC_FLY] = "butterfly"};
    const struct noc_config *config = head->plan->config;
    char size[64];
    if (config->topology == NOC_MESH)
        snprintf(size, sizeof size, "%ux%u ", config->width, config->height);
    else if (config->topology == NOC_FLY)
        snprintf(size, sizeof size, "%s%u-ary %u-", config->reversed ? "reversed " : "",
                 config->radix, config->stages);
    else
        snprintf(size, sizeof size, "%u-node ", config->nodes);
    snprintf(text, PLOT_TITLE, "%s%s, %u VCs of %u flits, %.100s traffic, packets of %.100s flit%s",
             size, config->topology == NOC_FLY ? "fly" : names[config->topology], config->vcs,
             config->vc_buffer, head->traffic, head->plan->flits.text,
             head->plan->flits.most == 1 ? "" : "s");
    return text;
}

// Axes

static void draw_axes(FILE *to, const struct panel *panel, const char *y_title)
{
    double x_step = svg_round_up(panel->x_most / 11), y_step = svg_round_up(panel->y_most / 8);
    double bottom = panel->y + panel->height;
    for (int i = 0; i * y_step <= panel->y_most * (1 + 1e-9); i++) {
        double y = at_y(panel, i * y_step);
        svg_line(to, LEFT, y, WIDTH - RIGHT, y, "grid");
        svg_text(to, LEFT - 8, y + 4, "end", "", "%.4g", i * y_step);
    }
    for (int i = 0; i * x_step <= panel->x_most * (1 + 1e-9); i++) {
        double x = at_x(panel, i * x_step);
        svg_line(to, x, bottom, x, bottom + 5, "axis");
        svg_text(to, x, bottom + 20, "middle", "", "%.4g", i * x_step);
    }
    svg_line(to, LEFT, bottom, WIDTH - RIGHT, bottom, "axis");
    svg_line(to, LEFT, panel->y, LEFT, bottom, "axis");
    svg_text(to, LEFT, panel->y - 10, "start", "faint", "%s", y_title);
}

static void draw_saturation(FILE *to, const struct panel *panel, const struct sweep *sweep,
                            bool is_named)
{
    if (sweep->saturation <= 0 || sweep->best + 1 == sweep->points.n)
        return;
    double x = at_x(panel, sweep->saturation);
    bool right = x > (WIDTH + LEFT) / 2;
    svg_line(to, x, panel->y, x, panel->y + panel->height, "mark");
    if (is_named)
        svg_text(to, x + (right ? -6 : 6), panel->y + 14, right ? "end" : "start", "faint",
                 "saturation %.3g", sweep->saturation);
}

// Series

typedef double point_value(const struct measured *measured);

static double tail_latency(const struct measured *measured)
{
    return (double)measured_quantile(measured, 0.99);
}

static bool is_drawn(const struct measured *m)
{
    return m->stable && m->packets;
}

static void draw_series(FILE *to, const struct panel *panel, const struct sweep *sweep,
                        point_value *value, bool all, const char *class)
{
    svg_open(to, "polyline", class);
    fprintf(to, " clip-path=\"url(#panel%d)\" points=\"", (int)panel->y);
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        if (all ? m->window > 0 : is_drawn(m))
            fprintf(to, "%.1f,%.1f ", at_x(panel, m->load), at_y(panel, value(m)));
    }
    fputs("\"/>\n", to);
}

static void draw_dot(FILE *to, const struct panel *panel, const struct measured *m, double value,
                     const char *class)
{
    if (value > panel->y_most)
        return;
    svg_open(to, "circle", class);
    fprintf(to,
            " cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>load %.4g: accepted %.4g, "
            "latency %.4g, 99%% within %.0f%s</title></circle>\n",
            at_x(panel, m->load), at_y(panel, value), m->load, measured_accepted(m),
            measured_latency(m), tail_latency(m), m->stable ? "" : ", not stable");
}

static void draw_legend(FILE *to, double x, double y, const char *class, const char *text)
{
    svg_line(to, x, y - 4, x + 26, y - 4, class);
    svg_text(to, x + 32, y, "start", "small", "%s", text);
}

// Panels

static void clip(FILE *to, const struct panel *panel)
{
    fprintf(to,
            "<clipPath id=\"panel%d\"><rect x=\"%d\" y=\"%.0f\" width=\"%d\" "
            "height=\"%.0f\"/></clipPath>\n",
            (int)panel->y, LEFT, panel->y, WIDTH - LEFT - RIGHT, panel->height);
}

static double latency_most(const struct sweep *sweep)
{
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        if (!is_drawn(m))
            continue;
        least = fmin(least, measured_latency(m));
        most = fmax(most, measured_latency(m));
    }
    return most > 0 ? fmin(most * 1.1, least * tallest) : 1;
}

// Beyond what the network bears there is no latency to show: it grows for as long as one measures.
static void draw_latency(FILE *to, struct panel *panel, const struct sweep *sweep)
{
    double step = svg_round_up(latency_most(sweep) / 8);
    panel->y_most = ceil(latency_most(sweep) / step) * step;
    clip(to, panel);
    draw_axes(to, panel, "latency in cycles, from creation to the arrival of the tail");
    draw_saturation(to, panel, sweep, true);
    draw_series(to, panel, sweep, tail_latency, false, "b thin");
    draw_series(to, panel, sweep, measured_latency, false, "a");
    for (uint32_t i = 0; i < sweep->points.n; i++)
        if (is_drawn(&sweep->points.v[i]))
            draw_dot(to, panel, &sweep->points.v[i], measured_latency(&sweep->points.v[i]), "da");
    draw_legend(to, LEFT + 14, panel->y + 20, "a", "mean");
    draw_legend(to, LEFT + 14, panel->y + 38, "b thin", "99 % of packets are within");
}

static void draw_accepted(FILE *to, struct panel *panel, const struct sweep *sweep)
{
    double most = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++)
        most = fmax(most, measured_accepted(&sweep->points.v[i]));
    panel->y_most = most > 0 ? ceil(most / svg_round_up(most / 8)) * svg_round_up(most / 8) : 1;
    clip(to, panel);
    draw_axes(to, panel, "accepted: flits that arrive per sender and cycle");
    draw_saturation(to, panel, sweep, false);
    double end = fmin(panel->x_most, panel->y_most);
    svg_line(to, at_x(panel, 0), at_y(panel, 0), at_x(panel, end), at_y(panel, end), "mark");
    draw_series(to, panel, sweep, measured_accepted, true, "a");
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        if (m->window)
            draw_dot(to, panel, m, measured_accepted(m), m->stable ? "da" : "hollow");
    }
}

void plot_sweep(const struct measure_head *head, const struct sweep *sweep, FILE *to)
{
    char title[PLOT_TITLE];
    double most = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++)
        most = fmax(most, sweep->points.v[i].load);
    most = most > 0 ? most * 1.02 : 1;
    struct panel upper = {.y = 66, .height = 300, .x_most = most};
    struct panel lower = {.y = 434, .height = 160, .x_most = most};
    svg_begin(to, WIDTH, HEIGHT, plot_title(title, head));
    svg_text(to, LEFT, 26, "start", "title", "%s", title);
    draw_latency(to, &upper, sweep);
    draw_accepted(to, &lower, sweep);
    svg_text(to, (WIDTH + LEFT - RIGHT) / 2, HEIGHT - 18, "middle", "faint",
             "offered load: flits per sender and cycle (hollow: not stable)");
    svg_end(to);
}
