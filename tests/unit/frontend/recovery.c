// One mistake gives one message: places where parsing resumes after a syntax error.
#include "tests/unit/diagnosed.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"
// The text is in line 5.
#define BODY(text) HEAD ".entry k(.param .u64 p) {\n" text "\nret;\n}\n.func after() { ret; }\n"

static const struct {
    const char *text, *answer;
} examples[] = {
    {BODY("mov.u32 a b; mov.u32 c, 1;"), "5:11 syntax"},
    // a semicolon is missing at the end of a line
    {BODY("mov.u32 a, b\nmov.u32 c, d;"), "6:1 syntax"},
    {BODY("ret\nmov.u32 c, 5;"), "6:9 syntax"},
    {BODY("ret\n.reg .u32 a;"), "6:1 syntax"},
    {BODY("mov.u32 a, b\n.reg .u32 a;"), "6:1 syntax"},
    {BODY("mov.u32 a, b\n@p bra c;"), "6:1 syntax"},
    {BODY("mov.u32 a, 1\nL: bra L;"), "6:1 syntax"},
    {BODY("mov.u32 a, 1\n.pragma \"x\";"), "6:1 syntax"},
    {BODY("mov.u32 a, 1 /* x\n add.u32 */ c;"), "6:13 syntax"},
    {BODY("{ mov.u32 a, 7 }"), "5:16 syntax"},
    {BODY("mov.b64 a, {b, };"), "5:16 syntax"},
    {BODY("call (r), f, (\na\nb\n);"), "7:1 syntax"},
    {BODY(".reg .u32 a b;"), "5:13 syntax"},
    {BODY("mov.u32 a, \"x;"), "5:12 syntax"},
    {BODY("mov.u32 a, #;"), "5:12 syntax"},
    // several in one text
    {BODY("mov.u32 a b;\nmov.u32 a, b\nadd.u32 c d;\n"), "5:11 syntax; 7:1 syntax; 7:11 syntax"},
    {BODY("mov.u32 a b;\nmov.u32 c d;\n"), "5:11 syntax; 6:11 syntax"},
    // a brace is missing
    {HEAD ".entry a() {\nret;\n.visible .entry b()\n{ mov.u32 a b; }", "6:10 syntax; 7:13 syntax"},
    {HEAD ".entry a() {\n{ ret;\n.func b() { ret; }", "6:1 syntax"},
    {HEAD ".entry a() {\nret; }\n}\n.func b() { mov.u32 a b; }", "6:1 syntax; 7:23 syntax"},
    {HEAD ".entry a() {\nret;\n", "6:1 syntax"},
    {HEAD ".entry a()\n.reg .b32 r;\nadd.u32 r, r;\n}\n.func b() { mov.u32 a b; }",
     "5:1 syntax; 8:23 syntax"},
    {HEAD ".entry a()\nret;\n}\n.func b() { mov.u32 a b; }", "5:1 syntax; 7:23 syntax"},
    {HEAD ".func a()\n.reg .b32 r;\n{ ret; }\nret; }\n.func b() { mov.u32 a b; }",
     "5:1 syntax; 8:23 syntax"},
    {HEAD ".func a()\n.shared .b32 r;\nret; \"}\" }\n.func b() { mov.u32 a b; }",
     "6:1 syntax; 7:23 syntax"},
    {HEAD ".func a() { ret; } }\nadd.u32 r, r;\n@p ret;\n/* } */ ret;\n}\n.func b() { ret; }",
     "4:20 syntax; 5:1 syntax"},
    {HEAD ".func a()\n.func b(.param .u32 x)\n.visible .func c() { mov.u32 a b; }", "6:32 syntax"},
    {HEAD ".func a(.param .u32 x\n.func b() { ret; }", "5:1 syntax"},
    // outside of functions
    {HEAD ".global .u32 a\n.global .u32 b;", "5:1 syntax"},
    {HEAD ".global .u32 a b;\n.global .u32 c d;", "4:16 syntax; 5:16 syntax"},
    {HEAD ".entry k(.param .u32 a\n.param .u32 b)\n{\nmov.u32 a b;\n}", "5:1 syntax; 7:11 syntax"},
    // a number without a value
    {BODY("mov.u32 a, 0xZ;"), "5:12 literal"},
    {BODY("mov.u32 a, 18446744073709551616;"), "5:12 literal"},
    {BODY("mov.u32 a, -18446744073709551616+1;"), "5:13 literal"},
    {BODY("mov.u32 a, b[0x1ffffffffffffffff];"), "5:14 literal"},
    {BODY("mov.u32 a, 1/0;"), "5:13 literal"},
    // texts as they come
    {"\xef\xbb\xbf" BODY("mov.u32 a b;"), "1:1 warning non-ascii; 5:11 syntax"},
    {".version 8.8\r\n.target sm_90\r\n.global .u32 a b;\r\n", "3:16 syntax"},
    {HEAD "# 1 \"file.cu\"\n#line 3 \"a\"\n.global .u32 a b;", "6:16 syntax"},
    {HEAD "/* .global\n", "4:1 syntax"},
    {HEAD "// \xc3\xa9\n.global .u32 a; // no end of line", "4:4 warning non-ascii"},
    {HEAD ".global .u32 \xc3\xa9;", "4:14 warning non-ascii; 4:14 syntax"},
    {HEAD ".file 1 \"C:\\a\\\"\n.global .f32 a = .5;\x1a", ""},
};

static void test_recovery(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct test_program p;
        program_parse(&p, examples[i].text, strlen(examples[i].text));
        const char *found = diagnosed(&p);
        if (strcmp(found, examples[i].answer)) {
            print_message("%s\nexpected: %s\nfound:    %s\n", examples[i].text, examples[i].answer,
                          found);
            wrong++;
        }
        program_free(&p);
    }
    if (wrong)
        fail_msg("%zu texts", wrong);
}

// Functions after a missing brace are read; none is lost.
static void test_functions(void **state)
{
    (void)state;
    static const char text[] = HEAD ".entry a() {\nret;\n.entry b() { ret; }\n.func c() { ret; }\n";
    struct test_program p;
    program_parse(&p, text, sizeof text - 1);
    uint32_t functions = 0;
    NODE_EACH (child, &p.tree, 0)
        functions += p.tree.nodes.v[child].kind == NODE_FUNCTION;
    assert_int_equal(functions, 3);
    program_free(&p);
}

// Bytes 0 are reported at their place, except at the end.
static void test_zeros(void **state)
{
    (void)state;
    static const char text[] = HEAD "// a\0\0b\n.entry k() { ret;\0 }\n\0\0";
    struct test_program p;
    program_parse(&p, text, sizeof text - 1);
    assert_string_equal(diagnosed(&p), "4:5 syntax; 5:18 syntax");
    program_free(&p);
    static const char end[] = HEAD ".entry k() { ret; }\n\0\0\0";
    program_parse(&p, end, sizeof end - 1);
    assert_string_equal(diagnosed(&p), "");
    program_free(&p);
}

static void parse_fragment(struct test_program *p, const char *text)
{
    program_parse(p, "", 0);
    size_t length = strlen(text);
    char *copy = arena_alloc(&p->arena, length + 2);
    memcpy(copy, text, length + 1);
    source_init(&p->source, &p->arena, "part.ptx", copy, (uint32_t)length);
    p->source.fragment = true;
    ptx_parse(&p->tree, &p->arena, &p->source, &p->diags);
    assert_null(tree_validate(&p->tree));
}

// Parts of a body are in a function without bytes; parts of a module are at the top level.
static void test_fragments(void **state)
{
    (void)state;
    static const struct {
        const char *text, *answer;
        bool body;
    } cases[] = {
        {"ld.global.f32 %f1, [%rd1];\nL: @%p1 bra L;", "", true},
        {".reg .b32 %r<4>;\nmov.u32 %r1, %f2;", "", true},
        {"// a.b\nadd.s32 %r1, %r2", "2:17 syntax", true},
        {"add.s32 %r1 %r2;", "1:13 syntax", true},
        {".visible .entry k(.param .u64 p)\n{ call f, (p); ret; }", "", false},
        {".visible .global .u32 a;", "", false},
        {"", "", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_program p;
        parse_fragment(&p, cases[i].text);
        assert_string_equal(diagnosed(&p), cases[i].answer);
        uint32_t function = program_find(&p, NODE_FUNCTION, 0);
        bool body = function != UINT32_MAX && p.tree.nodes.v[function].aux == W_func;
        assert_int_equal(body, cases[i].body);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_fragments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
