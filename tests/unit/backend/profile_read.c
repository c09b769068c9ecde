// Reading of profiles, and the faults of invalid ones, each with its place.
#include "backend/tables/profile_read.h"
#include "tests/lib/profiled.h"
#include "tests/unit/program.h"

struct read {
    struct test_program program;
    struct ir_module module;
    struct source source;
    struct diags diags;
    const struct measurements *measured;
};

static void begin(struct read *r, const char *ptx)
{
    program_parse(&r->program, ptx, strlen(ptx));
    ir_build(&r->module, &r->program.arena, &r->program.tree, &r->program.diags);
}

static void parse_profile(struct read *r, const char *text, const struct source *tagged)
{
    diags_init(&r->diags, &r->program.arena);
    source_init(&r->source, &r->program.arena, "p.json", text, (uint32_t)strlen(text));
    r->measured = profile_read(&r->program.arena, &r->source, &r->module, tagged, NULL, &r->diags);
    assert_int_equal(!r->measured, r->diags.errors != 0);
    for (uint32_t i = 0; i < r->diags.list.n; i++)
        assert_string_equal(r->diags.list.v[i].id, "profile");
}

// Returns the document with `from` replaced. Requires that the document contains it.
static const char *changed(struct read *r, const char *from, const char *to)
{
    const char *at = strstr(PROFILED_JSON, from);
    if (!at)
        fail_msg("%s", from);
    return arena_printf(&r->program.arena, "%.*s%s%s", (int)(at - PROFILED_JSON), PROFILED_JSON, to,
                        at + strlen(from));
}

static void test_content(void **state)
{
    (void)state;
    struct read r;
    begin(&r, PROFILED_PTX);
    parse_profile(&r, PROFILED_JSON, NULL);
    assert_int_equal(r.diags.list.n, 0);
    assert_int_equal(strlen(r.measured->sha256), 64);
    const struct measured_function *k = &r.measured->functions[0];
    const struct measured_inst *gather = &k->insts[10];
    assert_int_equal(gather->all.accesses, 8);
    assert_int_equal(gather->all.lines, 20);
    assert_int_equal(gather->all.sectors, 40);
    assert_int_equal(gather->full.accesses, 4);
    assert_int_equal(gather->full.min, 2);
    assert_int_equal(gather->full.max, 4);
    assert_int_equal(gather->l1.accesses, 20);
    assert_int_equal(gather->l1.hits, 5);
    assert_int_equal(gather->l1.merged, 5);
    assert_int_equal(gather->llc.hits, 6);
    assert_int_equal(k->insts[7].all.lines, 8);
    assert_int_equal(k->insts[7].l1.accesses, 0);
    assert_int_equal(k->insts[11].all.lines, 24);
    assert_int_equal(k->loops[0].entries, 64);
    assert_int_equal(k->loops[0].iterations, 256);
    program_free(&r.program);
}

// Several kernels call one function, or a kernel is listed twice: the counts are added.
static void test_sums(void **state)
{
    (void)state;
    struct read r;
    begin(&r, PROFILED_PTX);
    const char *kernel = strstr(PROFILED_JSON, "{\"name\": \"k\", \"launches\"");
    const char *end = strrchr(PROFILED_JSON, ']');
    const char *text = arena_printf(&r.program.arena, "%.*s, %.*s]}", (int)(end - PROFILED_JSON),
                                    PROFILED_JSON, (int)(end - kernel), kernel);
    parse_profile(&r, text, NULL);
    assert_non_null(r.measured);
    assert_int_equal(r.measured->functions[0].insts[10].all.lines, 40);
    assert_int_equal(r.measured->functions[0].insts[10].all.min, 1);
    assert_int_equal(r.measured->functions[0].insts[10].l1.hits, 10);
    assert_int_equal(r.measured->functions[0].loops[0].entries, 128);
    assert_int_equal(r.measured->functions[0].loops[0].max, 4);
    program_free(&r.program);
}

#define LOOP                                                                                       \
    "{\"line\": 15, \"column\": 1, \"index\": 7, \"entries\": 64, \"iterations\": 256, "           \
    "\"least\": 4, "                                                                               \
    "\"most\": 4}"
#define GATHER "kernels[0].functions[0].instructions[2]"

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message; // the message begins so
    } rows[] = {
        {"\"format\"", "format", "not a JSON document: "},
        {"\"version\": 1,", "", "version: it is missing"},
        {"\"version\": 1", "\"version\": 2", "version: expected a whole number from 1 to 1"},
        {"ptxoffload-profile", "ptxoffload-run", "format: expected the string ptxoffload-profile"},
        {"\"line_bytes\": 128", "\"line_bytes\": 64", "line_bytes: expected"},
        {"\"launches\": 1", "\"launches\": -1",
         "kernels[0].launches: expected a whole number from 0 to 9223372036854775807"},
        {"\"launches\": 1", "\"launches\": 1.5", "kernels[0].launches: expected a whole"},
        {"\"launches\": 1", "\"launches\": 1, \"launches\": 1", "not a JSON document: duplicate"},
        {"\"functions\": [", "\"functions\": 7, \"more\": [", "kernels[0].functions: expected a"},
        {"[{\"name\": \"k\",\n", "[{\"name\": \"other\",\n",
         "kernels[0].functions[0].name: the program has no function of this name"},
        {"\"line\": 18", "\"line\": 17",
         GATHER ": instruction 10 of the function is not at line 17, column 1"},
        {"\"index\": 10", "\"index\": 9",
         GATHER ": instruction 9 of the function is not at line 18, column 1"},
        {"\"index\": 10", "\"index\": 16", GATHER ": instruction 16 of the function is not"},
        {"\"line\": 15, \"column\": 1, \"index\": 7, \"entries\"",
         "\"line\": 16, \"column\": 1, \"index\": 8, \"entries\"",
         "kernels[0].functions[0].loops[0]: no loop of the function begins there"},
        {"\"entries\": 64", "\"entries\": 0",
         "kernels[0].functions[0].loops[0]: iterations without an entry"},
        {"\"iterations\": 256", "\"iterations\": 64",
         "kernels[0].functions[0].loops[0]: the mean of the iterations"},
        {"\"least\": 4, \"most\": 4", "\"least\": 0, \"most\": 4",
         "kernels[0].functions[0].loops[0]: the mean of the iterations"},
        {"\"lines\": 20", "\"lines\": 33", GATHER ".memory: the mean of the lines is not between"},
        {"\"lines\": 20", "\"lines\": 7", GATHER ".memory: the mean of the lines is not between"},
        {"\"most_lines\": 4", "\"most_lines\": 513", GATHER ".memory: the mean of the lines"},
        {"\"lines\": 20, \"sectors\": 40", "\"lines\": 20, \"sectors\": 19",
         GATHER ".memory: fewer sectors than lines"},
        {"\"accesses\": 4, \"lines\": 12", "\"accesses\": 9, \"lines\": 19",
         GATHER ".memory: 'full' counts more than 'all'"},
        {"\"accesses\": 0, \"lines\": 0", "\"accesses\": 0, \"lines\": 1",
         "kernels[0].functions[0].instructions[3].memory: lines without an access"},
        {"\"hits\": 5, \"merged\": 5", "\"hits\": 16, \"merged\": 5",
         GATHER ".memory: 'l1' has more hits and merges than accesses"},
        {"\"hits\": 6", "\"hits\": 11", GATHER ".memory: 'llc' has more hits and merges"},
        {"{\"line\": 13, \"column\": 1, \"index\": 6",
         "{\"line\": 18, \"column\": 1, \"index\": 10",
         GATHER ": instruction 10 of the function is listed twice"},
        {"\"loops\": [", "\"loops\": [" LOOP ", ",
         "kernels[0].functions[0].loops[1]: the loop is listed twice"},
        {"\"functions\": [",
         "\"functions\": [{\"name\": \"k\", \"instructions\": [], \"loops\": []}, ",
         "kernels[0].functions[1].name: the kernel lists this function twice"},
        {"\"lines\": 20", "\"lines\": 20000000000000000000",
         "not a JSON document: too big integer"},
        {"\"hits\": 6, \"merged\": 0", "\"hits\": 6", GATHER ".memory.llc.merged: it is missing"},
        {"\"uniform\": 0}",
         "\"uniform\": 0, \"memory\": {\"all\": {\"accesses\": 0, \"lines\": 0, \"sectors\": 0, "
         "\"least_lines\": 0, \"most_lines\": 0, \"uniform_addresses\": 0}, \"full\": "
         "{\"accesses\": 0, \"lines\": 0, \"sectors\": 0, \"least_lines\": 0, \"most_lines\": 0, "
         "\"uniform_addresses\": 0}, \"shared\": 0}}",
         "kernels[0].functions[0].instructions[0].memory: the instruction accesses no memory"},
    };
    struct read r;
    begin(&r, PROFILED_PTX);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parse_profile(&r, changed(&r, rows[i].from, rows[i].to), NULL);
        const char *message = r.diags.list.n ? r.diags.list.v[0].message : "none";
        if (!r.diags.errors || strncmp(message, rows[i].message, strlen(rows[i].message)))
            fail_msg("%s -> %s: %s", rows[i].from, rows[i].to, message);
    }
    parse_profile(&r, "", NULL);
    assert_int_equal(r.diags.errors, 1);
    program_free(&r.program);
}

// Counts near the maximum: bounds are exact where a quotient of doubles is not.
static void test_huge_counts(void **state)
{
    (void)state;
    struct read r;
    begin(&r, PROFILED_PTX);
    const char *loop = "\"entries\": 64, \"iterations\": 256, \"least\": 4, \"most\": 4";
    parse_profile(&r,
                  changed(&r, loop,
                          "\"entries\": 3074457345618258602, \"iterations\": 9223372036854775806, "
                          "\"least\": 3, \"most\": 3"),
                  NULL);
    assert_non_null(r.measured);
    parse_profile(&r,
                  changed(&r, loop,
                          "\"entries\": 3074457345618258602, \"iterations\": 9223372036854775807, "
                          "\"least\": 3, \"most\": 3"),
                  NULL);
    assert_null(r.measured);
    program_free(&r.program);
}

// All faults of a document are reported, each at its place.
static void test_several(void **state)
{
    (void)state;
    struct read r;
    begin(&r, PROFILED_PTX);
    parse_profile(&r, changed(&r, "\"line\": 18", "\"line\": 0, \"executions\": -1, \"line\": 18"),
                  NULL);
    assert_int_equal(r.diags.errors, 1); // a key twice is no JSON here
    parse_profile(&r, changed(&r, "\"line\": 18, \"column\": 1", "\"line\": 0, \"column\": \"x\""),
                  NULL);
    assert_int_equal(r.diags.errors, 2);
    program_free(&r.program);
}

static void test_other_program(void **state)
{
    (void)state;
    struct read r;
    struct source tagged;
    begin(&r, PROFILED_PTX "\n");
    parse_profile(&r, PROFILED_JSON, NULL);
    assert_int_equal(r.diags.errors, 1);
    const char *message = r.diags.list.v[0].message;
    assert_non_null(strstr(message, "source.sha256: the profile is of another program: 'k.ptx'"));
    assert_non_null(strstr(message, PROFILED_SHA256));
    // That of the text as it was given, whose tags are gone now.
    source_init(&tagged, &r.program.arena, "k.ptx", PROFILED_PTX, (uint32_t)strlen(PROFILED_PTX));
    parse_profile(&r, PROFILED_JSON, &tagged);
    assert_int_equal(r.diags.errors, 1);
    assert_non_null(strstr(r.diags.list.v[0].message, "the tagged text"));
    program_free(&r.program);
}

// Later versions may add keys: each unknown key gives one warning, however often it occurs.
static void test_unknown_keys(void **state)
{
    (void)state;
    struct read r;
    begin(&r, PROFILED_PTX);
    parse_profile(&r, changed(&r, "\"launches\": 1", "\"launches\": 1, \"cycles\": 7"), NULL);
    assert_int_equal(r.diags.warnings, 1);
    assert_string_equal(r.diags.list.v[0].message, "kernels[0].cycles: unknown key, ignored");
    const char *text = changed(&r, "\"opcode\": \"mov.u32\"", "\"opcode\": \"mov.u32\", \"x\": 0");
    const char *second = strstr(text, "\"opcode\": \"ld.global.u32\"");
    parse_profile(
        &r, arena_printf(&r.program.arena, "%.*s\"x\": 1, %s", (int)(second - text), text, second),
        NULL);
    assert_int_equal(r.diags.warnings, 1);
    program_free(&r.program);
}

// Ten thousand unknown keys give one warning each.
static void test_many_unknown_keys(void **state)
{
    (void)state;
    enum { KEYS = 10000, LENGTH = 24 };
    struct read r;
    begin(&r, PROFILED_PTX);
    char *keys = arena_alloc(&r.program.arena, KEYS * LENGTH + 32), *end = keys;
    end += sprintf(end, "\"launches\": 1");
    for (int i = 0; i < KEYS; i++)
        end += sprintf(end, ", \"key%d\": 0", i);
    parse_profile(&r, changed(&r, "\"launches\": 1", keys), NULL);
    assert_int_equal(r.diags.warnings, KEYS);
    program_free(&r.program);
}

// Memory runs out at any point: the call fails in the normal way, and jansson's memory is freed.
static void test_memory(void **state)
{
    (void)state;
    struct read r;
    begin(&r, PROFILED_PTX);
    volatile bool good = false;
    for (volatile long n = 1; !good; n++) {
        struct memory memory = {0};
        struct arena arena;
        struct diags diags;
        arena_init(&arena, &memory);
        memory.fail_in = n;
        if (!setjmp(memory.on_failure)) {
            struct source source;
            diags_init(&diags, &arena);
            source_init(&source, &arena, "p.json", PROFILED_JSON, (uint32_t)strlen(PROFILED_JSON));
            good = profile_read(&arena, &source, &r.module, NULL, NULL, &diags);
            assert_true(good);
        }
        arena_free(&arena);
        assert_int_equal(memory.bytes, 0);
    }
    program_free(&r.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_other_program),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_many_unknown_keys),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_huge_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
