// Maximum number of live registers.
#include "passes/analysis/cost/pressure.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct weighed {
    struct test_program program;
    struct ir_module module;
    struct pressure pressure;
};

static void weigh(struct weighed *w, const char *body)
{
    char text[4096];
    snprintf(text, sizeof text,
             ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
             ".reg .b32 %%r<20>; .reg .b64 %%rd<9>; .reg .pred %%p<5>; .reg .b16 %%h<5>;\n"
             ".shared .align 16 .b8 own[30];\n%s\nret;\n}\n",
             body);
    program_parse(&w->program, text, strlen(text));
    ir_build(&w->module, &w->program.arena, &w->program.tree, &w->program.diags);
    assert_int_equal(w->program.diags.errors, 0);
    w->pressure = pressure_of(&w->program.arena, &w->module.functions.v[0]);
}

static void check(const char *body, uint32_t registers, uint32_t predicates)
{
    struct weighed w;
    weigh(&w, body);
    assert_int_equal(w.pressure.registers, registers);
    assert_int_equal(w.pressure.predicates, predicates);
    program_free(&w.program);
}

static void test_live_registers(void **state)
{
    (void)state;
    check("", 0, 0);
    check("mov.u32 %r1, 1;", 1, 0); // a result counts though nobody reads it
    check("mov.u32 %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;", 1, 0);
    check("mov.u32 %r1, 1; add.u32 %r2, %r1, 1;", 1, 0); // takes the operand's place
    check("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2;", 2, 0);
    check("ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;", 3, 0);
    check("ld.param.u64 %rd1, [p]; ld.global.v2.u32 {%r1, %r2}, [%rd1];\n"
          "ld.global.u16 %h1, [%rd1+8]; st.global.u16 [%rd1], %h1; st.global.v2.u32 [%rd1], {%r1, "
          "%r2};",
          5, 0);
    check("ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0;\n"
          "setp.eq.u32 %p2, %r1, 1; and.pred %p3, %p1, %p2; @%p3 st.global.u32 [%rd1], %r1;",
          3, 2);
}

// A value that a loop reads in its next iteration is live throughout the loop.
static void test_loop(void **state)
{
    (void)state;
    check("ld.param.u64 %rd1, [p]; mov.u32 %r1, 0; mov.u32 %r2, 7;\n"
          "L: ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, %r2; add.u32 %r1, %r1, %r4;\n"
          "setp.lt.u32 %p1, %r1, 99; @%p1 bra L; st.global.u32 [%rd1], %r1;",
          2 + 2 + 1, 1);
}

// A guarded definition keeps the old value alive.
static void test_guard(void **state)
{
    (void)state;
    check("ld.param.u64 %rd1, [p]; mov.u32 %r1, 0; ld.global.u32 %r2, [%rd1];\n"
          "setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 5; add.u32 %r4, %r3, %r2; @%p1 mov.u32 %r1, %r4;\n"
          "st.global.u32 [%rd1], %r1;",
          5, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_registers),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
