// Writes the report as an HTML page.
#include "campaign/report.h"
#include "support/page.h"
#include "support/svg.h"
#include <math.h>
#include <string.h>

static void write_table(const struct campaign_grid *grid, FILE *to)
{
    fputs("<div class=\"wide\"><table class=\"words sorted\">\n", to);
    for (uint32_t i = 0; i < grid->texts.n; i++) {
        uint32_t row = i / grid->columns, column = i % grid->columns;
        const char *tag = !row || !column ? "th" : "td";
        const char *text = grid->texts.v[i];
        if (!column)
            fputs(grid->strong.v[row] ? "<tr class=\"mean\">" : "<tr>", to);
        fprintf(to, "<%s>", tag);
        svg_escaped(to, text);
        fprintf(to, "</%s>%s", tag, column + 1 == grid->columns ? "</tr>\n" : "");
    }
    fputs("</table></div>\n", to);
}

static void write_paragraph(const char *text, FILE *to)
{
    fputs("<p>", to);
    svg_escaped(to, text);
    fputs("</p>\n", to);
}

// Returns true if a plotted column has values: a plot of only the paper's values would be mistaken
// for results.
static bool has_plot(const struct campaign_table *table)
{
    bool any = false;
    for (uint32_t i = 0; i < table->figure->columns.n; i++)
        for (uint32_t r = 0; table->figure->columns.v[i].is_plotted && r < table->rows.n; r++)
            any |= !isnan(table->rows.v[r].cells[i].value);
    return any && table->figure->plot != PLOT_NONE;
}

bool campaign_report_has_plot(const struct campaign_report *report)
{
    return report->tables.n && has_plot(&report->tables.v[0]);
}

void campaign_report_svg(const struct campaign_report *report, enum campaign_width width, FILE *to)
{
    campaign_chart(&report->tables.v[0], width, report->arena, to);
}

static void write_figure(const struct campaign_report *report, const struct campaign_table *table,
                         FILE *to)
{
    const struct campaign_figure *figure = table->figure;
    struct campaign_grid grid;
    campaign_grid_make(&grid, report->arena, table);
    fputs("<h2 id=\"", to);
    svg_escaped(to, figure->name);
    fputs("\">", to);
    svg_escaped(to, figure->title);
    if (figure->source) {
        putc(' ', to);
        svg_escaped(to, figure->source);
    }
    fputs("</h2>\n", to);
    if (figure->text)
        write_paragraph(figure->text, to);
    if (has_plot(table)) {
        fputs("<div class=\"wide\">\n", to);
        campaign_chart(table, WIDTH_NATURAL, report->arena, to);
        fputs("</div>\n", to);
    }
    write_table(&grid, to);
    const char *expectations = campaign_expectations_text(report->arena, table);
    if (expectations)
        write_paragraph(expectations, to);
    for (uint32_t i = 0; i < table->left_out.n; i++)
        write_paragraph(arena_printf(report->arena, "– %s", table->left_out.v[i]), to);
    for (uint32_t i = 0; i < table->missing.n; i++)
        write_paragraph(arena_printf(report->arena, "– %s", table->missing.v[i]), to);
}

static void write_variants(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    fputs("<h2>Variants</h2>\n<div class=\"wide\"><table "
          "class=\"words\">\n<tr><th>name</th><th>policy</th>"
          "<th>machine</th><th>other values</th><th>program</th></tr>\n",
          to);
    for (uint32_t i = 0; i < campaign->variants.n; i++) {
        const struct campaign_variant *variant = &campaign->variants.v[i];
        const char *set = "", *tag = variant->tagged ? "tagged" : "as it is";
        for (uint32_t k = 0; k < variant->set.list.n; k++)
            set = arena_printf(report->arena, "%s%s%s = %s", set, k ? ", " : "",
                               variant->set.list.v[k].key, variant->set.list.v[k].value);
        for (uint32_t k = 0; k < variant->tag.list.n; k++)
            tag = arena_printf(report->arena, "%s %s", tag, variant->tag.list.v[k]);
        const char *cells[] = {variant->label ? variant->label : variant->name, variant->policy,
                               variant->config, set, tag};
        fputs("<tr>", to);
        for (size_t k = 0; k < ARRAY_LENGTH(cells); k++) {
            fputs("<td>", to);
            svg_escaped(to, cells[k]);
            fputs("</td>", to);
        }
        fputs("</tr>\n", to);
    }
    fputs("</table></div>\n", to);
}

static void write_tile(const char *class, const char *title, const char *value, const char *text,
                       FILE *to)
{
    fprintf(to, "<div class=\"tile %s\"><h2>", class);
    svg_escaped(to, title);
    fputs("</h2><p>", to);
    svg_escaped(to, value);
    fputs("</p><p>", to);
    svg_escaped(to, text);
    fputs("</p></div>\n", to);
}

// Returns the means of the figure's plotted columns, or NULL: the table has no mean of all rows.
static const char *means_of(const struct campaign_report *report,
                            const struct campaign_table *table)
{
    const struct campaign_row *row = table->rows.n ? &table->rows.v[table->rows.n - 1] : NULL;
    const char *text = NULL;
    for (uint32_t i = 0; row && row->is_mean && i < table->figure->columns.n; i++) {
        const struct campaign_column *column = &table->figure->columns.v[i];
        if (!column->is_plotted || isnan(row->cells[i].value))
            continue;
        text = arena_printf(report->arena, "%s%s%s %s", text ? text : "", text ? ", " : "",
                            column->name,
                            campaign_value_text(report->arena, column, row->cells[i].value));
    }
    return text;
}

// Writes the summary: jobs, expectations, and the means of the first figures that have one.
static void write_summary(const struct campaign_report *report, FILE *to)
{
    enum { MEANS = 3 };
    struct arena *arena = report->arena;
    uint32_t expected = 0, met = 0, means = 0;
    fputs("<div class=\"tiles\">\n", to);
    write_tile(
        report->with_result == report->jobs ? "" : "worse", "Jobs",
        arena_printf(arena, "%u of %u", report->with_result, report->jobs),
        arena_printf(arena, "have a result%s", report->plan->is_quick ? ", at quick sizes" : ""),
        to);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        expected += report->tables.v[i].expectations;
        met += report->tables.v[i].met;
    }
    if (expected)
        write_tile(met == expected ? "good" : "worse", "Expectations",
                   arena_printf(arena, "%u of %u", met, expected), "of the campaign hold", to);
    for (uint32_t i = 0; i < report->tables.n && means < MEANS; i++) {
        const char *text = means_of(report, &report->tables.v[i]);
        if (text)
            write_tile("", report->tables.v[i].figure->title, text, "mean of the rows", to);
        means += text != NULL;
    }
    fputs("</div>\n", to);
}

void campaign_report_html(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    page_begin(to, campaign->title ? campaign->title : campaign->name);
    write_summary(report, to);
    fputs("<ul>\n", to);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        fputs("<li><a href=\"#", to);
        svg_escaped(to, report->tables.v[i].figure->name);
        fputs("\">", to);
        svg_escaped(to, report->tables.v[i].figure->title);
        fputs("</a></li>\n", to);
    }
    fputs("</ul>\n", to);
    for (uint32_t i = 0; i < report->tables.n; i++)
        write_figure(report, &report->tables.v[i], to);
    write_variants(report, to);
    fputs("<h2>The campaign</h2>\n", to);
    write_paragraph(arena_printf(report->arena, "%s, version %s%s%s", report->command,
                                 PTXOFFLOAD_VERSION,
                                 report->date ? "; the newest result is of " : "",
                                 report->date ? report->date : ""),
                    to);
    page_end(to);
}
