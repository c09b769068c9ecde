#include "runtime-sim/schemes/llc_omni/packet_alu.h"
#include <string.h>

typedef uint32_t alu_fn(const struct packet_op *op, const uint32_t *v);

static bool with(const struct packet_op *op, uint8_t bit)
{
    return op->detail & bit;
}

static struct packet_rounding rounding_of(const struct packet_op *op)
{
    return (struct packet_rounding){.mode = op->detail >> PACKET_ROUND_SHIFT & 3,
                                    .ftz = with(op, PACKET_WITH_FTZ),
                                    .sat = with(op, PACKET_WITH_SAT)};
}

// `v` has the values of the sources.
#define OPERATION(name, ...)                                                                       \
    static uint32_t alu_##name(const struct packet_op *op, const uint32_t *v)                      \
    {                                                                                              \
        (void)op;                                                                                  \
        return (uint32_t)(__VA_ARGS__);                                                            \
    }

// Logic and shifts. Shift counts above 32 have the effect of 32.

static uint32_t alu_logic(const struct packet_op *op, const uint32_t *v)
{
    uint32_t value = 0, products[] = {~v[0] & ~v[1], ~v[0] & v[1], v[0] & ~v[1], v[0] & v[1]};
    for (uint32_t i = 0; i < 4; i++)
        value |= op->detail >> i & 1 ? products[i] : 0;
    return value;
}

static uint32_t at_most_32(uint32_t count)
{
    return count < 32 ? count : 32;
}

static uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t count)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << count >> 32);
}

static uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t count)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> count);
}

static int64_t signed_of(uint32_t value)
{
    return (int64_t)(value ^ UINT32_C(0x80000000)) - UINT32_C(0x80000000);
}

OPERATION(cnot, v[0] == 0)
OPERATION(shl, (uint64_t)v[0] << at_most_32(v[1]))
OPERATION(shr_u32, (uint64_t)v[0] >> at_most_32(v[1]))
OPERATION(shr_s32, signed_of(v[0]) >> at_most_32(v[1]))
OPERATION(shf_l_wrap, funnel_left(v[0], v[1], v[2] % 32))
OPERATION(shf_l_clamp, funnel_left(v[0], v[1], at_most_32(v[2])))
OPERATION(shf_r_wrap, funnel_right(v[0], v[1], v[2] % 32))
OPERATION(shf_r_clamp, funnel_right(v[0], v[1], at_most_32(v[2])))

// Integers

static uint32_t limited(int64_t value, int64_t min, int64_t max)
{
    return (uint32_t)(value < min ? min : value > max ? max : value);
}

static int64_t product(const uint32_t *v)
{
    return signed_of(v[0]) * signed_of(v[1]);
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return signed_of(a) < signed_of(b) ? a : b;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return signed_of(a) > signed_of(b) ? a : b;
}

static uint32_t not_negative(uint32_t a)
{
    return greater(a, 0);
}

OPERATION(add, v[0] + v[1])
OPERATION(sub, v[0] - v[1])
OPERATION(add_sat, limited(signed_of(v[0]) + signed_of(v[1]), INT32_MIN, INT32_MAX))
OPERATION(sub_sat, limited(signed_of(v[0]) - signed_of(v[1]), INT32_MIN, INT32_MAX))
OPERATION(mul_lo, v[0] * v[1])
OPERATION(mul_hi_u32, (uint64_t)v[0] * v[1] >> 32)
OPERATION(mul_hi_s32, (uint64_t)product(v) >> 32)
OPERATION(mad_lo, v[0] * v[1] + v[2])
OPERATION(mad_hi_u32, ((uint64_t)v[0] * v[1] >> 32) + v[2])
OPERATION(mad_hi_s32, ((uint64_t)product(v) >> 32) + v[2])
OPERATION(mad_hi_sat, limited((product(v) >> 32) + signed_of(v[2]), INT32_MIN, INT32_MAX))
OPERATION(min_u32, v[0] < v[1] ? v[0] : v[1])
OPERATION(min_s32, lesser(v[0], v[1]))
OPERATION(max_u32, v[0] > v[1] ? v[0] : v[1])
OPERATION(max_s32, greater(v[0], v[1]))
OPERATION(min_relu, not_negative(lesser(v[0], v[1])))
OPERATION(max_relu, not_negative(greater(v[0], v[1])))
OPERATION(abs, signed_of(v[0]) < 0 ? 0 - v[0] : v[0])
OPERATION(neg, 0 - v[0])
OPERATION(u32_sat_s32, not_negative(v[0]))
OPERATION(s32_sat_u32, v[0] > INT32_MAX ? INT32_MAX : v[0])

// f32

static uint32_t opposite(uint32_t a)
{
    return a ^ UINT32_C(0x80000000);
}

static uint32_t magnitude(uint32_t a)
{
    return a & UINT32_C(0x7fffffff);
}

static uint32_t flushed(const struct packet_op *op, uint32_t a)
{
    return with(op, PACKET_WITH_FTZ) ? packet_f32_flush(a) : a;
}

static uint32_t one_nan(uint32_t a)
{
    return packet_f32_is_nan(a) ? PACKET_F32_NAN : a;
}

// Returns the smaller or greater source, or the other one if one is a NaN; −0 is below +0.
static uint32_t chosen(const struct packet_op *op, uint32_t a, uint32_t b, bool greatest)
{
    bool nan_a = packet_f32_is_nan(a), nan_b = packet_f32_is_nan(b);
    if ((nan_a && nan_b) || ((nan_a || nan_b) && with(op, PACKET_WITH_NAN)))
        return PACKET_F32_NAN;
    if (nan_a || nan_b)
        return nan_a ? b : a;
    int order = packet_f32_order(a, b);
    bool first_is_less = order < 0 || (order == 0 && a > b);
    return first_is_less == greatest ? b : a;
}

static uint32_t choose(const struct packet_op *op, const uint32_t *v, bool greatest)
{
    uint32_t a = flushed(op, v[0]), b = flushed(op, v[1]);
    bool absolute = with(op, PACKET_WITH_ABS);
    uint32_t result =
        chosen(op, absolute ? magnitude(a) : a, absolute ? magnitude(b) : b, greatest);
    if (with(op, PACKET_WITH_XORSIGN) && !packet_f32_is_nan(result))
        result |= (v[0] ^ v[1]) & UINT32_C(0x80000000);
    return result;
}

static uint32_t copied_f32(const struct packet_op *op, uint32_t a)
{
    a = one_nan(flushed(op, a));
    return with(op, PACKET_WITH_SAT) ? packet_f32_saturate(a) : a;
}

OPERATION(add_f32, packet_f32_add(rounding_of(op), v[0], v[1]))
OPERATION(sub_f32, packet_f32_add(rounding_of(op), v[0], opposite(v[1])))
OPERATION(mul_f32, packet_f32_mul(rounding_of(op), v[0], v[1]))
OPERATION(fma_f32, packet_f32_fma(rounding_of(op), v[0], v[1], v[2]))
OPERATION(min_f32, choose(op, v, false))
OPERATION(max_f32, choose(op, v, true))
OPERATION(abs_f32, one_nan(magnitude(flushed(op, v[0]))))
OPERATION(neg_f32, one_nan(opposite(flushed(op, v[0]))))
OPERATION(f32_s32, packet_f32_of_integer(rounding_of(op), signed_of(v[0]) < 0, alu_abs(op, v)))
OPERATION(f32_u32, packet_f32_of_integer(rounding_of(op), false, v[0]))
OPERATION(s32_f32, packet_f32_to_s32(rounding_of(op), v[0]))
OPERATION(u32_f32, packet_f32_to_u32(rounding_of(op), v[0]))
OPERATION(f32_f32, copied_f32(op, v[0]))
OPERATION(integral_f32, packet_f32_integral(rounding_of(op), v[0]))

// Comparisons return 1 if true, else 0.

// Relations of the first source to the second for which each comparison is true.
enum { LESS = 1, SAME = 2, GREATER = 4, NO_ORDER = 8 };
static const uint8_t true_if[PACKET_COMPARISONS] = {
    [PACKET_EQ] = SAME,
    [PACKET_NE] = LESS | GREATER,
    [PACKET_LT] = LESS,
    [PACKET_LE] = LESS | SAME,
    [PACKET_GT] = GREATER,
    [PACKET_GE] = GREATER | SAME,
    [PACKET_EQU] = SAME | NO_ORDER,
    [PACKET_NEU] = LESS | GREATER | NO_ORDER,
    [PACKET_LTU] = LESS | NO_ORDER,
    [PACKET_LEU] = LESS | SAME | NO_ORDER,
    [PACKET_GTU] = GREATER | NO_ORDER,
    [PACKET_GEU] = GREATER | SAME | NO_ORDER,
    [PACKET_NUM] = LESS | SAME | GREATER,
    [PACKET_NAN] = NO_ORDER,
};

static uint32_t is_true(const struct packet_op *op, int order)
{
    return (true_if[op->detail] & (order < 0 ? LESS : order > 0 ? GREATER : SAME)) != 0;
}

static uint32_t compare_f32(const struct packet_op *op, uint32_t a, uint32_t b)
{
    if (packet_f32_is_nan(a) || packet_f32_is_nan(b))
        return (true_if[op->detail] & NO_ORDER) != 0;
    return is_true(op, packet_f32_order(a, b));
}

OPERATION(set_u32, is_true(op, (v[0] > v[1]) - (v[0] < v[1])))
OPERATION(set_s32,
          is_true(op, (signed_of(v[0]) > signed_of(v[1])) - (signed_of(v[0]) < signed_of(v[1]))))
OPERATION(set_f32, compare_f32(op, v[0], v[1]))
OPERATION(set_ftz_f32, compare_f32(op, packet_f32_flush(v[0]), packet_f32_flush(v[1])))

static alu_fn *const functions[PACKET_FUNCTIONS] = {
#define PACKET_FUNCTION(name, sources, detail) [PACKET_##name] = alu_##name,
#include "runtime-sim/schemes/llc_omni/packet_functions.def"
#undef PACKET_FUNCTION
};

// Packets

static uint32_t compute_op(const struct packet_op *op, const uint32_t *from)
{
    uint32_t v[PACKET_SOURCES];
    for (uint32_t i = 0; i < PACKET_SOURCES; i++)
        v[i] = from[op->source[i]];
    return functions[op->function](op, v);
}

// Returns the value of one lane; 0 or 1 for a comparison.
static uint32_t compute_lane(const struct compute_packet *packet, uint32_t first, uint32_t second)
{
    uint32_t from[] = {[PACKET_LOAD_0] = first,
                       [PACKET_LOAD_1] = second,
                       [PACKET_SCALAR] = packet->scalar,
                       [PACKET_PREVIOUS] = first};
    for (uint32_t i = 0; i < packet->op_count; i++)
        from[PACKET_PREVIOUS] = compute_op(&packet->op[i], from);
    return from[PACKET_PREVIOUS];
}

static uint32_t joined(const struct compute_packet *packet, uint32_t test)
{
    const struct packet_op *op = &packet->op[0];
    uint32_t other = (packet->scalar != 0) != op->negated ? FULL_MASK : 0;
    switch (op->boolean) {
    case PACKET_AND: return test & other;
    case PACKET_OR: return test | other;
    case PACKET_XOR: return test ^ other;
    default: return test;
    }
}

void packet_compute(const struct compute_packet *packet, const union lanes *operand,
                    union lanes *result)
{
    static const uint32_t made[] = {1, UINT32_MAX, PACKET_F32_ONE};
    uint32_t value[LANES] = {0}, mask = 0;
    for (uint32_t i = 0; i < LANES; i++)
        if (packet->mask >> i & 1)
            value[i] = compute_lane(packet, operand[0].u32[i],
                                    packet->load_count > 1 ? operand[1].u32[i] : 0);
    if (!packet_compares(&packet->op[0])) {
        memcpy(result->u32, value, sizeof value);
        return;
    }
    for (uint32_t i = 0; i < LANES; i++)
        mask |= value[i] << i;
    mask = joined(packet, mask) & packet->mask;
    if (packet->op[0].made == PACKET_PREDICATE)
        result->mask = mask;
    else
        for (uint32_t i = 0; i < LANES; i++)
            result->u32[i] = mask >> i & 1 ? made[packet->op[0].made] : 0;
}

uint32_t packet_scalar_value(const struct packet_scalar *scalar, const union lanes *lanes,
                             uint32_t lane)
{
    switch (scalar->extends) {
    case EXTENDS_ZERO: return lanes->u16[lane];
    case EXTENDS_SIGN: return (uint32_t)(int32_t)(int16_t)lanes->u16[lane];
    default: return lanes->u32[lane];
    }
}

uint32_t packet_load_value(const struct packet_operand *operand, const void *bytes)
{
    uint32_t value = 0, bits = 8u * operand->bytes, sign = 1u << (bits - 1);
    memcpy(&value, bytes, operand->bytes);
    return operand->is_signed ? (value ^ sign) - sign : value;
}
