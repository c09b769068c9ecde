// Charts of a simulation: its course, and the roofline.
#include "support/svg.h"
#include "tools/sim/html.h"
#include <string.h>

enum { WIDTH = 920, LEFT = 150, RIGHT = 26 };

struct sim_chart {
    const struct sim_report *report;
    struct arena *arena;
    FILE *to;
    struct sim_window window;
    uint32_t first, end; // samples that lie in the window, at least in part
};

static double at_x(const struct sim_chart *c, double cycle)
{
    const struct sim_window *w = &c->window;
    double share = (cycle - w->from) / (w->until - w->from);
    return LEFT + fmin(1, fmax(0, share)) * (WIDTH - LEFT - RIGHT);
}

uint32_t sim_samples_in(const struct sim_report *report, struct sim_window window, uint32_t *first)
{
    uint32_t end = 0;
    for (*first = 0; *first < report->series.samples.n; ++*first)
        if (report->series.samples.v[*first].ended > window.from)
            break;
    for (end = *first; end < report->series.samples.n; end++)
        if (report->series.samples.v[end].begun >= window.until)
            break;
    return end - *first;
}

double sim_last_cycle(const struct sim_report *report)
{
    double last = 0;
    for (uint32_t i = 0; i < report->spans.n; i++)
        last = fmax(last, report->spans.v[i].ended);
    for (uint32_t i = 0; i < report->series.samples.n; i++)
        last = fmax(last, report->series.samples.v[i].ended);
    return last;
}

// Launches: a row for each kernel

enum { ROW = 22, ROWS_MOST = 16, HEAD = 34 };

static uint32_t row_of(const struct sim_chart *c, uint32_t kernel)
{
    uint32_t rows = c->report->kernels.n < ROWS_MOST ? c->report->kernels.n : ROWS_MOST;
    return kernel < rows ? kernel : rows - 1;
}

// Returns the name, or its beginning.
static const char *short_name(const struct sim_chart *c, const char *name)
{
    enum { LONGEST = 22 };
    return strlen(name) <= LONGEST ? name : arena_printf(c->arena, "%.*s…", LONGEST - 1, name);
}

static void draw_launches(const struct sim_chart *c, double top)
{
    enum { SPANS_MOST = 4000 };
    uint32_t spans = c->report->spans.n < SPANS_MOST ? c->report->spans.n : SPANS_MOST;
    for (uint32_t i = 0; i < spans; i++) {
        const struct sim_span *span = &c->report->spans.v[i];
        uint32_t row = row_of(c, span->kernel);
        svg_open_numbered(c->to, "rect", 'c', span->kernel % SVG_SERIES);
        fprintf(c->to, " x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"><title>",
                at_x(c, span->begun), top + row * ROW + 3,
                fmax(0.7, at_x(c, span->ended) - at_x(c, span->begun)), ROW - 8);
        svg_escaped(c->to, c->report->kernels.v[span->kernel].shown);
        fprintf(c->to, ": cycles %.0f to %.0f, grid %g, %g, %g, block %g, %g, %g</title></rect>\n",
                span->begun, span->ended, span->grid[0], span->grid[1], span->grid[2],
                span->block[0], span->block[1], span->block[2]);
    }
    for (uint32_t i = 0; i < c->report->kernels.n && i < ROWS_MOST; i++)
        svg_text(c->to, LEFT - 8, top + i * ROW + ROW - 7, "end", "small", "%s",
                 i + 1 == ROWS_MOST && c->report->kernels.n > ROWS_MOST
                     ? "other kernels"
                     : short_name(c, c->report->kernels.v[i].shown));
}

// Panels

struct sim_panel {
    double top, height, most; // most: value at the upper edge
    const char *title;
};

static double at_y(const struct sim_panel *p, double value)
{
    return p->top + p->height - fmin(1, value / p->most) * p->height;
}

static void draw_frame(const struct sim_chart *c, const struct sim_panel *p, const char *format)
{
    svg_text(c->to, LEFT, p->top - 10, "start", "small", "%s", p->title);
    for (int i = 0; i <= 4; i++) {
        double value = p->most * i / 4;
        char text[32];
        snprintf(text, sizeof text, "%.4g%s", value * (*format == '%' ? 100 : 1),
                 *format == '%' ? " %" : "");
        svg_line(c->to, LEFT, at_y(p, value), WIDTH - RIGHT, at_y(p, value), i ? "grid" : "axis");
        svg_text(c->to, LEFT - 6, at_y(p, value) + 4, "end", "small", "%s", text);
    }
}

static void draw_cycles(const struct sim_chart *c, double y)
{
    const struct sim_window *w = &c->window;
    double step = svg_round_up((w->until - w->from) / 8);
    for (double at = ceil(w->from / step) * step; at <= w->until * (1 + 1e-9); at += step) {
        svg_line(c->to, at_x(c, at), y, at_x(c, at), y + 5, "axis");
        svg_text(c->to, at_x(c, at), y + 18, "middle", "small", "%.9g", at);
    }
    svg_text(c->to, (WIDTH + LEFT) / 2.0, y + 34, "middle", "faint", "cycles of the cores");
}

static void draw_key(const struct sim_chart *c, double *x, double y, unsigned series,
                     const char *text)
{
    svg_open_numbered(c->to, "rect", 'c', series);
    fprintf(c->to, " x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\"/>\n", *x, y - 9);
    svg_text(c->to, *x + 14, y, "start", "small", "%s", text);
    *x += 30 + 6.3 * (double)strlen(text);
}

static double value_of(const struct sim_chart *c, const struct sim_sample *sample, const char *name)
{
    for (uint32_t i = 0; i < c->report->series.names.n; i++)
        if (!strcmp(c->report->series.names.v[i], name))
            return sample->values[i];
    return 0;
}

// Warps in their slots: the largest reasons, and all others.

enum { REASONS = SVG_SERIES - 1 };

struct reasons {
    uint32_t name[REASONS], count; // in series.names
};

static double sum_of(const struct sim_chart *c, uint32_t name)
{
    double sum = 0;
    for (uint32_t i = c->first; i < c->end; i++)
        sum += c->report->series.samples.v[i].values[name];
    return sum;
}

static bool is_slot(const char *name)
{
    return !strcmp(name, "core.issued") ||
           (!strncmp(name, "core.stall_", 11) && strcmp(name, "core.stall_empty") != 0);
}

static bool is_in(const struct reasons *reasons, uint32_t name)
{
    for (uint32_t i = 0; i < reasons->count; i++)
        if (reasons->name[i] == name)
            return true;
    return false;
}

static struct reasons find_reasons(const struct sim_chart *c)
{
    struct reasons found = {.count = 0};
    while (found.count < REASONS) {
        double most = 0;
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < c->report->series.names.n; i++) {
            const char *name = c->report->series.names.v[i];
            double sum = is_slot(name) && !is_in(&found, i) ? sum_of(c, i) : 0;
            if (sum > most) {
                most = sum;
                best = i;
            }
        }
        if (best == UINT32_MAX)
            break;
        found.name[found.count++] = best;
    }
    return found;
}

static double slots_in(const struct sim_chart *c, const struct sim_sample *sample,
                       const struct reasons *but)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->report->series.names.n; i++)
        if (is_slot(c->report->series.names.v[i]) && !(but && is_in(but, i)))
            sum += sample->values[i];
    return sum;
}

static void draw_slice(const struct sim_chart *c, const struct sim_panel *p,
                       const struct sim_sample *s, double from, double share, unsigned series)
{
    if (share <= 0.0005)
        return;
    svg_open_numbered(c->to, "rect", 'c', series);
    fprintf(c->to, " x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>", at_x(c, s->begun),
            at_y(p, from + share), at_x(c, s->ended) - at_x(c, s->begun) + 0.3,
            at_y(p, from) - at_y(p, from + share));
}

static void draw_slots(const struct sim_chart *c, const struct sim_panel *p)
{
    struct reasons reasons = find_reasons(c);
    double x = LEFT + 130;
    for (uint32_t i = c->first; i < c->end; i++) {
        const struct sim_sample *s = &c->report->series.samples.v[i];
        double all = slots_in(c, s, NULL), from = 0;
        if (all <= 0)
            continue;
        for (uint32_t k = 0; k < reasons.count; k++) {
            double share = s->values[reasons.name[k]] / all;
            draw_slice(c, p, s, from, share, k);
            from += share;
        }
        draw_slice(c, p, s, from, slots_in(c, s, &reasons) / all, REASONS);
        putc('\n', c->to);
    }
    draw_frame(c, p, "%");
    for (uint32_t k = 0; k < reasons.count; k++) {
        const char *name = c->report->series.names.v[reasons.name[k]] + strlen("core.");
        draw_key(c, &x, p->top - 10, k, !strncmp(name, "stall_", 6) ? name + 6 : name);
    }
    draw_key(c, &x, p->top - 10, REASONS, "others");
}

// Lines

struct sim_line {
    const char *name, *numerator, *denominator; // denominator "": cycles · divide
    double divide;
};

static void draw_line(const struct sim_chart *c, const struct sim_panel *p,
                      const struct sim_line *line, unsigned series)
{
    svg_open_numbered(c->to, "polyline", 'v', series);
    fputs(" points=\"", c->to);
    for (uint32_t i = c->first; i < c->end; i++) {
        const struct sim_sample *s = &c->report->series.samples.v[i];
        double below = *line->denominator ? value_of(c, s, line->denominator)
                                          : (s->ended - s->begun) * line->divide;
        double value = below > 0 ? value_of(c, s, line->numerator) / below : 0;
        fprintf(c->to, "%.1f,%.1f %.1f,%.1f ", at_x(c, s->begun), at_y(p, value), at_x(c, s->ended),
                at_y(p, value));
    }
    fputs("\"/>\n", c->to);
}

static double most_of(const struct sim_chart *c, const struct sim_line *line)
{
    double most = 0;
    for (uint32_t i = c->first; i < c->end; i++) {
        const struct sim_sample *s = &c->report->series.samples.v[i];
        double below = *line->denominator ? value_of(c, s, line->denominator)
                                          : (s->ended - s->begun) * line->divide;
        most = fmax(most, below > 0 ? value_of(c, s, line->numerator) / below : 0);
    }
    return most > 0 ? svg_round_up(most) : 1;
}

static void draw_lines(const struct sim_chart *c, struct sim_panel *p, const struct sim_line *lines,
                       uint32_t count, const char *format)
{
    double x = LEFT + 130;
    for (uint32_t i = 0; i < count && p->most <= 0; i++)
        p->most = fmax(p->most, most_of(c, &lines[i]));
    draw_frame(c, p, format);
    for (uint32_t i = 0; i < count; i++)
        draw_line(c, p, &lines[i], i);
    for (uint32_t i = 0; i < count && count > 1; i++)
        draw_key(c, &x, p->top - 10, i, lines[i].name);
}

// The peak of a resource in a cycle of the cores: its share is known from the counts of the run.
static double peak_of(const struct sim_report *report, const char *resource, const char *numerator)
{
    double counts = 0;
    const struct sim_chart c = {.report = report};
    for (uint32_t i = 0; i < report->total.resources.n; i++) {
        const struct sim_resource *r = &report->total.resources.v[i];
        if (strcmp(r->name, resource) != 0 || r->used <= 0)
            continue;
        double cycles = 0;
        for (uint32_t k = 0; k < report->series.samples.n; k++) {
            counts += value_of(&c, &report->series.samples.v[k], numerator);
            cycles += report->series.samples.v[k].ended - report->series.samples.v[k].begun;
        }
        double share = r->used / r->peak;
        return cycles > 0 && counts > 0 ? counts / cycles / share : 1;
    }
    return 1;
}

enum { PANEL = 120, GAP = 46, PANELS = 4 };

// Draws the panels below each other.
static void draw_panels(const struct sim_chart *c, double top)
{
    const struct sim_report *report = c->report;
    struct sim_panel slots = {top, PANEL, 1, "warps in their slots"};
    draw_slots(c, &slots);
    struct sim_panel ipc = {slots.top + PANEL + GAP, PANEL, 0,
                            "IPC: thread instructions in a cycle"};
    draw_lines(c, &ipc, (const struct sim_line[]){{"IPC", "machine.thread_instructions", "", 1}}, 1,
               "");
    const struct sim_line lines[] = {
        {"DRAM data bus", "dram.data_clocks", "",
         peak_of(report, "DRAM data bus", "dram.data_clocks")},
        {"LLC ports", "llc.port_clocks", "", peak_of(report, "LLC ports", "llc.port_clocks")},
        {"request network", "request.noc_link", "",
         peak_of(report, "request network", "request.noc_link")},
        {"reply network", "reply.noc_link", "", peak_of(report, "reply network", "reply.noc_link")},
    };
    struct sim_panel use = {ipc.top + PANEL + GAP, PANEL, 1, "share of the peak"};
    draw_lines(c, &use, lines, ARRAY_LENGTH(lines), "%");
    struct sim_panel latency = {use.top + PANEL + GAP, PANEL, 0,
                                "mean latency of all replies with data, cycles"};
    draw_lines(
        c, &latency,
        (const struct sim_line[]){{"latency", "memory.latency_sum", "memory.data_answers", 1}}, 1,
        "");
    draw_cycles(c, latency.top + PANEL);
}

void sim_chart_timeline(const struct sim_report *report, double most, struct arena *arena, FILE *to)
{
    struct sim_chart c = {report, arena, to, {0, most > 0 ? most : 1}, 0, report->series.samples.n};
    uint32_t rows = report->kernels.n < ROWS_MOST ? report->kernels.n : ROWS_MOST;
    double top = HEAD, y = top + rows * ROW + GAP;
    double height = y + (c.end ? PANELS * (PANEL + GAP) : 0) + 10;
    svg_begin(to, WIDTH, height, "launches and use of the machine over time");
    svg_text(to, LEFT, 18, "start", "small", "launches of each kernel");
    draw_launches(&c, top);
    if (c.end)
        draw_panels(&c, y);
    else
        draw_cycles(&c, y - GAP + 4);
    svg_end(to);
}

void sim_chart_launch(const struct sim_report *report, struct sim_window window,
                      struct arena *arena, FILE *to)
{
    struct sim_chart c = {report, arena, to, window, 0, 0};
    c.end = sim_samples_in(report, window, &c.first) + c.first;
    svg_begin(to, WIDTH, HEAD + PANELS * (PANEL + GAP) + 10, "use of the machine in a launch");
    draw_panels(&c, HEAD);
    svg_end(to);
}

// Roofline

enum { ROOF_HEIGHT = 420, ROOF_TOP = 40, ROOF_BOTTOM = 60 };

struct roof {
    double x_low, x_high, y_low, y_high; // decades
};

static double roof_x(const struct roof *r, double value)
{
    return LEFT + (log10(value) - r->x_low) / (r->x_high - r->x_low) * (WIDTH - LEFT - RIGHT);
}

static double roof_y(const struct roof *r, double value)
{
    return ROOF_TOP + (r->y_high - log10(value)) / (r->y_high - r->y_low) *
                          (ROOF_HEIGHT - ROOF_TOP - ROOF_BOTTOM);
}

// Returns false if the kernel has no place: it accesses no DRAM.
static bool place_of(const struct sim_kernel *kernel, double *x, double *y)
{
    double bytes = sim_number(kernel, "DRAM bits") / 8;
    *y = sim_number(kernel, "IPC");
    *x = bytes > 0 ? *y * kernel->cycles / bytes : 0;
    return *x > 0 && *y > 0;
}

static void reach(struct roof *r, const struct sim_report *report)
{
    for (uint32_t i = 0; report && i < report->kernels.n; i++) {
        double x, y;
        if (!place_of(&report->kernels.v[i], &x, &y))
            continue;
        r->x_low = fmin(r->x_low, floor(log10(x)));
        r->x_high = fmax(r->x_high, ceil(log10(x)));
        r->y_low = fmin(r->y_low, floor(log10(y)));
    }
}

static void draw_decades(FILE *to, const struct roof *r)
{
    for (double d = r->x_low; d <= r->x_high; d++) {
        svg_line(to, roof_x(r, pow(10, d)), ROOF_TOP, roof_x(r, pow(10, d)),
                 ROOF_HEIGHT - ROOF_BOTTOM, "grid");
        svg_text(to, roof_x(r, pow(10, d)), ROOF_HEIGHT - ROOF_BOTTOM + 18, "middle", "small",
                 d < 0 ? "%.4g" : "%.0f", pow(10, d));
    }
    for (double d = r->y_low; d <= r->y_high; d++) {
        svg_line(to, LEFT, roof_y(r, pow(10, d)), WIDTH - RIGHT, roof_y(r, pow(10, d)), "grid");
        svg_text(to, LEFT - 6, roof_y(r, pow(10, d)) + 4, "end", "small", d < 0 ? "%.4g" : "%.0f",
                 pow(10, d));
    }
    svg_text(to, (WIDTH + LEFT) / 2.0, ROOF_HEIGHT - 14, "middle", "faint",
             "thread instructions for each byte of the DRAM");
    svg_text(to, LEFT, 18, "start", "small", "thread instructions in a cycle");
}

static void draw_roofs(FILE *to, const struct roof *r, const struct sim_report *report)
{
    double knee = report->peak_instructions / report->dram_bytes;
    double left = pow(10, r->x_low), right = pow(10, r->x_high);
    double from = fmax(left, pow(10, r->y_low) / report->dram_bytes);
    svg_open(to, "polyline", "v5");
    fprintf(to, " points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", roof_x(r, from),
            roof_y(r, from * report->dram_bytes), roof_x(r, knee),
            roof_y(r, report->peak_instructions), roof_x(r, right),
            roof_y(r, report->peak_instructions));
    svg_text(to, roof_x(r, right) - 4, roof_y(r, report->peak_instructions) - 6, "end", "small",
             "issue: %.4g in a cycle", report->peak_instructions);
    svg_text(to, roof_x(r, knee) - 10, roof_y(r, report->peak_instructions) - 6, "end", "small",
             "DRAM: %.4g B in a cycle", report->dram_bytes);
}

static void draw_points(const struct sim_chart *c, const struct roof *r, const char *whose)
{
    for (uint32_t i = 0; i < c->report->kernels.n; i++) {
        const struct sim_kernel *kernel = &c->report->kernels.v[i];
        double x, y;
        if (!place_of(kernel, &x, &y))
            continue;
        if (*whose)
            svg_open(c->to, "circle", "outline");
        else
            svg_open_numbered(c->to, "circle", 'c', i % SVG_SERIES);
        fprintf(c->to, " cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>", roof_x(r, x), roof_y(r, y),
                *whose ? 6 : 5);
        svg_escaped(c->to, kernel->shown);
        fprintf(c->to, "%s: %.4g instructions in a cycle, %.4g for each byte</title></circle>\n",
                whose, y, x);
        bool right = roof_x(r, x) > 2.0 / 3 * WIDTH;
        if (!*whose)
            svg_text(c->to, roof_x(r, x) + (right ? -9 : 9), roof_y(r, y) + 4,
                     right ? "end" : "start", "small halo", "%s", kernel->shown);
    }
}

void sim_chart_roofline(const struct sim_report *report, const struct sim_report *beside,
                        struct arena *arena, FILE *to)
{
    struct sim_chart c = {.report = report, .arena = arena, .to = to};
    double knee = log10(report->peak_instructions / report->dram_bytes);
    struct roof roof = {floor(knee) - 1, ceil(knee) + 1, 0, ceil(log10(report->peak_instructions))};
    reach(&roof, report);
    reach(&roof, beside);
    svg_begin(to, WIDTH, ROOF_HEIGHT, "roofline");
    draw_decades(to, &roof);
    draw_roofs(to, &roof, report);
    if (beside) {
        struct sim_chart other = {.report = beside, .arena = arena, .to = to};
        draw_points(&other, &roof, ", the other run");
    }
    draw_points(&c, &roof, "");
    svg_end(to);
}
