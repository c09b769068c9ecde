// Ways to write an index, compiled once; affine.c says what each address is.
//     nvcc -ptx -arch=sm_75 affine_nvcc.cu
extern "C" {

__global__ void plain(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + 1];
}

__global__ void without_sign(float *out, const float *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * n];
}

__global__ void matrix(float *out, const float *in, int width)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * width + x] = in[x * width + y];
}

struct particle {
    float x, y, z, mass;
};

__global__ void structures(struct particle *p, float *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[i].mass;
}

__global__ void rows(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += in[i * 1024 + threadIdx.x];
    out[threadIdx.x] = sum;
}

__global__ void shared(float *out)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.y] = tile[threadIdx.x][threadIdx.y];
}
}
