// The checker: its reports and their places, and valid code.
#include "ir/check.h"
#include "tests/unit/program.h"

#define MODULE(version, target, body)                                                              \
    ".version " version "\n.target " target "\n.address_size 64\n.visible .entry k()\n{\n"         \
    ".reg .pred p<4>; .reg .b16 h<4>; .reg .u32 r<4>; .reg .b32 b<4>; .reg .f32 f<4>;\n"           \
    ".reg .u64 d<4>; .reg .f64 e<4>; .reg .v2 .f32 v;\n" body "\nret;\n}\n"
#define BODY(body) MODULE("9.0", "sm_90", body)

// Returns all findings as "error operand-type f1; warning modifier .foo".
static const char *findings(struct test_program *p, const char *text)
{
    program_parse(p, text, strlen(text));
    struct ir_module module;
    ir_build(&module, &p->arena, &p->tree, &p->diags);
    ir_check(&module, forms_new(&p->arena), &p->diags);
    const char *list = "";
    for (uint32_t i = 0; i < p->diags.list.n; i++) {
        const struct diag *diag = &p->diags.list.v[i];
        list = arena_printf(&p->arena, "%s%s%s %s %.*s", list, i ? "; " : "",
                            diag->severity == DIAG_ERROR  ? "error"
                            : diag->severity == DIAG_NOTE ? "note"
                                                          : "warning",
                            diag->id, (int)(diag->end - diag->begin), text + diag->begin);
    }
    return list;
}

struct finding_case {
    const char *text, *findings;
};

static void expect(const struct finding_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct test_program p;
        const char *found = findings(&p, cases[i].text);
        if (strcmp(found, cases[i].findings))
            fail_msg("'%s', not '%s', for:\n%s", found, cases[i].findings, cases[i].text);
        program_free(&p);
    }
}
#define EXPECT(cases) expect(cases, sizeof cases / sizeof *cases)

static void test_clean(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("add.u32 r0, b1, 5;"), ""},
        {BODY("add.f32 f0, f1, 1.5; add.f32 f0, v.x, b1;"), ""},
        {BODY("setp.lt.and.f32 p0|p1, f0, 0f3f800000, !p2; setp.eq.u32 p0|_, r0, 0;"), ""},
        {BODY("mul.wide.u32 d0, r1, 3; popc.b64 b0, d1;"), ""},
        {BODY("cvt.u16.u32 r0, %laneid; cvt.sat.u8.u32 h0, r1;"), ""},
        {BODY("vadd.u32.s32.u32.sat r0.h1, b1.b3, r2, b3; vmad.u32.u32.u32 r0, -r1, r2, r3;"), ""},
        {BODY("lop3.or.b32 r0|p0, r1, 2, r3, 0x80, p1;"), ""},
    };
    EXPECT(cases);
}

static void test_braces(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("ld.u32 {r0}, [d1]; st.f32 [d1], {f0}; ldu.global.u32 {r0}, [d1];"), ""},
        {".global .surfref su;" BODY("suld.b.1d.b32.trap {r0}, [su, {r1}];"), ""},
        {".global .surfref su;" BODY("sust.b.1d.b32.trap [su, {r1}], {r0};"), ""},
        {BODY("ld.v2.u32 {r0}, [d1];"), "error operand-type {r0}"},
        {BODY("atom.add.u32 r0, [d1], {r1};"), "error operand-type {r1}"},
        {BODY("add.u32 r0, r1, {r1};"), "error operand-type {r1}"},
    };
    EXPECT(cases);
}

static void test_addresses(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("ld.u32 r0, [d1+4]; ld.u32 r0, [d1+-4]; ld.u32 r0, [d1 + (2*4)];"), ""},
        {BODY("ld.u32 r0, [d1+4-2]; ld.u32 r0, [ d1 /* here */ ];"), ""},
        {BODY("ld.u32 r0, [d1-4];"), "error operand-type d1-4"},
        {BODY("ld.u32 r0, [d1+d2];"), "error operand-type d1+d2"},
        {BODY("ld.u32 r0, [d1*2];"), "error operand-type d1*2"},
        {BODY("ld.u32 r0, [4+d1];"), "error operand-type 4+d1"},
        {BODY("ld.u32 r0, [-d1];"), "error operand-type -d1"},
    };
    EXPECT(cases);
}

// Modules as compilers wrote them for the first targets.
static void test_old_modules(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {".version 1.4\n.target sm_13\n.entry k (.param .u32 a) {\n"
         ".reg .u32 $r<3>; .reg .f32 $f<3>;\n"
         "ld.param.u32 $r1, [a]; ld.global.f32 $f1, [$r1+0]; st.global.f32 [$r1+4], $f1; exit; }",
         ""},
        {".version 1.3\n.target sm_11\n.entry k {\n.param .u32 a; .shared .b32 s[4];\n"
         ".reg .u32 $r<5>; .reg .f32 $f<3>; .reg .pred $p<2>; .reg .u16 $rh<3>;\n"
         "ld.param.u32 $r1, [a]; mul24.lo.u32 $r1, $r2, $r3; mad24.lo.u32 $r1, $r2, $r3, $r1;\n"
         "cvt.u32.u16 $r2, %tid.x; mul.wide.u16 $r3, $rh1, $rh2; bar.sync 0;\n"
         "mov.u16 $rh1, %ctaid.x; div.f32 $f1, $f2, $f1; rcp.f32 $f1, $f2; sin.f32 $f1, $f2;\n"
         "mad.f32 $f1, $f2, $f1, $f2; setp.lt.s32 $p1|$p0, $r1, $r2; @$p1 bra $L;\n"
         "ld.shared.f32 $f1, [s+4]; atom.global.add.u32 $r1, [$r2], $r3;\n$L: exit; }",
         ""},
        {".version 1.4\n.target sm_12\n.entry k { .reg .u32 $r<3>; .reg .pred $p<2>;\n"
         "vote.all.pred $p1, $p0; atom.shared.add.u32 $r1, [$r2], 1; membar.gl; exit; }",
         ""},
        {".version 1.2\n.target sm_10\n.entry k { .reg .u32 $r<3>;\n"
         "atom.global.add.u32 $r1, [$r2], 1; exit; }",
         "error target atom.global.add.u32"},
    };
    EXPECT(cases);
}

static void test_data(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {".global .b32 v[2][2] = {{1}, {3, 4}}; .global .v2 .f32 w = {1.0, 2.0};\n"
         ".global .u64 a = v; .global .u64 b = v+4; .global .u64 c = generic(v)+8;\n"
         ".global .u8 m[2] = {0xff(v), 0xFF00(generic(v))}; .global .s64 s = 1.5<2.5;\n",
         ""},
        {".global .b32 v = {1};", "error operand-type {1}"},
        {".global .b32 v[2] = 1;", "error operand-type 1"},
        {".global .b32 v[2] = {1, 2, 3};", "error operand-type 3"},
        {".global .b32 v[2][2] = {1, 2};", "error operand-type 1"},
        {".global .f32 v = 1;", "error operand-type 1"},
        {".global .u32 v = 1.5;", "error operand-type 1.5"},
        {".global .f64 v = 1.5*2;", "error operand-type 1.5*2"},
        {".shared .b32 s; .global .u64 v = s;", "error operand-type s"},
        {".global .b32 g; .global .f64 v = g;", "error operand-type g"},
        {".global .b32 g; .global .u64 v = g-4;", "error operand-type g-4"},
        {".global .b32 g; .global .u64 v = generic(g+4);", "error operand-type generic(g+4)"},
        {".global .b32 g; .global .u8 v = 0xf0(g);", "error operand-type 0xf0(g)"},
        {".global .b32 g; .global .u16 v = 0xff(g);", "error operand-type 0xff(g)"},
    };
    EXPECT(cases);
}

static void test_unified(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("ld.global.u32 r0, [d1].unified; ld.u32 r0, [d1+4].unified;"), ""},
        {BODY("atom.global.add.u32 r0, [d1].unified, 1; ldu.global.u32 r0, [d1].unified;"), ""},
        {BODY("st.global.u32 [d1].unified, r0;"), "error operand-type [d1].unified"},
        {BODY("ld.shared.u32 r0, [d1].unified;"), "error operand-type [d1].unified"},
        {".global .u32 g;" BODY("ld.global.u32 r0, [g].unified;"),
         "error operand-type [g].unified"},
        {BODY("ld.global.u32 r0, [d1].foo;"), "error syntax .foo"},
    };
    EXPECT(cases);
}

// Where two words could fill each other's slot, their order counts.
static void test_order(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 d0, 1.0;"), ""},
        {BODY("createpolicy.fractional.L2::evict_first.L2::evict_last.b64 d0, 1.0;"),
         "error modifier .L2::evict_last"},
    };
    EXPECT(cases);
}

static void test_values(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("cp.async.ca.shared.global [r1], [d2], 8; bar.arrive 1, 64;"), ""},
        {BODY("cp.async.ca.shared.global [r1], [d2], 12;"), "error operand-type 12"},
        {BODY("bar.arrive 1, 33;"), "error operand-type 33"},
        {".version 4.0\n.target sm_30\n.global .samplerref s;\n"
         ".entry k() { .reg .b32 b; txq.force_unnormalized_coords.b32 b, [s]; }",
         "error target txq.force_unnormalized_coords.b32"},
        {".version 4.0\n.target sm_30, texmode_independent\n.global .samplerref s;\n"
         ".entry k() { .reg .b32 b; txq.force_unnormalized_coords.b32 b, [s]; }",
         ""},
    };
    EXPECT(cases);
}

// Statements with syntax errors get no further reports.
static void test_errors(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("add.u32 r0 r1, r2;"), "error syntax r1"},
        {BODY("add.foo r0 r1, r2;"), "error syntax r1"},
        {BODY("add.u32 r0 r1, r2; add.foo.u32 r0, r1, r2;"),
         "error syntax r1; error modifier .foo"},
    };
    EXPECT(cases);
}

static void test_modifiers(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("add.foo.u32 r0, r1, r2;"), "error modifier .foo"},
        {BODY("add.u32.sat r0, r1, r2;"), "error modifier .sat"},
        {BODY("add r0, r1, r2;"), "error modifier add"},
        {BODY("@p0 mul .u32 .lo r0, r1, r2;"), "error modifier .lo"},
        {BODY("mul.lo r0, r1, r2;"), "error modifier mul.lo"},
        {BODY("add.rn.rn.f32 f0, f1, f2;"), "error modifier .rn"},
        {MODULE("9.9", "sm_90", "add.foo.u32 r0, r1, r2;"), "warning modifier .foo"},
    };
    EXPECT(cases);
}

static void test_operands(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("add.u32 r0, r1;"), "error operands add.u32 r0, r1;"},
        {BODY("setp.lt.u32 p0, r1, r2, p1;"), "error operands setp.lt.u32 p0, r1, r2, p1;"},
        {BODY("setp.lt.and.u32 p0, r1, r2;"), "error operands setp.lt.and.u32 p0, r1, r2;"},
        {BODY("add.u32 r0, r1, f2;"), "error operand-type f2"},
        {BODY("add.u32 r0, r1, d2;"), "error operand-type d2"},
        {BODY("add.u32 d0, r1, r2;"), "error operand-type d0"},
        {BODY("add.f32 f0, f1, r2;"), "error operand-type r2"},
        {BODY("add.f32 f0, f1, 1;"), "error operand-type 1"},
        {BODY("add.u32 r0, r1, 1.0;"), "error operand-type 1.0"},
        {BODY("add.u32 5, r1, r2;"), "error operand-type 5"},
        {BODY("add.u32 _, r1, r2;"), "error operand-type _"},
        {BODY("add.u32 r0, %laneid, r2;"), "error operand-type %laneid"},
        {BODY("add.u32 r0, [r1], r2;"), "error operand-type [r1]"},
        {BODY("add.u32 r0, {r1, r2}, r2;"), "error operand-type {r1, r2}"},
        {BODY("add.u32 r0, r1.b0, r2;"), "error operand-type r1.b0"},
        {BODY("add.f32 f0, v, f2;"), "error operand-type v"},
        {BODY("add.u32 r0|p0, r1, r2;"), "error operand-type r0|p0"},
        {BODY("lop3.or.b32 r0, r1, r2, r3, 1, p1;"), "error operand-type r0"},
        {BODY("lop3.b32 r0, r1, r2, r3, r0;"), "error operand-type r0"},
        {BODY("setp.lt.and.u32 r0, r1, r2, p1;"), "error operand-type r0"},
        {BODY("setp.lt.and.u32 _|_, r1, r2, p1;"), "error operand-type _|_"},
        {BODY("selp.b32 r0, r1, r2, r3;"), "error operand-type r3"},
        {BODY("@r0 add.u32 r0, r1, r2;"), "error operand-type @r0"},
        {BODY("vadd.u32.u32.u32 r0, r1.b4, r2;"), "error operand-type r1.b4"},
        {BODY("vadd.u32.u32.u32 r0, -r1, r2;"), "error operand-type -r1"},
        {BODY("vadd2.u32.u32.u32 r0.h01, r1, r2, r3;"), "error operand-type r0.h01"},
        {BODY("pmevent 16;"), "error operand-type 16"},
    };
    EXPECT(cases);
}

static void test_needs(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {MODULE("7.5", "sm_75", "min.relu.s32 r0, r1, r2;"), "error version min.relu.s32"},
        {MODULE("8.0", "sm_75", "min.relu.s32 r0, r1, r2;"), "error target min.relu.s32"},
        {MODULE("8.0", "sm_90", "min.relu.s32 r0, r1, r2;"), ""},
        {MODULE("6.5", "sm_75", "min.NaN.f32 f0, f1, f2;"), "error version min.NaN.f32"},
        {MODULE("8.7", "sm_100", "min.f32 f0, f1, f2, f3;"), "error version min.f32"},
        {MODULE("3.1", "sm_20", "mad.f32 f0, f1, f2, f3;"), ""},
        {MODULE("3.2", "sm_20", "mad.f32 f0, f1, f2, f3;"), "error target mad.f32"},
        {MODULE("3.2", "sm_13", "mad.f32 f0, f1, f2, f3;"), ""},
        {MODULE("2.3", "sm_10", "add.f64 e0, e1, e2;"), "error target add.f64"},
        {MODULE("2.3", "sm_10, map_f64_to_f32", "add.f64 e0, e1, e2;"), ""},
        {MODULE("8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 64;"), ""},
        {MODULE("8.0", "sm_90", "setmaxnreg.inc.sync.aligned.u32 64;"),
         "error target setmaxnreg.inc.sync.aligned.u32"},
        {MODULE("7.0", "sm_90", ""), "error version sm_90"},
        {MODULE("7.0", "sm_74", ""), "error target sm_74"},
    };
    EXPECT(cases);
}

#define TWO(first, second) ".version 9.0\n.target sm_90\n.address_size 64\n" first "\n" second

// Each verdict is that of ptxas.
static void test_spaces(void **state)
{
    (void)state;
#define IN(space, body) TWO(space " .b32 v;", ".entry k(.param .b32 q) {.reg .b32 r;" body "ret;}")
    static const struct finding_case cases[] = {
        {IN(".global", "ld.global.b32 r, [v];"), ""},
        {IN(".global", "ld.b32 r, [v+4];"), ""},
        {IN(".shared", "ld.shared::cta.b32 r, [v]; st.shared::cluster.b32 [v], r;"), ""},
        {IN(".shared", "ld.b32 r, [v]; red.shared::cluster.add.u32 [v], r;"), ""},
        {IN(".shared", "ld.param::entry.b32 r, [q]; ld.param::func.b32 r, [q];"), ""},
        {IN(".shared", "ld.global.b32 r, [v];"), "error operand-type v"},
        {IN(".shared", "ld.global.b32 r, [v+8];"), "error operand-type v"},
        {IN(".const", "ld.shared.b32 r, [v];"), "error operand-type v"},
        {IN(".global", "ld.const.b32 r, [v];"), "error operand-type v"},
        {IN(".global", "ld.param.b32 r, [v];"), "error operand-type v"},
        {IN(".global", "ld.global.b32 r, [q];"), "error operand-type q"},
        {IN(".global", "ld.b32 r, [q];"), "error operand-type q"},
        {IN(".global", "red.shared.add.u32 [v], r;"), "error operand-type v"},
        {IN(".global", "atom.shared.add.u32 r, [v], r;"), "error operand-type v"},
        {IN(".global", "{.local .b32 v; st.global.b32 [v], r;}"), "error operand-type v"},
        {IN(".shared", "prefetch.global.L2 [v];"), "error operand-type v"},
        {IN(".shared", "ld.global.b32 r, [k];"), "error operand-type k"},
    };
#undef IN
    EXPECT(cases);
}

static void test_calls(void **state)
{
    (void)state;
#define BY(function, call)                                                                         \
    TWO(function, ".entry k() {.reg .b64 d; .param .b32 x, y; .param .align 8 .b8 z[16]; mov.b64 " \
                  "d, 0;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n" call " ret;}")
    static const struct finding_case cases[] = {
        {BY(".func f() {ret;}", "call f; call f, ();"), ""},
        {BY(".extern .func (.param .b32 r) f(.param .b32 a);", "call (x), f, (y);"), ""},
        {BY(".extern .func f(.param .b32 a, .param .align 8 .b8 v[]);",
            "call f, (x); call f, (x, z);"),
         ""},
        {BY("", "call (x), d, (y), P;"), ""},
        {BY("", "{P: .callprototype _ (); call d, P;}"), ""},
        {BY(".func f() {ret;}", "call (x), f;"), "error operands (x); note operands .func f() "},
        {BY(".func f() {ret;}", "call f, (x);"), "error operands (x); note operands .func f() "},
        {BY(".extern .func (.param .b32 r) f();", "call f;"),
         "error operands call f;; note operands .extern .func (.param .b32 r) f();"},
        {BY(".extern .func f(.param .b32 a);", "call f, (x, y);"),
         "error operands (x, y); note operands .extern .func f(.param .b32 a);"},
        {BY(".extern .func f(.param .b32 a, .param .align 8 .b8 v[]);", "call f;"),
         "error operands call f;; note operands .extern .func f(.param .b32 a, .param .align 8 .b8 "
         "v[]);"},
        {BY(".entry f() {ret;}", "call f;"), "error operand-type f"},
        {BY("", "call d, (y), P;"),
         "error operands call d, (y), P;; "
         "note operands .callprototype (.param .b32 _) _ (.param .b32 _);"},
    };
#undef BY
    EXPECT(cases);
}

// Texts of messages.
static void test_texts(void **state)
{
    (void)state;
    static const struct finding_case cases[] = {
        {BODY("add.u32 r0, r1, f2;"), "'f2' is .f32 where .u32 is expected"},
        {BODY("add.u32 r0, r1;"), "'add' takes 3 operands, here are 2"},
        {BODY("shf.l.foo.b32 r0, r1, r2, r3;"),
         "modifier '.foo' is unknown: shf(.l|.r)(.clamp|.wrap).b32"},
        {BODY("min.f32 f0, f1, f2, f3;"),
         "'min.f32' needs sm_100 or later, this module is for sm_90"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_program p;
        findings(&p, cases[i].text);
        assert_true(p.diags.list.n > 0);
        assert_string_equal(p.diags.list.v[0].message, cases[i].findings);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),       cmocka_unit_test(test_braces),
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_old_modules), cmocka_unit_test(test_data),
        cmocka_unit_test(test_unified),     cmocka_unit_test(test_order),
        cmocka_unit_test(test_values),      cmocka_unit_test(test_modifiers),
        cmocka_unit_test(test_operands),    cmocka_unit_test(test_needs),
        cmocka_unit_test(test_texts),       cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
