// STREAM: the gain of opening a new centre in streaming k-median clustering.
//
// Shows patterns 2 (a point's coordinate minus the candidate's, which stays in a register) and 8
// (the gain: cost - distance * weight, which stays in a register).  [000 §4.1, Table 3]
//
// The n points of a chunk lie dimension-major, all of the same weight (a fresh chunk). assign[p]
// is the point's open centre (0 .. centres-1), cost[p] its weighted distance to it. A candidate x
// is tried with
//
//     stream_distance   distance[p] = |p - x|^2
//     stream_gain       the points that would go over to x, and what they win: row 0 of ledger;
//                       what the others lose if their centre closes: row 1 + assign[p]. ledger has
//                       1 + centres rows of n and is zero at the start; go[p] = 1 for the former.
//     stream_total      total[r] = sum of ledger row r; grid 1 + centres, 256 threads
//     stream_decide     one thread: which centres close, is opening x at price `open` worth it
//     stream_reassign   if so: hands the points over. x takes the number `centres`.

#include "../tree.cuh"

#define CTA 256

extern "C" __global__ void stream_distance(const float *__restrict__ point,
                                           const float *__restrict__ candidate,
                                           float *__restrict__ distance, int n, int dimensions)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (p >= n)
        return;
#pragma unroll 1
    for (int d = 0; d < dimensions; d++) {
        float difference = point[d * n + p] - candidate[d];

        sum += difference * difference;
    }
    distance[p] = sum;
}

extern "C" __global__ void stream_gain(const float *distance, const float *cost, const int *assign,
                                       float *ledger, int *go, float weight, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p >= n)
        return;

    float gain = cost[p] - distance[p] * weight;

    if (gain > 0.0f) {
        go[p] = 1;
        ledger[p] = gain;
    } else {
        go[p] = 0;
        ledger[(size_t)(1 + assign[p]) * n + p] = gain;
    }
}

extern "C" __global__ void stream_total(const float *ledger, float *total, int n)
{
    __shared__ float sum[CTA];
    int tid = threadIdx.x;
    const float *row = ledger + (size_t)blockIdx.x * n;
    float s = 0.0f;

#pragma unroll 1
    for (int p = tid; p < n; p += CTA)
        s += row[p];
    sum[tid] = s;
    __syncthreads();
    tree_sum<CTA>(sum);
    if (tid == 0)
        total[blockIdx.x] = sum[0];
}

extern "C" __global__ void stream_decide(const float *total, int *closes, int *accept, float open,
                                         int centres)
{
    float gain = total[0] - open;

#pragma unroll 1
    for (int k = 0; k < centres; k++) {
        float saved = open + total[1 + k];

        closes[k] = saved > 0.0f;
        if (saved > 0.0f)
            gain += saved;
    }
    *accept = gain > 0.0f;
}

extern "C" __global__ void stream_reassign(const float *distance, float *cost, int *assign,
                                           const int *go, const int *closes, const int *accept,
                                           float weight, int centres, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p >= n || *accept == 0)
        return;
    if (go[p] != 0 || closes[assign[p]] != 0) {
        cost[p] = distance[p] * weight;
        assign[p] = centres;
    }
}
