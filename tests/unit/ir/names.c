// Undeclared names, names declared twice, and those cases that ptxas accepts.
#include "tests/unit/diagnosed.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"
// Line 4 precedes a kernel, whose body is line 6.
#define BODY(text) HEAD "\n.entry k(.param .u64 p) {\n" text "\nret;\n}\n"
#define BEHIND(first, text) HEAD first "\n.entry k(.param .u64 p) {\n" text "\nret;\n}\n"

struct example {
    const char *text, *answer;
};

static void check(const struct example *examples, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct test_program p;
        struct ir_module module;
        program_parse(&p, examples[i].text, strlen(examples[i].text));
        ir_build(&module, &p.arena, &p.tree, &p.diags);
        const char *found = diagnosed(&p);
        if (strcmp(found, examples[i].answer)) {
            print_message("%s\nexpected: %s\nfound:    %s\n", examples[i].text, examples[i].answer,
                          found);
            wrong++;
        }
        program_free(&p);
    }
    if (wrong)
        fail_msg("%zu of %zu texts", wrong, count);
}
#define CHECK(examples) check(examples, sizeof examples / sizeof *examples)

static void test_undeclared(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {BODY("mov.u32 %r1, 0;"), "6:9 undeclared"},
        {BODY("mov.u32 %r1, 0; mov.u32 %r1, %r2;"), "6:9 undeclared; 6:30 undeclared"},
        {BODY("@!q ret;"), "6:3 undeclared"},
        {BODY(".reg .b32 r<4>; mov.u32 r4, 0;"), "6:25 undeclared; +6:11"},
        {BODY(".reg .b32 r<4>; mov.u32 r03, r3;"), ""},
        {BODY(".reg .b32 r<4>; mov.u32 r04, r3;"), "6:25 undeclared; +6:11"},
        {BODY(".reg .b32 r1<4>; mov.u32 r12, 0;"), "6:26 undeclared"},
        {BODY("{ .reg .b32 y; } mov.b32 y, 1;"), "6:26 undeclared"},
        {BODY("mov.u32 a, 0; .reg .u32 a;"), "6:9 undeclared"},
        {BODY(".reg .u64 a; mov.u64 a, zz;"), "6:25 undeclared"},
        {BODY(".reg .u64 a; mov.u64 a, k;"), ""},
        {BODY("call foo, ();"), "6:6 undeclared"},
        {BODY(".reg .u64 a; call a, (), P;"), "6:26 label"},
        {BODY(".reg .u64 a; P: .callprototype _ (); { call a, (), P; }"), ""},
        {BEHIND(".func f(); .global .u64 t[1] = {f};", ".reg .u64 a; call a, (), t;"), ""},
        {BODY("T: .calltargets foo;"), "6:17 undeclared"},
        {BODY("T: .branchtargets L;"), "6:19 label"},
        {HEAD ".entry k() { call f; ret; } .func f() { ret; }", "4:19 undeclared; +4:35"},
        {HEAD ".func f(); .entry k() { call f; ret; } .func f() { ret; }", ""},
        {BEHIND(".shared .u32 s<4>;", ".reg .u32 a; ld.shared.u32 a, [s3];"), ""},
        {BODY(".local .u32 s<4>; .reg .u32 a; ld.local.u32 a, [s4];"), "6:49 undeclared; +6:13"},
        {BEHIND(".reg .u32 r<4>;", "mov.u32 r1, 0;"), ""},
        {HEAD ".global .u64 a = zz;", "4:18 undeclared"},
        {HEAD ".global .u64 a = b; .global .u32 b;", "4:18 undeclared"},
        {HEAD ".global .u32 b; .global .u64 a = generic(b)+4;", ""},
        {HEAD ".alias a, f;", "4:8 undeclared; 4:11 undeclared"},
        {HEAD ".func f() { ret; } .func a(); .alias a, f;", ""},
        {HEAD ".func f() { ret; } .func a() { ret; } .alias a, f;", "4:46 redefinition; +4:26"},
    };
    CHECK(examples);
}

static void test_labels(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {BODY("bra L;"), "6:5 label"},
        {BODY("bra L; bra L;"), "6:5 label"},
        {BODY("{ L: } bra L;"), "6:12 label; +6:3"},
        {BODY("L: L: bra L;"), "6:4 redefinition; +6:1"},
        {BODY("L: { L: bra L; } bra L;"), ""},
        {BODY("{ L: { L: { L: ret; } bra L; } { L: ret; } bra L; } bra L;"), "6:57 label; +6:34"},
        {BODY(".reg .u32 a; a: ret;"), "6:14 redefinition; +6:11"},
        {BODY("a: .reg .u32 a;"), "6:14 redefinition; +6:1"},
        {BODY(".reg .u32 a; { a: bra a; }"), ""},
        {BODY("P: .callprototype _ (); P: .callprototype _ ();"), "6:25 redefinition; +6:1"},
        {BODY("k: bra k;"), ""},
    };
    CHECK(examples);
}

static void test_scopes(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {BODY(".reg .u32 a; .reg .u32 a; mov.u32 a, 0;"), "6:24 redefinition; +6:11"},
        {BODY(".reg .u32 a; { .reg .f32 a; }"), ""},
        {BODY(".reg .u32 %r<5>; .reg .f32 %r3;"), "6:28 redefinition; +6:11"},
        {BODY(".reg .f32 %r3; .reg .u32 %r<5>;"), "6:26 redefinition; +6:11"},
        {BODY(".reg .f32 %r5; .reg .u32 %r<5>;"), ""},
        {BODY(".reg .u32 %r<5>; { .reg .f32 %r3; }"), ""},
        {BODY(".reg .u32 %r<5>; .reg .u32 %r<9>;"), "6:28 redefinition; +6:11"},
        {BODY(".reg .u32 %r<5>; { .reg .u32 %r<9>; mov.u32 %r8, 0; }"), ""},
        {BODY(".reg .u32 r; .reg .u32 r<20>; mov.u32 r, r1;"), ""},
        {BODY(".reg .u32 r1<4>; .reg .u32 r<20>; mov.u32 r12, 0;"), ""},
        {BODY(".reg .u32 p;"), "6:11 redefinition; +5:22"},
        {BODY("{ .reg .u32 p; }"), ""},
        {BODY(".reg .u32 %tid;"), ""},
        {HEAD ".entry k(.param .u32 a, .param .u32 a) { ret; }", "4:37 redefinition; +4:22"},
        {HEAD ".func (.reg .u32 a) k(.reg .u32 a) { ret; }", "4:33 redefinition; +4:18"},
        {HEAD ".global .u32 r<4>; .global .u32 r1;", "4:33 redefinition; +4:14"},
        {BEHIND(".global .u32 g;", ".reg .u32 g; mov.u32 g, 0;"), ""},
    };
    CHECK(examples);
}

// One fault is reported once: a name declared with two types is not checked further.
static void test_variables(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {HEAD ".global .u32 a; .global .u32 a;", "4:30 redefinition; +4:14"},
        {HEAD ".weak .global .u32 a; .weak .global .u32 a;", "4:42 redefinition; +4:20"},
        {HEAD ".extern .global .u32 a; .visible .global .u32 a;", ""},
        {HEAD ".extern .global .u32 a; .extern .global .u32 a;", ""},
        {HEAD ".extern .global .u32 a; .global .u32 a;", "4:38 redefinition; +4:22"},
        {HEAD ".global .u32 a; .extern .global .u32 a;", ""},
        {HEAD ".visible .global .u32 a; .extern .global .u32 a; .visible .global .u32 a;",
         "4:72 redefinition; +4:23"},
        {HEAD ".extern .global .u32 a; .visible .global .f32 a;", "4:47 redefinition; +4:22"},
        {HEAD ".extern .global .u32 a[]; .visible .global .u32 a[4];", ""},
        {HEAD ".extern .global .u32 a[3]; .visible .global .u32 a[4];", "4:50 redefinition; +4:22"},
        {HEAD ".extern .shared .u32 a[]; .extern .shared .u32 a[];", ""},
        {HEAD ".extern .shared .b8 a[]; .extern .shared .u32 a[];", "4:47 redefinition; +4:21"},
        {HEAD ".func f() { ret; } .global .u32 f;", "4:33 redefinition; +4:7"},
    };
    CHECK(examples);
}

static void test_functions(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {HEAD ".func f() {ret;} .func f() {ret;}", "4:24 redefinition; +4:7"},
        {HEAD ".func f(); .func f(); .func f() {ret;}", ""},
        {HEAD ".func f() {ret;} .func f();", "4:24 redefinition; +4:7"},
        {HEAD ".func f(.param .u32 a); .func f() {ret;}", "4:31 redefinition; +4:7"},
        {HEAD ".func f(.param .b32 a); .func f(.param .f32 a) {ret;}", "4:31 redefinition; +4:7"},
        {HEAD ".func f(.param .b32 a); .func f(.param .b32 b) {ret;}", ""},
        {HEAD ".func f(.param .b8 a[4]); .func f(.param .b8 a[8]) {ret;}",
         "4:33 redefinition; +4:7"},
        {HEAD ".func f(.param .align 4 .b8 a[8]); .func f(.param .align 8 .b8 a[8]) {ret;}",
         "4:42 redefinition; +4:7"},
        {HEAD ".func f(.param .align 4 .u32 a); .func f(.param .u32 a) {ret;}", ""},
        {HEAD ".func f(.reg .b32 a); .func f(.param .b32 b) {ret;}", "4:29 redefinition; +4:7"},
        {HEAD ".func (.param .b32 f) f(); .func f() {ret;}", "4:34 redefinition; +4:23"},
        {HEAD ".visible .func f(); .func f() {ret;}", ""},
        {HEAD ".func f(); .visible .func f() {ret;}", "4:27 redefinition; +4:7"},
        {HEAD ".weak .func f(); .func f() {ret;}", ""},
        {HEAD ".extern .func f(); .func f() {ret;}", "4:26 redefinition; +4:15"},
        {HEAD ".func f() .noreturn; .func f() {ret;}", "4:28 redefinition; +4:7"},
        {HEAD ".entry f() {ret;} .func f() {ret;}", "4:25 redefinition; +4:8"},
        {HEAD ".visible .entry f(); .entry f() {ret;}", ""},
    };
    CHECK(examples);
}

// A part that could not be read may declare the name.
static void test_unread(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {BODY(".reg .u32 a b; mov.u32 a, 0;"), "6:13 syntax"},
        {BODY(".reg .u32 %r<9 ; mov.u32 %r3, 0;"), "6:16 syntax"},
        {BODY("add.s32 a b; mov.u32 a, 0;"), "6:11 syntax; 6:22 undeclared"},
    };
    CHECK(examples);
}

static void test_guesses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *guess;
    } cases[] = {
        {BODY(".reg .u32 count; mov.u32 cuont, 0;"), "did you mean 'count'?"},
        {BODY(".reg .u32 %rd<4>; mov.u32 %dr3, 0;"), "did you mean '%rd3'?"},
        {BODY(".reg .u32 a; mov.u32 a, %tdi.x;"), "did you mean '%tid'?"},
        {BODY("$L_exit: bra $L_exti;"), "did you mean '$L_exit'?"},
        {BODY(".reg .u32 r<7>; mov.u32 r7, 0;"), "its family has 7 registers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_program p;
        struct ir_module module;
        program_parse(&p, cases[i].text, strlen(cases[i].text));
        ir_build(&module, &p.arena, &p.tree, &p.diags);
        assert_int_equal(p.diags.errors, 1);
        if (!strstr(p.diags.list.v[0].message, cases[i].guess))
            fail_msg("%s", p.diags.list.v[0].message);
        program_free(&p);
    }
}

static uint32_t target_of(const struct ir_function *fn, uint32_t branch)
{
    for (uint32_t i = 0; i < fn->insts.n; i++)
        if (fn->insts.v[i].op == OP_bra && !branch--)
            return ir_find_operand(fn, i, ROLE_LABEL, 0);
    return IR_NONE;
}

// Each branch goes to the label of the innermost scope around it.
static void test_innermost(void **state)
{
    (void)state;
    static const char text[] =
        BODY("L: ret; { L: ret; { L: ret; bra L; } { bra L; } bra L; { L: ret; } bra L; } bra L;");
    static const uint32_t blocks[] = {2, 1, 1, 1, 0};
    struct test_program p;
    struct ir_module module;
    program_parse(&p, text, sizeof text - 1);
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    const struct ir_function *fn = &module.functions.v[0];
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t operand = target_of(fn, i);
        assert_int_not_equal(operand, IR_NONE);
        uint32_t label = fn->blocks.v[fn->operands.v[operand].index].label;
        uint32_t first = program_find(&p, NODE_LABEL, 0);
        for (uint32_t k = 0; k < blocks[i]; k++)
            first = program_find(&p, NODE_LABEL, first + 1);
        assert_int_equal(label, first);
    }
    program_free(&p);
}

// The name of each register finds it again, and only it.
static void test_shadowed(void **state)
{
    (void)state;
    static const char text[] =
        BODY(".reg .b32 a, r<4>; mov.b32 a, r1; { .reg .b64 a; mov.b64 a, 1; { .reg .b32 r<2>;\n"
             "mov.b32 r0, r1; } mov.b32 r0, r3; } { .reg .pred a; .reg .b32 b; mov.b32 b, r1; }");
    static const char *const names[] = {"a@0",  "r1@0", "a@1", "r0@2", "r1@2",
                                        "r0@0", "r3",   "a@3", "b"};
    struct test_program p;
    struct ir_module module;
    program_parse(&p, text, strlen(text));
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    const struct ir_function *fn = &module.functions.v[0];
    assert_string_equal(diagnosed(&p), "");
    assert_int_equal(fn->registers.n, 1 + sizeof names / sizeof *names);
    for (uint32_t i = 1; i < fn->registers.n; i++) {
        const char *name = ir_register_name(&module, fn, i, &p.arena);
        assert_string_equal(name, names[i - 1]);
        assert_int_equal(ir_find_register(&module, fn, name, strlen(name)), i);
    }
    static const char *const wrong[] = {"a", "a@2", "a@4", "a@", "a@0x", "r1", "r2", "c", "@0", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ir_find_register(&module, fn, wrong[i], strlen(wrong[i])), IR_NONE);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undeclared), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_scopes),     cmocka_unit_test(test_variables),
        cmocka_unit_test(test_functions),  cmocka_unit_test(test_unread),
        cmocka_unit_test(test_guesses),    cmocka_unit_test(test_innermost),
        cmocka_unit_test(test_shadowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
