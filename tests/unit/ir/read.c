// --check reads a text function by function; its reports are those of the whole program.
#include "ir/read.h"
#include "tests/unit/program.h"
#include <stdio.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define BODY "{ .reg .b32 %r<4>; .reg .b64 %d<4>; mov.u32 %r1, %tid.x; ret; }\n"

struct read_case {
    const char *text;
    bool whole; // it is read as a whole, though it has no faults
};

static const struct read_case cases[] = {
    {HEAD ".visible .entry a(.param .u64 p)\n" BODY ".visible .entry b()\n" BODY, false},
    {HEAD ".func f(.reg .u32 x);\n.entry a()\n{ .reg .b32 %r<2>; call f, (%r1); ret; }\n"
          ".func f(.reg .u32 x) { ret; }\n",
     false},
    // A function that is declared only after its use.
    {HEAD ".entry a() { .reg .b32 %r<2>; call f, (%r1); ret; }\n.func f(.reg .u32 x) { ret; }\n",
     true},
    {HEAD ".func f(.reg .u32 x);\n.entry a() { call f, (1, 2); ret; }\n"
          ".func f(.reg .u32 x) { ret; }\n",
     false},
    {HEAD ".func f(.reg .u32 x);\n.entry a() { call f, (1); ret; }\n"
          ".func f(.reg .u64 x) { ret; }\n",
     false},
    // Variables behind their use, and declared twice.
    {HEAD ".entry a() { .reg .b32 %r<2>; ld.global.u32 %r1, [g]; ret; }\n.global .u32 g;\n", false},
    {HEAD ".extern .global .u32 g;\n"
          ".entry a() { .reg .b32 %r<2>; ld.global.u32 %r1, [g]; ret; }\n"
          ".visible .global .u32 g;\n",
     true},
    {HEAD ".extern .shared .b8 g[];\n"
          ".entry a() { .reg .b32 %r<2>; ld.shared.u32 %r1, [g]; ret; }\n"
          ".visible .global .b8 g[4];\n",
     false},
    {HEAD ".entry a() { .reg .b32 %r<2>; mov.u32 %r1, %tid.x; ret; }\n.global .u32 %tid;\n", false},
    {HEAD ".entry a()\n" BODY ".global .u32 %laneid;\n", true},
    // Families outside of functions, before and behind one.
    {HEAD ".global .u32 x1;\n.entry a()\n" BODY ".global .u32 x<4>;\n", false},
    {HEAD ".reg .b32 %q<4>;\n.func a() { mov.u32 %q1, 1; ret; }\n.func b() { ret; }\n", true},
    {HEAD ".func a() { mov.u32 %q1, 1; ret; }\n.reg .b32 %q<4>;\n", false},
    // A name that becomes the prefix of another only in a later function.
    {HEAD ".func a() { .reg .b32 %s1; mov.u32 %s1, 1; ret; }\n"
          ".func b() { .reg .b32 %s<2>; mov.u32 %s1, 1; ret; }\n"
          ".func c() { .reg .b32 %s1; .reg .b32 %s<2>; ret; }\n",
     false},
    // Values of variables in functions, headers in wrong places, prototypes by label.
    {HEAD ".entry a() { .shared .u32 s = 1; ret; }\n", false},
    {HEAD ".entry a()\n" BODY ".target sm_90\n", false},
    {HEAD ".entry a()\n" BODY ".version 7.0\n", false},
    {".entry a()\n" BODY, false},
    {HEAD
     ".entry a() { .reg .b64 %d<2>; p: .callprototype _ (.param .b32 _); call %d1, (1), p; ret;"
     " }\n.entry b() { .reg .b64 %d<2>; p: .callprototype _ (); call %d1, p; ret; }\n",
     false},
    {HEAD
     ".entry a() { .reg .b64 %d<2>; p: .callprototype _ (.param .b32 _); call %d1, (1), p; ret;"
     " }\n.entry b() { .reg .b64 %d<2>; call %d1, (1), p; ret; }\n",
     false},
    // Faults of the syntax, and in one of several functions.
    {HEAD ".entry a() { add.u32 ; }\n.entry b()\n" BODY, false},
    {HEAD ".entry a()\n" BODY ".entry b() { mov.u32 %r1, 1; ret; }\n.entry c() { frob; ret; }\n",
     false},
    {HEAD ".entry a()\n" BODY ".entry b() { bra L; }\n.entry a()\n" BODY, false},
    {HEAD ".entry a() { ret;\n.entry b()\n" BODY, false},
    {HEAD ".entry a() { ret; } }\n.entry b()\n" BODY, false},
    {HEAD ".func a() { ret; }\n.func b();\n.alias b, a;\n.alias a, b;\n", false},
    {HEAD, false},
};

static void read_text(struct test_program *p, const char *text, bool only_check)
{
    struct ir_module module;
    program_parse(p, text, strlen(text));
    diags_init(&p->diags, &p->arena);
    struct ir_reading reading = {.arena = &p->arena,
                                 .source = &p->source,
                                 .tree = &p->tree,
                                 .module = &module,
                                 .diags = &p->diags,
                                 .only_check = only_check};
    ir_read_program(&reading);
    diags_sort(&p->diags);
    assert_memory_equal(p->source.text, text, strlen(text));
}

// Returns true if instructions are left, which is not so after a check that has dropped the bodies.
static bool has_bodies(const struct test_program *p)
{
    return program_find(p, NODE_INSTR, 0) != UINT32_MAX;
}

static void check(const struct read_case *at)
{
    struct test_program each, whole;
    read_text(&each, at->text, true);
    read_text(&whole, at->text, false);
    assert_int_equal(each.diags.list.n, whole.diags.list.n);
    for (uint32_t i = 0; i < whole.diags.list.n; i++) {
        const struct diag *a = &each.diags.list.v[i], *b = &whole.diags.list.v[i];
        if (a->begin != b->begin || a->end != b->end || strcmp(a->message, b->message))
            fail_msg("'%s', not '%s', for:\n%s", a->message, b->message, at->text);
    }
    bool clean = !whole.diags.list.n && !at->whole;
    if (has_bodies(&each) != (!clean && has_bodies(&whole)))
        fail_msg("%s as a whole:\n%s", clean ? "read" : "not read", at->text);
    program_free(&each);
    program_free(&whole);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

// Returns functions with loops, and with a fault in each of the last ones.
static char *make_functions(unsigned count, unsigned faults)
{
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    fputs(HEAD, to);
    for (unsigned i = 0; i < count; i++) {
        fprintf(to, ".entry k%u()\n{\n.reg .b32 %%r<9>;\n.reg .pred %%p;\nmov.u32 %%r1, %u;\n", i,
                i);
        for (unsigned k = 0; k < i % 9; k++)
            fprintf(
                to,
                "L%u:\nadd.u32 %%r%u, %%r1, %%r%u;\nsetp.lt.u32 %%p, %%r1, %u;\n@%%p bra L%u;\n", k,
                k % 3 + 1, k % 4 + 1, i, k / 2);
        fprintf(to, "%sret;\n}\n", i + faults < count ? "" : "add.f32 %r1, %r2, %r3;\n");
    }
    fclose(to);
    return text;
}

// Reads the program on this many threads. Returns it with its reports.
static char *print_read(const char *text, uint32_t threads)
{
    struct test_program p;
    struct ir_module module;
    char *printed;
    size_t length;
    FILE *to = open_memstream(&printed, &length);
    program_parse(&p, text, strlen(text));
    diags_init(&p.diags, &p.arena);
    struct ir_reading reading = {.arena = &p.arena,
                                 .source = &p.source,
                                 .tree = &p.tree,
                                 .module = &module,
                                 .diags = &p.diags,
                                 .threads = threads};
    ir_read_program(&reading);
    assert_int_equal(ir_validate(&module, stderr), 0);
    ir_print(&module, to);
    for (uint32_t i = 0; i < p.diags.list.n; i++)
        fprintf(to, "%u: %s\n", p.diags.list.v[i].begin, p.diags.list.v[i].message);
    fclose(to);
    program_free(&p);
    return printed;
}

static void test_threads(void **state)
{
    (void)state;
    for (unsigned faults = 0; faults <= 3; faults += 3) {
        char *text = make_functions(500, faults), *expected = print_read(text, 1);
        assert_true(strlen(text) > 65536);
        for (uint32_t threads = 2; threads <= 8; threads *= 2) {
            char *printed = print_read(text, threads);
            assert_string_equal(printed, expected);
            free(printed);
        }
        free(expected);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
