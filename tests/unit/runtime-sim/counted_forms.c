// Every form of access in a kernel of its own: the analysis is as expected, and equals the counts.
#include "tests/unit/runtime-sim/counted.h"
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".global .align 4 .b8 gv[8192];\n"                                                             \
    ".entry k(.param .u64 a, .param .u32 n, .param .u64 m)\n{\n"                                   \
    ".reg .pred %p<8>; .reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n"   \
    ".local .align 16 .b8 lm[256];\n"                                                              \
    "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1; ld.param.u32 %r1, [n];\n"              \
    "ld.param.u64 %rd15, [m];\n"                                                                   \
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"                          \
    "mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z;\n"                                                  \
    "mad.lo.s32 %r7, %r3, %r4, %r2;\n" text "\nret;\n}\n"

// %rd3 = a + size * index
#define AT(index, size) "mul.wide.s32 %rd2, %" #index ", " #size "; add.s64 %rd3, %rd1, %rd2;\n"

struct form {
    const char *name, *text;
    uint32_t block[3];
    bool shapeless; // the analyses are not told the block's shape
    bool known, uniform;
    struct ratio lines, sectors;
    int64_t stride; // 0: lanes are not evenly apart, or all at one place
};

enum { N = 100 };

static const struct form forms[] = {
    {"words",
     BODY(AT(r7, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"a word further",
     BODY(AT(r7, 4) "ld.global.f32 %f1, [%rd3+4];"),
     {64, 1, 1},
     true,
     true,
     false,
     {2, 1},
     {5, 1},
     4},
    {"every second word",
     BODY(AT(r7, 8) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {2, 1},
     {8, 1},
     8},
    {"stride of 32 words",
     BODY(AT(r7, 128) "st.global.f32 [%rd3], 0f00000000;"),
     {64, 1, 1},
     true,
     true,
     false,
     {32, 1},
     {32, 1},
     128},
    {"stride of 33 words",
     BODY(AT(r7, 132) "st.global.f32 [%rd3], 0f00000000;"),
     {64, 1, 1},
     true,
     true,
     false,
     {32, 1},
     {32, 1},
     132},
    {"backwards",
     BODY("sub.s32 %r8, 1023, %r7;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     -4},
    {"pairs",
     BODY(AT(r7, 8) "ld.global.v2.f32 {%f1, %f2}, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {2, 1},
     {8, 1},
     8},
    {"fours",
     BODY(AT(r7, 16) "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {4, 1},
     {16, 1},
     16},
    {"doubles",
     BODY(AT(r7, 8) "ld.global.b64 %rd4, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {2, 1},
     {8, 1},
     8},
    {"bytes",
     BODY(AT(r7, 1) "ld.global.u8 %h1, [%rd3];"),
     {128, 1, 1},
     false,
     true,
     false,
     {1, 1},
     {1, 1},
     1},
    {"halves",
     BODY(AT(r7, 2) "st.global.u16 [%rd3], %h1;"),
     {128, 1, 1},
     false,
     true,
     false,
     {1, 1},
     {2, 1},
     2},
    {"one place",
     BODY("ld.global.f32 %f1, [%rd1+12];"),
     {64, 1, 1},
     true,
     true,
     true,
     {1, 1},
     {1, 1},
     0},
    {"one place for each CTA",
     BODY(AT(r3, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     true,
     {1, 1},
     {1, 1},
     0},
    {"structure of arrays",
     BODY("add.s32 %r8, %r7, 4096;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"array of structures",
     BODY(AT(r7, 12) "ld.global.f32 %f1, [%rd3+8];"),
     {64, 1, 1},
     true,
     true,
     false,
     {3, 1},
     {12, 1},
     12},
    {"atomic",
     BODY(AT(r7, 4) "red.global.add.u32 [%rd3], 1;"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"atomic at one place",
     BODY("atom.global.add.u32 %r8, [%rd1], 1;"),
     {64, 1, 1},
     true,
     true,
     true,
     {1, 1},
     {1, 1},
     0},
    {"generic",
     BODY("cvta.global.u64 %rd1, %rd1;\n" AT(r7, 4) "ld.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"variable",
     BODY("mov.u64 %rd5, gv; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd5, %rd2;\n"
          "ld.global.f32 %f1, [%rd3+128];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"row of a matrix, width unknown",
     BODY("mad.lo.s32 %r8, %r3, %r1, %r2;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {63, 32},
     {39, 8},
     4},
    {"column of a matrix, width unknown",
     BODY("mad.lo.s32 %r8, %r2, %r1, %r3;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     false,
     false,
     {33, 2},
     {33, 2},
     0},
    {"column of a matrix of 256 columns",
     BODY("shl.b32 %r9, %r2, 8; add.s32 %r8, %r9, %r3;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {32, 1},
     {32, 1},
     1024},
    {"gather",
     BODY(AT(r7, 4) "ld.global.u32 %r8, [%rd3]; and.b32 %r8, %r8, 1023;\n" AT(
         r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     false,
     false,
     {33, 2},
     {33, 2},
     0},
    {"block of 16 x 8, rows of 256",
     BODY("shl.b32 %r8, %r5, 8; add.s32 %r8, %r8, %r2;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {16, 8, 1},
     false,
     true,
     false,
     {2, 1},
     {4, 1},
     0},
    {"block of 16 x 8, columns",
     BODY("shl.b32 %r8, %r2, 8; add.s32 %r8, %r8, %r5;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {16, 8, 1},
     false,
     true,
     false,
     {16, 1},
     {16, 1},
     0},
    // Row 0 begins at the start of a line, row 2 at a multiple of 8 bytes, the others of 4.
    {"block of 32 x 4, rows of any width",
     BODY("mad.lo.s32 %r8, %r5, %r1, %r2;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {32, 4, 1},
     false,
     true,
     false,
     {55, 32},
     {37, 8},
     4},
    {"block of 64 x 2, rows of any multiple of 32",
     BODY("mul.lo.s32 %r9, %r1, 32; mad.lo.s32 %r8, %r5, %r9, %r2;\n" AT(
         r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 2, 1},
     false,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"block of 8 x 8 x 2",
     BODY("shl.b32 %r8, %r6, 12; shl.b32 %r9, %r5, 5; add.s32 %r8, %r8, %r9;\n"
          "add.s32 %r8, %r8, %r2;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {8, 8, 2},
     false,
     true,
     false,
     {4, 1},
     {4, 1},
     0},
    {"one value for each row of the block",
     BODY(AT(r5, 4) "ld.global.f32 %f1, [%rd3];"),
     {16, 8, 1},
     false,
     true,
     false,
     {1, 1},
     {1, 1},
     0},
    {"an offset in bytes that the launch gives",
     BODY(AT(r7, 4) "add.s64 %rd3, %rd3, %rd15; ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {63, 32},
     {39, 8},
     4},
    {"local, one place",
     BODY("st.local.u32 [lm+8], %r2; ld.local.u32 %r8, [lm+8];"),
     {64, 1, 1},
     true,
     true,
     true,
     {1, 1},
     {4, 1},
     0},
    {"local, four words",
     BODY("ld.local.v4.f32 {%f1, %f2, %f3, %f4}, [lm+16];"),
     {64, 1, 1},
     true,
     true,
     true,
     {4, 1},
     {16, 1},
     0},
    {"halves of a warp",
     BODY("shr.u32 %r9, %r2, 4; and.b32 %r9, %r9, 1; and.b32 %r10, %r2, 15; shl.b32 %r9, %r9, 8;\n"
          "add.s32 %r8, %r9, %r10;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {2, 1},
     {4, 1},
     0},
    {"in a loop, a warp after the other",
     BODY("mov.u32 %r10, 0;\nL: mad.lo.s32 %r8, %r10, 64, %r2;\n" AT(
         r8, 4) "ld.global.f32 %f1, [%rd3]; add.s32 %r10, %r10, 1; setp.lt.s32 %p1, %r10, 8;\n"
                "@%p1 bra L;"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"in a loop, word by word",
     BODY("mov.u32 %r10, 0;\nL: add.s32 %r8, %r10, %r2;\n" AT(
         r8, 4) "ld.global.f32 %f1, [%rd3]; add.s32 %r10, %r10, 1; setp.lt.s32 %p1, %r10, 32;\n"
                "@%p1 bra L;"),
     {64, 1, 1},
     true,
     true,
     false,
     {63, 32},
     {39, 8},
     4},
    {"the same for all lanes, word by word",
     BODY("mov.u32 %r10, 0; mov.u64 %rd3, %rd1;\nL: ld.global.f32 %f1, [%rd3];\n"
          "add.s64 %rd3, %rd3, 4; add.s32 %r10, %r10, 1; setp.lt.s32 %p1, %r10, 32;\n@%p1 bra L;"),
     {64, 1, 1},
     true,
     true,
     true,
     {1, 1},
     {1, 1},
     0},
    {"words in another order",
     BODY("xor.b32 %r8, %r7, 5;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     0},
    {"backwards in groups of 32",
     BODY("and.b32 %r8, %r7, -32; and.b32 %r9, %r7, 31; sub.s32 %r9, 31, %r9;\n"
          "or.b32 %r8, %r8, %r9;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {96, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     -4},
    {"every second word of two lines",
     BODY("bfi.b32 %r8, %r2, %r7, 5, 1;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     false,
     true,
     false,
     {2, 1},
     {8, 1},
     0},
    {"bits in reverse",
     BODY("brev.b32 %r8, %r2; shr.u32 %r8, %r8, 27;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     0},
    {"no further than a word",
     BODY("min.s32 %r8, %r2, 20;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {32, 1, 1},
     false,
     true,
     false,
     {1, 1},
     {3, 1},
     0},
    {"one of two words",
     BODY("and.b32 %r8, %r2, 1; setp.eq.s32 %p1, %r8, 1; shr.u32 %r8, %r2, 1;\n"
          "mul.lo.s32 %r9, %r2, 3; selp.b32 %r8, %r8, %r9, %p1;\n" AT(
              r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {32, 1, 1},
     false,
     true,
     false,
     {3, 1},
     {12, 1},
     0},
    {"one of two words by a branch",
     BODY("and.b32 %r8, %r2, 1; setp.eq.s32 %p1, %r8, 1; @%p1 bra A;\n"
          "mul.lo.s32 %r8, %r2, 3; bra.uni B;\nA: shr.u32 %r8, %r2, 1;\nB:\n" AT(
              r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {32, 1, 1},
     false,
     true,
     false,
     {3, 1},
     {12, 1},
     0},
    {"one of two rows",
     BODY("setp.gt.s32 %p1, %r1, 5; add.s32 %r8, %r7, 1024; @%p1 bra A;\n"
          "mov.u32 %r8, %r7;\nA:\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     4},
    {"the lower lanes counted",
     BODY("mov.u32 %r8, %lanemask_lt; and.b32 %r8, %r8, 255; popc.b32 %r8, %r8;\n" AT(
         r8, 32) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {3, 1},
     {9, 1},
     0},
    {"a neighbour's number",
     BODY("shfl.sync.bfly.b32 %r8, %r7, 1, 31, -1;\n" AT(r8, 4) "ld.global.f32 %f1, [%rd3];"),
     {64, 1, 1},
     true,
     true,
     false,
     {1, 1},
     {4, 1},
     0},
    {"steps that double",
     BODY("mov.u32 %r9, 0; mov.u64 %rd5, 128;\n" AT(
         r7, 8) "L: "
                "ld.global.f32 %f1, [%rd3];"
                "add.s64 %rd3, %rd3, %rd5; shl.b64 %rd5, %rd5, 1; add.s32 %r9, %r9, 1;\n"
                "setp.lt.s32 %p1, %r9, 4; @%p1 bra L;\n"),
     {64, 1, 1},
     true,
     true,
     false,
     {2, 1},
     {8, 1},
     8},
};

static uint32_t last_access(const struct ir_function *fn)
{
    uint32_t last = IR_NONE;
    for (uint32_t i = 0; i < fn->insts.n; i++)
        if ((fn->insts.v[i].class == CLASS_LOAD && fn->insts.v[i].space != W_param) ||
            fn->insts.v[i].class == CLASS_STORE || fn->insts.v[i].class == CLASS_ATOMIC)
            last = i;
    return last;
}

static const struct profile_function *execute(struct kernel *k, struct profile *profile,
                                              const uint32_t block[3])
{
    const struct program_function *function = program_find(&k->program, "k");
    struct launch launch = {.program = &k->program,
                            .function = (uint32_t)(function - k->program.functions.v),
                            .grid = {3, 1, 1},
                            .block = {block[0], block[1], block[2]},
                            .params = k->params,
                            .image = &k->image,
                            .profile = profile};
    struct grid_options options = {.threads = 1};
    profile_init(profile, &k->arena, &k->program);
    grid_run(&launch, &k->arena, &options, &k->result);
    if (k->result.fault.happened)
        fail_msg("%s", k->result.fault.text);
    return profile->functions[launch.function];
}

static void check_said(const struct form *form, const struct coalescing *c)
{
    assert_true(c->access);
    if (c->known != form->known)
        fail_msg("%s: known", form->name);
    if (c->uniform != form->uniform)
        fail_msg("%s: uniform", form->name);
    if (c->lines.count * form->lines.of != c->lines.of * form->lines.count)
        fail_msg("%s: %llu / %llu lines", form->name, (unsigned long long)c->lines.count,
                 (unsigned long long)c->lines.of);
    if (c->sectors.count * form->sectors.of != c->sectors.of * form->sectors.count)
        fail_msg("%s: %llu / %llu sectors", form->name, (unsigned long long)c->sectors.count,
                 (unsigned long long)c->sectors.of);
    assert_int_equal(c->stride, form->stride);
}

static void check(const struct form *form)
{
    struct kernel k;
    struct profile profile;
    struct bounds_counts tally = {0};
    struct block_shape shape = {form->block[0], form->block[1], form->block[2]};
    kernel_load(&k, form->text, NULL);
    uint32_t *data = kernel_buffer(&k, 1 << 20);
    for (uint32_t i = 0; i < 1024; i++)
        data[i] = i * 2654435761u;
    kernel_u32(&k, N);
    k.param_bytes = 16;
    uint64_t offset = 36;
    memcpy(k.params + k.param_bytes, &offset, 8);
    const struct profile_function *counts = execute(&k, &profile, form->block);
    if (form->shapeless)
        shape = (struct block_shape){0};
    const struct ir_function *fn = &k.module.functions.v[0];
    struct divergence *divergence = divergence_new(&k.arena, &k.module, fn, shape, SHAPE_ASSUMED);
    struct affines *affines = affines_new(&k.arena, &k.module, fn, divergence, shape);
    struct coalescings *c = coalescings_new(&k.arena, &k.module, fn, affines, shape);
    uint32_t inst = last_access(fn);
    struct coalescing said = coalescing_of(c, inst);
    check_said(form, &said);
    assert_non_null(coalescing_text(c, &k.arena, inst));
    counted_compare(&k.arena, &k.module, 0, counts, shape, &tally);
    assert_int_equal(tally.compared, tally.accesses + (said.space == W_local ? 1 : 0) +
                                         (strstr(form->text, "st.local") ? 1 : 0));
    assert_int_equal(tally.loops, fn->loops.n);
    kernel_free(&k);
}

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check(&forms[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
