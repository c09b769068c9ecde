#include "passes/plan/pipeline.h"

static const char *const candidate_names[] = {
    [CANDIDATE_LOAD] = "load",   [CANDIDATE_CHAIN] = "chain",   [CANDIDATE_BLOCK] = "block",
    [CANDIDATE_STORE] = "store", [CANDIDATE_KERNEL] = "kernel", [CANDIDATE_MAP] = "map",
};
static const char *const block_names[] = {
    [BLOCK_LOOP] = "loop",
    [BLOCK_BASIC] = "block",
    [BLOCK_REGION] = "region",
};
static const char *const edit_names[] = {
    [EDIT_INSERT] = "insert",
    [EDIT_REPLACE] = "replace",
    [EDIT_MOVE] = "move",
};

static const struct ir_function *print_function(const struct ir_module *module, uint32_t function,
                                                FILE *to)
{
    const struct ir_function *fn = &module->functions.v[function];
    const struct name *name = tree_name(module->tree, fn->name);
    fprintf(to, " of %.*s:", (int)name->length, name->text);
    return fn;
}

static void print_chain(const struct ir_module *module, const struct chain *chain, FILE *to)
{
    fputs("// chain", to);
    const struct ir_function *fn = print_function(module, chain->function, to);
    fprintf(to, " pattern %u%s, lines", chain->pattern, chain->split ? ", split" : "");
    for (uint32_t i = 0; i < chain->count; i++)
        fprintf(to, " %u", ir_position(module, fn, chain->inst[i]).line);
    putc('\n', to);
}

static void print_block(const struct ir_module *module, const struct block_plan *block, FILE *to)
{
    fprintf(to, "// %s", block_names[block->kind]);
    const struct ir_function *fn = print_function(module, block->function, to);
    fprintf(to, " lines %u-%u, live in %u, live out %u, loads %u, stores %u, tx %g, rx %g, %s",
            ir_position(module, fn, block->first).line, ir_position(module, fn, block->last).line,
            block->live_in.n, block->live_out.n, block->loads, block->stores, block->estimate.bw_tx,
            block->estimate.bw_rx, block->estimate.candidate ? "candidate" : "no candidate");
    if (block->estimate.candidate && block->estimate.conditional)
        fprintf(to, " from %llu iterations on", (unsigned long long)block->estimate.threshold);
    fputs(block->estimate.candidate && !block->chosen ? ", passed over\n" : "\n", to);
}

static void print_rejection(const struct ir_module *module, const struct rejection *rejection,
                            FILE *to)
{
    fprintf(to, "// rejected: %s", candidate_names[rejection->kind]);
    const struct ir_function *fn = print_function(module, rejection->function, to);
    fprintf(to, " line %u", ir_position(module, fn, rejection->inst).line);
    if (rejection->because != IR_NONE)
        fprintf(to, " because of line %u", ir_position(module, fn, rejection->because).line);
    fprintf(to, " [%s]\n", plan_rules[rejection->rule].id);
}

static void print_edit(const struct ir_module *module, const struct edit *edit, FILE *to)
{
    struct source_position place = source_position_at(module->tree->source, edit->begin);
    fprintf(to, "// edit: %s at %u:%u", edit_names[edit->kind], place.line, place.column);
    if (edit->kind != EDIT_INSERT)
        fprintf(to, ", %u bytes", edit->end - edit->begin);
    if (edit->kind == EDIT_MOVE) {
        place = source_position_at(module->tree->source, edit->to);
        fprintf(to, " to %u:%u", place.line, place.column);
    }
    putc('\n', to);
}

static void print_map(const struct ir_module *module, const struct map_plan *map, FILE *to)
{
    const struct name *name = tree_name(module->tree, module->functions.v[map->function].name);
    fprintf(to, "// map: %.*s: %s, %u tokens in %u cycles, %u copies, %u lanes\n",
            (int)name->length, name->text, map->form, map->tokens, map->cycles, map->copies,
            map->lanes);
}

void plan_print(const struct ir_module *module, const struct plan *plan, FILE *to)
{
    for (uint32_t i = 0; i < plan->chains.n; i++)
        print_chain(module, &plan->chains.v[i], to);
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        print_block(module, &plan->blocks.v[i], to);
    for (uint32_t i = 0; i < plan->maps.n; i++)
        print_map(module, &plan->maps.v[i], to);
    for (uint32_t i = 0; i < plan->rejections.n; i++)
        print_rejection(module, &plan->rejections.v[i], to);
    for (uint32_t i = 0; i < plan->edits.list.n; i++)
        print_edit(module, &plan->edits.list.v[i], to);
}
