// Texture objects on linear memory, on rows, and on arrays.
#include "check.h"

__global__ void read_linear(cudaTextureObject_t texture, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = tex1Dfetch<int>(texture, i) + 1;
}

__global__ void read_points(cudaTextureObject_t texture, float *to, int width, int height,
                            float offset)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height)
        to[y * width + x] = tex2D<float>(texture, x + offset, y + offset);
}

static cudaTextureDesc how(cudaTextureFilterMode filter)
{
    cudaTextureDesc made = {};
    made.addressMode[0] = made.addressMode[1] = cudaAddressModeClamp;
    made.filterMode = filter;
    made.readMode = cudaReadModeElementType;
    return made;
}

int main()
{
    enum { N = 500, WIDTH = 16, HEIGHT = 8 };
    int host[N], back[N], *at, *to;
    for (int i = 0; i < N; i++)
        host[i] = 7 * i;
    CALL(cudaMalloc(&at, sizeof host));
    CALL(cudaMalloc(&to, sizeof host));
    CALL(cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = at;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof host;
    cudaTextureDesc point = how(cudaFilterModePoint), linear = how(cudaFilterModeLinear);
    cudaTextureObject_t texture;
    CALL(cudaCreateTextureObject(&texture, &resource, &point, NULL));
    read_linear<<<2, 256>>>(texture, to, N);
    CALL(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        CHECK(back[i] == 7 * i + 1);
    CALL(cudaDestroyTextureObject(texture));
    // An array
    float image[HEIGHT][WIDTH], seen[HEIGHT][WIDTH], *out;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            image[y][x] = 10 * y + x;
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    CALL(cudaMallocArray(&array, &channels, WIDTH, HEIGHT));
    CALL(cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], HEIGHT,
                             cudaMemcpyHostToDevice));
    CALL(cudaMalloc(&out, sizeof image));
    resource = cudaResourceDesc();
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CALL(cudaCreateTextureObject(&texture, &resource, &linear, NULL));
    read_points<<<1, dim3(16, 8)>>>(texture, out, WIDTH, HEIGHT, 1.0f);
    CALL(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK(seen[2][3] == 20 + 3 + 5.5f);
    CHECK(seen[HEIGHT - 1][WIDTH - 1] == image[HEIGHT - 1][WIDTH - 1]);
    CALL(cudaDestroyTextureObject(texture));
    CALL(cudaMemcpy2DFromArray(seen, sizeof seen[0], array, 0, 0, sizeof seen[0], HEIGHT,
                               cudaMemcpyDeviceToHost));
    CHECK(seen[5][6] == 56);
    CALL(cudaFreeArray(array));
    // Rows
    size_t pitch;
    float *rows;
    CALL(cudaMallocPitch(&rows, &pitch, sizeof image[0], HEIGHT));
    CALL(cudaMemcpy2D(rows, pitch, image, sizeof image[0], sizeof image[0], HEIGHT,
                      cudaMemcpyHostToDevice));
    resource = cudaResourceDesc();
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = channels;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    CALL(cudaCreateTextureObject(&texture, &resource, &point, NULL));
    read_points<<<1, dim3(16, 8)>>>(texture, out, WIDTH, HEIGHT, 0.5f);
    CALL(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            CHECK(seen[y][x] == image[y][x]);
    CALL(cudaDestroyTextureObject(texture));
    return RESULT;
}
