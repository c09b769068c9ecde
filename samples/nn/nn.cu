// NN: a layer of a neural network for handwritten digits: 50 maps of 5 × 5 from 6 maps of 13 × 13.
//
// Shows pattern 2 under --fma=split (weight times pixel). Many small sums; every neuron of a map
// has the same weights.  [003 Table I]
//
// A neuron of a map adds its map's bias and, for each of the 6 input maps, a window of 5 × 5 pixels
// times 25 weights; windows are two pixels apart. Grid (maps, images), blocks of 5 × 5 threads. The
// activation is a polynomial of degree 7 near the hyperbolic tangent, of sums limited to [-2.5,
// 2.5].

#define IN_MAPS 6
#define IN 13
#define OUT 5
#define WINDOW 5

extern "C" __global__ void nn(const float *in, const float *weight, const float *bias, float *out)
{
    int map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
    const float *pixel = in + image * IN_MAPS * IN * IN + 2 * y * IN + 2 * x;
    const float *w = weight + map * IN_MAPS * WINDOW * WINDOW;
    float sum = bias[map];

#pragma unroll 1
    for (int m = 0; m < IN_MAPS; m++) {
#pragma unroll 1
        for (int row = 0; row < WINDOW; row++) {
#pragma unroll
            for (int column = 0; column < WINDOW; column++)
                sum = fmaf(w[column], pixel[column], sum);
            w += WINDOW;
            pixel += IN;
        }
        pixel += IN * (IN - WINDOW);
    }

    float s = fminf(fmaxf(sum, -2.5f), 2.5f), square = s * s;
    float factor = fmaf(square, -0.0022426860f, 0.036102368f);

    factor = fmaf(square, fmaf(square, factor, -0.22927438f), 0.96289396f);
    out[((image * gridDim.x + map) * OUT + y) * OUT + x] = s * factor;
}
