// CONV: convolution of an image with a kernel of 3 × 3 weights, in three forms.
//
// conv_direct   nine loads from global memory per thread; no loop: a map for spatial hardware
// conv_tile     a tile with its border in shared memory
// conv_row, conv_column   a separable kernel: three weights along the rows, then three along the
//               columns
// Shows no chain: each load is multiplied by a weight and added to a register. The bodies of
// conv_direct, conv_row and conv_column are candidate blocks.  [003 Table I]
//
// The result has `height` rows of `width` pixels; the input of conv_direct and conv_tile has two
// rows and two columns more, so that every pixel of the result has its nine inputs. conv_row reads
// rows of width + 2 pixels and writes rows of width, conv_column reads height + 2 rows and writes
// height. Blocks of conv_tile have TILE × TILE threads.

#define TILE 16

extern "C" __global__ void conv_direct(const float *in, float *out, int width, int height, float a0,
                                       float a1, float a2, float b0, float b1, float b2, float c0,
                                       float c1, float c2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;

    const float *top = in + y * (width + 2) + x;
    const float *middle = top + (width + 2), *bottom = middle + (width + 2);
    float a = fmaf(a2, top[2], fmaf(a1, top[1], a0 * top[0]));
    float b = fmaf(b2, middle[2], fmaf(b1, middle[1], b0 * middle[0]));
    float c = fmaf(c2, bottom[2], fmaf(c1, bottom[1], c0 * bottom[0]));

    out[y * width + x] = a + b + c;
}

extern "C" __global__ void conv_tile(const float *in, float *out, int width, int height, float a0,
                                     float a1, float a2, float b0, float b1, float b2, float c0,
                                     float c1, float c2)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int left = blockIdx.x * TILE, upper = blockIdx.y * TILE;
    int x = threadIdx.x, y = threadIdx.y;

#pragma unroll 1
    for (int k = y * TILE + x; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
        int row = k / (TILE + 2), column = k % (TILE + 2);

        if (upper + row < height + 2 && left + column < width + 2)
            tile[row][column] = in[(upper + row) * (width + 2) + left + column];
    }
    __syncthreads();
    if (left + x >= width || upper + y >= height)
        return;

    float a = fmaf(a2, tile[y][x + 2], fmaf(a1, tile[y][x + 1], a0 * tile[y][x]));
    float b = fmaf(b2, tile[y + 1][x + 2], fmaf(b1, tile[y + 1][x + 1], b0 * tile[y + 1][x]));
    float c = fmaf(c2, tile[y + 2][x + 2], fmaf(c1, tile[y + 2][x + 1], c0 * tile[y + 2][x]));

    out[(upper + y) * width + left + x] = a + b + c;
}

extern "C" __global__ void conv_row(const float *in, float *out, int width, int height, float w0,
                                    float w1, float w2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;

    const float *at = in + y * (width + 2) + x;

    out[y * width + x] = fmaf(w2, at[2], fmaf(w1, at[1], w0 * at[0]));
}

extern "C" __global__ void conv_column(const float *in, float *out, int width, int height, float w0,
                                       float w1, float w2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;

    const float *at = in + y * width + x;

    out[y * width + x] = fmaf(w2, at[2 * width], fmaf(w1, at[width], w0 * at[0]));
}
