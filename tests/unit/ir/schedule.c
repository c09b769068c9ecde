// The order that ir_schedule gives to the instructions of a block.
#include "ir/schedule.h"
#include "tests/unit/program.h"
#include <stdio.h>

static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"
    ".reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n";

// The text of the instructions in their order after scheduling, each without its semicolon and
// followed by one.
static void expect(const char *body, uint32_t registers, const char *wanted)
{
    struct test_program p;
    struct ir_module module;
    char text[4096], got[4096] = "";
    snprintf(text, sizeof text, "%s%s\n}\n", head, body);
    program_parse(&p, text, strlen(text));
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    assert_int_equal(p.diags.errors, 0);
    struct ir_function *fn = &module.functions.v[0];
    ir_schedule(&module, fn, registers);
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        const struct node *node = &p.tree.nodes.v[fn->insts.v[i].node];
        strncat(got, text + node->begin, node->end - node->begin);
    }
    assert_string_equal(got, wanted);
    program_free(&p);
}

static void hoists_loads(void **state)
{
    (void)state;
    expect("ld.global.f32 %f1, [%rd1];add.f32 %f2, %f1, %f1;"
           "ld.global.f32 %f3, [%rd1+4];add.f32 %f4, %f3, %f2;st.global.f32 [%rd2], %f4;ret;",
           255,
           "ld.global.f32 %f1, [%rd1];ld.global.f32 %f3, [%rd1+4];"
           "add.f32 %f2, %f1, %f1;add.f32 %f4, %f3, %f2;st.global.f32 [%rd2], %f4;ret;");
    // The longest path is first: the address of a far load before a near one.
    expect("ld.shared.f32 %f1, [%r1];add.f32 %f2, %f1, %f1;add.s64 %rd3, %rd1, 8;"
           "ld.global.f32 %f3, [%rd3];add.f32 %f4, %f3, %f2;st.global.f32 [%rd2], %f4;ret;",
           255,
           "add.s64 %rd3, %rd1, 8;ld.shared.f32 %f1, [%r1];ld.global.f32 %f3, [%rd3];"
           "add.f32 %f2, %f1, %f1;add.f32 %f4, %f3, %f2;st.global.f32 [%rd2], %f4;ret;");
}

static void keeps_memory(void **state)
{
    (void)state;
    static const char *const same[] = {
        // a store to the same space, or to one that is not known
        "st.global.f32 [%rd2], %f9;ld.global.f32 %f1, [%rd1];add.f32 %f2, %f1, %f1;ret;",
        "st.f32 [%rd2], %f9;ld.shared.f32 %f1, [%r1];add.f32 %f2, %f1, %f1;ret;",
        // barriers, ordered and atomic accesses
        "add.f32 %f8, %f9, %f9;bar.sync 0;ld.global.f32 %f1, [%rd1];add.f32 %f2, %f1, %f1;ret;",
        "add.f32 %f8, %f9, %f9;ld.volatile.global.f32 %f1, [%rd1];ld.global.f32 %f2, [%rd2];ret;",
        "atom.global.add.u32 %r1, [%rd1], %r2;ld.global.f32 %f2, [%rd2];ret;",
        // the clock
        "mov.u32 %r1, %clock;ld.global.u32 %r2, [%rd1];add.u32 %r4, %r2, %r2;mov.u32 %r3, "
        "%clock;ret;",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        expect(same[i], 255, same[i]);
    // Other spaces, constants and read-only data are not changed by the store.
    expect("st.shared.f32 [%r1], %f9;ld.global.f32 %f1, [%rd1];add.f32 %f2, %f1, %f1;ret;", 255,
           "ld.global.f32 %f1, [%rd1];st.shared.f32 [%r1], %f9;add.f32 %f2, %f1, %f1;ret;");
    expect("st.global.f32 [%rd2], %f9;ld.global.nc.f32 %f1, [%rd1];add.f32 %f2, %f1, %f1;ret;", 255,
           "ld.global.nc.f32 %f1, [%rd1];st.global.f32 [%rd2], %f9;add.f32 %f2, %f1, %f1;ret;");
}

static void keeps_registers(void **state)
{
    (void)state;
    static const char *const same[] = {
        // the load's result is another value before, and the old one is read
        "add.f32 %f2, %f1, %f1;ld.global.f32 %f1, [%rd1];add.f32 %f3, %f1, %f2;ret;",
        // a guarded load keeps the old value
        "mov.f32 %f1, 0f00000000;@%p1 ld.global.f32 %f1, [%rd1];add.f32 %f3, %f1, %f1;ret;",
        // the carry flag
        "add.cc.u32 %r1, %r2, %r3;addc.u32 %r4, %r5, %r6;sub.cc.u32 %r7, %r8, %r9;subc.u32 %r10, "
        "%r1, %r4;ret;",
        // a register written twice by an instruction
        "ld.global.v2.f32 {%f1, %f1}, [%rd1];add.f32 %f3, %f1, %f1;ret;",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        expect(same[i], 255, same[i]);
}

// With room for few registers the order of the text continues.
static void keeps_within_registers(void **state)
{
    (void)state;
    static const char text[] = "ld.global.f32 %f1, [%rd1];ld.global.f32 %f2, [%rd1+4];"
                               "add.f32 %f3, %f1, %f2;ld.global.f32 %f4, [%rd1+8];"
                               "add.f32 %f5, %f3, %f4;ld.global.f32 %f6, [%rd1+12];"
                               "add.f32 %f7, %f5, %f6;st.global.f32 [%rd1], %f7;ret;";
    static const char early[] = "ld.global.f32 %f1, [%rd1];ld.global.f32 %f2, [%rd1+4];"
                                "ld.global.f32 %f4, [%rd1+8];ld.global.f32 %f6, [%rd1+12];"
                                "add.f32 %f3, %f1, %f2;add.f32 %f5, %f3, %f4;"
                                "add.f32 %f7, %f5, %f6;st.global.f32 [%rd1], %f7;ret;";
    expect(text, 1, text);
    expect(text, 4, text);
    expect(text, 6, early); // the address takes two
    expect(text, 255, early);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hoists_loads),
        cmocka_unit_test(keeps_memory),
        cmocka_unit_test(keeps_registers),
        cmocka_unit_test(keeps_within_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
