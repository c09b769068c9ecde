// Arrays of texels: rows in device memory, layers or slices after each other, and mipmapped arrays,
// whose levels follow each other.
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/copies.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/exec/memory/texture.h"

enum { ROW_ALIGN = 32, ELEMENT_MAX = 16, ARRAY_ALIGNMENT = 512, MAX_LEVELS = 32 };

struct cuda_array *array_of(struct cuda *cuda, const void *handle)
{
    for (uint32_t i = 0; i < cuda->textures.arrays.n; i++)
        if (cuda->textures.arrays.v[i] == handle)
            return cuda->textures.arrays.v[i];
    return NULL;
}

struct cuda_mipmap *mipmap_of(struct cuda *cuda, const void *handle)
{
    for (uint32_t i = 0; i < cuda->textures.mipmaps.n; i++)
        if (cuda->textures.mipmaps.v[i] == handle)
            return cuda->textures.mipmaps.v[i];
    return NULL;
}

uint32_t array_layers(const struct cuda_array *array)
{
    return array->flags & (ARRAY_LAYERED | ARRAY_CUBEMAP) ? (uint32_t)array->extent.depth : 0;
}

struct cuda_side array_side(const struct cuda_array *array, uint64_t x, uint64_t y, uint64_t z)
{
    return (struct cuda_side){.on_device = true,
                              .address = array->address + z * array->slice + y * array->pitch + x,
                              .pitch = array->pitch,
                              .slice = array->slice};
}

static uint64_t element_bytes(const struct cuda_channels *channels)
{
    return (uint64_t)(channels->x + channels->y + channels->z + channels->w) / 8;
}

// Returns an error for a shape that an array with these flags cannot have.
static int check_shape(struct cuda *cuda, const struct cuda_channels *channels,
                       struct cuda_extent extent, unsigned flags)
{
    uint64_t element = element_bytes(channels);
    bool is_cube = flags & ARRAY_CUBEMAP, is_layered = flags & ARRAY_LAYERED;
    if (flags & ~(ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER))
        return cuda_not_supported(cuda, "sparse arrays and those for graphics");
    if (channels->kind >= CHANNEL_COMPRESSED)
        return cuda_not_supported(cuda, "compressed arrays");
    if (!element || element > ELEMENT_MAX || !extent.width || extent.width > 1 << 30 ||
        extent.height > 1 << 20 || extent.depth > 1 << 20)
        return cudaErrorInvalidValue;
    if ((is_cube || is_layered) && !extent.depth)
        return cudaErrorInvalidValue;
    if (is_cube &&
        (extent.width != extent.height || extent.depth % 6 || (!is_layered && extent.depth != 6)))
        return cudaErrorInvalidValue;
    return !is_cube && !is_layered && extent.depth && !extent.height ? cudaErrorInvalidValue
                                                                     : cudaSuccess;
}

// Allocates the memory of an array, or of all levels of a mipmapped array.
static int allocate(struct cuda *cuda, struct cuda_array *levels, uint32_t count)
{
    const struct cuda_array *first = &levels[0];
    uint32_t layers = array_layers(first);
    struct texels texels[MAX_LEVELS] = {{.width = (uint32_t)first->extent.width,
                                         .height = (uint32_t)first->extent.height,
                                         .depth = layers ? 0 : (uint32_t)first->extent.depth}};
    uint64_t bytes =
        texels_lay_out(texels, count, layers ? layers : 1, (uint32_t)first->element, ROW_ALIGN);
    uint64_t address;
    int error = cuda_memory_allocate(cuda, KIND_ARRAY, bytes, &address);
    for (uint32_t i = 0; i < count && !error; i++) {
        levels[i] = *first;
        levels[i].extent = (struct cuda_extent){texels[i].width, texels[i].height,
                                                layers ? layers : texels[i].depth};
        levels[i].address = address + texels[i].address;
        levels[i].pitch = texels[i].pitch;
        levels[i].slice = texels[i].slice;
        vec_push(&cuda->arena, &cuda->textures.arrays, &levels[i]);
    }
    return error;
}

int array_create(struct cuda *cuda, void **to, const struct cuda_channels *channels,
                 struct cuda_extent extent, unsigned flags)
{
    int error = check_shape(cuda, channels, extent, flags);
    if (error)
        return error;
    struct cuda_array *array = ARENA_NEW(&cuda->arena, struct cuda_array);
    *array = (struct cuda_array){.channels = *channels,
                                 .extent = extent,
                                 .flags = flags,
                                 .element = element_bytes(channels)};
    error = allocate(cuda, array, 1);
    if (!error)
        *to = array;
    return error;
}

int mipmap_create(struct cuda *cuda, void **to, const struct cuda_channels *channels,
                  struct cuda_extent extent, unsigned levels, unsigned flags)
{
    int error = check_shape(cuda, channels, extent, flags);
    if (error)
        return error;
    bool has_layers = flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
    uint32_t most = texels_levels((uint32_t)extent.width, (uint32_t)extent.height,
                                  has_layers ? 0 : (uint32_t)extent.depth);
    uint32_t count = levels < 1 ? 1 : levels > most ? most : levels;
    struct cuda_mipmap *mipmap = ARENA_NEW(&cuda->arena, struct cuda_mipmap);
    mipmap->count = count;
    mipmap->levels = ARENA_ARRAY(&cuda->arena, struct cuda_array, count);
    mipmap->levels[0] = (struct cuda_array){.channels = *channels,
                                            .extent = extent,
                                            .flags = flags,
                                            .element = element_bytes(channels),
                                            .is_level = true};
    error = allocate(cuda, mipmap->levels, count);
    if (error)
        return error;
    mipmap->address = mipmap->levels[0].address;
    vec_push(&cuda->arena, &cuda->textures.mipmaps, mipmap);
    *to = mipmap;
    return cudaSuccess;
}

static void forget_array(struct cuda *cuda, const struct cuda_array *array)
{
    for (uint32_t i = 0; i < cuda->textures.arrays.n; i++)
        if (cuda->textures.arrays.v[i] == array)
            cuda->textures.arrays.v[i] = cuda->textures.arrays.v[--cuda->textures.arrays.n];
}

static int release(struct cuda *cuda, void *handle)
{
    struct cuda_array *array = array_of(cuda, handle);
    if (!handle)
        return cudaSuccess;
    if (!array)
        return cudaErrorContextIsDestroyed;
    if (array->is_level)
        return cudaErrorInvalidValue;
    forget_array(cuda, array);
    return cuda_memory_free(cuda, array->address, 1u << KIND_ARRAY);
}

static int release_mipmap(struct cuda *cuda, void *handle)
{
    struct cuda_mipmap *mipmap = mipmap_of(cuda, handle);
    if (!handle)
        return cudaSuccess;
    if (!mipmap)
        return cudaErrorContextIsDestroyed;
    for (uint32_t i = 0; i < cuda->textures.mipmaps.n; i++)
        if (cuda->textures.mipmaps.v[i] == mipmap)
            cuda->textures.mipmaps.v[i] = cuda->textures.mipmaps.v[--cuda->textures.mipmaps.n];
    for (uint32_t i = 0; i < mipmap->count; i++)
        forget_array(cuda, &mipmap->levels[i]);
    return cuda_memory_free(cuda, mipmap->address, 1u << KIND_ARRAY);
}

CUDA_API(cudaMallocArray, void **array, const struct cuda_channels *channels, size_t width,
         size_t height, unsigned flags)
{
    CUDA_NEEDS(array && channels);
    return CUDA_DO(
        array_create(cuda, array, channels, (struct cuda_extent){width, height, 0}, flags));
}

CUDA_API(cudaMalloc3DArray, void **array, const struct cuda_channels *channels,
         struct cuda_extent extent, unsigned flags)
{
    CUDA_NEEDS(array && channels);
    return CUDA_DO(array_create(cuda, array, channels, extent, flags));
}

CUDA_API(cudaFreeArray, void *array)
{
    return CUDA_DO(release(cuda, array));
}

CUDA_API(cudaMallocMipmappedArray, void **mipmap, const struct cuda_channels *channels,
         struct cuda_extent extent, unsigned levels, unsigned flags)
{
    CUDA_NEEDS(mipmap && channels);
    return CUDA_DO(mipmap_create(cuda, mipmap, channels, extent, levels, flags));
}

CUDA_API(cudaFreeMipmappedArray, void *mipmap)
{
    return CUDA_DO(release_mipmap(cuda, mipmap));
}

static int get_level(struct cuda *cuda, void **level, const void *handle, unsigned number)
{
    const struct cuda_mipmap *mipmap = mipmap_of(cuda, handle);
    if (!mipmap || number >= mipmap->count)
        return mipmap ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *level = &mipmap->levels[number];
    return cudaSuccess;
}

CUDA_API(cudaGetMipmappedArrayLevel, void **level, const void *mipmap, unsigned number)
{
    CUDA_NEEDS(level);
    return CUDA_DO(get_level(cuda, level, mipmap, number));
}

static int get_needs(struct cuda *cuda, struct cuda_array_needs *needs, const void *handle)
{
    const struct cuda_mipmap *mipmap = mipmap_of(cuda, handle);
    const struct cuda_array *array = mipmap ? mipmap->levels : array_of(cuda, handle);
    const struct cuda_memory *memory = array ? cuda_memory_at(cuda, array->address) : NULL;
    if (!memory)
        return cudaErrorInvalidResourceHandle;
    *needs = (struct cuda_array_needs){.bytes = memory->bytes, .alignment = ARRAY_ALIGNMENT};
    return cudaSuccess;
}

CUDA_API(cudaArrayGetMemoryRequirements, struct cuda_array_needs *needs, void *array, int device)
{
    CUDA_NEEDS(needs);
    (void)device;
    return CUDA_DO(get_needs(cuda, needs, array));
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

// Returns the bytes of a copy that fit into the current row of an array.
static size_t row_rest(const struct cuda_array *array, size_t at)
{
    size_t row = array->extent.width * array->element;
    return row - at % row;
}

static struct cuda_side side_of_byte(const struct cuda_array *array, size_t at)
{
    size_t row = array->extent.width * array->element;
    return array_side(array, at % row, at / row, 0);
}

static int copy_piece(struct cuda *cuda, const struct array_bytes *from, size_t width, void *stream,
                      bool waits)
{
    const struct cuda_array *array = array_of(cuda, from->array);
    void *at = (void *)array->address; // only marks this side as the device's
    struct cuda_copy copy = {.width = width, .height = 1, .depth = 1};
    struct cuda_side *own = from->to_array ? &copy.to : &copy.from;
    struct cuda_side *other = from->to_array ? &copy.from : &copy.to;
    int error = from->is_array ? cudaSuccess
                : from->to_array
                    ? copy_sides(cuda, &copy, at, width, from->other, width, from->kind)
                    : copy_sides(cuda, &copy, (void *)from->other, width, at, width, from->kind);
    *own = side_of_byte(array, from->at);
    if (from->is_array)
        *other = side_of_byte(array_of(cuda, from->other), from->other_at);
    return error ? error : copy_issue(cuda, &copy, stream, waits);
}

int array_copy_bytes(struct cuda *cuda, const struct array_bytes *all, void *stream, bool waits)
{
    struct array_bytes from = *all;
    const struct cuda_array *array = array_of(cuda, from.array);
    const struct cuda_array *other = from.is_array ? array_of(cuda, from.other) : NULL;
    if (!array || (from.is_array && !other))
        return cudaErrorInvalidResourceHandle;
    int error = cudaSuccess;
    while (from.bytes && !error) {
        size_t width = from.bytes, rest = row_rest(array, from.at);
        width = width < rest ? width : rest;
        rest = other ? row_rest(other, from.other_at) : width;
        width = width < rest ? width : rest;
        error = copy_piece(cuda, &from, width, stream, waits);
        from.at += width;
        from.bytes -= width;
        if (other)
            from.other_at += width;
        else
            from.other = (const char *)from.other + width;
    }
    return error;
}

// Copies from a byte and row of an array on.
static int copy_bytes(struct cuda *cuda, const void *handle, size_t x, size_t y,
                      struct array_bytes from, void *stream, bool waits)
{
    const struct cuda_array *array = array_of(cuda, handle);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    from.array = handle;
    from.at = y * array->extent.width * array->element + x;
    return array_copy_bytes(cuda, &from, stream, waits);
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
    struct array_bytes of = {.other = from, .to_array = true, .bytes = bytes, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, array, x, y, of, NULL, true));
}

CUDA_API(cudaMemcpyToArrayAsync, void *array, size_t x, size_t y, const void *from, size_t bytes,
         int kind, void *stream)
{
    struct array_bytes of = {.other = from, .to_array = true, .bytes = bytes, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, array, x, y, of, stream, false));
}

CUDA_API(cudaMemcpyFromArray, void *to, const void *array, size_t x, size_t y, size_t bytes,
         int kind)
{
    struct array_bytes of = {.other = to, .to_array = false, .bytes = bytes, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, array, x, y, of, NULL, true));
}

CUDA_API(cudaMemcpyFromArrayAsync, void *to, const void *array, size_t x, size_t y, size_t bytes,
         int kind, void *stream)
{
    struct array_bytes of = {.other = to, .to_array = false, .bytes = bytes, .kind = kind};
    return CUDA_DO(copy_bytes(cuda, array, x, y, of, stream, false));
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

static int copy_array_bytes(struct cuda *cuda, const void *to, size_t to_x, size_t to_y,
                            const void *from, size_t x, size_t y, size_t bytes)
{
    const struct cuda_array *array = array_of(cuda, from);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    struct array_bytes of = {.other = from,
                             .other_at = y * array->extent.width * array->element + x,
                             .is_array = true,
                             .to_array = true,
                             .bytes = bytes};
    return copy_bytes(cuda, to, to_x, to_y, of, NULL, true);
}

CUDA_API(cudaMemcpyArrayToArray, void *to, size_t to_x, size_t to_y, const void *from, size_t x,
         size_t y, size_t bytes, int kind)
{
    (void)kind;
    return CUDA_DO(copy_array_bytes(cuda, to, to_x, to_y, from, x, y, bytes));
}
