// mov: copies lanes, packs them from parts, and extracts parts.
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/lanes/convert.h"

LANES_2(pack_2_2, uint32_t, uint16_t, uint16_t, a | (uint32_t)b << 16)
LANES_2(pack_2_4, uint64_t, uint32_t, uint32_t, a | (uint64_t)b << 32)

static void pack(const struct code *code, void *d, const void *const *s)
{
    uint32_t part = code->width / code->source_count;
    uint8_t *to = d;
    for (uint32_t k = 0; k < code->source_count; k++)
        for (uint32_t i = 0; i < LANES; i++)
            memcpy(to + i * code->width + k * part, (const uint8_t *)s[k] + i * part, part);
}

#define EXTRACT(name, T, U)                                                                        \
    static void name(void *d, const void *s, uint32_t index)                                       \
    {                                                                                              \
        T *to = d;                                                                                 \
        const U *from = s;                                                                         \
        EACH_LANE to[i] = (T)(from[i] >> index * 8 * sizeof(T));                                   \
    }
EXTRACT(extract_4_8, uint32_t, uint64_t)
EXTRACT(extract_2_8, uint16_t, uint64_t)
EXTRACT(extract_2_4, uint16_t, uint32_t)
#undef EXTRACT

// code->round is the size of the whole in bytes.
static void extract_piece(const struct code *code, void *d, const void *s)
{
    uint32_t index = (uint32_t)(code->value >> MOVE_INDEX_SHIFT);
    uint32_t whole = code->round, part = code->width;
    if (whole == 8 && part == 4)
        extract_4_8(d, s, index);
    else if (whole == 8 && part == 2)
        extract_2_8(d, s, index);
    else if (whole == 4 && part == 2)
        extract_2_4(d, s, index);
    else
        for (uint32_t i = 0; i < LANES; i++)
            memcpy((uint8_t *)d + i * part, (const uint8_t *)s + i * whole + index * part, part);
}

static void move_lanes(const struct code *code, void *d, const void *const *s)
{
    switch ((uint8_t)code->value) {
    case MOVE_COPY: memmove(d, s[0], lanes_bytes(code->width)); break;
    case MOVE_EXTRACT: extract_piece(code, d, s[0]); break;
    default:
        if (code->source_count == 2 && code->width == 8)
            pack_2_4(code, d, s);
        else if (code->source_count == 2 && code->width == 4)
            pack_2_2(code, d, s);
        else
            pack(code, d, s);
    }
}

const struct exec_row NAMED(rows_move)[] = {
    {OP_mov, NULL, NULL, 0, .lanes = move_lanes, .prepare = prepare_move},
    {0},
};
