// Differences as a page: totals, then a table for each kernel.
#include "backend/report/differences.h"
#include "backend/tables/summary.h"
#include "support/demangle.h"
#include "support/page.h"
#include "support/svg.h"
#include <string.h>

static const char style[] =
    "<style>.kind{white-space:nowrap}td.left,th.left{text-align:left}.left code{overflow-wrap:"
    "anywhere}tr.appeared td:first-child{border-left:4px solid #2f7d3b}tr.vanished "
    "td:first-child{border-left:4px solid #b03a2e}tr.changed td:first-child{border-left:4px solid "
    "#b07a10}.left{vertical-align:top}</style>\n";

static void put_tag(FILE *to, const char *tag, const char *text)
{
    fprintf(to, "<%s>", tag);
    svg_escaped(to, text);
    fprintf(to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

// Both reports

static void put_report(FILE *to, const char *label, const char *name, const struct tables *tables)
{
    struct summary total = summary_total(tables);
    fprintf(to, "<tr>");
    put_tag(to, "th scope=\"row\"", label);
    put_tag(to, "td", name);
    put_tag(to, "td", tables->source.file);
    fprintf(to, "<td>%u</td><td>%u</td><td>%u</td><td>%u</td><td>%u</td></tr>\n", total.chains,
            total.loads_tagged, total.blocks, total.chosen, total.rejected);
}

static void put_reports(const struct differences *d, FILE *to)
{
    fputs("<div class=\"wide\"><table class=\"words\">\n<tr><th></th><th>report</th><th>PTX</th>"
          "<th>chains</th><th>loads in chains</th><th>blocks</th><th>offloaded blocks</th>"
          "<th>rejections</th></tr>\n",
          to);
    put_report(to, "before", d->before_name, d->before);
    put_report(to, "after", d->after_name, d->after);
    fputs("</table></div>\n", to);
}

static void put_counts(const struct differences *d, FILE *to)
{
    fputs("<div class=\"wide\"><table class=\"words counts\">\n<tr><th></th>", to);
    for (int change = 0; change < CHANGE_KINDS; change++)
        put_tag(to, "th", change_names[change]);
    fputs("<th>as before</th></tr>\n", to);
    for (int kind = 0; kind < ITEM_KINDS; kind++) {
        fputs("<tr>", to);
        put_tag(to, "th scope=\"row\"", item_names[kind]);
        for (int change = 0; change < CHANGE_KINDS; change++)
            fprintf(to, "<td>%u</td>", d->counts[kind][change]);
        fprintf(to, "<td>%u</td></tr>\n", d->equal[kind]);
    }
    fputs("</table></div>\n", to);
}

// Rows

static void put_lines(FILE *to, const struct report_item *item)
{
    char lines[2 * 24];
    fprintf(to, "line %s", item_lines(lines, item));
}

static void put_source(FILE *to, const struct report_item *item)
{
    svg_escaped(to, item->source_file);
    fprintf(to, ":%u", item->source_line);
}

static void put_location(FILE *to, const struct report_item *item, bool by_source)
{
    fputs("<td class=\"left\">", to);
    if (item) {
        by_source &= item->source_line > 0;
        (by_source ? put_source : put_lines)(to, item);
        if (item->source_line) {
            fputs("<br><small>", to);
            (by_source ? put_lines : put_source)(to, item);
            fputs("</small>", to);
        }
        if (*item->text)
            fputs("<br>", to), put_tag(to, "code", item->text);
    }
    fputs("</td>", to);
}

static void put_numbers(FILE *to, const struct difference *one)
{
    for (uint32_t i = 0; difference_numbers[one->kind][i]; i++) {
        double before = one->before->numbers[i], after = one->after->numbers[i];
        if (numbers_differ(before, after))
            fprintf(to, "<br>%s: %.6g, before %.6g", difference_numbers[one->kind][i], after,
                    before);
    }
}

static void put_verdict(FILE *to, const struct difference *one)
{
    const struct report_item *item = one->after ? one->after : one->before;
    fputs("<td class=\"left\">", to);
    svg_escaped(to, item->verdict);
    if (one->change == CHANGE_CHANGED) {
        if (strcmp(one->before->verdict, item->verdict) != 0)
            fputs(", before: ", to), svg_escaped(to, one->before->verdict);
        put_numbers(to, one);
    }
    if (*item->reason)
        fputs("<br><small>", to), svg_escaped(to, item->reason), fputs("</small>", to);
    if (one->instead) {
        fprintf(to, "<br><small>%s: ",
                one->change == CHANGE_VANISHED ? "now rejected" : "rejected before");
        svg_escaped(to, one->instead->reason);
        fprintf(to, " [%s]</small>", one->instead->verdict);
    }
    fputs("</td>", to);
}

static void put_difference(FILE *to, const struct difference *one, bool by_source)
{
    fprintf(to, "<tr class=\"%s\"><td class=\"left kind\">%s %s</td>", change_names[one->change],
            item_names[one->kind], change_names[one->change]);
    put_location(to, one->before, by_source);
    put_location(to, one->after, by_source);
    put_verdict(to, one);
    fputs("</tr>\n", to);
}

// Kernels

static void put_kernel_name(FILE *to, struct arena *arena, const char *tag, const char *name)
{
    struct demangled demangled;
    if (!demangle(&demangled, arena, name)) {
        put_tag(to, tag, name);
        return;
    }
    put_tag(to, tag, demangled.text);
    fputs("\n<p class=\"quiet\">", to);
    svg_escaped(to, name);
    fputs("</p>", to);
}

static void put_kernels(const struct differences *d, FILE *to)
{
    for (uint32_t i = 0; i < d->kernels.n; i++) {
        fprintf(to, "<p class=\"lead\">kernel %s: ", change_names[d->kernels.v[i].change]);
        put_tag(to, "code", d->kernels.v[i].name);
        fputs("</p>\n", to);
    }
}

void differences_page(const struct differences *d, struct arena *arena, FILE *to)
{
    const char *kernel = NULL;
    page_begin(to, arena_printf(arena, "Differences of %s and %s", d->before_name, d->after_name));
    fputs(style, to);
    put_reports(d, to);
    put_counts(d, to);
    put_kernels(d, to);
    for (uint32_t i = 0; i < d->list.n; i++) {
        const struct difference *one = &d->list.v[i];
        if (one->kernel != kernel) {
            fputs(kernel ? "</table></div>\n" : "", to);
            put_kernel_name(to, arena, "h2", one->kernel);
            fputs("\n<div class=\"wide\"><table class=\"list\">\n<tr><th class=\"left\"></th><th "
                  "class=\"left\">before</th><th class=\"left\">after</th><th class=\"left\">"
                  "verdict</th></tr>\n",
                  to);
            kernel = one->kernel;
        }
        put_difference(to, one, d->by_source);
    }
    fputs(kernel ? "</table></div>\n" : "<p class=\"lead\">Nothing differs.</p>\n", to);
    page_end(to);
}
