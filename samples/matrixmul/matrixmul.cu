// MATRIXMUL: product of two matrices by tiles in shared memory.
//
// Shows no chain: all loads go to shared memory. Each element of a tile is used sixteen times.
// [001 Table 3]
//
// a has rows of `inner` elements, b and c rows of `columns`. Blocks of TILE × TILE threads, one per
// tile of c; the sizes are multiples of TILE.

#define TILE 16

extern "C" __global__ void matrixmul(const float *a, const float *b, float *c, int inner,
                                     int columns)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;

#pragma unroll 1
    for (int first = 0; first < inner; first += TILE) {
        left[y][x] = a[row * inner + first + x];
        right[y][x] = b[(first + y) * columns + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum = fmaf(left[y][k], right[k][x], sum);
        __syncthreads();
    }
    c[row * columns + column] = sum;
}
