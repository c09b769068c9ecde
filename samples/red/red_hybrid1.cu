// RED with the first level in global memory, the others in shared memory. Patterns 1 and 2.
// [000 §6.2, Fig. 17]

#include "red.cuh"

extern "C" __global__ void red_hybrid1(float *g, float *sum)
{
    float *tile = own_tile(g);

    level_global<1024>(tile);
    rest_shared<1024>(tile, sum);
}
