// RED with all eleven levels in global memory: patterns 1 and, for the tile's sum, 3.
// [000 §6.2, Fig. 17]

#include "red.cuh"

extern "C" __global__ void red_global(float *g, float *sum)
{
    float *tile = own_tile(g);

    level_global<1024>(tile);
    level_global<512>(tile);
    level_global<256>(tile);
    rest_global(tile, sum);
}
