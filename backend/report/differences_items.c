// The items of a kernel: texts and numbers of its chains, blocks and rejections.
#include "backend/report/differences.h"
#include "backend/tables/places.h"
#include <ctype.h>
#include <string.h>

const char *const item_names[] = {
    [ITEM_CHAIN] = "chain", [ITEM_BLOCK] = "block", [ITEM_REJECTION] = "rejection"};
const char *const change_names[] = {
    [CHANGE_APPEARED] = "appeared", [CHANGE_VANISHED] = "vanished", [CHANGE_CHANGED] = "changed"};
const char *const difference_numbers[ITEM_KINDS][ITEM_NUMBERS + 1] = {
    [ITEM_CHAIN] = {"saving", "expected_saving", "response_flits", "instructions"},
    [ITEM_BLOCK] = {"at_threshold.bw_tx", "at_threshold.bw_rx", "live_in", "live_out", "loads",
                    "stores"},
};

// Writes a statement without the numbers of registers and labels, which differ between
// compilations.
static void add_plain(struct text *to, const char *text)
{
    for (const char *at = text; *at;) {
        bool numbered = *at == '%' || *at == '$';
        text_add(to, at++, 1);
        if (!numbered)
            continue;
        while (isalpha((unsigned char)*at) || *at == '_' || *at == '$')
            text_add(to, at++, 1);
        // Only digits directly after the letters are such a number: `%rd1`, not `%tid.x`.
        at += strspn(at, "0123456789_");
    }
    text_add(to, "\n", 1);
}

static const char *plain(struct arena *arena, const char *text)
{
    struct text to;
    uint32_t length;
    text_init(&to, arena);
    add_plain(&to, text);
    return text_end(&to, &length);
}

// Sets the text and the CUDA source of the item's first instruction.
static void set_location(struct report_item *item, const struct tables *tables)
{
    const struct table_location *place = tables_location_at(tables, item->line, item->column);
    item->source_file = place ? place->source_file : "";
    item->source_line = place ? place->source_line : 0;
    item->text = place ? place->text : "";
}

static void add_chain(struct report_item_list *to, struct arena *arena, const struct tables *tables,
                      const struct table_chain *chain)
{
    const struct table_instruction *first = &chain->instructions.v[0];
    struct text whole;
    uint32_t length, last = 0;
    struct report_item item = {.kind = ITEM_CHAIN,
                               .line = first->line,
                               .column = first->column,
                               .verdict = chain_patterns[chain->pattern].form,
                               .reason = "",
                               .numbers = {chain->saving, chain->expected_saving,
                                           chain->response_flits, chain->instructions.n}};
    text_init(&whole, arena);
    set_location(&item, tables);
    for (uint32_t i = 0; i < chain->instructions.n; i++) {
        const struct table_instruction *one = &chain->instructions.v[i];
        const struct table_location *place =
            to->by_text ? tables_location_at(tables, one->line, one->column) : NULL;
        add_plain(&whole, place ? place->text : one->opcode);
        last = one->line > last ? one->line : last;
    }
    item.end_line = last;
    item.text = *item.text ? item.text : first->opcode;
    item.head = plain(arena, to->by_text ? item.text : first->opcode);
    item.whole = text_end(&whole, &length);
    vec_push(arena, &to->list, item);
}

static const char *block_verdict(struct arena *arena, const struct table_block *block)
{
    if (!block->estimate.candidate)
        return "not offloaded";
    if (block->passed_over)
        return "passed over";
    if (!block->has_condition)
        return "offloaded";
    return arena_printf(arena, "offloaded if %s >= %llu", block->condition,
                        (unsigned long long)block->threshold);
}

static void add_block(struct report_item_list *to, struct arena *arena, const struct tables *tables,
                      const struct table_block *block)
{
    struct report_item item = {.kind = ITEM_BLOCK,
                               .line = block->begin_line,
                               .end_line = block->end_line,
                               .verdict = block_verdict(arena, block),
                               .reason = "",
                               .numbers = {block->estimate.at_tx, block->estimate.at_rx,
                                           block->live_in.n, block->live_out.n, block->loads,
                                           block->stores}};
    const char *kind = table_block_names[block->kind];
    const struct table_location *last = tables_location_at(tables, block->end_line, 0);
    set_location(&item, tables);
    item.head = arena_printf(arena, "%s\n%s", kind, to->by_text ? plain(arena, item.text) : "");
    item.whole = to->by_text && last
                     ? arena_printf(arena, "%s%s", item.head, plain(arena, last->text))
                     : arena_printf(arena, "%s %u %u", kind, block->loads, block->stores);
    vec_push(arena, &to->list, item);
}

static void add_rejection(struct report_item_list *to, struct arena *arena,
                          const struct tables *tables, const struct table_rejection *rejection)
{
    struct report_item item = {.kind = ITEM_REJECTION,
                               .candidate = rejection->kind,
                               .line = rejection->line,
                               .column = rejection->column,
                               .end_line = rejection->line,
                               .verdict = plan_rules[rejection->rule].id,
                               .reason = rejection->text};
    const char *kind = table_candidate_names[rejection->kind];
    set_location(&item, tables);
    item.head = arena_printf(arena, "%s\n%s", kind, to->by_text ? plain(arena, item.text) : "");
    // Without texts, only the rule distinguishes rejections.
    item.whole = to->by_text ? item.head : arena_printf(arena, "%s %s", kind, item.verdict);
    vec_push(arena, &to->list, item);
}

void items_of(struct report_item_list *to, struct arena *arena, const struct tables *tables,
              const struct table_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        add_chain(to, arena, tables, &kernel->chains.v[i]);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        add_block(to, arena, tables, &kernel->blocks.v[i]);
    for (uint32_t i = 0; i < kernel->rejected.n; i++)
        add_rejection(to, arena, tables, &kernel->rejected.v[i]);
}
