// Tensor maps of the driver API.
#include "runtime-sim/cuda/cuda.h"
#include "runtime-sim/exec/memory/tensor_map.h"
#include <string.h>

enum { MAX_STRIDE_BITS = 40, MAX_ELEMENT_STRIDE = 8, MAX_CHANNELS = 256, MAX_PIXELS = 1024 };

// Values of CUtensorMapDataType; those after the last are packed elements.
static const uint8_t types[] = {
    TENSOR_TYPE_U8,      TENSOR_TYPE_U16,  TENSOR_TYPE_U32,      TENSOR_TYPE_S32, TENSOR_TYPE_U64,
    TENSOR_TYPE_S64,     TENSOR_TYPE_F16,  TENSOR_TYPE_F32,      TENSOR_TYPE_F64, TENSOR_TYPE_BF16,
    TENSOR_TYPE_F32_FTZ, TENSOR_TYPE_TF32, TENSOR_TYPE_TF32_FTZ,
};
enum { PACKED_TYPES = 3 };

// Values of CUtensorMapSwizzle.
static const uint8_t swizzles[][2] = {
    {SWIZZLE_NONE, ATOMICITY_16}, {SWIZZLE_32, ATOMICITY_16},  {SWIZZLE_64, ATOMICITY_16},
    {SWIZZLE_128, ATOMICITY_16},  {SWIZZLE_128, ATOMICITY_32}, {SWIZZLE_128, ATOMICITY_32_FLIP},
    {SWIZZLE_128, ATOMICITY_64},
};

// Arguments that both kinds of maps have.
struct tensor_arguments {
    int type;
    uint32_t rank;
    const void *address;
    const uint64_t *sizes, *strides;
    const uint32_t *element_strides;
    int interleave, swizzle, promotion, fill;
};

static bool is_float(uint8_t type)
{
    return type == TENSOR_TYPE_F16 || type == TENSOR_TYPE_BF16 || type == TENSOR_TYPE_F64 ||
           type == TENSOR_TYPE_F32 || type == TENSOR_TYPE_F32_FTZ || type >= TENSOR_TYPE_TF32;
}

static bool is_swizzle_wide_enough(const struct tensor_map *map, uint64_t row_bytes)
{
    static const uint16_t widths[] = {UINT16_MAX, 32, 64, 128};
    return row_bytes <= widths[map->swizzle];
}

static int read_sizes(struct tensor_map *map, const struct tensor_arguments *from)
{
    for (uint32_t i = 0; i < from->rank; i++) {
        if (!from->sizes[i] || from->sizes[i] > UINT64_C(1) << 32)
            return cudaErrorInvalidValue;
        map->last[i] = (uint32_t)(from->sizes[i] - 1);
        uint32_t step = from->element_strides[i];
        if (!step || step > MAX_ELEMENT_STRIDE)
            return cudaErrorInvalidValue;
        map->element_stride[i] = (uint8_t)step;
    }
    for (uint32_t i = 0; i + 1 < from->rank; i++) {
        if (from->strides[i] % 16 || from->strides[i] >> MAX_STRIDE_BITS)
            return cudaErrorInvalidValue;
        map->stride[i] = from->strides[i];
    }
    return cudaSuccess;
}

// Returns cudaErrorNotSupported for layouts that the manual does not define completely.
static int begin_map(struct cuda *cuda, struct tensor_map *map, const struct tensor_arguments *from)
{
    *map = (struct tensor_map){.mark = TENSOR_MAP_MARK, .rank = (uint8_t)from->rank};
    uint32_t type = (uint32_t)from->type, swizzle = (uint32_t)from->swizzle;
    if (type >= ARRAY_LENGTH(types) + PACKED_TYPES || !from->rank || from->rank > TENSOR_RANK ||
        (uintptr_t)from->address % 16 || swizzle >= ARRAY_LENGTH(swizzles) ||
        (uint32_t)from->interleave > 2 || (uint32_t)from->promotion > 3 || (uint32_t)from->fill > 1)
        return cudaErrorInvalidValue;
    if (type >= ARRAY_LENGTH(types) || from->interleave) {
        cuda_complain(cuda, DIAG_ERROR, "tensor maps %s are not supported",
                      from->interleave ? "with an interleaved layout"
                                       : "of packed 4-bit or 6-bit elements");
        return cudaErrorNotSupported;
    }
    map->type = types[type];
    map->swizzle = swizzles[swizzle][0];
    map->atomicity = swizzles[swizzle][1];
    map->address = (uintptr_t)from->address;
    map->fills_nan = (uint8_t)from->fill;
    if (from->fill && !is_float(map->type))
        return cudaErrorInvalidValue;
    return read_sizes(map, from);
}

static int end_map(const struct tensor_map *map, uint64_t row, void *to)
{
    uint64_t bytes = row * tensor_type_bytes(map->type);
    if (bytes % 16 || !is_swizzle_wide_enough(map, bytes))
        return cudaErrorInvalidValue;
    memcpy(to, map, sizeof *map);
    return cudaSuccess;
}

static int encode_tiled(struct cuda *cuda, const struct tensor_arguments *from, const uint32_t *box,
                        void *to)
{
    struct tensor_map map;
    int error = begin_map(cuda, &map, from);
    for (uint32_t i = 0; !error && i < from->rank; i++) {
        if (!box[i] || box[i] > TENSOR_BOX)
            return cudaErrorInvalidValue;
        map.box[i] = (uint16_t)box[i];
    }
    return error ? error : end_map(&map, box[0], to);
}

static int encode_columns(struct cuda *cuda, const struct tensor_arguments *from, const int *lower,
                          const int *upper, uint32_t channels, uint32_t pixels, void *to)
{
    static const int limits[] = {32768, 128, 16};
    struct tensor_map map;
    int error = begin_map(cuda, &map, from);
    if (error || from->rank < 3 || !channels || channels > MAX_CHANNELS || !pixels ||
        pixels > MAX_PIXELS)
        return error ? error : cudaErrorInvalidValue;
    for (uint32_t i = 0; i < from->rank - 2; i++) {
        int limit = limits[from->rank - 3];
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit ||
            lower[i] > (int64_t)map.last[i + 1] + upper[i])
            return cudaErrorInvalidValue;
        map.lower[i] = (int16_t)lower[i];
        map.upper[i] = (int16_t)upper[i];
    }
    map.mode = TENSOR_IM2COL;
    map.channels = (uint16_t)channels;
    map.pixels = (uint16_t)pixels;
    return end_map(&map, channels, to);
}

static int replace_address(void *to, const void *address)
{
    struct tensor_map map;
    memcpy(&map, to, sizeof map);
    if (map.mark != TENSOR_MAP_MARK || (uintptr_t)address % 16)
        return cudaErrorInvalidValue;
    map.address = (uintptr_t)address;
    memcpy(to, &map, sizeof map);
    return cudaSuccess;
}

CUDA_API(cuTensorMapEncodeTiled, void *to, int type, uint32_t rank, void *address,
         const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
         const uint32_t *element_strides, int interleave, int swizzle, int promotion, int fill)
{
    CUDA_NEEDS(to && sizes && box && element_strides && (strides || rank < 2));
    const struct tensor_arguments from = {
        type, rank, address, sizes, strides, element_strides, interleave, swizzle, promotion, fill};
    return CUDA_DO(encode_tiled(cuda, &from, box, to));
}

CUDA_API(cuTensorMapEncodeIm2col, void *to, int type, uint32_t rank, void *address,
         const uint64_t *sizes, const uint64_t *strides, const int *lower, const int *upper,
         uint32_t channels, uint32_t pixels, const uint32_t *element_strides, int interleave,
         int swizzle, int promotion, int fill)
{
    CUDA_NEEDS(to && sizes && strides && lower && upper && element_strides);
    const struct tensor_arguments from = {
        type, rank, address, sizes, strides, element_strides, interleave, swizzle, promotion, fill};
    return CUDA_DO(encode_columns(cuda, &from, lower, upper, channels, pixels, to));
}

CUDA_API(cuTensorMapReplaceAddress, void *to, void *address)
{
    CUDA_NEEDS(to);
    return replace_address(to, address);
}
