// Texture and surface references, which version 12 no longer has. A reference is a variable of the
// program whose address is the handle of what is bound to it, for each device.
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/memory.h"

static void add_reference(struct cuda *cuda, void **handle, const void *host, const char *name,
                          bool reads_numbers)
{
    symbol_add(cuda, (struct cuda_symbol){.binary = (struct cuda_binary *)handle,
                                          .host = host,
                                          .name = name,
                                          .bytes = sizeof(uint64_t),
                                          .reads_numbers = reads_numbers});
}

CUDA_API(__cudaRegisterTexture, void **handle, const void *host, const void **device,
         const char *name, int dimensions, int reads_numbers, int external)
{
    (void)device, (void)dimensions, (void)external;
    return CUDA_DO((add_reference(cuda, handle, host, name, reads_numbers), cudaSuccess));
}

CUDA_API(__cudaRegisterSurface, void **handle, const void *host, const void **device,
         const char *name, int dimensions, int external)
{
    (void)device, (void)dimensions, (void)external;
    return CUDA_DO((add_reference(cuda, handle, host, name, false), cudaSuccess));
}

static int unbind(struct cuda *cuda, const void *reference, bool is_surface, uint64_t *handle)
{
    int error;
    const struct allocation *variable = symbol_variable(cuda, reference, &error);
    if (error)
        return error == cudaErrorInvalidSymbol ? cudaErrorInvalidTexture : error;
    *handle = variable->address;
    if (texture_of(cuda, *handle, is_surface))
        texture_destroy(cuda, *handle, is_surface);
    return cudaSuccess;
}

static int bind(struct cuda *cuda, size_t *offset, const struct cuda_texture_reference *reference,
                const struct cuda_resource *resource)
{
    uint64_t handle;
    int error = unbind(cuda, reference, false, &handle);
    if (error)
        return error;
    const struct cuda_texture_how how = {
        .address = {reference->address[0], reference->address[1], reference->address[2]},
        .filter = reference->filter,
        .read = symbol_of(cuda, reference)->reads_numbers,
        .srgb = reference->srgb,
        .normalized = reference->normalized,
        .anisotropy = reference->anisotropy,
        .mipmap_filter = reference->mipmap_filter,
        .mipmap_bias = reference->mipmap_bias,
        .mipmap_min = reference->mipmap_min,
        .mipmap_max = reference->mipmap_max,
    };
    if (offset)
        *offset = 0;
    return texture_create_at(cuda, handle, resource, &how, NULL);
}

// Without a size, the texture reaches to the end of the allocation.
static int bind_linear(struct cuda *cuda, size_t *offset,
                       const struct cuda_texture_reference *reference, const void *at,
                       const struct cuda_channels *channels, size_t bytes)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)at);
    size_t most = memory ? memory->address + memory->bytes - (uintptr_t)at : bytes;
    struct cuda_resource resource = {.type = RESOURCE_LINEAR};
    resource.linear.at = (void *)at;
    resource.linear.channels = *channels;
    resource.linear.bytes = bytes < most ? bytes : most;
    return bind(cuda, offset, reference, &resource);
}

CUDA_API(cudaBindTexture, size_t *offset, const struct cuda_texture_reference *reference,
         const void *at, const struct cuda_channels *channels, size_t bytes)
{
    CUDA_NEEDS(reference && at && channels);
    return CUDA_DO(bind_linear(cuda, offset, reference, at, channels, bytes));
}

CUDA_API(cudaBindTexture2D, size_t *offset, const struct cuda_texture_reference *reference,
         const void *at, const struct cuda_channels *channels, size_t width, size_t height,
         size_t pitch)
{
    CUDA_NEEDS(reference && at && channels);
    struct cuda_resource resource = {.type = RESOURCE_PITCH};
    resource.pitch.at = (void *)at;
    resource.pitch.channels = *channels;
    resource.pitch.width = width;
    resource.pitch.height = height;
    resource.pitch.pitch = pitch;
    return CUDA_DO(bind(cuda, offset, reference, &resource));
}

// The texels are those of the array, whatever format the program passes.
CUDA_API(cudaBindTextureToArray, const struct cuda_texture_reference *reference, void *array,
         const struct cuda_channels *channels)
{
    CUDA_NEEDS(reference && array);
    (void)channels;
    const struct cuda_resource resource = {.type = RESOURCE_ARRAY, .array = array};
    return CUDA_DO(bind(cuda, NULL, reference, &resource));
}

CUDA_API(cudaBindTextureToMipmappedArray, const struct cuda_texture_reference *reference,
         void *array, const struct cuda_channels *channels)
{
    CUDA_NEEDS(reference && array);
    (void)channels;
    const struct cuda_resource resource = {.type = RESOURCE_MIPMAP, .array = array};
    return CUDA_DO(bind(cuda, NULL, reference, &resource));
}

CUDA_API(cudaUnbindTexture, const void *reference)
{
    uint64_t handle;
    return CUDA_DO(unbind(cuda, reference, false, &handle));
}

CUDA_API(cudaGetTextureAlignmentOffset, size_t *offset, const void *reference)
{
    CUDA_NEEDS(offset && reference);
    *offset = 0;
    return CUDA_DO(symbol_of(cuda, reference) ? cudaSuccess : cudaErrorInvalidTexture);
}

static int bind_surface(struct cuda *cuda, const void *reference, void *array)
{
    uint64_t handle;
    const struct cuda_resource resource = {.type = RESOURCE_ARRAY, .array = array};
    int error = unbind(cuda, reference, true, &handle);
    return error ? error : texture_create_at(cuda, handle, &resource, NULL, NULL);
}

CUDA_API(cudaBindSurfaceToArray, const void *reference, void *array, const void *channels)
{
    CUDA_NEEDS(reference && array);
    (void)channels;
    return CUDA_DO(bind_surface(cuda, reference, array));
}

// A reference is its own symbol.
static int get_reference(struct cuda *cuda, const void **to, const void *symbol)
{
    *to = symbol;
    return symbol_of(cuda, symbol) ? cudaSuccess : cudaErrorInvalidTexture;
}

CUDA_API(cudaGetTextureReference, const void **reference, const void *symbol)
{
    CUDA_NEEDS(reference);
    return CUDA_DO(get_reference(cuda, reference, symbol));
}

CUDA_API(cudaGetSurfaceReference, const void **reference, const void *symbol)
{
    CUDA_NEEDS(reference);
    return CUDA_DO(get_reference(cuda, reference, symbol));
}
