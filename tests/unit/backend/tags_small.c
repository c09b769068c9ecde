// Small tags: the simulator reads the same from them as from full tags, and nothing else is
// written.
#include "backend/tables/build.h"
#include "backend/tags/tag_text.h"
#include "backend/tags/tags_small.h"
#include "passes/plan/pipeline.h"
#include "tests/lib/sanitized.h"
#include "tests/unit/backend/made.h"
#include "tests/unit/backend/repack.h"
#include "tests/unit/backend/texts.h"
#include <glob.h>

static void open_source(struct made *m, struct source *source, const char *text, size_t length)
{
    char *copy = arena_alloc(&m->program.arena, length + 2);
    memcpy(copy, text, length);
    copy[length] = copy[length + 1] = 0;
    source_init(source, &m->program.arena, "again.ptx", copy, (uint32_t)length);
}

static bool read_again(struct made *m, struct tables *tables, struct diags *diags, const char *text,
                       size_t length)
{
    struct source source;
    open_source(m, &source, text, length);
    diags_init(diags, &m->program.arena);
    return tags_read(tables, &m->program.arena, &source, diags);
}

static void assert_chain(const struct table_chain *a, const struct table_chain *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->pattern, b->pattern);
    assert_int_equal(a->response, b->response);
    assert_int_equal(a->response_flits, b->response_flits);
    assert_true(a->expected_saving == b->expected_saving);
    assert_int_equal(a->instructions.n, b->instructions.n);
    for (uint32_t i = 0; i < a->instructions.n; i++) {
        assert_int_equal(a->instructions.v[i].index, b->instructions.v[i].index);
        assert_int_equal(a->instructions.v[i].tag, b->instructions.v[i].tag);
        assert_string_equal(a->instructions.v[i].opcode, b->instructions.v[i].opcode);
    }
}

static const struct table_estimate *estimate_of(const struct table_block *block,
                                                enum cost_model cost)
{
    if (block->estimate.cost == cost)
        return &block->estimate;
    for (uint32_t i = 0; i < block->alternatives.n; i++)
        if (block->alternatives.v[i].cost == cost)
            return &block->alternatives.v[i];
    return NULL;
}

static void assert_estimate(const struct table_block *a, const struct table_block *b,
                            enum cost_model cost)
{
    const struct table_estimate *x = estimate_of(a, cost), *y = estimate_of(b, cost);
    if (!x || !x->candidate) {
        assert_true(!y || !y->candidate);
        return;
    }
    assert_non_null(y);
    assert_true(y->candidate);
    assert_true(x->in == y->in && x->out == y->out && x->saved_tx == y->saved_tx &&
                x->saved_rx == y->saved_rx && x->bw_tx == y->bw_tx && x->bw_rx == y->bw_rx &&
                x->at_tx == y->at_tx && x->at_rx == y->at_rx);
    assert_true(x->threshold_tx == y->threshold_tx && x->threshold_rx == y->threshold_rx);
    assert_int_equal(x->saves, y->saves);
}

static void assert_names(const struct field_texts *a, const struct field_texts *b)
{
    assert_int_equal(a->items.n, b->items.n);
    for (uint32_t i = 0; i < a->items.n; i++)
        assert_string_equal(a->items.v[i], b->items.v[i]);
}

static void assert_block(const struct table_block *a, const struct table_block *b)
{
    for (enum cost_model cost = 0; cost < COST_MODELS; cost++)
        assert_estimate(a, b, cost);
    if (!small_has_block(a))
        return;
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->begin_index, b->begin_index);
    assert_int_equal(a->end_index, b->end_index);
    assert_names((const void *)&a->live_in, (const void *)&b->live_in);
    assert_names((const void *)&a->live_out, (const void *)&b->live_out);
    assert_int_equal(a->has_condition, b->has_condition);
    if (a->has_condition) {
        assert_string_equal(a->condition, b->condition);
        assert_true(a->threshold == b->threshold);
    }
    assert_int_equal(table_block_chosen(a), table_block_chosen(b));
}

// Compares the written tables with those that were read back.
static void assert_tables(const struct tables *a, const struct tables *b)
{
    assert_int_equal(a->options.cost, b->options.cost);
    assert_int_equal(a->options.fma, b->options.fma);
    assert_int_equal(a->options.reorder, b->options.reorder);
    assert_string_equal(a->capability, b->capability);
    assert_int_equal(a->kernels.n, b->kernels.n);
    for (uint32_t i = 0; i < a->kernels.n; i++) {
        const struct table_kernel *x = &a->kernels.v[i], *y = &b->kernels.v[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->instructions, y->instructions);
        assert_int_equal(x->loads, y->loads);
        assert_int_equal(x->service_queue_at_core, y->service_queue_at_core);
        assert_int_equal(x->chains.n, y->chains.n);
        for (uint32_t k = 0; k < x->chains.n; k++)
            assert_chain(&x->chains.v[k], &y->chains.v[k]);
        assert_true(y->blocks.n <= x->blocks.n);
        for (uint32_t k = 0; k < x->blocks.n; k++)
            if (k < y->blocks.n)
                assert_block(&x->blocks.v[k], &y->blocks.v[k]);
            else
                assert_false(small_has_block(&x->blocks.v[k]));
    }
}

static void assert_reads(struct made *m)
{
    struct tables tables;
    struct diags diags;
    bool good = read_again(m, &tables, &diags, m->output.text, m->output.length);
    if (!good)
        fail_msg("%s\n%s", diags.list.v[0].message, m->output.text);
    assert_tables(&m->output.tables, &tables);
    for (int packs = 0; packs < 2 && m->options.tags == TAGS_PRAGMA; packs++) {
        uint32_t length;
        char *text = repack(m, m->output.text, m->output.length, packs, &length);
        if (!read_again(m, &tables, &diags, text, length))
            fail_msg("%s\n%s", diags.list.v[0].message, text);
        tables.output = m->output.tables.output;
        assert_tables(&m->output.tables, &tables);
    }
}

static void assert_strips(struct made *m, bool moves)
{
    struct source source;
    struct written written;
    uint32_t length;
    struct edits none = {0};
    open_source(m, &source, m->output.text, m->output.length);
    const char *text = backend_strip(&m->program.arena, &source, &length);
    assert_null(writer_apply(&m->program.arena, &m->program.source, moves ? &m->plan.edits : &none,
                             &written));
    assert_int_equal(length, written.length);
    assert_memory_equal(text, written.text, length);
}

// A text is passed through if only the text is written; with tables it is processed anew.
static void assert_current(struct made *m)
{
    struct source source;
    struct opened opened;
    open_source(m, &source, m->output.text, m->output.length);
    backend_open(&opened, &m->program.arena, &source, &m->options);
    assert_false(opened.current);
    m->options.only_text = true;
    backend_open(&opened, &m->program.arena, &source, &m->options);
    assert_true(opened.current);
    m->options.tags = m->options.tags == TAGS_PRAGMA ? TAGS_PRAGMA_FULL : TAGS_COMMENT_FULL;
    backend_open(&opened, &m->program.arena, &source, &m->options);
    assert_false(opened.current);
}

static void check_text(const char *text, size_t length, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        struct made m;
        bool moves = i & 1;
        made_emit(&m, text, length, i & 2 ? TAGS_COMMENT : TAGS_PRAGMA, moves, seed);
        assert_strips(&m, moves);
        if (m.output.tables.kernels.n) {
            assert_reads(&m);
            assert_current(&m);
        }
        program_free(&m.program);
    }
}

static void test_odd_texts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 30; seed++)
        for (size_t i = 0; i < ODD_TEXTS; i++)
            if (i != 5) // which has tags of its own
                check_text(odd_texts[i], strlen(odd_texts[i]), seed);
}

static void test_samples(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/*.ptx", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t length;
        char *text = made_load(found.gl_pathv[i], &length);
        check_text(text, length, i + 1);
        free(text);
    }
    globfree(&found);
}

// Checks the decisions of the passes. Returns the size of the output.
static size_t check_decided(const char *text, size_t length, enum cost_model cost)
{
    struct made m = {.options = {.tags = TAGS_PRAGMA,
                                 .passes = {.cost = cost, .reorder = true},
                                 .output_name = "out.ptx"}};
    program_parse(&m.program, text, length);
    ir_build(&m.module, &m.program.arena, &m.program.tree, &m.program.diags);
    m.plan = (struct plan){.arena = &m.program.arena};
    struct pipeline pipeline = {.options = m.options.passes};
    assert_null(pipeline_run(&pipeline, &m.module, &m.plan));
    assert_null(backend_emit(&m.output, &m.program.arena, &m.module, &m.plan, &m.options));
    assert_reads(&m);
    assert_null(strstr(m.output.text, "ptxoffload.estimate"));
    size_t size = m.output.length;
    program_free(&m.program);
    return size;
}

// The samples together grow by a factor below 0.3.
static void test_decided(void **state)
{
    (void)state;
    glob_t found;
    size_t before = 0, after = 0;
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/*.ptx", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t length;
        char *text = made_load(found.gl_pathv[i], &length);
        check_decided(text, length, COST_TOM);
        after += check_decided(text, length, COST_REFINED);
        before += length;
        free(text);
    }
    assert_true((double)after < 1.3 * (double)before);
    globfree(&found);
}

// A hand-written chain and block

static const char two_kernels[] =
    KERNEL("\tld.global.f32 a, [b];\n\tadd.f32 a, a, a;\n\tst.global.f32 [c], "
           "a;\n\tret;") ".visible .entry l()\n{\n\tld.global.f32 a, "
                         "[b];\n\tst.global.f32 [c], a;\n\tret;\n}\n";

static void made_tagged(struct made *m)
{
    static uint32_t blocks[] = {0};
    made_emit(m, two_kernels, strlen(two_kernels), TAGS_NONE, false, 1);
    m->plan = (struct plan){.arena = &m->program.arena};
    struct chain chains[] = {
        {.pattern = 4, .inst = {0, 1, 2}, .count = 3, .response_flits = 1, .expected_saving = 4},
        {.function = 1, .pattern = 3, .inst = {0, 1}, .count = 2, .response_flits = 2},
    };
    struct block_plan block = {
        .kind = BLOCK_BASIC,
        .blocks = blocks,
        .tail = IR_NONE,
        .block_count = 1,
        .first = 0,
        .last = 2,
        .estimate = {.in = 32,
                     .saved_tx = 33.5,
                     .bw_tx = -1.5,
                     .at_tx = -1.5,
                     .threshold_tx = 1,
                     .saves = SAVES_TX,
                     .candidate = true},
        .chosen = true,
    };
    vec_push(&m->program.arena, &m->plan.chains, chains[0]);
    vec_push(&m->program.arena, &m->plan.chains, chains[1]);
    vec_push(&m->program.arena, &m->plan.blocks, block);
    m->options.tags = TAGS_PRAGMA;
    assert_null(backend_emit(&m->output, &m->program.arena, &m->module, &m->plan, &m->options));
}

static void test_layout(void **state)
{
    (void)state;
    struct made m;
    made_tagged(&m);
    const char *body = strstr(m.output.text, "\n{") + 2;
    static const char first[] =
        " .pragma \"ptxoffload.tags options.cost=tom options.reorder=false digest=";
    assert_memory_equal(body, first, strlen(first));
    const char *rest = strchr(body, '\n');
    assert_string_equal(
        rest, "\n\t.pragma \"ptxoffload.begin 0 tom=32,0,33.5,0\"; .pragma \"ptxoffload.chain 0 01 "
              "10 11 pattern=4 saves=4\"; ld.global.f32 a, [b];\n\tadd.f32 a, a, a;\n\t.pragma "
              "\"ptxoffload.end 0\"; st.global.f32 [c], a;\n\tret;\n}\n.visible .entry "
              "l()\n{\n\t.pragma \"ptxoffload.chain 0 01 11 pattern=3 flits=2\"; "
              "ld.global.f32 a, [b];\n\tst.global.f32 [c], a;\n\tret;\n}\n");
    assert_reads(&m);
    program_free(&m.program);
}

// Corrects the digests, as a deliberate forger would.
static void forge(struct made *m, char *text, size_t length)
{
    struct source source;
    struct tags tags;
    uint32_t plain_length;
    struct source plain;
    struct tag_digests digests;
    open_source(m, &source, text, length);
    tags_find(&tags, &m->program.arena, &source);
    if (!tags_are_small(&tags) || tags.list.v[0].length < TAG_DIGESTS_LENGTH)
        return;
    char *stripped = tags_strip(&m->program.arena, &source, &tags, &plain_length);
    open_source(m, &plain, stripped, plain_length);
    tags_digest(&digests, &tags, &plain);
    const struct tag *first = &tags.list.v[0];
    char *to = text + (first->content - source.text) + first->length - 2 * TAG_DIGITS;
    memcpy(to, digests.text, TAG_DIGITS);
    memcpy(to + TAG_DIGITS, digests.tags, TAG_DIGITS);
}

static void test_tampered(void **state)
{
    (void)state;
    static const struct {
        bool forged;
        const char *from, *to, *message;
    } cases[] = {
        {false, "add.f32 a, a, a", "add.f32 a, a, b", "the program is not the one that was tagged"},
        {false, "saves=4", "saves=5", "the tags were changed"},
        {false, " digest=", " digets=", "its digests are missing"},
        {true, "saves=4", "saves=x", "saves: expected a number"},
        {true, "saves=4", "saves=4 saves=4", "saves: unknown, or given twice"},
        {true, "pattern=4", "pattern=0", "pattern: expected a whole number from 1 to "},
        {true, " pattern=4", "", "pattern: it is missing"},
        {true, "chain 0 01 10 11", "chain 1 01 10 11", "a chain with a lower id is not tagged"},
        {true, "chain 0 01 10 11", "chain 0 01 10", "not all instructions of this chain"},
        {true, "chain 0 01 10 11", "chain 0 01 11 11", "its tags are not 01, 10"},
        {true, "chain 0 01 10 11", "chain 0 01", "not all instructions of this chain"},
        {true, "chain 0 01 10 11", "chain 0", "expected an id and 01, 10 or 11"},
        {true, "chain 0 01 10 11", "chain 99999 01", "the kernel has no chain with this id"},
        {true, "chain 0 01 10 11", "chain 0 01 10 10 10 10 11", "fewer instructions"},
        {true, "tom=32,0,33.5,0", "tom=32,0,33.5", "expected four numbers"},
        {true, "tom=32,0,33.5,0", "tom=32,0,nan,0", "expected four numbers"},
        {true, " tom=32,0,33.5,0", "", "it has no numbers of a cost model"},
        {true, "tom=32,0,33.5,0", "refined=32,0,33.5,0", "it saves nothing by the cost model"},
        {true, "tom=32,0,33.5,0", "kind=line tom=32,0,33.5,0", "kind: expected one of"},
        {true, "tom=32,0,33.5,0", "from=0 tom=32,0,33.5,0",
         "from: expected a positive whole number"},
        {true, ".pragma \"ptxoffload.end 0\"; ", "", "the end of this block is not tagged"},
        {true, "ptxoffload.end 0", "ptxoffload.end 1", "the kernel has no block with this id"},
        {true, "ptxoffload.end 0", "ptxoffload.begin 0", "a block with this id began before"},
        {true, "ptxoffload.end 0", "ptxoffload.estimate cost=tom", "it has no preceding block"},
        {true, "ptxoffload.end 0", "ptxoffload.module 0", "small tags have no such tag"},
        {true, "options.cost=tom", "options.cost=no", "options.cost: expected one of"},
        {true, "options.cost=tom", "version=2", "version: expected a whole number from 1 to 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        struct tables tables;
        struct diags diags;
        made_tagged(&m);
        const char *at = strstr(m.output.text, cases[i].from);
        assert_non_null(at);
        char *text = arena_printf(&m.program.arena, "%.*s%s%s", (int)(at - m.output.text),
                                  m.output.text, cases[i].to, at + strlen(cases[i].from));
        if (cases[i].forged)
            forge(&m, text, strlen(text));
        bool good = read_again(&m, &tables, &diags, text, strlen(text));
        if (good || !diags.list.n || !strstr(diags.list.v[0].message, cases[i].message))
            fail_msg("case %zu: %s", i, diags.list.n ? diags.list.v[0].message : "taken");
        program_free(&m.program);
    }
}

// Random changes with correct digests: faults are reported, or the tables are well-formed.
static void test_noise(void **state)
{
    (void)state;
    int taken = 0, rounds = IS_SANITIZED ? 1000 : 4000;
    for (int round = 0; round < rounds; round++) {
        struct made m;
        struct tables tables;
        struct diags diags;
        made_tagged(&m);
        m.seed = (uint64_t)round;
        char *text = arena_strndup(&m.program.arena, m.output.text, m.output.length);
        for (uint32_t n = 1 + made_random(&m, 2); n; n--)
            text[made_random(&m, m.output.length)] =
                "0123456789 ='~;\"{}/*.\n\\\xff"[made_random(&m, 25)];
        bool whole = !memcmp(text, m.output.text, m.output.length);
        bool read = read_again(&m, &tables, &diags, text, m.output.length);
        assert_true(whole ? read : !read || repack_equal(text, m.output.text, m.output.length));
        forge(&m, text, m.output.length);
        bool good = read_again(&m, &tables, &diags, text, m.output.length);
        assert_int_equal(good, !diags.errors);
        taken += good;
        if (good)
            assert_null(tables_check(&m.program.arena, &tables));
        program_free(&m.program);
    }
    assert_in_range(taken, rounds / 40, rounds - rounds / 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_texts), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_decided),   cmocka_unit_test(test_layout),
        cmocka_unit_test(test_tampered),  cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
