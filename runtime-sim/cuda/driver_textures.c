// The driver API: arrays, mipmapped arrays, and texture and surface objects. They are those of the
// runtime library, described by other structures.
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/copies.h"
#include <string.h>

// The driver's numbers of formats, with the runtime's kind and bits. Those of normalised integers
// have a number for each count of channels, as have the runtime's kinds.
static const struct {
    int format, kind, bits, channels; // channels: 0: any
} formats[] = {
    {0x01, CHANNEL_UNSIGNED, 8, 0},     {0x02, CHANNEL_UNSIGNED, 16, 0},
    {0x03, CHANNEL_UNSIGNED, 32, 0},    {0x08, CHANNEL_SIGNED, 8, 0},
    {0x09, CHANNEL_SIGNED, 16, 0},      {0x0a, CHANNEL_SIGNED, 32, 0},
    {0x10, CHANNEL_FLOAT, 16, 0},       {0x20, CHANNEL_FLOAT, 32, 0},
    {0xc0, CHANNEL_UNORM8, 8, 1},       {0xc1, CHANNEL_UNORM8 + 1, 8, 2},
    {0xc2, CHANNEL_UNORM8 + 2, 8, 4},   {0xc3, CHANNEL_UNORM16, 16, 1},
    {0xc4, CHANNEL_UNORM16 + 1, 16, 2}, {0xc5, CHANNEL_UNORM16 + 2, 16, 4},
    {0xc6, CHANNEL_SNORM8, 8, 1},       {0xc7, CHANNEL_SNORM8 + 1, 8, 2},
    {0xc8, CHANNEL_SNORM8 + 2, 8, 4},   {0xc9, CHANNEL_SNORM16, 16, 1},
    {0xca, CHANNEL_SNORM16 + 1, 16, 2}, {0xcb, CHANNEL_SNORM16 + 2, 16, 4},
};

// Returns false for a format that is not supported.
static bool channels_of(int format, unsigned count, struct cuda_channels *to)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(formats); i++) {
        int bits = formats[i].bits;
        unsigned channels = formats[i].channels ? (unsigned)formats[i].channels : count;
        if (formats[i].format != format || channels < 1 || channels > 4 || channels == 3)
            continue;
        *to = (struct cuda_channels){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                     channels > 3 ? bits : 0, formats[i].kind};
        return true;
    }
    return false;
}

static int format_of(const struct cuda_channels *from, unsigned *count)
{
    *count = (unsigned)(!!from->x + !!from->y + !!from->z + !!from->w);
    for (uint32_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (formats[i].kind == from->kind && formats[i].bits == from->x)
            return formats[i].format;
    return 0;
}

// Arrays

static int create_array(struct cuda *cuda, void **array, const struct driver_array3d *from)
{
    struct cuda_channels channels;
    int error = cuda_begin(cuda);
    if (!error && !channels_of(from->format, from->channels, &channels))
        error = cudaErrorInvalidValue;
    struct cuda_extent extent = {from->width, from->height, from->depth};
    return error ? error : array_create(cuda, array, &channels, extent, from->flags);
}

CUDA_API(cuArray3DCreate, void **array, const struct driver_array3d *from)
{
    CUDA_NEEDS(array && from);
    return CUDA_DO(create_array(cuda, array, from));
}

CUDA_API(cuArrayCreate, void **array, const struct driver_array *from)
{
    CUDA_NEEDS(array && from);
    struct driver_array3d full = {.width = from->width,
                                  .height = from->height,
                                  .format = from->format,
                                  .channels = from->channels};
    return CUDA_DO(create_array(cuda, array, &full));
}

static int describe_array(struct cuda *cuda, struct driver_array3d *to, const void *handle)
{
    const struct cuda_array *array = array_of(cuda, handle);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    *to = (struct driver_array3d){.width = array->extent.width,
                                  .height = array->extent.height,
                                  .depth = array->extent.depth,
                                  .flags = array->flags};
    to->format = format_of(&array->channels, &to->channels);
    return cudaSuccess;
}

CUDA_API(cuArray3DGetDescriptor, struct driver_array3d *to, const void *array)
{
    CUDA_NEEDS(to);
    return CUDA_DO(describe_array(cuda, to, array));
}

CUDA_API(cuArrayGetDescriptor, struct driver_array *to, const void *array)
{
    CUDA_NEEDS(to);
    struct driver_array3d full = {0};
    int error = CUDA_DO(describe_array(cuda, &full, array));
    *to = (struct driver_array){full.width, full.height, full.format, full.channels};
    return error;
}

static int create_mipmap(struct cuda *cuda, void **mipmap, const struct driver_array3d *from,
                         unsigned levels)
{
    struct cuda_channels channels;
    int error = cuda_begin(cuda);
    if (!error && !channels_of(from->format, from->channels, &channels))
        error = cudaErrorInvalidValue;
    struct cuda_extent extent = {from->width, from->height, from->depth};
    return error ? error : mipmap_create(cuda, mipmap, &channels, extent, levels, from->flags);
}

CUDA_API(cuMipmappedArrayCreate, void **mipmap, const struct driver_array3d *from, unsigned levels)
{
    CUDA_NEEDS(mipmap && from);
    return CUDA_DO(create_mipmap(cuda, mipmap, from, levels));
}

// Copies between arrays and memory, from a byte of the first row on.

CUDA_API(cuMemcpyAtoA, void *to, size_t to_at, const void *from, size_t at, size_t bytes)
{
    struct array_bytes of = {to, to_at, from, at, true, true, bytes, COPY_DEVICE};
    return CUDA_DO(array_copy_bytes(cuda, &of, NULL, true));
}

CUDA_API(cuMemcpyAtoD, uint64_t to, const void *from, size_t at, size_t bytes)
{
    struct array_bytes of = {from, at, (void *)to, 0, false, false, bytes, COPY_DEVICE};
    return CUDA_DO(array_copy_bytes(cuda, &of, NULL, true));
}

CUDA_API(cuMemcpyAtoH, void *to, const void *from, size_t at, size_t bytes)
{
    struct array_bytes of = {from, at, to, 0, false, false, bytes, COPY_DEVICE_HOST};
    return CUDA_DO(array_copy_bytes(cuda, &of, NULL, true));
}

CUDA_API(cuMemcpyAtoHAsync, void *to, const void *from, size_t at, size_t bytes, void *stream)
{
    struct array_bytes of = {from, at, to, 0, false, false, bytes, COPY_DEVICE_HOST};
    return CUDA_DO(array_copy_bytes(cuda, &of, stream, false));
}

CUDA_API(cuMemcpyDtoA, void *to, size_t to_at, uint64_t from, size_t bytes)
{
    struct array_bytes of = {to, to_at, (void *)from, 0, false, true, bytes, COPY_DEVICE};
    return CUDA_DO(array_copy_bytes(cuda, &of, NULL, true));
}

CUDA_API(cuMemcpyHtoA, void *to, size_t to_at, const void *from, size_t bytes)
{
    struct array_bytes of = {to, to_at, from, 0, false, true, bytes, COPY_HOST_DEVICE};
    return CUDA_DO(array_copy_bytes(cuda, &of, NULL, true));
}

CUDA_API(cuMemcpyHtoAAsync, void *to, size_t to_at, const void *from, size_t bytes, void *stream)
{
    struct array_bytes of = {to, to_at, from, 0, false, true, bytes, COPY_HOST_DEVICE};
    return CUDA_DO(array_copy_bytes(cuda, &of, stream, false));
}

// Texture and surface objects

static bool resource_of(const struct driver_resource *from, struct cuda_resource *to)
{
    *to = (struct cuda_resource){.type = from->type, .flags = from->flags};
    switch (from->type) {
    case RESOURCE_LINEAR:
        to->linear.at = (void *)from->linear.at;
        to->linear.bytes = from->linear.bytes;
        return channels_of(from->linear.format, from->linear.channels, &to->linear.channels);
    case RESOURCE_PITCH:
        to->pitch.at = (void *)from->pitch.at;
        to->pitch.width = from->pitch.width;
        to->pitch.height = from->pitch.height;
        to->pitch.pitch = from->pitch.pitch;
        return channels_of(from->pitch.format, from->pitch.channels, &to->pitch.channels);
    default: to->array = from->array; return true;
    }
}

static void driver_resource_of(const struct cuda_resource *from, struct driver_resource *to)
{
    *to = (struct driver_resource){.type = from->type, .flags = from->flags};
    switch (from->type) {
    case RESOURCE_LINEAR:
        to->linear.at = (uintptr_t)from->linear.at;
        to->linear.bytes = from->linear.bytes;
        to->linear.format = format_of(&from->linear.channels, &to->linear.channels);
        break;
    case RESOURCE_PITCH:
        to->pitch.at = (uintptr_t)from->pitch.at;
        to->pitch.width = from->pitch.width;
        to->pitch.height = from->pitch.height;
        to->pitch.pitch = from->pitch.pitch;
        to->pitch.format = format_of(&from->pitch.channels, &to->pitch.channels);
        break;
    default: to->array = from->array; break;
    }
}

static int resource_bits(struct cuda *cuda, const struct cuda_resource *from)
{
    const struct cuda_mipmap *mipmap = mipmap_of(cuda, from->array);
    const struct cuda_array *array = mipmap ? mipmap->levels : array_of(cuda, from->array);
    return from->type == RESOURCE_LINEAR  ? from->linear.channels.x
           : from->type == RESOURCE_PITCH ? from->pitch.channels.x
           : array                        ? array->channels.x
                                          : 0;
}

static int create_texture(struct cuda *cuda, unsigned long long *object,
                          const struct driver_resource *resource,
                          const struct driver_texture_how *how, const struct cuda_view *view)
{
    struct cuda_resource from;
    if (!resource_of(resource, &from))
        return cudaErrorInvalidValue;
    bool reads_integers = how->flags & DRIVER_READ_INTEGER || resource_bits(cuda, &from) == 32;
    struct cuda_texture_how to = {
        .address = {how->address[0], how->address[1], how->address[2]},
        .filter = how->filter,
        .read = !reads_integers,
        .srgb = !!(how->flags & DRIVER_SRGB),
        .normalized = !!(how->flags & DRIVER_NORMALIZED),
        .anisotropy = how->anisotropy,
        .mipmap_filter = how->mipmap_filter,
        .mipmap_bias = how->mipmap_bias,
        .mipmap_min = how->mipmap_min,
        .mipmap_max = how->mipmap_max,
        .seamless_cubemap = !!(how->flags & DRIVER_SEAMLESS),
    };
    memcpy(to.border, how->border, sizeof to.border);
    return texture_create(cuda, object, &from, &to, view);
}

CUDA_API(cuTexObjectCreate, unsigned long long *object, const struct driver_resource *resource,
         const struct driver_texture_how *how, const struct cuda_view *view)
{
    CUDA_NEEDS(object && resource && how);
    return CUDA_DO(create_texture(cuda, object, resource, how, view));
}

static int create_surface(struct cuda *cuda, unsigned long long *object,
                          const struct driver_resource *resource)
{
    struct cuda_resource from;
    return resource_of(resource, &from) ? texture_create(cuda, object, &from, NULL, NULL)
                                        : cudaErrorInvalidValue;
}

CUDA_API(cuSurfObjectCreate, unsigned long long *object, const struct driver_resource *resource)
{
    CUDA_NEEDS(object && resource);
    return CUDA_DO(create_surface(cuda, object, resource));
}

static int describe_resource(struct cuda *cuda, struct driver_resource *to,
                             unsigned long long object, bool is_surface)
{
    const struct cuda_texture *texture = texture_of(cuda, object, is_surface);
    if (!texture)
        return cudaErrorInvalidValue;
    driver_resource_of(&texture->resource, to);
    return cudaSuccess;
}

CUDA_API(cuTexObjectGetResourceDesc, struct driver_resource *to, unsigned long long object)
{
    CUDA_NEEDS(to);
    return CUDA_DO(describe_resource(cuda, to, object, false));
}

CUDA_API(cuSurfObjectGetResourceDesc, struct driver_resource *to, unsigned long long object)
{
    CUDA_NEEDS(to);
    return CUDA_DO(describe_resource(cuda, to, object, true));
}

static int describe_texture(struct cuda *cuda, struct driver_texture_how *to,
                            unsigned long long object)
{
    const struct cuda_texture *texture = texture_of(cuda, object, false);
    if (!texture)
        return cudaErrorInvalidValue;
    const struct cuda_texture_how *how = &texture->how;
    *to = (struct driver_texture_how){
        .address = {how->address[0], how->address[1], how->address[2]},
        .filter = how->filter,
        .flags = (how->read ? 0 : DRIVER_READ_INTEGER) | (how->normalized ? DRIVER_NORMALIZED : 0) |
                 (how->srgb ? DRIVER_SRGB : 0) | (how->seamless_cubemap ? DRIVER_SEAMLESS : 0),
        .anisotropy = how->anisotropy,
        .mipmap_filter = how->mipmap_filter,
        .mipmap_bias = how->mipmap_bias,
        .mipmap_min = how->mipmap_min,
        .mipmap_max = how->mipmap_max,
    };
    memcpy(to->border, how->border, sizeof to->border);
    return cudaSuccess;
}

CUDA_API(cuTexObjectGetTextureDesc, struct driver_texture_how *to, unsigned long long object)
{
    CUDA_NEEDS(to);
    return CUDA_DO(describe_texture(cuda, to, object));
}
