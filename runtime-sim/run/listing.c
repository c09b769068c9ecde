#include "runtime-sim/run/listing.h"
#include "runtime-sim/device/timed.h"
#include "support/json.h"
#include <stdlib.h>
#include <string.h>

// Collecting

static const struct ir_function *function_of(const struct site_listing *listing, uint32_t function)
{
    const struct program *program = listing->program;
    return &program->module->functions.v[program->functions.v[function].function];
}

static bool is_line(const struct listing_line *line, const struct ir_loc *loc)
{
    const char *file = loc ? loc->file : NULL;
    return line->number == (loc ? loc->line : 0) && !line->file == !file &&
           (!file || !strcmp(line->file, file));
}

static int by_place(const void *left, const void *right)
{
    const struct ir_loc *a = ((const struct listing_inst *)left)->loc,
                        *b = ((const struct listing_inst *)right)->loc;
    const char *one = a && a->file ? a->file : "", *other = b && b->file ? b->file : "";
    int order = strcmp(one, other);
    uint32_t x = a ? a->line : 0, y = b ? b->line : 0;
    return order ? order : (x > y) - (x < y);
}

static int by_site(const void *left, const void *right)
{
    uint32_t a = ((const struct listing_inst *)left)->site,
             b = ((const struct listing_inst *)right)->site;
    return (a > b) - (a < b);
}

static void add_counts(uint64_t *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *to; i++)
        to[i] += ((const uint64_t *)from)[i];
}

// Sums the instructions of each line. Sites ascend in the order of the first execution of
// functions; sorting by them restores the order of instructions.
static void sum_lines(const struct site_listing *listing, struct listing_kernel *to,
                      struct arena *arena)
{
    if (to->insts.n)
        qsort(to->insts.v, to->insts.n, sizeof *to->insts.v, by_place);
    for (uint32_t i = 0; i < to->insts.n; i++) {
        struct listing_inst *inst = &to->insts.v[i];
        if (!to->lines.n || !is_line(&to->lines.v[to->lines.n - 1], inst->loc)) {
            struct listing_line line = {
                inst->loc ? inst->loc->file : NULL, inst->loc ? inst->loc->line : 0, {{0}, {0}}};
            vec_push(arena, &to->lines, line);
        }
        inst->line = to->lines.n - 1;
        struct listing_counts *sum = &to->lines.v[inst->line].counts;
        add_counts((uint64_t *)&sum->core, &listing->sites->list[inst->site], sizeof sum->core);
        add_counts((uint64_t *)&sum->memory, &listing->sites->memory.list[inst->site],
                   sizeof sum->memory);
    }
    if (to->insts.n)
        qsort(to->insts.v, to->insts.n, sizeof *to->insts.v, by_site);
}

// Sets the chains and blocks of a function's instructions, which are in the order of its IR.
static void mark(const struct table_kernel *kernel, struct listing_inst *insts, uint32_t count)
{
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        for (uint32_t k = 0; k < kernel->chains.v[i].instructions.n; k++)
            if (kernel->chains.v[i].instructions.v[k].index < count)
                insts[kernel->chains.v[i].instructions.v[k].index].chain = i + 1;
    for (uint32_t i = 0; i < kernel->blocks.n; i++) {
        const struct table_block *block = &kernel->blocks.v[i];
        for (uint32_t k = block->begin_index;
             table_block_chosen(block) && k <= block->end_index && k < count; k++)
            insts[k].block = i + 1;
    }
}

static void mark_function(const struct site_listing *listing, const struct tables *tables,
                          uint32_t function, struct listing_inst *insts, uint32_t count)
{
    const struct ir_function *fn = function_of(listing, function);
    const struct name *name = tree_name(listing->program->module->tree, fn->name);
    for (uint32_t i = 0; tables && i < tables->kernels.n; i++)
        if (strlen(tables->kernels.v[i].name) == name->length &&
            !memcmp(tables->kernels.v[i].name, name->text, name->length))
            mark(&tables->kernels.v[i], insts, count);
}

static void add_function(struct session *session, struct site_listing *listing,
                         struct listing_kernel *to, uint32_t function, uint32_t site)
{
    uint32_t count = function_of(listing, function)->insts.n;
    for (uint32_t i = 0; i <= count; i++) {
        if (i == count && !listing->sites->list[site + i].issued)
            continue;
        struct listing_inst inst = {.function = function,
                                    .inst = i,
                                    .site = site + i,
                                    .loc = i < count ? session_origin(session, function, i) : NULL};
        vec_push(session->arena, &to->insts, inst);
    }
}

static void add_kernel(struct session *session, struct site_listing *listing,
                       const struct tables *tables, const struct device_kernel *kernel)
{
    struct listing_kernel to = {.kernel = kernel};
    for (uint32_t f = 0; f < kernel->sites->functions; f++) {
        uint32_t first = to.insts.n;
        if (!kernel->sites->first[f])
            continue;
        add_function(session, listing, &to, f, kernel->sites->first[f]);
        mark_function(listing, tables, f, to.insts.v + first, function_of(listing, f)->insts.n);
    }
    sum_lines(listing, &to, session->arena);
    vec_push(session->arena, &listing->kernels, to);
}

const struct site_listing *listing_collect(struct session *session, const struct tables *tables)
{
    const struct device *device = &session->device;
    if (!device->sites || !session->timed)
        return NULL;
    struct site_listing *listing = ARENA_NEW(session->arena, struct site_listing);
    *listing = (struct site_listing){.sites = device->sites, .program = device->program};
    listing->core_keys =
        machine_site_keys(session->timed->machine, session->arena, &listing->core_key_count);
    for (uint32_t i = 0; i < device->kernels.n; i++)
        add_kernel(session, listing, tables, device->kernels.v[i]);
    return listing;
}

// Reading

struct listing_counts listing_counts(const struct site_listing *listing, uint32_t site)
{
    return (struct listing_counts){listing->sites->list[site], listing->sites->memory.list[site]};
}

static const struct node *node_of(const struct site_listing *listing,
                                  const struct listing_inst *inst)
{
    const struct ir_function *fn = function_of(listing, inst->function);
    const struct tree *tree = listing->program->module->tree;
    return &tree->nodes.v[inst->inst < fn->insts.n ? fn->insts.v[inst->inst].node : fn->node];
}

struct source_position listing_position(const struct site_listing *listing,
                                        const struct listing_inst *inst)
{
    const struct ir_function *fn = function_of(listing, inst->function);
    const struct node *node = node_of(listing, inst);
    return source_position_at(listing->program->module->tree->source,
                              inst->inst < fn->insts.n ? node->begin : node->end - 1);
}

struct file_text listing_text(const struct site_listing *listing, const struct listing_inst *inst)
{
    const struct ir_function *fn = function_of(listing, inst->function);
    const struct node *node = node_of(listing, inst);
    const char *text = listing->program->module->tree->source->text;
    return inst->inst < fn->insts.n
               ? (struct file_text){text + node->begin, node->end - node->begin}
               : (struct file_text){text + node->end - 1, 1};
}

static void each_key(const struct stat_key *keys, uint32_t count, const void *values,
                     listing_function *function, void *context)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)values + keys[i].offset, sizeof value);
        if (value)
            function(context, &keys[i], value);
    }
}

void listing_each(const struct site_listing *listing, const struct listing_counts *counts,
                  listing_function *function, void *context)
{
    each_key(listing->core_keys, listing->core_key_count, &counts->core, function, context);
    each_key(memsys_site_keys, memsys_site_key_count, &counts->memory, function, context);
}

// Writing

void listing_write_origin(struct json *json, const struct ir_loc *loc)
{
    json_key(json, "source");
    if (!loc) {
        json_null(json);
        return;
    }
    json_array(json);
    for (; loc; loc = loc->inlined_at) {
        json_object_flat(json);
        json_member_string(json, "file", loc->file);
        json_member_uint(json, "line", loc->line);
        json_member_uint(json, "column", loc->column);
        json_member_string(json, "function", loc->function);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_count(void *context, const struct stat_key *key, uint64_t value)
{
    json_member_uint(context, key->name, value);
}

static void write_inst(const struct site_listing *listing, const struct listing_inst *inst,
                       struct json *json)
{
    struct source_position place = listing_position(listing, inst);
    const struct tree *tree = listing->program->module->tree;
    const struct name *name = tree_name(tree, function_of(listing, inst->function)->name);
    struct listing_counts counts = listing_counts(listing, inst->site);
    json_object(json);
    json_key(json, "function");
    json_text(json, name->text, name->length);
    json_member_uint(json, "line", place.line);
    json_member_uint(json, "column", place.column);
    json_member_uint(json, "index", inst->inst);
    if (inst->inst < function_of(listing, inst->function)->insts.n)
        device_write_opcode(json, tree,
                            function_of(listing, inst->function)->insts.v[inst->inst].node);
    else
        json_member_string(json, "opcode", "}");
    listing_write_origin(json, inst->loc);
    if (inst->chain)
        json_member_uint(json, "chain", inst->chain - 1);
    if (inst->block)
        json_member_uint(json, "block", inst->block - 1);
    listing_each(listing, &counts, write_count, json);
    json_end_object(json);
}

void listing_write_kernel(const struct site_listing *listing, const struct device_kernel *kernel,
                          struct json *json)
{
    uint32_t at = 0;
    while (listing->kernels.v[at].kernel != kernel)
        at++;
    const struct listing_kernel *from = &listing->kernels.v[at];
    json_key(json, "instructions");
    json_array(json);
    for (uint32_t i = 0; i < from->insts.n; i++)
        write_inst(listing, &from->insts.v[i], json);
    json_end_array(json);
    json_key(json, "lines");
    json_array(json);
    for (uint32_t i = 0; i < from->lines.n; i++) {
        json_object_flat(json);
        json_member_string(json, "file", from->lines.v[i].file);
        json_member_uint(json, "line", from->lines.v[i].number);
        listing_each(listing, &from->lines.v[i].counts, write_count, json);
        json_end_object(json);
    }
    json_end_array(json);
}

void listing_write_rest(const struct site_listing *listing, struct json *json)
{
    struct listing_counts counts = listing_counts(listing, 0);
    json_key(json, "no_instruction");
    json_object_flat(json);
    listing_each(listing, &counts, write_count, json);
    json_end_object(json);
}
