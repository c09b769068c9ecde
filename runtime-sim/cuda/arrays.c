// Arrays of texels: contiguous rows in device memory.
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/copies.h"
#include "runtime-sim/cuda/memory.h"

enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8, ROW_ALIGN = 32 };

struct cuda_array *array_of(struct cuda *cuda, const void *handle)
{
    for (uint32_t i = 0; i < cuda->textures.arrays.n; i++)
        if (cuda->textures.arrays.v[i] == handle)
            return cuda->textures.arrays.v[i];
    return NULL;
}

struct cuda_side array_side(const struct cuda_array *array, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t rows = array->extent.height ? array->extent.height : 1;
    uint64_t slice = rows * array->pitch;
    return (struct cuda_side){.on_device = true,
                              .address = array->address + z * slice + y * array->pitch + x,
                              .pitch = array->pitch,
                              .slice = slice};
}

static uint64_t element_bytes(const struct cuda_channels *channels)
{
    return (uint64_t)(channels->x + channels->y + channels->z + channels->w) / 8;
}

static int allocate(struct cuda *cuda, void **to, const struct cuda_channels *channels,
                    struct cuda_extent extent, unsigned flags)
{
    if (flags & ~(ARRAY_SURFACE | ARRAY_GATHER))
        return cuda_not_supported(cuda, "layered, cubemap and sparse arrays");
    uint64_t element = element_bytes(channels);
    if (!element || !extent.width)
        return cudaErrorInvalidValue;
    uint64_t pitch = align_up(extent.width * element, ROW_ALIGN);
    uint64_t rows = (extent.height ? extent.height : 1) * (extent.depth ? extent.depth : 1);
    struct cuda_array *array = ARENA_NEW(&cuda->arena, struct cuda_array);
    *array = (struct cuda_array){.channels = *channels,
                                 .extent = extent,
                                 .flags = flags,
                                 .pitch = pitch,
                                 .element = element};
    int error = cuda_memory_allocate(cuda, KIND_ARRAY, pitch * rows, &array->address);
    if (error)
        return error;
    vec_push(&cuda->arena, &cuda->textures.arrays, array);
    *to = array;
    return cudaSuccess;
}

static int release(struct cuda *cuda, void *handle)
{
    struct cuda_array *array = array_of(cuda, handle);
    if (!handle)
        return cudaSuccess;
    if (!array)
        return cudaErrorContextIsDestroyed;
    for (uint32_t i = 0; i < cuda->textures.arrays.n; i++)
        if (cuda->textures.arrays.v[i] == array)
            cuda->textures.arrays.v[i] = cuda->textures.arrays.v[--cuda->textures.arrays.n];
    return cuda_memory_free(cuda, array->address, 1u << KIND_ARRAY);
}

CUDA_API(cudaMallocArray, void **array, const struct cuda_channels *channels, size_t width,
         size_t height, unsigned flags)
{
    CUDA_NEEDS(array && channels);
    return CUDA_DO(allocate(cuda, array, channels, (struct cuda_extent){width, height, 0}, flags));
}

CUDA_API(cudaMalloc3DArray, void **array, const struct cuda_channels *channels,
         struct cuda_extent extent, unsigned flags)
{
    CUDA_NEEDS(array && channels);
    return CUDA_DO(allocate(cuda, array, channels, extent, flags));
}

CUDA_API(cudaFreeArray, void *array)
{
    return CUDA_DO(release(cuda, array));
}

static int describe(struct cuda *cuda, const void *handle, struct cuda_channels *channels,
                    struct cuda_extent *extent, unsigned *flags)
{
    const struct cuda_array *array = array_of(cuda, handle);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    if (channels)
        *channels = array->channels;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

CUDA_API(cudaArrayGetInfo, struct cuda_channels *channels, struct cuda_extent *extent,
         unsigned *flags, void *array)
{
    return CUDA_DO(describe(cuda, array, channels, extent, flags));
}

CUDA_API(cudaGetChannelDesc, struct cuda_channels *channels, const void *array)
{
    CUDA_NEEDS(channels);
    return CUDA_DO(describe(cuda, array, channels, NULL, NULL));
}

CUDA_EXPORT struct cuda_channels ptxo_cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
struct cuda_channels ptxo_cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct cuda_channels){x, y, z, w, kind};
}

// Copies. Positions are in bytes and rows.

struct array_copy {
    const void *array;
    size_t x, y; // position in the array
    const void *other;
    size_t pitch, width, height;
    bool to_array;
    int kind;
};

static int copy(struct cuda *cuda, const struct array_copy *from, void *stream, bool waits)
{
    const struct cuda_array *array = array_of(cuda, from->array);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    void *at = (void *)array->address; // only marks this side as the device's
    struct cuda_copy copy = {.width = from->width, .height = from->height, .depth = 1};
    int error = from->to_array ? copy_sides(cuda, &copy, at, array->pitch, from->other, from->pitch,
                                            from->kind)
                               : copy_sides(cuda, &copy, (void *)from->other, from->pitch, at,
                                            array->pitch, from->kind);
    *(from->to_array ? &copy.to : &copy.from) = array_side(array, from->x, from->y, 0);
    return error ? error : copy_issue(cuda, &copy, stream, waits);
}

// Copies `bytes` bytes, which may extend over several rows.
static int copy_bytes(struct cuda *cuda, struct array_copy from, size_t bytes, void *stream,
                      bool waits)
{
    const struct cuda_array *array = array_of(cuda, from.array);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    size_t row = array->extent.width * array->element;
    int error = cudaSuccess;
    while (bytes && !error) {
        from.width = bytes < row - from.x ? bytes : row - from.x;
        from.pitch = from.width;
        from.height = 1;
        error = copy(cuda, &from, stream, waits);
        from.other = (const char *)from.other + from.width;
        bytes -= from.width;
        from.x = 0;
        from.y++;
    }
    return error;
}

CUDA_API(cudaMemcpy2DToArray, void *array, size_t x, size_t y, const void *from, size_t pitch,
         size_t width, size_t height, int kind)
{
    struct array_copy of = {array, x, y, from, pitch, width, height, true, kind};
    return CUDA_DO(copy(cuda, &of, NULL, true));
}

CUDA_API(cudaMemcpy2DToArrayAsync, void *array, size_t x, size_t y, const void *from, size_t pitch,
         size_t width, size_t height, int kind, void *stream)
{
    struct array_copy of = {array, x, y, from, pitch, width, height, true, kind};
    return CUDA_DO(copy(cuda, &of, stream, false));
}

CUDA_API(cudaMemcpy2DFromArray, void *to, size_t pitch, const void *array, size_t x, size_t y,
         size_t width, size_t height, int kind)
{
    struct array_copy of = {array, x, y, to, pitch, width, height, false, kind};
    return CUDA_DO(copy(cuda, &of, NULL, true));
}

CUDA_API(cudaMemcpy2DFromArrayAsync, void *to, size_t pitch, const void *array, size_t x, size_t y,
         size_t width, size_t height, int kind, void *stream)
{
    struct array_copy of = {array, x, y, to, pitch, width, height, false, kind};
    return CUDA_DO(copy(cuda, &of, stream, false));
}

CUDA_API(cudaMemcpyToArray, void *array, size_t x, size_t y, const void *from, size_t bytes,
         int kind)
{
    struct array_copy of = {
        .array = array, .x = x, .y = y, .other = from, .to_array = true, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, of, bytes, NULL, true));
}

CUDA_API(cudaMemcpyToArrayAsync, void *array, size_t x, size_t y, const void *from, size_t bytes,
         int kind, void *stream)
{
    struct array_copy of = {
        .array = array, .x = x, .y = y, .other = from, .to_array = true, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, of, bytes, stream, false));
}

CUDA_API(cudaMemcpyFromArray, void *to, const void *array, size_t x, size_t y, size_t bytes,
         int kind)
{
    struct array_copy of = {.array = array, .x = x, .y = y, .other = to, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, of, bytes, NULL, true));
}

CUDA_API(cudaMemcpyFromArrayAsync, void *to, const void *array, size_t x, size_t y, size_t bytes,
         int kind, void *stream)
{
    struct array_copy of = {.array = array, .x = x, .y = y, .other = to, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, of, bytes, stream, false));
}

static int copy_between(struct cuda *cuda, const void *to, size_t to_x, size_t to_y,
                        const void *from, size_t x, size_t y, size_t width, size_t height)
{
    const struct cuda_array *to_array = array_of(cuda, to), *from_array = array_of(cuda, from);
    if (!to_array || !from_array)
        return cudaErrorInvalidResourceHandle;
    struct cuda_copy copy = {.to = array_side(to_array, to_x, to_y, 0),
                             .from = array_side(from_array, x, y, 0),
                             .width = width,
                             .height = height,
                             .depth = 1};
    return copy_issue(cuda, &copy, NULL, true);
}

CUDA_API(cudaMemcpy2DArrayToArray, void *to, size_t to_x, size_t to_y, const void *from, size_t x,
         size_t y, size_t width, size_t height, int kind)
{
    (void)kind;
    return CUDA_DO(copy_between(cuda, to, to_x, to_y, from, x, y, width, height));
}
