// KM on the point-major table: each thread walks its own part of it, so that a warp's load touches
// as many lines as 32 points have. The centres are in global memory.
//
// kmn_points   finds every point's nearest centre.  [002 Table 2, §5.3]
//
// point and centre are point-major; member[p] is the number of the first nearest centre.

extern "C" __global__ void kmn_points(const float *point, const float *centre, int *member,
                                      int points, int clusters, int features)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int best = 0;
    float least = 3.402823466e38f;

    if (p >= points)
        return;
#pragma unroll 1
    for (int k = 0; k < clusters; k++) {
        float distance = 0.0f;

#pragma unroll 1
        for (int f = 0; f < features; f++) {
            float d = centre[k * features + f] - point[p * features + f];

            distance += d * d;
        }
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    member[p] = best;
}
