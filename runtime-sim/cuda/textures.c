// Texture objects on linear memory, rows of linear memory, arrays and mipmapped arrays, and surface
// objects on arrays.
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/exec/memory/texture.h"
#include <string.h>

// Formats: the size and sign of integers, and whether they are read as numbers.
static int format_of(const struct cuda_channels *channels)
{
    static const int formats[3][3] = {
        [CHANNEL_SIGNED] = {TEXTURE_S8, TEXTURE_S16, TEXTURE_S32},
        [CHANNEL_UNSIGNED] = {TEXTURE_U8, TEXTURE_U16, TEXTURE_U32},
        [CHANNEL_FLOAT] = {-1, TEXTURE_F16, TEXTURE_F32},
    };
    int kind =
        channels->kind >= CHANNEL_SNORM8 && channels->kind < CHANNEL_COMPRESSED ? CHANNEL_SIGNED
        : channels->kind >= CHANNEL_UNORM8 && channels->kind < CHANNEL_SNORM8   ? CHANNEL_UNSIGNED
                                                                                : channels->kind;
    int size = channels->x == 8 ? 0 : channels->x == 16 ? 1 : channels->x == 32 ? 2 : -1;
    return size < 0 || kind < 0 || kind > CHANNEL_FLOAT ? -1 : formats[kind][size];
}

static bool is_normalized(const struct cuda_channels *channels)
{
    return channels->kind >= CHANNEL_UNORM8 && channels->kind < CHANNEL_COMPRESSED;
}

// Sets the format. Returns an error.
static int set_format(struct texture *to, const struct cuda_channels *channels)
{
    int format = format_of(channels);
    if (format < 0)
        return cudaErrorInvalidChannelDescriptor;
    to->format = (uint8_t)format;
    to->channels = (uint8_t)(!!channels->x + !!channels->y + !!channels->z + !!channels->w);
    to->normalized_float = is_normalized(channels);
    return to->channels == 3 || (is_normalized(channels) && format > TEXTURE_S16)
               ? cudaErrorInvalidChannelDescriptor
               : cudaSuccess;
}

static struct texels level_texels(const struct cuda_array *array)
{
    return (struct texels){.address = array->address,
                           .width = (uint32_t)array->extent.width,
                           .height = (uint32_t)array->extent.height,
                           .depth = array_layers(array) ? 0 : (uint32_t)array->extent.depth,
                           .pitch = (uint32_t)array->pitch,
                           .slice = array->slice};
}

static int set_array(struct texture *to, const struct cuda_array *array)
{
    to->base = level_texels(array);
    to->layers = array_layers(array);
    to->layered = array->flags & ARRAY_LAYERED;
    to->cube = array->flags & ARRAY_CUBEMAP;
    return set_format(to, &array->channels);
}

static int set_mipmap(struct cuda *cuda, struct texture *to, const struct cuda_mipmap *mipmap)
{
    struct texels *smaller = ARENA_ARRAY(&cuda->arena, struct texels, mipmap->count);
    for (uint32_t i = 1; i < mipmap->count; i++)
        smaller[i - 1] = level_texels(&mipmap->levels[i]);
    to->smaller = smaller;
    to->levels = mipmap->count;
    return set_array(to, &mipmap->levels[0]);
}

// Sets the texels of a resource. Returns an error.
static int set_resource(struct cuda *cuda, struct texture *to, const struct cuda_resource *from)
{
    const struct cuda_array *array = array_of(cuda, from->array);
    const struct cuda_mipmap *mipmap = mipmap_of(cuda, from->array);
    int error;
    switch (from->type) {
    case RESOURCE_ARRAY: return array ? set_array(to, array) : cudaErrorInvalidResourceHandle;
    case RESOURCE_MIPMAP:
        return mipmap ? set_mipmap(cuda, to, mipmap) : cudaErrorInvalidResourceHandle;
    case RESOURCE_LINEAR:
        error = set_format(to, &from->linear.channels);
        if (error)
            return error;
        to->base = (struct texels){.address = (uintptr_t)from->linear.at,
                                   .width = (uint32_t)(from->linear.bytes / texel_bytes(to))};
        return cudaSuccess;
    case RESOURCE_PITCH:
        to->base = (struct texels){.address = (uintptr_t)from->pitch.at,
                                   .width = (uint32_t)from->pitch.width,
                                   .height = (uint32_t)from->pitch.height,
                                   .pitch = (uint32_t)from->pitch.pitch};
        return set_format(to, &from->pitch.channels);
    default: return cudaErrorInvalidValue;
    }
}

// Views

// Formats of views come in threes, with 1, 2 and 4 channels.
static const uint8_t view_formats[] = {TEXTURE_U8,  TEXTURE_S8,  TEXTURE_U16, TEXTURE_S16,
                                       TEXTURE_U32, TEXTURE_S32, TEXTURE_F16, TEXTURE_F32};

static int set_view_format(struct cuda *cuda, struct texture *to, int format)
{
    uint32_t before = texel_bytes(to), number = (uint32_t)format - 1;
    if (!format)
        return cudaSuccess;
    if (number / 3 >= ARRAY_LENGTH(view_formats))
        return cuda_not_supported(cuda, "views with compressed formats");
    to->format = view_formats[number / 3];
    to->channels = (uint8_t)(1u << number % 3);
    to->normalized_float = false;
    return texel_bytes(to) == before ? cudaSuccess : cudaErrorInvalidValue;
}

// Restricts a texture to levels and layers. Returns an error.
static int set_view(struct cuda *cuda, struct texture *to, const struct cuda_view *view)
{
    uint32_t levels = to->levels ? to->levels : 1, layers = to->layers;
    int error = set_view_format(cuda, to, view->format);
    if (error)
        return error;
    if (view->first_level > view->last_level || view->last_level >= levels ||
        view->first_layer > view->last_layer || view->last_layer >= (layers ? layers : 1))
        return cudaErrorInvalidValue;
    struct texels *all = ARENA_ARRAY(&cuda->arena, struct texels, levels);
    all[0] = to->base;
    for (uint32_t i = 1; i < levels; i++)
        all[i] = to->smaller[i - 1];
    for (uint32_t i = 0; i < levels; i++)
        all[i].address += view->first_layer * all[i].slice;
    to->base = all[view->first_level];
    to->smaller = all + view->first_level + 1;
    to->levels = to->levels ? view->last_level - view->first_level + 1 : 0;
    to->layers = layers ? view->last_layer - view->first_layer + 1 : 0;
    return to->cube && to->layers % 6 ? cudaErrorInvalidValue : cudaSuccess;
}

// Objects

// Border values are floats for textures read as floats, and bits for integers; both are copied as
// they are.
static void set_sampler(struct sampler *to, const struct cuda_texture_how *how)
{
    static const uint8_t modes[] = {TEXTURE_WRAP, TEXTURE_CLAMP_TO_EDGE, TEXTURE_MIRROR,
                                    TEXTURE_CLAMP_TO_BORDER};
    to->filter = how->filter ? TEXTURE_LINEAR : TEXTURE_NEAREST;
    to->level_filter = how->mipmap_filter ? TEXTURE_LINEAR : TEXTURE_NEAREST;
    to->bias = how->mipmap_bias;
    to->min_level = how->mipmap_min;
    to->max_level = how->mipmap_max;
    to->seamless = how->seamless_cubemap != 0;
    for (int i = 0; i < 3; i++) {
        int mode = how->address[i] & 3;
        bool clamps = !how->normalized && mode != 3;
        to->mode[i] = clamps ? TEXTURE_CLAMP_TO_EDGE : modes[mode];
    }
    memcpy(to->border, how->border, sizeof to->border);
}

static int set_how(struct texture *to, const struct cuda_texture_how *how)
{
    bool is_integer = to->format < TEXTURE_F16;
    if (how->filter && is_integer && !how->read && !to->normalized_float)
        return cudaErrorInvalidFilterSetting;
    to->normalized_float |= is_integer && how->read;
    to->srgb = how->srgb != 0;
    to->normalized_coordinates = how->normalized != 0;
    set_sampler(&to->sampler, how);
    return cudaSuccess;
}

// A surface needs an array that was created for surfaces.
static int check_surface(struct cuda *cuda, const struct cuda_resource *resource)
{
    const struct cuda_array *array = array_of(cuda, resource->array);
    if (resource->type != RESOURCE_ARRAY || !array)
        return cudaErrorInvalidResourceHandle;
    return array->flags & ARRAY_SURFACE ? cudaSuccess : cudaErrorInvalidValue;
}

int texture_create_at(struct cuda *cuda, uint64_t handle, const struct cuda_resource *resource,
                      const struct cuda_texture_how *how, const struct cuda_view *view)
{
    struct texture texture = {0};
    int error = cuda_begin(cuda);
    if (!error && !how)
        error = check_surface(cuda, resource);
    if (!error)
        error = set_resource(cuda, &texture, resource);
    if (!error && view)
        error = set_view(cuda, &texture, view);
    if (!error && how)
        error = set_how(&texture, how);
    if (error)
        return error;
    struct cuda_texture made = {.gpu = cuda->gpu,
                                .handle = handle,
                                .is_surface = !how,
                                .has_view = view != NULL,
                                .resource = *resource};
    if (how)
        made.how = *how;
    if (view)
        made.view = *view;
    (how ? texture_bind : surface_bind)(cuda->gpu->device->textures, &cuda->arena, made.handle,
                                        &texture);
    vec_push(&cuda->arena, &cuda->textures.all, made);
    return cudaSuccess;
}

int texture_create(struct cuda *cuda, unsigned long long *object,
                   const struct cuda_resource *resource, const struct cuda_texture_how *how,
                   const struct cuda_view *view)
{
    uint64_t handle = device_texture_handle((uint32_t)cuda->textures.handles);
    int error = texture_create_at(cuda, handle, resource, how, view);
    if (error)
        return error;
    cuda->textures.handles++;
    *object = handle;
    return cudaSuccess;
}

struct cuda_texture *texture_of(struct cuda *cuda, unsigned long long object, bool is_surface)
{
    for (uint32_t i = 0; i < cuda->textures.all.n; i++)
        if (cuda->textures.all.v[i].handle == object &&
            cuda->textures.all.v[i].is_surface == is_surface)
            return &cuda->textures.all.v[i];
    return NULL;
}

void textures_reset(struct cuda *cuda)
{
    struct cuda_textures *all = &cuda->textures;
    for (uint32_t i = all->all.n; i--;)
        if (all->all.v[i].gpu == cuda->gpu)
            all->all.v[i] = all->all.v[--all->all.n];
    for (uint32_t i = all->arrays.n; i--;)
        if (!cuda_memory_at(cuda, all->arrays.v[i]->address))
            all->arrays.v[i] = all->arrays.v[--all->arrays.n];
    for (uint32_t i = all->mipmaps.n; i--;)
        if (!cuda_memory_at(cuda, all->mipmaps.v[i]->address))
            all->mipmaps.v[i] = all->mipmaps.v[--all->mipmaps.n];
}

int texture_destroy(struct cuda *cuda, unsigned long long object, bool is_surface)
{
    struct cuda_texture *texture = texture_of(cuda, object, is_surface);
    if (!texture)
        return cudaErrorInvalidValue;
    cuda_synchronise(cuda); // kernels may still use it; a fault is returned by later calls
    texture_unbind(texture->gpu->device->textures, object);
    *texture = cuda->textures.all.v[--cuda->textures.all.n];
    return cudaSuccess;
}

CUDA_API(cudaCreateTextureObject, unsigned long long *object, const struct cuda_resource *resource,
         const struct cuda_texture_how *how, const struct cuda_view *view)
{
    CUDA_NEEDS(object && resource && how);
    return CUDA_DO(texture_create(cuda, object, resource, how, view));
}

CUDA_API(cudaDestroyTextureObject, unsigned long long object)
{
    return CUDA_DO(texture_destroy(cuda, object, false));
}

CUDA_API(cudaCreateSurfaceObject, unsigned long long *object, const struct cuda_resource *resource)
{
    CUDA_NEEDS(object && resource);
    return CUDA_DO(texture_create(cuda, object, resource, NULL, NULL));
}

CUDA_API(cudaDestroySurfaceObject, unsigned long long object)
{
    return CUDA_DO(texture_destroy(cuda, object, true));
}

static int describe(struct cuda *cuda, unsigned long long object, bool is_surface,
                    struct cuda_texture *to)
{
    const struct cuda_texture *texture = texture_of(cuda, object, is_surface);
    if (!texture)
        return cudaErrorInvalidValue;
    *to = *texture;
    return cudaSuccess;
}

CUDA_API(cudaGetTextureObjectResourceDesc, struct cuda_resource *resource,
         unsigned long long object)
{
    CUDA_NEEDS(resource);
    struct cuda_texture texture = {.resource = *resource};
    int error = CUDA_DO(describe(cuda, object, false, &texture));
    *resource = texture.resource;
    return error;
}

CUDA_API(cudaGetTextureObjectTextureDesc, struct cuda_texture_how *how, unsigned long long object)
{
    CUDA_NEEDS(how);
    struct cuda_texture texture = {.how = *how};
    int error = CUDA_DO(describe(cuda, object, false, &texture));
    *how = texture.how;
    return error;
}

static int describe_view(struct cuda *cuda, unsigned long long object, struct cuda_view *to)
{
    const struct cuda_texture *texture = texture_of(cuda, object, false);
    if (!texture || !texture->has_view)
        return cudaErrorInvalidValue;
    *to = texture->view;
    return cudaSuccess;
}

CUDA_API(cudaGetTextureObjectResourceViewDesc, struct cuda_view *view, unsigned long long object)
{
    CUDA_NEEDS(view);
    return CUDA_DO(describe_view(cuda, object, view));
}

CUDA_API(cudaGetSurfaceObjectResourceDesc, struct cuda_resource *resource,
         unsigned long long object)
{
    CUDA_NEEDS(resource);
    struct cuda_texture texture = {.resource = *resource};
    int error = CUDA_DO(describe(cuda, object, true, &texture));
    *resource = texture.resource;
    return error;
}
