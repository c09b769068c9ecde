// Copies of boxes of a tensor, row by row. A row is a number of adjacent elements of dimension 0;
// elements outside of the tensor are filled when they are read, and skipped when they are written.
#include "runtime-sim/exec/memory/tensor.h"
#include "frontend/isa.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/memory/bulk.h"
#include "runtime-sim/exec/memory/mbarrier.h"
#include "runtime-sim/exec/memory/tensor_map.h"
#include "runtime-sim/exec/warp/cta.h"
#include <inttypes.h>
#include <string.h>

enum { CHUNK = 16, HALF = 8, SHARED_ALIGN = 128, ROWS = 4 };

static const struct type_row {
    uint16_t word;
    uint8_t bytes;
} types[TENSOR_TYPE_COUNT] = {
#define TENSOR_TYPE(name, word, bytes) [TENSOR_TYPE_##name] = {W_##word, bytes},
    TENSOR_TYPES(TENSOR_TYPE)
#undef TENSOR_TYPE
};

uint32_t tensor_type_bytes(uint8_t type)
{
    return types[type].bytes;
}

// The pattern repeats after `rows` rows of 128 bytes; units of 2^shift bytes are exchanged.
uint32_t tensor_swizzled(const struct tensor_map *map, uint32_t address)
{
    static const struct {
        uint8_t rows, shift;
    } modes[] = {{1, 4}, {2, 4}, {4, 4}, {8, 4}, {2, 4}},
      atoms[] = {{8, 4}, {4, 5}, {4, 5}, {2, 6}};
    bool by_atom = map->swizzle == SWIZZLE_128;
    uint32_t rows = by_atom ? atoms[map->atomicity].rows : modes[map->swizzle].rows;
    uint32_t shift = by_atom ? atoms[map->atomicity].shift : modes[map->swizzle].shift;
    uint32_t row = address >> 7;
    bool flips = by_atom && map->atomicity == ATOMICITY_32_FLIP;
    return address ^ (row & (rows - 1)) << shift ^ (flips ? (row & 1) * HALF : 0);
}

// A copy of one lane.
struct tensor_copy {
    struct warp *warp;
    const struct code *code;
    const struct tensor_code *what;
    uint32_t lane;
    struct tensor_map map;
    int64_t at[TENSOR_RANK]; // coordinates
    int64_t offset[TENSOR_RANK];
    struct access global;
    struct cta
        *targets[CLUSTER_CTAS]; // CTAs whose shared memory is written, or the one that is read
    uint32_t target_count;
    uint32_t shared; // next address in shared memory
    uint64_t fill;   // bits of an element outside
    const struct atomic_op *op;
};

static bool refuse(const struct tensor_copy *copy, const char *reason)
{
    warp_fault(copy->warp, copy->code, 1u << copy->lane, "%s", reason);
    return false;
}

// Elements

static uint64_t fill_of(const struct tensor_map *map)
{
    if (!map->fills_nan)
        return 0;
    switch (map->type) {
    case TENSOR_TYPE_F16:
    case TENSOR_TYPE_BF16: return 0x7fff;
    case TENSOR_TYPE_F64: return UINT64_MAX >> 1;
    default: return 0x7fffffff;
    }
}

static bool flushes(const struct tensor_map *map)
{
    return map->type == TENSOR_TYPE_F32_FTZ || map->type == TENSOR_TYPE_TF32_FTZ;
}

// Replaces subnormal numbers by zeros with their signs.
static void flush_subnormals(uint8_t *chunk)
{
    for (uint32_t i = 0; i < CHUNK; i += 4) {
        uint32_t bits;
        memcpy(&bits, chunk + i, 4);
        bits = bits & 0x7f800000 ? bits : bits & 0x80000000;
        memcpy(chunk + i, &bits, 4);
    }
}

// Moves the bytes [from, to) of a chunk between global memory, where `host` has byte `from`, and
// shared memory.
static void move_chunk(const struct tensor_copy *copy, uint8_t *host, uint32_t from, uint32_t to)
{
    uint32_t size = types[copy->map.type].bytes;
    uint32_t low = tensor_swizzled(&copy->map, copy->shared);
    uint32_t high = tensor_swizzled(&copy->map, copy->shared + HALF);
    uint8_t chunk[CHUNK], old[HALF];
    if (copy->what->action == TENSOR_LOAD) {
        for (uint32_t i = 0; i < CHUNK; i += size)
            memcpy(chunk + i, &copy->fill, size);
        if (to > from)
            memcpy(chunk + from, host, to - from);
        if (flushes(&copy->map))
            flush_subnormals(chunk);
        for (uint32_t i = 0; i < copy->target_count; i++) {
            memcpy(copy->targets[i]->shared + low, chunk, HALF);
            memcpy(copy->targets[i]->shared + high, chunk + HALF, HALF);
        }
        return;
    }
    memcpy(chunk, copy->targets[0]->shared + low, HALF);
    memcpy(chunk + HALF, copy->targets[0]->shared + high, HALF);
    if (copy->what->action == TENSOR_STORE && to > from)
        memcpy(host, chunk + from, to - from);
    for (uint32_t i = from; copy->what->action == TENSOR_REDUCE && i < to; i += size)
        atomic_in(copy->op, W_global)(host + i - from, chunk + i, chunk + i, old);
}

// Rows

// The elements [from, to) of a row that are in the tensor, and their address.
struct row_part {
    int64_t from, to;
    uint64_t address;
};

static struct row_part clip(const struct tensor_map *map, const int64_t *at, int64_t count)
{
    struct row_part part = {.from = at[0] < 0 ? -at[0] : 0,
                            .to = (int64_t)map->last[0] + 1 - at[0]};
    part.to = part.to < count ? part.to : count;
    for (uint32_t i = 1; i < map->rank; i++)
        if (at[i] < 0 || at[i] > map->last[i])
            part.to = 0;
    if (part.to <= part.from)
        return (struct row_part){0};
    part.address = map->address + (uint64_t)(at[0] + part.from) * types[map->type].bytes;
    for (uint32_t i = 1; i < map->rank; i++)
        part.address += (uint64_t)at[i] * map->stride[i - 1];
    return part;
}

// Copies `count` elements from the coordinates on.
static bool copy_row(struct tensor_copy *copy, const int64_t *at, uint32_t count)
{
    uint32_t size = types[copy->map.type].bytes;
    struct row_part part = clip(&copy->map, at, count);
    uint32_t from = (uint32_t)part.from * size, to = (uint32_t)part.to * size;
    struct spot spot = {0};
    if (to > from) {
        copy->global.address[copy->lane] = part.address;
        if (!access_find(copy->warp, &copy->global, copy->lane, to - from, size, &spot))
            return false;
        bulk_touch(copy->warp, copy->global.writes ? TOUCHED_WRITTEN : TOUCHED_READ,
                   copy->op != NULL, spot.address, to - from);
    }
    if (copy->what->action == TENSOR_PREFETCH)
        return true;
    for (uint32_t i = 0; i < count * size; i += CHUNK, copy->shared += CHUNK) {
        uint32_t first = i > from ? i : from, last = i + CHUNK < to ? i + CHUNK : to;
        if (first >= last)
            first = last = i;
        if (tensor_swizzled(&copy->map, copy->shared) + CHUNK > copy->targets[0]->shared_bytes)
            return refuse(copy, "the swizzled box ends outside of the CTA's shared memory");
        move_chunk(copy, first < last ? spot.host + (first - from) : NULL, first - i, last - i);
    }
    return true;
}

// Boxes

static uint32_t steps_of(const struct tensor_map *map, uint32_t dimension)
{
    uint32_t stride = dimension ? map->element_stride[dimension] : 1;
    return (map->box[dimension] + stride - 1) / stride;
}

static uint32_t rows_of(const struct tensor_copy *copy)
{
    uint32_t rows = 1;
    if (copy->what->mode == TENSOR_ROWS)
        return ROWS;
    if (copy->what->mode == TENSOR_COLUMNS)
        return copy->map.pixels;
    for (uint32_t i = 1; i < copy->map.rank; i++)
        rows *= steps_of(&copy->map, i);
    return rows;
}

static uint32_t row_elements(const struct tensor_copy *copy)
{
    return copy->map.mode == TENSOR_IM2COL ? copy->map.channels : copy->map.box[0];
}

static void row_of_tile(const struct tensor_copy *copy, uint32_t row, int64_t *at)
{
    for (uint32_t i = 1; i < copy->map.rank; i++) {
        uint32_t steps = steps_of(&copy->map, i);
        at[i] = copy->at[i] + (int64_t)(row % steps) * copy->map.element_stride[i];
        row /= steps;
    }
}

// Moves the base of the filter to the next pixel: along dimension 1 first, within the corners; the
// last dimension has none.
static void next_pixel(const struct tensor_map *map, int64_t *base)
{
    for (uint32_t i = 1; i + 1 < map->rank; i++) {
        base[i] += map->element_stride[i];
        if (base[i] <= (int64_t)map->last[i] + map->upper[i - 1])
            return;
        base[i] = map->lower[i - 1];
    }
    base[map->rank - 1]++;
}

static bool copy_rows(struct tensor_copy *copy)
{
    int64_t base[TENSOR_RANK], at[TENSOR_RANK];
    uint32_t rows = rows_of(copy), elements = row_elements(copy);
    memcpy(base, copy->at, sizeof base);
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(at, base, sizeof at);
        if (copy->what->mode == TENSOR_TILE)
            row_of_tile(copy, row, at);
        else if (copy->what->mode == TENSOR_ROWS)
            at[1] = copy->at[1 + row];
        for (uint32_t i = 1; copy->what->mode == TENSOR_COLUMNS && i + 1 < copy->map.rank; i++)
            at[i] += copy->offset[i - 1];
        if (!copy_row(copy, at, elements))
            return false;
        if (copy->what->mode == TENSOR_COLUMNS)
            next_pixel(&copy->map, base);
    }
    return true;
}

// Checks

static const char *find_mismatch(const struct tensor_copy *copy)
{
    const struct tensor_map *map = &copy->map;
    bool columns = copy->what->mode == TENSOR_COLUMNS;
    if (map->rank != copy->what->rank)
        return "the tensor map has another number of dimensions than the instruction";
    if (columns != (map->mode == TENSOR_IM2COL))
        return columns ? "the tensor map is for tiles, the instruction for im2col"
                       : "the tensor map is for im2col, the instruction for tiles";
    if (copy->what->mode == TENSOR_ROWS && map->box[1] != 1)
        return "the box of a map for gather4 and scatter4 must have size 1 in dimension 1";
    if (map->interleave)
        return "interleaved tensor maps are not supported";
    if (row_elements(copy) * types[map->type].bytes % CHUNK)
        return "the rows of the tensor map's box are no multiple of 16 bytes";
    return copy->what->op && !copy->op ? "this reduction does not exist for the tensor's type"
                                       : NULL;
}

static bool read_map(struct tensor_copy *copy, const struct access *access)
{
    struct spot spot;
    if (!access_find(copy->warp, access, copy->lane, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, &spot))
        return false;
    memcpy(&copy->map, spot.host, sizeof copy->map);
    if (copy->map.mark == TENSOR_MAP_MARK && copy->map.type < TENSOR_TYPE_COUNT &&
        copy->map.swizzle <= SWIZZLE_96 && copy->map.atomicity <= ATOMICITY_64 &&
        copy->map.rank >= 1 && copy->map.rank <= TENSOR_RANK)
        return true;
    warp_fault(copy->warp, copy->code, 1u << copy->lane,
               "there is no tensor map at address 0x%" PRIx64, spot.address);
    return false;
}

static int64_t number(const struct tensor_copy *copy, uint32_t n)
{
    return (
        (const int32_t *)warp_register_lanes(copy->warp, copy->code->list->slot[n]))[copy->lane];
}

static void read_numbers(struct tensor_copy *copy)
{
    for (uint32_t i = 0; i < copy->what->coordinates; i++)
        copy->at[i] = number(copy, i);
    for (uint32_t i = 0; i < copy->what->offsets; i++)
        copy->offset[i] = number(copy, copy->what->coordinates + i) & 0xffff;
}

// Finds the CTAs whose shared memory is accessed.
static bool find_targets(struct tensor_copy *copy, const struct access *shared, uint32_t bytes,
                         struct spot *spot)
{
    const struct tensor_code *what = copy->what;
    if (!access_find(copy->warp, shared, copy->lane, bytes, SHARED_ALIGN, spot))
        return false;
    copy->shared = (uint32_t)spot->address;
    copy->targets[copy->target_count++] = spot->cta;
    if (!what->multicast)
        return true;
    const struct cluster *cluster = &copy->warp->cta->cluster;
    uint32_t mask = (uint32_t)number(copy, what->coordinates + what->offsets) & 0xffff;
    for (copy->target_count = 0; mask; mask &= mask - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(mask);
        if (rank >= cluster->count)
            return refuse(copy, "the cluster has no CTA of a number in the mask");
        struct spot other = *spot;
        other.cta = cluster->ctas[rank];
        if (copy->warp->check)
            check_access(copy->warp->check, copy->warp, shared, copy->lane, &other, bytes);
        copy->targets[copy->target_count++] = other.cta;
    }
    return true;
}

static bool complete_barriers(struct tensor_copy *copy, struct access *barrier, uint32_t bytes)
{
    struct spot spot;
    if (!mbarrier_find(copy->warp, barrier, copy->lane, &spot))
        return false;
    for (uint32_t i = 0; i < copy->target_count; i++)
        bulk_arrives(copy->warp, copy->what->multicast ? copy->targets[i] : spot.cta, spot.address,
                     bytes);
    if (copy->warp->check) // waits at these mbarriers are ordered after the copies
        check_order(copy->warp->check, copy->warp, 1u << copy->lane, true);
    return true;
}

// The addresses of an instruction.
struct tensor_access {
    struct access map, shared, barrier;
};

static bool copy_lane(struct warp *warp, const struct code *code, struct tensor_access *access,
                      uint32_t lane)
{
    static const struct memory_code global = {.space = W_global};
    const struct tensor_code *what = code->extra;
    struct tensor_copy copy = {.warp = warp, .code = code, .what = what, .lane = lane};
    struct spot spot;
    if (!read_map(&copy, &access->map))
        return false;
    read_numbers(&copy);
    copy.fill = fill_of(&copy.map);
    copy.op = what->op ? atomic_find(what->op, types[copy.map.type].word) : NULL;
    const char *mismatch = find_mismatch(&copy);
    if (mismatch)
        return refuse(&copy, mismatch);
    copy.global = (struct access){.code = code,
                                  .memory = &global,
                                  .mask = 1u << lane,
                                  .reads = what->action != TENSOR_STORE,
                                  .writes = what->action == TENSOR_STORE || copy.op,
                                  .atomic = copy.op,
                                  .function = access->map.function};
    uint32_t bytes = rows_of(&copy) * row_elements(&copy) * types[copy.map.type].bytes;
    if (what->shared && !find_targets(&copy, &access->shared, bytes, &spot))
        return false;
    return copy_rows(&copy) &&
           (!what->barrier || complete_barriers(&copy, &access->barrier, bytes));
}

static void begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask, struct tensor_access *access)
{
    const struct tensor_code *what = code->extra;
    access_addresses(warp, path, code, what->map, mask, TENSOR_MAP_BYTES, &access->map);
    access->map.reads = true;
    if (what->shared)
        access_addresses(warp, path, code, what->shared, mask, 0, &access->shared);
    access->shared.writes = what->action == TENSOR_LOAD;
    access->shared.reads = !access->shared.writes;
    if (!what->barrier)
        return;
    access_addresses(warp, path, code, what->barrier, mask, 8, &access->barrier);
}

enum step_result step_tensor(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask)
{
    const struct tensor_code *what = code->extra;
    struct touched *touched = warp->touched;
    struct tensor_access access;
    bool done = true;
    if (!mask)
        return STEP_NEXT;
    begin(warp, path, code, mask, &access);
    warp->touched = NULL; // a box may have more rows than parts
    if (warp->bulk)
        warp->bulk->grouped |= what->action == TENSOR_STORE || what->action == TENSOR_REDUCE;
    for (; done && mask; mask &= mask - 1)
        done = copy_lane(warp, code, &access, (uint32_t)__builtin_ctz(mask));
    warp->touched = touched;
    return done ? STEP_NEXT : STEP_FAULT;
}

// tensormap.replace

// Returns false if the field has no such value.
static bool set_field(struct tensor_map *map, const struct tensor_field_code *what, uint64_t value)
{
    switch (what->field) {
    case FIELD_ADDRESS: map->address = value; return true;
    case FIELD_RANK: map->rank = (uint8_t)(value + 1); return value < TENSOR_RANK;
    case FIELD_BOX: map->box[what->index] = (uint16_t)value; return value && value <= TENSOR_BOX;
    case FIELD_SIZE: map->last[what->index] = (uint32_t)(value - 1); return true;
    case FIELD_STRIDE:
        map->stride[what->index % (TENSOR_RANK - 1)] = value;
        return what->index < TENSOR_RANK - 1;
    case FIELD_ELEMENT_STRIDE:
        map->element_stride[what->index] = (uint8_t)value;
        return value && value <= 8;
    case FIELD_TYPE: map->type = (uint8_t)value; return value < TENSOR_TYPE_COUNT;
    case FIELD_INTERLEAVE: map->interleave = (uint8_t)value; return value <= 2;
    case FIELD_SWIZZLE: map->swizzle = (uint8_t)value; return value <= SWIZZLE_96;
    case FIELD_ATOMICITY: map->atomicity = (uint8_t)value; return value <= ATOMICITY_64;
    default: map->fills_nan = (uint8_t)value; return value <= 1;
    }
}

static enum step_result replace_lane(struct warp *warp, const struct code *code,
                                     const struct access *access, uint32_t lane)
{
    const struct tensor_field_code *what = code->extra;
    const void *lanes = warp_register_lanes(warp, code->s[0]);
    uint64_t value =
        code->value == 8 ? ((const uint64_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
    struct tensor_map map;
    struct spot spot;
    if (!access_find(warp, access, lane, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, &spot))
        return STEP_FAULT;
    memcpy(&map, spot.host, sizeof map);
    if (map.mark != TENSOR_MAP_MARK)
        return warp_fault(warp, code, 1u << lane, "there is no tensor map at address 0x%" PRIx64,
                          spot.address);
    if (!set_field(&map, what, value))
        return warp_fault(warp, code, 1u << lane,
                          "the field of the tensor map cannot have the value %" PRIu64, value);
    memcpy(spot.host, &map, sizeof map);
    return STEP_NEXT;
}

enum step_result step_tensor_field(struct warp *warp, struct path *path, const struct code *code,
                                   uint32_t mask)
{
    const struct tensor_field_code *what = code->extra;
    struct access access;
    if (!mask)
        return STEP_NEXT;
    access_addresses(warp, path, code, what->map, mask, TENSOR_MAP_BYTES, &access);
    access.reads = access.writes = true;
    for (; mask; mask &= mask - 1)
        if (replace_lane(warp, code, &access, (uint32_t)__builtin_ctz(mask)) == STEP_FAULT)
            return STEP_FAULT;
    return STEP_NEXT;
}
