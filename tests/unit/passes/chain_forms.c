// Chains beyond plain words in one basic block: comparisons in another block, vectors, parts of
// words, other units near the data, and the best set of several.
#include "tests/unit/passes/chain_answers.h"

#define LD_A "ld.global.f32 %f1, [%a];\n"
#define LD_B "ld.global.f32 %f2, [%b];\n"
// A uniform branch.
#define UNIFORM "setp.eq.u32 %t1, %ui, 3;\n@%t1 bra L;\n"

static const struct pass_options usual = {.reorder = true};

static struct capability with(const char *text)
{
    struct capability capability;
    struct memory memory = {0};
    struct arena arena;
    arena_init(&arena, &memory);
    assert_true(capability_from_text(&capability, &arena, text));
    assert_string_equal(capability.text, text);
    capability.text = "";
    arena_free(&arena);
    return capability;
}

#define BITS_A LD_A "mov.b32 %r1, %f1;\n"
#define BITS_B LD_B "mov.b32 %r2, %f2;\n"
#define ST_R(reg) "mov.b32 %f9, " reg ";\nst.global.f32 [%c], %f9;\n"

static void test_copies(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"two loads and a result", BITS_A BITS_B "xor.b32 %r3, %r1, %r2;\n" ST_R("%r3"),
         "1:1,3,2,4,5,6,7"},
        {"the result stays", BITS_A BITS_B "xor.b32 %r3, %r1, %r2;\nmov.b32 %f9, %r3;\n",
         "2:1,3,2,4,5"},
        {"nothing computed", BITS_A "st.global.u32 [%c], %r1;\n", "3:1,2,3"},
        {"there and back", BITS_A ST_R("%r1"), "3:1,2,3,4"},
        {"one operand", BITS_A "not.b32 %r3, %r1;\n" ST_R("%r3"), "4:1,2,3,4,5"},
        {"a comparison", BITS_A BITS_B "setp.lt.s32 %t1, %r1, %r2;\n", "5:1,3,2,4,5"},
        {"a comparison with a scalar", BITS_A "setp.lt.s32 %t1, %r1, 7;\n", "6:1,2,3"},
        {"a scalar", BITS_A "add.s32 %r3, %r1, %ui;\n" ST_R("%r3"), "7:1,2,3,4,5"},
        {"a scalar that is a copy",
         LD_A "mov.b32 %f5, %ui;\nadd.f32 %f3, %f1, %f5;\nst.global.f32 [%c], %f3;\n", "7:1,3,4"},
        {"between two operations",
         LD_A "ld.global.u32 %r2, [%b];\nadd.s32 %r3, %r2, 5;\nmov.b32 %f3, %r3;\n"
              "mul.f32 %f4, %f1, %f3;\nmov.f32 %f5, %f4;\nst.global.f32 [%c], %f5;\n",
         "9:1,2,3,4,5,6,7"},
        {"halves", "ld.global.u16 %h1, [%a];\nmov.b16 %h2, %h1;\nst.global.u16 [%c], %h2;\n",
         "3:1,2,3"},
        {"the copy is read twice",
         BITS_A "st.global.u32 [%c], %r1;\nst.global.u32 [%c+4096], %r1;\n", "reuse:1<4"},
        {"what is copied is read again",
         BITS_A "st.global.u32 [%c], %r1;\nst.global.f32 [%c+4096], %f1;\n", "reuse:1<4"},
        {"the address too", LD_A "mov.b32 %r1, %f1;\nst.global.u32 [%r1], %r1;\n", "reuse:1<3"},
        {"under a guard of its own", LD_A "@%p mov.b32 %r1, %f1;\nst.global.u32 [%c], %r1;\n",
         "guard:1<3"},
        {"all under one guard",
         "@%p ld.global.f32 %f1, [%a];\n@%p mov.b32 %r1, %f1;\n@%p st.global.u32 [%c], %r1;\n",
         "3:1,2,3"},
        {"a half of it", LD_A "mov.b32 {%h1, %h2}, %f1;\nst.global.u16 [%c], %h1;\n",
         "pattern:1<2"},
        {"the comparison is in another block",
         BITS_A UNIFORM "add.f32 %f5, %u, %u;\nL:\nsetp.lt.s32 %t2, %r1, 0;\n", "cross-block:1<7"},
    };
    check_all(examples, sizeof examples / sizeof *examples, usual, false);
}

// Declarations in the middle of the body are not moved.
static void test_declarations(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"of the result", LD_A ".reg .f32 %n;\nadd.f32 %n, %f1, %u;\nst.global.f32 [%c], %n;\n",
         "7:1,3,4"},
        {"of something else", LD_A ".reg .b32 %n<5>;\nst.global.f32 [%c], %f1;\n", "3:1,3"},
        {"a loop is not unrolled", LD_A ".pragma \"nounroll\";\nst.global.f32 [%c], %f1;\n",
         "3:1,3"},
        {"a directive of the next instruction",
         LD_A ".pragma \"used_bytes_mask 0xffff\";\nst.global.f32 [%c], %f1;\n", "order:1"},
    };
    check_all(examples, sizeof examples / sizeof *examples, usual, false);
}

static void test_across(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"behind a branch of all lanes",
         LD_A UNIFORM "add.f32 %f5, %u, %u;\nL:\n"
                      "setp.lt.f32 %t2, %f1, 0f00000000;\n",
         "6:1,6"},
        {"both loads, one on either side",
         LD_A UNIFORM "add.f32 %f5, %u, %u;\nL:\n" LD_B "setp.lt.f32 %t2, %f1, %f2;\n", "5:1,6,7"},
        {"behind a label that nobody uses", LD_A LD_B "L:\nsetp.lt.f32 %t2, %f1, %f2;\n",
         "5:1,2,4"},
        {"a store to elsewhere on the way",
         "ld.global.nc.f32 %f1, [%a];\n" UNIFORM "st.global.f32 [%c], %v;\nL:\n"
         "setp.lt.f32 %t2, %f1, 0f00000000;\n",
         "6:1,6"},
        {"a loop on the way",
         LD_A "mov.u32 %r5, 0;\nM:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %t1, %r5, %ui;\n@%t1 bra M;\n"
              "setp.lt.f32 %t2, %f1, 0f00000000;\n",
         "cross-block:1<7"},
        {"the lanes part", LD_A "@%p bra L;\nadd.f32 %f5, %u, %u;\nL:\nsetp.lt.f32 %t2, %f1, %u;\n",
         "diverges:1<2"},
        {"a store on one of the ways",
         LD_A UNIFORM "st.global.f32 [%c], %v;\nL:\nsetp.lt.f32 %t2, %f1, %u;\n",
         "alias-store:1<4"},
        {"a store before the branch",
         LD_A "st.global.f32 [%c], %v;\n" UNIFORM "add.f32 %f5, %u, %u;\nL:\n"
              "setp.lt.f32 %t2, %f1, %u;\n",
         "alias-store:1<2"},
        {"a store behind the branch",
         LD_A UNIFORM "add.f32 %f5, %u, %u;\nL:\nst.global.f32 [%c], %v;\n"
                      "setp.lt.f32 %t2, %f1, %u;\n",
         "alias-store:1<6"},
        {"a barrier on one of the ways",
         LD_A UNIFORM "bar.sync 0;\nL:\nsetp.lt.f32 %t2, %f1, %u;\n", "barrier:1<4"},
        {"a call on one of the ways",
         LD_A UNIFORM "call (%f2), f, (%v);\nL:\nsetp.lt.f32 %t2, %f1, %u;\n", "barrier:1<4"},
        {"not always compared", LD_A UNIFORM "setp.lt.f32 %t2, %f1, %u;\nL:\n", "cross-block:1<4"},
        {"compared again and again",
         LD_A "M:\nsetp.lt.f32 %t2, %f1, %u;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %t1, %r5, %ui;\n"
              "@%t1 bra M;\n",
         "cross-block:1<3"},
        {"loaded again and again",
         "M:\n" LD_A "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %t1, %r5, %ui;\n@%t1 bra M;\n"
         "setp.lt.f32 %t2, %f1, %u;\n",
         "cross-block:2<6"},
        {"the thread may end on the way", LD_A UNIFORM "ret;\nL:\nsetp.lt.f32 %t2, %f1, %u;\n",
         "cross-block:1<6"},
        {"the turn may end before the comparison",
         "M:\n" LD_A "setp.eq.u32 %t1, %ui, 3;\n@%t1 bra M;\nsetp.lt.f32 %t2, %f1, %u;\n",
         "cross-block:2<5"},
        {"no comparison", LD_A UNIFORM "add.f32 %f5, %u, %u;\nL:\nst.global.f32 [%c], %f1;\n",
         "cross-block:1<6"},
    };
    check_all(examples, sizeof examples / sizeof *examples, usual, false);
    check_all(examples, sizeof examples / sizeof *examples, (struct pass_options){.reorder = false},
              false);
}

#define LD_A2 "ld.global.v2.f32 {%f1, %f2}, [%a];\n"
#define LD_B2 "ld.global.v2.f32 {%f3, %f4}, [%b];\n"
#define ST_C2 "st.global.v2.f32 [%c], {%f5, %f6};\n"

static void test_vectors(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"1", LD_A2 LD_B2 "add.f32 %f5, %f1, %f3;\nadd.f32 %f6, %f2, %f4;\n" ST_C2, "1:1,2,3,4,5"},
        {"1, elements in another order",
         LD_A2 LD_B2 "add.f32 %f6, %f2, %f4;\nadd.f32 %f5, %f1, %f3;\n" ST_C2, "1:1,2,3,4,5"},
        {"2",
         LD_A2 LD_B2 "add.f32 %f5, %f1, %f3;\nadd.f32 %f6, %f2, %f4;\nadd.f32 %f7, %f5, %f6;\n",
         "2:1,2,3,4"},
        {"3", LD_A2 "st.global.v2.f32 [%c], {%f1, %f2};\n", "3:1,2"},
        {"3, of four",
         "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a];\n"
         "st.global.v4.u32 [%c], {%r1, %r2, %r3, %r4};\n",
         "3:1,2"},
        {"4", LD_A2 "neg.f32 %f5, %f1;\nneg.f32 %f6, %f2;\n" ST_C2, "4:1,2,3,4"},
        {"5", LD_A2 LD_B2 "setp.lt.f32 %t1, %f1, %f3;\nsetp.lt.f32 %t2, %f2, %f4;\n", "5:1,2,3,4"},
        {"6", LD_A2 "setp.lt.f32 %t1, %f1, %u;\nsetp.lt.f32 %t2, %f2, %u;\n", "6:1,2,3"},
        {"7", LD_A2 "mul.f32 %f5, %f1, %u;\nmul.f32 %f6, %f2, %u;\n" ST_C2, "7:1,2,3,4"},
        {"8",
         LD_A2 LD_B2 "fma.rn.f32 %f5, %f1, %u, %f3;\nfma.rn.f32 %f6, %f2, %u, %f4;\n"
                     "add.f32 %f7, %f5, %f6;\n",
         "8:1,2,3,4"},
        {"9", LD_A2 LD_B2 "fma.rn.f32 %f5, %f1, %u, %f3;\nfma.rn.f32 %f6, %f2, %u, %f4;\n" ST_C2,
         "9:1,2,3,4,5"},
        {"elements crossed", LD_A2 "st.global.v2.f32 [%c], {%f2, %f1};\n", "pattern:1<2"},
        {"an element of another vector",
         LD_A2 LD_B2 "add.f32 %f5, %f1, %f4;\nadd.f32 %f6, %f2, %f3;\n" ST_C2,
         "pattern:1<3 pattern:2<4"},
        {"two operations", LD_A2 "neg.f32 %f5, %f1;\nabs.f32 %f6, %f2;\n" ST_C2, "pattern:1<2"},
        {"two scalars", LD_A2 "mul.f32 %f5, %f1, %u;\nmul.f32 %f6, %f2, 0f40000000;\n" ST_C2,
         "pattern:1<2"},
        {"one element is not used", LD_A2 "neg.f32 %f5, %f1;\nst.global.f32 [%c], %f5;\n",
         "pattern:1"},
        {"one element is used again",
         LD_A2 "neg.f32 %f5, %f1;\nneg.f32 %f6, %f2;\n" ST_C2 "add.f32 %f7, %f1, %f5;\n",
         "reuse:1<5"},
        {"a sum of the elements", LD_A2 "add.f32 %f5, %f1, %f2;\nst.global.f32 [%c], %f5;\n",
         "pattern:1<2"},
        {"stored one by one",
         LD_A2 "neg.f32 %f5, %f1;\nneg.f32 %f6, %f2;\nst.global.f32 [%c], %f5;\n"
               "st.global.f32 [%c+4], %f6;\n",
         "pattern:1<2"},
        {"halves", "ld.global.v2.u16 {%h1, %h2}, [%a];\nst.global.v2.u16 [%c], {%h1, %h2};\n",
         "width:1"},
        {"doubles", "ld.global.v2.f64 {%x1, %x2}, [%a];\nst.global.v2.f64 [%c], {%x1, %x2};\n",
         "width:1"},
    };
    struct capability capability = with("vector: 4");
    struct pass_options options = {.reorder = true, .capability = &capability};
    check_all(examples, sizeof examples / sizeof *examples, options, false);
    static const struct example too_long[] = {
        {"of four",
         "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a];\n"
         "st.global.v4.u32 [%c], {%r1, %r2, %r3, %r4};\n",
         "width:1"},
        {"of two", LD_A2 "st.global.v2.f32 [%c], {%f1, %f2};\n", "3:1,2"},
    };
    capability = with("vector: 2");
    check_all(too_long, 2, options, false);
    static const struct example none[] = {
        {"usually", LD_A2 "st.global.v2.f32 [%c], {%f1, %f2};\n", "width:1"}};
    check_all(none, 1, usual, false);
}

static void test_parts(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"a byte is added to",
         "ld.global.u8 %r1, [%a];\nadd.u32 %r2, %r1, 1;\nst.global.u8 [%c], %r2;\n", "7:1,2,3"},
        {"a signed half is compared", "ld.global.s16 %r1, [%a];\nsetp.lt.s32 %t1, %r1, 0;\n",
         "6:1,2"},
        {"a byte is copied by a register of 16 bits",
         "ld.global.u8 %h1, [%a];\nst.global.u8 [%c], %h1;\n", "3:1,2"},
        {"a byte is added to in 16 bits",
         "ld.global.u8 %h1, [%a];\nadd.s16 %h2, %h1, 1;\nst.global.u8 [%c], %h2;\n", "type:1<2"},
        {"a byte is compared in 16 bits", "ld.global.u8 %h1, [%a];\nsetp.eq.s16 %t1, %h1, 0;\n",
         "6:1,2"},
        {"a half is compared with a scalar",
         "cvt.u16.u32 %h3, %ui;\nld.global.u16 %h1, [%a];\nsetp.hs.u16 %t1, %h3, %h1;\n", "6:2,3"},
        {"a half is compared with a register",
         "cvt.u16.u32 %h3, %r9;\nld.global.u16 %h1, [%a];\nsetp.hs.u16 %t1, %h3, %h1;\n",
         "varying-scalar:2<3"},
        {"bytes are compared, with a copy",
         "ld.global.s8 %h1, [%a];\nld.global.u8 %h2, [%b];\nmov.u16 %h3, %h2;\n"
         "setp.lt.s16 %t1, %h1, %h3;\n",
         "5:1,2,3,4"},
        {"in another block", "ld.global.u8 %h1, [%a];\n" UNIFORM "setp.ne.b16 %t2, %h1, 7;\nL:\n",
         "cross-block:1<4"},
        {"set", "ld.global.u8 %h1, [%a];\nset.ne.u32.u16 %r1, %h1, 7;\n", "6:1,2"},
        {"a signed byte as an unsigned half", "ld.global.s8 %h1, [%a];\nsetp.lt.u16 %t1, %h1, 7;\n",
         "type:1<2"},
        {"a signed byte and its bits", "ld.global.s8 %h1, [%a];\nsetp.eq.b16 %t1, %h1, 7;\n",
         "type:1<2"},
        {"a half as a float", "ld.global.b16 %h1, [%a];\nsetp.lt.f16 %t1, %h1, %h1;\n", "type:1<2"},
        {"a byte in a register of 64 bits", "ld.global.u8 %rd1, [%a];\nst.global.u8 [%c], %rd1;\n",
         "width:1"},
    };
    check_all(examples, sizeof examples / sizeof *examples, usual, false);
    static const struct example none[] = {
        {"loaded", "ld.global.u8 %r1, [%a];\nst.global.u32 [%c], %r1;\n", "width:1"},
        {"stored", "ld.global.u32 %r1, [%a];\nst.global.u8 [%c], %r1;\n", "width:1<2"}};
    struct capability capability = with("sub_word: false");
    check_all(none, 2, (struct pass_options){.reorder = true, .capability = &capability}, false);
}

// The unit copies 64 bits, and computes with none of them.
static void test_wide_copies(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"integers", "ld.global.u64 %x1, [%a];\nst.global.b64 [%c], %x1;\n", "3:1,2"},
        {"guarded", "@%p ld.global.f64 %x1, [%a];\n@%p st.global.f64 [%c], %x1;\n", "3:1,2"},
        {"by a register", "ld.global.f64 %x1, [%a];\nmov.b64 %x2, %x1;\nst.global.f64 [%c], %x2;\n",
         "3:1,2,3"},
        {"a sum", "ld.global.f64 %x1, [%a];\nadd.f64 %x2, %x1, %x1;\nst.global.f64 [%c], %x2;\n",
         "width:1"},
        {"read again", "ld.global.f64 %x1, [%a];\nst.global.f64 [%c], %x1;\nneg.f64 %x2, %x1;\n",
         "width:1"},
        {"compared", "ld.global.u64 %x1, [%a];\nsetp.eq.u64 %t1, %x1, 0;\n", "width:1"},
        {"an address", "ld.global.u64 %x1, [%a];\nst.global.u32 [%x1], %u;\n", "width:1"},
        {"half of it", "ld.global.u64 %x1, [%a];\nst.global.u32 [%c], %x1;\n", "width:1"},
        {"volatile", "ld.volatile.global.u64 %x1, [%a];\nst.global.u64 [%c], %x1;\n", "volatile:1"},
        {"pairs", "ld.global.v2.u64 {%x1, %x2}, [%a];\nst.global.v2.u64 [%c], {%x1, %x2};\n",
         "width:1"},
        {"two with a store between that may overlap",
         "ld.global.u64 %x1, [%a];\nld.global.u64 %x2, [%b];\nst.global.u64 [%c], %x1;\n"
         "st.global.u64 [%c+8], %x2;\n",
         "3:1,3 overlap:2<3"},
    };
    check_all(examples, sizeof examples / sizeof *examples, usual, false);
}

static void check_with(const char *text, const struct example *examples, size_t count)
{
    struct capability capability = with(text);
    check_all(examples, count, (struct pass_options){.reorder = true, .capability = &capability},
              false);
}

static void test_capability(void **state)
{
    (void)state;
    static const struct example division[] = {
        {"a division", LD_A "div.rn.f32 %f3, %f1, %u;\nst.global.f32 [%c], %f3;\n", "7:1,2,3"},
        {"no sum", LD_A LD_B "add.f32 %f3, %f1, %f2;\n", "operation:1<3 operation:2<3"},
    };
    check_with("operations: [div]", division, 2);
    static const struct example doubles[] = {
        {"a sum of doubles",
         "ld.global.f64 %x1, [%a];\nld.global.f64 %x2, [%b];\nadd.f64 %x3, %x1, %x2;\n"
         "st.global.f64 [%c], %x3;\n",
         "1:1,2,3,4"},
        {"with a scalar that is too long",
         "ld.global.f64 %x1, [%a];\nadd.f64 %x3, %x1, 0d3FF0000000000000;\n"
         "st.global.f64 [%c], %x3;\n",
         "capacity:1<3"},
        {"no words", LD_A "st.global.f32 [%c], %f1;\n", "type:1"},
    };
    check_with("types: [f64]", doubles, 3);
    check_with("types: [f64], packet_bytes: 64, scalar_bytes: 8",
               (struct example[]){{"with a scalar",
                                   "ld.global.f64 %x1, [%a];\nadd.f64 %x3, %x1, "
                                   "0d3FF0000000000000;\nst.global.f64 [%c], %x3;\n",
                                   "7:1,2,3"}},
               1);
    static const struct example scalars[] = {
        {"a scalar", LD_A "add.f32 %f3, %f1, %u;\nst.global.f32 [%c], %f3;\n", "capacity:1<3"},
        {"none", LD_A "neg.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n", "4:1,2,3"},
        {"compared with itself", LD_A "setp.nan.f32 %t1, %f1, %f1;\n", "6:1,2"},
        {"the other way", LD_A LD_B "fma.rn.f32 %f3, %f1, %u, %f2;\n", "capacity:1<3 capacity:2<3"},
    };
    check_with("scalars: 0", scalars, 4);
    static const struct example packets[] = {
        {"three addresses", LD_A LD_B "add.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\n",
         "2:1,2,3"},
        {"two", LD_A "st.global.f32 [%c], %f1;\n", "3:1,2"},
    };
    check_with("packet_bytes: 21", packets, 2);
}

static void test_best_set(void **state)
{
    (void)state;
    static const struct example examples[] = {
        // 1, 2, 7, 8 save 16 and keep the two copies apart; without their store they save 6, and
        // the copies 10 each.
        {"three for one",
         LD_A "ld.global.f32 %f2, [%a+4];\nld.global.f32 %f3, [%a+8];\n"
              "ld.global.f32 %f4, [%a+8];\nst.global.f32 [%a], %f3;\nst.global.f32 [%a+4], %f4;\n"
              "add.f32 %f5, %f1, %f2;\nst.global.f32 [%a+8], %f5;\n",
         "2:1,2,7 3:3,5 3:4,6"},
        // The same with one copy: 16 against 10 + 6.
        {"of equals the longer one",
         LD_A "ld.global.f32 %f2, [%a+4];\nld.global.f32 %f3, [%a+8];\n"
              "st.global.f32 [%a], %f3;\nadd.f32 %f5, %f1, %f2;\nst.global.f32 [%a+8], %f5;\n",
         "1:1,2,5,6 overlap:3<6"},
    };
    check_all(examples, 2, usual, false);
}

// The refined cost model rejects loads that surely hit in a cache; TOM's does not.
static void test_served(void **state)
{
    (void)state;
#define TURNS(ADDRESS, ON)                                                                         \
    "mov.u32 %r5, 0;\nM:\nld.global.f32 %f1, [" ADDRESS "];\nsetp.lt.f32 %t2, %f1, %u;\n" ON       \
    "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %t1, %r5, %ui;\n@%t1 bra M;\n"
    static const struct example tom[] = {{"the same each turn", TURNS("%a", ""), "6:3,4"}};
    static const struct example refined[] = {
        {"the same each turn", TURNS("%a", ""), "reuse:3<3"},
        {"a line on each turn", TURNS("%a", "add.s64 %a, %a, 128;\n"), "6:3,4"},
    };
    check_all(tom, 1, (struct pass_options){.cost = COST_TOM, .reorder = true}, false);
    check_all(refined, 2, (struct pass_options){.cost = COST_REFINED, .reorder = true}, false);
}

// The minimum expected saving also applies to the rest of a chain whose store belongs to another
// chain.
static void test_min(void **state)
{
    (void)state;
    static const double rest = -3.25, above = -3, copy = 0.5;
#define THREE                                                                                      \
    LD_A "ld.global.f32 %f2, [%a+4];\nld.global.f32 %f3, [%a+8];\n"                                \
         "ld.global.f32 %f4, [%a+8];\nst.global.f32 [%a], %f3;\nst.global.f32 [%a+4], %f4;\n"      \
         "add.f32 %f5, %f1, %f2;\nst.global.f32 [%a+8], %f5;\n"
    static const struct example just[] = {{"just enough", THREE, "2:1,2,7 3:3,5 3:4,6"}};
    static const struct example less[] = {
        {"the rest is too little", THREE, "3:3,5 3:4,6 no-gain:1<7 no-gain:2<7"}};
    static const struct example freed[] = {
        {"one of those in the way is too little", THREE, "1:1,2,7,8 no-gain:3<5 overlap:4<8"}};
    check_all(just, 1, (struct pass_options){.reorder = true, .min_saving = &rest}, false);
    check_all(less, 1, (struct pass_options){.reorder = true, .min_saving = &above}, false);
    check_all(freed, 1, (struct pass_options){.reorder = true, .min_saving = &copy}, false);
}

static void test_shared(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"no room",
         ".shared .align 4 .b8 big[24577];\n" LD_A "st.global.f32 [%c], %f1;\n"
         "st.shared.f32 [big], %v;\n",
         "3:2,3 shared:0<4 kernel"},
        {"just room",
         ".shared .align 4 .b8 big[24576];\n" LD_A "st.global.f32 [%c], %f1;\n"
         "st.shared.f32 [big], %v;\n",
         "3:2,3"},
    };
    check_all(examples, 2, usual, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),     cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_across),     cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_wide_copies),
        cmocka_unit_test(test_capability), cmocka_unit_test(test_best_set),
        cmocka_unit_test(test_served),     cmocka_unit_test(test_min),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
