// The parser: literals, constant expressions, statements of every shape, recovery.
#include "tests/unit/program.h"

static void parse(struct test_program *p, const char *text)
{
    program_parse(p, text, strlen(text));
}

static void accept(const char *text)
{
    struct test_program p;
    parse(&p, text);
    if (p.diags.errors)
        fail_msg("%s: %s", p.diags.list.v[0].message, text);
    program_free(&p);
}

// Returns the value of the first initialiser of a 64-bit variable.
static uint64_t constant(const char *expression, uint8_t *flags)
{
    struct test_program p;
    char text[256];
    snprintf(text, sizeof text, ".global .b64 v = %s;", expression);
    parse(&p, text);
    uint32_t init = program_find(&p, NODE_INIT, 0);
    assert_int_not_equal(init, UINT32_MAX);
    const struct node *value = &p.tree.nodes.v[init + 1];
    if (value->kind != NODE_INT && value->kind != NODE_FLOAT32 && value->kind != NODE_FLOAT64)
        fail_msg("%s is not a constant", expression);
    uint64_t bits = value->value;
    if (flags)
        *flags = value->flags;
    program_free(&p);
    return bits;
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"0", 0},
        {"18446744073709551615", UINT64_MAX},
        {"0xFFFFFFFFFFFFFFFF", UINT64_MAX},
        {"0x123456789abcdef0U", 0x123456789abcdef0u},
        {"0777", 511},
        {"0b1011", 11},
        {"4294967296", UINT64_C(1) << 32},
        {"-9223372036854775808", UINT64_C(1) << 63},
        {"0f3F800000", 0x3f800000},
        {"0d3FF0000000000000", 0x3ff0000000000000},
        {"-0d3FF0000000000000", 0xbff0000000000000},
        {"1.5", 0x3ff8000000000000},
        {"-1.5e0", 0xbff8000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (constant(cases[i].text, NULL) != cases[i].value)
            fail_msg("%s gives %llx", cases[i].text,
                     (unsigned long long)constant(cases[i].text, NULL));
}

static void test_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
        uint8_t flags;
    } cases[] = {
        {"1 + 2 * 3", 7, 0},
        {"(1 + 2) * 3", 9, 0},
        {"((2))", 2, 0},
        {"7 / -2", (uint64_t)-3, 0},
        {"-7 % 3", 0, NODE_UNSIGNED},
        {"-1U / 2", UINT64_MAX / 2, NODE_UNSIGNED},
        {"-1 < 1", 1, 0},
        {"-1 < 1U", 0, 0},
        {"-8 >> 1", (uint64_t)-4, 0},
        {"(.u64)-8 >> 1", (uint64_t)-8 >> 1, NODE_UNSIGNED},
        {"1 << 40", UINT64_C(1) << 40, 0},
        {"1 << 64", 1, 0},
        {"-1 >> 65", UINT64_MAX, 0},
        {"~0 ^ 0xff", ~UINT64_C(0xff), NODE_UNSIGNED},
        {"6 & 3 | 8", 10, 0},
        {"!5", 0, 0},
        {"2 > 1 ? 10 : 20", 10, 0},
        {"0 ? 10 : 0 ? 1 : 30", 30, 0},
        {"3 == 3 && 1 != 2 || 0", 1, 0},
        {"1.0 + 0.5", 0x3ff8000000000000, 0},
        {"(1.0 < 1.5) + (2)", 3, 0},
        {"(0) ? (1) : (2)", 2, 0},
        {"(1 ? -1 : 2U) / 2", 0, 0},
        {"WARP_SZ * 2", 64, 0},
        {"(-9223372036854775807 - 1) / -1", UINT64_C(1) << 63, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t flags;
        uint64_t value = constant(cases[i].text, &flags);
        if (value != cases[i].value || flags != cases[i].flags)
            fail_msg("%s gives %llx, flags %u", cases[i].text, (unsigned long long)value, flags);
    }
}

static void test_bad_literals(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "18446744073709551616", "1 / 0", "7 % 0", "12ab", "0x", "08"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_program p;
        char text[256];
        snprintf(text, sizeof text, ".global .b64 v = %s;", cases[i]);
        parse(&p, text);
        if (p.diags.errors != 1 || strcmp(p.diags.list.v[0].id, "literal"))
            fail_msg("%s: %u errors", cases[i], p.diags.errors);
        program_free(&p);
    }
}

static void test_statements(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "ld.global.v4.u64 {%rd1, %rd2, %rd3, _}, [%rd0+-16];",
        "ld .global .f32 %f1 , [ %rd1 + 4 ] ;",
        "@!%p1 bra $L; $L:",
        "setp.lt.and.f32 %p1|%p2, %f1, 0f00000000, !%p3;",
        "{ .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd1;\n"
        "  call.uni (retval0), vprintf, (param0, param1); ld.param.b32 %r1, [retval0+0]; }",
        "call (%r1, %r2), f, (%r3), targets;",
        "call f;",
        "call %rd1, (%r1), proto;",
        "p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;",
        "ts: .branchtargets a, b, c;",
        "ts: .calltargets f, g;",
        "brx.idx %r1, ts;",
        "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex, {%r1, %r2}];",
        "mad.lo.cc.u32 %r1, %r2, %r3, %r4;",
        "vadd.s32.u32.s32.sat %r1, %r2.b0, -%r3.h1, %r4;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
        "{%r2, %r3}], [%r4];",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, p, 1, 1, "
        "0, 1;",
        "ld.global.L1::no_allocate.L2::cache_hint.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
        "[%rd1], %rd2;",
        "mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd1, {%r1, %r2};",
        "mov.u64 %rd1, array+8;",
        "mov.u32 %r1, %tid.x; mov.u32 %r1, WARP_SZ;",
        "add.s32 add, mul, sub;",
        "bar.sync 0; bar.red.popc.u32 %r1, 0, %r2, %p1; exit; ret;",
        ".pragma \"nounroll\", \"x\";",
        ".loc 1 12 3",
        ".loc 1 12 3, function_name $L__info_string0, inlined_at 1 4 2\nadd.s32 %r1, %r2, 1;",
        ".loc 1 12 3, function_name $L__info_string0+14, inlined_at 1 4 2\n$L:",
        ".reg .pred %p<4>, q; .local .align 16 .b8 __local_depot0[40]; .shared .f32 tile[16][16];",
        ";;",
        "ld.global.f32 $f1, [$r1+0]; ld.const.u32 $r1, [table[3]];",
        "/* a comment ; } */ add.s32 %r1, %r2, 1; // } ;",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[1024];
        snprintf(text, sizeof text, KERNEL("%s"), bodies[i]);
        accept(text);
    }
}

static void test_module_items(void **state)
{
    (void)state;
    accept("");
    accept("// nothing\n");
    accept("\xef\xbb\xbf.version 9.0\r\n.target sm_100a, debug\r\n.address_size 64\r\n");
    accept(".version 1.4\n.target sm_10, map_f64_to_f32\n.entry add(.param .u32 a) { exit; }");
    accept(".entry k .maxntid 256, 1, 1 .minnctapersm 2 .pragma \"x\"; { ret; }");
    accept(".visible .func (.param .b32 r) .attribute(.unified(1, 2)) f(.param .b64 a, .param .b8 "
           "b[]) .noreturn { ret; }");
    accept(".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;");
    accept(".weak .func f(.reg .u32 %a, ...) ;");
    accept(".alias f, g;");
    accept(".visible .global .align 8 .u64 t[2] = {generic(a), a+8}; .global .u8 m[] = {mask(0xff, "
           "a), 0xFF(b)};");
    accept(".global .align 4 .b8 text[4] = {104, 105, 10, 0}, other; .const[2] .f32 c = 1.0; "
           ".extern .shared .align 16 .b8 s[];");
    accept(
        ".global .texref t; .global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear };");
    accept(".global .attribute(.managed) .s32 g;");
    accept(".file 1 \"a.cu\", 1700000000, 4096\n.file\t2 \"b.cu\"\n");
    accept(".section .debug_str { $L: .b8 1, 2 // }\n /* } */ }\n.section\t.debug_abbrev\n{\n.b8 "
           "1\n\t}\n");
    accept("@@DWARF .section .debug_info, \"\",@progbits\n@@DWARF .byte 1\n");
    accept("# 1 \"a.cu\"\n  #line 3 \"a\"\n.version 7.0\n");
    accept(".entry k(.param .u64 .ptr .global .align 8 p, .param .align 16 .b8 s[32]) { ret; }");
}

// White space and comments leave no nodes.
static void test_trivia(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\xef\xbb\xbf", "// c", "/* c */ \r\n", "#line 3 \"a\"", ".version 7.0\n  # 3 \"a\" 1\n",
        " \t\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct test_program p;
        parse(&p, texts[i]);
        assert_int_equal(program_find(&p, NODE_ERROR, 0), UINT32_MAX);
        assert_int_equal(p.diags.errors, 0);
        program_free(&p);
    }
}

static void test_opcodes_are_names(void **state)
{
    (void)state;
    struct test_program p;
    parse(&p, ".entry add(.param .u32 global) { .reg .b32 ld; add: add.s32 ld, ld, 1; bra add; }");
    assert_int_equal(p.diags.list.n, 0);
    uint32_t instr = program_find(&p, NODE_INSTR, 0);
    assert_int_equal(p.tree.nodes.v[instr].aux, OP_add);
    program_free(&p);
}

// Unknown words are kept. Each unknown opcode gives one warning; an unknown directive is an error
// in a known version.
static void test_unknown(void **state)
{
    (void)state;
    struct test_program p;
    parse(&p, KERNEL("frob.x32 %r1; frob.x64 %r2; add.future.s32 %r1, %r2, 1; .newthing 4 x;"));
    assert_int_equal(p.diags.errors, 1);
    assert_int_equal(p.diags.warnings, 1);
    assert_string_equal(p.diags.list.v[0].id, "unknown-opcode");
    assert_string_equal(p.diags.list.v[1].id, "unknown-directive");
    uint32_t begin, end;
    node_opcode_range(&p.tree, program_find(&p, NODE_INSTR, 0), &begin, &end);
    assert_int_equal(end - begin, 4);
    assert_memory_equal(p.source.text + begin, "frob", 4);
    program_free(&p);
}

static void test_recovery(void **state)
{
    (void)state;
    struct test_program p;
    parse(&p, KERNEL("add.s32 %r1, , %r2;\nmul.lo.s32 %r1, %r2, %r3;\n@ ;\nld.global.f32 %f1 "
                     "[%rd1];\nret;"));
    assert_int_equal(p.diags.errors, 3);
    static const uint32_t lines[] = {6, 8, 9};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(source_position_at(&p.source, p.diags.list.v[i].begin).line, lines[i]);
    uint32_t instructions = 0, errors = 0;
    for (uint32_t i = 0; i < p.tree.nodes.n; i++) {
        instructions += p.tree.nodes.v[i].kind == NODE_INSTR;
        errors += p.tree.nodes.v[i].kind == NODE_ERROR;
    }
    assert_int_equal(instructions, 2);
    assert_int_equal(errors, 3);
    program_free(&p);
}

// A fault in a function's head does not affect the next function.
static void test_recovery_in_head(void **state)
{
    (void)state;
    struct test_program p;
    parse(&p, ".entry a(.param u32 x) { ret; }\n.entry b() { ret; }\n.global ;;\n");
    assert_int_equal(p.diags.errors, 1);
    uint32_t function = program_find(&p, NODE_FUNCTION, 0);
    assert_int_not_equal(function, UINT32_MAX);
    assert_memory_equal(tree_name(&p.tree, p.tree.nodes.v[function].value)->text, "b", 1);
    program_free(&p);
}

static void test_truncated(void **state)
{
    (void)state;
    const char *text = KERNEL("{ ld.global.f32 %f1, [%rd1+4]; /* c */ call (r), f, (a, b); "
                              "}\n.section .debug_info { .b8 1 }\n");
    for (size_t length = 0; length < strlen(text); length++) {
        struct test_program p;
        program_parse(&p, text, length);
        assert_true(p.tree.nodes.v[0].end == length);
        program_free(&p);
    }
}

static void test_error_at_end_is_placed(void **state)
{
    (void)state;
    struct test_program p;
    parse(&p, ".version 7.0\n.entry k()\n{\nret;\n");
    assert_int_equal(p.diags.errors, 1);
    assert_int_equal(source_position_at(&p.source, p.diags.list.v[0].begin).line, 5);
    assert_true(p.tree.nodes.v[program_find(&p, NODE_SCOPE, 0)].flags & NODE_CUT);
    program_free(&p);
}

static void test_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 20000 };
    char *text = malloc(2 * DEPTH + 100);
    size_t at = (size_t)sprintf(text, ".global .b32 v = ");
    memset(text + at, '(', DEPTH);
    text[at + DEPTH] = 0;
    struct test_program p;
    parse(&p, text);
    assert_true(p.diags.errors > 0);
    program_free(&p);
    free(text);
}

static void test_memory_failure(void **state)
{
    (void)state;
    const char *text = KERNEL("ld.global.f32 %f1, [%rd1+4]; add.f32 %f2, %f1, %f1;");
    for (volatile long fail_in = 1;; fail_in++) {
        struct memory memory = {.fail_in = fail_in};
        struct arena arena;
        arena_init(&arena, &memory);
        if (setjmp(memory.on_failure)) {
            memory_free(&memory);
            assert_int_equal(memory.bytes, 0);
            continue;
        }
        char *copy = arena_strndup(&arena, text, strlen(text) + 1);
        struct source source;
        struct diags diags;
        struct tree tree;
        source_init(&source, &arena, "test.ptx", copy, (uint32_t)strlen(text));
        diags_init(&diags, &arena);
        ptx_parse(&tree, &arena, &source, &diags);
        arena_free(&arena);
        assert_true(fail_in > 1);
        break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),          cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_bad_literals),      cmocka_unit_test(test_statements),
        cmocka_unit_test(test_module_items),      cmocka_unit_test(test_trivia),
        cmocka_unit_test(test_opcodes_are_names), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_recovery),          cmocka_unit_test(test_recovery_in_head),
        cmocka_unit_test(test_truncated),         cmocka_unit_test(test_error_at_end_is_placed),
        cmocka_unit_test(test_deep_nesting),      cmocka_unit_test(test_memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
