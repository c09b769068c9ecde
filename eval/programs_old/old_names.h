/* Names that sources from before CUDA 13 use: included first in the programs of eval/programs.py.
 */
#pragma once
#include <cuda_runtime.h>

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
