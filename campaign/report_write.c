// The report as text, CSV and Markdown.
#include "campaign/report.h"
#include "support/file.h"
#include "support/number.h"
#include <math.h>
#include <string.h>

// Letters, not bytes.
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void pad(FILE *to, int count)
{
    for (; count > 0; count--)
        putc(' ', to);
}

// Text

// The first column begins where it is, all others end there.
static void write_row(const char *const *texts, const int *widths, uint32_t columns, FILE *to)
{
    int owed = 0; // blanks, if something follows
    for (uint32_t i = 0; i < columns; i++) {
        int room = widths[i] - width_of(texts[i]);
        owed += i ? 2 : 0;
        if (i && *texts[i])
            owed += room;
        if (*texts[i]) {
            pad(to, owed);
            owed = 0;
            fputs(texts[i], to);
        }
        owed += !*texts[i] ? widths[i] : i ? 0 : room;
    }
    putc('\n', to);
}

static void write_grid(const struct campaign_grid *grid, struct arena *arena, FILE *to)
{
    int *widths = ARENA_ARRAY(arena, int, grid->columns);
    for (uint32_t i = 0; i < grid->texts.n; i++) {
        int width = width_of(grid->texts.v[i]), *most = &widths[i % grid->columns];
        *most = width > *most ? width : *most;
    }
    for (uint32_t i = 0; i < grid->texts.n; i += grid->columns)
        write_row(&grid->texts.v[i], widths, grid->columns, to);
}

// What is said below a table.
static void write_missing(const struct campaign_table *table, struct arena *arena,
                          const char *before, FILE *to)
{
    enum { MOST = 12 };
    const char *expectations = campaign_expectations_text(arena, table);
    if (expectations)
        fprintf(to, "%s%s\n", before, expectations);
    for (uint32_t i = 0; i < table->missing.n && i < MOST; i++)
        fprintf(to, "%s– %s\n", before, table->missing.v[i]);
    if (table->missing.n > MOST)
        fprintf(to, "%sand %u more reasons\n", before, table->missing.n - MOST);
}

void campaign_report_text(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    fprintf(to, "%s%s: results of %u of %u jobs\n",
            campaign->title ? campaign->title : campaign->name,
            report->plan->is_quick ? ", quick sizes" : "", report->with_result, report->jobs);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        const struct campaign_table *table = &report->tables.v[i];
        const struct campaign_figure *figure = table->figure;
        struct campaign_grid grid;
        campaign_grid_make(&grid, report->arena, table);
        fprintf(to, "\n%s: %s%s%s\n\n", figure->name, figure->title, figure->source ? " " : "",
                figure->source ? figure->source : "");
        write_grid(&grid, report->arena, to);
        write_missing(table, report->arena, "", to);
    }
}

// CSV

static void write_field(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

static void write_number(FILE *to, double value)
{
    char text[NUMBER_TEXT] = "";
    if (isfinite(value))
        number_shortest(text, value);
    fprintf(to, ",%s", text);
}

void campaign_report_csv(const struct campaign_report *report, FILE *to)
{
    static const char *const units[] = {
        [UNIT_NUMBER] = "", [UNIT_PERCENT] = "percent", [UNIT_GAIN] = "percent"};
    fputs("figure,row,column,unit,value,paper,least,most\n", to);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        const struct campaign_table *table = &report->tables.v[i];
        for (uint32_t r = 0; r < table->rows.n; r++)
            for (uint32_t c = 0; c < table->figure->columns.n; c++) {
                const struct campaign_column *column = &table->figure->columns.v[c];
                const struct campaign_cell *cell = &table->rows.v[r].cells[c];
                write_field(to, table->figure->name);
                putc(',', to);
                write_field(to, table->rows.v[r].name);
                putc(',', to);
                write_field(to, column->name);
                fprintf(to, ",%s", units[column->unit]);
                write_number(to, cell->value);
                write_number(to, cell->paper);
                write_number(to, cell->is_expected ? cell->expected.least : NAN);
                write_number(to, cell->is_expected ? cell->expected.most : NAN);
                putc('\n', to);
            }
    }
}

// Markdown

static void write_markdown_table(const struct campaign_grid *grid, FILE *to)
{
    for (uint32_t i = 0; i < grid->texts.n; i++) {
        uint32_t row = i / grid->columns, column = i % grid->columns;
        const char *mark = row && grid->strong.v[row] && !column ? "**" : "";
        fprintf(to, "%s%s%s%s |", column ? " " : "| ", mark, grid->texts.v[i], mark);
        if (column + 1 < grid->columns)
            continue;
        putc('\n', to);
        for (uint32_t k = 0; !row && k < grid->columns; k++)
            fputs(!k ? "|---|" : "---:|", to);
        if (!row)
            putc('\n', to);
    }
}

static void write_markdown_figure(const struct campaign_report *report,
                                  const struct campaign_table *table, FILE *to)
{
    const struct campaign_figure *figure = table->figure;
    struct campaign_grid grid;
    campaign_grid_make(&grid, report->arena, table);
    if (figure->text)
        fprintf(to, "%s\n\n", figure->text);
    write_markdown_table(&grid, to);
    if (table->missing.n || table->expectations)
        putc('\n', to);
    write_missing(table, report->arena, "- ", to);
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
    fprintf(
        to,
        "Made by `%s` with version %s; results of %u of %u jobs, the newest of %.10s. SHA-256 of "
        "all values of a variant's configuration:\n\n",
        report->command, PTXOFFLOAD_VERSION, report->with_result, report->jobs,
        report->date ? report->date : "no date");
    for (uint32_t i = 0; i < campaign->variants.n; i++) {
        const struct campaign_variant *variant = &campaign->variants.v[i];
        const struct campaign_job *job = job_of(report->plan, i);
        if (job)
            fprintf(to, "- %s: policy `%s`, `%s`\n",
                    variant->label ? variant->label : variant->name, variant->policy,
                    job->config_digest);
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
        fprintf(to, "- %s: `%s`", workload->name,
                strncmp(path, campaign->folder, folder) ? path : path + folder);
        for (uint32_t k = 0; k < values->list.n; k++)
            fprintf(to, ", %s = %s", values->list.v[k].key, values->list.v[k].value);
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
        fprintf(to, "%.*s\n", (int)length, line);
}

static void write_all(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    fprintf(to, "# %s\n\n", campaign->title ? campaign->title : campaign->name);
    write_markdown_head(report, to);
    fputs("\n## Workloads\n\n", to);
    write_markdown_sizes(report, to);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        const struct campaign_figure *figure = report->tables.v[i].figure;
        fprintf(to, "\n## %s%s%s\n\n", figure->title, figure->source ? " " : "",
                figure->source ? figure->source : "");
        write_markdown_figure(report, &report->tables.v[i], to);
    }
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
