// Inner loops of loads and stores.
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/lanes/memory_ops.h"

static struct span span_of_all(const uint64_t *address)
{
    int64_t min = INT64_MAX, max = INT64_MIN;
    uint64_t bits = 0, sign = UINT64_C(1) << 63;
    EACH_LANE
    {
        int64_t at = (int64_t)(address[i] ^ sign); // compares unsigned numbers with a signed
                                                   // comparison
        min = at < min ? at : min;
        max = at > max ? at : max;
        bits |= address[i];
    }
    return (struct span){(uint64_t)min ^ sign, (uint64_t)max ^ sign, bits};
}

static struct span span(const uint64_t *address, uint32_t mask)
{
    if (mask == FULL_MASK)
        return span_of_all(address);
    uint64_t some[LANES], one = address[__builtin_ctz(mask)];
    EACH_LANE some[i] = mask >> i & 1 ? address[i] : one;
    return span_of_all(some);
}

// Addresses of 32 bits need half of the work.
static struct span narrow_addresses(uint64_t *address, const uint32_t *base, uint32_t offset)
{
    uint32_t min = UINT32_MAX, max = 0, bits = 0;
    EACH_LANE
    {
        uint32_t at = base[i] + offset;
        min = at < min ? at : min;
        max = at > max ? at : max;
        bits |= at;
        address[i] = at;
    }
    return (struct span){min, max, bits};
}

static struct span addresses(uint64_t *address, const void *base, uint32_t base_width,
                             uint64_t offset, uint32_t mask)
{
    const uint64_t *wide = base;
    if (base_width == 4) {
        struct span all = narrow_addresses(address, base, (uint32_t)offset);
        return mask == FULL_MASK ? all : span(address, mask);
    }
    if (base_width == 8) {
        EACH_LANE address[i] = wide[i] + offset;
        return span(address, mask);
    }
    EACH_LANE address[i] = offset;
    return (struct span){offset, offset, offset};
}

static bool in_a_row(const uint64_t *address, uint64_t bytes)
{
    if (address[LANES - 1] - address[0] != (LANES - 1) * bytes)
        return false;
    uint64_t other = 0;
    EACH_LANE other |= (address[i] - address[0]) ^ (uint64_t)i * bytes;
    return !other;
}

// Returns the position that address 0 would have. It is not a pointer, since it need not be in an
// object.
static inline uintptr_t start_of(const void *host, uint64_t min)
{
    return (uintptr_t)host - (uintptr_t)min;
}

static inline void *memory_at(uintptr_t start, uint64_t address)
{
    return (void *)(start + (uintptr_t)address);
}

// Recognises groups of eight lanes whose addresses are consecutive or equal. Rows of tiles and
// broadcasts look like this. The test takes less time than single loads.
enum { GROUP = 8 };
enum row_pattern { PATTERN_NONE, PATTERN_ROWS, PATTERN_SAME };

static enum row_pattern find_pattern(const uint64_t *address, uint64_t bytes)
{
    uint64_t row = 0, same = 0;
    EACH_LANE
    {
        uint64_t offset = address[i] - address[i & ~(GROUP - 1)];
        same |= offset;
        row |= offset ^ (uint64_t)(i & (GROUP - 1)) * bytes;
    }
    return !row ? PATTERN_ROWS : !same ? PATTERN_SAME : PATTERN_NONE;
}

static void load_rows(uint32_t *to, uintptr_t start, const uint64_t *address)
{
    for (int i = 0; i < LANES; i += GROUP)
        memcpy(to + i, memory_at(start, address[i]), GROUP * sizeof *to);
}

static void load_same(uint32_t *to, uintptr_t start, const uint64_t *address)
{
    for (int i = 0; i < LANES; i += GROUP) {
        uint32_t value;
        memcpy(&value, memory_at(start, address[i]), sizeof value);
        for (int k = 0; k < GROUP; k++)
            to[i + k] = value;
    }
}

// Loads lanes of type L from memory of type M, with the conversion of C.
#define GATHER(name, L, M)                                                                         \
    static void name(void *lanes, uintptr_t start, const uint64_t *address, uint32_t mask)         \
    {                                                                                              \
        L *to = lanes;                                                                             \
        M value;                                                                                   \
        if (mask == FULL_MASK) {                                                                   \
            for (int i = 0; i < LANES; i++) {                                                      \
                memcpy(&value, memory_at(start, address[i]), sizeof value);                        \
                to[i] = (L)value;                                                                  \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (; mask; mask &= mask - 1) {                                                           \
            int i = __builtin_ctz(mask);                                                           \
            memcpy(&value, memory_at(start, address[i]), sizeof value);                            \
            to[i] = (L)value;                                                                      \
        }                                                                                          \
    }
#define SCATTER(name, L, M)                                                                        \
    static void name(const void *lanes, uintptr_t start, const uint64_t *address, uint32_t mask)   \
    {                                                                                              \
        const L *from = lanes;                                                                     \
        for (; mask; mask &= mask - 1) {                                                           \
            int i = __builtin_ctz(mask);                                                           \
            M value = (M)from[i];                                                                  \
            memcpy(memory_at(start, address[i]), &value, sizeof value);                            \
        }                                                                                          \
    }
__extension__ typedef unsigned __int128 wide;
#define FROM_EACH(F, lane, L)                                                                      \
    F(lane##_u8, L, uint8_t)                                                                       \
    F(lane##_u16, L, uint16_t)                                                                     \
    F(lane##_u32, L, uint32_t) F(lane##_u64, L, uint64_t) F(lane##_u128, L, wide)
FROM_EACH(GATHER, load_8, uint8_t)
FROM_EACH(GATHER, load_16, uint16_t)
FROM_EACH(GATHER, load_32, uint32_t)
FROM_EACH(GATHER, load_64, uint64_t)
FROM_EACH(GATHER, load_128, wide)
GATHER(load_16_s8, uint16_t, int8_t)
GATHER(load_32_s8, uint32_t, int8_t)
GATHER(load_64_s8, uint64_t, int8_t)
GATHER(load_32_s16, uint32_t, int16_t)
GATHER(load_64_s16, uint64_t, int16_t)
GATHER(load_64_s32, uint64_t, int32_t)
FROM_EACH(SCATTER, store_8, uint8_t)
FROM_EACH(SCATTER, store_16, uint16_t)
FROM_EACH(SCATTER, store_32, uint32_t)
FROM_EACH(SCATTER, store_64, uint64_t)
FROM_EACH(SCATTER, store_128, wide)

typedef void gather_fn(void *lanes, uintptr_t start, const uint64_t *address, uint32_t mask);
typedef void scatter_fn(const void *lanes, uintptr_t start, const uint64_t *address, uint32_t mask);

// Indexed by the bytes of a lane and the bytes in memory: 1, 2, 4, 8, 16.
#define OF_LANE(lane)                                                                              \
    {                                                                                              \
        lane##_u8, lane##_u16, lane##_u32, lane##_u64, lane##_u128                                 \
    }
static gather_fn *const gathers[5][5] = {OF_LANE(load_8), OF_LANE(load_16), OF_LANE(load_32),
                                         OF_LANE(load_64), OF_LANE(load_128)};
static scatter_fn *const scatters[5][5] = {OF_LANE(store_8), OF_LANE(store_16), OF_LANE(store_32),
                                           OF_LANE(store_64), OF_LANE(store_128)};
static gather_fn *const signed_gathers[5][5] = {
    OF_LANE(load_8),
    {load_16_s8, load_16_u16, load_16_u32, load_16_u64, load_16_u128},
    {load_32_s8, load_32_s16, load_32_u32, load_32_u64, load_32_u128},
    {load_64_s8, load_64_s16, load_64_s32, load_64_u64, load_64_u128},
    OF_LANE(load_128),
};

static void load(void *lanes, uint32_t width, const uint8_t *host, uint64_t min,
                 const uint64_t *address, uint32_t mask, uint32_t bytes, bool sign)
{
    int lane = __builtin_ctz(width), memory = __builtin_ctz(bytes);
    enum row_pattern pattern =
        mask == FULL_MASK && width == 4 && bytes == 4 ? find_pattern(address, bytes) : PATTERN_NONE;
    if (pattern == PATTERN_ROWS)
        load_rows(lanes, start_of(host, min), address);
    else if (pattern == PATTERN_SAME)
        load_same(lanes, start_of(host, min), address);
    else if (mask == FULL_MASK && width == bytes && in_a_row(address, bytes))
        memcpy(lanes, host, (size_t)LANES * bytes);
    else
        (sign ? signed_gathers : gathers)[lane][memory](lanes, start_of(host, min), address, mask);
}

static void store(const void *lanes, uint32_t width, uint8_t *host, uint64_t min,
                  const uint64_t *address, uint32_t mask, uint32_t bytes)
{
    int lane = __builtin_ctz(width), memory = __builtin_ctz(bytes);
    if (mask == FULL_MASK && width == bytes && in_a_row(address, bytes))
        memcpy(host, lanes, (size_t)LANES * bytes);
    else
        scatters[lane][memory](lanes, start_of(host, min), address, mask);
}

#define BLEND(member)                                                                              \
    EACH_LANE to->member[i] = mask >> i & 1 ? from->member[i] : to->member[i];                     \
    break

// The slot of a predicate has only the alignment of a word.
static void blend_predicate(uint32_t *to, const uint32_t *from, uint32_t mask)
{
    *to = (*to & ~mask) | (*from & mask);
}

static void blend(void *result, const void *lanes, uint32_t mask, uint32_t width)
{
    union lanes *to = result;
    const union lanes *from = lanes;
    switch (width) {
    case WIDTH_PREDICATE: blend_predicate(result, lanes, mask); break;
    case 1: BLEND(u8);
    case 2: BLEND(u16);
    case 4: BLEND(u32);
    case 8: BLEND(u64);
    default:
        for (; mask; mask &= mask - 1)
            memcpy(to->u128[__builtin_ctz(mask)], from->u128[__builtin_ctz(mask)], 16);
    }
}

const struct memory_ops NAMED(memory_ops) = {addresses, span, in_a_row, load, store, blend};
