#include "tests/fuzz/tagged.h"
#include "backend/emit/backend.h"
#include "passes/plan/pipeline.h"
#include "tests/fuzz/launch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    struct source source;
    struct diags diags;
    struct tree tree;
    struct ir_module module;
};

static struct text *read_text(struct arena *arena, const char *bytes, size_t length)
{
    struct text *text = ARENA_NEW(arena, struct text);
    char *copy = arena_alloc(arena, length + 2);
    memcpy(copy, bytes, length);
    source_init(&text->source, arena, "kernel.ptx", copy, (uint32_t)length);
    diags_init(&text->diags, arena);
    ptx_parse(&text->tree, arena, &text->source, &text->diags);
    ir_build(&text->module, arena, &text->tree, &text->diags);
    return text;
}

static void set_wrong(struct tagged *tagged, const char *what, const char *which)
{
    if (!tagged->wrong[0])
        snprintf(tagged->wrong, sizeof tagged->wrong, "%s%s%.100s", what, which ? ": " : "",
                 which ? which : "");
}

static void drop_move(struct tagged *tagged, struct plan *plan, uint64_t *random)
{
    uint32_t moves = 0;
    for (uint32_t i = 0; i < plan->edits.list.n; i++)
        moves += plan->edits.list.v[i].kind == EDIT_MOVE;
    uint32_t which = moves ? (uint32_t)(random_next(random) % moves) : 0;
    for (uint32_t i = 0; moves && i < plan->edits.list.n; i++) {
        if (plan->edits.list.v[i].kind != EDIT_MOVE || which--)
            continue;
        plan->edits.list.v[i] = plan->edits.list.v[--plan->edits.list.n];
        tagged->mutated = true;
        break;
    }
}

// Changes costs: every candidate saves something, and the savings decide between overlapping
// blocks.
static void change_costs(struct plan *plan, uint64_t seed)
{
    for (uint32_t i = 0; i < plan->rejections.n; i++) {
        const struct rejection *why = &plan->rejections.v[i];
        if (why->rule != RULE_NO_SAVING && why->rule != RULE_PASSED_OVER &&
            why->rule != RULE_TRIP_UNKNOWN)
            continue;
        for (uint32_t k = 0; k < plan->blocks.n; k++) {
            struct block_plan *block = &plan->blocks.v[k];
            if (block->function != why->function || block->first != why->inst ||
                block->last != why->last || block->kind != why->shape)
                continue;
            double saved = 50 + (double)(random_next(&seed) % 100);
            enum cost_model cost = block->estimate.cost, other = block->other.cost;
            block->estimate = (struct block_estimate){.saved_tx = saved,
                                                      .bw_tx = -saved,
                                                      .at_tx = -saved,
                                                      .threshold = 1,
                                                      .threshold_tx = 1,
                                                      .saves = SAVES_TX,
                                                      .candidate = true};
            block->other = block->estimate;
            block->estimate.cost = cost;
            block->other.cost = other;
        }
    }
}

// Returns true if the instruction reads a register that the preceding one has just defined.
static bool reads_result(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    uint32_t version = ir_defined(fn, inst - 1);
    if (version == IR_NONE || at->block != at[-1].block || at->flags & INST_TERMINATOR)
        return false;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role == ROLE_USE && fn->operand_version.v[i] == version)
            return true;
    return false;
}

static void swap_nodes(struct tagged *tagged, const struct text *text, uint32_t a, uint32_t b)
{
    const struct node *x = &text->tree.nodes.v[a], *y = &text->tree.nodes.v[b];
    const char *from = text->source.text;
    char *to = tagged->text + x->begin;
    memcpy(to, from + y->begin, y->end - y->begin);
    to += y->end - y->begin;
    memcpy(to, from + x->end, y->begin - x->end);
    to += y->begin - x->end;
    memcpy(to, from + x->begin, x->end - x->begin);
    tagged->mutated = true;
}

// Returns a number for the text of two instructions: the same pair is selected when others are left
// out.
static uint64_t pair_number(const struct text *text, const struct ir_function *fn, uint32_t inst,
                            uint64_t seed)
{
    uint64_t number = seed;
    for (uint32_t i = inst - 1; i <= inst; i++) {
        const struct node *node = &text->tree.nodes.v[fn->insts.v[i].node];
        for (uint32_t at = node->begin; at < node->end; at++)
            number = (number ^ (uint8_t)text->source.text[at]) * UINT64_C(0x100000001b3);
    }
    return random_next(&number);
}

static void swap_dependent(struct tagged *tagged, struct arena *arena, uint64_t seed)
{
    const struct text *text = read_text(arena, tagged->text, tagged->length);
    const struct ir_function *fn = &text->module.functions.v[0];
    uint32_t chosen = 0;
    uint64_t min = UINT64_MAX;
    for (uint32_t inst = 1; inst < fn->insts.n; inst++) {
        uint64_t number = reads_result(fn, inst) ? pair_number(text, fn, inst, seed) : UINT64_MAX;
        if (number < min) {
            min = number;
            chosen = inst;
        }
    }
    if (chosen)
        swap_nodes(tagged, text, fn->insts.v[chosen - 1].node, fn->insts.v[chosen].node);
}

static void drop_tag(struct tagged *tagged, struct arena *arena, uint64_t *random)
{
    struct source source;
    struct tags tags = {0};
    char *copy = arena_alloc(arena, tagged->length + 2);
    memcpy(copy, tagged->text, tagged->length);
    source_init(&source, arena, "tagged.ptx", copy, (uint32_t)tagged->length);
    tags_find(&tags, arena, &source);
    if (!tags.list.n)
        return;
    const struct tag *tag = &tags.list.v[random_next(random) % tags.list.n];
    memset(tagged->text + tag->begin, ' ', tag->end - tag->begin);
    tagged->mutated = true;
}

// Checks that the tags read back as the tables that they were written from.
static void check_known(struct tagged *tagged, struct arena *arena, const struct output *output,
                        const struct backend_options *options)
{
    struct source source;
    struct opened opened;
    char *copy = arena_alloc(arena, tagged->length + 2);
    memcpy(copy, tagged->text, tagged->length);
    source_init(&source, arena, "kernel.ptx", copy, (uint32_t)tagged->length);
    backend_open(&opened, arena, &source, options);
    if (!opened.current)
        set_wrong(tagged, "the tagged text is not known again", NULL);
    else if (opened.tables.kernels.n != output->tables.kernels.n)
        set_wrong(tagged, "the tags are of other kernels", NULL);
    for (uint32_t i = 0; !tagged->wrong[0] && i < opened.tables.kernels.n; i++)
        if (opened.tables.kernels.v[i].chains.n != output->tables.kernels.v[i].chains.n)
            set_wrong(tagged, "the tags are of other chains", NULL);
}

static void count(struct tagged *tagged, const struct text *text, const struct plan *plan)
{
    tagged->split_lines = calloc(plan->chains.n + 1, sizeof *tagged->split_lines);
    if (!tagged->split_lines)
        abort();
    tagged->chains = plan->chains.n;
    for (uint32_t i = 0; i < plan->chains.n; i++) {
        const struct chain *chain = &plan->chains.v[i];
        const struct ir_function *fn = &text->module.functions.v[chain->function];
        tagged->patterns[chain->pattern]++;
        if (chain->split)
            tagged->split_lines[tagged->split++] =
                ir_position(&text->module, fn, chain->inst[chain->count - 1]).line;
    }
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        tagged->blocks += plan->blocks.v[i].estimate.candidate && plan->blocks.v[i].chosen;
    for (uint32_t i = 0; i < plan->edits.list.n; i++)
        tagged->moves += plan->edits.list.v[i].kind == EDIT_MOVE;
}

static void damage(struct tagged *tagged, struct arena *arena, enum mutation mutation,
                   uint64_t seed)
{
    if (mutation == MUTATE_SWAP)
        swap_dependent(tagged, arena, seed);
    else if (mutation == MUTATE_TAG)
        drop_tag(tagged, arena, &seed);
}

static void make(struct tagged *tagged, struct arena *arena, const char *bytes, size_t length,
                 const struct backend_options *options, enum mutation mutation, uint64_t random)
{
    struct text *text = read_text(arena, bytes, length);
    struct plan plan = {.arena = arena};
    struct pipeline pipeline = {.options = options->passes, .validate = true, .faults = stderr};
    struct output *output = ARENA_NEW(arena, struct output);
    const char *pass = pipeline_run(&pipeline, &text->module, &plan);
    if (text->diags.errors || pass) {
        set_wrong(tagged, pass ? "the IR is not valid" : "the text has errors", pass);
        return;
    }
    if (mutation == MUTATE_COST)
        change_costs(&plan, random);
    count(tagged, text, &plan);
    if (mutation == MUTATE_MOVE)
        drop_move(tagged, &plan, &random);
    const char *wrong = backend_emit(output, arena, &text->module, &plan, options);
    if (wrong) {
        set_wrong(tagged, "nothing was written", wrong);
        return;
    }
    tagged->length = output->length;
    tagged->text = malloc(output->length + 1);
    if (!tagged->text)
        abort();
    memcpy(tagged->text, output->text, output->length);
    tagged->text[output->length] = 0;
    damage(tagged, arena, mutation, random);
    // Execution alone is to find what was swapped.
    if (mutation != MUTATE_SWAP)
        check_known(tagged, arena, output, options);
}

void tagged_make_by(struct tagged *tagged, const char *text, size_t length,
                    const struct pass_options *chosen, enum mutation mutation, uint64_t seed)
{
    struct memory memory = {0};
    struct arena arena;
    struct backend_options options = {
        .tags = TAGS_PRAGMA, .passes = *chosen, .output_name = "tagged.ptx", .only_text = true};
    memset(tagged, 0, sizeof *tagged);
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    make(tagged, &arena, text, length, &options, mutation, seed);
    arena_free(&arena);
}

void tagged_make(struct tagged *tagged, const char *text, size_t length, enum fma_mode fma,
                 enum mutation mutation, uint64_t seed)
{
    struct pass_options chosen = {.cost = COST_TOM, .fma = fma, .reorder = true};
    tagged_make_by(tagged, text, length, &chosen, mutation, seed);
}

void tagged_free(struct tagged *tagged)
{
    free(tagged->text);
    free(tagged->split_lines);
}
