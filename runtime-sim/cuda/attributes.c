// Attributes of kernels, and their occupancy.
#include "runtime-sim/cuda/properties.h"
#include "runtime-sim/cuda/work.h"
#include "runtime-sim/exec/decode/layout.h"

enum {
    FUNCTION_SHARED = 8,
    FUNCTION_CARVEOUT = 9,
    FUNCTION_ANY_CLUSTER = 14,
    MAX_THREADS = 1024,
    MAX_REGISTERS = 255,
    SHARED_USUAL = 48 * 1024,
};

static uint64_t constant_bytes(const struct program *program)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->variables.n; i++)
        bytes += program->variables.v[i].constant ? program->variables.v[i].bytes : 0;
    return bytes;
}

static int max_threads(const struct program_function *entry)
{
    const uint32_t *shape = entry->block[0] ? entry->block : entry->max;
    return shape[0] ? (int)(shape[0] * shape[1] * shape[2]) : MAX_THREADS;
}

int function_attributes(struct cuda *cuda, struct cuda_function_attributes *to,
                        struct cuda_function *function)
{
    int error;
    const struct program_function *entry = function_entry(cuda, function, &error);
    if (!entry)
        return error;
    int arch = (int)function->binary->arch;
    *to = (struct cuda_function_attributes){
        .shared_bytes = entry->shared_bytes,
        .constant_bytes = constant_bytes(cuda->gpu->device->program),
        .local_bytes = entry->local_bytes,
        .max_threads = max_threads(entry),
        .registers = (int)(entry->registers < MAX_REGISTERS ? entry->registers : MAX_REGISTERS),
        .ptx_version = arch,
        .binary_version = arch,
        .max_dynamic_shared =
            function->max_shared ? function->max_shared : SHARED_USUAL - (int)entry->shared_bytes,
        .carveout = function->carveout,
        .cluster = {(int)entry->cluster[0], (int)entry->cluster[1], (int)entry->cluster[2]},
        .cluster_must_be_set = entry->cluster[0] != 0,
        .any_cluster_size = function->any_cluster,
    };
    return cudaSuccess;
}

CUDA_API(cudaFuncGetAttributes, struct cuda_function_attributes *to, const void *function)
{
    CUDA_NEEDS(to);
    return CUDA_DO(function_attributes(cuda, to, function_of(cuda, function)));
}

// Version 11 knows the members before those of clusters.
static int write11(struct cuda *cuda, void *to, const void *function)
{
    struct cuda_function_attributes all = {0};
    int error = function_attributes(cuda, &all, function_of(cuda, function));
    if (!error)
        memcpy(to, &all, offsetof(struct cuda_function_attributes, cluster_must_be_set));
    return error;
}

CUDA_API(cudaFuncGetAttributes_v1, void *to, const void *function)
{
    CUDA_NEEDS(to);
    return CUDA_DO(write11(cuda, to, function));
}

int function_set_attribute(struct cuda *cuda, struct cuda_function *function, int attribute,
                           int value)
{
    int error;
    const struct program_function *entry = function_entry(cuda, function, &error);
    if (!entry)
        return error;
    switch (attribute) {
    case FUNCTION_SHARED:
        if (value < 0 ||
            (uint32_t)value + entry->shared_bytes > machine_properties(cuda).shared_most)
            return cudaErrorInvalidValue;
        function->max_shared = value;
        return cudaSuccess;
    case FUNCTION_CARVEOUT: function->carveout = value; return cudaSuccess;
    case FUNCTION_ANY_CLUSTER: function->any_cluster = value; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

CUDA_API(cudaFuncSetAttribute, const void *function, int attribute, int value)
{
    return CUDA_DO(function_set_attribute(cuda, function_of(cuda, function), attribute, value));
}

// Attributes are the same for all devices.
static int set_for_device(struct cuda *cuda, const void *kernel, int attribute, int value,
                          int device)
{
    int error = context_select(cuda, device);
    return error ? error
                 : function_set_attribute(cuda, function_of(cuda, kernel), attribute, value);
}

CUDA_API(cudaKernelSetAttributeForDevice, void *kernel, int attribute, int value, int device)
{
    return CUDA_DO(set_for_device(cuda, kernel, attribute, value, device));
}

static int accept_function(struct cuda *cuda, const void *host)
{
    int error;
    function_entry(cuda, function_of(cuda, host), &error);
    return error;
}

// The division of memory between L1 and shared memory is fixed by the machine's configuration.
CUDA_API(cudaFuncSetCacheConfig, const void *function, int config)
{
    (void)config;
    return CUDA_DO(accept_function(cuda, function));
}

CUDA_API(cudaFuncSetSharedMemConfig, const void *function, int config)
{
    (void)config;
    return CUDA_DO(accept_function(cuda, function));
}

static int get_name(struct cuda *cuda, const char **name, const void *host)
{
    const struct cuda_function *function = function_of(cuda, host);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    *name = function->name;
    return cudaSuccess;
}

CUDA_API(cudaFuncGetName, const char **name, const void *function)
{
    CUDA_NEEDS(name);
    return CUDA_DO(get_name(cuda, name, function));
}

static int get_parameter(struct cuda *cuda, const void *host, size_t index, size_t *offset,
                         size_t *bytes)
{
    int error;
    const struct program_function *entry = function_entry(cuda, function_of(cuda, host), &error);
    if (!entry)
        return error;
    if (index >= entry->param_count)
        return cudaErrorInvalidValue;
    const struct program_parameter *parameter =
        &cuda->gpu->device->program->parameters.v[entry->params + index];
    *offset = parameter->offset;
    if (bytes)
        *bytes = parameter->bytes;
    return cudaSuccess;
}

CUDA_API(cudaFuncGetParamInfo, const void *function, size_t index, size_t *offset, size_t *bytes)
{
    CUDA_NEEDS(offset);
    return CUDA_DO(get_parameter(cuda, function, index, offset, bytes));
}

// Occupancy

int function_occupancy(struct cuda *cuda, struct cuda_function *function, int threads,
                       size_t shared, int *ctas)
{
    int error;
    const struct program_function *entry = function_entry(cuda, function, &error);
    if (!entry)
        return error;
    if (threads <= 0)
        return cudaErrorInvalidValue;
    *ctas = 0;
    if (threads > max_threads(entry))
        return cudaSuccess;
    struct properties_machine machine = machine_properties(cuda);
    uint32_t warps = divide_up((uint32_t)threads, LANES);
    uint32_t registers = warps * LANES * smaller(entry->registers ? entry->registers : 1, 255);
    uint64_t bytes = entry->shared_bytes + shared;
    uint32_t by_registers = (uint32_t)machine.registers / registers;
    uint32_t room = smaller((uint32_t)machine.ctas, (uint32_t)machine.warps / warps);
    // Registers beyond the limit would be spilled, so at least one CTA fits.
    room = smaller(room, by_registers ? by_registers : 1);
    if (bytes)
        room = smaller(room, (uint32_t)(machine.shared_most / bytes));
    *ctas = (int)room;
    return cudaSuccess;
}

CUDA_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *ctas, const void *function,
         int threads, size_t shared)
{
    CUDA_NEEDS(ctas);
    return CUDA_DO(function_occupancy(cuda, function_of(cuda, function), threads, shared, ctas));
}

CUDA_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *ctas, const void *function,
         int threads, size_t shared, unsigned flags)
{
    CUDA_NEEDS(ctas);
    (void)flags;
    return CUDA_DO(function_occupancy(cuda, function_of(cuda, function), threads, shared, ctas));
}

// Clusters. Up to 8 CTAs need no attribute.

static int cluster_occupancy(struct cuda *cuda, int *clusters, const void *host,
                             const struct cuda_launch_config *config)
{
    int ctas = 0;
    struct launch_source from = {0};
    struct cuda_function *function = function_of(cuda, host);
    launch_read_attributes(&from, config->attributes, config->attribute_count);
    uint32_t size = from.cluster.x * from.cluster.y * from.cluster.z;
    uint64_t threads = (uint64_t)config->block.x * config->block.y * config->block.z;
    int error = function_occupancy(cuda, function, threads > INT32_MAX ? INT32_MAX : (int)threads,
                                   config->shared, &ctas);
    if (error)
        return error;
    const uint32_t *own = function->entry->cluster;
    size = size ? size : own[0] ? own[0] * own[1] * own[2] : 1;
    *clusters = ctas * machine_properties(cuda).cores / (int)size;
    return cudaSuccess;
}

CUDA_API(cudaOccupancyMaxActiveClusters, int *clusters, const void *function,
         const struct cuda_launch_config *config)
{
    CUDA_NEEDS(clusters && config);
    return CUDA_DO(cluster_occupancy(cuda, clusters, function, config));
}

static int cluster_size(struct cuda *cuda, int *size, const void *host)
{
    enum { USUAL = 8 };
    int error;
    struct cuda_function *function = function_of(cuda, host);
    if (function_entry(cuda, function, &error))
        *size = function->any_cluster ? CLUSTER_CTAS : USUAL;
    return error;
}

CUDA_API(cudaOccupancyMaxPotentialClusterSize, int *size, const void *function,
         const struct cuda_launch_config *config)
{
    CUDA_NEEDS(size && config);
    return CUDA_DO(cluster_size(cuda, size, function));
}

static int available_shared(struct cuda *cuda, size_t *bytes, const void *host, int ctas)
{
    int error;
    const struct program_function *entry = function_entry(cuda, function_of(cuda, host), &error);
    if (!entry)
        return error;
    if (ctas <= 0)
        return cudaErrorInvalidValue;
    uint64_t each = machine_properties(cuda).shared_most / (uint64_t)ctas;
    *bytes = each > entry->shared_bytes ? each - entry->shared_bytes : 0;
    return cudaSuccess;
}

CUDA_API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *function, int ctas,
         int threads)
{
    CUDA_NEEDS(bytes);
    (void)threads;
    return CUDA_DO(available_shared(cuda, bytes, function, ctas));
}
