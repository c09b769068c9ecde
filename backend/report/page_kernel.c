#include "backend/report/page.h"
#include "backend/tables/rows.h"
#include <string.h>

struct page_writer {
    struct json json;
    struct page_kernels *kernels;
    const struct page_input *input;
    const struct ir_function *fn;
    uint32_t function;
};

// Functions of the kernels. The plan and the remarks are in the order of the functions.

static bool has_name(const struct ir_module *module, uint32_t function, const char *name)
{
    const struct name *n = tree_name(module->tree, module->functions.v[function].name);
    return strlen(name) == n->length && !memcmp(name, n->text, n->length);
}

static void find_functions(struct page_kernels *k, struct arena *arena)
{
    const struct tables *tables = k->input->tables;
    const struct ir_module *module = k->input->module;
    uint32_t function = 0;
    k->function = ARENA_ARRAY(arena, uint32_t, tables->kernels.n + 1);
    for (uint32_t i = 0; i < tables->kernels.n; i++, function++) {
        while (function < module->functions.n &&
               !(module->functions.v[function].has_body &&
                 has_name(module, function, tables->kernels.v[i].name)))
            function++;
        k->function[i] = function;
    }
}

#define FIRST_OF(arena, list, functions, to)                                                       \
    do {                                                                                           \
        uint32_t at_ = 0;                                                                          \
        (to) = ARENA_ARRAY(arena, uint32_t, (functions) + 1);                                      \
        for (uint32_t f_ = 0; f_ <= (functions); f_++) {                                           \
            while (at_ < (list)->n && (list)->v[at_].function < f_)                                \
                at_++;                                                                             \
            (to)[f_] = at_;                                                                        \
        }                                                                                          \
    } while (0)

void page_kernels_init(struct page_kernels *kernels, struct arena *arena,
                       const struct page_input *input)
{
    uint32_t functions = input->module->functions.n;
    *kernels =
        (struct page_kernels){.input = input, .cursor = {.source = input->module->tree->source}};
    kernels->locs = ir_locs_new(arena, input->module);
    kernels->files = (struct source_files){.arena = arena, .program = input->tables->source.file};
    remarks_collect(&kernels->remarks, arena, input->module, input->plan,
                    REMARKS_PASSED | REMARKS_MISSED, NULL);
    if (input->prefixes)
        remarks_map_files(&kernels->remarks, arena, input->prefixes);
    find_functions(kernels, arena);
    FIRST_OF(arena, &input->plan->chains, functions, kernels->chain);
    FIRST_OF(arena, &input->plan->blocks, functions, kernels->block);
    FIRST_OF(arena, &kernels->remarks.list, functions, kernels->remark);
}

// Writes [line, column, end line, end column]. Columns count UTF-16 code units, as JavaScript does.
static void write_range(struct page_writer *w, const char *key, uint32_t begin, uint32_t end)
{
    struct text_position from = position_find(&w->kernels->cursor, begin);
    struct text_position to = position_find(&w->kernels->cursor, end);
    if (key)
        json_key(&w->json, key);
    json_array_flat(&w->json);
    json_uint(&w->json, from.line);
    json_uint(&w->json, from.utf16);
    json_uint(&w->json, to.line);
    json_uint(&w->json, to.utf16);
    json_end_array(&w->json);
}

static const struct node *node_of(const struct page_writer *w, uint32_t inst)
{
    return &w->input->module->tree->nodes.v[w->fn->insts.v[inst].node];
}

static uint32_t line_of(const struct page_writer *w, uint32_t inst)
{
    return ir_position(w->input->module, w->fn, inst).line;
}

// The function's text, in whole lines

static void write_lines(struct page_writer *w)
{
    const struct source *source = w->input->module->tree->source;
    const struct node *node = &w->input->module->tree->nodes.v[w->fn->node];
    uint32_t first = source_position_at(source, node->begin).line, begin, end, ignored;
    uint32_t last =
        source_position_at(source, node->end > node->begin ? node->end - 1 : node->end).line;
    source_line(source, first, &begin, &ignored);
    source_line(source, last, &ignored, &end);
    json_member_uint(&w->json, "line", first);
    json_key(&w->json, "text");
    json_text(&w->json, source->text + begin, end - begin);
}

// The CUDA source, where the PTX has .loc

static bool same_place(const struct ir_loc *a, const struct ir_loc *b)
{
    return a && b && a->file == b->file && a->line == b->line;
}

// Writes [line of the PTX, place, text of the CUDA line] where the place changes; the text is empty
// if the file is not found.
static void write_source(struct page_writer *w)
{
    const struct ir_loc *last = NULL;
    json_key(&w->json, "source");
    json_array(&w->json);
    for (uint32_t i = 0; i < w->fn->insts.n; i++) {
        const struct ir_loc *loc = ir_loc_find(w->kernels->locs, w->function, i);
        if (!loc || !loc->file || same_place(loc, last))
            continue;
        last = loc;
        const struct source *source = source_find(&w->kernels->files, loc->file);
        struct file_text text = source ? source_text(source, loc->line) : (struct file_text){"", 0};
        const char *slash = strrchr(loc->file, '/');
        json_array_flat(&w->json);
        json_uint(&w->json, line_of(w, i));
        json_string(&w->json, arena_printf(w->kernels->files.arena, "%s:%u",
                                           slash ? slash + 1 : loc->file, loc->line));
        json_text(&w->json, text.text, text.length);
        json_end_array(&w->json);
    }
    json_end_array(&w->json);
}

// Chains

static void write_chain(struct page_writer *w, const struct chain *chain,
                        const struct table_chain *table)
{
    json_object_flat(&w->json);
    json_member_uint(&w->json, "pattern", table->pattern);
    json_member_string(&w->json, "response", table_response_names[table->response]);
    json_member_uint(&w->json, "flits", table->response_flits);
    json_member_uint(&w->json, "saving", table->saving);
    json_member_double(&w->json, "expected", table->expected_saving);
    json_key(&w->json, "instructions");
    json_array_flat(&w->json);
    for (uint32_t i = 0; i < table->instructions.n && i < chain->count; i++) {
        const struct node *node = node_of(w, chain->inst[i]);
        json_object_flat(&w->json);
        json_member_string(&w->json, "tag", table_tag_names[table->instructions.v[i].tag]);
        json_member_string(&w->json, "opcode", table->instructions.v[i].opcode);
        write_range(w, "at", node->begin, node->end);
        json_end_object(&w->json);
    }
    json_end_array(&w->json);
    json_end_object(&w->json);
}

static void write_chains(struct page_writer *w, const struct table_kernel *kernel)
{
    const struct chain *chain = vec_from(&w->input->plan->chains, w->kernels->chain[w->function]);
    json_key(&w->json, "chains");
    json_array(&w->json);
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        write_chain(w, chain + i, &kernel->chains.v[i]);
    json_end_array(&w->json);
}

// Blocks: their metadata, and the terms of the equations

static void write_block(struct page_writer *w, const struct block_plan *plan,
                        const struct table_block *block)
{
    static const char *const trips[] = {[TRIP_ONE] = "one",
                                        [TRIP_CONSTANT] = "constant",
                                        [TRIP_COUNTED] = "counted",
                                        [TRIP_UNKNOWN] = "unknown"};
    bool counted = plan->trip == TRIP_COUNTED && plan->estimate.threshold;
    uint64_t all = plan->trip == TRIP_CONSTANT ? plan->trips : 1;
    json_object_flat(&w->json);
    fields_write_json(&w->json, rows_block, block);
    json_member_uint(&w->json, "first", plan->first);
    json_member_uint(&w->json, "last", plan->last);
    json_member_double(&w->json, "reg_tx", plan->reg_tx);
    json_member_double(&w->json, "reg_rx", plan->reg_rx);
    json_member_string(&w->json, "trip", trips[plan->trip]);
    json_member_string(&w->json, "trips", plan->trip == TRIP_COUNTED ? plan->trip_text : "");
    json_member_uint(&w->json, "n", all);
    json_member_uint(&w->json, "n_at", counted ? plan->estimate.threshold : all);
    json_end_object(&w->json);
}

static void write_blocks(struct page_writer *w, const struct table_kernel *kernel)
{
    const struct block_plan *plan =
        vec_from(&w->input->plan->blocks, w->kernels->block[w->function]);
    json_key(&w->json, "blocks");
    json_array(&w->json);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        write_block(w, plan + i, &kernel->blocks.v[i]);
    json_end_array(&w->json);
}

// Remarks

static void write_notes(struct page_writer *w, const struct remark *remark)
{
    json_key(&w->json, "notes");
    json_array_flat(&w->json);
    for (uint32_t i = 0; i < remark->notes.n; i++) {
        json_object_flat(&w->json);
        json_member_string(&w->json, "text", remark->notes.v[i].text);
        write_range(w, "at", remark->notes.v[i].begin, remark->notes.v[i].end);
        json_end_object(&w->json);
    }
    json_end_array(&w->json);
}

static void write_origins(struct json *json, const struct remark *remark)
{
    json_key(json, "cuda");
    json_array_flat(json);
    for (uint32_t i = 0; i < remark->origins.n; i++) {
        json_array_flat(json);
        json_string(json, remark->origins.v[i].file);
        json_uint(json, remark->origins.v[i].line);
        json_end_array(json);
    }
    json_end_array(json);
}

static void write_remark(struct page_writer *w, const struct remark *remark)
{
    struct json *json = &w->json;
    json_object_flat(json);
    json_member_bool(json, "passed", remark->passed);
    json_member_string(json, "kind", table_candidate_names[remark->kind]);
    json_member_string(json, "rule", remark->rule);
    json_member_string(json, "text", remark->text);
    write_range(w, "at", remark->begin, remark->end);
    if (remark->passed)
        json_member_uint(json, "item", remark->item);
    if (remark->notes.n)
        write_notes(w, remark);
    if (remark->origins.n)
        write_origins(json, remark);
    json_end_object(json);
}

static void write_remarks(struct page_writer *w)
{
    const struct page_kernels *k = w->kernels;
    json_key(&w->json, "remarks");
    json_array(&w->json);
    for (uint32_t i = k->remark[w->function]; i < k->remark[w->function + 1]; i++)
        write_remark(w, &k->remarks.list.v[i]);
    json_end_array(&w->json);
}

// The flow graph: for each reachable block, in reverse post-order, [first instruction, number of
// instructions, first line, last line, label, loop or -1, successors as indices of this list]

static void write_node(struct page_writer *w, uint32_t id)
{
    const struct ir_block *block = &w->fn->blocks.v[id];
    const struct tree *tree = w->input->module->tree;
    bool empty = block->first == block->end;
    json_array_flat(&w->json);
    json_uint(&w->json, block->first);
    json_uint(&w->json, block->end - block->first);
    json_uint(&w->json, empty ? 0 : line_of(w, block->first));
    json_uint(&w->json, empty ? 0 : line_of(w, block->end - 1));
    if (block->label == IR_NONE) {
        json_string(&w->json, "");
    } else {
        const struct node *label = &tree->nodes.v[block->label];
        uint32_t end = label->begin;
        while (end < label->end && !strchr(" \t\r\n:", tree->source->text[end]))
            end++;
        json_text(&w->json, tree->source->text + label->begin, end - label->begin);
    }
    json_int(&w->json, block->loop == IR_NONE ? -1 : (int64_t)block->loop);
    json_array_flat(&w->json);
    for (uint32_t i = 0; i < block->succ_count; i++)
        json_uint(&w->json, w->fn->blocks.v[ir_succs(w->fn, id)[i]].rpo);
    json_end_array(&w->json);
    json_end_array(&w->json);
}

static void write_graph(struct page_writer *w)
{
    json_key(&w->json, "graph");
    json_array(&w->json);
    for (uint32_t i = 0; i < w->fn->rpo.n; i++)
        write_node(w, w->fn->rpo.v[i]);
    json_end_array(&w->json);
    // [index of the header in the graph, depth]
    json_key(&w->json, "loops");
    json_array_flat(&w->json);
    for (uint32_t i = 0; i < w->fn->loops.n; i++) {
        json_array_flat(&w->json);
        json_uint(&w->json, w->fn->blocks.v[w->fn->loops.v[i].header].rpo);
        json_uint(&w->json, w->fn->loops.v[i].depth);
        json_end_array(&w->json);
    }
    json_end_array(&w->json);
}

void page_kernel_write(struct page_kernels *kernels, uint32_t kernel, FILE *to)
{
    const struct table_kernel *table = &kernels->input->tables->kernels.v[kernel];
    uint32_t function = kernels->function[kernel];
    struct page_writer w = {.kernels = kernels,
                            .input = kernels->input,
                            .fn = &kernels->input->module->functions.v[function],
                            .function = function};
    json_init(&w.json, to);
    w.json.shunned = '<';
    json_object(&w.json);
    write_lines(&w);
    write_source(&w);
    write_chains(&w, table);
    write_blocks(&w, table);
    write_remarks(&w);
    write_graph(&w);
    json_end_object(&w.json);
    json_done(&w.json);
}
