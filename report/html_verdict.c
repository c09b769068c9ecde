// Writes the verdict of the page: tiles, sentences, and the phases as bars.
#include "report/html.h"
#include "support/svg.h"
#include <inttypes.h>
#include <string.h>

static void write_tile(const struct html *h, const char *class, const char *title,
                       const char *value, const char *text)
{
    fprintf(h->to, "<div class=\"tile%s%s\">", *class ? " " : "", class);
    html_tag(h, "h2", title);
    html_tag(h, "p", value);
    if (*text)
        html_tag(h, "p", text);
    fputs("</div>\n", h->to);
}

const struct sim_kernel *html_main_kernel(const struct sim_report *report)
{
    return report->kernels.n == 1 && report->kernels.v[0].timed ? &report->kernels.v[0]
                                                                : &report->total;
}

static void write_cycles_tile(const struct html *h)
{
    const struct sim_report *report = h->report;
    const struct sim_kernel *total = &report->total;
    double idle = sim_idle_cycles(report);
    const char *of = report->kernels.n == 1
                         ? report->kernels.v[0].shown
                         : arena_printf(h->arena, "%u kernels", report->kernels.n);
    const char *rest = idle > 0 ? arena_printf(h->arena, "; %s of them without a kernel",
                                               sim_count(h->arena, idle))
                                : "";
    write_tile(h, "", "Cycles", sim_count(h->arena, total->cycles),
               arena_printf(h->arena, "%" PRIu64 " launch%s of %s, %.4g µs at %.4g MHz%s",
                            total->timed, total->timed == 1 ? "" : "es", of,
                            total->cycles / report->clock, report->clock, rest));
}

static void write_beside_tile(const struct html *h)
{
    const struct sim_report *beside = h->view->beside;
    double now = h->report->total.cycles, before = beside ? beside->total.cycles : 0;
    if (!beside || now <= 0 || before <= 0) {
        double ipc = sim_number(&h->report->total, "IPC");
        write_tile(h, "", "Instructions per cycle", arena_printf(h->arena, "%.1f", ipc),
                   arena_printf(h->arena, "of threads; the machine can issue %.0f",
                                h->report->peak_instructions));
        return;
    }
    write_tile(h,
               now < before   ? "good"
               : now > before ? "worse"
                              : "",
               arena_printf(h->arena, "Against %s", h->view->beside_name),
               now <= before ? arena_printf(h->arena, "%.2f times as fast", before / now)
                             : arena_printf(h->arena, "%.2f times slower", now / before),
               arena_printf(h->arena, "that run took %s cycles on %s, policy %s",
                            sim_count(h->arena, before), beside->machine, beside->policy));
}

static void write_limit_tile(const struct html *h, const struct sim_kernel *kernel)
{
    if (!kernel->limits.n || kernel->limits.v[0].cycles <= 0)
        return;
    const struct sim_limit *limit = &kernel->limits.v[0];
    const char *word = sim_limit_word(limit);
    write_tile(
        h, "", word[0] == 'p' ? "Probably limited by" : "Limited by", limit->name,
        arena_printf(h->arena, "without this limit %s", sim_gain_text(h->arena, kernel, limit)));
}

static void write_items_tile(const struct html *h, const struct sim_kernel *kernel)
{
    uint32_t costly = 0;
    for (uint32_t i = 0; i < kernel->items.n; i++) {
        bool costs;
        sim_item_verdict(h->arena, &kernel->items.v[i], &costs);
        costly += costs;
    }
    if (kernel->items.n)
        write_tile(h, costly ? "worse" : "", "Offloaded",
                   arena_printf(h->arena, "%u %s%s", kernel->items.n, kernel->items.v[0].kind,
                                kernel->items.n == 1 ? "" : "s"),
                   costly ? arena_printf(h->arena, "%u cost%s more than %s", costly,
                                         costly == 1 ? "s" : "",
                                         costly == 1 ? "it saves" : "they save")
                          : "by the policy, see below");
    else if (h->report->passed + h->report->failed)
        write_tile(h, h->report->failed ? "worse" : "good", "Expectations",
                   arena_printf(h->arena, "%u of %u hold", h->report->passed,
                                h->report->passed + h->report->failed),
                   "values that the run file expects");
}

enum { PHASE_COLOURS = 7 };

// Returns the number of a limit among those of all phases, which is its colour.
static unsigned colour_of(const struct sim_kernel *kernel, const struct sim_limit *limit)
{
    unsigned i = 0;
    while (i + 1 < PHASE_COLOURS && i < kernel->limits.n &&
           strcmp(kernel->limits.v[i].name, limit->name) != 0)
        i++;
    return i;
}

void html_phases(const struct html *h, const struct sim_kernel *kernel)
{
    double all = 0;
    for (uint32_t i = 0; i < kernel->phases.n; i++)
        all += kernel->phases.v[i].cycles;
    if (all <= 0)
        return;
    html_tag(h, "h3", "What limits each phase");
    fputs("\n<table class=\"bars\">\n", h->to);
    for (uint32_t i = 0; i < kernel->phases.n; i++) {
        const struct sim_phase *phase = &kernel->phases.v[i];
        fprintf(h->to,
                "<tr><th scope=\"row\">%s<small>%s cycles</small></th><td>%.1f %%</td>"
                "<td class=\"bar\"><div class=\"phases\" style=\"width:%.2f%%\">",
                phase->name, sim_count(h->arena, phase->cycles), 100 * phase->cycles / all,
                fmax(1, 100 * phase->cycles / all));
        for (uint32_t k = 0; k < phase->limits.n; k++)
            fprintf(h->to,
                    "<span class=\"f%u\" style=\"width:%.2f%%\" title=\"%s: %.0f %%\"></span>",
                    colour_of(kernel, &phase->limits.v[k]),
                    100 * phase->limits.v[k].cycles / phase->cycles, phase->limits.v[k].name,
                    100 * phase->limits.v[k].cycles / phase->cycles);
        fputs("</div></td></tr>\n", h->to);
    }
    fputs("</table>\n<ul class=\"keys\">\n", h->to);
    for (uint32_t i = 0; i < kernel->limits.n && i < PHASE_COLOURS; i++)
        fprintf(h->to, "<li><i class=\"f%u\"></i>%s, %.0f %% of all cycles</li>\n", i,
                i + 1 == PHASE_COLOURS ? "other parts" : kernel->limits.v[i].name,
                100 * kernel->limits.v[i].cycles / all);
    fputs("</ul>\n", h->to);
}

void html_explanation(const struct html *h, const struct sim_kernel *kernel)
{
    sim_sentences sentences = {0};
    sim_explain(kernel, h->arena, &sentences);
    fputs("<ul class=\"lead\">\n", h->to);
    for (uint32_t i = 0; i < sentences.n; i++) {
        html_tag(h, "li", sentences.v[i]);
        putc('\n', h->to);
    }
    fputs("</ul>\n", h->to);
}

void html_verdict(const struct html *h)
{
    const struct sim_kernel *kernel = html_main_kernel(h->report);
    if (!h->report->has_time)
        return;
    fputs("<div class=\"tiles\">\n", h->to);
    write_cycles_tile(h);
    write_beside_tile(h);
    write_limit_tile(h, kernel);
    write_items_tile(h, kernel);
    fputs("</div>\n", h->to);
    html_explanation(h, kernel);
    html_phases(h, kernel);
}
