// Finds kernels and variables by the addresses of their counterparts in the host's code.
#include "runtime-sim/cuda/cuda.h"
#include <string.h>

static struct cuda_function **find_pointer(const struct cuda_registry *registry, const void *host)
{
    uint32_t mask = registry->by_host_size - 1;
    uint32_t at = (uint32_t)(((uintptr_t)host >> 4) * 2654435761u) & mask;
    while (registry->by_host[at] && registry->by_host[at]->host != host)
        at = (at + 1) & mask;
    return &registry->by_host[at];
}

static void grow_table(struct cuda_registry *registry, struct arena *arena)
{
    registry->by_host_size = registry->by_host_size ? registry->by_host_size * 2 : 256;
    registry->by_host = ARENA_ARRAY(arena, struct cuda_function *, registry->by_host_size);
    for (uint32_t i = 0; i < registry->functions.n; i++)
        if (registry->functions.v[i]->host)
            *find_pointer(registry, registry->functions.v[i]->host) = registry->functions.v[i];
}

struct cuda_function *function_add(struct cuda *cuda, struct cuda_binary *binary, const void *host,
                                   const char *name)
{
    struct cuda_registry *registry = &cuda->registry;
    struct cuda_function *function = ARENA_NEW(&cuda->arena, struct cuda_function);
    *function = (struct cuda_function){.binary = binary,
                                       .host = host ? host : function,
                                       .name = arena_strndup(&cuda->arena, name, strlen(name))};
    if (registry->functions.n * 2 >= registry->by_host_size)
        grow_table(registry, &cuda->arena);
    *find_pointer(registry, function->host) = function;
    // A kernel can also be found by its handle.
    vec_push(&cuda->arena, &registry->functions, function);
    return function;
}

struct cuda_function *function_of(struct cuda *cuda, const void *host)
{
    const struct cuda_registry *registry = &cuda->registry;
    struct cuda_function *function = registry->by_host_size ? *find_pointer(registry, host) : NULL;
    for (uint32_t i = 0; !function && i < registry->functions.n; i++)
        if (registry->functions.v[i] == host)
            function = registry->functions.v[i];
    return function;
}

// Returns the error of a kernel that the program does not have. Reports the first one of a binary
// whose device code could be read.
static int report_missing(struct cuda *cuda, const struct cuda_function *function)
{
    struct cuda_binary *binary = function->binary;
    if (binary->failure)
        return binary->failure;
    if (!binary->missed && function->host != function)
        cuda_complain(cuda, DIAG_ERROR,
                      "kernel '%s' of '%s' is not in its device code, which %s; compile all "
                      "sources with nvcc's -arch=sm_N or -arch=compute_N",
                      function->name, cuda->options.program_name,
                      binary->parts.n ? "has other kernels" : "is empty");
    binary->missed = true;
    return cudaErrorInvalidDeviceFunction;
}

const struct program_function *function_entry(struct cuda *cuda, struct cuda_function *function,
                                              int *error)
{
    *error = function ? cuda_begin(cuda) : cudaErrorInvalidDeviceFunction;
    if (*error)
        return NULL;
    if (function->program != cuda->program.links) {
        function->program = cuda->program.links;
        function->entry =
            function->binary->linked
                ? program_find(cuda->gpus->device->program,
                               link_find_name(&function->binary->names, function->name))
                : NULL;
    }
    if (!function->entry)
        *error = report_missing(cuda, function);
    // All devices have the same functions.
    return function->entry ? &cuda->gpu->device->program->functions
                                  .v[function->entry - cuda->gpus->device->program->functions.v]
                           : NULL;
}

const struct allocation *binary_variable(struct cuda *cuda, const struct cuda_binary *binary,
                                         const char *name)
{
    if (!binary->linked)
        return NULL;
    uint32_t variable =
        device_find_variable(cuda->gpu->device, link_find_name(&binary->names, name));
    return variable == UINT32_MAX ? NULL : device_variable(cuda->gpu->device, variable);
}

const struct cuda_symbol *symbol_of(struct cuda *cuda, const void *host)
{
    for (uint32_t i = 0; i < cuda->registry.symbols.n; i++)
        if (cuda->registry.symbols.v[i]->host == host)
            return cuda->registry.symbols.v[i];
    return NULL;
}

const struct allocation *symbol_variable(struct cuda *cuda, const void *host, int *error)
{
    const struct allocation *variable = NULL;
    *error = cuda_begin(cuda);
    for (uint32_t i = 0; !*error && !variable && i < cuda->registry.symbols.n; i++)
        if (cuda->registry.symbols.v[i]->host == host)
            variable = binary_variable(cuda, cuda->registry.symbols.v[i]->binary,
                                       cuda->registry.symbols.v[i]->name);
    if (!*error && !variable)
        *error = cudaErrorInvalidSymbol;
    return variable;
}
