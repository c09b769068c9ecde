// Launches of kernels.
#include "runtime-sim/cuda/work.h"
#include "runtime-sim/cuda/properties.h"
#include <string.h>

static void read_shape(uint32_t to[3], struct cuda_dim3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

// Copies the parameters from the program's memory into `arena`.
static const uint8_t *read_parameters(const struct program *program, struct arena *arena,
                                      const struct program_function *entry,
                                      const struct launch_source *from)
{
    uint8_t *to = arena_alloc(arena, entry->param_bytes + 1);
    if (from->piece)
        return memcpy(to, from->piece, entry->param_bytes);
    for (uint32_t i = 0; i < entry->param_count; i++) {
        const struct program_parameter *parameter = &program->parameters.v[entry->params + i];
        memcpy(to + parameter->offset, from->parameters[i], parameter->bytes);
    }
    return to;
}

// Returns an error if the CTAs of a cooperative grid cannot be resident at once.
static int check_cooperative(struct cuda *cuda, const struct launch_source *from)
{
    int ctas;
    uint64_t threads = (uint64_t)from->block.x * from->block.y * from->block.z;
    uint64_t rows = (uint64_t)from->grid.y * from->grid.z;
    int error = threads ? function_occupancy(cuda, from->function,
                                             threads < INT32_MAX ? (int)threads : INT32_MAX,
                                             from->shared, &ctas)
                        : cudaErrorInvalidConfiguration;
    if (error || !ctas || !rows) // without room for one CTA the launch itself is refused
        return error;
    uint64_t room = (uint64_t)ctas * (uint64_t)machine_properties(cuda).cores;
    return from->grid.x > room / rows ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

int launch_make(struct cuda *cuda, struct arena *arena, const struct launch_source *from,
                struct cuda_work *work)
{
    int error;
    const struct program_function *entry = function_entry(cuda, from->function, &error);
    if (!entry)
        return error;
    if ((entry->param_count && !from->parameters && !from->piece) ||
        (from->piece && from->piece_bytes < entry->param_bytes))
        return cudaErrorInvalidValue;
    error = from->cooperative ? check_cooperative(cuda, from) : cudaSuccess;
    if (error)
        return error;
    struct cuda_launch launch = {
        .function = from->function,
        .gpu = cuda->gpu,
        .shared = from->shared,
        .cooperative = from->cooperative,
        .parameters = read_parameters(cuda->gpu->device->program, arena, entry, from),
        .parameter_bytes = entry->param_bytes,
    };
    read_shape(launch.grid, from->grid);
    read_shape(launch.block, from->block);
    read_shape(launch.cluster, from->cluster);
    *work = (struct cuda_work){.kind = WORK_LAUNCH, .launch = launch};
    return cudaSuccess;
}

int launch_issue(struct cuda *cuda, const struct launch_source *from, void *handle)
{
    int error;
    struct cuda_work work;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!error)
        error = cuda_begin(cuda);
    if (!error && stream->gpu != cuda->gpu)
        error = cudaErrorInvalidResourceHandle;
    // A wait frees staged memory, and a recorded launch waits.
    bool kept = !error && (stream->capturing || cuda->recorded);
    if (!error)
        error = launch_make(cuda, kept ? &cuda->arena : &cuda->staging.arena, from, &work);
    return error ? error : work_issue(cuda, stream, &work);
}

// <<<…>>> pushes its configuration, which the kernel's stub pops.

struct call_configuration {
    struct cuda_dim3 grid, block;
    size_t shared;
    void *stream;
};

enum { MAX_NESTED = 64 };

static __thread struct call_configuration configurations[MAX_NESTED];
static __thread uint32_t configuration_count;

CUDA_API(__cudaPushCallConfiguration, struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared,
         void *stream)
{
    if (configuration_count == MAX_NESTED)
        return cudaErrorUnknown;
    configurations[configuration_count++] =
        (struct call_configuration){grid, block, shared, stream};
    return cudaSuccess;
}

CUDA_API(__cudaPopCallConfiguration, struct cuda_dim3 *grid, struct cuda_dim3 *block,
         size_t *shared, void **stream)
{
    if (!configuration_count)
        return cudaErrorMissingConfiguration;
    const struct call_configuration *from = &configurations[--configuration_count];
    *grid = from->grid;
    *block = from->block;
    *shared = from->shared;
    *stream = from->stream;
    return cudaSuccess;
}

static int get_kernel(struct cuda *cuda, void **kernel, const void *host)
{
    *kernel = function_of(cuda, host);
    return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

CUDA_API(__cudaGetKernel, void **kernel, const void *host)
{
    return CUDA_DO(get_kernel(cuda, kernel, host));
}

CUDA_API(cudaGetKernel, void **kernel, const void *host)
{
    CUDA_NEEDS(kernel);
    return CUDA_DO(get_kernel(cuda, kernel, host));
}

CUDA_API(cudaGetFuncBySymbol, void **function, const void *host)
{
    CUDA_NEEDS(function);
    return CUDA_DO(get_kernel(cuda, function, host));
}

static int launch(struct cuda *cuda, const void *kernel, struct launch_source from, void *stream)
{
    from.function = function_of(cuda, kernel);
    return launch_issue(cuda, &from, stream);
}

CUDA_API(__cudaLaunchKernel, void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block,
         void **parameters, size_t shared, void *stream)
{
    struct launch_source from = {
        .grid = grid, .block = block, .shared = shared, .parameters = parameters};
    return CUDA_DO(launch(cuda, kernel, from, stream));
}

CUDA_API(cudaLaunchKernel, const void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block,
         void **parameters, size_t shared, void *stream)
{
    struct launch_source from = {
        .grid = grid, .block = block, .shared = shared, .parameters = parameters};
    return CUDA_DO(launch(cuda, kernel, from, stream));
}

CUDA_API(cudaLaunchCooperativeKernel, const void *kernel, struct cuda_dim3 grid,
         struct cuda_dim3 block, void **parameters, size_t shared, void *stream)
{
    struct launch_source from = {.grid = grid,
                                 .block = block,
                                 .shared = shared,
                                 .parameters = parameters,
                                 .cooperative = true};
    return CUDA_DO(launch(cuda, kernel, from, stream));
}

void launch_read_attributes(struct launch_source *to, const struct cuda_launch_attribute *list,
                            unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i].id == ATTRIBUTE_COOPERATIVE)
            to->cooperative = list[i].cooperative;
        else if (list[i].id == ATTRIBUTE_CLUSTER)
            to->cluster = list[i].cluster;
    // The other attributes only concern performance on a GPU.
}

void attribute_set(struct cuda *cuda, struct cuda_attributes *attributes, int id, const void *value)
{
    uint32_t i = 0;
    while (i < attributes->list.n && attributes->list.v[i].id != id)
        i++;
    if (i == attributes->list.n)
        vec_push(&cuda->arena, &attributes->list, (struct cuda_launch_attribute){.id = id});
    memcpy(attributes->list.v[i].bytes, value, sizeof attributes->list.v[i].bytes);
}

void attribute_get(const struct cuda_attributes *attributes, int id, void *to)
{
    memset(to, 0, sizeof attributes->list.v->bytes);
    for (uint32_t i = 0; i < attributes->list.n; i++)
        if (attributes->list.v[i].id == id)
            memcpy(to, attributes->list.v[i].bytes, sizeof attributes->list.v[i].bytes);
}

void attributes_copy(struct cuda *cuda, struct cuda_attributes *to,
                     const struct cuda_attributes *from)
{
    to->list.n = 0;
    for (uint32_t i = 0; i < from->list.n; i++)
        attribute_set(cuda, to, from->list.v[i].id, from->list.v[i].bytes);
}

static int launch_with(struct cuda *cuda, const struct cuda_launch_config *config,
                       const void *kernel, void **parameters)
{
    struct launch_source from = {.grid = config->grid,
                                 .block = config->block,
                                 .shared = config->shared,
                                 .parameters = parameters};
    launch_read_attributes(&from, config->attributes, config->attribute_count);
    return launch(cuda, kernel, from, config->stream);
}

CUDA_API(cudaLaunchKernelExC, const struct cuda_launch_config *config, const void *kernel,
         void **parameters)
{
    CUDA_NEEDS(config);
    return CUDA_DO(launch_with(cuda, config, kernel, parameters));
}
