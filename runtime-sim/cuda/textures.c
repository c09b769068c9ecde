// Texture objects on linear memory, rows of linear memory, and arrays of one or two dimensions.
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/exec/memory/texture.h"
#include <string.h>

struct texture_source {
    uint64_t address, width, height, pitch;
    struct cuda_channels channels;
};

// Returns the format of a channel, or -1 if it is not supported.
static int format_of(const struct cuda_channels *channels)
{
    static const int formats[3][3] = {
        [CHANNEL_SIGNED] = {TEXTURE_S8, TEXTURE_S16, TEXTURE_S32},
        [CHANNEL_UNSIGNED] = {TEXTURE_U8, TEXTURE_U16, TEXTURE_U32},
        [CHANNEL_FLOAT] = {-1, TEXTURE_F16, TEXTURE_F32},
    };
    int size = channels->x == 8 ? 0 : channels->x == 16 ? 1 : channels->x == 32 ? 2 : -1;
    return size < 0 || channels->kind < 0 || channels->kind > CHANNEL_FLOAT
               ? -1
               : formats[channels->kind][size];
}

static uint8_t count_channels(const struct cuda_channels *channels)
{
    return (uint8_t)(!!channels->x + !!channels->y + !!channels->z + !!channels->w);
}

static int find_source(struct cuda *cuda, const struct cuda_resource *resource,
                       struct texture_source *to)
{
    const struct cuda_array *array;
    switch (resource->type) {
    case RESOURCE_ARRAY:
        array = array_of(cuda, resource->array);
        if (!array)
            return cudaErrorInvalidResourceHandle;
        if (array->extent.depth)
            return cuda_not_supported(cuda, "textures of three dimensions");
        *to = (struct texture_source){array->address, array->extent.width, array->extent.height,
                                      array->pitch, array->channels};
        return cudaSuccess;
    case RESOURCE_LINEAR: {
        uint64_t bits =
            (uint64_t)resource->linear.channels.x * count_channels(&resource->linear.channels);
        if (!bits)
            return cudaErrorInvalidChannelDescriptor;
        *to = (struct texture_source){.address = (uintptr_t)resource->linear.at,
                                      .width = resource->linear.bytes * 8 / bits,
                                      .channels = resource->linear.channels};
        return cudaSuccess;
    }
    case RESOURCE_PITCH:
        *to = (struct texture_source){(uintptr_t)resource->pitch.at, resource->pitch.width,
                                      resource->pitch.height, resource->pitch.pitch,
                                      resource->pitch.channels};
        return cudaSuccess;
    default: return cuda_not_supported(cuda, "textures of mipmapped arrays");
    }
}

// Border values are floats for textures read as floats, and bits for integers; both are copied as
// they are.
static void set_sampler(struct sampler *to, const struct cuda_texture_how *how)
{
    static const uint8_t modes[] = {TEXTURE_WRAP, TEXTURE_CLAMP_TO_EDGE, TEXTURE_MIRROR,
                                    TEXTURE_CLAMP_TO_BORDER};
    to->filter = how->filter ? TEXTURE_LINEAR : TEXTURE_NEAREST;
    for (int i = 0; i < 2; i++) {
        int mode = how->address[i] & 3;
        bool clamps = !how->normalized && mode != 3;
        to->mode[i] = clamps ? TEXTURE_CLAMP_TO_EDGE : modes[mode];
    }
    memcpy(to->border, how->border, sizeof to->border);
}

static int create(struct cuda *cuda, unsigned long long *object,
                  const struct cuda_resource *resource, const struct cuda_texture_how *how,
                  const void *view)
{
    struct texture_source from;
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (view)
        return cuda_not_supported(cuda, "views of resources");
    error = find_source(cuda, resource, &from);
    if (error)
        return error;
    int format = format_of(&from.channels);
    if (format < 0)
        return cudaErrorInvalidChannelDescriptor;
    bool is_integer = from.channels.kind != CHANNEL_FLOAT;
    if (how->filter && is_integer && !how->read)
        return cudaErrorInvalidFilterSetting;
    struct texture texture = {.address = from.address,
                              .width = (uint32_t)from.width,
                              .height = (uint32_t)from.height,
                              .pitch = (uint32_t)from.pitch,
                              .channels = count_channels(&from.channels),
                              .format = (uint8_t)format,
                              .normalized_float = is_integer && how->read,
                              .normalized_coordinates = how->normalized != 0};
    set_sampler(&texture.sampler, how);
    uint64_t handle = device_texture_handle((uint32_t)cuda->textures.handles++);
    texture_bind(cuda->device->textures, &cuda->arena, handle, &texture);
    vec_push(&cuda->arena, &cuda->textures.all, (struct cuda_texture){handle, *resource, *how});
    *object = handle;
    return cudaSuccess;
}

static struct cuda_texture *texture_of(struct cuda *cuda, unsigned long long object)
{
    for (uint32_t i = 0; i < cuda->textures.all.n; i++)
        if (cuda->textures.all.v[i].handle == object)
            return &cuda->textures.all.v[i];
    return NULL;
}

static int destroy(struct cuda *cuda, unsigned long long object)
{
    struct cuda_texture *texture = texture_of(cuda, object);
    if (!texture)
        return cudaErrorInvalidValue;
    int error = cuda_synchronise(cuda); // kernels may still use it
    *texture = cuda->textures.all.v[--cuda->textures.all.n];
    return error ? cudaSuccess : error;
}

CUDA_API(cudaCreateTextureObject, unsigned long long *object, const struct cuda_resource *resource,
         const struct cuda_texture_how *how, const void *view)
{
    CUDA_NEEDS(object && resource && how);
    return CUDA_DO(create(cuda, object, resource, how, view));
}

CUDA_API(cudaDestroyTextureObject, unsigned long long object)
{
    return CUDA_DO(destroy(cuda, object));
}

static int describe(struct cuda *cuda, unsigned long long object, struct cuda_resource *resource,
                    struct cuda_texture_how *how)
{
    const struct cuda_texture *texture = texture_of(cuda, object);
    if (!texture)
        return cudaErrorInvalidValue;
    if (resource)
        *resource = texture->resource;
    if (how)
        *how = texture->how;
    return cudaSuccess;
}

CUDA_API(cudaGetTextureObjectResourceDesc, struct cuda_resource *resource,
         unsigned long long object)
{
    CUDA_NEEDS(resource);
    return CUDA_DO(describe(cuda, object, resource, NULL));
}

CUDA_API(cudaGetTextureObjectTextureDesc, struct cuda_texture_how *how, unsigned long long object)
{
    CUDA_NEEDS(how);
    return CUDA_DO(describe(cuda, object, NULL, how));
}
