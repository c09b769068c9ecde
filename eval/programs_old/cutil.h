/* What the programs of ISPASS 2009 use of the CUDA SDK's cutil.h; timers show no time. */
#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_SAFE_CALL(call)                                                                       \
    do {                                                                                           \
        cudaError_t failed = (call);                                                               \
        if (failed != cudaSuccess) {                                                               \
            fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(failed));                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define CUDA_SAFE_CALL_NO_SYNC(call) CUDA_SAFE_CALL(call)
#define CUT_SAFE_CALL(call) (void)(call)
#define CUT_CHECK_ERROR(text) CUDA_SAFE_CALL(cudaGetLastError())
#define CUT_EXIT(argc, argv) exit(0)

static inline int cutTimer(unsigned *timer)
{
    *timer = 0;
    return 1;
}
#define cutCreateTimer(timer) cutTimer(timer)
#define cutResetTimer(timer) 1
#define cutStartTimer(timer) 1
#define cutStopTimer(timer) 1
#define cutDeleteTimer(timer) 1
#define cutGetTimerValue(timer) 0.0f
#define cutGetAverageTimerValue(timer) 1.0f
