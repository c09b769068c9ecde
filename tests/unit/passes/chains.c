// The patterns; and for every rule, code that misses a pattern by that rule alone.
#include "passes/blocks/candidates.h"
#include "passes/chains/match.h"
#include "tests/unit/passes/chain_answers.h"

#define CHECK_ALL(examples, fma_mode, moves)                                                       \
    check_all(examples, sizeof examples / sizeof *examples,                                        \
              (struct pass_options){.fma = fma_mode, .reorder = moves}, false)
#define CHECK_STORES(examples)                                                                     \
    check_all(examples, sizeof examples / sizeof *examples,                                        \
              (struct pass_options){.reorder = true}, true)

#define LD_A "ld.global.f32 %f1, [%a];\n"
#define LD_B "ld.global.f32 %f2, [%b];\n"
#define LD_AB LD_A LD_B

static void test_patterns(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"1", LD_AB "add.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\n", "1:1,2,3,4"},
        {"1, operands the other way round",
         LD_AB "sub.f32 %f3, %f2, %f1;\nst.global.f32 [%c], %f3;\n", "1:1,2,3,4"},
        {"1, both from one address",
         LD_A "ld.global.f32 %f2, [%a];\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%a], %f3;\n",
         "1:1,2,3,4"},
        {"1, shift by a loaded value",
         "ld.global.nc.u32 %r1, [%a];\nld.global.cs.u32 %r2, [%b];\nshl.b32 %r3, %r1, %r2;\n"
         "st.global.wb.u32 [%c], %r3;\n",
         "1:1,2,3,4"},
        {"1, a table of two inputs",
         "ld.global.b32 %r1, [%a];\nld.global.b32 %r2, [%b];\n"
         "lop3.b32 %r3, %r1, %r2, %r1, 0x1e;\nst.global.b32 [%c], %r3;\n",
         "1:1,2,3,4"},
        {"1, the high half of a product",
         "ld.global.s32 %r1, [%a];\nld.global.s32 %r2, [%b];\nmul.hi.s32 %r3, %r1, %r2;\n"
         "st.global.u32 [%c], %r3;\n",
         "1:1,2,3,4"},
        {"2", LD_AB "mul.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %v;\nadd.f32 %f5, %f3, %f4;\n",
         "2:1,2,3"},
        {"2, stored and needed as well",
         LD_AB "max.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\nst.global.f32 [%d], %f3;\n",
         "2:1,2,3"},
        {"3", LD_A "st.global.f32 [%c], %f1;\n", "3:1,2"},
        {"3, of another type", "ld.global.b32 %f1, [%a];\nst.global.f32 [%c], %f1;\n", "3:1,2"},
        {"4", LD_A "neg.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n", "4:1,2,3"},
        {"4, a times a", LD_A "mul.f32 %f3, %f1, %f1;\nst.global.f32 [%c], %f3;\n", "4:1,2,3"},
        {"4, converted", LD_A "cvt.rzi.s32.f32 %r3, %f1;\nst.global.u32 [%c], %r3;\n", "4:1,2,3"},
        {"5", LD_AB "setp.lt.f32 %t1, %f1, %f2;\nselp.f32 %f3, %u, %v, %t1;\n", "5:1,2,3"},
        {"5, both ways", LD_AB "setp.lt.f32 %t1|%t2, %f1, %f2;\n", "5:1,2,3"},
        {"5, as a number", LD_AB "set.gt.u32.f32 %r3, %f1, %f2;\nadd.u32 %r4, %r3, %vi;\n",
         "5:1,2,3"},
        {"6", LD_A "setp.eq.f32 %t1, %f1, 0f00000000;\n", "6:1,2"},
        {"6, a parameter", LD_A "setp.gt.f32 %t1, %u, %f1;\n", "6:1,2"},
        {"6, a test for NaN", LD_A "setp.nan.f32 %t1, %f1, %f1;\n", "6:1,2"},
        {"7", LD_A "add.f32 %f3, %f1, 0f3F800000;\nst.global.f32 [%c], %f3;\n", "7:1,2,3"},
        {"7, a parameter", LD_A "mul.f32 %f3, %u, %f1;\nst.global.f32 [%c], %f3;\n", "7:1,2,3"},
        {"7, a constant in between",
         LD_A "mov.f32 %f2, 0f40000000;\nmul.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\n",
         "7:1,3,4"},
        {"7, from constant memory",
         "ld.const.f32 %f2, [cm+8];\n" LD_A "mul.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\n",
         "7:2,3,4"},
        {"7, arithmetic on parameters",
         "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, %ui, 3;\nld.global.u32 %r3, [%a];\n"
         "xor.b32 %r4, %r3, %r2;\nst.global.u32 [%c], %r4;\n",
         "7:3,4,5"},
        {"7, rotated",
         "ld.global.u32 %r1, [%a];\nshf.l.wrap.b32 %r2, %r1, %r1, 5;\nst.global.u32 [%c], %r2;\n",
         "7:1,2,3"},
        {"8", LD_A "mul.f32 %f3, %f1, %u;\n" LD_B "add.f32 %f4, %f2, %f3;\n", "8:1,3,2,4"},
        {"8, fused", LD_AB "fma.rn.f32 %f3, %f1, %u, %f2;\nadd.f32 %f4, %f3, %f3;\n", "8:1,2,3"},
        {"8, fused, the factors the other way round",
         LD_AB "fma.rn.f32 %f3, 0f40000000, %f1, %f2;\nadd.f32 %f4, %f3, %f3;\n", "8:1,2,3"},
        {"9", LD_AB "mul.f32 %f3, %f2, %u;\nsub.f32 %f4, %f3, %f1;\nst.global.f32 [%c], %f4;\n",
         "9:1,2,3,4,5"},
        {"9, a comes first",
         "ld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%b];\nshl.b32 %r3, %r2, 2;\n"
         "add.u32 %r4, %r1, %r3;\nst.global.u32 [%c], %r4;\n",
         "9:1,2,3,4,5"},
        {"9, fused",
         "ld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%b];\nmad.lo.s32 %r3, %r2, 5, %r1;\n"
         "st.global.u32 [%c], %r3;\n",
         "9:1,2,3,4"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_reuse(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"a loaded value is used again",
         LD_AB "add.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\nadd.f32 %f4, %f1, %v;\n",
         "reuse:1<5 reuse:2<5"},
        {"in another block",
         LD_A
         "neg.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n@%p bra L;\nadd.f32 %f4, %f1, %v;\nL:\n",
         "reuse:1<5"},
        {"by itself in the next turn",
         "mov.f32 %f1, 0f00000000;\nL:\nadd.f32 %f3, %f1, %v;\n" LD_A
         "neg.f32 %f4, %f1;\nst.global.f32 [%c], %f4;\n@%p bra L;\n",
         "reuse:4"},
        {"as value and as address", "ld.global.u32 %r1, [%a];\nst.global.u32 [%r1], %r1;\n",
         "reuse:1<2"},
        {"the result of a chain with one load",
         LD_A "neg.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\nadd.f32 %f4, %f3, %v;\n",
         "result-used:1<4"},
        {"the result is stored twice",
         LD_A "add.f32 %f3, %f1, %u;\nst.global.f32 [%c], %f3;\nst.global.f32 [%d], %f3;\n",
         "result-used:1<4"},
        {"the intermediate of pattern 9",
         LD_AB "mul.f32 %f3, %f2, %u;\nsub.f32 %f4, %f3, %f1;\nst.global.f32 [%c], %f4;\n"
               "add.f32 %f5, %f3, %v;\n",
         "result-used:1<6 result-used:2<6"},
        {"loaded again each turn and not used outside",
         "L:\n" LD_A "neg.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n@%p bra L;\n", "4:2,3,4"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_between(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"a store between the loads",
         LD_A "st.global.f32 [%d], %v;\n" LD_B "add.f32 %f3, %f1, %f2;\n",
         "alias-store:1<2 alias-store:3<2"},
        {"loads that nothing writes",
         "ld.global.nc.f32 %f1, [%a];\nst.global.f32 [%d], %v;\nld.global.nc.f32 %f2, [%b];\n"
         "add.f32 %f3, %f1, %f2;\n",
         "2:1,3,4"},
        {"a store to the same base with another offset",
         LD_A "st.global.f32 [%a+4], %v;\nld.global.f32 %f2, [%a+8];\nadd.f32 %f3, %f1, %f2;\n",
         "2:1,3,4"},
        {"a store that overlaps",
         "ld.global.f32 %f1, [%a+8];\nst.global.f64 [%a+4], %x1;\nld.global.f32 %f2, [%a+16];\n"
         "neg.f32 %f3, %f1;\nst.global.f32 [%a+4], %f3;\n",
         "alias-store:1<2 pattern:3"},
        {"the chain's own store is in the way",
         LD_AB "add.f32 %f3, %f1, %f2;\nld.global.f32 %f4, [%a];\nst.global.f32 [%d], %f4;\n"
               "st.global.f32 [%c], %f3;\n",
         "2:1,2,3 3:4,5"},
        {"a barrier", LD_A "bar.sync 0;\n" LD_B "add.f32 %f3, %f1, %f2;\n",
         "barrier:1<2 barrier:3<2"},
        {"a fence", LD_A "membar.gl;\nst.global.f32 [%c], %f1;\n", "barrier:1<2"},
        {"an atomic", LD_A "atom.global.add.u32 %r1, [%d], 1;\nst.global.f32 [%c], %f1;\n",
         "barrier:1<2 atomic:2"},
        {"a volatile access", LD_A "ld.volatile.global.u32 %r1, [%d];\nst.global.f32 [%c], %f1;\n",
         "barrier:1<2 volatile:2"},
        {"a call", LD_A "call (%f2), f, (%v);\nst.global.f32 [%c], %f1;\n", "barrier:1<2"},
        {"a clock", LD_A "mov.u32 %r1, %clock;\nst.global.f32 [%c], %f1;\n", "barrier:1<2"},
        {"an instruction that is not known",
         LD_A "frobnicate.u32 %r1, %r2;\nst.global.f32 [%c], %f1;\n", "opaque:1<2"},
        {"braces", LD_A "{ mov.f32 %f5, %v; }\nst.global.f32 [%c], %f1;\n", "order:1"},
        {"a label that nobody uses", LD_A "L:\nst.global.f32 [%c], %f1;\n", "cross-block:1<3"},
        {"a foreign pragma", LD_A ".pragma \"foreign\";\nst.global.f32 [%c], %f1;\n", "order:1"},
        {"the address depends on what is between",
         LD_A "add.s64 %rd1, %c, 64;\nst.global.f32 [%rd1], %f1;\n", "3:1,3"},
        {"the second address on the first load's neighbour, which overwrites its address",
         LD_A "add.s64 %a, %a, 4;\nld.global.f32 %f2, [%a];\nadd.f32 %f3, %f1, %f2;\n",
         "order:1<2 order:3<2"},
        {"a register that is overwritten before the result is made",
         LD_A "mul.f32 %f2, %f1, %u;\nld.global.f32 %f1, [%b];\nadd.f32 %f3, %f1, %f2;\n",
         "order:1<3 order:3<2"},
        {"chains that need each other's places",
         "ld.global.f32 %f1, [%a];\nld.global.f32 %f2, [%b];\nst.global.f32 [%a], %f2;\n"
         "st.global.f32 [%b], %f1;\n",
         "3:2,3 alias-store:1<3"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_operands(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"stored, a factor of each thread",
         LD_A "mul.f32 %f3, %f1, %v;\nst.global.f32 [%c], %f3;\n", "varying-scalar:1<2"},
        {"compared with a value of each thread", LD_A "setp.lt.f32 %t1, %f1, %v;\n",
         "varying-scalar:1<2"},
        {"fused, a factor of each thread",
         LD_AB "fma.rn.f32 %f3, %f1, %v, %f2;\nst.global.f32 [%c], %f3;\n",
         "varying-scalar:1<3 varying-scalar:2<3"},
        {"added to a register", LD_A "add.f32 %f3, %f1, %v;\nadd.f32 %f4, %f3, %f3;\n",
         "register-operand:1<2"},
        {"an addend of each thread", LD_A "fma.rn.f32 %f3, %f1, %u, %v;\n", "register-operand:1<2"},
        {"the square and a register", LD_A "fma.rn.f32 %f3, %f1, %f1, %v;\n",
         "register-operand:1<2"},
        {"a predicate comes along", LD_A "setp.lt.and.f32 %t1, %f1, %u, %p;\n",
         "register-operand:1<2"},
        {"two scalars", LD_A "fma.rn.f32 %f3, %f1, %u, 0f3F800000;\nst.global.f32 [%c], %f3;\n",
         "pattern:1<2"},
        {"a table of two loads and a scalar",
         "ld.global.b32 %r1, [%a];\nld.global.b32 %r2, [%b];\nlop3.b32 %r3, %r1, %r2, 7, 0x1e;\n",
         "pattern:1<3 pattern:2<3"},
        {"one load, the result stays", LD_A "add.f32 %f3, %f1, %u;\nadd.f32 %f4, %f3, %v;\n",
         "pattern:1<2"},
        {"two unary results",
         LD_AB "neg.f32 %f3, %f1;\nabs.f32 %f4, %f2;\nadd.f32 %f5, %f3, %f4;\n",
         "pattern:1<3 pattern:2<4"},
        {"copied thrice",
         LD_A "mov.f32 %f3, %f1;\nmov.f32 %f4, %f3;\nmov.f32 %f5, %f4;\n"
              "st.global.f32 [%c], %f5;\n",
         "pattern:1<4"},
        {"never used", LD_A, "pattern:1"},
        {"an address", "ld.global.u32 %r1, [%a];\nld.const.f32 %f1, [%r1];\n", "pattern:1<2"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_operations(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"division", LD_A "div.rn.f32 %f3, %f1, %u;\nst.global.f32 [%c], %f3;\n", "operation:1<2"},
        {"root", LD_A "sqrt.rn.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n", "operation:1<2"},
        {"selection", LD_AB "selp.f32 %f3, %f1, %f2, %p;\n", "operation:1<3 operation:2<3"},
        {"bit count", "ld.global.u32 %r1, [%a];\npopc.b32 %r2, %r1;\nst.global.u32 [%c], %r2;\n",
         "operation:1<2"},
        {"a carry", "ld.global.u32 %r1, [%a];\nadd.cc.u32 %r2, %r1, 1;\nst.global.u32 [%c], %r2;\n",
         "operation:1<2"},
        {"one place for the warp", "ldu.global.f32 %f1, [%a];\nst.global.f32 [%c], %f1;\n",
         "operation:1"},
        {"saturated",
         "ld.global.s32 %r1, [%a];\nadd.sat.s32 %r2, %r1, 1;\nst.global.u32 [%c], %r2;\n",
         "7:1,2,3"},
        {"to double", LD_A "cvt.f64.f32 %x1, %f1;\nst.global.f64 [%c], %x1;\n", "type:1<2"},
        {"to 16 bits", LD_A "cvt.rn.f16.f32 %h1, %f1;\nst.global.u16 [%c], %h1;\n", "type:1<2"},
        {"a wide product",
         "ld.global.s32 %r1, [%a];\nmul.wide.s32 %rd1, %r1, 4;\nst.global.u64 [%c], %rd1;\n",
         "type:1<2"},
        {"packed halves",
         "ld.global.b32 %r1, [%a];\nld.global.b32 %r2, [%b];\nadd.f16x2 %r3, %r1, %r2;\n"
         "st.global.b32 [%c], %r3;\n",
         "type:1<3 type:2<3"},
        {"a product of sums that does not fit", LD_AB "fma.rn.f32 %f3, %f1, %f2, %v;\n",
         "fma:1<3 fma:2<3 fma:3 chain"},
        {"the same with a scalar", LD_AB "fma.rn.f32 %f3, %f1, %f2, %u;\n",
         "fma:1<3 fma:2<3 fma:3 chain"},
        {"three loads", LD_AB "ld.global.f32 %f3, [%c];\nfma.rn.f32 %f4, %f1, %f2, %f3;\n",
         "fma:1<4 fma:2<4 fma:3<4 fma:4 chain"},
        {"a product and one of its factors", LD_AB "fma.rn.f32 %f3, %f1, %f2, %f1;\n",
         "pattern:1<3 pattern:2<3"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_split(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"a register is added", LD_AB "fma.rn.f32 %f3, %f1, %f2, %v;\n", "2:1,2,3 split"},
        {"a scalar is added",
         "ld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%b];\nmad.lo.s32 %r3, %r1, %r2, 7;\n",
         "2:1,2,3 split"},
        {"a third load is added",
         LD_AB "ld.global.f32 %f3, [%c];\nfma.rn.f32 %f4, %f1, %f2, %f3;\n",
         "2:1,2,4 split register-operand:3<4"},
        {"whole patterns stay whole",
         LD_AB "fma.rn.f32 %f3, %f1, %u, %f2;\nst.global.f32 [%c], %f3;\n", "9:1,2,3,4"},
        {"the square and a register", LD_A "fma.rn.f32 %f3, %f1, %f1, %v;\n",
         "register-operand:1<2"},
    };
    CHECK_ALL(examples, FMA_SPLIT, true);
}

static void test_accesses(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"bytes, converted", "ld.global.u8 %r1, [%a];\nst.global.u32 [%c], %r1;\n", "3:1,2"},
        {"doubles", "ld.global.f64 %x1, [%a];\nst.global.f64 [%c], %x1;\n", "3:1,2"},
        {"pairs", "ld.global.v2.f32 {%f1, %f2}, [%a];\nadd.f32 %f3, %f1, %f2;\n", "width:1"},
        {"a wider register", "ld.global.s32 %rd1, [%a];\nst.global.u32 [%c], %rd1;\n", "width:1"},
        {"bytes are stored", "ld.global.u32 %r1, [%a];\nst.global.u8 [%c], %r1;\n", "3:1,2"},
        {"from shared memory", "ld.shared.f32 %f1, [sm];\nst.global.f32 [%c], %f1;\n", "shared:1"},
        {"to shared memory", LD_A "st.shared.f32 [sm], %f1;\n", "shared:1<2"},
        {"the other operand from shared memory",
         LD_A "ld.shared.f32 %f2, [%vi];\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\n",
         "shared:1<2 shared:2"},
        {"one value for all lanes from shared memory",
         LD_A "ld.shared.f32 %f2, [sm];\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\n",
         "7:1,3,4 shared:2"},
        {"to local memory", LD_A "st.local.f32 [lm], %f1;\n", "space:1<2"},
        {"from local memory: not listed", "ld.local.f32 %f1, [lm];\nst.global.f32 [%c], %f1;\n",
         ""},
        {"from a generic address", "ld.f32 %f1, [%g];\nst.global.f32 [%c], %f1;\n", "generic:1"},
        {"to a generic address", LD_A "st.f32 [%g], %f1;\n", "generic:1<2"},
        {"an atomic", "atom.global.add.u32 %r1, [%a], 1;\nst.global.u32 [%c], %r1;\n", "atomic:1"},
        {"into an atomic", "ld.global.u32 %r1, [%a];\nred.global.add.u32 [%c], %r1;\n",
         "atomic:1<2 atomic:2"},
        {"volatile", "ld.volatile.global.u32 %r1, [%a];\nst.global.u32 [%c], %r1;\n", "volatile:1"},
        {"relaxed", "ld.relaxed.gpu.global.u32 %r1, [%a];\nst.global.u32 [%c], %r1;\n",
         "volatile:1"},
        {"weak", "ld.weak.global.u32 %r1, [%a];\nst.weak.global.u32 [%c], %r1;\n", "3:1,2"},
        {"to a volatile place", LD_A "st.volatile.global.f32 [%c], %f1;\n", "volatile:1<2"},
        {"into a call", LD_A "call (%f2), f, (%f1);\n", "call:1<2"},
        {"into what is not known", LD_A "frobnicate.f32 %f3, %f1;\n", "opaque:1<2"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_guards(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"all under one guard",
         "@%p ld.global.f32 %f1, [%a];\n@%p ld.global.f32 %f2, [%b];\n@%p add.f32 %f3, %f1, %f2;\n"
         "@%p st.global.f32 [%c], %f3;\n",
         "1:1,2,3,4"},
        {"all under one guard in a loop",
         "L:\n@%p ld.global.f32 %f1, [%a];\n@%p neg.f32 %f3, %f1;\n@%p st.global.f32 [%c], %f3;\n"
         "@%q bra L;\n",
         "4:2,3,4"},
        {"only the load", "@%p ld.global.f32 %f1, [%a];\nst.global.f32 [%c], %f1;\n", "guard:1<2"},
        {"the opposite guard", "@%p ld.global.f32 %f1, [%a];\n@!%p st.global.f32 [%c], %f1;\n",
         "guard:1<2"},
        {"a guard that has changed",
         "@%p ld.global.f32 %f1, [%a];\nsetp.eq.u32 %p, %vi, 7;\n@%p st.global.f32 [%c], %f1;\n",
         "guard:1<3"},
        {"only the store: nobody sees the result in other lanes",
         LD_AB "add.f32 %f3, %f1, %f2;\n@%p st.global.f32 [%c], %f3;\n", "1:1,2,3,4"},
        {"only the store of one load", LD_A "neg.f32 %f3, %f1;\n@%p st.global.f32 [%c], %f3;\n",
         "4:1,2,3"},
        {"a load and the operation, which leaves the other operand elsewhere",
         LD_A "@%p ld.global.f32 %f2, [%b];\n@%p add.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %f3;\n",
         "2:1,2,3"},
        {"the operation leaves what was loaded where its guard is false",
         LD_AB "@%p add.f32 %f1, %f1, %f2;\nadd.f32 %f4, %f1, %f1;\n", "guard:1<3 guard:2<3"},
        {"the same, but nobody sees it",
         LD_AB "@%p add.f32 %f1, %f1, %f2;\n@%p st.global.f32 [%c], %f1;\n", "1:1,2,3,4"},
        {"a store under another guard than the operation",
         LD_A "@%p neg.f32 %f3, %f1;\n@%q st.global.f32 [%c], %f3;\n", "guard:1<3"},
        {"only the loads", "@%p " LD_A "@%p " LD_B "add.f32 %f3, %f1, %f2;\n",
         "guard:1<3 guard:2<3"},
        {"a value for where the guard is false",
         "mov.f32 %f1, 0f00000000;\n@%p ld.global.f32 %f1, [%a];\nst.global.f32 [%c], %f1;\n",
         "guard:2<3"},
        {"the same, but nobody sees it",
         "mov.f32 %f1, 0f00000000;\n@%p ld.global.f32 %f1, [%a];\n@%p st.global.f32 [%c], %f1;\n",
         "3:2,3"},
        {"a loaded value is seen where a later load keeps it",
         LD_A "@%p ld.global.f32 %f1, [%b];\nst.global.f32 [%c], %f1;\n", "guard:1<2 guard:2<3"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_blocks(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"one load in another block",
         LD_A "@%p bra L;\n" LD_B "add.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\nL:\n",
         "cross-block:1<4 varying-scalar:3<4"},
        {"the store in another block",
         LD_A "neg.f32 %f3, %f1;\n@%p bra L;\nst.global.f32 [%c], %f3;\nL:\n", "cross-block:1<4"},
        {"the result is carried to another block",
         LD_AB "add.f32 %f3, %f1, %f2;\n@%p bra L;\nst.global.f32 [%c], %f3;\nL:\n", "2:1,2,3"},
        {"a value for the next turn only",
         "mov.f32 %f1, 0f00000000;\nL:\nst.global.f32 [%c], %f1;\n" LD_A "@%p bra L;\n",
         "cross-block:4"},
        {"control never comes", "bra M;\n" LD_A "st.global.f32 [%c], %f1;\nM:\n", "unreachable:2"},
        {"a jump to nowhere", LD_A "st.global.f32 [%c], %f1;\nbra nowhere;\n", "incomplete:1"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

// Chains that are valid one by one, but not together.
static void test_overlap(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"two elements change places",
         "ld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%a+4];\nst.global.u32 [%a+4], %r1;\n"
         "st.global.u32 [%a], %r2;\n",
         "3:1,3 overlap:2<3"},
        {"two elements, one that stands together already",
         "ld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%a+4];\nst.global.u32 [%a+8], %r2;\n"
         "st.global.u32 [%a+4], %r1;\n",
         "3:1,4 3:2,3"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

static void test_unrolled(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"by four, loads first",
         "ld.global.nc.f32 %f1, [%a];\nld.global.nc.f32 %f2, [%a+4];\n"
         "ld.global.nc.f32 %f3, [%a+8];\nld.global.nc.f32 %f4, [%a+12];\n"
         "ld.global.nc.f32 %f11, [%b];\nld.global.nc.f32 %f12, [%b+4];\n"
         "ld.global.nc.f32 %f13, [%b+8];\nld.global.nc.f32 %f14, [%b+12];\n"
         "add.f32 %f21, %f1, %f11;\nadd.f32 %f22, %f2, %f12;\n"
         "add.f32 %f23, %f3, %f13;\nadd.f32 %f24, %f4, %f14;\n"
         "st.global.f32 [%c], %f21;\nst.global.f32 [%c+4], %f22;\n"
         "st.global.f32 [%c+8], %f23;\nst.global.f32 [%c+12], %f24;\n",
         "1:1,5,9,13 1:2,6,10,14 1:3,7,11,15 1:4,8,12,16"},
        {"by two, from memory that the stores may write",
         "ld.global.f32 %f1, [%a];\nld.global.f32 %f2, [%a+4];\n"
         "ld.global.f32 %f11, [%b];\nld.global.f32 %f12, [%b+4];\n"
         "add.f32 %f21, %f1, %f11;\nadd.f32 %f22, %f2, %f12;\n"
         "st.global.f32 [%c], %f21;\nst.global.f32 [%c+4], %f22;\n",
         "1:1,3,5,7 2:2,4,6"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
}

// Without reordering, the same chains are found, with their instructions in the order of the text.
static void test_no_reorder(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"8", LD_A "mul.f32 %f3, %f1, %u;\n" LD_B "add.f32 %f4, %f2, %f3;\n", "8:1,2,3,4"},
        {"barrier", LD_A "bar.sync 0;\n" LD_B "add.f32 %f3, %f1, %f2;\n",
         "barrier:1<2 barrier:3<2"},
    };
    CHECK_ALL(examples, FMA_FUSED, false);
}

static void test_savings(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t pattern, saving, flits;
        enum response response;
    } cases[] = {
        {LD_AB "add.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\n", 1, 16, 1, RESPONSE_ACK},
        {LD_AB "add.f32 %f3, %f1, %f2;\n", 2, 6, 5, RESPONSE_DATA},
        {LD_A "st.global.f32 [%c], %f1;\n", 3, 10, 1, RESPONSE_ACK},
        {LD_A "neg.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n", 4, 10, 1, RESPONSE_ACK},
        {LD_AB "setp.lt.f32 %t1, %f1, %f2;\n", 5, 10, 1, RESPONSE_BITMAP},
        {LD_A "setp.lt.f32 %t1, %f1, %u;\n", 6, 4, 1, RESPONSE_BITMAP},
        {LD_A "add.f32 %f3, %f1, %u;\nst.global.f32 [%c], %f3;\n", 7, 10, 1, RESPONSE_ACK},
        {LD_AB "fma.rn.f32 %f3, %f1, %u, %f2;\n", 8, 6, 5, RESPONSE_DATA},
        {LD_AB "fma.rn.f32 %f3, %f1, %u, %f2;\nst.global.f32 [%c], %f3;\n", 9, 16, 1, RESPONSE_ACK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct planned p;
        char text[8192];
        kernel_text(text, sizeof text, cases[i].body);
        plan_text(&p, text, (struct pass_options){.reorder = true});
        assert_int_equal(p.plan.chains.n, 1);
        const struct chain *chain = p.plan.chains.v;
        assert_int_equal(chain->pattern, cases[i].pattern);
        assert_int_equal(chain->saving, cases[i].saving);
        assert_int_equal(chain->response_flits, cases[i].flits);
        assert_int_equal(chain->response, cases[i].response);
        program_free(&p.program);
    }
}

// Every store outside chains has its rule.
static void test_stores(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"in a chain", LD_A "st.global.f32 [%c], %f1;\n", "3:1,2"},
        {"an immediate", "st.global.f32 [%c], 0f00000000;\n", "pattern:1"},
        {"a parameter", "st.global.f32 [%c], %u;\n", "space:1<0"},
        {"generic", "st.f32 [%c], %f1;\n", "generic:1"},
        {"shared", "st.shared.f32 [%c], %f1;\n", "shared:1"},
        {"local", "st.local.f32 [%c], %f1;\n", ""},
        {"volatile", "st.volatile.global.f32 [%c], %f1;\n", "volatile:1"},
        {"two at once", "st.global.v2.f32 [%c], {%f1, %f2};\n", "width:1"},
        {"used again", LD_A "add.f32 %f3, %f1, %f1;\nst.global.f32 [%c], %f1;\n", "reuse:3<1"},
        {"the result is used again",
         LD_AB "add.f32 %f3, %f1, %f2;\nst.global.f32 [%c], %f3;\nst.global.f32 [%d], %f3;\n",
         "2:1,2,3 result-used:4<5 result-used:5<4"},
        {"a square root", LD_A "sqrt.rn.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n",
         "operation:3<2"},
        {"a copy", LD_A "mov.f32 %f3, %f1;\nst.global.f32 [%c], %f3;\n", "3:1,2,3"},
        {"a copy of a parameter", "mov.f32 %f3, %u;\nst.global.f32 [%c], %f3;\n", "space:2<1"},
        {"nothing loaded", "add.f32 %f3, %u, %u;\nst.global.f32 [%c], %f3;\n", "pattern:2<1"},
        {"from shared memory", "ld.shared.f32 %f3, [%a];\nst.global.f32 [%c], %f3;\n",
         "shared:2<1"},
        {"a guard that is written again in front of it",
         "@%p ld.global.f32 %f1, [%a];\n@%p ld.global.f32 %f2, [%b];\n"
         "@%p add.f32 %f3, %f1, %f2;\nsetp.gt.u32 %p, %vi, 7;\n@%p st.global.f32 [%c], %f3;\n",
         "2:1,2,3 guard:5<4"},
        {"under another guard",
         "@%p ld.global.f32 %f1, [%a];\n@%p ld.global.f32 %f2, [%b];\n"
         "@%p add.f32 %f3, %f1, %f2;\n@%q st.global.f32 [%c], %f3;\n",
         "2:1,2,3 guard:4<3"},
    };
    CHECK_STORES(examples);
}

// A load that is uniform in the warp stays at the core if the chain then saves more.
#define LD_U "ld.param.u64 %rd9, [pd]; cvta.to.global.u64 %rd9, %rd9; ld.global.f32 %f9, [%rd9];\n"
#define ST_A "st.global.f32 [%a], %f8;\n"

static void test_uniform(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"9, fused", LD_U LD_AB "fma.rn.f32 %f3, %f1, %f9, %f2;\nst.global.f32 [%c], %f3;\n",
         "9:2,3,4,5 scalar:1<4"},
        {"9, fused, the factors the other way round",
         LD_AB LD_U "fma.rn.f32 %f3, %f9, %f1, %f2;\nst.global.f32 [%c], %f3;\n",
         "9:1,2,4,5 scalar:3<4"},
        {"9",
         LD_U LD_AB "mul.f32 %f3, %f1, %f9;\nadd.f32 %f4, %f3, %f2;\n"
                    "st.global.f32 [%c], %f4;\n",
         "9:2,3,4,5,6 scalar:1<4"},
        {"9, the register is used again",
         LD_U LD_AB "mul.f32 %f3, %f1, %f9;\nadd.f32 %f4, %f3, %f2;\nst.global.f32 [%c], %f4;\n"
                    "st.global.f32 [%d], %f9;\n",
         "9:2,3,4,5,6 reuse:1<7"},
        {"9, all lanes of the first load at one address",
         LD_U LD_A "mul.f32 %f3, %f9, %u;\nadd.f32 %f4, %f3, %f1;\nst.global.f32 [%c], %f4;\n",
         "9:1,2,3,4,5"},
        {"8, all lanes of the first load at one address",
         LD_U LD_A "mul.f32 %f3, %f9, %u;\nadd.f32 %f4, %f3, %f1;\nadd.f32 %f5, %f4, %f4;\n",
         "8:1,2,3,4"},
        {"8, fused", LD_U LD_AB "fma.rn.f32 %f3, %f1, %f9, %f2;\nadd.f32 %f4, %f3, %f3;\n",
         "8:2,3,4 scalar:1<4"},
        {"a sum of products with a uniform addend is none",
         LD_U LD_AB "fma.rn.f32 %f3, %f1, %f2, %f9;\nst.global.f32 [%c], %f3;\n",
         "fma:1<4 fma:2<4 fma:3<4 fma:4 chain"},
        {"1 saves more than 7", LD_U LD_A "add.f32 %f3, %f1, %f9;\nst.global.f32 [%c], %f3;\n",
         "1:1,2,3,4"},
        {"7 where the load cannot come to the others",
         LD_U ST_A "ld.global.f32 %f1, [%b];\nadd.f32 %f3, %f1, %f9;\nst.global.f32 [%c], %f3;\n",
         "7:3,4,5 scalar:1<4"},
        {"5 saves more than 6", LD_U LD_A "setp.lt.f32 %t1, %f1, %f9;\n", "5:1,2,3"},
        {"6 where the load cannot come to the others",
         LD_U ST_A "ld.global.f32 %f1, [%b];\nsetp.lt.f32 %t1, %f1, %f9;\n", "6:3,4 scalar:1<4"},
        {"2 where one load cannot come to the others",
         "ld.global.f32 %f2, [%b];\n" ST_A LD_U LD_A
         "mul.f32 %f3, %f1, %f9;\nadd.f32 %f4, %f3, %f2;\nst.global.f32 [%c], %f4;\n",
         "2:3,4,5 overlap:1<5"},
        {"not the same in all lanes",
         "ld.global.f32 %f9, [%d];\n" LD_AB "mul.f32 %f3, %f1, %f9;\nadd.f32 %f4, %f3, %f2;\n"
         "st.global.f32 [%c], %f4;\n",
         "2:1,2,4 varying-scalar:3<5"},
        {"under a guard that differs",
         "ld.param.u64 %rd9, [pd]; @%p ld.global.f32 %f9, [%rd9];\n" LD_AB
         "fma.rn.f32 %f3, %f1, %f9, %f2;\nst.global.f32 [%c], %f3;\n",
         "guard:1<4 guard:2<4 guard:3<4"},
    };
    CHECK_ALL(examples, FMA_FUSED, true);
    static const struct example divided[] = {
        {"9 saves more than the product",
         LD_U LD_AB "fma.rn.f32 %f3, %f1, %f9, %f2;\nst.global.f32 [%c], %f3;\n",
         "9:2,3,4,5 scalar:1<4"},
        {"a product of two with a uniform addend",
         LD_U LD_AB "fma.rn.f32 %f3, %f1, %f2, %f9;\nst.global.f32 [%c], %f3;\n",
         "2:2,3,4 split register-operand:1<4"},
    };
    CHECK_ALL(divided, FMA_SPLIT, true);
}

// Checks that a sentence of a rule begins with its subject, or is the rule's explanation.
static void expect_sentence(const char *text, const char *subject, enum plan_rule rule)
{
    if (!strstr(text, plan_rules[rule].text))
        assert_memory_equal(text, subject, strlen(subject));
    assert_null(strstr(text, "(null)"));
}

static void test_sentences(void **state)
{
    (void)state;
    struct planned p;
    char text[8192];
    uint32_t inst[CLASS_MISC + 1] = {0};
    kernel_text(text, sizeof text, LD_A "st.global.f32 [%c], %f1;\n");
    plan_text(&p, text, (struct pass_options){0});
    struct matcher m = {.module = &p.module, .fn = &p.module.functions.v[1]};
    arena_init(&m.scratch, &p.program.memory);
    for (uint32_t i = 0; i < m.fn->insts.n; i++)
        inst[m.fn->insts.v[i].class] = i;
    for (enum plan_rule rule = 0; rule < RULE_COUNT; rule++) {
        expect_sentence(verdict_access(&m, inst[CLASS_LOAD], rule), "the ld in line ", rule);
        expect_sentence(verdict_access(&m, inst[CLASS_STORE], rule), "the st in line ", rule);
        expect_sentence(verdict_it(&m, inst[CLASS_STORE], rule), "it ", rule);
        expect_sentence(reason_barred(&m.scratch, &p.module, m.fn, inst[CLASS_LOAD], rule),
                        "ld.global.f32 on line ", rule);
    }
    assert_string_equal(verdict_it(&m, inst[CLASS_STORE], RULE_GUARD),
                        "it does not have the same guard");
    assert_string_equal(verdict_it(&m, inst[CLASS_STORE], RULE_ATOMIC),
                        plan_rules[RULE_ATOMIC].text);
    arena_free(&m.scratch);
    program_free(&p.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),   cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_between),    cmocka_unit_test(test_operands),
        cmocka_unit_test(test_operations), cmocka_unit_test(test_split),
        cmocka_unit_test(test_accesses),   cmocka_unit_test(test_guards),
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_unrolled),   cmocka_unit_test(test_no_reorder),
        cmocka_unit_test(test_savings),    cmocka_unit_test(test_stores),
        cmocka_unit_test(test_uniform),    cmocka_unit_test(test_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
