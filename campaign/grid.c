// Converts tables to text.
#include "campaign/report.h"
#include <math.h>
#include <string.h>

const char *campaign_unit_text(enum campaign_unit unit)
{
    return unit == UNIT_NUMBER ? "" : ", %";
}

// Formats a value; one that rounds to 0 has no minus sign.
static const char *fixed_text(struct arena *arena, bool shows_sign, int digits, double value)
{
    bool zero = fabs(value) * pow(10, digits) <= 0.5;
    return arena_printf(arena, shows_sign ? "%+.*f" : "%.*f", digits, zero ? 0.0 : value);
}

const char *campaign_value_text(struct arena *arena, const struct campaign_column *column,
                                double value)
{
    const struct text_list *words = &column->words;
    if (isnan(value))
        return "–";
    if (words->list.n)
        return value >= 0 && value < words->list.n ? words->list.v[(uint32_t)value] : "?";
    return fixed_text(arena, column->unit == UNIT_GAIN, column->digits, value);
}

const char *campaign_expectations_text(struct arena *arena, const struct campaign_table *table)
{
    return table->expectations
               ? arena_printf(arena, "%u of %u expectations hold", table->met, table->expectations)
               : NULL;
}

struct extra {
    bool paper, expected;
};

static struct extra extra_of(const struct campaign_table *table, uint32_t column)
{
    struct extra extra = {false, false};
    for (uint32_t i = 0; i < table->rows.n; i++) {
        extra.paper |= !isnan(table->rows.v[i].cells[column].paper);
        extra.expected |= table->rows.v[i].cells[column].is_expected;
    }
    return extra;
}

static const char *bounds_text(struct arena *arena, const struct campaign_cell *cell)
{
    const struct campaign_bounds *bounds = &cell->expected;
    if (!cell->is_expected)
        return "";
    const char *verdict = isnan(cell->value)                                         ? ""
                          : cell->value >= bounds->min && cell->value <= bounds->max ? " yes"
                                                                                     : " NO";
    if (isinf(bounds->min))
        return arena_printf(arena, "≤ %g%s", bounds->max, verdict);
    if (isinf(bounds->max))
        return arena_printf(arena, "≥ %g%s", bounds->min, verdict);
    return arena_printf(arena, "%g … %g%s", bounds->min, bounds->max, verdict);
}

static void push(struct campaign_grid *grid, struct arena *arena, const char *text)
{
    vec_push(arena, &grid->texts, text);
}

static void add_heading(struct campaign_grid *grid, struct arena *arena,
                        const struct campaign_table *table)
{
    const struct campaign_figure *figure = table->figure;
    push(grid, arena,
         figure->points.list.n ? (figure->x_title ? figure->x_title : "") : "workload");
    for (uint32_t i = 0; i < figure->columns.n; i++) {
        const struct campaign_column *column = &figure->columns.v[i];
        struct extra extra = extra_of(table, i);
        push(grid, arena,
             arena_printf(arena, "%s%s", column->name, campaign_unit_text(column->unit)));
        if (extra.paper) {
            push(grid, arena, "paper");
            push(grid, arena, "difference");
        }
        if (extra.expected)
            push(grid, arena, "expected");
    }
    grid->columns = grid->texts.n;
    vec_push(arena, &grid->strong, true);
}

static void add_cell(struct campaign_grid *grid, struct arena *arena,
                     const struct campaign_column *column, const struct campaign_cell *cell,
                     struct extra extra)
{
    const char *text = campaign_value_text(arena, column, cell->value);
    if (!isnan(cell->low))
        text =
            arena_printf(arena, "%s (%s … %s)", text, campaign_value_text(arena, column, cell->low),
                         campaign_value_text(arena, column, cell->high));
    push(grid, arena, text);
    if (extra.paper) {
        double difference = cell->value - cell->paper;
        push(grid, arena,
             isnan(cell->paper) ? "" : campaign_value_text(arena, column, cell->paper));
        push(grid, arena,
             isnan(difference) ? "" : fixed_text(arena, true, column->digits, difference));
    }
    if (extra.expected)
        push(grid, arena, bounds_text(arena, cell));
}

void campaign_grid_make(struct campaign_grid *grid, struct arena *arena,
                        const struct campaign_table *table)
{
    *grid = (struct campaign_grid){0};
    add_heading(grid, arena, table);
    for (uint32_t i = 0; i < table->rows.n; i++) {
        const struct campaign_row *row = &table->rows.v[i];
        push(grid, arena, row->label);
        for (uint32_t k = 0; k < table->figure->columns.n; k++)
            add_cell(grid, arena, &table->figure->columns.v[k], &row->cells[k], extra_of(table, k));
        vec_push(arena, &grid->strong, row->is_mean);
    }
}
