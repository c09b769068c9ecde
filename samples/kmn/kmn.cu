// KMN: k-means clustering.
//
// Shows patterns 2 (a point's feature minus a centre's, which stays in a register) and 4 (the
// layout change: ld, convert to float, st).  [000 §4.1, Table 3]
//
// kmn_layout   turns the point-major table of integer features into a feature-major one of
//              floats, so that neighbouring threads read neighbouring words; once.
// kmn_assign   finds every point's nearest centre; sets *moved where one changed.
// kmn_centres  one CTA of 256 threads per (cluster, feature): grid (features, clusters); the new
//              centre is the mean of its points, an empty cluster keeps its centre.
//
// At the start member is -1 everywhere and centre holds the first guess, cluster-major. The host
// repeats *moved = 0; kmn_assign; kmn_centres while *moved comes back as 1.

#define CTA 256

extern "C" __global__ void kmn_layout(const int *table, float *feature, int points, int features)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p >= points)
        return;
#pragma unroll 1
    for (int f = 0; f < features; f++)
        feature[f * points + p] = (float)table[p * features + f];
}

extern "C" __global__ void kmn_assign(const float *feature, const float *centre, int *member,
                                      int *moved, int points, int clusters, int features)
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
            float d = feature[f * points + p] - centre[k * features + f];

            distance += d * d;
        }
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    if (member[p] != best) {
        member[p] = best;
        *moved = 1;
    }
}

extern "C" __global__ void kmn_centres(const float *feature, const int *member, float *centre,
                                       int points, int features)
{
    __shared__ float sum[CTA];
    __shared__ int size[CTA];
    int f = blockIdx.x, k = blockIdx.y, tid = threadIdx.x;
    float s = 0.0f;
    int n = 0;

#pragma unroll 1
    for (int p = tid; p < points; p += CTA)
        if (member[p] == k) {
            s += feature[f * points + p];
            n++;
        }
    sum[tid] = s;
    size[tid] = n;
    __syncthreads();
#pragma unroll 1
    for (int half = CTA / 2; half > 0; half >>= 1) {
        if (tid < half) {
            sum[tid] += sum[tid + half];
            size[tid] += size[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0 && size[0] > 0)
        centre[k * features + f] = sum[0] / (float)size[0];
}
