// Finds kernels and variables by the addresses of their counterparts in the host's code.
#include "runtime-sim/cuda/cuda.h"
#include <string.h>

static struct cuda_function **find_place(const struct cuda *cuda, const void *host)
{
    uint32_t mask = cuda->by_host_size - 1;
    uint32_t at = (uint32_t)(((uintptr_t)host >> 4) * 2654435761u) & mask;
    while (cuda->by_host[at] && cuda->by_host[at]->host != host)
        at = (at + 1) & mask;
    return &cuda->by_host[at];
}

static void grow_table(struct cuda *cuda)
{
    cuda->by_host_size = cuda->by_host_size ? cuda->by_host_size * 2 : 256;
    cuda->by_host = ARENA_ARRAY(&cuda->arena, struct cuda_function *, cuda->by_host_size);
    for (uint32_t i = 0; i < cuda->functions.n; i++)
        if (cuda->functions.v[i]->host)
            *find_place(cuda, cuda->functions.v[i]->host) = cuda->functions.v[i];
}

struct cuda_function *function_add(struct cuda *cuda, struct cuda_binary *binary, const void *host,
                                   const char *name)
{
    struct cuda_function *function = ARENA_NEW(&cuda->arena, struct cuda_function);
    *function = (struct cuda_function){.binary = binary,
                                       .host = host ? host : function,
                                       .name = arena_strndup(&cuda->arena, name, strlen(name))};
    if (cuda->functions.n * 2 >= cuda->by_host_size)
        grow_table(cuda);
    *find_place(cuda, function->host) = function;
    // A kernel can also be found by its handle.
    vec_push(&cuda->arena, &cuda->functions, function);
    return function;
}

struct cuda_function *function_of(struct cuda *cuda, const void *host)
{
    struct cuda_function *function = cuda->by_host_size ? *find_place(cuda, host) : NULL;
    for (uint32_t i = 0; !function && i < cuda->functions.n; i++)
        if (cuda->functions.v[i] == host)
            function = cuda->functions.v[i];
    return function;
}

const struct program_function *function_entry(struct cuda *cuda, struct cuda_function *function,
                                              int *error)
{
    *error = function ? cuda_begin(cuda) : cudaErrorInvalidDeviceFunction;
    if (*error)
        return NULL;
    if (function->program != cuda->programs) {
        function->program = cuda->programs;
        function->entry =
            function->binary->linked
                ? program_find(cuda->device->program,
                               link_find_name(&function->binary->names, function->name))
                : NULL;
    }
    if (!function->entry)
        *error =
            function->binary->failure ? function->binary->failure : cudaErrorInvalidDeviceFunction;
    return function->entry;
}

const struct allocation *binary_variable(struct cuda *cuda, const struct cuda_binary *binary,
                                         const char *name)
{
    if (!binary->linked)
        return NULL;
    uint32_t variable = device_find_variable(cuda->device, link_find_name(&binary->names, name));
    return variable == UINT32_MAX ? NULL : device_variable(cuda->device, variable);
}

const struct allocation *symbol_variable(struct cuda *cuda, const void *host, int *error)
{
    const struct allocation *variable = NULL;
    *error = cuda_begin(cuda);
    for (uint32_t i = 0; !*error && !variable && i < cuda->symbols.n; i++)
        if (cuda->symbols.v[i]->host == host)
            variable = binary_variable(cuda, cuda->symbols.v[i]->binary, cuda->symbols.v[i]->name);
    if (!*error && !variable)
        *error = cudaErrorInvalidSymbol;
    return variable;
}
