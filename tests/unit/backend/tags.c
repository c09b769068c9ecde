// Tags: writing, finding, stripping, reading back; and the faults of changed ones.
#include "backend/tables/build.h"
#include "backend/tags/tag_text.h"
#include "tests/lib/sanitized.h"
#include "tests/unit/backend/made.h"
#include "tests/unit/backend/repack.h"
#include "tests/unit/backend/texts.h"
#include <glob.h>

// Opens a second text in the same arena.
static void open_source(struct made *m, struct source *source, const char *text, size_t length)
{
    char *copy = arena_alloc(&m->program.arena, length + 2);
    memcpy(copy, text, length);
    source_init(source, &m->program.arena, "again.ptx", copy, (uint32_t)length);
}

static void assert_same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length != b_length || memcmp(a, b, a_length))
        fail_msg("expected:\n%.*s\nis:\n%.*s", (int)a_length, a, (int)b_length, b);
}

// Stripping the tags gives the text before: the input, if nothing was moved.
static void check_strip(struct made *m, bool moves)
{
    struct source source;
    struct written written;
    uint32_t length;
    open_source(m, &source, m->output.text, m->output.length);
    const char *text = backend_strip(&m->program.arena, &source, &length);
    struct edits none = {0};
    assert_null(writer_apply(&m->program.arena, &m->program.source, moves ? &m->plan.edits : &none,
                             &written));
    assert_same_text(written.text, written.length, text, length);
}

// A second run passes the text through, with the tables of the first one.
static void check_current(struct made *m)
{
    struct source source;
    struct opened opened;
    open_source(m, &source, m->output.text, m->output.length);
    backend_open(&opened, &m->program.arena, &source, &m->options);
    if (!m->output.tables.kernels.n) {
        assert_false(opened.current);
        return;
    }
    if (!opened.current) {
        struct diags diags;
        diags_init(&diags, &m->program.arena);
        tags_read(&opened.tables, &m->program.arena, &source, &diags);
        fail_msg("%s\n%s", diags.list.n ? diags.list.v[0].message : "other options",
                 m->output.text);
    }
    char *first = made_json(&m->output.tables), *second = made_json(&opened.tables);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void check_no_new_lines(struct made *m)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < m->output.length; i++)
        lines += m->output.text[i] == '\n';
    assert_int_equal(lines + 1, source_lines(&m->program.source)->at.n);
}

// Checks that a text that a compiler has packed has the same tags.
static void check_repacked(struct made *m, bool packs)
{
    struct source source;
    struct tables tables;
    struct diags diags;
    uint32_t length;
    char *text = repack(m, m->output.text, m->output.length, packs, &length);
    open_source(m, &source, text, length);
    diags_init(&diags, &m->program.arena);
    bool good = tags_read(&tables, &m->program.arena, &source, &diags);
    if (good != (m->output.tables.kernels.n != 0))
        fail_msg("%s\n%s", good ? "taken" : diags.list.v[0].message, text);
    if (!good)
        return;
    tables.output = m->output.tables.output;
    char *first = made_json(&m->output.tables), *second = made_json(&tables);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

// With other options, the result is made anew from the text without tags.
static void check_other_options(struct made *m)
{
    struct source source;
    struct opened opened;
    struct backend_options options = m->options;
    open_source(m, &source, m->output.text, m->output.length);
    options.passes.fma = FMA_SPLIT;
    backend_open(&opened, &m->program.arena, &source, &options);
    assert_false(opened.current);
    struct tags tags;
    tags_find(&tags, &m->program.arena, &opened.source);
    assert_int_equal(tags.list.n, 0);
    options.passes.fma = FMA_FUSED;
    options.tags = m->options.tags == TAGS_PRAGMA_FULL ? TAGS_COMMENT_FULL : TAGS_PRAGMA_FULL;
    backend_open(&opened, &m->program.arena, &source, &options);
    assert_false(opened.current);
}

static void check_text(const char *text, size_t length, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        struct made m;
        bool moves = i & 1;
        made_emit(&m, text, length, i & 2 ? TAGS_COMMENT_FULL : TAGS_PRAGMA_FULL, moves, seed);
        check_strip(&m, moves);
        check_current(&m);
        check_other_options(&m);
        if (!(i & 2)) {
            check_repacked(&m, true);
            check_repacked(&m, false);
        }
        if (!moves)
            check_no_new_lines(&m);
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

// --tags=none changes nothing; the paper's tags follow their instructions.
static void test_other_styles(void **state)
{
    (void)state;
    static const char text[] =
        KERNEL("ld.global.f32 a, [b];\n\t@p st.global.f32 [c], a ; // end\nret;");
    struct made m;
    made_emit(&m, text, strlen(text), TAGS_NONE, false, 1);
    assert_same_text(text, strlen(text), m.output.text, m.output.length);
    m.plan = (struct plan){.arena = &m.program.arena};
    struct chain chain = {.pattern = 3, .inst = {0, 1}, .count = 2, .response_flits = 1};
    vec_push(&m.program.arena, &m.plan.chains, chain);
    m.options.tags = TAGS_PAPER;
    assert_null(backend_emit(&m.output, &m.program.arena, &m.module, &m.plan, &m.options));
    assert_string_equal(
        m.output.text,
        KERNEL("ld.global.f32 a, [b];[01]\n\t@p st.global.f32 [c], a ;[11] // end\nret;"));
    program_free(&m.program);
}

static void test_layout(void **state)
{
    (void)state;
    static const char text[] =
        KERNEL("\tld.global.f32 a, [b];\n\t@p st.global.f32 [c], a;\n\tret;");
    struct made m;
    made_emit(&m, text, strlen(text), TAGS_NONE, false, 1);
    m.plan = (struct plan){.arena = &m.program.arena};
    struct chain chain = {
        .pattern = 3, .inst = {0, 1}, .count = 2, .response_flits = 1, .saving = 4};
    uint32_t blocks[] = {0};
    struct block_plan block = {.blocks = blocks,
                               .tail = IR_NONE,
                               .block_count = 1,
                               .first = 0,
                               .last = 1,
                               .estimate.candidate = true,
                               .chosen = true};
    vec_push(&m.program.arena, &m.plan.chains, chain);
    vec_push(&m.program.arena, &m.plan.blocks, block);
    m.options.tags = TAGS_PRAGMA_FULL;
    assert_null(backend_emit(&m.output, &m.program.arena, &m.module, &m.plan, &m.options));
    const char *body = strstr(m.output.text, "\n{") + 2;
    static const char first[] =
        " .pragma \"ptxoffload.module version=1 source.file='a ~22test~22.ptx' source.sha256=";
    assert_memory_equal(body, first, strlen(first));
    assert_non_null(
        strstr(body, " .pragma \"ptxoffload.kernel name='k' instructions=3 loads=1 "
                     "shared_bytes=0 service_queue_at_core=true\"; "
                     ".pragma \"ptxoffload.chain-facts id=0 pattern=3 response.kind=ack "
                     "response.flits=1 saving=4 expected_saving=0 places=6:2,7:2\"; "
                     ".pragma \"ptxoffload.block-facts id=0 kind=loop begin_line=6 end_line=7"));
    const char *rest = strchr(body, '\n');
    assert_string_equal(rest, "\n\t.pragma \"ptxoffload.begin 0\"; .pragma \"ptxoffload.chain 0 "
                              "01\"; ld.global.f32 a, [b];"
                              "\n\t.pragma \"ptxoffload.chain 0 11\"; .pragma \"ptxoffload.end "
                              "0\"; @p st.global.f32 [c], a;"
                              "\n\tret;\n}\n");
    program_free(&m.program);
}

// Tags are found only between braces, only in our spelling, and not in comments and strings.
static void test_found(void **state)
{
    (void)state;
    struct made m;
    const char *text = odd_texts[5];
    made_emit(&m, text, strlen(text), TAGS_PRAGMA_FULL, false, 1);
    struct tags tags;
    tags_find(&tags, &m.program.arena, &m.program.source);
    assert_int_equal(tags.list.n, 0);
    check_strip(&m, false);
    program_free(&m.program);
    static const struct {
        const char *text, *stripped;
    } cases[] = {
        {"{ .pragma \"ptxoffload.kernel x\"; ret; }", "{ ret; }"},
        {"{.pragma \"ptxoffload.kernel x\";ret; }", "{ret; }"},
        {"{ .pragma \"ptxoffload.chain 0 01\"; ret; }", "{ ret; }"},
        {"{ .pragma \"ptxoffload.chain 0 01\";ret; }", "{ ret; }"},
        {"{ .pragma \"ptxoffload.chain 0 01\";  ret; }", "{  ret; }"},
        {"{ /*ptxoffload.begin 0*/ ret; }", "{ ret; }"},
        {"{ /*ptxoffload.kernel*/ ret; }", "{ ret; }"},
        {"{ .pragma \"ptxoffload.of a later version\"; ret; }", "{ ret; }"},
        {"{ } .pragma \"ptxoffload.end 0\"; { ret; }", NULL},
        {"{ .pragma \"ptxoffload.end \\\"0\"; }", NULL},
        {"{ .pragma \"ptxoffload.end\n 0\"; }", NULL},
        {"{ .pragma \"ptxoffload.\"; }", NULL},
        {"{ .pragma \"ptxoffload.end 0\" ; }", NULL},
        {"{ .pragma \"ptxoffload.end 0", NULL},
        {"{ /*ptxoffload.end 0", NULL},
        {"{ /*ptxoffload.end 0*", NULL},
        {"{ // .pragma \"ptxoffload.end 0\";", NULL},
        {"{ # .pragma \"ptxoffload.end 0\";", "{ # "},
        {"{\n # .pragma \"ptxoffload.end 0\";", NULL},
        {"{ @@ .pragma \"ptxoffload.end 0\";", NULL},
        {"{ \" .pragma \"ptxoffload.end 0\"; }", NULL},
        {"{ \"\n.pragma \"ptxoffload.end 0\"; }", "{ \"\n}"},
        {"{ .prag/*ptxoffload.end 0*/ ma \"ptxoffload.end 1\"; ret; }", "{ ret; }"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_program p;
        uint32_t length;
        program_parse(&p, cases[i].text, strlen(cases[i].text));
        const char *stripped = backend_strip(&p.arena, &p.source, &length);
        assert_string_equal(stripped, cases[i].stripped ? cases[i].stripped : cases[i].text);
        assert_int_equal(length, strlen(stripped));
        program_free(&p);
    }
}

// Tampering. A small tagged program, with one place changed.

static const char tagged_source[] =
    KERNEL("\tld.global.f32 a, [b];\n\tadd.f32 a, a, a;\n\tst.global.f32 [c], "
           "a;\n\tret;") ".visible .entry l()\n{\n\tld.global.f32 a, "
                         "[b];\n\tst.global.f32 [c], a;\n\tret;\n}\n";

static void made_tagged(struct made *m)
{
    static uint32_t blocks[] = {0};
    made_emit(m, tagged_source, strlen(tagged_source), TAGS_NONE, false, 1);
    m->plan = (struct plan){.arena = &m->program.arena};
    struct chain chains[] = {
        {.pattern = 4, .inst = {0, 1, 2}, .count = 3, .response_flits = 1, .saving = 4},
        {.function = 1, .pattern = 3, .inst = {0, 1}, .count = 2, .response_flits = 1, .saving = 4},
    };
    struct block_plan block = {.blocks = blocks,
                               .tail = IR_NONE,
                               .block_count = 1,
                               .first = 0,
                               .last = 2,
                               .estimate.candidate = true,
                               .chosen = true};
    vec_push(&m->program.arena, &m->plan.chains, chains[0]);
    vec_push(&m->program.arena, &m->plan.chains, chains[1]);
    vec_push(&m->program.arena, &m->plan.blocks, block);
    m->options.tags = TAGS_PRAGMA_FULL;
    assert_null(backend_emit(&m->output, &m->program.arena, &m->module, &m->plan, &m->options));
}

// Returns the text with the first `from` after `behind` replaced.
static char *replaced(struct made *m, const char *behind, const char *from, const char *to)
{
    const char *text = m->output.text, *start = strstr(text, behind);
    assert_non_null(start);
    const char *at = strstr(start, from);
    assert_non_null(at);
    return arena_printf(&m->program.arena, "%.*s%s%s", (int)(at - text), text, to,
                        at + strlen(from));
}

static void test_tampered(void **state)
{
    (void)state;
    static const struct {
        const char *behind, *from, *to, *message;
    } cases[] = {
        // the program
        {"", "add.f32 a, a, a", "add.f32 a, a, b", "the program is not the one that was tagged"},
        // numbers and words
        {"", "saving=4", "saving=5", "the tags were changed"},
        {"", "saving=4", "saving=-4", "saving: expected a whole number"},
        {"", "saving=4", "saving=99999999999999999999", "saving: expected a whole number"},
        {"", "saving=4", "saving=", "saving: expected a whole number"},
        {"", " saving=4", "", "saving: it is missing"},
        {"", "saving=4", "saving=4 saving=4", "saving: unknown, or given twice"},
        {"", "saving=4", "saving=4  x=5", "expected pairs of key=value"},
        {"", "saving=4", "saving=4 x=5", "x: unknown, or given twice"},
        {"", "pattern=4", "pattern=99", "pattern: expected a whole number from 1 to "},
        {"", "kind=ack", "kind=nack", "response.kind: expected one of ack, data, bitmap"},
        {"", "places=6:2", "places=6:0", "places: expected"},
        {"", "places=6:2", "places=6", "places: expected"},
        {"", "places=6:2", "places=6:3", "the tags were changed"},
        {"", " places=6:2,7:2,8:2", "", "places: it is missing"},
        {"", "version=1", "version=2", "version: expected a whole number from 1 to 1"},
        {"", "source.file='a", "source.file='b", "the tags were changed"},
        {"", "source.file='a ~22", "source.file='a ~2g", "source.file: expected a string"},
        {"", "test~22.ptx'", "test~22.ptx", "expected pairs of key=value"},
        {"", "source.sha256=", "source.sha256=0", "source.sha256: expected a SHA-256"},
        {"", "bw_tx=0", "bw_tx=nan", "bw_tx: expected a number"},
        {"", "bw_tx=0", "bw_tx=1e999", "bw_tx: expected a number"},
        {"", "candidate=true", "candidate=yes", "candidate: expected true or false"},
        {"", "candidate=true", "candidate=false", "the block does not begin or end here"},
        {"", "begin_index=0", "begin_index=1", "the block does not begin or end here"},
        {"", "text=", "text=f", "text: expected a SHA-256"},
        // tags that are not there, or twice
        {"", ".pragma \"ptxoffload.end 0\"; ", "",
         "the beginning or end of this block is not tagged"},
        {"", ".pragma \"ptxoffload.end 0\"; ",
         ".pragma \"ptxoffload.end 0\"; .pragma \"ptxoffload.end 0\"; ",
         "the block does not begin or end here"},
        {"", "ptxoffload.end 0", "ptxoffload.end 1", "the kernel has no block with this id"},
        {"", "ptxoffload.begin 0", "ptxoffload.begin", "the kernel has no block with this id"},
        {"", ".pragma \"ptxoffload.chain 0 10\"; ", "",
         "not all instructions of this chain are tagged"},
        {"", "ptxoffload.chain 0 10", "ptxoffload.chain 1 10",
         "the kernel has no chain with this id"},
        {"", "ptxoffload.chain 0 10", "ptxoffload.chain 0 12", "expected an id and 01, 10 or 11"},
        {"", "ptxoffload.chain 0 10", "ptxoffload.chain 0", "expected an id and 01, 10 or 11"},
        {"", "ptxoffload.chain 0 10", "ptxoffload.chain 0 01", "01, 10 …, 11 in this order"},
        {"", "chain-facts id=0", "chain-facts id=1",
         "its id differs from its place among the chains"},
        {"", "block-facts id=0", "block-facts id=9",
         "its id differs from its place among the blocks"},
        {"", " .pragma \"ptxoffload.digest", "; .pragma \"ptxoffload.digested",
         "unknown kind of tag"},
        {"",
         ".pragma \"ptxoffload.kernel name='k' instructions=4 loads=1 "
         "shared_bytes=0 service_queue_at_core=true\"; ",
         "", "no tag 'kernel' precedes"},
        {"", "instructions=4", "instructions=5", "the kernel has fewer instructions"},
        {"", "name='k'", "name='l'", "it belongs to another kernel"},
        {"", "ptxoffload.module", "ptxoffload.+", "this tag does not continue another one"},
        {"\n\n", "", "", NULL},
    };
    for (size_t i = 0; i + 1 < sizeof cases / sizeof *cases; i++) {
        struct made m;
        struct source source;
        struct tables tables;
        struct diags diags;
        made_tagged(&m);
        const char *text = replaced(&m, cases[i].behind, cases[i].from, cases[i].to);
        open_source(&m, &source, text, strlen(text));
        diags_init(&diags, &m.program.arena);
        bool good = tags_read(&tables, &m.program.arena, &source, &diags);
        if (good || !diags.list.n || !strstr(diags.list.v[0].message, cases[i].message))
            fail_msg("case %zu: %s", i, diags.list.n ? diags.list.v[0].message : "taken");
        assert_in_range(diags.list.v[0].end, diags.list.v[0].begin, source.length);
        // A run over it makes it new.
        struct opened opened;
        backend_open(&opened, &m.program.arena, &source, &m.options);
        assert_false(opened.current);
        program_free(&m.program);
    }
}

// A text that is cut before its last token gives a fault, or tables that are complete up to there.
static void test_cut(void **state)
{
    (void)state;
    struct made m;
    made_tagged(&m);
    uint32_t whole = m.output.length;
    while (m.output.text[whole - 1] == '\n')
        whole--;
    for (uint32_t length = 0; length < whole; length++) {
        struct source source;
        struct tables tables;
        struct diags diags;
        open_source(&m, &source, m.output.text, length);
        diags_init(&diags, &m.program.arena);
        assert_false(tags_read(&tables, &m.program.arena, &source, &diags));
        assert_int_not_equal(diags.errors, 0);
    }
    program_free(&m.program);
}

// Random bytes are changed: there is no crash, and the text is never accepted as the written one.
static void test_noise(void **state)
{
    (void)state;
    struct made m;
    made_tagged(&m);
    for (int round = 0; round < (IS_SANITIZED ? 1000 : 3000); round++) {
        struct source source;
        struct tables tables;
        struct diags diags;
        char *text = arena_strndup(&m.program.arena, m.output.text, m.output.length);
        for (uint32_t n = 1 + made_random(&m, 3); n; n--)
            text[made_random(&m, m.output.length)] =
                "0123456789 ='~;\"{}/*.\n\\x\xff"[made_random(&m, 25)];
        open_source(&m, &source, text, m.output.length);
        diags_init(&diags, &m.program.arena);
        bool good = tags_read(&tables, &m.program.arena, &source, &diags);
        assert_true(!good || repack_equal(text, m.output.text, m.output.length));
        assert_true(good || memcmp(text, m.output.text, m.output.length));
    }
    program_free(&m.program);
}

// Corrects the digests, as a deliberate forger would.
static bool forge(struct made *m, char *text, uint32_t length)
{
    struct source source;
    struct tags tags;
    uint32_t plain_length, rest;
    struct source plain;
    struct tag_digests digests;
    open_source(m, &source, text, length);
    tags_find(&tags, &m->program.arena, &source);
    char *stripped = tags_strip(&m->program.arena, &source, &tags, &plain_length);
    open_source(m, &plain, stripped, plain_length);
    tags_digest(&digests, &tags, &plain);
    for (uint32_t i = 0; i < tags.list.n; i++) {
        const struct tag *tag = &tags.list.v[i];
        if (tag_kind(tag->content, tag->length, &rest) != TAG_DIGEST || tag->length != 146)
            continue;
        char *content = text + (tag->content - source.text);
        memcpy(content + 12, digests.text, SHA256_HEX);
        memcpy(content + 82, digests.tags, SHA256_HEX);
        return true;
    }
    return false;
}

// As above, with correct digests: accepted tables can be written and read again.
static void test_forged(void **state)
{
    (void)state;
    int taken = 0, rounds = IS_SANITIZED ? 1000 : 4000;
    for (int round = 0; round < rounds; round++) {
        struct made m;
        struct source source;
        struct tables tables;
        struct diags diags;
        made_tagged(&m);
        m.seed = (uint64_t)round;
        char *text = arena_strndup(&m.program.arena, m.output.text, m.output.length);
        for (uint32_t n = 1 + made_random(&m, 2); n; n--)
            text[made_random(&m, m.output.length)] =
                "0123456789 ='~;\"{}/*.\n\\x\xff"[made_random(&m, 25)];
        bool forged = forge(&m, text, m.output.length);
        open_source(&m, &source, text, m.output.length);
        diags_init(&diags, &m.program.arena);
        bool good = tags_read(&tables, &m.program.arena, &source, &diags);
        assert_true(forged || !good);
        assert_int_equal(good, !diags.errors);
        if (good) {
            taken++;
            struct tables again;
            char *first = made_json(&tables);
            assert_true(tables_read_json(&again, &m.program.arena, first, strlen(first), &diags));
            free(first);
        }
        program_free(&m.program);
    }
    assert_in_range(taken, rounds / 40, rounds - rounds / 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_texts),    cmocka_unit_test(test_samples),
        cmocka_unit_test(test_other_styles), cmocka_unit_test(test_layout),
        cmocka_unit_test(test_found),        cmocka_unit_test(test_tampered),
        cmocka_unit_test(test_cut),          cmocka_unit_test(test_noise),
        cmocka_unit_test(test_forged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
