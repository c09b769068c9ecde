#include "tools/noc/plot.h"
#include "support/chart.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 760, HEIGHT = 660, LEFT = 76, RIGHT = 24 };

// The latency axis ends at this multiple of the minimum latency.
static const double tallest = 6;

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
             head->plan->flits.max == 1 ? "" : "s");
    return text;
}

static void draw_saturation(const struct chart *c, const struct sweep *sweep, bool is_named)
{
    char text[32] = "";
    if (sweep->saturation <= 0 || sweep->best + 1 == sweep->points.n)
        return;
    if (is_named)
        snprintf(text, sizeof text, "saturation %.3g", sweep->saturation);
    chart_mark(c, sweep->saturation, text);
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

static void draw_series(const struct chart *c, const struct sweep *sweep, point_value *value,
                        bool all, const char *class)
{
    chart_line_begin(c, class, true);
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        if (all ? m->window > 0 : is_drawn(m))
            chart_line_to(c, m->load, value(m));
    }
    chart_line_end(c);
}

static void draw_dot(const struct chart *c, const struct measured *m, double value,
                     const char *class)
{
    char tip[160];
    snprintf(tip, sizeof tip, "load %.4g: accepted %.4g, latency %.4g, 99%% within %.0f%s", m->load,
             measured_accepted(m), measured_latency(m), tail_latency(m),
             m->stable ? "" : ", not stable");
    if (value <= c->y.high)
        chart_dot(c, class, m->load, value, 4, tip);
}

// Panels

static struct chart panel_of(FILE *to, double top, double height, double x_max)
{
    return (struct chart){.to = to,
                          .left = LEFT,
                          .right = WIDTH - RIGHT,
                          .top = top,
                          .bottom = top + height,
                          .x = {.high = x_max},
                          .numbers = ""};
}

static void draw_axes(struct chart *c, double max, const char *y_title)
{
    c->y.high = max > 0 ? max : 1;
    chart_rows(c, chart_fit(&c->y, 8), false);
    chart_columns(c, svg_round_up(c->x.high / 11));
    chart_side(c);
    svg_text(c->to, c->left, c->top - 10, "start", "faint", "%s", y_title);
    chart_clip(c);
}

static double latency_most(const struct sweep *sweep)
{
    double min = INFINITY, max = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        if (!is_drawn(m))
            continue;
        min = fmin(min, measured_latency(m));
        max = fmax(max, measured_latency(m));
    }
    return max > 0 ? fmin(max * 1.1, min * tallest) : 1;
}

// Draws the latency of stable loads. Above saturation latency is unbounded, so none is drawn.
static void draw_latency(struct chart *c, const struct sweep *sweep)
{
    draw_axes(c, latency_most(sweep),
              "latency in cycles, from creation to the arrival of the tail");
    draw_saturation(c, sweep, true);
    draw_series(c, sweep, tail_latency, false, "b thin");
    draw_series(c, sweep, measured_latency, false, "a");
    for (uint32_t i = 0; i < sweep->points.n; i++)
        if (is_drawn(&sweep->points.v[i]))
            draw_dot(c, &sweep->points.v[i], measured_latency(&sweep->points.v[i]), "da");
    chart_line_key(c->to, LEFT + 14, c->top + 20, "a", "mean");
    chart_line_key(c->to, LEFT + 14, c->top + 38, "b thin", "99 % of packets are within");
}

static void draw_accepted(struct chart *c, const struct sweep *sweep)
{
    double max = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++)
        max = fmax(max, measured_accepted(&sweep->points.v[i]));
    draw_axes(c, max, "accepted: flits that arrive per sender and cycle");
    draw_saturation(c, sweep, false);
    double end = fmin(c->x.high, c->y.high);
    svg_line(c->to, chart_x(c, 0), chart_y(c, 0), chart_x(c, end), chart_y(c, end), "mark");
    draw_series(c, sweep, measured_accepted, true, "a");
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        if (m->window)
            draw_dot(c, m, measured_accepted(m), m->stable ? "da" : "hollow");
    }
}

void plot_sweep(const struct measure_head *head, const struct sweep *sweep, FILE *to)
{
    char title[PLOT_TITLE];
    double max = 0;
    for (uint32_t i = 0; i < sweep->points.n; i++)
        max = fmax(max, sweep->points.v[i].load);
    max = max > 0 ? max * 1.02 : 1;
    struct chart upper = panel_of(to, 66, 300, max), lower = panel_of(to, 434, 160, max);
    svg_begin(to, WIDTH, HEIGHT, plot_title(title, head));
    svg_text(to, LEFT, 26, "start", "title", "%s", title);
    draw_latency(&upper, sweep);
    draw_accepted(&lower, sweep);
    chart_x_title(&lower, HEIGHT - 18,
                  "offered load: flits per sender and cycle (hollow: not stable)");
    svg_end(to);
}
