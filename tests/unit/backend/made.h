// Makes random plans for any PTX. They are well-formed but meaningless; the backend must write them
// and read them back.
#pragma once
#include "backend/emit/backend.h"
#include "backend/tables/bodies.h"
#include "backend/emit/text.h"
#include "backend/emit/writer.h"
#include "support/random.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct made {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
    struct backend_options options;
    struct output output;
    uint64_t seed;
};

static inline uint32_t made_random(struct made *m, uint32_t below)
{
    uint64_t bits = splitmix64(&m->seed);
    return below ? (uint32_t)(bits % below) : 0;
}

// Moves some statements of the body, and divides some.
static inline void made_edits(struct made *m, const struct ir_function *fn)
{
    const struct node *nodes = m->program.tree.nodes.v;
    for (uint32_t i = 0; i + 3 < fn->insts.n; i += 2 + made_random(m, 3)) {
        const struct node *first = &nodes[fn->insts.v[i].node],
                          *next = &nodes[fn->insts.v[i + 1].node];
        struct edit move = {EDIT_MOVE, first->begin, first->end, next->end, " ", 0};
        struct edit split = {
            EDIT_REPLACE, first->begin, first->end, 0, "mul.f32 a, b, c;\n\tadd.f32 a, a, d;", 0};
        uint32_t chance = made_random(m, 4);
        if (chance == 0)
            vec_push(&m->program.arena, &m->plan.edits.list, move);
        if (chance == 1)
            vec_push(&m->program.arena, &m->plan.edits.list, split);
        i += chance < 2;
    }
}

struct made_order {
    const struct made *made;
    const struct ir_function *function;
    const struct written *written;
};

static inline uint32_t made_place(const struct made_order *order, uint32_t inst)
{
    const struct node *nodes = order->made->program.tree.nodes.v;
    return writer_offset(order->written, nodes[order->function->insts.v[inst].node].begin);
}

static inline int made_compare(const void *a, const void *b, void *order)
{
    uint32_t x = made_place(order, *(const uint32_t *)a),
             y = made_place(order, *(const uint32_t *)b);
    return (x > y) - (x < y);
}

static inline void made_chains(struct made *m, uint32_t function, const struct ir_function *fn,
                               const struct written *written)
{
    struct made_order by = {m, fn, written};
    uint32_t *order = ARENA_ARRAY(&m->program.arena, uint32_t, fn->insts.n);
    for (uint32_t i = 0; i < fn->insts.n; i++)
        order[i] = i;
    if (fn->insts.n)
        qsort_r(order, fn->insts.n, sizeof *order, made_compare, &by);
    for (uint32_t at = made_random(m, 3), count; at + 5 < fn->insts.n;
         at += count + made_random(m, 9)) {
        count = 2 + made_random(m, 4);
        struct chain chain = {
            .function = function,
            .pattern = 1 + made_random(m, CHAIN_PATTERNS),
            .count = count,
            .response = made_random(m, 3),
            .response_flits = 1 + made_random(m, 5),
            .saving = made_random(m, 20),
            .expected_saving = made_random(m, 99) / 7.0 - 3,
        };
        memcpy(chain.inst, order + at, count * sizeof *order);
        vec_push(&m->program.arena, &m->plan.chains, chain);
    }
}

static inline void made_live(struct made *m, const struct ir_function *fn, struct block_plan *block)
{
    for (uint32_t n = made_random(m, 60); n; n--) {
        struct live_value live = {made_random(m, fn->registers.n), 0, W_UNKNOWN, IR_NONE};
        if (!made_random(m, 4) || !fn->registers.n)
            live = (struct live_value){IR_NONE, made_random(m, SPECIAL_COUNT),
                                       made_random(m, 2) ? W_x : W_UNKNOWN, IR_NONE};
        if (made_random(m, 2))
            vec_push(&m->program.arena, &block->live_in, live);
        else
            vec_push(&m->program.arena, &block->live_out, live);
    }
}

static inline void made_block(struct made *m, uint32_t function, const struct ir_function *fn,
                              uint32_t id)
{
    const struct ir_block *at = &fn->blocks.v[id];
    if (at->first == at->end || made_random(m, 3) == 0)
        return;
    struct block_plan block = {
        .function = function,
        .kind = made_random(m, 3),
        .entry = id,
        .block_count = 1,
        .blocks = ARENA_NEW(&m->program.arena, uint32_t),
        .tail = IR_NONE,
        .first = at->first,
        .last = at->end - 1,
        .loads = made_random(m, 9),
        .stores = made_random(m, 9),
        .estimate =
            {
                .bw_tx = made_random(m, 999) / 7.0 - 50,
                .bw_rx = -1.0 * made_random(m, 999) / 3,
                .at_tx = made_random(m, 9),
                .at_rx = -0.25 * made_random(m, 9),
                .threshold = 1 + made_random(m, 99),
                .threshold_tx = made_random(m, 3),
                .threshold_rx = made_random(m, 2) ? UINT64_MAX : 7,
                .saves = made_random(m, 4),
                .candidate = made_random(m, 2),
                .conditional = made_random(m, 2),
            },
        .other = {.cost = COST_REFINED, .saved_tx = 2.5, .in = made_random(m, 9)},
        .chosen = made_random(m, 2),
        .trip_text = "(%r1 - %r2 + 3) / 4 */ 'quoted' \"~\\",
    };
    block.measured = made_random(m, 8);
    block.blocks[0] = id;
    made_live(m, fn, &block);
    vec_push(&m->program.arena, &m->plan.blocks, block);
}

static inline void made_rejection(struct made *m, uint32_t function, const struct ir_function *fn)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    uint32_t length = made_random(m, 5) ? made_random(m, 40) : made_random(m, sizeof text);
    for (uint32_t i = 0; i < length; i++)
        if (!made_random(m, 4))
            text[i] = "' \"\\~*/,=\xc3\xa9%$@{}"[made_random(m, 16)];
    struct rejection rejection = {
        function,
        made_random(m, 4),
        made_random(m, RULE_COUNT),
        made_random(m, fn->insts.n),
        made_random(m, 2) ? IR_NONE : made_random(m, fn->insts.n),
        text_utf8(&m->program.arena, arena_strndup(&m->program.arena, text, length)),
        .last = IR_NONE,
    };
    vec_push(&m->program.arena, &m->plan.rejections, rejection);
}

// Makes a plan. `moves`: the plan also changes the order.
static inline void made_plan(struct made *m, bool moves)
{
    struct written written;
    m->plan = (struct plan){.arena = &m->program.arena};
    for (uint32_t i = 0; i < m->module.functions.n && moves; i++)
        made_edits(m, &m->module.functions.v[i]);
    assert_null(writer_apply(&m->program.arena, &m->program.source, &m->plan.edits, &written));
    for (uint32_t i = 0; i < m->module.functions.n; i++) {
        const struct ir_function *fn = &m->module.functions.v[i];
        made_chains(m, i, fn, &written);
        for (uint32_t block = 0; block < fn->blocks.n; block++)
            made_block(m, i, fn, block);
        for (uint32_t n = made_random(m, 12); n && fn->insts.n; n--)
            made_rejection(m, i, fn);
    }
}

// Parses the text, makes a plan and writes the output.
static inline void made_emit(struct made *m, const char *text, size_t length, enum tag_style style,
                             bool moves, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    program_parse(&m->program, text, length);
    ir_build(&m->module, &m->program.arena, &m->program.tree, &m->program.diags);
    m->seed = seed;
    m->options = (struct backend_options){
        .tags = style,
        .passes = {.reorder = moves},
        .output_name = "out's \xff name.ptx",
    };
    m->program.source.name = "a \"test\".ptx";
    made_plan(m, moves);
    const char *wrong =
        backend_emit(&m->output, &m->program.arena, &m->module, &m->plan, &m->options);
    if (wrong)
        fail_msg("%s\n%s", wrong, text);
}

// Returns the tables as a JSON text, which the caller frees.
__attribute__((noinline, unused)) static char *made_json(const struct tables *tables)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    tables_write_json(tables, to);
    fclose(to);
    return text;
}

// Returns a file's bytes, which the caller frees.
static inline char *made_load(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    assert_int_equal(fread(text, 1, *length, file), *length);
    text[*length] = 0;
    fclose(file);
    return text;
}
