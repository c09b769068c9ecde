// Matrix products. Elements are converted to numbers 32 at a time, in the order of the lanes, and
// then placed in the matrix.
#include "runtime-sim/exec/lanes/half.h"
#include "runtime-sim/exec/lanes/matrix_ops.h"

// Extracts element e of a register, for elements of up to 32 bits, from all lanes.
INLINE void load_elements(const struct fragment *f, const union lanes *from, uint32_t e,
                          uint32_t *to)
{
    uint32_t shift = e * f->bits, mask = f->bits == 32 ? UINT32_MAX : (1u << f->bits) - 1;
    EACH_LANE to[i] = from->u32[i] >> shift & mask;
}

static void gather(const struct fragment *f, void *const *registers, uint64_t *bits)
{
    for (uint32_t r = 0; r < f->registers; r++)
        for (uint32_t e = 0; e < f->per; e++) {
            const union lanes *from = registers[f->first + r];
            uint64_t *to = bits + f->base[r] + e * f->step;
            uint32_t some[LANES];
            if (f->bits < 64)
                load_elements(f, from, e, some);
            for (int i = 0; i < LANES; i++)
                to[f->lane[i]] = f->bits < 64 ? some[i] : from->u64[i];
        }
}

static void scatter(const struct fragment *f, void *const *registers, const uint64_t *bits)
{
    for (uint32_t r = 0; r < f->registers; r++) {
        union lanes *to = registers[f->first + r];
        for (int i = 0; i < LANES; i++) {
            const uint64_t *from = bits + f->base[r] + f->lane[i];
            uint64_t value = 0;
            for (uint32_t e = 0; e < f->per; e++)
                value |= from[e * f->step] << (e * f->bits);
            if (f->bits == 64)
                to->u64[i] = value;
            else
                to->u32[i] = (uint32_t)value;
        }
    }
}

// Elements as numbers

INLINE float f32_of_tf32(uint32_t bits)
{
    bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    return f32_of(is_nan ? bits : bits & ~UINT32_C(0x1fff));
}

#define EACH_NUMBER(...)                                                                           \
    EACH_LANE to[i] = (__VA_ARGS__);                                                               \
    break

static void as_floats(uint16_t type, const uint32_t *bits, float *to)
{
    switch (type) {
    case W_f16: EACH_NUMBER(f32_of_f16((uint16_t)bits[i]));
    case W_bf16: EACH_NUMBER(f32_of_bf16((uint16_t)bits[i]));
    case W_tf32: EACH_NUMBER(f32_of_tf32(bits[i]));
    case W_e4m3: EACH_NUMBER(f32_of_e4m3(bits[i]));
    case W_e5m2: EACH_NUMBER(f32_of_f16((uint16_t)(bits[i] << 8)));
    default: EACH_NUMBER(f32_of(bits[i]));
    }
}

static void as_integers(uint16_t type, const uint32_t *bits, int32_t *to)
{
    switch (type) {
    case W_s4: EACH_NUMBER((int32_t)(bits[i] ^ 8) - 8);
    case W_s8: EACH_NUMBER((int32_t)(bits[i] ^ 128) - 128);
    default: EACH_NUMBER((int32_t)bits[i]);
    }
}

static void gather_doubles(const struct fragment *f, void *const *registers, double *numbers)
{
    uint32_t bits[LANES];
    float some[LANES];
    if (f->bits == 64) {
        gather(f, registers, (uint64_t *)numbers);
        return;
    }
    for (uint32_t r = 0; r < f->registers; r++)
        for (uint32_t e = 0; e < f->per; e++) {
            double *to = numbers + f->base[r] + e * f->step;
            load_elements(f, registers[f->first + r], e, bits);
            as_floats(f->type, bits, some);
            for (int i = 0; i < LANES; i++)
                to[f->lane[i]] = (double)some[i];
        }
}

static void gather_integers(const struct fragment *f, void *const *registers, int32_t *numbers)
{
    uint32_t bits[LANES];
    int32_t some[LANES];
    for (uint32_t r = 0; r < f->registers; r++)
        for (uint32_t e = 0; e < f->per; e++) {
            int32_t *to = numbers + f->base[r] + e * f->step;
            load_elements(f, registers[f->first + r], e, bits);
            as_integers(f->type, bits, some);
            for (int i = 0; i < LANES; i++)
                to[f->lane[i]] = some[i];
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

// The row of b for each element of a sparse a.

// Returns the position of kept element n in its chunk. Two of the chunk's four bits are the
// position of the first half of the kept elements, two that of the second half.
static uint32_t place_in_chunk(uint32_t bits, uint32_t kept, uint32_t n)
{
    switch (kept) {
    case 1: return bits >> 1 & 1; // the positions of the two halves of an element are adjacent
    case 2: return bits >> 2 * n & 3;
    default: return (bits >> 2 * (n / 2) & 3) * 2 + n % 2;
    }
}

static void find_rows(const struct product *p, void *const *registers, uint8_t *rows)
{
    const struct sparse *sparse = p->sparse;
    const union lanes *lanes = registers[sparse->place];
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t k = 0; k < p->k; k++) {
            uint32_t chunk = k / sparse->kept, half = sparse->half[row][chunk / 4];
            uint32_t bits = lanes->u32[half / 2] >> 16 * (half % 2);
            rows[row * p->k + k] =
                (uint8_t)(chunk * 2 * sparse->kept +
                          place_in_chunk(bits >> 4 * (chunk % 4), sparse->kept, k % sparse->kept));
        }
}

// Products. a, b and d are stored by rows; initially d is c. Eight columns at a time stay in
// registers. `row_of_b` is the row of b for element k of a row of a.
#define MULTIPLY(name, T, row_of_b, ...)                                                           \
    static void name(const struct product *p, const T *a, const T *b, T *d, const uint8_t *rows)   \
    {                                                                                              \
        (void)rows;                                                                                \
        for (uint32_t row = 0; row < p->m; row++)                                                  \
            for (uint32_t column = 0; column < p->n; column += MATRIX_BLOCK) {                     \
                T sums[MATRIX_BLOCK], *to = d + row * p->n + column;                               \
                EACH(MATRIX_BLOCK) sums[i] = to[i];                                                \
                for (uint32_t k = 0; k < p->k; k++) {                                              \
                    const T *ys = b + (row_of_b)*p->n + column, x = a[row * p->k + k];             \
                    EACH(MATRIX_BLOCK)                                                             \
                    {                                                                              \
                        T y = ys[i], sum = sums[i];                                                \
                        sums[i] = (T)(__VA_ARGS__);                                                \
                    }                                                                              \
                }                                                                                  \
                EACH(MATRIX_BLOCK) to[i] = sums[i];                                                \
            }                                                                                      \
    }
#define ROW_OF_SPARSE rows[row * p->k + k]
MULTIPLY(multiply_floats, double, k, sum + x * y) // the product is exact
MULTIPLY(multiply_sparse_floats, double, ROW_OF_SPARSE, sum + x * y)
MULTIPLY(multiply_doubles, double, k, canonical_f64(fma(x, y, sum), x, y, sum))
MULTIPLY(multiply_integers, int32_t, k, sum + x * y) // below 2²³: |x·y| < 2¹⁶, k up to 64
MULTIPLY(multiply_sparse_integers, int32_t, ROW_OF_SPARSE, sum + x * y)
MULTIPLY(count_both, int32_t, k, sum + __builtin_popcount((uint32_t)(x & y)))
MULTIPLY(count_different, int32_t, k, sum + __builtin_popcount((uint32_t)(x ^ y)))

static void compute_floats(const struct product *p, const struct code *code, void *const *registers)
{
    double a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], d[MATRIX_ELEMENTS];
    uint64_t bits[MATRIX_ELEMENTS];
    uint8_t rows[MATRIX_ELEMENTS];
    if (p->sparse)
        find_rows(p, registers, rows);
    gather_doubles(&p->a, registers, a);
    gather_doubles(&p->b, registers, b);
    gather_doubles(&p->c, registers, d);
    uint32_t mode = mode_enter(code);
    for (uint32_t i = 0; i < p->count; i++)
        (p->kind == PRODUCT_DOUBLE ? multiply_doubles
         : p->sparse               ? multiply_sparse_floats
                                   : multiply_floats)(p, a + i * p->m * p->k, b + i * p->k * p->n,
                                        d + i * p->m * p->n, rows);
    mode_leave(mode);
    for (uint32_t i = 0; i < p->d.elements; i++)
        bits[i] = bits_of_double(p->d.type, d[i]);
    scatter(&p->d, registers, bits);
}

static uint32_t add_s32(int32_t product, uint32_t c, bool saturates)
{
    int64_t sum = (int64_t)(int32_t)c + product;
    if (saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static void compute_integers(const struct product *p, const struct code *code,
                             void *const *registers)
{
    int32_t a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], d[MATRIX_ELEMENTS] = {0};
    uint64_t bits[MATRIX_ELEMENTS];
    uint8_t rows[MATRIX_ELEMENTS];
    if (p->sparse)
        find_rows(p, registers, rows);
    gather_integers(&p->a, registers, a);
    gather_integers(&p->b, registers, b);
    switch (p->kind) {
    case PRODUCT_AND: count_both(p, a, b, d, rows); break;
    case PRODUCT_XOR: count_different(p, a, b, d, rows); break;
    default: (p->sparse ? multiply_sparse_integers : multiply_integers)(p, a, b, d, rows); break;
    }
    gather(&p->c, registers, bits);
    for (uint32_t i = 0; i < p->d.elements; i++)
        bits[i] = add_s32(d[i], (uint32_t)bits[i], code->attributes & ATTR_SAT);
    scatter(&p->d, registers, bits);
}

static void multiply(const struct product *product, const struct code *code, void *const *registers)
{
    if (product->kind == PRODUCT_FLOAT || product->kind == PRODUCT_DOUBLE)
        compute_floats(product, code, registers);
    else
        compute_integers(product, code, registers);
}

extern const struct matrix_ops NAMED(matrix_ops);
const struct matrix_ops NAMED(matrix_ops) = {gather, scatter, multiply};
