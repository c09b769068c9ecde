// Plain statements are read without scanner and grammar: both ways give the same tree. The grammar
// reads a text with form feeds as blanks, which are not plain.
#include "tests/unit/program.h"

static const char *const statements[] = {
    "ret;",
    "ret ;",
    "add.s32 %r1, %r2, %r3;",
    "add.s32 %r1,%r2 ,\t-1 ;",
    "add.u64 %rd1, %rd2, 18446744073709551615;",
    "mov.u64 %rd1, 0xFFFFFFFFFFFFFFFF;",
    "mov.u32 %r1, 0x1f;",
    "mov.u32 %r1, 0X1F;",
    "mov.u32 %r1, 017;",
    "mov.u32 %r1, 0b101;",
    "mov.u32 %r1, 7U;",
    "mov.u32 %r1, - 7;",
    "mov.u32 %r1, 1 + 2;",
    "mov.u32 %r1, WARP_SZ;",
    "mov.u32 %r1, %tid.x;",
    "mov.f32 %f1, 0f3F800000;",
    "mov.f32 %f1, -0f3F800000;",
    "mov.f64 %fd1, 0d3FF0000000000000;",
    "mov.f64 %fd1, 1.5;",
    "mov.u64 %rd1, table + 8;",
    "mov.b64 {%r1, %r2}, %rd1;",
    "mov.b64 { %r1 , _ } , %rd1;",
    "@%p1 bra $L1;",
    "@!%p1 bra.uni $L1;",
    "@ %p1 bra $L1;",
    "$L1:",
    "$L2: ret;",
    "$L3 : ret;",
    "ret: exit;",
    "setp.lt.s32 %p1|%p2, %r1, 4;",
    "setp.lt.and.s32 %p1 | %p2, %r1, 4, !%p3;",
    "ld.global.u32 %r1, [%rd1];",
    "ld.global.v2.u32 {%r1, %r2}, [ %rd1 + 16 ];",
    "ld.global.u32 %r1, [%rd1+-16];",
    "ld.global.u32 %r1, [%rd1 - 16];",
    "ld.global.u32 %r1, [table+4];",
    "ld.shared::cta.u32 %r1, [%r2];",
    "ld.global.L1::evict_last.u32 %r1, [%rd1];",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [texture, {%f5, %f6}];",
    "call.uni (%r1), f, (%r2, %r3);",
    "call f, (%r2);",
    "call g;",
    "call.uni (%r1), f, ((%r2), %r3);",
    "add.s32 %r1, (%r2), (3);",
    "ld.unified.u32 %r1, [%rd1].unified;",
    "vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;",
    "fence.proxy.alias;",
    "frobnicate.u32 %r1, %r2;",
    "add.frobnicate %r1, %r2, %r3;",
    ".loc 1 2 3",
    ".loc 1 2 3, function_name $L1, inlined_at 1 2 3",
    ".loc 1 2 3, function_name $L1+8, inlined_at 1 2 3, function_name $L1",
    ".loc 1 2 3 , function_name $L1 + 8",
    ".loc 1 2 3 .5",
    ".loc 1 2",
    ".pragma \"nounroll\";",
    ".pragma \"nounroll\", \"a;b\" ;",
    "{ .reg .b32 %q<3>; mov.u32 %q1, %q2; }",
    ".reg .b32 %r<5>;",
    ".reg .pred\t%p < 5 > ;",
    ".reg .f32 %f1, %f2<3>,%f3 ;",
    ".reg .b32%r<5>;",
    ".reg .b64 %rd<0x10>;",
    ".reg .v2 .f32 v;",
    ".reg .b32 .align 4 x;",
    ".reg .b32 x[2];",
    ".reg .f32 WARP<2>;",
    ";;",
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static void parse(struct test_program *p, const char *body, bool plain)
{
    char text[8192];
    size_t length = (size_t)snprintf(text, sizeof text, ".func g { %s \n }", body);
    assert_true(length < sizeof text);
    for (size_t i = 0; i < length && !plain; i++)
        if (text[i] == ' ' || text[i] == '\t')
            text[i] = '\f';
    program_parse(p, text, length);
}

static bool has_value(uint8_t kind)
{
    return kind == NODE_NAME || kind == NODE_LABEL || kind == NODE_GUARD || kind == NODE_INT ||
           kind == NODE_FLOAT32 || kind == NODE_FLOAT64;
}

static bool same_node(const struct test_program *a, const struct test_program *b, uint32_t node)
{
    const struct node *x = &a->tree.nodes.v[node], *y = &b->tree.nodes.v[node];
    if (x->kind != y->kind || x->flags != y->flags || x->aux != y->aux || x->begin != y->begin ||
        x->end != y->end || x->size != y->size)
        return false;
    if (x->kind != NODE_INSTR)
        return !has_value(x->kind) || x->value == y->value;
    uint32_t first, second;
    const uint16_t *left = node_mods(&a->tree, node, &first);
    const uint16_t *right = node_mods(&b->tree, node, &second);
    return first == second && (!first || !memcmp(left, right, first * sizeof *left));
}

static void compare(const char *body)
{
    struct test_program plain, other;
    parse(&plain, body, true);
    parse(&other, body, false);
    assert_int_equal(plain.tree.nodes.n, other.tree.nodes.n);
    assert_int_equal(plain.diags.list.n, other.diags.list.n);
    assert_int_equal(plain.diags.errors, 0);
    for (uint32_t i = 0; i < plain.tree.nodes.n; i++)
        if (!same_node(&plain, &other, i))
            fail_msg("node %u differs: %s", i, body);
    program_free(&plain);
    program_free(&other);
}

static void test_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < STATEMENTS; i++)
        compare(statements[i]);
}

// Neighbouring statements change nothing.
static void test_pairs(void **state)
{
    (void)state;
    char both[256];
    for (size_t i = 0; i < STATEMENTS; i++)
        for (size_t k = 0; k < STATEMENTS; k++) {
            snprintf(both, sizeof both, "%s\n %s", statements[i], statements[k]);
            compare(both);
        }
}

static void test_nested_deeply(void **state)
{
    (void)state;
    compare("mov.b64 {{{{{{%r1}}}}}}, [[[[[%r2]]]]];");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_nested_deeply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
