// Writes the report as text and CSV.
#include "campaign/report.h"
#include "support/csv.h"
#include "support/number.h"
#include <math.h>
#include <string.h>

// Counts characters of UTF-8, not bytes.
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

// Aligns the first column to the left, all others to the right.
static void write_row(const char *const *texts, const int *widths, uint32_t columns, FILE *to)
{
    int owed = 0; // pending blanks, written before the next text
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
        int width = width_of(grid->texts.v[i]), *max = &widths[i % grid->columns];
        *max = width > *max ? width : *max;
    }
    for (uint32_t i = 0; i < grid->texts.n; i += grid->columns)
        write_row(&grid->texts.v[i], widths, grid->columns, to);
}

void campaign_report_reasons(const struct campaign_table *table, struct arena *arena,
                             struct text_list *lines)
{
    enum { LIMIT = 12 };
    const char *expectations = campaign_expectations_text(arena, table);
    if (expectations)
        vec_push(arena, &lines->list, expectations);
    for (uint32_t i = 0; i < table->left_out.n; i++)
        vec_push(arena, &lines->list, arena_printf(arena, "– %s", table->left_out.v[i]));
    for (uint32_t i = 0; i < table->missing.n && i < LIMIT; i++)
        vec_push(arena, &lines->list, arena_printf(arena, "– %s", table->missing.v[i]));
    if (table->missing.n > LIMIT)
        vec_push(arena, &lines->list,
                 arena_printf(arena, "and %u more reasons", table->missing.n - LIMIT));
}

void campaign_report_text(const struct campaign_report *report, FILE *to)
{
    const struct campaign *campaign = report->campaign;
    fprintf(to, "%s%s: results of %u of %u jobs\n",
            campaign->title ? campaign->title : campaign->name,
            report->plan->is_preview ? ", preview"
            : report->plan->is_quick ? ", quick sizes"
                                     : "",
            report->with_result, report->jobs);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        const struct campaign_table *table = &report->tables.v[i];
        const struct campaign_figure *figure = table->figure;
        struct campaign_grid grid;
        campaign_grid_make(&grid, report->arena, table);
        fprintf(to, "\n%s: %s%s%s\n\n", figure->name, figure->title, figure->source ? " " : "",
                figure->source ? figure->source : "");
        write_grid(&grid, report->arena, to);
        struct text_list lines = {0};
        campaign_report_reasons(table, report->arena, &lines);
        for (uint32_t k = 0; k < lines.list.n; k++)
            fprintf(to, "%s\n", lines.list.v[k]);
    }
}

// CSV

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
    fputs("figure,row,column,unit,value,paper,least,most,low,high,x\n", to);
    for (uint32_t i = 0; i < report->tables.n; i++) {
        const struct campaign_table *table = &report->tables.v[i];
        for (uint32_t r = 0; r < table->rows.n; r++)
            for (uint32_t c = 0; c < table->figure->columns.n; c++) {
                const struct campaign_column *column = &table->figure->columns.v[c];
                const struct campaign_cell *cell = &table->rows.v[r].cells[c];
                csv_text(to, table->figure->name);
                putc(',', to);
                csv_text(to, table->rows.v[r].name);
                putc(',', to);
                csv_text(to, column->name);
                fprintf(to, ",%s", units[column->unit]);
                write_number(to, cell->value);
                write_number(to, cell->paper);
                write_number(to, cell->is_expected ? cell->expected.min : NAN);
                write_number(to, cell->is_expected ? cell->expected.max : NAN);
                write_number(to, cell->low);
                write_number(to, cell->high);
                write_number(to, table->rows.v[r].point ? table->rows.v[r].x : NAN);
                putc('\n', to);
            }
    }
}
