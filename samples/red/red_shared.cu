// RED with shared memory only: no level works in global memory. Pattern 2.
// [000 §6.2, Fig. 17]

#include "red.cuh"

extern "C" __global__ void red_shared(float *g, float *sum)
{
    rest_shared<2048>(own_tile(g), sum);
}
