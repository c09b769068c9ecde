// BP: back propagation, the layer between many inputs and 16 hidden units.
//
// bp_forward   products of inputs and weights, added over the 16 inputs of a CTA by a tree in shared
//              memory; partial[CTA][hidden]. Blocks of 16 × 16 threads: x is the hidden unit, y the
//              input; grid inputs / 16
// bp_hidden    one CTA of 256 threads per hidden unit adds the partial sums; out = sigmoid,
//              delta = out (1 - out) (target - out)
// bp_adjust    weight += RATE * delta * input + MOMENTUM * change, which becomes the next change;
//              the factors are of type double, and so is the arithmetic. Blocks and grid as for
//              bp_forward
// Shows pattern 2 in bp_forward (input times weight). bp_adjust has no loop: its body is a
// candidate block.  [002 Table 2]
//
// weight and change have a row of 16 per input; the number of inputs is a multiple of 16.

#include "../tree.cuh"

#define HIDDEN 16
#define CTA 256
#define RATE 0.3
#define MOMENTUM 0.3

extern "C" __global__ void bp_forward(const float *input, const float *weight, float *partial)
{
    __shared__ float product[HIDDEN][HIDDEN];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * HIDDEN + y;

    product[y][x] = input[i] * weight[i * HIDDEN + x];
    __syncthreads();
#pragma unroll 1
    for (int half = HIDDEN / 2; half > 0; half >>= 1) {
        if (y < half)
            product[y][x] += product[y + half][x];
        __syncthreads();
    }
    if (y == 0)
        partial[blockIdx.x * HIDDEN + x] = product[0][x];
}

extern "C" __global__ void bp_hidden(const float *partial, const float *target, float *out,
                                     float *delta, int ctas)
{
    __shared__ float sum[CTA];
    int hidden = blockIdx.x, tid = threadIdx.x;
    float s = 0.0f;

#pragma unroll 1
    for (int i = tid; i < ctas; i += CTA)
        s += partial[i * HIDDEN + hidden];
    sum[tid] = s;
    __syncthreads();
    tree_sum<CTA>(sum);
    if (tid == 0) {
        float o = 1.0f / (1.0f + __expf(-sum[0]));

        out[hidden] = o;
        delta[hidden] = o * (1.0f - o) * (target[hidden] - o);
    }
}

extern "C" __global__ void bp_adjust(const float *input, const float *delta, float *weight,
                                     float *change)
{
    int x = threadIdx.x, i = blockIdx.x * HIDDEN + threadIdx.y, here = i * HIDDEN + x;
    double step = RATE * delta[x] * input[i] + MOMENTUM * change[here];

    weight[here] = weight[here] + step;
    change[here] = step;
}
