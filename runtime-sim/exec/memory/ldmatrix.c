#include "runtime-sim/exec/memory/ldmatrix.h"
#include "runtime-sim/exec/memory/access.h"
#include <string.h>

// Rows. Elements of less than a byte are stored from the lowest bits up.

#define READ_WHOLE(T)                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                         \
        T value;                                                                                   \
        memcpy(&value, line + i * sizeof value, sizeof value);                                     \
        to[i * step] = value;                                                                      \
    }                                                                                              \
    break

static void read_line(const uint8_t *line, uint32_t count, uint32_t bits, uint64_t *to,
                      uint32_t step)
{
    switch (bits) {
    case 8: READ_WHOLE(uint8_t);
    case 16: READ_WHOLE(uint16_t);
    case 32: READ_WHOLE(uint32_t);
    case 64: READ_WHOLE(uint64_t);
    default:
        for (uint32_t i = 0; i < count; i++)
            to[i * step] = line[i * bits / 8] >> (i * bits % 8) & ((1u << bits) - 1);
    }
}

#define WRITE_WHOLE(T)                                                                             \
    for (uint32_t i = 0; i < count; i++) {                                                         \
        T value = (T)from[i * step];                                                               \
        memcpy(line + i * sizeof value, &value, sizeof value);                                     \
    }                                                                                              \
    break

static void write_line(uint8_t *line, uint32_t count, uint32_t bits, const uint64_t *from,
                       uint32_t step)
{
    switch (bits) {
    case 16: WRITE_WHOLE(uint16_t);
    case 32: WRITE_WHOLE(uint32_t);
    default: WRITE_WHOLE(uint64_t);
    }
}

static uint32_t line_bytes(const struct matrix_memory *matrix)
{
    return (uint32_t)matrix->length * matrix->fragment.bits / 8;
}

// Computes the addresses of the lines, in the lanes with the lines' numbers.
static void begin(struct warp *warp, const struct code *code, struct access *access)
{
    const struct matrix_memory *matrix = code->extra;
    access_addresses(warp, &warp->paths.v[warp->current], code, matrix->memory, FULL_MASK,
                     line_bytes(matrix), access);
    if (!matrix->stride_bits)
        return;
    const union lanes *stride = warp_register_lanes(warp, code->s[0]);
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
    access.reads = true;
    for (uint32_t line = 0; line < matrix->lines; line++) {
        struct spot spot;
        if (!access_find(warp, &access, line, line_bytes(matrix), matrix->align, &spot))
            return;
        read_line(spot.host, matrix->length, matrix->fragment.bits,
                  bits + line * (matrix->columns ? 1 : matrix->length),
                  matrix->columns ? matrix->lines : 1);
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
        write_line(spot.host, matrix->length, matrix->fragment.bits,
                   bits + line * (matrix->columns ? 1 : matrix->length),
                   matrix->columns ? matrix->lines : 1);
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
        return matrix_warp_sync(warp, path, code, mask, fn);                                       \
    }
MATRIX_STEP(step_matrix_load, load)
MATRIX_STEP(step_matrix_store, store)
MATRIX_STEP(step_movmatrix, transpose)
