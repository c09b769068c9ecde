// Access of kernels to memory of other devices. An allocation that a device may access is in its
// image, with the bytes that the owner has.
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/threads.h"

bool peers_allow(const struct cuda_gpu *gpu, const struct cuda_memory *memory)
{
    bool is_own = memory->gpu == gpu->number;
    if (memory->kind == KIND_MAPPED)
        return memory->access >> gpu->number & 1;
    if (memory->host || is_own)
        return true;
    return (memory->pool ? memory->pool->access >> gpu->number : gpu->peers >> memory->gpu) & 1;
}

static void publish_variables(struct cuda_gpu *gpu, const struct cuda_gpu *peer)
{
    for (uint32_t i = 0; i < peer->device->variables; i++) {
        const struct allocation *from = device_variable(peer->device, i);
        if (from->bytes && !device_at(gpu->device, from->address, 1))
            device_add_remote(gpu->device, from->address, from->bytes, from->data, from->name,
                              true);
    }
}

void peers_publish(struct cuda *cuda)
{
    if (cuda->gpu_count == 1)
        return;
    for (uint32_t i = 0; i < cuda->gpu_count; i++) {
        struct cuda_gpu *gpu = &cuda->gpus[i];
        for (uint32_t k = 0; k < cuda->heap.memories.n; k++) {
            const struct cuda_memory *memory = &cuda->heap.memories.v[k];
            if (peers_allow(gpu, memory) && !device_at(gpu->device, memory->address, 1))
                cuda_memory_show(gpu, memory);
        }
        for (uint32_t k = 0; k < cuda->gpu_count; k++)
            if (gpu->peers >> k & 1)
                publish_variables(gpu, &cuda->gpus[k]);
    }
}

// Removes the other device's part of the address space, and adds what is accessible without peer
// access.
static void hide(struct cuda *cuda, struct cuda_gpu *gpu, const struct cuda_gpu *peer)
{
    gpu->peers &= ~(UINT32_C(1) << peer->number);
    device_remove(gpu->device, peer->device->first, DEVICE_ROOM);
    peers_publish(cuda);
}

void peers_reset(struct cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        if (cuda->gpu->peers >> i & 1)
            hide(cuda, cuda->gpu, &cuda->gpus[i]);
}

static int enable(struct cuda *cuda, int peer, unsigned flags)
{
    struct cuda_gpu *gpu = cuda->gpu;
    int error = context_select(cuda, peer);
    if (error || flags)
        return error ? error : cudaErrorInvalidValue;
    if (cuda->gpu == gpu)
        return cudaErrorInvalidDevice;
    if (gpu->peers >> peer & 1)
        return cudaErrorPeerAccessAlreadyEnabled;
    if (!threads_is_calling())
        host_compute_all(&cuda->host);
    gpu->peers |= UINT32_C(1) << peer;
    peers_publish(cuda);
    return cudaSuccess;
}

static int disable(struct cuda *cuda, int peer)
{
    struct cuda_gpu *gpu = cuda->gpu;
    int error = context_select(cuda, peer);
    if (error)
        return error;
    if (!(gpu->peers >> peer & 1))
        return cudaErrorPeerAccessNotEnabled;
    error = cuda_synchronise(cuda); // works may use it
    if (error != cudaErrorNotPermitted)
        hide(cuda, gpu, &cuda->gpus[peer]);
    return error;
}

CUDA_API(cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    return CUDA_DO(enable(cuda, peer, flags));
}

CUDA_API(cudaDeviceDisablePeerAccess, int peer)
{
    return CUDA_DO(disable(cuda, peer));
}

// The driver names the other device by a context.

CUDA_API(cuCtxEnablePeerAccess, void *context, unsigned flags)
{
    return CUDA_DO(enable(cuda, context_device(cuda, context), flags));
}

CUDA_API(cuCtxDisablePeerAccess, void *context)
{
    return CUDA_DO(disable(cuda, context_device(cuda, context)));
}

// Every device can access all others.

static int can_access(struct cuda *cuda, int *can, int device, int peer)
{
    int error = context_select(cuda, device);
    if (!error)
        error = context_select(cuda, peer);
    *can = !error && device != peer;
    return error;
}

CUDA_API(cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    CUDA_NEEDS(can);
    return CUDA_DO(can_access(cuda, can, device, peer));
}

static int get_attribute(struct cuda *cuda, int *value, int attribute, int device, int peer)
{
    enum { RANK = 1, ACCESS, ATOMICS, ARRAYS };
    int can, error = can_access(cuda, &can, device, peer);
    if (error || !can)
        return error ? error : cudaErrorInvalidDevice;
    if (attribute < RANK || attribute > ARRAYS)
        return cudaErrorInvalidValue;
    *value = attribute != RANK; // all links have the same rank, 0
    return cudaSuccess;
}

CUDA_API(cudaDeviceGetP2PAttribute, int *value, int attribute, int device, int peer)
{
    CUDA_NEEDS(value);
    return CUDA_DO(get_attribute(cuda, value, attribute, device, peer));
}
