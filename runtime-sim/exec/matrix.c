#include "runtime-sim/exec/matrix.h"
#include "runtime-sim/exec/half.h"

// Fragments

static uint64_t low_bits(uint32_t bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

void fragment_gather(const struct warp *warp, const struct code *code,
                     const struct fragment *fragment, uint64_t *bits)
{
    uint64_t mask = low_bits(fragment->bits);
    for (uint32_t r = 0; r < fragment->registers; r++) {
        const union lanes *from = warp_slot(warp, code->list->slot[fragment->first + r]);
        for (uint32_t e = 0; e < fragment->per; e++) {
            uint64_t *to = bits + fragment->base[r] + e * fragment->step;
            if (fragment->bits == 64)
                for (uint32_t i = 0; i < LANES; i++)
                    to[fragment->lane[i]] = from->u64[i];
            else
                for (uint32_t i = 0; i < LANES; i++)
                    to[fragment->lane[i]] = from->u32[i] >> (e * fragment->bits) & mask;
        }
    }
}

void fragment_scatter(const struct warp *warp, const struct code *code,
                      const struct fragment *fragment, const uint64_t *bits)
{
    for (uint32_t r = 0; r < fragment->registers; r++) {
        union lanes *to = warp_slot(warp, code->list->slot[fragment->first + r]);
        for (uint32_t i = 0; i < LANES; i++) {
            const uint64_t *from = bits + fragment->base[r] + fragment->lane[i];
            uint64_t value = 0;
            for (uint32_t e = 0; e < fragment->per; e++)
                value |= from[e * fragment->step] << (e * fragment->bits);
            if (fragment->bits == 64)
                to->u64[i] = value;
            else
                to->u32[i] = (uint32_t)value;
        }
    }
}

bool matrix_lanes(struct warp *warp, const struct code *code, uint32_t mask)
{
    if (mask == FULL_MASK)
        return true;
    warp_fault(warp, code, mask, "a matrix needs all lanes of the warp; here are 0x%08x", mask);
    return false;
}

enum step_result matrix_meet(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask, meet_fn *fn)
{
    enum step_result result = meet(warp, path, code, mask, fn, false);
    return warp->fault->happened ? STEP_FAULT : result;
}

// Elements as numbers

// Exponents of 4 bits, no infinities.
static float f32_of_e4m3(uint32_t bits)
{
    uint32_t sign = (bits & 0x80) << 24;
    if ((bits & 0x7f) == 0x7f)
        return f32_of(0x7fffffff);
    float magnitude = f32_of_f16((uint16_t)((bits & 0x7f) << 7)) * 256;
    return f32_of(bits_f32(magnitude) | sign);
}

static float f32_of_tf32(uint32_t bits)
{
    bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    return f32_of(is_nan ? bits : bits & ~UINT32_C(0x1fff));
}

#define EACH_NUMBER(...)                                                                           \
    for (uint32_t i = 0; i < count; i++)                                                           \
        to[i] = (__VA_ARGS__);                                                                     \
    break

static void as_doubles(uint16_t type, const uint64_t *bits, uint32_t count, double *to)
{
    switch (type) {
    case W_f16: EACH_NUMBER((double)f32_of_f16((uint16_t)bits[i]));
    case W_bf16: EACH_NUMBER((double)f32_of_bf16((uint16_t)bits[i]));
    case W_tf32: EACH_NUMBER((double)f32_of_tf32((uint32_t)bits[i]));
    case W_e4m3: EACH_NUMBER((double)f32_of_e4m3((uint32_t)bits[i]));
    case W_e5m2: EACH_NUMBER((double)f32_of_f16((uint16_t)(bits[i] << 8)));
    case W_f32: EACH_NUMBER((double)f32_of((uint32_t)bits[i]));
    default: EACH_NUMBER(f64_of(bits[i]));
    }
}

static void as_integers(uint16_t type, const uint64_t *bits, uint32_t count, int32_t *to)
{
    switch (type) {
    case W_s4: EACH_NUMBER((int32_t)(bits[i] ^ 8) - 8);
    case W_s8: EACH_NUMBER((int32_t)(bits[i] ^ 128) - 128);
    default: EACH_NUMBER((int32_t)bits[i]);
    }
}

static uint64_t bits_of_double(uint16_t type, double value)
{
    switch (type) {
    case W_f16: return f16_of_f32(narrow_odd(value));
    case W_f32: return bits_f32(canonical((float)value));
    default: return bits_f64(value);
    }
}

// Products: a, b and d by rows; d is c at first

static void multiply_floats(const struct product *p, const double *a, const double *b, double *d)
{
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t k = 0; k < p->k; k++)
            for (uint32_t col = 0; col < p->n; col++)
                d[row * p->n + col] += a[row * p->k + k] * b[k * p->n + col];
}

static void multiply_doubles(const struct product *p, const double *a, const double *b, double *d)
{
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t k = 0; k < p->k; k++)
            for (uint32_t col = 0; col < p->n; col++) {
                double x = a[row * p->k + k], y = b[k * p->n + col], *sum = &d[row * p->n + col];
                *sum = canonical_f64(fma(x, y, *sum), x, y, *sum);
            }
}

static void compute_floats(struct warp *warp, const struct code *code, const struct product *p)
{
    uint64_t bits[MATRIX_ELEMENTS];
    double a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], d[MATRIX_ELEMENTS];
    fragment_gather(warp, code, &p->a, bits);
    as_doubles(p->a.type, bits, p->a.elements, a);
    fragment_gather(warp, code, &p->b, bits);
    as_doubles(p->b.type, bits, p->b.elements, b);
    fragment_gather(warp, code, &p->c, bits);
    as_doubles(p->c.type, bits, p->c.elements, d);
    uint32_t mode = mode_enter(code);
    for (uint32_t i = 0; i < p->count; i++)
        (p->kind == PRODUCT_DOUBLE ? multiply_doubles : multiply_floats)(
            p, a + i * p->m * p->k, b + i * p->k * p->n, d + i * p->m * p->n);
    mode_leave(mode);
    for (uint32_t i = 0; i < p->d.elements; i++)
        bits[i] = bits_of_double(p->d.type, d[i]);
    fragment_scatter(warp, code, &p->d, bits);
}

// |a·b| is below 2¹⁶, and k at most 64.
static void multiply_integers(const struct product *p, const int32_t *a, const int32_t *b,
                              int32_t *d)
{
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t k = 0; k < p->k; k++)
            for (uint32_t col = 0; col < p->n; col++)
                d[row * p->n + col] += a[row * p->k + k] * b[k * p->n + col];
}

static void count_bits(const struct product *p, const int32_t *a, const int32_t *b, int32_t *d)
{
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t k = 0; k < p->k; k++)
            for (uint32_t col = 0; col < p->n; col++) {
                uint32_t x = (uint32_t)a[row * p->k + k], y = (uint32_t)b[k * p->n + col];
                d[row * p->n + col] += __builtin_popcount(p->kind == PRODUCT_AND ? x & y : x ^ y);
            }
}

static uint32_t add_s32(int32_t product, uint32_t c, bool saturates)
{
    int64_t sum = (int64_t)(int32_t)c + product;
    if (saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static void compute_integers(struct warp *warp, const struct code *code, const struct product *p)
{
    uint64_t bits[MATRIX_ELEMENTS];
    int32_t a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], d[MATRIX_ELEMENTS] = {0};
    fragment_gather(warp, code, &p->a, bits);
    as_integers(p->a.type, bits, p->a.elements, a);
    fragment_gather(warp, code, &p->b, bits);
    as_integers(p->b.type, bits, p->b.elements, b);
    (p->kind == PRODUCT_INTEGER ? multiply_integers : count_bits)(p, a, b, d);
    fragment_gather(warp, code, &p->c, bits);
    for (uint32_t i = 0; i < p->d.elements; i++)
        bits[i] = add_s32(d[i], (uint32_t)bits[i], code->attributes & ATTR_SAT);
    fragment_scatter(warp, code, &p->d, bits);
}

static void multiply(struct warp *warp, const struct code *code, uint32_t mask)
{
    const struct product *product = code->extra;
    if (!matrix_lanes(warp, code, mask))
        return;
    if (product->kind == PRODUCT_FLOAT || product->kind == PRODUCT_DOUBLE)
        compute_floats(warp, code, product);
    else
        compute_integers(warp, code, product);
}

enum step_result step_mma(struct warp *warp, struct path *path, const struct code *code,
                          uint32_t mask)
{
    return matrix_meet(warp, path, code, mask, multiply);
}
