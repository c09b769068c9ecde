// Surface objects, and texture objects of all shapes, by the runtime library's calls.
#include "check.h"

enum { W = 8, H = 4, D = 6, N = W * H * D };

__global__ void write_plane(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x;
    surf2Dwrite((float)x, surface, x * 4, 0);
}

__global__ void write_all(cudaSurfaceObject_t surface, int shape)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    float value = x + 10 * y + 100 * z;
    if (shape == 3)
        surf3Dwrite(value, surface, x * 4, y, z);
    else if (shape == 2)
        surf2DLayeredwrite(value, surface, x * 4, y, z);
    else
        surfCubemapwrite(value, surface, x * 4, y, z);
}

__global__ void read_all(cudaTextureObject_t texture, int shape, float *to)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x, i = (z * blockDim.y + y) * blockDim.x + x;
    if (shape == 3)
        to[i] = tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
    else if (shape == 2)
        to[i] = tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, z);
}

__global__ void bounds(cudaSurfaceObject_t surface, int *to)
{
    surf1Dwrite(77, surface, 4 * W, cudaBoundaryModeZero);
    surf1Dwrite(5, surface, 4 * W, cudaBoundaryModeClamp);
    to[0] = surf1Dread<int>(surface, -4, cudaBoundaryModeZero);
    to[1] = surf1Dread<int>(surface, 4 * W + 400, cudaBoundaryModeClamp);
    to[2] = surf1Dread<int>(surface, -4, cudaBoundaryModeClamp);
}

// The centre of each face, and a mipmap's levels.
__global__ void directions(cudaTextureObject_t cube, cudaTextureObject_t mipmap, float *to)
{
    int i = threadIdx.x;
    float sign = i & 1 ? -1 : 1, x = i / 2 == 0 ? sign : 0.01f, y = i / 2 == 1 ? sign : 0.01f;
    float z = i / 2 == 2 ? sign : 0.01f;
    to[i] = texCubemap<float>(cube, x, y, z);
    to[6 + i] = tex2DLod<float>(mipmap, 0.5f, 0.5f, i * 0.5f);
}

__global__ void gather(cudaTextureObject_t texture, float4 *to)
{
    *to = tex2Dgather<float4>(texture, 2.0f, 1.0f, 0);
}

static cudaTextureObject_t texture_of(cudaResourceDesc *resource, bool normalized, bool linear)
{
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    for (int i = 0; i < 3; i++)
        how.addressMode[i] = cudaAddressModeClamp;
    how.filterMode = how.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.normalizedCoords = normalized;
    how.maxMipmapLevelClamp = 10;
    how.maxAnisotropy = 4;
    CALL(cudaCreateTextureObject(&texture, resource, &how, NULL));
    return texture;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CALL(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static cudaArray_t array_of(int width, int height, int depth, unsigned flags)
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CALL(cudaMalloc3DArray(&array, &channels, make_cudaExtent(width, height, depth),
                           flags | cudaArraySurfaceLoadStore));
    return array;
}

static void check_plane()
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CALL(cudaMallocArray(&array, &channels, 32, 1, cudaArraySurfaceLoadStore));
    write_plane<<<1, 32>>>(surface_of(array));
    CALL(cudaDeviceSynchronize());
    float back[32];
    CALL(cudaMemcpy2DFromArray(back, sizeof back, array, 0, 0, sizeof back, 1,
                               cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(back[i] == i);
    CALL(cudaFreeArray(array));
}

static void check_volume(int shape, float *to)
{
    cudaArray_t array = array_of(W, H, D, shape == 3 ? 0 : cudaArrayLayered);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture = texture_of(&resource, false, false);
    write_all<<<D, dim3(W, H)>>>(surface_of(array), shape);
    read_all<<<D, dim3(W, H)>>>(texture, shape, to);
    float back[N], part[2][H][W];
    CALL(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        CHECK(back[i] == i % W + 10 * (i / W % H) + 100 * (i / W / H));
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.srcPos = make_cudaPos(0, 0, 3);
    copy.dstPtr = make_cudaPitchedPtr(part, sizeof part[0][0], W, H);
    copy.extent = make_cudaExtent(W, H, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3D(&copy));
    CHECK(part[0][1][2] == 312 && part[1][3][7] == 437);
    CALL(cudaDestroyTextureObject(texture));
    CALL(cudaFreeArray(array));
}

static void check_bounds(int *to)
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CALL(cudaMallocArray(&array, &channels, W, 0, cudaArraySurfaceLoadStore));
    bounds<<<1, 1>>>(surface_of(array), to);
    int back[3];
    CALL(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 0 && back[1] == 5 && back[2] == 0);
}

static void check_directions(float *to)
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t cube = array_of(W, W, 6, cudaArrayCubemap), level;
    cudaMipmappedArray_t mipmap;
    write_all<<<6, dim3(W, W)>>>(surface_of(cube), 6);
    CALL(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(4, 4, 0), 3));
    for (int i = 0; i < 3; i++) {
        float values[16];
        int side = 4 >> i;
        for (int k = 0; k < 16; k++)
            values[k] = 8 * i;
        CALL(cudaGetMipmappedArrayLevel(&level, mipmap, i));
        CALL(cudaMemcpy2DToArray(level, 0, 0, values, side * 4, side * 4, side,
                                 cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {}, levels = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = cube;
    levels.resType = cudaResourceTypeMipmappedArray;
    levels.res.mipmap.mipmap = mipmap;
    cudaTextureObject_t faces = texture_of(&resource, true, false);
    directions<<<1, 6>>>(faces, texture_of(&levels, true, true), to);
    float back[12];
    CALL(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++) {
        int x = (int)back[i] % 10, y = (int)back[i] / 10 % 10;
        CHECK((int)back[i] / 100 == i && (x == 3 || x == 4) && (y == 3 || y == 4));
        CHECK(back[6 + i] == (i < 4 ? 4 * i : 16));
    }
    CALL(cudaFreeMipmappedArray(mipmap));
}

static void check_gather(float *to)
{
    float texels[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CALL(cudaMallocArray(&array, &channels, 4, 2, cudaArrayTextureGather));
    CALL(cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    gather<<<1, 1>>>(texture_of(&resource, false, false), (float4 *)to);
    float4 back;
    CALL(cudaMemcpy(&back, to, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back.x == 6 && back.y == 7 && back.z == 3 && back.w == 2);
}

int main()
{
    float *to;
    CALL(cudaMalloc(&to, N * sizeof *to));
    check_plane();
    check_volume(3, to);
    check_volume(2, to);
    check_bounds((int *)to);
    check_directions(to);
    check_gather(to);
    cudaArray_t cube;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&cube, &channels, make_cudaExtent(4, 5, 6), cudaArrayCubemap) ==
          cudaErrorInvalidValue);
    return RESULT;
}
