// Texture objects of one and two dimensions, as nvcc fetches from them. textures.ptx beside this
// file is what `nvcc -ptx -arch=sm_75 textures.cu` of CUDA 13.0 writes.

// to[i] is texel from[i] of linear memory.
extern "C" __global__ void lookup(cudaTextureObject_t table, const int *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex1Dfetch<float>(table, from[i]);
}

// One dimension, at x[i].
extern "C" __global__ void line(cudaTextureObject_t curve, const float *x, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex1D<float>(curve, x[i]);
}

// Two dimensions, at points[i]: one channel; four; whole numbers, as they are; the four texels
// around.
extern "C" __global__ void grey(cudaTextureObject_t image, const float2 *points, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex2D<float>(image, points[i].x, points[i].y);
}

extern "C" __global__ void colours(cudaTextureObject_t image, const float2 *points, float4 *to,
                                   int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex2D<float4>(image, points[i].x, points[i].y);
}

extern "C" __global__ void pixels(cudaTextureObject_t image, const float2 *points, uchar4 *to,
                                  int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex2D<uchar4>(image, points[i].x, points[i].y);
}

extern "C" __global__ void around(cudaTextureObject_t image, const float2 *points, float4 *to,
                                  int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex2Dgather<float4>(image, points[i].x, points[i].y, 1);
}

// An image drawn at another size.
extern "C" __global__ void scale(cudaTextureObject_t image, float *to, int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < width && j < height)
        to[j * width + i] = tex2D<float>(image, (i + 0.5f) / width, (j + 0.5f) / height);
}

// Handles in a structure, and in memory.
struct layers {
    cudaTextureObject_t image[2];
    float weight[2];
};

extern "C" __global__ void blend(layers two, const float2 *points, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= n)
        return;
    for (int k = 0; k < 2; k++)
        sum += two.weight[k] * tex2D<float>(two.image[k], points[i].x, points[i].y);
    to[i] = sum;
}

extern "C" __global__ void choose(const cudaTextureObject_t *images, int count,
                                  const float2 *points, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex2D<float>(images[i % count], points[i].x, points[i].y);
}
