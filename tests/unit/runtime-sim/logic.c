// Logic, shifts, permutations and bit fields, compared with references that work bit by bit.
#include "tests/unit/runtime-sim/conform.h"

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

static uint64_t bit(uint64_t value, uint32_t n)
{
    return n < 64 ? value >> n & 1 : 0;
}

// Parameters of the reference of a generated case: conform() passes it the operands only.
static struct {
    uint32_t table, mode;
    const char *boolean;
} now;

// Logic

#define BITWISE(name, ...)                                                                         \
    static void ref_##name(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        for (uint32_t i = 0; i < 64; i++) {                                                        \
            uint64_t a = bit(in[0], i), b = bit(in[1], i);                                         \
            (void)b;                                                                               \
            out[0] |= (uint64_t)(__VA_ARGS__) << i;                                                \
        }                                                                                          \
    }
BITWISE(and, a + b == 2)
BITWISE(or, a + b > 0)
BITWISE(xor, a + b == 1)
BITWISE(not, 1 - a)

static void ref_cnot(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] ? 0 : 1;
}

#define TWO(op, type)                                                                              \
    {                                                                                              \
#op "." #type " %d, %a, %b;", #type "=" #type "," #type, ref_##op                          \
    }
#define ONE(op, type)                                                                              \
    {                                                                                              \
#op "." #type " %d, %a;", #type "=" #type, ref_##op                                        \
    }
static void test_logic(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        TWO(and, b16),  TWO(and, b32),  TWO(and, b64),  TWO(and, pred), TWO(or, b16),
        TWO(or, b32),   TWO(or, b64),   TWO(or, pred),  TWO(xor, b16),  TWO(xor, b32),
        TWO(xor, b64),  TWO(xor, pred), ONE(not, b16),  ONE(not, b32),  ONE(not, b64),
        ONE(not, pred), ONE(cnot, b16), ONE(cnot, b32), ONE(cnot, b64),
    };
    conform(cases, COUNT(cases));
}

// Negated predicates, and numbers.
static void ref_negated(const uint64_t *in, uint64_t *out)
{
    out[0] = !in[0] && in[1];
    out[1] = !in[0];
}

static void test_negated(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"and.pred %d, !%a, %b; and.pred %e, !%a, 1;", "pred,pred=pred,pred", ref_negated},
        {"and.pred %d, !%a, %b; or.pred %e, !%a, !1;", "pred,pred=pred,pred", ref_negated},
        {"xor.pred %d, %a, 1; and.pred %d, %d, %b; xor.pred %e, %a, !0;", "pred,pred=pred,pred",
         ref_negated},
    };
    conform(cases, COUNT(cases));
}

static void ref_lop3(const uint64_t *in, uint64_t *out)
{
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t at = bit(in[0], i) * 4 + bit(in[1], i) * 2 + bit(in[2], i);
        out[0] |= bit(now.table, (uint32_t)at) << i;
    }
}

static void ref_lop3_predicate(const uint64_t *in, uint64_t *out)
{
    ref_lop3(in, out);
    bool other = in[3] & 1;
    out[1] = now.boolean[0] == 'a' ? out[0] != 0 && other : out[0] != 0 || other;
}

static void test_lop3(void **state)
{
    (void)state;
    char text[200];
    for (now.table = 0; now.table < 256; now.table++) {
        snprintf(text, sizeof text, "lop3.b32 %%d, %%a, %%b, %%c, %u;", now.table);
        conform_one(text, "b32=b32,b32,b32", ref_lop3, 0);
    }
    for (now.table = 0; now.table < 256; now.table += 5) {
        now.boolean = now.table & 2 ? "and" : "or";
        snprintf(text, sizeof text, "lop3.%s.b32 %%d|%%e, %%a, %%b, %%c, %#x, %%g;", now.boolean,
                 now.table);
        conform_one(text, "b32,pred=b32,b32,b32,pred", ref_lop3_predicate, 0);
    }
    // Without a destination; %d is that of another instruction.
    now.table = 0x80;
    now.boolean = "and";
    conform_one("lop3.b32 %d, %a, %b, %c, 0x80; lop3.and.b32 _|%e, %a, %b, %c, 0x80, %g;",
                "b32,pred=b32,b32,b32,pred", ref_lop3_predicate, 0);
}

// Shifts

static uint64_t shifted(uint64_t value, uint32_t bits, int64_t by, bool is_signed)
{
    uint64_t result = 0;
    for (int64_t i = 0; i < bits; i++) {
        int64_t from = i + by;
        uint64_t fill = from < 0 || !is_signed ? 0 : bit(value, bits - 1);
        result |= (from < 0 || from >= bits ? fill : bit(value, (uint32_t)from)) << i;
    }
    return result;
}
#define SHIFTS(bits)                                                                               \
    static void shl_##bits(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        out[0] = shifted(in[0], bits, -(int64_t)(uint32_t)in[1], false);                           \
    }                                                                                              \
    static void shr_u##bits(const uint64_t *in, uint64_t *out)                                     \
    {                                                                                              \
        out[0] = shifted(in[0], bits, (uint32_t)in[1], false);                                     \
    }                                                                                              \
    static void shr_s##bits(const uint64_t *in, uint64_t *out)                                     \
    {                                                                                              \
        out[0] = shifted(in[0], bits, (uint32_t)in[1], true);                                      \
    }
SHIFTS(16)
SHIFTS(32)
SHIFTS(64)

#define SHIFT(op, type, reference)                                                                 \
    {                                                                                              \
        op "." #type " %d, %a, %b;", #type "=" #type ",u32", reference, CONFORM_SMALL              \
    }
static void test_shifts(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        SHIFT("shl", b16, shl_16),  SHIFT("shl", b32, shl_32),  SHIFT("shl", b64, shl_64),
        SHIFT("shr", b16, shr_u16), SHIFT("shr", b32, shr_u32), SHIFT("shr", b64, shr_u64),
        SHIFT("shr", u16, shr_u16), SHIFT("shr", u32, shr_u32), SHIFT("shr", u64, shr_u64),
        SHIFT("shr", s16, shr_s16), SHIFT("shr", s32, shr_s32), SHIFT("shr", s64, shr_s64),
    };
    conform(cases, COUNT(cases));
}

// b holds bits 63:32, a bits 31:0.
static void funnel(const uint64_t *in, uint64_t *out, uint32_t count, bool left)
{
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t from = left ? 32 + i - count : i + count;
        out[0] |= (from < 32 ? bit(in[0], from) : bit(in[1], from - 32)) << i;
    }
}
#define FUNNEL(name, left, count)                                                                  \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        uint32_t c = (uint32_t)in[2];                                                              \
        funnel(in, out, count, left);                                                              \
    }
FUNNEL(left_wrap, true, c % 32)
FUNNEL(left_clamp, true, c < 32 ? c : 32)
FUNNEL(right_wrap, false, c % 32)
FUNNEL(right_clamp, false, c < 32 ? c : 32)

static void test_funnel(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"shf.l.wrap.b32 %d, %a, %b, %c;", "b32=b32,b32,u32", left_wrap, CONFORM_SMALL},
        {"shf.l.clamp.b32 %d, %a, %b, %c;", "b32=b32,b32,u32", left_clamp, CONFORM_SMALL},
        {"shf.r.wrap.b32 %d, %a, %b, %c;", "b32=b32,b32,u32", right_wrap, CONFORM_SMALL},
        {"shf.r.clamp.b32 %d, %a, %b, %c;", "b32=b32,b32,u32", right_clamp, CONFORM_SMALL},
    };
    conform(cases, COUNT(cases));
}

// Permutations: the manual's tables, for c = 0 … 3 the bytes from the highest to the lowest.
static const char *const modes[][4] = {
    {"3210", "4321", "5432", "6543"}, {"5670", "6701", "7012", "0123"},
    {"0000", "1111", "2222", "3333"}, {"3210", "3211", "3222", "3333"},
    {"0000", "1110", "2210", "3210"}, {"1010", "3232", "1010", "3232"},
};

static uint64_t byte_of(const uint64_t *in, uint64_t n)
{
    return (n < 4 ? in[0] : in[1]) >> 8 * (n % 4) & 0xff;
}

static void ref_prmt_mode(const uint64_t *in, uint64_t *out)
{
    for (uint64_t i = 0; i < 4; i++)
        out[0] |= byte_of(in, (uint64_t)(modes[now.mode][in[2] % 4][3 - i] - '0')) << 8 * i;
}

static void ref_prmt(const uint64_t *in, uint64_t *out)
{
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t digit = in[2] >> 4 * i & 15, byte = byte_of(in, digit % 8);
        out[0] |= (digit < 8 ? byte : byte < 128 ? 0 : 255) << 8 * i;
    }
}

static void ref_prmt_constant(const uint64_t *in, uint64_t *out)
{
    const uint64_t with[] = {in[0], in[1], now.table};
    ref_prmt(with, out);
}

static void test_permutations(void **state)
{
    (void)state;
    static const char *const names[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    char text[100];
    conform_one("prmt.b32 %d, %a, %b, %c;", "b32=b32,b32,b32", ref_prmt, 0);
    for (now.mode = 0; now.mode < COUNT(names); now.mode++) {
        snprintf(text, sizeof text, "prmt.b32.%s %%d, %%a, %%b, %%c;", names[now.mode]);
        conform_one(text, "b32=b32,b32,b32", ref_prmt_mode, 0);
    }
    uint64_t random = 1;
    for (uint32_t i = 0; i < 64; i++) {
        now.table = (uint32_t)conform_random(&random) & 0xffff;
        snprintf(text, sizeof text, "prmt.b32 %%d, %%a, %%b, %#x;", now.table);
        conform_one(text, "b32=b32,b32", ref_prmt_constant, 0);
    }
    // The result lies where a source did.
    now.table = 0x0fa6;
    conform_one("prmt.b32 %b, %a, %b, 0x0fa6; mov.b32 %d, %b;", "b32=b32,b32", ref_prmt_constant,
                0);
}

// Bits

#define BITS(bits)                                                                                 \
    static void popc_##bits(const uint64_t *in, uint64_t *out)                                     \
    {                                                                                              \
        for (uint32_t i = 0; i < bits; i++)                                                        \
            out[0] += bit(in[0], i);                                                               \
    }                                                                                              \
    static void clz_##bits(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        while (out[0] < bits && !bit(in[0], (uint32_t)(bits - 1 - out[0])))                        \
            out[0]++;                                                                              \
    }                                                                                              \
    static void brev_##bits(const uint64_t *in, uint64_t *out)                                     \
    {                                                                                              \
        for (uint32_t i = 0; i < bits; i++)                                                        \
            out[0] |= bit(in[0], i) << (bits - 1 - i);                                             \
    }                                                                                              \
    FIND(bfind_u##bits, bits, 0, i)                                                                \
    FIND(bfind_s##bits, bits, bit(in[0], bits - 1), i)                                             \
    FIND(bfind_far_u##bits, bits, 0, bits - 1 - i)                                                 \
    FIND(bfind_far_s##bits, bits, bit(in[0], bits - 1), bits - 1 - i)
// Finds the highest bit that differs from `sign`.
#define FIND(name, bits, sign, found)                                                              \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        out[0] = UINT32_MAX;                                                                       \
        for (uint32_t i = 0; i < bits; i++)                                                        \
            if (bit(in[0], i) != sign)                                                             \
                out[0] = found;                                                                    \
    }
BITS(32)
BITS(64)

// As in the manual, but positions are tried one by one.
static void ref_fns(const uint64_t *in, uint64_t *out)
{
    int32_t offset = (int32_t)in[2], found = 0;
    int64_t base = (int64_t)(uint32_t)in[1];
    out[0] = UINT32_MAX;
    if (base > 31)
        return;
    if (!offset && bit(in[0], (uint32_t)base))
        out[0] = (uint64_t)base;
    for (int64_t at = base; offset && at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
        found += bit(in[0], (uint32_t)at) != 0;
        if (found == (offset > 0 ? offset : -(int64_t)offset)) {
            out[0] = (uint64_t)at;
            return;
        }
    }
}

static void ref_fns_down(const uint64_t *in, uint64_t *out)
{
    const uint64_t negated[] = {in[0], in[1], (uint32_t)(0 - in[2])};
    ref_fns(negated, out);
}

static void test_bits(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"popc.b32 %d, %a;", "u32=b32", popc_32},
        {"popc.b64 %d, %a;", "u32=b64", popc_64},
        {"clz.b32 %d, %a;", "u32=u32", clz_32},
        {"clz.b64 %d, %a;", "u32=u64", clz_64},
        {"brev.b32 %d, %a;", "b32=b32", brev_32},
        {"brev.b64 %d, %a;", "b64=b64", brev_64},
        {"bfind.u32 %d, %a;", "u32=u32", bfind_u32},
        {"bfind.s32 %d, %a;", "u32=s32", bfind_s32},
        {"bfind.u64 %d, %a;", "u32=u64", bfind_u64},
        {"bfind.s64 %d, %a;", "u32=s64", bfind_s64},
        {"bfind.shiftamt.u32 %d, %a;", "u32=u32", bfind_far_u32},
        {"bfind.shiftamt.s32 %d, %a;", "u32=s32", bfind_far_s32},
        {"bfind.shiftamt.u64 %d, %a;", "u32=u64", bfind_far_u64},
        {"bfind.shiftamt.s64 %d, %a;", "u32=s64", bfind_far_s64},
        {"fns.b32 %d, %a, %b, %c;", "b32=b32,b32,s32", ref_fns, CONFORM_SMALL},
        {"neg.s32 %c, %c; fns.b32 %d, %a, %b, %c;", "b32=b32,b32,s32", ref_fns_down, CONFORM_SMALL},
    };
    conform(cases, COUNT(cases));
}

// Fields: the manual's loops.

#define FIELDS(type, bits, has_sign)                                                               \
    static void bfe_##type(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        uint32_t at = in[1] & 0xff, length = in[2] & 0xff, last = at + length - 1;                 \
        uint64_t sign = has_sign && length ? bit(in[0], last < bits ? last : bits - 1) : 0;        \
        for (uint32_t i = 0; i < bits; i++)                                                        \
            out[0] |= (i < length && at + i < bits ? bit(in[0], at + i) : sign) << i;              \
    }
FIELDS(u32, 32, false)
FIELDS(s32, 32, true)
FIELDS(u64, 64, false)
FIELDS(s64, 64, true)

#define INSERTS(bits)                                                                              \
    static void bfi_##bits(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        uint32_t at = in[2] & 0xff, length = in[3] & 0xff;                                         \
        out[0] = in[1];                                                                            \
        for (uint32_t i = 0; i < length && at + i < bits; i++)                                     \
            out[0] = (out[0] & ~(UINT64_C(1) << (at + i))) | bit(in[0], i) << (at + i);            \
    }
INSERTS(32)
INSERTS(64)

// Positions and lengths that random numbers seldom have.
static void bfe_s64_inside(const uint64_t *in, uint64_t *out)
{
    const uint64_t inside[] = {in[0], in[1] & 63, in[2] & 63};
    bfe_s64(inside, out);
}

static void bfi_64_inside(const uint64_t *in, uint64_t *out)
{
    const uint64_t inside[] = {in[0], in[1], in[2] & 63, in[3] & 63};
    bfi_64(inside, out);
}

static void extend(const uint64_t *in, uint64_t *out, uint32_t count, bool has_sign)
{
    out[0] = in[0];
    for (uint32_t i = count; i < 32; i++)
        out[0] = (out[0] & ~(UINT64_C(1) << i)) | (has_sign && count ? bit(in[0], count - 1) : 0)
                                                      << i;
}
#define EXTENDS(name, has_sign, count)                                                             \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        extend(in, out, count, has_sign);                                                          \
    }
EXTENDS(szext_clamp_u32, false, in[1] < 32 ? (uint32_t)in[1] : 32)
EXTENDS(szext_clamp_s32, true, in[1] < 32 ? (uint32_t)in[1] : 32)
EXTENDS(szext_wrap_u32, false, in[1] % 32)
EXTENDS(szext_wrap_s32, true, in[1] % 32)

static void mask_of(uint64_t *out, uint64_t from, uint64_t count)
{
    for (uint64_t i = from; i < 32 && i < from + count; i++)
        out[0] |= UINT64_C(1) << i;
}

static void bmsk_clamp(const uint64_t *in, uint64_t *out)
{
    mask_of(out, in[0], in[1]);
}

static void bmsk_wrap(const uint64_t *in, uint64_t *out)
{
    mask_of(out, in[0] % 32, in[1] % 32);
}

static void bmsk_inside(const uint64_t *in, uint64_t *out)
{
    mask_of(out, in[0] % 32, in[1]);
}

static void test_fields(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"bfe.u32 %d, %a, %b, %c;", "u32=u32,u32,u32", bfe_u32, CONFORM_SMALL},
        {"bfe.s32 %d, %a, %b, %c;", "s32=s32,u32,u32", bfe_s32, CONFORM_SMALL},
        {"bfe.u64 %d, %a, %b, %c;", "u64=u64,u32,u32", bfe_u64, CONFORM_SMALL},
        {"bfe.s64 %d, %a, %b, %c;", "s64=s64,u32,u32", bfe_s64, CONFORM_SMALL},
        {"and.b32 %b, %b, 63; and.b32 %c, %c, 63; bfe.s64 %d, %a, %b, %c;", "s64=s64,u32,u32",
         bfe_s64_inside},
        {"bfi.b32 %d, %a, %b, %c, %g;", "b32=b32,b32,u32,u32", bfi_32, CONFORM_SMALL},
        {"bfi.b64 %d, %a, %b, %c, %g;", "b64=b64,b64,u32,u32", bfi_64, CONFORM_SMALL},
        {"and.b32 %c, %c, 63; and.b32 %g, %g, 63; bfi.b64 %d, %a, %b, %c, %g;",
         "b64=b64,b64,u32,u32", bfi_64_inside},
        {"szext.clamp.u32 %d, %a, %b;", "u32=u32,u32", szext_clamp_u32, CONFORM_SMALL},
        {"szext.clamp.s32 %d, %a, %b;", "s32=s32,u32", szext_clamp_s32, CONFORM_SMALL},
        {"szext.wrap.u32 %d, %a, %b;", "u32=u32,u32", szext_wrap_u32, CONFORM_SMALL},
        {"szext.wrap.s32 %d, %a, %b;", "s32=s32,u32", szext_wrap_s32, CONFORM_SMALL},
        {"bmsk.clamp.b32 %d, %a, %b;", "u32=u32,u32", bmsk_clamp, CONFORM_SMALL},
        {"bmsk.wrap.b32 %d, %a, %b;", "u32=u32,u32", bmsk_wrap, CONFORM_SMALL},
        {"and.b32 %a, %a, 31; bmsk.clamp.b32 %d, %a, %b;", "u32=u32,u32", bmsk_inside,
         CONFORM_SMALL},
    };
    conform(cases, COUNT(cases));
}

// Sums of products

static int64_t part(uint64_t word, uint32_t bits, uint32_t n, bool has_sign)
{
    uint64_t unit = UINT64_C(1) << bits, value = (word >> bits * n) % unit;
    return has_sign && value >= unit / 2 ? (int64_t)value - (int64_t)unit : (int64_t)value;
}
#define DOT(name, sign_a, sign_b, bits, first, count)                                              \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        int64_t sum = (int64_t)in[2];                                                              \
        for (uint32_t i = 0; i < count; i++)                                                       \
            sum += part(in[0], bits, i, sign_a) * part(in[1], 8, first + i, sign_b);               \
        out[0] = (uint64_t)sum;                                                                    \
    }
#define DOTS(types, sign_a, sign_b)                                                                \
    DOT(dp4a_##types, sign_a, sign_b, 8, 0, 4)                                                     \
    DOT(dp2a_lo_##types, sign_a, sign_b, 16, 0, 2)                                                 \
    DOT(dp2a_hi_##types, sign_a, sign_b, 16, 2, 2)
DOTS(u32_u32, false, false)
DOTS(u32_s32, false, true)
DOTS(s32_u32, true, false)
DOTS(s32_s32, true, true)

#define DOT_CASES(a, b)                                                                            \
    {"dp4a." #a "." #b " %d, %a, %b, %c;", "u32=" #a "," #b ",u32", dp4a_##a##_##b},               \
        {"dp2a.lo." #a "." #b " %d, %a, %b, %c;", "u32=" #a "," #b ",u32", dp2a_lo_##a##_##b},     \
    {                                                                                              \
        "dp2a.hi." #a "." #b " %d, %a, %b, %c;", "u32=" #a "," #b ",u32", dp2a_hi_##a##_##b        \
    }
static void test_dots(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        DOT_CASES(u32, u32),
        DOT_CASES(u32, s32),
        DOT_CASES(s32, u32),
        DOT_CASES(s32, s32),
    };
    conform(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logic),  cmocka_unit_test(test_negated),
        cmocka_unit_test(test_lop3),   cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_funnel), cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_bits),   cmocka_unit_test(test_fields),
        cmocka_unit_test(test_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
