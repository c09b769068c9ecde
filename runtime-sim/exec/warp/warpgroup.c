#include "runtime-sim/exec/warp/warpgroup.h"
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/matrix.h"
#include <string.h>

enum { CHUNK = 16, ADDRESS_BITS = 18 };

// A decoded descriptor of a matrix in shared memory. Units: bytes.
struct descriptor {
    uint32_t start, leading, stride;
    uint32_t width; // of a row of the swizzled pattern; 16: no swizzling
    uint32_t phase; // offset of the pattern, in units of 128 bytes
};

static struct descriptor read_descriptor(uint64_t bits)
{
    static const uint8_t widths[] = {16, 128, 64, 32};
    return (struct descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                               .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                               .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                               .width = widths[bits >> 62],
                               .phase = (uint32_t)(bits >> 49 & 7)};
}

// Swizzling exchanges the 16-byte chunks of a pattern's row by the number of the row.
static uint32_t chunk_address(const struct descriptor *d, uint32_t offset)
{
    uint32_t address = (d->start + offset) & ((1u << ADDRESS_BITS) - 1);
    uint32_t row = ((address >> 7) - d->phase) & (d->width / CHUNK - 1);
    return address ^ row << 4;
}

// Returns the offset of a chunk along K: chunk `n` of row `row` of the operand (MN).
static uint32_t k_major(const struct descriptor *d, uint32_t row, uint32_t n)
{
    return row % 8 * d->width + row / 8 * d->stride + n * (d->width == CHUNK ? d->leading : CHUNK);
}

// Returns the offset of a chunk along M or N: chunk `n` of the elements with this k.
static uint32_t mn_major(const struct descriptor *d, uint32_t k, uint32_t n)
{
    uint32_t chunks = d->width / CHUNK, to_next = d->width == CHUNK ? d->stride : d->leading;
    uint32_t next_k = d->width == CHUNK ? d->leading : d->stride;
    return n % chunks * CHUNK + n / chunks * to_next + k % 8 * d->width + k / 8 * next_k;
}

// Reads a chunk of shared memory. Returns false and sets warp->fault if it is outside.
static bool read_chunk(struct warp *warp, struct access *access, uint32_t address,
                       const struct warpgroup_code *what, uint64_t *to, uint32_t step)
{
    struct spot spot;
    access->address[0] = address;
    if (!access_find(warp, access, 0, CHUNK, CHUNK, &spot))
        return false;
    for (uint32_t i = 0; i < what->elements; i++) {
        uint32_t value = 0;
        memcpy(&value, spot.host + i * what->element_bytes, what->element_bytes);
        to[i * step] = value;
    }
    return true;
}

// Reads `rows` rows of M or N from `first` on, with `k` elements each. Element (row, k) becomes
// to[row * row_step + k * k_step].
static bool read_operand(struct warp *warp, struct access *access,
                         const struct warpgroup_code *what, uint64_t bits, bool transposed,
                         uint32_t first, uint32_t rows, uint32_t k, uint64_t *to, uint32_t row_step,
                         uint32_t k_step)
{
    struct descriptor d = read_descriptor(bits);
    uint32_t per = what->elements;
    if (!transposed) {
        for (uint32_t row = 0; row < rows; row++)
            for (uint32_t n = 0; n * per < k; n++)
                if (!read_chunk(warp, access, chunk_address(&d, k_major(&d, first + row, n)), what,
                                to + row * row_step + n * per * k_step, k_step))
                    return false;
        return true;
    }
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t row = 0; row < rows; row += per)
            if (!read_chunk(warp, access, chunk_address(&d, mn_major(&d, i, (first + row) / per)),
                            what, to + row * row_step + i * k_step, row_step))
                return false;
    return true;
}

static void negate(union lanes *lanes, uint32_t count, uint32_t signs)
{
    for (uint32_t r = 0; signs && r < count; r++)
        for (uint32_t i = 0; i < LANES; i++)
            lanes[r].u32[i] ^= signs;
}

// The operands of one execution.
struct warpgroup_operands {
    union lanes a[WARPGROUP_A_REGISTERS], b[WARPGROUP_A_REGISTERS];
    union lanes zero;
    void *registers[WARPGROUP_REGISTERS];
};

static uint64_t first_lane(const struct warp *warp, uint32_t slot)
{
    return *(const uint64_t *)warp_register_lanes(warp, slot);
}

static bool load_a(struct warp *warp, const struct code *code, struct access *access,
                   struct warpgroup_operands *o)
{
    const struct warpgroup_code *what = code->extra;
    const struct product *p = &what->product;
    uint64_t bits[MATRIX_ELEMENTS];
    for (uint32_t r = 0; r < WARPGROUP_A_REGISTERS; r++) {
        o->registers[WARPGROUP_A_AT + r] = &o->a[r];
        if (!what->a_shared)
            memcpy(&o->a[r], warp_register_lanes(warp, code->list->slot[what->a_first + r]),
                   LANES * sizeof(uint32_t));
    }
    if (what->a_shared) {
        uint32_t first = warp->index % WARPGROUP_WARPS * p->m;
        if (!read_operand(warp, access, what, first_lane(warp, code->s[2]), what->trans_a, first,
                          p->m, p->k, bits, p->k, 1))
            return false;
        warp->program->lanes->matrix->scatter(&p->a, o->registers, bits);
    }
    negate(o->a, WARPGROUP_A_REGISTERS, what->negate_a);
    return true;
}

static bool load_b(struct warp *warp, const struct code *code, struct access *access,
                   uint32_t block, struct warpgroup_operands *o)
{
    const struct warpgroup_code *what = code->extra;
    const struct product *p = &what->product;
    uint64_t bits[MATRIX_ELEMENTS];
    if (!read_operand(warp, access, what, first_lane(warp, code->s[0]), what->trans_b, block * p->n,
                      p->n, what->b_rows, bits, 1, p->n))
        return false;
    warp->program->lanes->matrix->scatter(&p->b, o->registers, bits);
    negate(o->b, p->b.registers, what->negate_b);
    return true;
}

static void multiply(struct warp *warp, const struct code *code, uint32_t mask)
{
    static const struct memory_code shared = {.space = W_shared};
    const struct warpgroup_code *what = code->extra;
    const struct product *p = &what->product;
    struct warpgroup_operands o;
    struct access access = {.code = code,
                            .memory = &shared,
                            .mask = 1,
                            .reads = true,
                            .function = warp->paths.v[warp->current].function};
    if (!matrix_lanes(warp, code, mask) || !load_a(warp, code, &access, &o))
        return;
    bool adds = *(const uint32_t *)warp_register_lanes(warp, code->s[1]) & 1;
    memset(&o.zero, 0, sizeof o.zero);
    for (uint32_t r = 0; r < p->b.registers; r++)
        o.registers[WARPGROUP_B_AT + r] = &o.b[r];
    o.registers[WARPGROUP_BITS_AT] =
        p->sparse ? warp_register_lanes(warp, code->list->slot[what->bits_at]) : NULL;
    for (uint32_t block = 0; block < what->blocks; block++) {
        if (!load_b(warp, code, &access, block, &o))
            return;
        for (uint32_t r = 0; r < p->d.registers; r++) {
            uint32_t slot = code->list->slot[block * p->d.registers + r];
            o.registers[WARPGROUP_D_AT + r] = warp_register_lanes(warp, slot);
            o.registers[WARPGROUP_C_AT + r] = adds ? o.registers[WARPGROUP_D_AT + r] : &o.zero;
        }
        warp->program->lanes->matrix->multiply(p, code, o.registers);
    }
}

enum step_result step_warpgroup_product(struct warp *warp, struct path *path,
                                        const struct code *code, uint32_t mask)
{
    struct touched *touched = warp->touched;
    warp->touched = NULL; // its time is that of the matrix unit
    enum step_result result = matrix_warp_sync(warp, path, code, mask, multiply);
    warp->touched = touched;
    return result;
}
