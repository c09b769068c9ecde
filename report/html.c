// Writes the report as an HTML page.
#include "report/html.h"
#include "support/page.h"
#include "support/svg.h"
#include "tools/noc/plot.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void html_tag(const struct html *h, const char *tag, const char *text)
{
    fprintf(h->to, "<%s>", tag);
    svg_escaped(h->to, text);
    fprintf(h->to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

static void write_cell(const struct html *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void write_cell(const struct html *h, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    html_tag(h, "td", text);
}

static void write_heading(const struct html *h, const char *anchor, const char *text)
{
    fputs("<h2 id=\"", h->to);
    svg_escaped(h->to, anchor);
    fputs("\">", h->to);
    svg_escaped(h->to, text);
    fputs("</h2>\n", h->to);
}

static const char *kernel_id(const struct html *h, const struct sim_kernel *kernel)
{
    return kernel == &h->report->total
               ? "total"
               : arena_printf(h->arena, "k%u", (unsigned)(kernel - h->report->kernels.v));
}

static const struct sim_kernel *beside_of(const struct html *h, const struct sim_kernel *kernel)
{
    if (kernel == &h->report->total)
        return h->view->beside ? &h->view->beside->total : NULL;
    return sim_same(h->view->beside, kernel->name);
}

// Writes a table cell with the number, empty if it is unknown.
static void write_number(const struct html *h, const struct sim_kernel *kernel, const char *name,
                         int digits)
{
    double value = sim_number(kernel, name);
    bool is_rate = strstr(name, "rate");
    html_tag(h, "td",
             isnan(value) ? ""
                          : arena_printf(h->arena, "%.*f%s", digits, is_rate ? 100 * value : value,
                                         is_rate ? " %" : ""));
}

// The run

static void write_run(const struct html *h, const struct sim_report *report, const char *name)
{
    fputs("<tr><th scope=\"row\">", h->to);
    svg_escaped(h->to, name);
    fputs("</th>", h->to);
    write_cell(h, "%s", report->run_file ? report->run_file : report->program);
    write_cell(h, "%s", report->machine);
    write_cell(h, "%s", report->policy);
    write_cell(h, "%.0f", report->total.cycles);
    write_number(h, &report->total, "IPC", 1);
    write_cell(h, "%s", report->outcome);
    write_cell(h, "%u of %u", report->passed, report->passed + report->failed);
    fputs("</tr>\n", h->to);
}

static void write_runs(const struct html *h)
{
    fputs("<div class=\"wide\"><table class=\"words\">\n<tr><th></th><th>run</th><th>machine</th>"
          "<th>policy</th><th>cycles</th><th>IPC</th><th>outcome</th><th>expectations</th></tr>\n",
          h->to);
    write_run(h, h->report, h->view->beside ? "this run" : "run");
    if (h->view->beside)
        write_run(h, h->view->beside, h->view->beside_name);
    fputs("</table></div>\n", h->to);
}

static void write_list(const struct html *h)
{
    bool beside = h->view->beside;
    fprintf(
        h->to,
        "<div class=\"wide\"><table class=\"words sorted\">\n<tr><th>kernel</th><th>launches</th>"
        "<th>cycles</th>%s<th>of the time</th><th>IPC</th><th>L1</th><th>LLC</th>"
        "<th>read latency</th><th>most used</th></tr>\n",
        beside ? "<th>change</th>" : "");
    for (uint32_t i = 0; i < h->report->kernels.n; i++) {
        const struct sim_kernel *k = &h->report->kernels.v[i], *other = beside_of(h, k);
        const struct sim_resource *max = NULL;
        for (uint32_t r = 0; r < k->resources.n; r++)
            if (strcmp(k->resources.v[r].name, "warp slots") != 0 &&
                (!max || sim_share(&k->resources.v[r]) > sim_share(max)))
                max = &k->resources.v[r];
        fprintf(h->to, "<tr><th scope=\"row\"><a href=\"#%s\">", kernel_id(h, k));
        svg_escaped(h->to, k->shown);
        fputs("</a></th>", h->to);
        write_cell(h, "%" PRIu64, k->launches);
        write_cell(h, k->timed ? "%.0f" : "not timed", k->cycles);
        if (beside)
            write_cell(h, "%s", other ? sim_change(h->arena, k->cycles, other->cycles) : "");
        write_cell(h, "%.1f %%", 100 * k->cycles / fmax(1, h->report->total.cycles));
        write_number(h, k, "IPC", 1);
        write_number(h, k, "L1 hit rate", 1);
        write_number(h, k, "LLC hit rate", 1);
        write_number(h, k, "latency of reads", 0);
        write_cell(h, "%s%s", max ? max->name : "",
                   max ? arena_printf(h->arena, " %.0f %%", 100 * sim_share(max)) : "");
        fputs("</tr>\n", h->to);
    }
    fputs("</table></div>\n", h->to);
}

// Bars, each followed by the other run's

static void write_track(const struct html *h, double share, double mark, const char *class)
{
    share = fmin(1, fmax(0, isnan(share) ? 0 : share));
    fprintf(h->to, "<span class=\"track %s\"><i style=\"width:%.1f%%\"></i>", class, 100 * share);
    if (!isnan(mark))
        fprintf(h->to, "<b style=\"left:%.1f%%\"></b>", 100 * fmin(1, mark));
    fputs("</span>", h->to);
}

static void write_bar(const struct html *h, const char *name, const char *text, const char *value,
                      double share, double mark, const char *other, double other_share)
{
    fputs("<tr><th scope=\"row\">", h->to);
    svg_escaped(h->to, name);
    fputs("<small>", h->to);
    svg_escaped(h->to, text);
    fputs("</small></th>", h->to);
    fputs("<td>", h->to);
    svg_escaped(h->to, value);
    if (other) {
        fputs("<small>", h->to);
        svg_escaped(h->to, other);
        fputs("</small>", h->to);
    }
    fputs("</td><td class=\"bar\">", h->to);
    write_track(h, share, mark, "");
    if (other)
        write_track(h, other_share, NAN, "other");
    fputs("</td></tr>\n", h->to);
}

static void write_parts(const struct html *h, const char *title, const sim_parts *parts,
                        const sim_parts *beside, const char *unit)
{
    double all = sim_parts_sum(parts);
    if (all <= 0)
        return;
    html_tag(h, "h3", title);
    fputs("\n<table class=\"bars\">\n", h->to);
    for (uint32_t i = 0; i < parts->n; i++) {
        const struct sim_part *part = &parts->v[i];
        double share = part->value / all,
               before = beside ? sim_part_share(beside, part->name) : NAN;
        if (share < 0.001 && !(before >= 0.001))
            continue;
        const char *value = *unit ? arena_printf(h->arena, "%.1f %s", part->value, unit)
                                  : arena_printf(h->arena, "%.1f %%", 100 * share);
        const char *other = !beside         ? NULL
                            : isnan(before) ? "none"
                                            : arena_printf(h->arena, "%.1f %%", 100 * before);
        write_bar(h, part->name, part->text, value, share, NAN, other, before);
    }
    fputs("</table>\n", h->to);
}

static void write_resources(const struct html *h, const struct sim_kernel *kernel,
                            const struct sim_kernel *beside)
{
    if (!kernel->resources.n)
        return;
    html_tag(h, "h3", "Resources relative to their peaks");
    fputs("\n"
          "<p class=\"quiet\">A line marks the busiest of several instances.</p>\n"
          "<table class=\"bars\">\n",
          h->to);
    for (uint32_t i = 0; i < kernel->resources.n; i++) {
        const struct sim_resource *r = &kernel->resources.v[i], *other = NULL;
        for (uint32_t k = 0; beside && k < beside->resources.n; k++)
            if (!strcmp(beside->resources.v[k].name, r->name))
                other = &beside->resources.v[k];
        double share = r->used / r->peak, before = other ? other->used / other->peak : NAN;
        write_bar(h, r->name,
                  arena_printf(h->arena, "%s: %.4g of %.4g %s in a clock", r->text, r->used,
                               r->peak, r->unit),
                  isnan(r->busiest) ? arena_printf(h->arena, "%.1f %%", 100 * share)
                                    : arena_printf(h->arena, "%.1f %%, busiest %.1f %%",
                                                   100 * share, 100 * r->busiest),
                  share, r->busiest, other ? arena_printf(h->arena, "%.1f %%", 100 * before) : NULL,
                  before);
    }
    fputs("</table>\n", h->to);
}

// Chains and blocks

static void write_item(const struct html *h, const struct sim_kernel *kernel,
                       const struct sim_item *item, const struct sim_item *other)
{
    double hops = sim_number(kernel, "hops of a packet"), saved = sim_row(item, "saved");
    bool by_hops = !strcmp(item->expected_in, "flits per hop") && hops > 0;
    bool costs, linked = h->report->listing && kernel != &h->report->total;
    const char *verdict = sim_item_verdict(h->arena, item, &costs);
    fprintf(h->to, "<div class=\"card%s\"><h4>", costs ? " costs" : "");
    if (linked)
        fprintf(h->to, "<a href=\"#%s\">",
                sim_source_id(h->arena, kernel_id(h, kernel), item->line));
    svg_escaped(h->to, arena_printf(h->arena, "%s %u of %s, line %u%s%s", item->kind, item->id,
                                    item->function, item->line, item->source ? ", " : "",
                                    item->source ? item->source : ""));
    fprintf(h->to, "%s</h4>\n", linked ? "</a>" : "");
    if (item->text)
        fputs("<p><code>", h->to), svg_escaped(h->to, item->text), fputs("</code></p>\n", h->to);
    if (verdict)
        html_tag(h, "p", arena_printf(h->arena, "It %s.", verdict));
    fputs("<dl>\n", h->to);
    fprintf(h->to, "<div><dt>expected to save</dt><dd>%.4g %s%s</dd></div>\n", item->expected,
            item->expected_in,
            by_hops ? arena_printf(h->arena, ": %.1f flit hops at %.1f hops", item->expected * hops,
                                   hops)
                    : "");
    for (uint32_t i = 0; i < item->rows.n; i++) {
        const struct sim_number *row = &item->rows.v[i];
        double before = sim_row(other, row->name);
        bool is_saved = !strcmp(row->name, "saved");
        if (row->value == 0 && !(before > 0) && !*row->unit)
            continue;
        fprintf(h->to, "<div%s><dt>", is_saved && saved < 0 ? " class=\"bad\"" : "");
        svg_escaped(h->to, is_saved ? "measured saving" : row->name);
        fprintf(h->to, *row->unit ? "</dt><dd>%.1f %s" : "</dt><dd>%.0f%s", row->value, row->unit);
        if (!isnan(before))
            fprintf(h->to, " <small>%.4g</small>", before);
        fputs("</dd></div>\n", h->to);
    }
    fputs("</dl></div>\n", h->to);
}

static void write_items(const struct html *h, const struct sim_kernel *kernel,
                        const struct sim_kernel *beside)
{
    if (!kernel->items.n)
        return;
    html_tag(h, "h3", "What was offloaded, and its cost");
    if (!isnan(sim_number(kernel, "latency of loads")))
        fprintf(h->to, "\n<p class=\"quiet\">A load takes %.0f cycles on average.</p>",
                sim_number(kernel, "latency of loads"));
    fputs("\n<div class=\"cards\">\n", h->to);
    for (uint32_t i = 0; i < kernel->items.n; i++)
        write_item(h, kernel, &kernel->items.v[i], sim_same_item(beside, &kernel->items.v[i]));
    fputs("</div>\n", h->to);
}

// Kernels

static void write_numbers(const struct html *h, const struct sim_kernel *kernel,
                          const struct sim_kernel *beside)
{
    fputs("<dl class=\"facts\">\n", h->to);
    for (uint32_t i = 0; i < kernel->numbers.n; i++) {
        const struct sim_number *n = &kernel->numbers.v[i];
        bool is_rate = strstr(n->name, "rate");
        double before = sim_number(beside, n->name);
        const char *by = is_rate && !isnan(before)
                             ? arena_printf(h->arena, "from %.4g %%", 100 * before)
                             : sim_change(h->arena, n->value, before);
        fputs("<div><dt>", h->to);
        svg_escaped(h->to, n->name);
        fprintf(h->to, n->value >= 10000 ? "</dt><dd>%.0f %s" : "</dt><dd>%.4g %s",
                is_rate ? 100 * n->value : n->value, is_rate ? "%" : n->unit);
        if (*by)
            fprintf(h->to, " <small>%s</small>", by);
        fputs("</dd></div>\n", h->to);
    }
    fputs("</dl>\n", h->to);
}

static void write_kernel(const struct html *h, const struct sim_kernel *kernel)
{
    const struct sim_kernel *beside = beside_of(h, kernel);
    write_heading(h, kernel_id(h, kernel), kernel->shown);
    if (strcmp(kernel->shown, kernel->name) != 0)
        html_tag(h, "p class=\"quiet\"", kernel->name);
    html_tag(h, "p",
             arena_printf(h->arena, "%s%s%s%s", sim_cycles(h->arena, kernel),
                          beside ? ", beside the other run: " : "",
                          beside ? sim_change(h->arena, kernel->cycles, beside->cycles) : "",
                          kernel->together ? "; some ran at the same time as others" : ""));
    if (kernel->room)
        html_tag(h, "p class=\"quiet\"", kernel->room);
    if (kernel != html_main_kernel(h->report)) {
        html_explanation(h, kernel);
        html_phases(h, kernel);
    }
    write_numbers(h, kernel, beside);
    write_items(h, kernel, beside);
    write_resources(h, kernel, beside);
    sim_parts stalls = sim_resident(h->arena, kernel), other = sim_resident(h->arena, beside);
    double empty = sim_part_share(&kernel->stalls, "empty");
    if (!isnan(empty))
        write_parts(h,
                    arena_printf(h->arena, "Warps in their slots (%.1f %% of the slots are empty)",
                                 100 * empty),
                    &stalls, beside ? &other : NULL, "");
    write_parts(h, "Lines of loads, by the level that served them", &kernel->served,
                beside ? &beside->served : NULL, "");
    write_parts(h, "Latency of reads that leave the core", &kernel->stages,
                beside ? &beside->stages : NULL, "cycles");
    if (kernel != &h->report->total)
        sim_source_kernel(h->report, (uint32_t)(kernel - h->report->kernels.v),
                          kernel_id(h, kernel), h->arena, h->to);
}

// Networks

static void write_network(const struct html *h, enum memsys_network network, const char *title)
{
    const struct timed *timed = h->report->timed;
    const struct memsys_config *config = &timed->config.memsys;
    const struct noc *noc = machine_network(timed->machine, network);
    const struct noc_config *own =
        network == MEMSYS_REQUESTS ? &config->request_network : &config->reply_network;
    uint32_t count = noc_channels(noc);
    uint64_t *flits = ARENA_ARRAY(h->arena, uint64_t, count + 1);
    double cycles = 0;
    struct timed_stats all = timed_stats_of(timed, NULL, h->arena);
    if (own->ideal)
        return;
    for (uint32_t i = 0; i < count; i++)
        flits[i] = noc_channel(noc, i).flits;
    timed_add_up(&all, network == MEMSYS_REQUESTS ? "request.cycles" : "reply.cycles", &cycles);
    const struct heatmap map = {.config = own,
                                .noc = noc,
                                .flits = flits,
                                .window = (uint64_t)cycles,
                                .title = title,
                                .note = arena_printf(h->arena, "%.0f cycles", cycles)};
    fputs("<div class=\"wide\">\n", h->to);
    heatmap_draw(&map, h->arena, h->to);
    fputs("</div>\n", h->to);
}

// The longest launches with enough samples have their own charts.
enum { CHARTS_MAX = 12, SAMPLES_MIN = 4 };

static int by_length(const void *left, const void *right)
{
    const struct sim_span *a = *(const struct sim_span *const *)left;
    const struct sim_span *b = *(const struct sim_span *const *)right;
    double x = a->ended - a->begun, y = b->ended - b->begun;
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

// Marks the launches with a chart. Returns one mark for each launch.
static bool *choose_charts(const struct html *h)
{
    uint32_t count = h->report->spans.n, charts = 0, first;
    bool *marks = ARENA_ARRAY(h->arena, bool, count);
    const struct sim_span **order = ARENA_ARRAY(h->arena, const struct sim_span *, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &h->report->spans.v[i];
    qsort(order, count, sizeof *order, by_length);
    for (uint32_t i = 0; count > 1 && i < count && charts < CHARTS_MAX; i++) {
        struct sim_window window = {order[i]->begun, order[i]->ended};
        bool known = sim_samples_in(h->report, window, &first) >= SAMPLES_MIN;
        marks[order[i] - h->report->spans.v] = known;
        charts += known;
    }
    return marks;
}

static void write_charts(const struct html *h, const bool *marks)
{
    for (uint32_t i = 0; i < h->report->spans.n; i++) {
        const struct sim_span *span = &h->report->spans.v[i];
        if (!marks[i])
            continue;
        fputs("<details><summary>", h->to);
        svg_escaped(h->to, h->report->kernels.v[span->kernel].shown);
        fprintf(
            h->to,
            ", launch %u: %.0f cycles</summary>\n<div class=\"wide timeline\" id=\"launch-%u\">\n",
            i + 1, span->ended - span->begun, i + 1);
        sim_chart_launch(h->report, (struct sim_window){span->begun, span->ended}, h->arena, h->to);
        fputs("</div></details>\n", h->to);
    }
}

static void write_launches(const struct html *h, const bool *marks)
{
    enum { LIMIT = 500 };
    fprintf(h->to,
            "<details><summary>%u launch%s</summary>\n"
            "<div class=\"wide\"><table>\n"
            "<tr><th>launch</th><th>kernel</th><th>grid</th><th>block</th><th>start "
            "cycle</th><th>cycles</th></tr>\n",
            h->report->spans.n, h->report->spans.n == 1 ? "" : "es");
    for (uint32_t i = 0; i < h->report->spans.n && i < LIMIT; i++) {
        const struct sim_span *span = &h->report->spans.v[i];
        fputs("<tr>", h->to);
        if (marks[i])
            fprintf(h->to, "<td><a href=\"#launch-%u\">%u</a></td>", i + 1, i + 1);
        else
            write_cell(h, "%u", i + 1);
        write_cell(h, "%s", h->report->kernels.v[span->kernel].shown);
        write_cell(h, "%g, %g, %g", span->grid[0], span->grid[1], span->grid[2]);
        write_cell(h, "%g, %g, %g", span->block[0], span->block[1], span->block[2]);
        write_cell(h, "%.0f", span->begun);
        write_cell(h, "%.0f", span->ended - span->begun);
        fputs("</tr>\n", h->to);
    }
    fprintf(h->to, "</table></div>\n%s</details>\n",
            h->report->spans.n > LIMIT ? "<p>The first 500 are listed.</p>\n" : "");
}

static void write_timelines(const struct html *h)
{
    const struct sim_report *beside = h->view->beside;
    double max = sim_last_cycle(h->report);
    if (!h->report->spans.n)
        return;
    if (beside)
        max = fmax(max, sim_last_cycle(beside));
    write_heading(h, "time", "Over time");
    fputs("<div class=\"wide timeline\">\n", h->to);
    sim_chart_timeline(h->report, max, h->arena, h->to);
    fputs("</div>\n", h->to);
    if (beside) {
        html_tag(h, "h3", arena_printf(h->arena, "%s over time", h->view->beside_name));
        fputs("<div class=\"wide timeline\">\n", h->to);
        sim_chart_timeline(beside, max, h->arena, h->to);
        fputs("</div>\n", h->to);
    }
    bool *marks = choose_charts(h);
    write_launches(h, marks);
    write_charts(h, marks);
}

static bool has_roofline(const struct sim_report *report)
{
    bool has = false;
    for (uint32_t i = 0; i < report->kernels.n; i++)
        has |= sim_number(&report->kernels.v[i], "DRAM bits") > 0;
    return has;
}

static void write_roofline(const struct html *h)
{
    if (!has_roofline(h->report))
        return;
    write_heading(h, "roofline", "Roofline");
    fputs("<div class=\"wide\">\n", h->to);
    sim_chart_roofline(h->report, h->view->beside, h->arena, h->to);
    fputs(
        "</div>\n<p class=\"quiet\">A kernel below the sloping roof is limited by the bandwidth of "
        "the DRAM, one below the flat roof by the rate of issue; one far below both by latency or "
        "by another part.</p>\n",
        h->to);
}

static void write_terms(const struct html *h)
{
    static const struct {
        const char *term, *text;
    } terms[] = {
        {"CTA", "a block of threads, which runs on one core"},
        {"warp slot", "room of a core for 32 threads that execute the same instructions"},
        {"flit", "the unit that a channel of a network moves in a clock"},
        {"LLC", "the cache that all cores share, one slice in each memory partition"},
        {"row hit", "an access to the row that a bank of the DRAM has open"},
        {"chain", "a load, operations and a store that are executed near the data"},
        {"block", "a part of the program that a core in a memory stack executes"},
        {"hop", "the way of a packet from one router to the next"},
    };
    fputs("<details><summary>Terms</summary>\n<dl>\n", h->to);
    for (size_t i = 0; i < ARRAY_LENGTH(terms); i++)
        fprintf(h->to, "<div><dt>%s</dt><dd>%s</dd></div>\n", terms[i].term, terms[i].text);
    fputs("</dl></details>\n", h->to);
}

extern const struct embedded simulation_files[]; // scripts of this folder

void sim_report_html(const struct sim_view *view, struct arena *arena, FILE *to)
{
    const struct sim_report *report = view->report;
    struct html html = {view, report, arena, to};
    page_begin(to, arena_printf(arena, "Simulation of %s",
                                report->run_file ? report->run_file : report->program));
    html_verdict(&html);
    if (report->kernels.n != 1) {
        write_heading(&html, "list", "Kernels");
        write_list(&html);
    }
    sim_source_top(report, arena, to);
    write_timelines(&html);
    write_roofline(&html);
    for (uint32_t i = 0; i < report->kernels.n; i++)
        if (report->kernels.v[i].timed)
            write_kernel(&html, &report->kernels.v[i]);
    if (report->kernels.n != 1 && report->has_time)
        write_kernel(&html, &report->total);
    if (report->timed && report->total.cycles > 0) {
        write_heading(&html, "networks", "Networks");
        write_network(&html, MEMSYS_REQUESTS, "request network");
        write_network(&html, MEMSYS_REPLIES, "reply network");
    }
    write_heading(&html, "run", "The run");
    write_runs(&html);
    write_terms(&html);
    fprintf(to, "<script>\n%s</script>\n", page_file(simulation_files, "timeline"));
    page_end(to);
}
