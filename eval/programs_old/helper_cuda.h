/* What programs take from the samples' header of this name. */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define checkCudaErrors(call) check_call((call), #call)
#define getLastCudaError(text) check_call(cudaGetLastError(), text)

static inline void check_call(cudaError_t error, const char *text)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", text, cudaGetErrorString(error));
    exit(1);
}
