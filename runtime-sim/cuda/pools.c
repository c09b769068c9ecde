// Stream-ordered allocation. Memory is available immediately, and is freed when the works issued
// before the release have run. Pools only keep counts.
#include "runtime-sim/cuda/pools.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/work.h"
#include <string.h>

enum { ON_DEVICE = 1 }; // type of a location

enum {
    POOL_REUSE_FIRST = 1,
    POOL_REUSE_LAST = 3,
    POOL_THRESHOLD = 4,
    POOL_RESERVED = 5,
    POOL_RESERVED_HIGH = 6,
    POOL_USED = 7,
    POOL_USED_HIGH = 8,
};

struct cuda_pool *pool_of(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        if (handle == &cuda->gpus[i].default_pool)
            return &cuda->gpus[i].default_pool;
    for (uint32_t i = 0; i < cuda->pools.all.n; i++)
        if (cuda->pools.all.v[i] == handle)
            return handle;
    return NULL;
}

// Removes an allocation from the devices that may not access it.
static void hide(struct cuda *cuda, const struct cuda_memory *memory)
{
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        if (!peers_allow(&cuda->gpus[i], memory))
            device_remove(cuda->gpus[i].device, memory->address - memory->slack, 1);
}

// Returns the current pool of a stream's device, or NULL.
static struct cuda_pool *current_pool(struct cuda *cuda, void *handle)
{
    int error;
    const struct cuda_stream *stream = stream_of(cuda, handle, &error);
    return (stream ? stream->gpu : cuda->gpu)->pool;
}

static int allocate(struct cuda *cuda, void **to, uint64_t bytes, struct cuda_pool *pool,
                    void *handle)
{
    int error;
    uint64_t address;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!to || !pool)
        return cudaErrorInvalidValue;
    if (error)
        return error;
    cuda->gpu = &cuda->gpus[pool->gpu];
    error = cuda_memory_allocate(cuda, KIND_DEVICE, bytes, &address);
    if (error)
        return error;
    *to = (void *)address;
    if (stream->capturing)
        return graph_capture_memory(cuda, stream, address, bytes);
    struct cuda_memory *memory = cuda_memory_at(cuda, address);
    if (!memory)
        return cudaSuccess; // an allocation of 0 bytes
    memory->pool = pool;
    hide(cuda, memory);
    peers_publish(cuda);
    pool->used += bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    return cudaSuccess;
}

static int release(struct cuda *cuda, void *at, void *handle)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)at);
    if (error)
        return error;
    if (!memory)
        return cudaErrorInvalidValue;
    if (stream->capturing)
        return graph_capture_memory(cuda, stream, memory->address, 0);
    if (memory->pool)
        memory->pool->used -= memory->bytes;
    return cuda_memory_free_later(cuda, (uintptr_t)at);
}

CUDA_API(cudaMallocAsync, void **to, size_t bytes, void *stream)
{
    return CUDA_DO(allocate(cuda, to, bytes, current_pool(cuda, stream), stream));
}

CUDA_API(cudaMallocFromPoolAsync, void **to, size_t bytes, void *pool, void *stream)
{
    return CUDA_DO(allocate(cuda, to, bytes, pool_of(cuda, pool), stream));
}

CUDA_API(cudaFreeAsync, void *at, void *stream)
{
    return CUDA_DO(release(cuda, at, stream));
}

static int create(struct cuda *cuda, void **to, const struct cuda_pool_properties *properties)
{
    struct cuda_pool *pool = ARENA_NEW(&cuda->arena, struct cuda_pool);
    if (properties && properties->location.type == ON_DEVICE)
        pool->gpu = (uint32_t)properties->location.id;
    if (pool->gpu >= cuda->gpu_count)
        return cudaErrorInvalidDevice;
    vec_push(&cuda->arena, &cuda->pools.all, pool);
    *to = pool;
    return cudaSuccess;
}

CUDA_API(cudaMemPoolCreate, void **pool, const struct cuda_pool_properties *properties)
{
    CUDA_NEEDS(pool);
    return CUDA_DO(create(cuda, pool, properties));
}

static int destroy(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->pools.all.n; i++)
        if (cuda->pools.all.v[i] == handle) {
            struct cuda_gpu *gpu = &cuda->gpus[cuda->pools.all.v[i]->gpu];
            if (gpu->pool == handle)
                gpu->pool = &gpu->default_pool;
            cuda->pools.all.v[i] = cuda->pools.all.v[--cuda->pools.all.n];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

CUDA_API(cudaMemPoolDestroy, void *pool)
{
    return CUDA_DO(destroy(cuda, pool));
}

static int get_pool(struct cuda *cuda, void **to, bool current, int device)
{
    int error = context_select(cuda, device);
    if (!error)
        *to = current ? cuda->gpu->pool : &cuda->gpu->default_pool;
    return error;
}

CUDA_API(cudaDeviceGetDefaultMemPool, void **pool, int device)
{
    CUDA_NEEDS(pool);
    return CUDA_DO(get_pool(cuda, pool, false, device));
}

CUDA_API(cudaDeviceGetMemPool, void **pool, int device)
{
    CUDA_NEEDS(pool);
    return CUDA_DO(get_pool(cuda, pool, true, device));
}

static int set_pool(struct cuda *cuda, int device, void *handle)
{
    struct cuda_pool *pool = pool_of(cuda, handle);
    int error = context_select(cuda, device);
    if (error)
        return error;
    if (!pool || pool->gpu != cuda->gpu->number)
        return cudaErrorInvalidValue;
    cuda->gpu->pool = pool;
    return cudaSuccess;
}

CUDA_API(cudaDeviceSetMemPool, int device, void *pool)
{
    return CUDA_DO(set_pool(cuda, device, pool));
}

CUDA_API(cudaMemPoolTrimTo, void *pool, size_t bytes)
{
    (void)bytes; // pools hold no free memory
    return CUDA_DO(pool_of(cuda, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static int get_attribute(struct cuda *cuda, void *handle, int attribute, void *value)
{
    struct cuda_pool *pool = pool_of(cuda, handle);
    if (!pool)
        return cudaErrorInvalidValue;
    uint64_t number = pool->used;
    if (attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST) {
        *(int *)value = pool->reuse[attribute - POOL_REUSE_FIRST];
        return cudaSuccess;
    }
    switch (attribute) {
    case POOL_THRESHOLD: number = pool->threshold; break;
    case POOL_RESERVED:
    case POOL_USED: break;
    case POOL_RESERVED_HIGH:
    case POOL_USED_HIGH: number = pool->used_high; break;
    default: return cudaErrorInvalidValue;
    }
    memcpy(value, &number, sizeof number);
    return cudaSuccess;
}

CUDA_API(cudaMemPoolGetAttribute, void *pool, int attribute, void *value)
{
    CUDA_NEEDS(value);
    return CUDA_DO(get_attribute(cuda, pool, attribute, value));
}

static int set_attribute(struct cuda *cuda, void *handle, int attribute, const void *value)
{
    struct cuda_pool *pool = pool_of(cuda, handle);
    if (!pool)
        return cudaErrorInvalidValue;
    if (attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST)
        pool->reuse[attribute - POOL_REUSE_FIRST] = *(const int *)value;
    else if (attribute == POOL_THRESHOLD)
        memcpy(&pool->threshold, value, sizeof pool->threshold);
    else if (attribute == POOL_RESERVED_HIGH || attribute == POOL_USED_HIGH)
        pool->used_high = pool->used;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

CUDA_API(cudaMemPoolSetAttribute, void *pool, int attribute, void *value)
{
    CUDA_NEEDS(value);
    return CUDA_DO(set_attribute(cuda, pool, attribute, value));
}

// A pool's own device keeps its access.
static int set_access(struct cuda *cuda, void *handle, const struct cuda_access *list, size_t count)
{
    struct cuda_pool *pool = pool_of(cuda, handle);
    bool good = pool;
    for (size_t i = 0; i < count && good; i++) {
        good = list[i].location.type == ON_DEVICE && list[i].location.id >= 0 &&
               (uint32_t)list[i].location.id < cuda->gpu_count &&
               (list[i].flags || (uint32_t)list[i].location.id != pool->gpu);
        uint32_t bit = good ? UINT32_C(1) << list[i].location.id : 0;
        if (good)
            pool->access = list[i].flags ? pool->access | bit : pool->access & ~bit;
    }
    host_compute_all(&cuda->host);
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++)
        if (good && cuda->heap.memories.v[i].pool == pool)
            hide(cuda, &cuda->heap.memories.v[i]);
    peers_publish(cuda);
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cudaMemPoolSetAccess, void *pool, const struct cuda_access *list, size_t count)
{
    CUDA_NEEDS(list || !count);
    return CUDA_DO(set_access(cuda, pool, list, count));
}

static int get_access(struct cuda *cuda, int *flags, void *handle,
                      const struct cuda_location *location)
{
    enum { READ_WRITE = 3 };
    const struct cuda_pool *pool = pool_of(cuda, handle);
    if (!pool || location->id < 0 || (uint32_t)location->id >= cuda->gpu_count)
        return cudaErrorInvalidValue;
    bool may = (uint32_t)location->id == pool->gpu || pool->access >> location->id & 1;
    *flags = may ? READ_WRITE : 0;
    return cudaSuccess;
}

CUDA_API(cudaMemPoolGetAccess, int *flags, void *pool, const struct cuda_location *location)
{
    CUDA_NEEDS(flags && pool && location);
    return CUDA_DO(get_access(cuda, flags, pool, location));
}
