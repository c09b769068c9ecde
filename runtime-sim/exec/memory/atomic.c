// atom and red: executes the lanes one after the other, in ascending order.
#include "runtime-sim/exec/memory/atomic.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/half.h"
#include "runtime-sim/exec/memory/steps_memory.h"

#define ATOMIC(name, T, ...)                                                                       \
    static bool name(uint8_t *at, const void *bp, const void *cp, void *old)                       \
    {                                                                                              \
        T a, b, c;                                                                                 \
        memcpy(&a, at, sizeof a);                                                                  \
        memcpy(&b, bp, sizeof b);                                                                  \
        memcpy(&c, cp, sizeof c);                                                                  \
        (void)c;                                                                                   \
        T value = (T)(__VA_ARGS__);                                                                \
        memcpy(at, &value, sizeof value);                                                          \
        memcpy(old, &a, sizeof a);                                                                 \
        return value != a;                                                                         \
    }
__extension__ typedef unsigned __int128 u128;

ATOMIC(add_32, uint32_t, a + b)
ATOMIC(add_64, uint64_t, a + b)
ATOMIC(inc_32, uint32_t, a >= b ? 0 : a + 1)
ATOMIC(dec_32, uint32_t, !a || a > b ? b : a - 1)
ATOMIC(min_u32, uint32_t, a < b ? a : b)
ATOMIC(max_u32, uint32_t, a > b ? a : b)
ATOMIC(min_s32, int32_t, a < b ? a : b)
ATOMIC(max_s32, int32_t, a > b ? a : b)
ATOMIC(min_u64, uint64_t, a < b ? a : b)
ATOMIC(max_u64, uint64_t, a > b ? a : b)
ATOMIC(min_s64, int64_t, a < b ? a : b)
ATOMIC(max_s64, int64_t, a > b ? a : b)
ATOMIC(and_32, uint32_t, a &b)
ATOMIC(or_32, uint32_t, a | b)
ATOMIC(xor_32, uint32_t, a ^ b)
ATOMIC(and_64, uint64_t, a &b)
ATOMIC(or_64, uint64_t, a | b)
ATOMIC(xor_64, uint64_t, a ^ b)
ATOMIC(exch_32, uint32_t, b)
ATOMIC(exch_64, uint64_t, b)
ATOMIC(exch_128, u128, b)
ATOMIC(cas_16, uint16_t, a == b ? c : a)
ATOMIC(cas_32, uint32_t, a == b ? c : a)
ATOMIC(cas_64, uint64_t, a == b ? c : a)
ATOMIC(cas_128, u128, a == b ? c : a)

// Floating point

static uint32_t sum_f32(uint32_t a, uint32_t b)
{
    float sum = f32_of(a) + f32_of(b);
    return sum != sum ? 0x7fffffff : bits_f32(sum);
}

static uint32_t flushed(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint64_t sum_f64(uint64_t a, uint64_t b)
{
    double x = f64_of(a), y = f64_of(b);
    return bits_f64(canonical_f64(x + y, x, y, y));
}

ATOMIC(add_f32, uint32_t, sum_f32(a, b))
// As the manual states for present GPUs, subnormal numbers are flushed in global memory.
ATOMIC(add_f32_ftz, uint32_t, flushed(sum_f32(flushed(a), flushed(b))))
ATOMIC(add_f64, uint64_t, sum_f64(a, b))

static bool is_nan(enum half_format format, uint16_t half)
{
    return (half & 0x7fff) > (format == HALF_F16 ? 0x7c00 : 0x7f80);
}

// Returns an integer that is ordered like the numbers, with −0 below +0.
static int order_of(uint16_t half)
{
    return half & 0x8000 ? -(half & 0x7fff) - 1 : half;
}

enum half_op { HALF_ADD, HALF_MIN, HALF_MAX };

// f32 has more than twice the digits plus two, so rounding twice gives the correct result.
static uint16_t half_op(enum half_format format, enum half_op op, uint16_t a, uint16_t b)
{
    if (op == HALF_ADD)
        return half_of_f32(format, f32_of_half(format, a) + f32_of_half(format, b));
    if (is_nan(format, a) || is_nan(format, b))
        return !is_nan(format, a) ? a : !is_nan(format, b) ? b : HALF_NAN;
    return (order_of(a) < order_of(b)) == (op == HALF_MIN) ? a : b;
}

static uint32_t half_pair(enum half_format format, enum half_op op, uint32_t a, uint32_t b)
{
    return (uint32_t)half_op(format, op, (uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16 |
           half_op(format, op, (uint16_t)a, (uint16_t)b);
}

#define HALF_ATOMIC(name, op)                                                                      \
    ATOMIC(name##_f16, uint16_t, half_op(HALF_F16, op, a, b))                                      \
    ATOMIC(name##_bf16, uint16_t, half_op(HALF_BF16, op, a, b))                                    \
    ATOMIC(name##_f16x2, uint32_t, half_pair(HALF_F16, op, a, b))                                  \
    ATOMIC(name##_bf16x2, uint32_t, half_pair(HALF_BF16, op, a, b))
HALF_ATOMIC(add, HALF_ADD)
HALF_ATOMIC(min, HALF_MIN)
HALF_ATOMIC(max, HALF_MAX)

#define HALF_ROWS(op)                                                                              \
    {W_##op, W_f16, op##_f16, NULL}, {W_##op, W_bf16, op##_bf16, NULL},                            \
        {W_##op, W_f16x2, op##_f16x2, NULL},                                                       \
    {                                                                                              \
        W_##op, W_bf16x2, op##_bf16x2, NULL                                                        \
    }
#define MAX_ROWS(op)                                                                               \
    {W_##op, W_u32, op##_u32, NULL}, {W_##op, W_s32, op##_s32, NULL},                              \
        {W_##op, W_u64, op##_u64, NULL},                                                           \
    {                                                                                              \
        W_##op, W_s64, op##_s64, NULL                                                              \
    }
#define BITS_ROWS(op)                                                                              \
    {W_##op, W_b32, op##_32, NULL},                                                                \
    {                                                                                              \
        W_##op, W_b64, op##_64, NULL                                                               \
    }

static const struct atomic_op operations[] = {
    {W_add, W_u32, add_32, NULL},
    {W_add, W_s32, add_32, NULL},
    {W_add, W_u64, add_64, NULL},
    {W_add, W_s64, add_64, NULL},
    {W_add, W_f32, add_f32, add_f32_ftz},
    {W_add, W_f64, add_f64, NULL},
    HALF_ROWS(add),
    {W_inc, W_u32, inc_32, NULL},
    {W_dec, W_u32, dec_32, NULL},
    MAX_ROWS(min),
    HALF_ROWS(min),
    MAX_ROWS(max),
    HALF_ROWS(max),
    BITS_ROWS(and),
    BITS_ROWS(or),
    BITS_ROWS(xor),
    BITS_ROWS(exch),
    {W_exch, W_b128, exch_128, NULL},
    {W_cas, W_b16, cas_16, NULL},
    BITS_ROWS(cas),
    {W_cas, W_b128, cas_128, NULL},
};

const struct atomic_op *atomic_find(uint16_t op, uint16_t type)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(operations); i++)
        if (operations[i].op == op && operations[i].type == type)
            return &operations[i];
    return NULL;
}

// Lanes

// Replaces the element if it still is `old`. Returns false if the host has changed it meanwhile.
#define REPLACE(T)                                                                                 \
    static bool replace_##T(uint8_t *at, const void *old, const void *value)                       \
    {                                                                                              \
        T expected, wanted;                                                                        \
        memcpy(&expected, old, sizeof expected);                                                   \
        memcpy(&wanted, value, sizeof wanted);                                                     \
        return __atomic_compare_exchange_n((T *)(void *)at, &expected, wanted, false,              \
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
    }
REPLACE(uint16_t)
REPLACE(uint32_t)
REPLACE(uint64_t)

static bool replace(uint8_t *at, const void *old, const void *value, uint32_t bytes)
{
    if (bytes == sizeof(uint16_t))
        return replace_uint16_t(at, old, value);
    return bytes == sizeof(uint32_t) ? replace_uint32_t(at, old, value)
                                     : replace_uint64_t(at, old, value);
}

// Scope .sys includes the host, whose threads may access the same element at the same time.
static bool apply_with_host(atomic_fn *fn, uint8_t *at, const void *b, const void *c, void *old,
                            uint32_t bytes)
{
    uint8_t value[sizeof(uint64_t)];
    bool changed;
    do {
        memcpy(value, at, bytes);
        changed = fn(value, b, c, old);
    } while (changed && !replace(at, old, value, bytes));
    return changed;
}

static bool apply(const struct code *code, const struct spot *spot, void *const *operands,
                  uint32_t lane)
{
    const struct atomic_code *what = code->extra;
    const struct memory_code *memory = what->memory;
    atomic_fn *fn = atomic_in(what->op, spot->space);
    uint32_t elements = memory->elements;
    size_t at = (size_t)lane * memory->bytes; // all operands have the width of the element
    bool changed = false, three = code->list->count > 2u * elements;
    bool host = memory->scope == W_sys && memory->bytes <= sizeof(uint64_t);
    for (uint32_t e = 0; e < elements; e++) {
        const uint8_t *b = (const uint8_t *)operands[elements + e] + at;
        const uint8_t *c = three ? (const uint8_t *)operands[2u * elements + e] + at : b;
        uint8_t old[16];
        uint8_t *element = spot->host + (size_t)e * memory->bytes;
        changed |=
            host ? apply_with_host(fn, element, b, c, old, memory->bytes) : fn(element, b, c, old);
        if (operands[e])
            memcpy((uint8_t *)operands[e] + at, old, memory->bytes);
    }
    return changed;
}

enum step_result atomic_lanes(struct warp *warp, const struct access *access, void *const *operands,
                              bool *changed)
{
    uint64_t writes = warp->writes;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        struct spot spot;
        if (!access_find(warp, access, lane, access->bytes, access->bytes, &spot))
            return STEP_FAULT;
        *changed |= apply(access->code, &spot, operands, lane);
    }
    warp->writes = writes + *changed;
    return STEP_NEXT;
}

void atomic_begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask, struct access *access)
{
    const struct memory_code *memory = ((const struct atomic_code *)code->extra)->memory;
    access_addresses(warp, path, code, memory, mask, (uint32_t)memory->bytes * memory->elements,
                     access);
    access->reads = access->writes = access->atomic = true;
}

// A cas or exch without effect usually waits for a lock that another warp holds, so other warps
// should continue.
void atomic_yield(struct warp *warp, const struct code *code)
{
    uint16_t op = ((const struct atomic_code *)code->extra)->op->op;
    if ((op == W_cas || op == W_exch) && warp->budget > 1)
        warp->budget = 1;
}

enum step_result step_atomic(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask)
{
    void *operands[ATOMIC_OPERANDS];
    bool changed = false;
    if (!mask)
        return STEP_NEXT;
    for (uint32_t i = 0; i < code->list->count; i++) {
        uint32_t slot = code->list->slot[i];
        operands[i] = slot == REG_SLOT_NONE ? NULL : warp_register_lanes(warp, slot);
    }
    atomic_begin(warp, path, code, mask, &warp->access);
    if (atomic_lanes(warp, &warp->access, operands, &changed) == STEP_FAULT)
        return STEP_FAULT;
    if (!changed)
        atomic_yield(warp, code);
    return STEP_NEXT;
}
