// C = A · B, square, by tiles of 16 × 16 in shared memory: nvcc -ptx -arch=compute_75 matmul.cu
enum { TILE = 16 };

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
