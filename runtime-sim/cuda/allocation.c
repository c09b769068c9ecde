// Calls that allocate, free and describe memory.
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/pools.h"
#include "runtime-sim/cuda/work.h"
#include <string.h>

enum { PITCH = 512, HOST_MAPPED = 2 };

static int allocate(struct cuda *cuda, enum cuda_memory_kind kind, void **to, uint64_t bytes)
{
    uint64_t address;
    if (!to)
        return cudaErrorInvalidValue;
    int error = cuda_memory_allocate(cuda, kind, bytes, &address);
    if (!error)
        *to = (void *)address;
    return error;
}

static int allocate_pitched(struct cuda *cuda, struct cuda_pitched *to, struct cuda_extent extent)
{
    uint64_t pitch = align_up(extent.width, PITCH);
    void *at = NULL;
    uint64_t plane, bytes;
    if (__builtin_mul_overflow(pitch, extent.height, &plane) ||
        __builtin_mul_overflow(plane, extent.depth, &bytes))
        return cudaErrorInvalidValue;
    int error = allocate(cuda, KIND_DEVICE, &at, bytes);
    if (!error)
        *to = (struct cuda_pitched){at, pitch, extent.width, extent.height};
    return error;
}

static int allocate_rows(struct cuda *cuda, void **to, size_t *pitch, size_t width, size_t height)
{
    struct cuda_pitched made;
    int error = allocate_pitched(cuda, &made, (struct cuda_extent){width, height, 1});
    if (!error) {
        *to = made.ptr;
        *pitch = made.pitch;
    }
    return error;
}

static int allocate_host(struct cuda *cuda, void **to, uint64_t bytes, unsigned flags)
{
    int error = allocate(cuda, KIND_PINNED, to, bytes);
    struct cuda_memory *memory = error ? NULL : cuda_memory_at(cuda, (uintptr_t)*to);
    if (memory)
        memory->flags = flags;
    return error;
}

CUDA_API(cudaMalloc, void **to, size_t bytes)
{
    return CUDA_DO(allocate(cuda, KIND_DEVICE, to, bytes));
}

CUDA_API(cudaMallocManaged, void **to, size_t bytes, unsigned flags)
{
    (void)flags;
    if (!bytes)
        return CUDA_DO(cudaErrorInvalidValue);
    return CUDA_DO(allocate(cuda, KIND_MANAGED, to, bytes));
}

CUDA_API(cudaMallocPitch, void **to, size_t *pitch, size_t width, size_t height)
{
    CUDA_NEEDS(to && pitch);
    return CUDA_DO(allocate_rows(cuda, to, pitch, width, height));
}

CUDA_API(cudaMalloc3D, struct cuda_pitched *to, struct cuda_extent extent)
{
    CUDA_NEEDS(to);
    return CUDA_DO(allocate_pitched(cuda, to, extent));
}

CUDA_API(cudaMallocHost, void **to, size_t bytes)
{
    return CUDA_DO(allocate_host(cuda, to, bytes, 0));
}

CUDA_API(cudaHostAlloc, void **to, size_t bytes, unsigned flags)
{
    return CUDA_DO(allocate_host(cuda, to, bytes, flags));
}

CUDA_API(cudaFree, void *at)
{
    return CUDA_DO(cuda_memory_free(cuda, (uintptr_t)at, 1u << KIND_DEVICE | 1u << KIND_MANAGED));
}

CUDA_API(cudaFreeHost, void *at)
{
    return CUDA_DO(cuda_memory_free(cuda, (uintptr_t)at, 1u << KIND_PINNED));
}

CUDA_API(cudaHostRegister, void *at, size_t bytes, unsigned flags)
{
    (void)flags;
    return CUDA_DO(cuda_memory_register(cuda, at, bytes));
}

CUDA_API(cudaHostUnregister, void *at)
{
    return CUDA_DO(cuda_memory_unregister(cuda, at));
}

static int device_pointer(struct cuda *cuda, void **to, void *host)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)host);
    if (memory && memory->host) {
        *to = host;
        return cudaSuccess;
    }
    memory = cuda_memory_of_host(cuda, host);
    if (!memory)
        return cudaErrorInvalidValue;
    *to = (void *)(memory->address + ((uintptr_t)host - (uintptr_t)memory->host));
    return cudaSuccess;
}

CUDA_API(cudaHostGetDevicePointer, void **to, void *host, unsigned flags)
{
    CUDA_NEEDS(to);
    (void)flags;
    return CUDA_DO(device_pointer(cuda, to, host));
}

static int host_flags(struct cuda *cuda, unsigned *flags, void *host)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)host);
    if (!memory || memory->kind != KIND_PINNED)
        return cudaErrorInvalidValue;
    *flags = memory->flags | HOST_MAPPED;
    return cudaSuccess;
}

CUDA_API(cudaHostGetFlags, unsigned *flags, void *host)
{
    CUDA_NEEDS(flags);
    return CUDA_DO(host_flags(cuda, flags, host));
}

static int memory_info(struct cuda *cuda, size_t *free, size_t *total)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (free)
        *free = cuda->options.device_bytes - cuda->gpu->used_bytes;
    if (total)
        *total = cuda->options.device_bytes;
    return cudaSuccess;
}

CUDA_API(cudaMemGetInfo, size_t *free, size_t *total)
{
    return CUDA_DO(memory_info(cuda, free, total));
}

// Returns true if the address is in a managed variable. Other variables lie between these, in
// memory that the host can also access.
static bool is_managed_variable(const struct cuda *cuda, const void *at)
{
    for (uint32_t i = 0; i < cuda->registry.symbols.n; i++) {
        const struct cuda_symbol *symbol = cuda->registry.symbols.v[i];
        if (symbol->managed && (uintptr_t)at - (uintptr_t)*symbol->managed < symbol->bytes)
            return true;
    }
    return false;
}

static int pointer_attributes(struct cuda *cuda, struct cuda_pointer_attributes *to, const void *at)
{
    static const int types[] = {[KIND_DEVICE] = MEMORY_DEVICE, [KIND_MANAGED] = MEMORY_MANAGED,
                                [KIND_PINNED] = MEMORY_HOST,   [KIND_REGISTERED] = MEMORY_HOST,
                                [KIND_ARRAY] = MEMORY_DEVICE,  [KIND_MAPPED] = MEMORY_DEVICE};
    int error = cuda_begin(cuda);
    if (error)
        return error;
    const struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)at);
    const struct cuda_memory *registered = memory ? NULL : cuda_memory_of_host(cuda, at);
    const struct cuda_gpu *gpu = cuda_memory_gpu(cuda, (uintptr_t)at);
    *to = (struct cuda_pointer_attributes){.type = MEMORY_UNREGISTERED, .device = -2};
    if (registered) {
        uint64_t offset = (uintptr_t)at - (uintptr_t)registered->host;
        *to = (struct cuda_pointer_attributes){MEMORY_HOST, (int)registered->gpu,
                                               (void *)(registered->address + offset), (void *)at};
    } else if (memory) {
        *to = (struct cuda_pointer_attributes){types[memory->kind], (int)memory->gpu, (void *)at,
                                               memory->host ? (void *)at : NULL};
    } else if (device_at(gpu->device, (uintptr_t)at, 1)) {
        bool managed = is_managed_variable(cuda, at);
        *to = (struct cuda_pointer_attributes){managed ? MEMORY_MANAGED : MEMORY_DEVICE,
                                               (int)gpu->number, (void *)at,
                                               managed ? (void *)at : NULL};
    } else {
        to->on_host = (void *)at;
    }
    return cudaSuccess;
}

CUDA_API(cudaPointerGetAttributes, struct cuda_pointer_attributes *to, const void *at)
{
    CUDA_NEEDS(to);
    return CUDA_DO(pointer_attributes(cuda, to, at));
}

// Managed memory is always accessible to the host and to kernels, so advice and prefetches have no
// effect.

static int is_managed(struct cuda *cuda, const void *at)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)at);
    return (memory && memory->kind == KIND_MANAGED) || is_managed_variable(cuda, at)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

CUDA_API(cudaMemAdvise, const void *at, size_t bytes)
{
    (void)bytes;
    return CUDA_DO(is_managed(cuda, at));
}

CUDA_API(cudaMemPrefetchAsync, const void *at, size_t bytes)
{
    (void)bytes;
    return CUDA_DO(is_managed(cuda, at));
}

CUDA_API(cudaMemRangeGetAttribute, void *to, size_t bytes, int attribute, const void *at,
         size_t count)
{
    CUDA_NEEDS(to);
    (void)attribute, (void)count;
    memset(to, 0, bytes);
    return CUDA_DO(is_managed(cuda, at));
}
