// The canonical form: it gives the same tree, and the same text when it is formatted again.
#include "backend/emit/format.h"
#include "tests/unit/program.h"

static char *formatted(struct test_program *p, const char *text)
{
    program_parse(p, text, strlen(text));
    if (p->diags.errors)
        fail_msg("%s in:\n%s", p->diags.list.v[0].message, text);
    char *result;
    size_t length;
    FILE *to = open_memstream(&result, &length);
    format_write(&p->tree, to);
    fclose(to);
    return result;
}

static bool same_node(const struct node *a, const struct node *b)
{
    bool literal = a->kind == NODE_INT || a->kind == NODE_FLOAT32 || a->kind == NODE_FLOAT64;
    return a->kind == b->kind && a->flags == b->flags && a->aux == b->aux && a->size == b->size &&
           (!literal || a->value == b->value);
}

static void check(const char *text)
{
    struct test_program first, second;
    char *once = formatted(&first, text), *twice = formatted(&second, once);
    assert_string_equal(once, twice);
    assert_int_equal(first.tree.nodes.n, second.tree.nodes.n);
    for (uint32_t i = 0; i < first.tree.nodes.n; i++)
        if (!same_node(&first.tree.nodes.v[i], &second.tree.nodes.v[i]))
            fail_msg("node %u differs in:\n%s", i, once);
    free(once);
    free(twice);
    program_free(&first);
    program_free(&second);
}

static void test_shapes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "// only a comment",
        "/* a */\n/* b */ .version 7.0 // c\n.target sm_70, debug .address_size 64",
        "\xef\xbb\xbf.version 7.0\r\n.target sm_70\r\n",
        "# 1 \"a.cu\"\n.version 7.0\n  #line 3 \"a.cu\"\n",
        ".global .b32 t [ 2 ] [ 3 ] = { { 1 , -2 , +3 } , { ~ 4 , ! 5 , ( 6 + 7 ) * 8 } } , u , "
        "v[];",
        ".global .f64 a = 1.5e+3, b = -0d3FF0000000000000, c = 0x1e + 5, d = 1 ? 2 : 3 << 4 >= 5 "
        "&& 6 || 7;",
        ".global .b32 a[] = { 7 % 4 , v % w , 7 % ( 4 ) , 7 % -4 , ( v ) % w };",
        ".global .u64 p[] = {generic(a), a + 8, 0xFF(b), mask(0xff, c)}; .global .samplerref s = { "
        "addr_mode_0 = wrap , x = 1 };",
        ".global .attribute(.managed, .unified(1, 2)) .s32 g; .extern .shared .align 16 .b8 s[];",
        ".func ( .param .align 8 .b8 r [16] ) f ( .param .u64 .ptr .global .align 8 p , .param .b8 "
        "q[4] /* c */ ) .noreturn ;",
        ".entry k .maxntid 32, 1, 1 .minnctapersm 2 .pragma \"x\"; { ret; }",
        KERNEL("L : @ ! p add .s32 %r1 , - %r2 , %r3 ; M: N:"),
        KERNEL("{ { .reg .b32 a < 4 > ; } call ( r ) , f , ( a , 5 ) ; }"),
        KERNEL("ld .global .v2 .f32 { %f1 , _ } , [ %rd1 + -8 ] , pol ; st.f32 [ a [ 3 ] ] , "
               "0f00000000 ;"),
        KERNEL("setp.eq.and.s32 p | q , %tid .x , 1 , ! c ; vadd.s32.s32.s32 a.b0, -b.h1, c, d;"),
        KERNEL("tex.2d.v4.f32.f32 {a,b,c,d}, [t, {x, y}]; mov.b64 {a, b}, c;"),
        KERNEL("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [a], "
               "[b, {c, d}], [e];"),
        KERNEL(".loc 1 2 3, function_name $L+4, inlined_at 1 2 3\nts: .branchtargets A, B; p: "
               ".callprototype (.param .b32 _) _ (.param .b64 _);"),
        KERNEL("; add // comment in an instruction\n .s32 /* and */ a, b, 1; // behind\n// "
               "before\nret;"),
        ".section .debug_str { $L: .b8  1,   2 /* } */ }\n@@DWARF .byte   1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i]);
}

// Nothing of the text is lost: letters and digits keep their order.
static void test_no_loss(void **state)
{
    (void)state;
    const char *text =
        KERNEL("/* one */ add.s32 a, b, 0x1F; // two\n{ .reg .b32 c<3>; } .pragma \"a  b\";");
    struct test_program p;
    char *result = formatted(&p, text);
    const char *a = text, *b = result;
    for (;; a++, b++) {
        a += strcspn(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        b += strcspn(b, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        assert_int_equal(*a, *b);
        if (!*a)
            break;
    }
    assert_non_null(strstr(result, "\"a  b\""));
    free(result);
    program_free(&p);
}

static void test_long_lists_are_broken(void **state)
{
    (void)state;
    char text[4000] = ".global .b8 t[500] = {0";
    for (int i = 1; i < 500; i++)
        strcat(text, ",255");
    strcat(text, "};");
    check(text);
    struct test_program p;
    char *result = formatted(&p, text);
    for (const char *line = result; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 110);
    free(result);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_no_loss),
        cmocka_unit_test(test_long_lists_are_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
