// Questions about pointers, pools, contexts and occupancy that most programs do not ask, and
// batches of hints about managed memory.
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/pools.h"
#include "runtime-sim/cuda/properties.h"
#include "runtime-sim/cuda/work.h"
#include <string.h>

// Pointers: the driver's attributes by number.

enum { DRIVER_MEMORY_HOST = 1, DRIVER_MEMORY_DEVICE = 2 };

enum pointer_attribute {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE,
    POINTER_DEVICE,
    POINTER_HOST,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED,
    POINTER_ORDINAL,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE,
    POINTER_MAPPED,
    POINTER_POOL = 17,
};

// The value of an attribute, and its bytes in the program's variable.
struct attribute_value {
    uint64_t value;
    size_t bytes;
};

static int read_attribute(struct cuda *cuda, int attribute, uint64_t address,
                          struct attribute_value *to)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, address);
    memory = memory ? memory : cuda_memory_of_host(cuda, (void *)address);
    bool is_host = memory && (memory->kind == KIND_PINNED || memory->kind == KIND_REGISTERED);
    const struct cuda_gpu *gpu = memory ? &cuda->gpus[memory->gpu] : cuda_memory_gpu(cuda, address);
    bool found = memory || device_at(gpu->device, address, 1);
    uint64_t start = memory && memory->kind == KIND_REGISTERED ? (uintptr_t)memory->host
                     : memory                                  ? memory->address
                                                               : address;
    *to = (struct attribute_value){0, sizeof(uint64_t)};
    switch (attribute) {
    case POINTER_CONTEXT: to->value = found ? (uintptr_t)&gpu->primary : 0; break;
    case POINTER_MEMORY_TYPE:
        *to = (struct attribute_value){is_host ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_DEVICE,
                                       sizeof(int)};
        break;
    case POINTER_DEVICE:
        to->value =
            memory && memory->kind == KIND_REGISTERED ? memory->address + address - start : address;
        break;
    case POINTER_HOST: to->value = memory && memory->host ? address : 0; break;
    case POINTER_BUFFER_ID: to->value = memory ? memory->id : 0; break;
    case POINTER_IS_MANAGED:
        *to = (struct attribute_value){memory && memory->kind == KIND_MANAGED, sizeof(int)};
        break;
    case POINTER_ORDINAL: *to = (struct attribute_value){gpu->number, sizeof(int)}; break;
    case POINTER_RANGE_START: to->value = start; break;
    case POINTER_RANGE_SIZE: to->value = memory ? memory->bytes : 0; break;
    case POINTER_MAPPED: *to = (struct attribute_value){found, sizeof(char)}; break;
    case POINTER_POOL: to->value = memory ? (uintptr_t)memory->pool : 0; break;
    default: return cudaErrorInvalidValue;
    }
    return found ? cudaSuccess : cudaErrorInvalidValue;
}

static int get_attribute(struct cuda *cuda, void *to, int attribute, uint64_t address)
{
    struct attribute_value value;
    int error = cuda_begin(cuda);
    if (!error)
        error = read_attribute(cuda, attribute, address, &value);
    if (!error)
        memcpy(to, &value.value, value.bytes);
    return error;
}

CUDA_API(cuPointerGetAttribute, void *to, int attribute, uint64_t address)
{
    CUDA_NEEDS(to);
    return CUDA_DO(get_attribute(cuda, to, attribute, address));
}

// For other pointers all values are 0, without an error.
static int get_attributes(struct cuda *cuda, unsigned count, const int *attributes, void **to,
                          uint64_t address)
{
    int error = cuda_begin(cuda);
    for (unsigned i = 0; i < count && !error; i++) {
        struct attribute_value value;
        if (!to[i])
            return cudaErrorInvalidValue;
        if (read_attribute(cuda, attributes[i], address, &value))
            value.value = 0;
        memcpy(to[i], &value.value, value.bytes);
    }
    return error;
}

CUDA_API(cuPointerGetAttributes, unsigned count, const int *attributes, void **to, uint64_t address)
{
    CUDA_NEEDS(attributes && to);
    return CUDA_DO(get_attributes(cuda, count, attributes, to, address));
}

// Occupancy

// The driver asks for the dynamic shared memory of each size of a CTA, or has one for all.
struct block_source {
    struct cuda_function *function;
    size_t (*shared_of)(int threads);
    size_t shared;
    int limit;
};

// Finds the largest CTA that keeps the most threads resident.
static int potential_block(struct cuda *cuda, const struct block_source *from, int *grid,
                           int *block)
{
    enum { WARP = 32 };
    struct cuda_function_attributes attributes;
    int error = function_attributes(cuda, &attributes, from->function), most = 0;
    if (error)
        return error;
    int limit = attributes.max_threads;
    limit = from->limit > 0 && from->limit < limit ? from->limit : limit;
    *grid = *block = 0;
    for (int threads = (limit + WARP - 1) / WARP * WARP; threads > 0; threads -= WARP) {
        int size = threads < limit ? threads : limit, ctas = 0;
        error = function_occupancy(cuda, from->function, size,
                                   from->shared_of ? from->shared_of(size) : from->shared, &ctas);
        if (error || ctas * size <= most)
            continue;
        most = ctas * size;
        *block = size;
        *grid = ctas * (int)machine_properties(cuda).cores;
    }
    return most ? cudaSuccess : error;
}

CUDA_API(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, void *function,
         size_t (*shared_of)(int threads), size_t shared, int limit)
{
    CUDA_NEEDS(grid && block);
    return CUDA_DO(potential_block(
        cuda, &(struct block_source){function_of(cuda, function), shared_of, shared, limit}, grid,
        block));
}

CUDA_API(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block, void *function,
         size_t (*shared_of)(int threads), size_t shared, int limit, unsigned flags)
{
    CUDA_NEEDS(grid && block);
    (void)flags;
    return CUDA_DO(potential_block(
        cuda, &(struct block_source){function_of(cuda, function), shared_of, shared, limit}, grid,
        block));
}

// Pools

static int get_pool(struct cuda *cuda, void **pool, const struct cuda_location *location,
                    bool current)
{
    enum { ON_DEVICE = 1 };
    if (location->type != ON_DEVICE || location->id < 0 ||
        (uint32_t)location->id >= cuda->gpu_count)
        return cudaErrorInvalidValue;
    struct cuda_gpu *gpu = &cuda->gpus[location->id];
    *pool = current ? gpu->pool : &gpu->default_pool;
    return cudaSuccess;
}

CUDA_API(cudaMemGetDefaultMemPool, void **pool, const struct cuda_location *location, int type)
{
    CUDA_NEEDS(pool && location);
    (void)type;
    return CUDA_DO(get_pool(cuda, pool, location, false));
}

CUDA_API(cudaMemGetMemPool, void **pool, const struct cuda_location *location, int type)
{
    CUDA_NEEDS(pool && location);
    (void)type;
    return CUDA_DO(get_pool(cuda, pool, location, true));
}

// Hints

CUDA_API(cudaMemPrefetchBatchAsync, void *const *list, const size_t *bytes, size_t count)
{
    (void)bytes;
    return CUDA_DO(list || !count ? cudaSuccess : cudaErrorInvalidValue);
}

// Contexts and functions

CUDA_API(cuCtxGetId, const void *context, unsigned long long *id)
{
    CUDA_NEEDS(id);
    *id = (uintptr_t)context;
    return CUDA_DO(cudaSuccess);
}

CUDA_API(cuFuncIsLoaded, int *state, void *function)
{
    CUDA_NEEDS(state);
    *state = 1;
    return CUDA_DO(function_of(cuda, function) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CUDA_API(cuFuncLoad, void *function)
{
    return CUDA_DO(function_of(cuda, function) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
