// Writes the report as Markdown. Text from files is escaped, so that it cannot form HTML, tables or
// links.
#include "campaign/report.h"
#include <ctype.h>
#include <string.h>

// Returns true if an HTML tag could start here.
static bool opens_tag(const char *at)
{
    return *at == '<' && (isalpha((unsigned char)at[1]) || (at[1] && strchr("/!?", at[1])));
}

static bool opens_entity(const char *at)
{
    return *at == '&' && (isalnum((unsigned char)at[1]) || at[1] == '#');
}

// Writes text within a line of a table, heading or list.
static void write_line(FILE *to, const char *text)
{
    for (const char *at = text; *at; at++) {
        if (opens_tag(at))
            fputs("&lt;", to);
        else if (opens_entity(at))
            fputs("&amp;", to);
        else if (strchr("\\`|", *at) || (*at == '(' && at > text && at[-1] == ']'))
            fprintf(to, "\\%c", *at);
        else
            putc((unsigned char)*at < ' ' ? ' ' : *at, to);
    }
}

// Writes Markdown by the campaign's author.
static void write_lines(FILE *to, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (opens_tag(text + i))
            fputs("&lt;", to);
        else
            putc((unsigned char)text[i] < ' ' && !strchr("\n\t\r", text[i]) ? '?' : text[i], to);
}

// Writes a code span, in which only backticks are special.
static void write_code(FILE *to, const char *text)
{
    putc('`', to);
    for (; *text; text++)
        putc(*text == '`' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text, to);
    putc('`', to);
}

static void write_markdown_table(const struct campaign_grid *grid, FILE *to)
{
    for (uint32_t i = 0; i < grid->texts.n; i++) {
        uint32_t row = i / grid->columns, column = i % grid->columns;
        const char *mark = row && grid->strong.v[row] && !column ? "**" : "";
        fprintf(to, "%s%s", column ? " " : "| ", mark);
        write_line(to, grid->texts.v[i]);
        fprintf(to, "%s |", mark);
        if (column + 1 < grid->columns)
            continue;
        putc('\n', to);
        for (uint32_t k = 0; !row && k < grid->columns; k++)
            fputs(!k ? "|---|" : "---:|", to);
        if (!row)
            putc('\n', to);
    }
}

// Writes the lines below a table.
static void write_reasons(const struct campaign_report *report, const struct campaign_table *table,
                          FILE *to)
{
    struct text_list lines = {0};
    campaign_report_reasons(table, report->arena, &lines);
    for (uint32_t i = 0; i < lines.list.n; i++) {
        fputs("- ", to);
        write_line(to, lines.list.v[i]);
        putc('\n', to);
    }
}

static void write_markdown_figure(const struct campaign_report *report,
                                  const struct campaign_table *table, FILE *to)
{
    enum { SHOWN = 16 }; // digits of a digest
    const struct campaign_figure *figure = table->figure;
    struct campaign_inputs inputs;
    struct campaign_grid grid;
    campaign_grid_make(&grid, report->arena, table);
    if (figure->text) {
        write_line(to, figure->text);
        fputs("\n\n", to);
    }
    write_markdown_table(&grid, to);
    if (table->missing.n || table->left_out.n || table->expectations)
        putc('\n', to);
    write_reasons(report, table, to);
    campaign_table_inputs(report, table, &inputs);
    fprintf(to, "\n<!-- inputs of ");
    write_line(to, figure->name);
    fprintf(to, ": programs %.*s, values %.*s -->\n", SHOWN, inputs.programs, SHOWN, inputs.values);
}

static const struct campaign_job *job_of(const struct campaign_plan *plan, uint32_t variant)
{
    for (uint32_t i = 0; i < plan->jobs.n; i++)
        if (plan->jobs.v[i].variant == variant && plan->jobs.v[i].point == CAMPAIGN_NONE &&
            !plan->jobs.v[i].error)
            return &plan->jobs.v[i];
    return NULL;
}

static void write_markdown_head(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    fputs("Made by ", to);
    write_code(to, report->command);
    fprintf(
        to,
        " with version %s; results of %u of %u jobs, the newest of %.10s. SHA-256 of all values "
        "of a variant's configuration:\n\n",
        PTXOFFLOAD_VERSION, report->with_result, report->jobs,
        report->date ? report->date : "no date");
    for (uint32_t i = 0; i < campaign->variants.n; i++) {
        const struct campaign_variant *variant = &campaign->variants.v[i];
        const struct campaign_job *job = job_of(report->plan, i);
        if (!job)
            continue;
        fputs("- ", to);
        write_line(to, variant->label ? variant->label : variant->name);
        fputs(": policy ", to);
        write_code(to, variant->policy);
        fprintf(to, ", `%s`\n", job->config_digest);
    }
}

static void write_markdown_sizes(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    for (uint32_t i = 0; i < campaign->workloads.n; i++) {
        const struct campaign_workload *workload = &campaign->workloads.v[i];
        const struct campaign_settings *values =
            report->plan->is_quick ? &workload->quick : &workload->values;
        const char *path = workload->run;
        size_t folder = strlen(campaign->folder);
        fputs("- ", to);
        write_line(to, workload->name);
        fputs(": ", to);
        write_code(to, strncmp(path, campaign->folder, folder) ? path : path + folder);
        for (uint32_t k = 0; k < values->list.n; k++) {
            fprintf(to, ", %s = ", values->list.v[k].key);
            write_line(to, values->list.v[k].value);
        }
        putc('\n', to);
    }
}

static const struct campaign_table *table_of(const struct campaign_report *report, const char *name,
                                             size_t length)
{
    for (uint32_t i = 0; i < report->tables.n; i++)
        if (strlen(report->tables.v[i].figure->name) == length &&
            !memcmp(report->tables.v[i].figure->name, name, length))
            return &report->tables.v[i];
    return NULL;
}

static void write_text_line(FILE *to, const char *line, size_t length)
{
    write_lines(to, line, length);
    putc('\n', to);
}

static void write_note(const struct campaign_report *report, const char *line, size_t length,
                       FILE *to)
{
    const struct campaign_table *table = length > 2 && *line == '{' && line[length - 1] == '}'
                                             ? table_of(report, line + 1, length - 2)
                                             : NULL;
    if (table)
        write_markdown_figure(report, table, to);
    else if (length == 6 && !memcmp(line, "{head}", 6))
        write_markdown_head(report, to);
    else if (length == 7 && !memcmp(line, "{sizes}", 7))
        write_markdown_sizes(report, to);
    else
        write_text_line(to, line, length);
}

static void write_all(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    fputs("# ", to);
    write_line(to, campaign->title ? campaign->title : campaign->name);
    fputs("\n\n", to);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        const struct campaign_figure *figure = report->tables.v[i].figure;
        fputs("## ", to);
        write_line(to, figure->title);
        fputs(figure->source ? " " : "", to);
        write_line(to, figure->source ? figure->source : "");
        fputs("\n\n", to);
        write_markdown_figure(report, &report->tables.v[i], to);
        putc('\n', to);
    }
    fputs("## Workloads\n\n", to);
    write_markdown_sizes(report, to);
    fputs("\n## How this page was made\n\n", to);
    write_markdown_head(report, to);
}

void campaign_report_markdown(const struct campaign_report *report, const char *notes, FILE *to)
{
    if (!notes)
        write_all(report, to);
    while (notes && *notes) {
        size_t length = strcspn(notes, "\n");
        write_note(report, notes, length, to);
        notes += length + (notes[length] == '\n');
    }
}
