// The text after its chains are brought together. Each result is read again and must not change.
#include "tests/unit/passes/kernel.h"
#include "tests/unit/passes/planned.h"

struct example {
    const char *name, *before, *after;
};

enum { MAX_TEXT = 8192 };

static char *body_of(const char *text)
{
    const char *body = text + strlen(KERNEL_HEAD);
    return strndup(body, strlen(body) - strlen(KERNEL_TAIL));
}

// Returns the body after the passes; the caller frees it.
static char *reordered(const char *body, struct pass_options options)
{
    struct planned p;
    char text[MAX_TEXT];
    kernel_text(text, sizeof text, body);
    plan_text(&p, text, options);
    char *after = body_of(planned_output(&p));
    program_free(&p.program);
    return after;
}

static bool check(const struct example *example)
{
    struct pass_options options = {.reorder = true};
    char *after = reordered(example->before, options), *again = reordered(after, options);
    bool same = !strcmp(after, example->after), stays = !strcmp(after, again);
    if (!same)
        print_message("%s:\nexpected\n%sfound\n%s\n", example->name, example->after, after);
    if (!stays)
        print_message("%s, again:\nexpected\n%sfound\n%s\n", example->name, after, again);
    free(after);
    free(again);
    return same && stays;
}

static void check_all(const struct example *examples, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !check(&examples[i]);
    if (wrong)
        fail_msg("%zu of %zu examples", wrong, count);
}

#define CHECK_ALL(examples) check_all(examples, sizeof examples / sizeof *examples)

static void test_declarations(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"the address is declared behind the load",
         "ld.global.f32 %f1, [%a];\n.reg .b64 %n;\nadd.s64 %n, %c, 8;\n"
         "st.global.f32 [%n], %f1;\n",
         ".reg .b64 %n;\nadd.s64 %n, %c, 8;\nld.global.f32 %f1, [%a];\n"
         "st.global.f32 [%n], %f1;\n"},
        {"what the load needs goes in front of it, the declaration stays",
         "ld.global.f32 %f1, [%a];\nadd.s64 %rd1, %b, 8;\n.reg .f32 %n<2>;\n"
         "ld.global.f32 %f2, [%rd1];\nadd.u32 %r1, %ui, 1;\nmov.b32 %n1, %r1;\n"
         "add.f32 %n0, %f1, %f2;\nst.global.f32 [%c], %n0;\n",
         "add.s64 %rd1, %b, 8;\nld.global.f32 %f1, [%a];\n.reg .f32 %n<2>;\n"
         "ld.global.f32 %f2, [%rd1];\n"
         "add.f32 %n0, %f1, %f2;\nst.global.f32 [%c], %n0;\n"
         "add.u32 %r1, %ui, 1;\nmov.b32 %n1, %r1;\n"},
        {"a name that is declared twice is not crossed",
         "{ .reg .f32 %n; }\nld.global.f32 %f1, [%a];\n.reg .b64 %n;\nadd.s64 %n, %c, 8;\n"
         "st.global.f32 [%n], %f1;\n",
         "{ .reg .f32 %n; }\nld.global.f32 %f1, [%a];\n.reg .b64 %n;\nadd.s64 %n, %c, 8;\n"
         "st.global.f32 [%n], %f1;\n"},
    };
    CHECK_ALL(examples);
}

static void test_addresses(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"as in Figure 6",
         "\tadd.s64 %rd1, %a, 4;\n\tld.global.f32 %f1, [%rd1];\n\tadd.s64 %rd2, %b, 4;\n"
         "\tld.global.f32 %f2, [%rd2];\n\tadd.f32 %f3, %f1, %f2;\n\tadd.s64 %rd3, %c, 4;\n"
         "\tst.global.f32 [%rd3], %f3;\n",
         "\tadd.s64 %rd1, %a, 4;\n\tadd.s64 %rd2, %b, 4;\n\tadd.s64 %rd3, %c, 4;\n"
         "\tld.global.f32 %f1, [%rd1];\n\tld.global.f32 %f2, [%rd2];\n"
         "\tadd.f32 %f3, %f1, %f2;\n\tst.global.f32 [%rd3], %f3;\n"},
        {"an address that two chains share",
         "ld.global.f32 %f1, [%a];\nadd.s64 %rd1, %c, 64;\nst.global.f32 [%rd1], %f1;\n"
         "ld.global.f32 %f2, [%rd1+4];\nadd.s64 %rd2, %rd1, 64;\nst.global.f32 [%rd2], %f2;\n",
         "add.s64 %rd1, %c, 64;\nld.global.f32 %f1, [%a];\nst.global.f32 [%rd1], %f1;\n"
         "add.s64 %rd2, %rd1, 64;\nld.global.f32 %f2, [%rd1+4];\nst.global.f32 [%rd2], %f2;\n"},
        {"a constant",
         "ld.global.f32 %f1, [%a];\nmov.f32 %f2, 0f40000000;\nmul.f32 %f3, %f1, %f2;\n"
         "st.global.f32 [%c], %f3;\n",
         "mov.f32 %f2, 0f40000000;\nld.global.f32 %f1, [%a];\nmul.f32 %f3, %f1, %f2;\n"
         "st.global.f32 [%c], %f3;\n"},
        {"what nobody needs goes behind",
         "ld.global.f32 %f1, [%a];\nadd.f32 %f9, %v, %v;\nadd.f32 %f8, %v, %u;\n"
         "add.f32 %f7, %f8, %u;\nst.global.f32 [%c], %f1;\n",
         "ld.global.f32 %f1, [%a];\nst.global.f32 [%c], %f1;\nadd.f32 %f9, %v, %v;\n"
         "add.f32 %f8, %v, %u;\nadd.f32 %f7, %f8, %u;\n"},
        {"the pointer's step stays behind the access",
         "ld.global.f32 %f1, [%a];\nadd.s64 %a, %a, 4;\nst.global.f32 [%c], %f1;\n",
         "ld.global.f32 %f1, [%a];\nst.global.f32 [%c], %f1;\nadd.s64 %a, %a, 4;\n"},
        {"the two loads of pattern 8 come first",
         "ld.global.f32 %f1, [%a];\nmul.f32 %f3, %f1, %u;\nld.global.f32 %f2, [%b];\n"
         "add.f32 %f4, %f2, %f3;\n",
         "ld.global.f32 %f1, [%a];\nld.global.f32 %f2, [%b];\nmul.f32 %f3, %f1, %u;\n"
         "add.f32 %f4, %f2, %f3;\n"},
        {"nothing to do",
         "ld.global.f32 %f1, [%a];\nst.global.f32 [%c], %f1;\nadd.f32 %f9, %v, %v;\n",
         "ld.global.f32 %f1, [%a];\nst.global.f32 [%c], %f1;\nadd.f32 %f9, %v, %v;\n"},
        {"guards stay what they were",
         "@%p ld.global.f32 %f1, [%a];\n@!%q add.s64 %c, %c, 4;\nsetp.eq.u32 %q, %vi, 7;\n"
         "@%p st.global.f32 [%c], %f1;\nsetp.eq.u32 %p, %vi, 9;\n",
         "@!%q add.s64 %c, %c, 4;\n@%p ld.global.f32 %f1, [%a];\n@%p st.global.f32 [%c], %f1;\n"
         "setp.eq.u32 %q, %vi, 7;\nsetp.eq.u32 %p, %vi, 9;\n"},
    };
    CHECK_ALL(examples);
}

static void test_layout(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"comments at the end of a line go along, others stay",
         "\tld.global.f32 %f1, [%a]; // a\n// about c\n\tadd.s64 %rd1, %c, 4; /* c */ // c too\n"
         "\n\tst.global.f32 [%rd1], %f1; // end\n",
         "\tadd.s64 %rd1, %c, 4; /* c */ // c too\n\tld.global.f32 %f1, [%a]; // a\n// about c\n"
         "\n\tst.global.f32 [%rd1], %f1; // end\n"},
        {"an instruction of several lines",
         "\tld.global.f32 %f1, [%a];\n\tadd.s64 // wide\n\t\t%rd1, %c,\n\t\t4;\n"
         "\tst.global.f32 [%rd1], %f1;\n",
         "\tadd.s64 // wide\n\t\t%rd1, %c,\n\t\t4;\n\tld.global.f32 %f1, [%a];\n"
         "\tst.global.f32 [%rd1], %f1;\n"},
        {"several on one line",
         "\tld.global.f32 %f1, [%a]; add.s64 %rd1, %c, 4; st.global.f32 [%rd1], %f1;\n",
         "\tadd.s64 %rd1, %c, 4;\n\tld.global.f32 %f1, [%a]; st.global.f32 [%rd1], %f1;\n"},
        {"from a line of its own into another",
         "\tld.global.f32 %f9, [%d]; ld.global.f32 %f1, [%a];\n\tadd.s64 %rd1, %c, 4;\n"
         "\tst.global.f32 [%rd1], %f1;\n",
         "\tld.global.f32 %f9, [%d]; \tadd.s64 %rd1, %c, 4;\nld.global.f32 %f1, [%a];\n"
         "\tst.global.f32 [%rd1], %f1;\n"},
        {"behind the last of a line",
         "\tld.global.f32 %f1, [%a]; add.s64 %a, %a, 4; st.global.f32 [%c], %f1;\n",
         "\tld.global.f32 %f1, [%a]; st.global.f32 [%c], %f1;add.s64 %a, %a, 4; \n"},
        {"a comment over the line's end",
         "\tld.global.f32 %f1, [%a]; /* from\n a */ add.s64 %rd1, %c, 4;\n"
         "\tst.global.f32 [%rd1], %f1;\n",
         " add.s64 %rd1, %c, 4;\n\tld.global.f32 %f1, [%a]; /* from\n a */ \n"
         "\tst.global.f32 [%rd1], %f1;\n"},
        {"tags go along",
         "\tld.global.f32 %f1, [%a];\n\t.pragma \"ptxoffload.x\"; add.s64 %rd1, %c, 4;\n"
         "\tst.global.f32 [%rd1], %f1;\n",
         "\t.pragma \"ptxoffload.x\"; add.s64 %rd1, %c, 4;\n\tld.global.f32 %f1, [%a];\n"
         "\tst.global.f32 [%rd1], %f1;\n"},
        {"lines that end in CR LF",
         "\tld.global.f32 %f1, [%a];\r\n\tadd.s64 %rd1, %c, 4;\r\n\tst.global.f32 [%rd1], %f1;\r\n",
         "\tadd.s64 %rd1, %c, 4;\r\n\tld.global.f32 %f1, [%a];\r\n"
         "\tst.global.f32 [%rd1], %f1;\r\n"},
        {"a semicolon too many",
         "\tld.global.f32 %f1, [%a];\n\t// begin inline asm\n\tadd.s64 %rd1, %c, 4;;\n"
         "\t// end inline asm\n\tst.global.f32 [%rd1], %f1;\n",
         "\tadd.s64 %rd1, %c, 4;\n\tld.global.f32 %f1, [%a];\n\t// begin inline asm\n\t;\n"
         "\t// end inline asm\n\tst.global.f32 [%rd1], %f1;\n"},
        {"in its scope",
         "\tld.global.f32 %f9, [%b];\n\t{\n\t.reg .b64 %x;\n\tld.global.f32 %f1, [%a];\n"
         "\tadd.s64 %x, %c, 4;\n\tst.global.f32 [%x], %f1;\n\t}\n",
         "\tld.global.f32 %f9, [%b];\n\t{\n\t.reg .b64 %x;\n\tadd.s64 %x, %c, 4;\n"
         "\tld.global.f32 %f1, [%a];\n\tst.global.f32 [%x], %f1;\n\t}\n"},
    };
    CHECK_ALL(examples);
}

#define LOC(line) "\t.loc\t1 " #line " 3\n"

static void test_line_information(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"one source line for all: no copies",
         LOC(4) "\tmov.u32 %r1, 1;\n" LOC(
             5) "\tld.global.f32 %f1, [%a];\n"
                "\tadd.s64 %rd1, %c, 4;\n\tst.global.f32 [%rd1], %f1;\n",
         LOC(4) "\tmov.u32 %r1, 1;\n\t.loc\t1 5 3\n\tadd.s64 %rd1, %c, 4;\n" LOC(
             5) "\tld.global.f32 %f1, [%a];\n\tst.global.f32 [%rd1], %f1;\n"},
        {"each has its own",
         LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(6) "\tadd.s64 %rd1, %c, 4;\n" LOC(
             7) "\tst.global.f32 [%rd1], %f1;\n\tmov.u32 %r1, 1;\n",
         LOC(6) "\tadd.s64 %rd1, %c, 4;\n" LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(6)
             LOC(7) "\tst.global.f32 [%rd1], %f1;\n\tmov.u32 %r1, 1;\n"},
        {"what follows the moved one keeps its line",
         LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(
             6) "\tadd.s64 %a, %a, 4;\n\tst.global.f32 [%c], %f1;\n\tmov.u32 %r1, 1;\n",
         LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(
             6) "\tst.global.f32 [%c], %f1;\n\tadd.s64 %a, %a, 4;\n\tmov.u32 %r1, 1;\n"},
        {"the last of the changed ones has another line than what follows",
         LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(6) "\tadd.s64 %a, %a, 4;\n" LOC(
             7) "\tst.global.f32 [%c], %f1;\n\tmov.u32 %r1, 1;\n",
         LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(6) LOC(7) "\tst.global.f32 [%c], %f1;\n" LOC(
             6) "\tadd.s64 %a, %a, 4;\n" LOC(7) "\tmov.u32 %r1, 1;\n"},
        {"on a shared line",
         LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(
             6) "\tadd.s64 %rd1, %c, 4; st.global.f32 [%rd1], %f1;\n",
         LOC(6) "\tadd.s64 %rd1, %c, 4;\n" LOC(5) "\tld.global.f32 %f1, [%a];\n" LOC(
             6) "\tst.global.f32 [%rd1], %f1;\n"},
        {"inside a line",
         LOC(5) "\tmov.u32 %r1, 1; ld.global.f32 %f1, [%a];\n" LOC(
             6) "\tadd.s64 %rd1, %c, 4;\n"
                "\tst.global.f32 [%rd1], %f1;\n",
         LOC(5) "\tmov.u32 %r1, 1; " LOC(6) "\tadd.s64 %rd1, %c, 4;\n\n" LOC(
             5) "\tld.global.f32 %f1, [%a];\n" LOC(6) "\tst.global.f32 [%rd1], %f1;\n"},
    };
    CHECK_ALL(examples);
}

static void test_split(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"modifiers, a guard and lines",
         "@%p ld.global.f32 %f1, [%a];\n@%p ld.global.f32 %f2, [%b];\n"
         "@%p fma.rz.ftz.sat.f32 %f3,\n %f1, %f2, -0f3F800000;\n",
         "@%p ld.global.f32 %f1, [%a];\n@%p ld.global.f32 %f2, [%b];\n"
         "@%p mul.rz.ftz.f32 %product_f0, %f1, %f2; "
         "@%p add.rz.ftz.sat.f32 %f3, %product_f0, -0f3F800000;\n\n"},
        {"into its own addend, twice",
         "ld.global.f32 %f1, [%a];\nld.global.f32 %f2, [%b];\nfma.rn.f32 %f9, %f1, %f2, %f9;\n"
         "ld.global.u32 %r1, [%c];\nld.global.u32 %r2, [%d];\nmad.lo.s32 %r3, %r1, %r2, %r3;\n",
         "ld.global.f32 %f1, [%a];\nld.global.f32 %f2, [%b];\n"
         "mul.rn.f32 %product_f0, %f1, %f2; add.rn.f32 %f9, %product_f0, %f9;\n"
         "ld.global.u32 %r1, [%c];\nld.global.u32 %r2, [%d];\n"
         "mul.lo.s32 %product_r0, %r1, %r2; add.s32 %r3, %product_r0, %r3;\n"},
        {"a name that is taken",
         "{ .reg .f32 %product_f0; ld.global.f32 %product_f0, [%a]; ld.global.f32 %f2, [%b];\n"
         "mad.f32 %f3, %product_f0, %f2, %v; }\n",
         "{ .reg .f32 %product_f0; ld.global.f32 %product_f0, [%a]; ld.global.f32 %f2, [%b];\n"
         "mul.rn.f32 %product__f0, %product_f0, %f2; add.rn.f32 %f3, %product__f0, %v; }\n"},
    };
    static const char *const declarations[] = {
        "{ .reg .f32 %product_f<1>; .reg .b64 %a",
        "{ .reg .f32 %product_f<1>; .reg .b32 %product_r<1>; .reg .b64 %a",
        "{ .reg .f32 %product__f<1>; .reg .b64 %a",
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct planned p;
        char text[MAX_TEXT];
        kernel_text(text, sizeof text, examples[i].before);
        plan_text(&p, text, (struct pass_options){.fma = FMA_SPLIT, .reorder = i & 1});
        const char *output = planned_output(&p);
        const char *body = strstr(output, "bar.sync 0;\n");
        assert_non_null(body);
        body += strlen("bar.sync 0;\n");
        assert_memory_equal(body, examples[i].after, strlen(examples[i].after));
        assert_non_null(strstr(output, declarations[i]));
        program_free(&p.program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses), cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_layout),    cmocka_unit_test(test_line_information),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
