// Fatbins: their registration by the program.
#include "runtime-sim/cuda/cuda.h"

struct cuda_binary *binary_add(struct cuda *cuda, const void *image, uint64_t readable)
{
    struct cuda_binary *binary = ARENA_NEW(&cuda->arena, struct cuda_binary);
    *binary = (struct cuda_binary){.image = {image, readable}};
    vec_push(&cuda->arena, &cuda->registry.binaries, binary);
    return binary;
}

// Registration by the program

CUDA_EXPORT void **ptxo___cudaRegisterFatBinary(void *wrapper);
void **ptxo___cudaRegisterFatBinary(void *of)
{
    const struct cuda_fatbin_wrapper *wrapper = of;
    struct cuda *cuda = cuda_enter();
    if (setjmp(cuda->memory.on_failure))
        cuda_out_of_memory(cuda);
    struct cuda_binary *binary = binary_add(cuda, wrapper->data, UINT64_MAX);
    if (wrapper->version > 1)
        binary->objects = wrapper->fatbins;
    cuda->contexts.of_runtime = true;
    if (wrapper->magic != FATBIN_WRAPPER_MAGIC)
        binary->failed = true;
    cuda_leave_quietly(cuda, 0);
    return (void **)binary;
}

CUDA_EXPORT void ptxo___cudaRegisterFatBinaryEnd(void **handle);
void ptxo___cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle; // functions and variables are resolved when they are needed
}

// Drops what lies in the memory of a library that dlclose unmaps. Kernels that were linked stay:
// the statistics are written at the end.
static int unregister(struct cuda *cuda, struct cuda_binary *binary)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cuda->registry.symbols.n; i++)
        if (cuda->registry.symbols.v[i]->binary != binary)
            cuda->registry.symbols.v[kept++] = cuda->registry.symbols.v[i];
    cuda->registry.symbols.n = kept;
    binary->failed |= !binary->linked;
    return cudaSuccess;
}

CUDA_EXPORT void ptxo___cudaUnregisterFatBinary(void **handle);
void ptxo___cudaUnregisterFatBinary(void **handle)
{
    CUDA_DO(unregister(cuda, (struct cuda_binary *)handle));
}

CUDA_EXPORT char ptxo___cudaInitModule(void **handle);
char ptxo___cudaInitModule(void **handle)
{
    (void)handle;
    return CUDA_DO(cuda_begin(cuda)) == cudaSuccess;
}

CUDA_EXPORT void ptxo___cudaRegisterFunction(void **handle, const char *host, char *device,
                                             const char *name, int threads, void *thread,
                                             void *block, void *block_size, void *grid_size,
                                             int *warp);
void ptxo___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                 int threads, void *thread, void *block, void *block_size,
                                 void *grid_size, int *warp)
{
    (void)device, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size;
    (void)warp;
    CUDA_DO((function_add(cuda, (struct cuda_binary *)handle, host, name), cudaSuccess));
}

void symbol_add(struct cuda *cuda, struct cuda_symbol from)
{
    struct cuda_symbol *symbol = ARENA_NEW(&cuda->arena, struct cuda_symbol);
    *symbol = from;
    vec_push(&cuda->arena, &cuda->registry.symbols, symbol);
}

CUDA_EXPORT void ptxo___cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                        int external, size_t bytes, int constant, int global);
void ptxo___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                            size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    CUDA_DO((symbol_add(cuda, (struct cuda_symbol){.binary = (struct cuda_binary *)handle,
                                                   .host = host,
                                                   .name = name,
                                                   .bytes = bytes}),
             cudaSuccess));
}

CUDA_EXPORT void ptxo___cudaRegisterManagedVar(void **handle, void **host, char *device,
                                               const char *name, int external, size_t bytes,
                                               int constant, int global);
void ptxo___cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                   int external, size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    CUDA_DO((symbol_add(cuda, (struct cuda_symbol){.binary = (struct cuda_binary *)handle,
                                                   .host = host,
                                                   .managed = host,
                                                   .name = name,
                                                   .bytes = bytes}),
             cudaSuccess));
}

CUDA_API(__cudaRegisterHostVar, void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
    return cudaSuccess;
}
