// The text is not parsed again: without its tags it is the input with instructions in another order
// within their basic blocks, so its IR is that of the input in this order. Only a text with other
// instructions (--fma=split) has been parsed, to number them; an IR is built from its tree.
#include "backend/emit/proof.h"
#include "backend/tags/read_chains.h"
#include "support/search.h"
#include <stdlib.h>
#include <string.h>

struct read_back {
    struct arena *arena;       // of the result
    struct arena own, scratch; // for this call; for a function
    const struct output *output;
    const struct plan *plan;
    struct ir_module module; // the program as it is written
    struct chain_reader chains;
    struct verify_fault fault;
    uint32_t kernel;         // next kernel of the written tables
    uint32_t function, body; // next function and next body
    uint32_t chain;          // the current function's first chain in the plan
};

static bool set_fault(struct read_back *r, uint32_t chain, const char *text)
{
    if (!r->fault.text)
        r->fault = (struct verify_fault){UINT32_MAX, 0, arena_strndup(r->arena, text, strlen(text)),
                                         chain, IR_NONE};
    return false;
}

// Functions in the order of the text

// Returns the instruction with this node, or IR_NONE.
static uint32_t inst_of(const struct ir_function *fn, uint32_t node)
{
    uint32_t low = SEARCH(i, 0, fn->insts.n, fn->insts.v[i].node < node);
    return low < fn->insts.n && fn->insts.v[low].node == node ? low : IR_NONE;
}

static bool is_moved(const struct ir_function *fn, const struct body *body)
{
    for (uint32_t i = 0; i < fn->insts.n; i++)
        if (body->insts.v[i].node != fn->insts.v[i].node)
            return true;
    return false;
}

// Sets the instruction at each place. Returns false if one is in another basic block.
static bool find_order(const struct ir_function *fn, const struct body *body, uint32_t *order)
{
    for (uint32_t place = 0; place < fn->insts.n; place++) {
        order[place] = inst_of(fn, body->insts.v[place].node);
        if (order[place] == IR_NONE || fn->insts.v[order[place]].block != fn->insts.v[place].block)
            return false;
    }
    return true;
}

#define COPY(arena, from)                                                                          \
    ((from).n ? memcpy(arena_alloc(arena, (from).n * sizeof *(from).v), (from).v,                  \
                       (from).n * sizeof *(from).v)                                                \
              : NULL)

static void put_operands(struct ir_function *to, const struct ir_function *from,
                         const uint32_t *order, uint32_t *operand, uint32_t *place)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < from->insts.n; i++) {
        struct ir_inst *inst = &to->insts.v[i];
        *inst = from->insts.v[order[i]];
        place[order[i]] = i;
        for (uint32_t k = inst->operands; k < inst->operands + inst->operand_count; k++, at++) {
            operand[k] = at;
            to->operands.v[at] = from->operands.v[k];
            to->operand_version.v[at] = from->operand_version.v[k];
            to->operand_inst.v[at] = i;
        }
        inst->operands = at - inst->operand_count;
    }
}

static void put_in_order(struct ir_function *to, struct arena *arena, const uint32_t *order)
{
    const struct ir_function from = *to;
    uint32_t *operand = ARENA_ARRAY(arena, uint32_t, from.operands.n + 1);
    uint32_t *place = ARENA_ARRAY(arena, uint32_t, from.insts.n + 1);
    to->insts.v = COPY(arena, from.insts);
    to->operands.v = COPY(arena, from.operands);
    to->operand_version.v = COPY(arena, from.operand_version);
    to->operand_inst.v = COPY(arena, from.operand_inst);
    to->versions.v = COPY(arena, from.versions);
    to->uses.v = COPY(arena, from.uses);
    to->targets.v = COPY(arena, from.targets);
    put_operands(to, &from, order, operand, place);
    for (uint32_t i = 0; i < from.versions.n; i++) {
        if (from.versions.v[i].kind != VERSION_INST)
            continue;
        to->versions.v[i].index = place[from.versions.v[i].index];
        to->versions.v[i].operand = operand[from.versions.v[i].operand];
    }
    for (uint32_t i = 0; i < from.uses.n; i++)
        if (!(from.uses.v[i] & USE_PHI))
            to->uses.v[i] = operand[from.uses.v[i]];
    for (uint32_t i = 0; i < from.targets.n; i++)
        to->targets.v[i].inst = place[from.targets.v[i].inst];
}

// Puts the function's instructions into the order of the text. Returns false if that is impossible.
static bool write_function(struct read_back *r, struct ir_function *fn, const struct body *body)
{
    if (fn->insts.n != body->insts.n)
        return false;
    if (!is_moved(fn, body))
        return true;
    uint32_t *order = ARENA_ARRAY(&r->scratch, uint32_t, fn->insts.n + 1);
    bool found = find_order(fn, body, order);
    if (found)
        put_in_order(fn, &r->scratch, order);
    return found;
}

static void write_module(struct read_back *r, const struct ir_module *module)
{
    struct tree *tree = r->output->tree;
    struct diags ignored;
    if (tree == module->tree) {
        r->module = *module;
        r->module.functions.v = COPY(&r->own, module->functions);
        return;
    }
    diags_init(&ignored, &r->own);
    ir_build(&r->module, &r->own, tree, &ignored);
}

// Tables

static bool same_chain(const struct table_chain *a, const struct table_chain *b)
{
    bool same = a->pattern == b->pattern && a->instructions.n == b->instructions.n;
    for (uint32_t i = 0; same && i < a->instructions.n; i++)
        same = a->instructions.v[i].index == b->instructions.v[i].index &&
               a->instructions.v[i].tag == b->instructions.v[i].tag;
    return same;
}

static bool same_names(const char *const *a, uint32_t a_count, const char *const *b,
                       uint32_t b_count)
{
    bool same = a_count == b_count;
    for (uint32_t i = 0; same && i < a_count; i++)
        same = !strcmp(a[i], b[i]);
    return same;
}

// Compares blocks to be offloaded only, because small tags have no other blocks than candidates.
static bool same_block(const struct table_block *read, const struct table_block *written)
{
    return !table_block_chosen(written) ||
           (table_block_chosen(read) && read->begin_index == written->begin_index &&
            read->end_index == written->end_index &&
            same_names(read->live_in.v, read->live_in.n, written->live_in.v, written->live_in.n) &&
            same_names(read->live_out.v, read->live_out.n, written->live_out.v,
                       written->live_out.n));
}

static bool same_kernel(const struct table_kernel *read, const struct table_kernel *written)
{
    bool same = read->chains.n == written->chains.n && read->blocks.n <= written->blocks.n;
    for (uint32_t i = 0; same && i < read->chains.n; i++)
        same = same_chain(&read->chains.v[i], &written->chains.v[i]);
    for (uint32_t i = 0; same && i < written->blocks.n; i++)
        same = i < read->blocks.n ? same_block(&read->blocks.v[i], &written->blocks.v[i])
                                  : !table_block_chosen(&written->blocks.v[i]);
    return same;
}

// Advances to the written kernel with the name of `read`, or to the end if that is NULL, and
// compares it. Small tags have no entry for a function without chains and blocks, so kernels that
// are skipped must have neither.
static bool find_written(struct read_back *r, const struct table_kernel *read)
{
    static const struct table_kernel none;
    const struct tables *written = &r->output->tables;
    bool same = true, found = false;
    while (r->kernel < written->kernels.n && same && !found) {
        const struct table_kernel *kernel = &written->kernels.v[r->kernel++];
        found = read && !strcmp(kernel->name, read->name);
        same = same_kernel(found ? read : &none, kernel);
    }
    return (same && found == (read != NULL)) ||
           set_fault(r, IR_NONE, "the tags are read as other chains or blocks");
}

// Advances to the function with this name, and sets its body.
static bool find_function(struct read_back *r, const char *name, uint32_t *function,
                          const struct body **body)
{
    while (r->function < r->module.functions.n) {
        const struct ir_function *fn = &r->module.functions.v[r->function++];
        if (!fn->has_body)
            continue;
        const struct name *own = tree_name(r->module.tree, fn->name);
        *function = r->function - 1;
        *body = &r->output->bodies.list.v[r->body++];
        if (strlen(name) == own->length && !memcmp(name, own->text, own->length))
            return true;
    }
    return set_fault(r, IR_NONE, "the tags have chains of a function that the text does not have");
}

static bool read_chains(struct read_back *r, const struct table_kernel *kernel, uint32_t function,
                        const struct body *body)
{
    if (!write_function(r, &r->module.functions.v[function], body))
        return set_fault(r, IR_NONE, "an instruction has left its basic block");
    read_chains_of(&r->chains, function, body);
    while (r->chain < r->plan->chains.n && r->plan->chains.v[r->chain].function < function)
        r->chain++;
    const char *wrong = NULL;
    for (uint32_t i = 0; i < kernel->chains.n && !wrong; i++) {
        struct chain chain;
        uint32_t inst;
        wrong = read_chain(&r->chains, &kernel->chains.v[i], &chain, &inst);
        if (wrong)
            set_fault(r, r->chain + i, wrong);
    }
    arena_reset(&r->scratch);
    return !wrong;
}

static bool check_kernel(void *context, const struct table_kernel *read)
{
    struct read_back *r = context;
    uint32_t function;
    const struct body *body;
    return find_written(r, read) &&
           (!read->chains.n || (find_function(r, read->name, &function, &body) &&
                                read_chains(r, read, function, body)));
}

// A text without tags of its own may keep those of the input: nothing is read from it.
static bool is_untagged(struct read_back *r)
{
    const struct output *output = r->output;
    return (output->length == output->bodies.length &&
            !memcmp(output->text, output->bodies.text, output->length)) ||
           set_fault(r, IR_NONE, "tags were written that were not requested");
}

static bool read_tags(struct read_back *r)
{
    if (r->output->style == TAGS_NONE)
        return is_untagged(r);
    struct source source;
    struct tables read;
    struct diags diags;
    diags_init(&diags, &r->own);
    source_init(&source, &r->own, "", r->output->text, r->output->length);
    return tags_read_written(&read, &r->own, &source, &r->output->bodies, check_kernel, r,
                             &diags) ||
           set_fault(r, IR_NONE, diags.list.n ? diags.list.v[0].message : "");
}

// Checks all kernels. Tags as in the paper cannot be read; the tables are checked instead.
static void read_all(struct read_back *r)
{
    const struct tables *written = &r->output->tables;
    bool good = r->output->style == TAGS_PAPER || read_tags(r);
    if (!r->kernel) // no tags were read
        for (uint32_t i = 0; i < written->kernels.n && good; i++)
            good = check_kernel(r, &written->kernels.v[i]);
    if (good)
        find_written(r, NULL);
}

struct verify_fault backend_read_back(const struct output *output, struct arena *arena,
                                      const struct ir_module *module, const struct plan *plan)
{
    struct read_back r = {.arena = arena,
                          .output = output,
                          .plan = plan,
                          .fault = {.chain = IR_NONE, .block = IR_NONE}};
    arena_init(&r.own, arena->memory);
    arena_init(&r.scratch, arena->memory);
    write_module(&r, module);
    read_chains_begin(&r.chains, &r.own, &r.module, &output->tables);
    read_all(&r);
    read_chains_end(&r.chains);
    arena_free(&r.scratch);
    arena_free(&r.own);
    return r.fault;
}
