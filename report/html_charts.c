// Charts of a simulation: timeline and roofline.
#include "support/chart.h"
#include "report/sim_report.h"
#include <string.h>

enum { WIDTH = 920, LEFT = 150, RIGHT = 26 };

struct sim_chart {
    const struct sim_report *report;
    struct arena *arena;
    FILE *to;
    struct sim_window window;
    uint32_t first, end; // samples that overlap the window
};

// Returns a panel over the cycles of the window, with values up to `most`.
static struct chart panel_of(const struct sim_chart *c, double top, double height, double max)
{
    return (struct chart){.to = c->to,
                          .left = LEFT,
                          .right = WIDTH - RIGHT,
                          .top = top,
                          .bottom = top + height,
                          .x = {c->window.from, c->window.until, false, true},
                          .y = {0, max, false, true},
                          .numbers = "small"};
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

// Launches, with a row for each kernel

enum { ROW = 22, ROWS_MAX = 16, HEAD = 34 };

static uint32_t row_of(const struct sim_chart *c, uint32_t kernel)
{
    uint32_t rows = c->report->kernels.n < ROWS_MAX ? c->report->kernels.n : ROWS_MAX;
    return kernel < rows ? kernel : rows - 1;
}

// Returns the name, abbreviated if it is long.
static const char *short_name(const struct sim_chart *c, const char *name)
{
    enum { LONGEST = 22 };
    return strlen(name) <= LONGEST ? name : arena_printf(c->arena, "%.*s…", LONGEST - 1, name);
}

// Returns the rows of the launches: the kernels, and one of copies if there are any.
static uint32_t count_rows(const struct sim_report *report)
{
    return (report->kernels.n < ROWS_MAX ? report->kernels.n : ROWS_MAX) + (report->copies.n > 0);
}

enum { SPANS_MAX = 4000 };

static void draw_copies(const struct sim_chart *c, const struct chart *on, double y)
{
    uint32_t copies = c->report->copies.n < SPANS_MAX ? c->report->copies.n : SPANS_MAX;
    for (uint32_t i = 0; i < copies; i++) {
        const struct sim_copy *copy = &c->report->copies.v[i];
        svg_open(c->to, "rect", chart_fill(SVG_SERIES - 1));
        fprintf(
            c->to,
            " x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"><title>copy of %s B: cycles %s "
            "to %s</title></rect>\n",
            chart_x(on, copy->begun), y + 3,
            fmax(0.7, chart_x(on, copy->ended) - chart_x(on, copy->begun)), ROW - 8,
            sim_count(c->arena, copy->bytes), sim_count(c->arena, copy->begun),
            sim_count(c->arena, copy->ended));
    }
}

static void draw_launches(const struct sim_chart *c, double top)
{
    const struct chart on = panel_of(c, top, 0, 1);
    fputs("<g class=\"data\">\n", c->to);
    draw_copies(c, &on, top + (count_rows(c->report) - 1) * ROW);
    uint32_t spans = c->report->spans.n < SPANS_MAX ? c->report->spans.n : SPANS_MAX;
    for (uint32_t i = 0; i < spans; i++) {
        const struct sim_span *span = &c->report->spans.v[i];
        uint32_t row = row_of(c, span->kernel);
        svg_open(c->to, "rect", chart_fill(span->kernel));
        fprintf(c->to, " x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"><title>",
                chart_x(&on, span->begun), top + row * ROW + 3,
                fmax(0.7, chart_x(&on, span->ended) - chart_x(&on, span->begun)), ROW - 8);
        svg_escaped(c->to, c->report->kernels.v[span->kernel].shown);
        fprintf(c->to, ": cycles %.0f to %.0f, grid %g, %g, %g, block %g, %g, %g</title></rect>\n",
                span->begun, span->ended, span->grid[0], span->grid[1], span->grid[2],
                span->block[0], span->block[1], span->block[2]);
    }
    fputs("</g>\n", c->to);
    if (c->report->copies.n)
        svg_text(c->to, LEFT - 8, top + count_rows(c->report) * ROW - 7, "end", "small", "copies");
    for (uint32_t i = 0; i < c->report->kernels.n && i < ROWS_MAX; i++)
        svg_text(c->to, LEFT - 8, top + i * ROW + ROW - 7, "end", "small", "%s",
                 i + 1 == ROWS_MAX && c->report->kernels.n > ROWS_MAX
                     ? "other kernels"
                     : short_name(c, c->report->kernels.v[i].shown));
}

// Panels

enum { PANEL = 120, GAP = 46, PANELS = 4 };

static void draw_frame(const struct chart *p, const char *title, bool percent)
{
    svg_text(p->to, LEFT, p->top - 10, "start", "small", "%s", title);
    chart_rows(p, p->y.high / 4, percent);
}

static void draw_cycles(const struct chart *p)
{
    fprintf(p->to, "<g class=\"ticks\" data-y=\"%.1f\">\n", p->bottom);
    chart_columns(p, svg_round_up((p->x.high - p->x.low) / 8));
    fputs("</g>\n", p->to);
    chart_x_title(p, p->bottom + 34, "cycles of the cores");
}

static double value_of(const struct sim_chart *c, const struct sim_sample *sample, const char *name)
{
    for (uint32_t i = 0; i < c->report->series.names.n; i++)
        if (!strcmp(c->report->series.names.v[i], name))
            return sample->values[i];
    return 0;
}

// Warp slots: the most frequent stall reasons, and all others

enum { REASONS = SVG_SERIES - 1 };

struct reasons {
    uint32_t name[REASONS], count; // indices in series.names
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
        double max = 0;
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < c->report->series.names.n; i++) {
            const char *name = c->report->series.names.v[i];
            double sum = is_slot(name) && !is_in(&found, i) ? sum_of(c, i) : 0;
            if (sum > max) {
                max = sum;
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

// Returns the shares of the first `count` reasons in a sample; those of all if `count` exceeds
// their number.
static double share_of(const struct sim_chart *c, const struct sim_sample *s,
                       const struct reasons *reasons, uint32_t count)
{
    double all = slots_in(c, s, NULL), sum = 0;
    if (all <= 0)
        return 0;
    for (uint32_t k = 0; k < count && k < reasons->count; k++)
        sum += s->values[reasons->name[k]];
    return count > reasons->count ? 1 : sum / all;
}

// Draws the area of reason `k` above those before it, as one path: along its upper edge, and back
// along the lower one.
static void draw_area(const struct sim_chart *c, const struct chart *p,
                      const struct reasons *reasons, uint32_t k)
{
    const struct sim_sample *samples = c->report->series.samples.v;
    svg_open(c->to, "path", chart_fill(k < reasons->count ? k : REASONS));
    fprintf(c->to, " d=\"M%.1f %.1f", chart_x(p, samples[c->first].begun), chart_y(p, 0));
    for (uint32_t i = c->first; i < c->end; i++)
        fprintf(c->to, "H%.1fV%.1fH%.1f", chart_x(p, samples[i].begun),
                chart_y(p, share_of(c, &samples[i], reasons, k + 1)), chart_x(p, samples[i].ended));
    for (uint32_t i = c->end; i-- > c->first;)
        fprintf(c->to, "V%.1fH%.1f", chart_y(p, share_of(c, &samples[i], reasons, k)),
                chart_x(p, samples[i].begun));
    fputs("Z\"/>\n", c->to);
}

static void draw_slots(const struct sim_chart *c, const struct chart *p)
{
    struct reasons reasons = find_reasons(c);
    double x = LEFT + 130;
    fputs("<g class=\"data\">\n", c->to);
    for (uint32_t k = 0; k <= reasons.count && c->first < c->end; k++)
        draw_area(c, p, &reasons, k);
    fputs("</g>\n", c->to);
    draw_frame(p, "warps in their slots", true);
    for (uint32_t k = 0; k < reasons.count; k++) {
        const char *name = c->report->series.names.v[reasons.name[k]] + strlen("core.");
        chart_key(c->to, &x, p->top - 10, chart_fill(k),
                  !strncmp(name, "stall_", 6) ? name + 6 : name);
    }
    chart_key(c->to, &x, p->top - 10, chart_fill(REASONS), "others");
}

// Lines

struct sim_line {
    const char *name, *numerator, *denominator; // denominator "": cycles · divide
    double divide;
};

// Returns the mean over a sample's interval.
static double line_value(const struct sim_chart *c, const struct sim_line *line,
                         const struct sim_sample *s)
{
    double below = *line->denominator ? value_of(c, s, line->denominator)
                                      : (s->ended - s->begun) * line->divide;
    return below > 0 ? value_of(c, s, line->numerator) / below : 0;
}

static void draw_line(const struct sim_chart *c, const struct chart *p, const struct sim_line *line,
                      unsigned series)
{
    svg_open(c->to, "path", chart_stroke(series));
    for (uint32_t i = c->first; i < c->end; i++) {
        const struct sim_sample *s = &c->report->series.samples.v[i];
        double x = chart_x(p, s->begun), y = chart_y(p, line_value(c, line, s));
        if (i == c->first)
            fprintf(c->to, " d=\"M%.1f %.1f", x, y);
        fprintf(c->to, "V%.1fH%.1f", y, chart_x(p, s->ended));
    }
    fputs("\"/>\n", c->to);
}

static double largest_of(const struct sim_chart *c, const struct sim_line *line)
{
    double max = 0;
    for (uint32_t i = c->first; i < c->end; i++)
        max = fmax(max, line_value(c, line, &c->report->series.samples.v[i]));
    return max > 0 ? svg_round_up(max) : 1;
}

// Draws lines in a panel. If `p->y.high` is 0, the maximum of the first line sets the axis.
static void draw_lines(const struct sim_chart *c, struct chart p, const char *title,
                       const struct sim_line *lines, uint32_t count, bool percent)
{
    double x = LEFT + 130;
    if (p.y.high <= 0)
        p.y.high = largest_of(c, &lines[0]);
    draw_frame(&p, title, percent);
    fputs("<g class=\"data\">\n", c->to);
    for (uint32_t i = 0; i < count; i++)
        draw_line(c, &p, &lines[i], i);
    fputs("</g>\n", c->to);
    for (uint32_t i = 0; i < count && count > 1; i++)
        chart_key(c->to, &x, p.top - 10, chart_fill(i), lines[i].name);
}

// Lines of the panels below the slots, by panel
static const struct sim_line ipc = {"IPC", "machine.thread_instructions", "", 1},
                             latency = {"latency", "cycles of reads", "memory.reads_answered", 1},
                             use[] = {
                                 {"DRAM data bus", "use of DRAM data bus", "", 1},
                                 {"LLC ports", "use of LLC ports", "", 1},
                                 {"request network", "use of request network", "", 1},
                                 {"reply network", "use of reply network", "", 1},
                                 {"replies into it", "use of replies into the network", "", 1},
};

// Draws the panels from top to bottom.
static void draw_panels(const struct sim_chart *c, double top)
{
    struct chart panels[PANELS];
    for (int i = 0; i < PANELS; i++)
        panels[i] = panel_of(c, top + i * (PANEL + GAP), PANEL, i % 2 ? 0 : 1);
    draw_slots(c, &panels[0]);
    draw_lines(c, panels[1], "IPC: thread instructions per cycle", &ipc, 1, false);
    draw_lines(c, panels[2], "share of the peak", use, ARRAY_LENGTH(use), true);
    draw_lines(c, panels[3], "mean latency of reads that leave the cores, cycles", &latency, 1,
               false);
    draw_cycles(&panels[3]);
}

// Writes the values of a chart as JSON, which the page's script reads.
static void write_values(const struct sim_chart *c)
{
    const struct sim_series *series = &c->report->series;
    fprintf(c->to,
            "<script type=\"application/json\">{\"left\":%d,\"right\":%d,\"from\":%.0f,"
            "\"until\":%.0f,\"names\":[\"IPC\",\"latency of reads\"",
            LEFT, WIDTH - RIGHT, c->window.from, c->window.until);
    for (size_t k = 0; k < ARRAY_LENGTH(use); k++)
        fprintf(c->to, ",\"%s in %%\"", use[k].name);
    fputs("],\"samples\":[", c->to);
    for (uint32_t i = c->first; i < c->end; i++) {
        const struct sim_sample *s = &series->samples.v[i];
        fprintf(c->to, "%s[%.0f,%.0f,%.4g,%.4g", i > c->first ? "," : "", s->begun, s->ended,
                line_value(c, &ipc, s), line_value(c, &latency, s));
        for (size_t k = 0; k < ARRAY_LENGTH(use); k++)
            fprintf(c->to, ",%.3g", 100 * line_value(c, &use[k], s));
        putc(']', c->to);
    }
    fputs("]}</script>\n", c->to);
}

void sim_chart_timeline(const struct sim_report *report, double max, struct arena *arena, FILE *to)
{
    struct sim_chart c = {report, arena, to, {0, max > 0 ? max : 1}, 0, report->series.samples.n};
    double top = HEAD, y = top + count_rows(report) * ROW + GAP;
    double height = y + (c.end ? PANELS * (PANEL + GAP) : 0) + 10;
    svg_begin(to, WIDTH, height, "launches and use of the machine over time");
    svg_text(to, LEFT, 18, "start", "small", "launches of each kernel");
    draw_launches(&c, top);
    if (c.end)
        draw_panels(&c, y);
    else
        draw_cycles(&(struct chart){.to = to,
                                    .left = LEFT,
                                    .right = WIDTH - RIGHT,
                                    .bottom = y - GAP + 4,
                                    .x = {0, c.window.until, false, true},
                                    .numbers = "small"});
    svg_end(to);
    write_values(&c);
}

void sim_chart_launch(const struct sim_report *report, struct sim_window window,
                      struct arena *arena, FILE *to)
{
    struct sim_chart c = {report, arena, to, window, 0, 0};
    c.end = sim_samples_in(report, window, &c.first) + c.first;
    svg_begin(to, WIDTH, HEAD + PANELS * (PANEL + GAP) + 10, "use of the machine in a launch");
    draw_panels(&c, HEAD);
    svg_end(to);
    write_values(&c);
}

// Roofline

enum { ROOF_HEIGHT = 420, ROOF_TOP = 40, ROOF_BOTTOM = 60 };

// Computes the kernel's place in the roofline. Returns false if it accesses no DRAM.
static bool point_of(const struct sim_kernel *kernel, double *x, double *y)
{
    double bytes = sim_number(kernel, "DRAM bits") / 8;
    *y = sim_number(kernel, "IPC");
    *x = bytes > 0 ? *y * kernel->cycles / bytes : 0;
    return *x > 0 && *y > 0;
}

static void reach(struct chart *roof, const struct sim_report *report)
{
    for (uint32_t i = 0; report && i < report->kernels.n; i++) {
        double x, y;
        if (!point_of(&report->kernels.v[i], &x, &y))
            continue;
        roof->x.low = fmin(roof->x.low, floor(log10(x)));
        roof->x.high = fmax(roof->x.high, ceil(log10(x)));
        roof->y.low = fmin(roof->y.low, floor(log10(y)));
    }
}

static void draw_roofs(const struct chart *roof, const struct sim_report *report)
{
    double peak = report->peak_instructions, knee = peak / report->dram_bytes;
    double left = pow(10, roof->x.low), right = pow(10, roof->x.high);
    double from = fmax(left, pow(10, roof->y.low) / report->dram_bytes);
    chart_line_begin(roof, "v5", false);
    chart_line_to(roof, from, from * report->dram_bytes);
    chart_line_to(roof, knee, peak);
    chart_line_to(roof, right, peak);
    chart_line_end(roof);
    svg_text(roof->to, chart_x(roof, right) - 4, chart_y(roof, peak) - 6, "end", "small",
             "issue: %.4g per cycle", peak);
    svg_text(roof->to, chart_x(roof, knee) - 10, chart_y(roof, peak) - 6, "end", "small",
             "DRAM: %.4g B per cycle", report->dram_bytes);
}

static void draw_points(const struct chart *roof, const struct sim_report *report,
                        struct arena *arena, const char *whose)
{
    for (uint32_t i = 0; i < report->kernels.n; i++) {
        const struct sim_kernel *kernel = &report->kernels.v[i];
        double x, y;
        if (!point_of(kernel, &x, &y))
            continue;
        chart_dot(roof, *whose ? "outline" : chart_fill(i), x, y, *whose ? 6 : 5,
                  arena_printf(arena, "%s%s: %.4g instructions per cycle, %.4g per byte",
                               kernel->shown, whose, y, x));
        bool right = chart_x(roof, x) > 2.0 / 3 * WIDTH;
        if (!*whose)
            svg_text(roof->to, chart_x(roof, x) + (right ? -9 : 9), chart_y(roof, y) + 4,
                     right ? "end" : "start", "small halo", "%s", kernel->shown);
    }
}

void sim_chart_roofline(const struct sim_report *report, const struct sim_report *beside,
                        struct arena *arena, FILE *to)
{
    double knee = log10(report->peak_instructions / report->dram_bytes);
    struct chart roof = {.to = to,
                         .left = LEFT,
                         .top = ROOF_TOP,
                         .right = WIDTH - RIGHT,
                         .bottom = ROOF_HEIGHT - ROOF_BOTTOM,
                         .x = {floor(knee) - 1, ceil(knee) + 1, true, false},
                         .y = {0, ceil(log10(report->peak_instructions)), true, false},
                         .numbers = "small"};
    reach(&roof, report);
    reach(&roof, beside);
    svg_begin(to, WIDTH, ROOF_HEIGHT, "roofline");
    chart_columns(&roof, 0);
    chart_rows(&roof, 0, false);
    chart_x_title(&roof, ROOF_HEIGHT - 14, "thread instructions per byte of the DRAM");
    svg_text(to, LEFT, 18, "start", "small", "thread instructions per cycle");
    draw_roofs(&roof, report);
    if (beside)
        draw_points(&roof, beside, arena, ", the other run");
    draw_points(&roof, report, arena, "");
    svg_end(to);
}
