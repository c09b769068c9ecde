#include "runtime-sim/exec/ldmatrix.h"
#include "runtime-sim/exec/access.h"
#include <string.h>

// Lines. Elements narrower than a byte stand from the lowest bits up.

static uint64_t read_element(const uint8_t *line, uint32_t index, uint32_t bits)
{
    uint64_t value = 0;
    if (bits < 8)
        return line[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
    memcpy(&value, line + index * (bits / 8), bits / 8);
    return value;
}

static void write_element(uint8_t *line, uint32_t index, uint32_t bits, uint64_t value)
{
    memcpy(line + index * (bits / 8), &value, bits / 8);
}

static uint32_t line_bytes(const struct matrix_memory *matrix)
{
    return (uint32_t)matrix->length * matrix->fragment.bits / 8;
}

static uint32_t element_number(const struct matrix_memory *matrix, uint32_t line, uint32_t index)
{
    return matrix->columns ? index * matrix->lines + line : line * matrix->length + index;
}

// Addresses of the lines, in the lanes of their numbers.
static void begin(struct warp *warp, const struct code *code, struct access *access)
{
    const struct matrix_memory *matrix = code->extra;
    access_addresses(warp, &warp->paths.v[warp->current], code, matrix->memory, FULL_MASK,
                     line_bytes(matrix), access);
    if (!matrix->stride_bits)
        return;
    const union lanes *stride = warp_slot(warp, code->s[0]);
    for (uint32_t i = 0; i < matrix->lines; i++)
        access->address[i] += (uint64_t)i * stride->u32[i] * matrix->stride_bits / 8;
}

static void load(struct warp *warp, const struct code *code, uint32_t mask)
{
    const struct matrix_memory *matrix = code->extra;
    struct access access;
    uint64_t bits[MATRIX_ELEMENTS];
    if (!matrix_lanes(warp, code, mask))
        return;
    begin(warp, code, &access);
    for (uint32_t line = 0; line < matrix->lines; line++) {
        struct spot spot;
        if (!access_find(warp, &access, line, line_bytes(matrix), matrix->align, &spot))
            return;
        for (uint32_t i = 0; i < matrix->length; i++)
            bits[element_number(matrix, line, i)] =
                read_element(spot.host, i, matrix->fragment.bits);
    }
    fragment_scatter(warp, code, &matrix->fragment, bits);
}

static void store(struct warp *warp, const struct code *code, uint32_t mask)
{
    const struct matrix_memory *matrix = code->extra;
    struct access access;
    uint64_t bits[MATRIX_ELEMENTS];
    if (!matrix_lanes(warp, code, mask))
        return;
    fragment_gather(warp, code, &matrix->fragment, bits);
    begin(warp, code, &access);
    access.writes = true;
    for (uint32_t line = 0; line < matrix->lines; line++) {
        struct spot spot;
        if (!access_find(warp, &access, line, line_bytes(matrix), matrix->align, &spot))
            return;
        for (uint32_t i = 0; i < matrix->length; i++)
            write_element(spot.host, i, matrix->fragment.bits,
                          bits[element_number(matrix, line, i)]);
    }
}

static void transpose(struct warp *warp, const struct code *code, uint32_t mask)
{
    const struct matrix_move *move = code->extra;
    uint64_t bits[MATRIX_ELEMENTS];
    if (!matrix_lanes(warp, code, mask))
        return;
    fragment_gather(warp, code, &move->from, bits);
    fragment_scatter(warp, code, &move->to, bits);
}

#define MATRIX_STEP(name, fn)                                                                      \
    enum step_result name(struct warp *warp, struct path *path, const struct code *code,           \
                          uint32_t mask)                                                           \
    {                                                                                              \
        return matrix_meet(warp, path, code, mask, fn);                                            \
    }
MATRIX_STEP(step_matrix_load, load)
MATRIX_STEP(step_matrix_store, store)
MATRIX_STEP(step_movmatrix, transpose)
