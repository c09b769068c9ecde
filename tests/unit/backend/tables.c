// The tables of a plan, read back from JSON and from tags; and the faults of invalid documents.
#include "backend/tables/build.h"
#include "tests/unit/backend/made.h"
#include "tests/unit/backend/texts.h"
#include <math.h>

static void same_texts(const char *const *a, uint32_t a_count, const char *const *b,
                       uint32_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (uint32_t i = 0; i < a_count; i++)
        assert_string_equal(a[i], b[i]);
}

static void same_double(double a, double b)
{
    if (!(a == b))
        fail_msg("%.17g is not %.17g", a, b);
}

static void same_estimate(const struct table_estimate *a, const struct table_estimate *b)
{
    assert_int_equal(a->cost, b->cost);
    same_double(a->in, b->in);
    same_double(a->out, b->out);
    same_double(a->saved_tx, b->saved_tx);
    same_double(a->saved_rx, b->saved_rx);
    same_double(a->bw_tx, b->bw_tx);
    same_double(a->bw_rx, b->bw_rx);
    same_double(a->at_tx, b->at_tx);
    same_double(a->at_rx, b->at_rx);
    assert_int_equal(a->threshold_tx, b->threshold_tx);
    assert_int_equal(a->threshold_rx, b->threshold_rx);
    assert_int_equal(a->saves, b->saves);
    assert_int_equal(a->candidate, b->candidate);
}

static void same_chain(const struct table_chain *a, const struct table_chain *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->pattern, b->pattern);
    assert_int_equal(a->response, b->response);
    assert_int_equal(a->response_flits, b->response_flits);
    assert_int_equal(a->saving, b->saving);
    same_double(a->expected_saving, b->expected_saving);
    assert_int_equal(a->instructions.n, b->instructions.n);
    for (uint32_t i = 0; i < a->instructions.n; i++) {
        const struct table_instruction *x = &a->instructions.v[i], *y = &b->instructions.v[i];
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->column, y->column);
        assert_int_equal(x->index, y->index);
        assert_int_equal(x->tag, y->tag);
        assert_string_equal(x->opcode, y->opcode);
    }
}

static void same_block(const struct table_block *a, const struct table_block *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->begin_line, b->begin_line);
    assert_int_equal(a->end_line, b->end_line);
    assert_int_equal(a->begin_index, b->begin_index);
    assert_int_equal(a->end_index, b->end_index);
    same_texts(a->live_in.v, a->live_in.n, b->live_in.v, b->live_in.n);
    same_texts(a->live_out.v, a->live_out.n, b->live_out.v, b->live_out.n);
    assert_int_equal(a->loads, b->loads);
    assert_int_equal(a->stores, b->stores);
    same_estimate(&a->estimate, &b->estimate);
    assert_int_equal(a->has_condition, b->has_condition);
    if (a->has_condition) {
        assert_string_equal(a->condition, b->condition);
        assert_int_equal(a->threshold, b->threshold);
    }
    assert_int_equal(a->passed_over, b->passed_over);
    assert_int_equal(a->alternatives.n, b->alternatives.n);
    for (uint32_t i = 0; i < a->alternatives.n; i++)
        same_estimate(&a->alternatives.v[i], &b->alternatives.v[i]);
}

static void same_rejection(const struct table_rejection *a, const struct table_rejection *b)
{
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->column, b->column);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->rule, b->rule);
    assert_int_equal(a->because_line, b->because_line);
    assert_string_equal(a->text, b->text);
}

static void same_kernel(const struct table_kernel *a, const struct table_kernel *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->instructions, b->instructions);
    assert_int_equal(a->loads, b->loads);
    assert_int_equal(a->shared_bytes, b->shared_bytes);
    assert_int_equal(a->service_queue_at_core, b->service_queue_at_core);
    assert_int_equal(a->chains.n, b->chains.n);
    for (uint32_t i = 0; i < a->chains.n; i++)
        same_chain(&a->chains.v[i], &b->chains.v[i]);
    assert_int_equal(a->blocks.n, b->blocks.n);
    for (uint32_t i = 0; i < a->blocks.n; i++)
        same_block(&a->blocks.v[i], &b->blocks.v[i]);
    assert_int_equal(a->rejected.n, b->rejected.n);
    for (uint32_t i = 0; i < a->rejected.n; i++)
        same_rejection(&a->rejected.v[i], &b->rejected.v[i]);
}

static void same_tables(const struct tables *a, const struct tables *b)
{
    assert_int_equal(a->version, b->version);
    assert_string_equal(a->source.file, b->source.file);
    assert_string_equal(a->source.sha256, b->source.sha256);
    assert_string_equal(a->output.file, b->output.file);
    assert_string_equal(a->output.sha256, b->output.sha256);
    assert_int_equal(a->options.cost, b->options.cost);
    assert_int_equal(a->options.fma, b->options.fma);
    assert_int_equal(a->options.reorder, b->options.reorder);
    assert_int_equal(a->kernels.n, b->kernels.n);
    for (uint32_t i = 0; i < a->kernels.n; i++)
        same_kernel(&a->kernels.v[i], &b->kernels.v[i]);
    char *first = made_json(a), *second = made_json(b);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static bool read_json(struct made *m, struct tables *tables, const char *text, size_t length,
                      struct diags *diags)
{
    diags_init(diags, &m->program.arena);
    return tables_read_json(tables, &m->program.arena, text, length, diags);
}

// Writes the tables in each form and reads them from it.
static void check_forms(struct made *m)
{
    struct tables from_json, from_tags;
    struct diags diags;
    struct source source;
    char *text = made_json(&m->output.tables);
    if (!read_json(m, &from_json, text, strlen(text), &diags))
        fail_msg("%s", diags.list.v[0].message);
    same_tables(&m->output.tables, &from_json);
    free(text);
    if (!m->output.tables.kernels.n)
        return;
    source_init(&source, &m->program.arena, m->options.output_name, m->output.text,
                m->output.length);
    if (!tags_read(&from_tags, &m->program.arena, &source, &diags))
        fail_msg("%s", diags.list.v[0].message);
    same_tables(&m->output.tables, &from_tags);
}

static void test_forms(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 60; seed++)
        for (size_t i = 0; i < ODD_TEXTS; i++) {
            struct made m;
            made_emit(&m, odd_texts[i], strlen(odd_texts[i]), TAGS_PRAGMA_FULL, seed & 1, seed);
            check_forms(&m);
            program_free(&m.program);
        }
}

// Results of other cost models pass through all forms, too.
static void test_alternatives(void **state)
{
    (void)state;
    struct made m;
    const char *text = odd_texts[4];
    uint32_t length;
    made_emit(&m, text, strlen(text), TAGS_NONE, false, 3);
    uint32_t changed = 0;
    for (uint32_t k = 0; k < m.output.tables.kernels.n; k++)
        for (uint32_t i = 0; i < m.output.tables.kernels.v[k].blocks.n; i++) {
            struct table_estimate other = {.cost = COST_REFINED,
                                           .in = 2.5,
                                           .out = 1e-9,
                                           .saved_tx = 1.0 / 7,
                                           .saved_rx = 1e20,
                                           .bw_tx = 1.0 / 3,
                                           .bw_rx = -1e-300,
                                           .at_tx = 1e300,
                                           .at_rx = -0.0,
                                           .threshold_tx = 5,
                                           .saves = SAVES_TX,
                                           .candidate = true};
            vec_push(&m.program.arena, &m.output.tables.kernels.v[k].blocks.v[i].alternatives,
                     other);
            changed++;
        }
    assert_int_not_equal(changed, 0);
    struct bodies bodies;
    bodies_find(&bodies, &m.program.arena, &m.program.tree);
    m.output.text =
        tags_write(&m.program.arena, &bodies, &m.output.tables, TAGS_COMMENT_FULL, &length);
    m.output.length = length;
    tables_digest(m.output.tables.output.sha256, m.output.text, m.output.length);
    check_forms(&m);
    program_free(&m.program);
}

// The plan's contents and their places in the output, checked by hand.
static void test_content(void **state)
{
    (void)state;
    static const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .func f() "
                               "{ ret; }\n.visible .entry k()\n{\n"
                               "\t.reg .pred p; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
                               "\tld.global.f32 %f1, [%rd1];\n" // 0 goes in front of 2
                               "\tmov.f32 %f9, %f8;\n"          // 1
                               "  @p /*;*/ ld .global /* c */ .v2\n.f32 {%f2, %f3}, [%rd2];\n" // 2
                               "\tfma.rn.f32 %f4, %f1, %f2, %f3; ret;\n" // 3 is divided
                               "}\n";
    struct made m;
    made_emit(&m, text, strlen(text), TAGS_NONE, false, 1);
    const struct ir_function *fn = &m.module.functions.v[1];
    const struct node *nodes = m.program.tree.nodes.v;
    const struct node *inst[4];
    for (int i = 0; i < 4; i++)
        inst[i] = &nodes[fn->insts.v[i].node];
    m.plan = (struct plan){.arena = &m.program.arena};
    struct edit edits[] = {
        {EDIT_MOVE, inst[0]->begin, inst[0]->end, inst[2]->begin, "\n", 0},
        {EDIT_REPLACE, inst[3]->begin, inst[3]->end, 0,
         "mul.rn.f32 %f4, %f1, %f2; add.rn.f32 %f4, %f4, %f3;", 0},
    };
    vec_push(&m.program.arena, &m.plan.edits.list, edits[0]);
    vec_push(&m.program.arena, &m.plan.edits.list, edits[1]);
    struct chain chain = {.function = 1,
                          .pattern = 2,
                          .inst = {0, 2, 3},
                          .count = 3,
                          .split = true,
                          .response = RESPONSE_DATA,
                          .response_flits = 5,
                          .saving = 12};
    uint32_t blocks[] = {0};
    struct block_plan block = {
        .tail = IR_NONE,
        .function = 1,
        .kind = BLOCK_BASIC,
        .blocks = blocks,
        .block_count = 1,
        .first = 0,
        .last = 3,
        .loads = 2,
        .stores = 1,
        .estimate =
            {
                .bw_tx = 126.5,
                .bw_rx = -16.25,
                .at_tx = 26,
                .at_rx = -65,
                .threshold = 4,
                .threshold_tx = 5,
                .threshold_rx = 1,
                .saves = SAVES_RX,
                .candidate = true,
                .conditional = true,
            },
        .chosen = true,
        .trip_text = "%r1",
    };
    struct live_value live = {1, 0, W_UNKNOWN, 0}, special = {IR_NONE, SPECIAL_tid, W_x, IR_NONE};
    vec_push(&m.program.arena, &block.live_in, live);
    vec_push(&m.program.arena, &block.live_in, special);
    vec_push(&m.program.arena, &m.plan.chains, chain);
    vec_push(&m.program.arena, &m.plan.blocks, block);
    struct rejection rejection = {1, CANDIDATE_LOAD,     RULE_REUSE,     2,
                                  3, "it is used again", .last = IR_NONE};
    vec_push(&m.program.arena, &m.plan.rejections, rejection);
    m.options =
        (struct backend_options){.tags = TAGS_PRAGMA_FULL,
                                 .passes = {.cost = COST_TOM, .fma = FMA_SPLIT, .reorder = true},
                                 .output_name = "o"};
    assert_null(backend_emit(&m.output, &m.program.arena, &m.module, &m.plan, &m.options));
    assert_int_equal(m.output.tables.kernels.n, 1); // nothing is said of f
    const struct table_kernel *k = &m.output.tables.kernels.v[0];
    assert_int_equal(k->instructions, 6);
    assert_int_equal(k->loads, 2);
    static const struct table_instruction expected[] = {
        {8, 2, 1, 1, "ld.global.f32"},
        {10, 3, 2, 2, "ld.global.v2.f32"},
        {12, 2, 3, 3, "mul.rn.f32"},
    };
    const struct table_chain *c = &k->chains.v[0];
    assert_int_equal(c->instructions.n, 3);
    for (int i = 0; i < 3; i++) {
        const struct table_instruction *is = &c->instructions.v[i];
        assert_int_equal(is->line, expected[i].line);
        assert_int_equal(is->column, expected[i].column);
        assert_int_equal(is->index, expected[i].index);
        assert_int_equal(is->tag, expected[i].tag);
        assert_string_equal(is->opcode, expected[i].opcode);
    }
    const struct table_block *b = &k->blocks.v[0];
    assert_int_equal(b->begin_line, 8);
    assert_int_equal(b->end_line, 12);
    assert_int_equal(b->begin_index, 0); // the mov stands first now
    assert_int_equal(b->end_index, 4);   // the add that the fma has left
    assert_string_equal(b->live_in.v[0], "p");
    assert_string_equal(b->live_in.v[1], "%tid.x");
    assert_true(b->estimate.candidate && b->has_condition && !b->passed_over);
    const struct table_rejection *r = &k->rejected.v[0];
    assert_int_equal(r->line, 10);
    assert_int_equal(r->because_line, 12);
    check_forms(&m);
    program_free(&m.program);
}

// Documents with a single fault.

static const char *const faulty[][3] = {
    {"{", "[", "not a JSON document"},
    {"\"version\"", "\"format\"", "not a JSON document: duplicate object key"},
    {"\"ptxoffload-metadata\"", "\"ptxoffload\"",
     "format: expected the string ptxoffload-metadata"},
    {"\"version\": 1", "\"version\": 2", "version: expected a whole number from 1 to 1"},
    {"\"version\": 1", "\"version\": 1.0", "version: expected a whole number"},
    {"\"version\": 1", "\"version\": \"1\"", "version: expected a whole number"},
    {"\"version\": 1", "\"version\": 99999999999999999999", "not a JSON document: too big integer"},
    {"\"version\"", "\"edition\"", "version: it is missing"},
    {"\"sha256\": \"", "\"sha256\": \"0", "source.sha256: expected a SHA-256 digest"},
    {"\"source\": {", "\"source\": null, \"x\": {", "source: expected an object"},
    {"\"kernels\": [", "\"kernels\": 0, \"x\": [", "kernels: expected a list"},
    {"\"kernels\": [", "\"kernels\": [7,", "kernels[0]: expected an object"},
    {"\"name\": \"k\"", "\"name\": 7", "kernels[0].name: expected a string"},
    {"\"name\": \"k\"", "\"name\": \"\\u0000\"", "not a JSON document"},
    {"\"pattern\": 4", "\"pattern\": 0",
     "kernels[0].chains[0].pattern: expected a whole number from 1 to "},
    {"\"pattern\": 4", "\"pattern\": -4",
     "kernels[0].chains[0].pattern: expected a whole number from 1 to "},
    {"\"kind\": \"ack\"", "\"kind\": \"\"",
     "kernels[0].chains[0].response.kind: expected one of ack, data, bitmap"},
    {"\"tag\": \"01\"", "\"tag\": \"00\"",
     "kernels[0].chains[0].instructions[0].tag: expected one of 01, 10, 11"},
    {"\"tag\": \"01\"", "\"tag\": \"\"",
     "kernels[0].chains[0].instructions[0].tag: expected one of 01, 10, 11"},
    {"\"tag\": \"01\"", "\"tag\": \"11\"", "its tags are not 01, 10 …, 11"},
    {"\"index\": 0", "\"index\": 4", "an instruction lies outside the kernel"},
    {"\"index\": 0", "\"index\": 2147483648",
     "index: expected a whole number from 0 to 2147483647"},
    {"\"index\": 0", "\"index\": 1", "its instructions are not in the order of the output"},
    {"\"line\": 6", "\"line\": 0", "line: expected a whole number from 1"},
    {"\"id\": 0", "\"id\": 1", "its id differs from its place in the list"},
    {"\"end_index\": 2", "\"end_index\": 9", "it is not inside the kernel"},
    {"\"begin_index\": 0", "\"begin_index\": 3", "it ends before it begins"},
    {"\"live_in\": [", "\"live_in\": [\"\"", "live_in: expected a list of names"},
    {"\"live_in\": [", "\"live_in\": [1", "live_in: expected a list of names"},
    {"\"saves\": [", "\"saves\": [\"tx\", \"tx\", ",
     "saves: expected a list, each at most once, of tx, rx"},
    {"\"bw_tx\": 0", "\"bw_tx\": \"0\"", "bw_tx: expected a number"},
    {"\"bw_tx\": 0", "\"bw_tx\": 1e999", "not a JSON document: real number overflow"},
    {"\"condition\": {\"value\"", "\"condition\": {\"x\"", "condition.value: it is missing"},
    {"\"op\": \">=\"", "\"op\": \">\"", "condition.op: expected the string >="},
    {"\"threshold\": 4", "\"threshold\": null", "its condition has no threshold"},
    {"\"threshold_tx\": null", "\"threshold_tx\": 0",
     "threshold_tx: expected a positive whole number, or none"},
    {"\"candidate\": true", "\"candidate\": 1", "candidate: expected true or false"},
    {"\"candidate\": true,\n          \"passed_over\": false",
     "\"candidate\": false, \"passed_over\": true", "it is passed over, but is not a candidate"},
    {"\"alternatives\": [", "\"alternatives\": [{}, ", "alternatives[0].cost: it is missing"},
    {"\"because_line\": null", "\"because_line\": 0",
     "because_line: expected a whole number from 1"},
    {"\"rule\": \"reuse\"", "\"rule\": \"whim\"", "rule: expected one of"},
    {"\"instructions\": 4", "\"instructions\": 2", "an instruction lies outside the kernel"},
    {"\"loads\": 1", "\"loads\": 5", "more loads than instructions"},
};

static void made_document(struct made *m)
{
    static const char text[] =
        KERNEL("\tld.global.f32 a, [b];\n\tadd.f32 a, a, a;\n\tst.global.f32 [c], a;\n\tret;");
    static uint32_t blocks[] = {0};
    made_emit(m, text, strlen(text), TAGS_NONE, false, 1);
    m->plan = (struct plan){.arena = &m->program.arena};
    struct chain chain = {
        .pattern = 4, .inst = {0, 1, 2}, .count = 3, .response_flits = 1, .saving = 4};
    struct block_plan block = {.blocks = blocks,
                               .tail = IR_NONE,
                               .block_count = 1,
                               .first = 0,
                               .last = 2,
                               .estimate.candidate = true,
                               .estimate.conditional = true,
                               .chosen = true,
                               .trip_text = "%r1",
                               .estimate.threshold = 4,
                               .estimate.saves = 3};
    struct rejection rejection = {0,       CANDIDATE_LOAD,     RULE_REUSE,     0,
                                  IR_NONE, "it is used again", .last = IR_NONE};
    vec_push(&m->program.arena, &m->plan.chains, chain);
    vec_push(&m->program.arena, &m->plan.blocks, block);
    vec_push(&m->program.arena, &m->plan.rejections, rejection);
    assert_null(backend_emit(&m->output, &m->program.arena, &m->module, &m->plan, &m->options));
}

static void test_faulty(void **state)
{
    (void)state;
    struct made m;
    made_document(&m);
    char *text = made_json(&m.output.tables);
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
        struct tables tables;
        struct diags diags;
        const char *at = strstr(text, faulty[i][0]);
        assert_non_null(at);
        const char *changed = arena_printf(&m.program.arena, "%.*s%s%s", (int)(at - text), text,
                                           faulty[i][1], at + strlen(faulty[i][0]));
        bool good = read_json(&m, &tables, changed, strlen(changed), &diags);
        bool said = false;
        for (uint32_t j = 0; j < diags.list.n; j++)
            said |= strstr(diags.list.v[j].message, faulty[i][2]) != NULL;
        if (good || !said)
            fail_msg("case %zu: %s", i, diags.list.n ? diags.list.v[0].message : "taken");
    }
    free(text);
    program_free(&m.program);
}

// A document with additional keys is read.
static void test_more_keys(void **state)
{
    (void)state;
    struct made m;
    struct tables tables;
    struct diags diags;
    char *text = NULL;
    size_t length;
    made_document(&m);
    FILE *to = open_memstream(&text, &length);
    report_json(&m.output.tables, to);
    fclose(to);
    assert_true(read_json(&m, &tables, text, length, &diags));
    same_tables(&m.output.tables, &tables);
    free(text);
    program_free(&m.program);
}

static void test_noise(void **state)
{
    (void)state;
    struct made m;
    made_document(&m);
    char *text = made_json(&m.output.tables);
    size_t length = strlen(text);
    char *changed = malloc(length);
    int taken = 0;
    for (size_t cut = 0; cut < length - 1; cut++) {
        struct tables tables;
        struct diags diags;
        assert_false(read_json(&m, &tables, text, cut, &diags));
        assert_in_range(diags.list.v[0].begin, 0, cut);
    }
    for (int round = 0; round < 10000; round++) {
        struct tables tables;
        struct diags diags;
        memcpy(changed, text, length);
        for (uint32_t n = 1 + made_random(&m, 2); n; n--)
            changed[made_random(&m, (uint32_t)length)] =
                "0123456789{}[],:\"nulltrue.-e\\\x80"[made_random(&m, 31)];
        if (!read_json(&m, &tables, changed, length, &diags)) {
            assert_int_not_equal(diags.errors, 0);
            continue;
        }
        char *again = made_json(&tables);
        struct tables second;
        assert_true(read_json(&m, &second, again, strlen(again), &diags));
        same_tables(&tables, &second);
        free(again);
        taken++;
    }
    assert_in_range(taken, 100, 9900);
    free(changed);
    free(text);
    program_free(&m.program);
}

// Memory runs out at any point: the call fails in the normal way, and jansson's memory is freed.
static void test_memory(void **state)
{
    (void)state;
    struct made m;
    made_document(&m);
    char *text = made_json(&m.output.tables);
    volatile bool good = false;
    for (volatile long n = 1; !good; n++) {
        struct memory memory = {0};
        struct arena arena;
        struct diags diags;
        struct tables tables;
        arena_init(&arena, &memory);
        memory.fail_in = n;
        if (!setjmp(memory.on_failure)) {
            diags_init(&diags, &arena);
            good = tables_read_json(&tables, &arena, text, strlen(text), &diags);
            assert_true(good);
        }
        arena_free(&arena);
        assert_int_equal(memory.bytes, 0);
    }
    free(text);
    program_free(&m.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),     cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_content),   cmocka_unit_test(test_faulty),
        cmocka_unit_test(test_more_keys), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
