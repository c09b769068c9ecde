#include "backend/tables/places.h"
#include "backend/emit/text.h"
#include "ir/loc.h"
#include "support/bits.h"
#include "support/search.h"
#include <stdlib.h>

enum { LONGEST_TEXT = 200 }; // bytes of an instruction that are kept

struct location_finder {
    struct tables *tables;
    struct arena *arena;
    const struct ir_module *module;
    struct ir_locs *locs;
    const struct prefix_map *prefixes;
    uint64_t *lines; // lines that the tables name
    uint32_t count;  // number of lines of the text
};

static void want(struct location_finder *f, uint32_t line)
{
    if (line < f->count)
        bits_set(f->lines, line);
}

static void want_kernel(struct location_finder *f, const struct table_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        for (uint32_t k = 0; k < kernel->chains.v[i].instructions.n; k++)
            want(f, kernel->chains.v[i].instructions.v[k].line);
    for (uint32_t i = 0; i < kernel->blocks.n; i++) {
        want(f, kernel->blocks.v[i].begin_line);
        want(f, kernel->blocks.v[i].end_line);
    }
    for (uint32_t i = 0; i < kernel->rejected.n; i++)
        want(f, kernel->rejected.v[i].line);
}

// Returns the statement with a single blank for each sequence of white space and control
// characters.
static const char *statement_text(struct arena *arena, const struct source *source,
                                  const struct node *node)
{
    uint32_t length = node->end - node->begin, to = 0;
    char *text = arena_alloc(arena, LONGEST_TEXT + 1);
    for (uint32_t i = 0; i < length && to < LONGEST_TEXT; i++) {
        unsigned char c = (unsigned char)source->text[node->begin + i];
        bool blank = c <= ' ' || c == 127;
        if (!blank || (to && text[to - 1] != ' '))
            text[to++] = blank ? ' ' : (char)c;
    }
    return text_utf8(arena, text);
}

static const char *shown_file(const struct location_finder *f, const char *file)
{
    return text_utf8(f->arena, prefix_map_name(f->prefixes, f->arena, file));
}

static void add_location(struct location_finder *f, uint32_t function, uint32_t inst)
{
    const struct ir_function *fn = &f->module->functions.v[function];
    struct source_position at = ir_position(f->module, fn, inst);
    if (at.line >= f->count || !bits_test(f->lines, at.line))
        return;
    const struct ir_loc *loc = ir_loc_find(f->locs, function, inst);
    bool known = loc && loc->file && *loc->file && loc->line;
    struct table_location place = {
        .line = at.line,
        .column = at.column,
        .text = statement_text(f->arena, f->module->tree->source,
                               &f->module->tree->nodes.v[fn->insts.v[inst].node]),
        .source_file = known ? shown_file(f, loc->file) : "",
        .source_line = known ? loc->line : 0,
    };
    vec_push(f->arena, &f->tables->places, place);
}

static int by_location(const void *left, const void *right)
{
    const struct table_location *a = left, *b = right;
    int by = (a->line > b->line) - (a->line < b->line);
    return by ? by : (a->column > b->column) - (a->column < b->column);
}

void tables_sort_locations(struct tables *tables)
{
    if (tables->places.n)
        qsort(tables->places.v, tables->places.n, sizeof *tables->places.v, by_location);
}

void tables_find_locations(struct tables *tables, struct arena *arena,
                           const struct ir_module *module, const struct prefix_map *prefixes)
{
    struct location_finder f = {
        .tables = tables, .arena = arena, .module = module, .prefixes = prefixes};
    f.count = source_lines(module->tree->source)->at.n + 1;
    f.lines = bits_new(arena, f.count);
    f.locs = ir_locs_new(arena, module);
    for (uint32_t i = 0; i < tables->kernels.n; i++)
        want_kernel(&f, &tables->kernels.v[i]);
    for (uint32_t i = 0; i < module->functions.n; i++)
        for (uint32_t k = 0; k < module->functions.v[i].insts.n; k++)
            add_location(&f, i, k);
    tables_sort_locations(tables);
}

const struct table_location *tables_location_at(const struct tables *tables, uint32_t line,
                                                uint32_t column)
{
    const struct table_location *all = tables->places.v;
    uint32_t i = SEARCH(k, 0, tables->places.n,
                        all[k].line < line || (all[k].line == line && all[k].column < column));
    bool found =
        i < tables->places.n && all[i].line == line && (!column || all[i].column == column);
    return found ? &all[i] : NULL;
}
