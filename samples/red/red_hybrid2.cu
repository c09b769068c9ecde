// RED with the first two levels in global memory, the others in shared memory; the variant of the
// paper's main results. Patterns 1 and 2.  [000 §6.2, Fig. 17]

#include "red.cuh"

extern "C" __global__ void red_hybrid2(float *g, float *sum)
{
    float *tile = own_tile(g);

    level_global<1024>(tile);
    level_global<512>(tile);
    rest_shared<512>(tile, sum);
}
