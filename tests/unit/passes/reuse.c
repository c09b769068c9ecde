// Hits in an L1, for code whose hits can be computed by hand.
#include "passes/analysis/facts.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct form {
    const char *text;
    struct block_shape shape;
    enum reuse_kind kind; // of the last load
    struct ratio miss;
};

#define LOOP(before, body, step)                                                                   \
    "mov.u32 %r10, 0; " before "\nL: " body " add.s32 %r10, %r10, " #step                          \
    "; setp.lt.s32 %p1, %r10, %r1;\n@%p1 bra L;"
// Repeats the body this many times.
#define TIMES(count, before, body, step)                                                           \
    "mov.u32 %r10, 0; " before "\nL: " body " add.s32 %r10, %r10, " #step                          \
    "; setp.lt.s32 %p1, %r10, " #count ";\n@%p1 bra L;"
// %rd3 = a + 4 * index
#define AT(index) "mul.wide.s32 %rd2, %" #index ", 4; add.s64 %rd3, %rd1, %rd2; "
#define LD "ld.global.f32 %f1, [%rd3]; "
// %r9 = a[number of the warp], if the block has rows of 32
#define OF_WARP "mov.u32 %r8, %tid.y; " AT(r8) "ld.global.u32 %r9, [%rd3]; "

static const struct form forms[] = {
    // Each thread its own word, once.
    {AT(r7) LD, {0}, REUSE_NONE, {1, 1}},
    // A loop over the grid: 128 bytes and more further each time.
    {LOOP("", "mad.lo.s32 %r8, %r10, %r4, %r7; " AT(r8) LD, 1), {0}, REUSE_NONE, {1, 1}},
    // Each thread along a row of its own, 256 words long: 31 of 32 times the line is there.
    {LOOP("shl.b32 %r9, %r7, 8; ", "add.s32 %r8, %r9, %r10; " AT(r8) LD, 1),
     {0},
     REUSE_LOOP,
     {1, 32}},
    // The same, of a width that is not known.
    {LOOP("mul.lo.s32 %r9, %r7, %r1; ", "add.s32 %r8, %r9, %r10; " AT(r8) LD, 1),
     {0},
     REUSE_LOOP,
     {1, 32}},
    // Four words further.
    {LOOP("shl.b32 %r9, %r7, 8; ", "add.s32 %r8, %r9, %r10; " AT(r8) LD, 4),
     {0},
     REUSE_LOOP,
     {1, 8}},
    // Backwards.
    {LOOP("shl.b32 %r9, %r7, 8; ", "sub.s32 %r8, %r9, %r10; " AT(r8) LD, 1),
     {0},
     REUSE_LOOP,
     {1, 32}},
    // Unrolled by two: the second word of a pair is always in the line of the first.
    {LOOP("shl.b32 %r9, %r7, 8; ",
          "add.s32 %r8, %r9, %r10; " AT(r8) LD "ld.global.f32 %f2, [%rd3+4]; ", 2),
     {0},
     REUSE_LOOP,
     {0, 1}},
    // The address does not change.
    {LOOP(AT(r7), LD, 1), {0}, REUSE_SAME, {0, 1}},
    // Each thread along 32 words of its own: the first iteration brings all that the loop touches.
    {TIMES(32, "shl.b32 %r9, %r7, 5; ", "add.s32 %r8, %r9, %r10; " AT(r8) LD, 1),
     {0},
     REUSE_LOOP,
     {1, 32}},
    // Along 8 words: four threads share a line.
    {TIMES(8, "shl.b32 %r9, %r7, 3; ", "add.s32 %r8, %r9, %r10; " AT(r8) LD, 1),
     {0},
     REUSE_LOOP,
     {1, 8}},
    // Along 100: they end in the fourth line.
    {TIMES(100, "mul.lo.s32 %r9, %r7, 128; ", "add.s32 %r8, %r9, %r10; " AT(r8) LD, 1),
     {0},
     REUSE_LOOP,
     {1, 25}},
    // Unrolled by four, and the test in front.
    {"mov.u32 %r10, 0; shl.b32 %r9, %r7, 5;\nL: setp.ge.s32 %p1, %r10, 32; @%p1 bra M;\n"
     "add.s32 %r8, %r9, %r10; " AT(r8) LD
     "ld.global.f32 %f1, [%rd3+4];\n"
     "ld.global.f32 %f1, [%rd3+8]; ld.global.f32 %f1, [%rd3+12]; add.s32 %r10, %r10, 4;\n"
     "bra L;\nM:",
     {0},
     REUSE_LOOP,
     {0, 1}},
    // The address does not change, 5 times.
    {TIMES(5, AT(r7), LD, 1), {0}, REUSE_SAME, {1, 5}},
    // More often than is looked at: as if it were not known.
    {TIMES(100000, AT(r7), LD, 1), {0}, REUSE_SAME, {0, 1}},
    // One word for all eight warps of a CTA, word by word.
    {LOOP("", AT(r10) LD, 1), {0}, REUSE_LOOP, {1, 256}},
    // The same of two warps.
    {LOOP("", AT(r10) LD, 1), {64, 1, 1}, REUSE_LOOP, {1, 64}},
    // The neighbour's word: of two lines, one was there before.
    {AT(r7) LD "ld.global.f32 %f2, [%rd3+4]; ", {32, 1, 1}, REUSE_OTHER, {1, 2}},
    // The same word again.
    {AT(r7) LD "ld.global.f32 %f2, [%rd3]; ", {0}, REUSE_OTHER, {0, 1}},
    // Words that lie apart by more than a warp's.
    {AT(r7) LD "ld.global.f32 %f2, [%rd3+4096]; ", {32, 1, 1}, REUSE_NONE, {1, 1}},
    // Two fields of a structure of 8 bytes: all lines of the second are those of the first.
    {"mul.wide.s32 %rd2, %r7, 8; add.s64 %rd3, %rd1, %rd2; " LD "ld.global.f32 %f2, [%rd3+4]; ",
     {0},
     REUSE_OTHER,
     {0, 1}},
    // Warps one word off: each but the last touches a line that the next one touches, too.
    {AT(r7) "ld.global.f32 %f2, [%rd3+4]; ", {256, 1, 1}, REUSE_WARPS, {9, 16}},
    // A row for all warps of the block.
    {AT(r2) LD, {32, 8, 1}, REUSE_WARPS, {1, 8}},
    // A row for all threads that are in the same row of the block: which these are is not known.
    {"mov.u32 %r8, %tid.y; " AT(r8) LD, {0}, REUSE_NONE, {1, 1}},
    {"mov.u32 %r8, %tid.y; " AT(r2) LD, {0}, REUSE_NONE, {1, 1}},
    {"mov.u32 %r8, %tid.y; " AT(r8) LD, {16, 16, 1}, REUSE_WARPS, {1, 8}},
    {"mov.u32 %r8, %tid.y; " AT(r2) LD, {16, 16, 1}, REUSE_WARPS, {1, 8}},
    // One word for the whole CTA is that in any block.
    {"mov.u32 %r8, %tid.y; " AT(r3) LD, {0}, REUSE_WARPS, {1, 8}},
    // A word that each warp finds in memory is another for each; so is what follows from it.
    {OF_WARP AT(r9) LD, {32, 8, 1}, REUSE_NONE, {1, 1}},
    {OF_WARP "add.s32 %r9, %r9, %r2; " AT(r9) LD, {32, 8, 1}, REUSE_NONE, {1, 1}},
    {OF_WARP "and.b32 %r9, %r9, -32; " AT(r9) LD, {32, 8, 1}, REUSE_NONE, {1, 1}},
    {OF_WARP "setp.eq.s32 %p2, %r9, 0; selp.b32 %r10, %r1, %r3, %p2; " AT(r10) LD,
     {32, 8, 1},
     REUSE_NONE,
     {1, 1}},
    {OF_WARP
     "setp.eq.s32 %p2, %r9, 0; mov.u32 %r10, %r1; @%p2 bra M; mov.u32 %r10, %r3;\nM: " AT(r10) LD,
     {32, 8, 1},
     REUSE_NONE,
     {1, 1}},
    // What the first lane of each warp has, and what each votes for.
    {"shfl.sync.idx.b32 %r9, %r2, 0, 31, -1; " AT(r9) LD, {0}, REUSE_NONE, {1, 1}},
    {"setp.eq.s32 %p2, %r2, %r1; vote.sync.ballot.b32 %r9, %p2, -1; " AT(r9) LD,
     {256, 1, 1},
     REUSE_NONE,
     {1, 1}},
    {"mov.u32 %r9, %warpid; " AT(r9) LD, {256, 1, 1}, REUSE_NONE, {1, 1}},
    // A word that all warps find in the same place is the same for all.
    {AT(r3) "ld.global.u32 %r9, [%rd3]; " AT(r9) LD, {0}, REUSE_WARPS, {1, 8}},
    {AT(r3) "ld.global.u32 %r9, [%rd3]; " AT(r9) LD, {256, 1, 1}, REUSE_WARPS, {1, 8}},
    // A gather.
    {AT(r7) "ld.global.u32 %r8, [%rd3]; " AT(r8) LD, {0}, REUSE_UNKNOWN, {1, 1}},
    // Two neighbours of a gather's place: the second is in the same line 31 of 32 times.
    {AT(r7) "ld.global.u32 %r8, [%rd3]; " AT(r8) LD "ld.global.f32 %f2, [%rd3+4]; ",
     {0},
     REUSE_OTHER,
     {1, 32}},
    // A load that stands in one branch only is not there for the other.
    {AT(r7) "setp.eq.s32 %p2, %r2, %r1; @%p2 bra M; " LD "M: ld.global.f32 %f2, [%rd3]; ",
     {32, 1, 1},
     REUSE_NONE,
     {1, 1}},
};

struct loaded {
    struct test_program program;
    struct ir_module module;
    struct facts facts;
    struct reuses *reuses;
    uint32_t last;
};

static void load(struct loaded *l, const struct form *form)
{
    char text[4096];
    snprintf(text, sizeof text,
             ".version 7.5\n.target sm_75\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
             ".reg .b32 %%r<20>; .reg .b64 %%rd<9>; .reg .pred %%p<5>; .reg .f32 %%f<5>;\n"
             "ld.param.u64 %%rd1, [a]; cvta.to.global.u64 %%rd1, %%rd1; ld.param.u32 %%r1, [n];\n"
             "mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ntid.x;\n"
             "mad.lo.s32 %%r7, %%r3, %%r4, %%r2;\n%s\nret;\n}\n",
             form->text);
    program_parse(&l->program, text, strlen(text));
    struct arena *arena = &l->program.arena;
    ir_build(&l->module, arena, &l->program.tree, &l->program.diags);
    assert_int_equal(l->program.diags.errors, 0);
    const struct ir_function *fn = &l->module.functions.v[0];
    l->facts = (struct facts){.arena = arena,
                              .module = &l->module,
                              .fn = fn,
                              .shape = form->shape,
                              .memo = reuse_memo_new(arena)};
    l->reuses = reuses_new(&l->facts);
    for (uint32_t i = 0; i < fn->insts.n; i++)
        if (fn->insts.v[i].class == CLASS_LOAD)
            l->last = i;
}

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct loaded l;
        load(&l, &forms[i]);
        struct reuse reuse = reuse_of(l.reuses, l.last);
        if (reuse.kind != forms[i].kind || reuse.miss.count != forms[i].miss.count ||
            reuse.miss.of != forms[i].miss.of)
            fail_msg("kind %d, %llu / %llu: %s\n%s", reuse.kind,
                     (unsigned long long)reuse.miss.count, (unsigned long long)reuse.miss.of,
                     reuse_text(l.reuses, &l.program.arena, l.last), forms[i].text);
        program_free(&l.program);
    }
}

static void check_text(const struct form *form, const char *text)
{
    struct loaded l;
    load(&l, form);
    assert_string_equal(reuse_text(l.reuses, &l.program.arena, l.last), text);
    program_free(&l.program);
}

// The load that is named touches the same lines; it is not the nearest one.
static const struct form far_other = {
    AT(r7) "ld.global.f32 %f1, [%rd3+4];\nld.global.f32 %f1, [%rd3+65536];\n"
           "ld.global.f32 %f2, [%rd3];",
    {32, 1, 1},
    REUSE_OTHER,
    {0, 1}};
// Two loads that each bring a line: neither brings all.
static const struct form two_others = {
    AT(r7) "ld.global.f32 %f1, [%rd3+128];\nld.global.f32 %f1, [%rd3];\n"
           "ld.global.f32 %f2, [%rd3+64];",
    {32, 1, 1},
    REUSE_OTHER,
    {0, 1}};

// One word for all lanes, four times.
static const struct form one_word = {TIMES(4, "", AT(r1) LD, 1), {0}, REUSE_SAME, {1, 32}};

// As many lines as fit the cache.
static const struct form few_warps = {
    TIMES(32, "shl.b32 %r9, %r7, 5; ", "add.s32 %r8, %r9, %r10; " AT(r8) LD, 1),
    {128, 1, 1},
    REUSE_LOOP,
    {1, 32}};

static void test_texts(void **state)
{
    (void)state;
    check_text(&forms[2], "each iteration advances by 4 bytes: 1 of 32 lines is new, if 256 lines "
                          "stay for 8 warps (a cache of 16 KB has 128)");
    check_text(&few_warps, "each iteration advances by 4 bytes: 1 of 32 lines is new");
    check_text(&forms[7],
               "the address is the same in all iterations: only the first iteration brings lines");
    check_text(&forms[16], "the load in line 10 touches the same lines: 1 of 2 lines is new");
    check_text(&forms[20], "8 warps of a CTA touch the same lines: 9 of 16 lines are new");
    check_text(&forms[22], "the same warp accesses no line again: all lines count as new");
    // Of several causes each has its share.
    check_text(&forms[6], "each iteration advances by 8 bytes (serves 15 of 16 lines) and the load "
                          "in line 11 touches the same lines (serves 1 more): no line is new, if "
                          "256 lines stay for 8 warps (a "
                          "cache of 16 KB has 128)");
    check_text(&forms[14],
               "each iteration advances by 4 bytes (serves 248 of 256 lines) and 8 warps "
               "of a CTA touch the same lines (serves 7 more): 1 of 256 lines is new");
    // Also where the address does not change.
    check_text(&one_word,
               "the address is the same in all iterations (serves 24 of 32 lines) and 8 "
               "warps of a CTA touch the same lines (serves 7 more): 1 of 32 lines is new");
    check_text(&far_other, "the load in line 10 touches the same lines: no line is new");
    check_text(&two_others, "the load in line 11 and others touch the same lines: no line is new");
}

// Reuse that takes too long to compute is estimated: bytes, 1000 for each thread, threads 1028
// bytes apart.
static const struct form many_bytes = {TIMES(1000, "mul.lo.s32 %r9, %r7, 1028;",
                                             "add.s32 %r8, %r9, %r10; cvt.s64.s32 %rd2, %r8; "
                                             "add.s64 %rd3, %rd1, %rd2; ld.global.u8 %r5, [%rd3]; ",
                                             1),
                                       {256, 1, 1},
                                       REUSE_LOOP,
                                       {0, 1}};

static void test_estimate(void **state)
{
    (void)state;
    struct loaded l;
    uint64_t lines = 0;
    for (uint64_t thread = 0; thread < 256; thread++)
        lines += (1028 * thread + 999) / 128 - 1028 * thread / 128 + 1;
    load(&l, &many_bytes);
    struct ratio miss = reuse_of(l.reuses, l.last).miss;
    double found = (double)miss.count / (double)miss.of, counted = (double)lines / (1000.0 * 256);
    assert_true(found > counted * 0.95 && found < counted * 1.05);
    program_free(&l.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_estimate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
