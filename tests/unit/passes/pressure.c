// Live registers at the fullest place, and the warps that they leave room for.
#include "passes/analysis/pressure.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct weighed {
    struct program program;
    struct ir_module module;
    struct pressure pressure;
};

static void weigh(struct weighed *w, const char *body)
{
    char text[4096];
    snprintf(text, sizeof text,
             ".version 7.5\n.target sm_75\n.address_size 64\n.shared .b8 common[100];\n"
             ".shared .b8 unused[999];\n.visible .entry k(.param .u64 p)\n{\n"
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

// What a loop reads in its next iteration is live all through it.
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

static void test_shared(void **state)
{
    (void)state;
    struct weighed w;
    weigh(&w, "st.shared.u8 [common+4], %r1; mov.u32 %r2, own; st.shared.u8 [own], %r1;");
    uint32_t bytes = pressure_shared(&w.program.arena, &w.module, &w.module.functions.v[0]);
    assert_int_equal(bytes, 112 + 30);
    program_free(&w.program);
}

static void check_room(uint32_t registers, uint32_t x, uint32_t y, uint32_t shared, uint32_t ctas,
                       uint32_t warps, enum occupancy_limit limit)
{
    struct pressure pressure = {.registers = registers};
    struct occupancy room =
        occupancy_of(&core_limits_default, &pressure, (struct block_shape){x, y, x != 0}, shared);
    assert_int_equal(room.ctas, ctas);
    assert_int_equal(room.warps, warps);
    assert_int_equal(room.limit, limit);
}

// 16,384 registers, 48 KB, 1,536 threads, 8 CTAs.
static void test_occupancy(void **state)
{
    (void)state;
    check_room(8, 256, 1, 0, 6, 48, LIMIT_THREADS);
    check_room(11, 256, 1, 0, 5, 40, LIMIT_REGISTERS); // 2,816 for a CTA
    check_room(64, 16, 16, 0, 1, 8, LIMIT_REGISTERS);
    check_room(65, 256, 1, 0, 0, 0, LIMIT_REGISTERS);
    check_room(1, 64, 1, 0, 8, 16, LIMIT_CTAS);
    check_room(1, 256, 1, 20000, 2, 16, LIMIT_SHARED);
    check_room(1, 256, 1, 50000, 0, 0, LIMIT_SHARED);
    check_room(20, 0, 0, 0, 3, 24, LIMIT_REGISTERS); // an unknown shape counts 256 threads
    check_room(3, 33, 1, 0, 8, 16, LIMIT_CTAS);      // two warps each
    struct memory memory = {0};
    struct arena arena;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    struct pressure pressure = {.registers = 42};
    struct occupancy room =
        occupancy_of(&core_limits_default, &pressure, (struct block_shape){256, 1, 1}, 0);
    assert_string_equal(occupancy_text(&arena, &core_limits_default, &pressure, &room),
                        "registers leave room for 8 of 48 warps (42 registers for each thread)");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_registers), cmocka_unit_test(test_loop),
        cmocka_unit_test(test_guard),          cmocka_unit_test(test_shared),
        cmocka_unit_test(test_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
