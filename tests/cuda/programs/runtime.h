/* Declarations of the CUDA runtime for programs that register their kernels themselves. */
#pragma once
#include <stddef.h>

struct dim3 {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *name, const char *device,
                            int limit, void *thread, void *block, void *block_size, void *grid_size,
                            int *warp);
int cudaMalloc(void **to, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cudaDeviceSynchronize(void);
