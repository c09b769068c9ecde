// Tests whether the last two accesses of a body may touch the same bytes.
#include "passes/analysis/affine/address.h"
#include "tests/unit/program.h"
#include <stdio.h>

static bool may_alias(const char *body, bool restrict_parameters)
{
    struct test_program p;
    struct ir_module module;
    char text[4096];
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.global .b32 ga[64]; "
             ".global .b32 gb[64];\n.extern .shared .align 16 .b8 da[]; "
             ".extern .shared .align 16 .b8 db[];\n"
             ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
             ".reg .pred %%p<9>; .reg .b32 %%r<30>; .reg .b64 %%rd<20>;\n"
             ".shared .b32 sa[64]; .shared .b32 sb[64]; .local .b32 la[8];\n"
             "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b]; ld.param.u32 %%r1, [n]; "
             "mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ntid.x; "
             "mad.lo.s32 %%r5, %%r3, %%r4, %%r2; mul.wide.s32 %%rd5, %%r5, 4; "
             "add.s64 %%rd3, %%rd1, %%rd5; add.s64 %%rd4, %%rd2, %%rd5;\n"
             "%s\nret;\n}\n",
             body);
    program_parse(&p, text, strlen(text));
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    assert_int_equal(p.diags.errors, 0);
    struct plan plan = {.arena = &p.arena};
    struct pass_options options = {.restrict_parameters = restrict_parameters};
    struct facts *facts = facts_of(&plan, &module, &options, 0);
    struct address access[2];
    int found = 2;
    for (uint32_t i = facts->fn->insts.n; i-- > 0 && found;)
        if (facts->fn->insts.v[i].class == CLASS_LOAD || facts->fn->insts.v[i].class == CLASS_STORE)
            access[--found] = address_in(facts, i);
    assert_int_equal(found, 0);
    bool alias = address_may_alias(facts, &access[0], &access[1]);
    assert_int_equal(address_may_alias(facts, &access[1], &access[0]), alias);
    program_free(&p);
    return alias;
}

struct pair {
    const char *body;
    bool alias;
};

static void check_all(const struct pair *pairs, size_t count, bool restrict_parameters)
{
    for (size_t i = 0; i < count; i++)
        if (may_alias(pairs[i].body, restrict_parameters) != pairs[i].alias)
            fail_msg("%s expected in\n%s", pairs[i].alias ? "alias" : "no alias", pairs[i].body);
}

#define CHECK_ALL(pairs, restricted) check_all(pairs, sizeof(pairs) / sizeof *(pairs), restricted)
#define LD(address) "ld.global.u32 %r20, [" address "];\n"
#define ST(address) "st.global.u32 [" address "], %r1;\n"

static void test_offsets(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {LD("%rd3+4") ST("%rd3"), false},
        {LD("%rd3+3") ST("%rd3"), true},
        {LD("%rd3+-4") ST("%rd3"), false},
        {LD("%rd3") ST("%rd3"), true},
        {"ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd3];" ST("%rd3+12"), true},
        {"ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd3];" ST("%rd3+16"), false},
        // the same index, computed twice
        {"mad.lo.s32 %r6, %r4, %r3, %r2; add.s32 %r6, %r6, 1; mul.wide.s32 %rd6, %r6, 4; "
         "add.s64 %rd6, %rd1, %rd6;" LD("%rd6") ST("%rd3"),
         false},
        {"mad.lo.s32 %r6, %r4, %r3, %r2; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6;" //
         LD("%rd6") ST("%rd3"),
         true},
        // a distance of 2^34 is one that wrapping around in 32 bits could make up for
        {"add.s64 %rd6, %rd3, 0x400000000;" LD("%rd6") ST("%rd3"), false},
        {"mov.u64 %rd6, 0x400000000; mul.wide.s32 %rd7, %r5, 4; add.s64 %rd7, %rd7, %rd6; "
         "add.s64 %rd7, %rd7, %rd1; add.s32 %r6, %r5, 0; mul.wide.s32 %rd8, %r6, 4; add.s64 %rd8, "
         "%rd8, %rd1;" LD("%rd7") ST("%rd8"),
         true},
        // another index
        {"mul.wide.s32 %rd6, %r1, 4; add.s64 %rd6, %rd1, %rd6;" LD("%rd6") ST("%rd3"), true},
    };
    CHECK_ALL(pairs, false);
}

static void test_strides(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        // even and odd elements
        {"shl.b32 %r6, %r2, 1; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd6, %rd6, %rd1; shl.b32 %r7, "
         "%r1, 1; mul.wide.s32 %rd7, %r7, 4; add.s64 %rd7, %rd7, %rd1;" LD("%rd6") ST("%rd7+4"),
         false},
        {"shl.b32 %r6, %r2, 1; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd6, %rd6, %rd1; mul.wide.s32 "
         "%rd7, %r1, 4; add.s64 %rd7, %rd7, %rd1;" LD("%rd6") ST("%rd7+4"),
         true},
        // below and above all that %tid.x leads to
        {"mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd6, %rd1;" LD("%rd6") ST("%rd1+4096"), false},
        {"mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd6, %rd1;" LD("%rd6") ST("%rd1+4092"), true},
        {"mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd6, %rd1;" LD("%rd6") ST("%rd1+-4"), false},
        // the next element of a loop
        {"mov.u64 %rd6, %rd3; mov.u32 %r6, 0;\nL: " LD("%rd6")
             ST("%rd6+64") "add.s64 %rd6, %rd6, 64; add.s32 %r6, %r6, 1; setp.lt.s32 %p1, %r6, "
                           "%r1; @%p1 bra L;",
         false},
    };
    CHECK_ALL(pairs, false);
}

static void test_spaces(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"ld.shared.u32 %r20, [%r2];" ST("%rd3"), false},
        {"ld.shared.u32 %r20, [sa]; st.shared.u32 [sb], %r1;", false},
        {"ld.shared.u32 %r20, [sa+4]; st.shared.u32 [sa], %r1;", false},
        {"ld.shared.u32 %r20, [da]; st.shared.u32 [db], %r1;", true}, // both begin at one place
        {"ld.global.u32 %r20, [ga]; st.global.u32 [gb], %r1;", false},
        {"mov.u32 %r6, sa; add.s32 %r7, %r6, %r1; mov.u32 %r8, sb; add.s32 %r9, %r8, %r1; "
         "ld.shared.u32 %r20, [%r7]; st.shared.u32 [%r9], %r1;",
         false},
        {LD("ga") ST("%rd3"), true}, // the host may hand over the variable
        {"ld.global.nc.u32 %r20, [%rd3];" ST("%rd3"), false},
        {"ld.u32 %r20, [%rd3];" ST("%rd3"), true},
        {"ld.u32 %r20, [%rd3]; st.local.u32 [la], %r1;", false},
        {"ld.u32 %r20, [%rd3]; st.shared.u32 [sa], %r1;", false},
        {LD("%rd3") "ld.global.u64 %rd6, [%rd3]; ld.u32 %r20, [%rd6]; st.shared.u32 [sa], %r1;",
         true},
        {"mov.u64 %rd6, sa; cvta.shared.u64 %rd6, %rd6; ld.u32 %r20, [%rd6]; st.shared.u32 [sa], "
         "%r1;",
         true},
        {"mov.u64 %rd6, sa; cvta.shared.u64 %rd6, %rd6; ld.u32 %r20, [%rd6+4]; st.shared.u32 [sa], "
         "%r1;",
         false},
    };
    CHECK_ALL(pairs, false);
}

static void test_restrict(void **state)
{
    (void)state;
    static const struct pair plain[] = {{LD("%rd3") ST("%rd4"), true}};
    static const struct pair restricted[] = {
        {LD("%rd3") ST("%rd4"), false},
        {LD("%rd3") ST("%rd1"), true},
        {LD("%rd3") "ld.global.u64 %rd6, [%rd3];" LD("%rd6") ST("%rd4"), true},
        // which of the two it is, is not known
        {"setp.lt.s32 %p1, %r1, 7; selp.b64 %rd6, %rd1, %rd2, %p1;" LD("%rd6") ST("%rd4"), true},
        {"add.s64 %rd6, %rd1, %rd2;" LD("%rd6") ST("%rd4"), true},
        {LD("ga") ST("%rd3"), true},
    };
    CHECK_ALL(plain, false);
    CHECK_ALL(restricted, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_restrict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
