// RED with the first three levels in global memory, the others in shared memory. Pattern 1.
// [000 §6.2, Fig. 17]

#include "red.cuh"

extern "C" __global__ void red_hybrid3(float *g, float *sum)
{
    float *tile = own_tile(g);

    level_global<1024>(tile);
    level_global<512>(tile);
    level_global<256>(tile);
    rest_shared<256>(tile, sum);
}
