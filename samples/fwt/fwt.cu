// FWT: fast Walsh-Hadamard transform of vectors whose length is a power of two, in place.
//
// fwt_shared   the ten steps with strides 1 to 512, on 1024 elements in shared memory; CTAs of 256
//              threads
// fwt_radix4   two steps at once, with strides `stride` and 2 * stride: four elements per thread
// fwt_radix2   one step; for lengths that are an odd power of two
// Shows no chain: an element of a butterfly has two uses. fwt_radix2 and fwt_radix4 are candidate
// blocks, whose addresses differ by fixed powers of two.  [002 Table 2]
//
// Vectors follow one another. fwt_radix4 and fwt_radix2 have a thread for every four or two
// elements of all vectors; stride is at least 1024.

#define CTA 256
#define PART (4 * CTA)

extern "C" __global__ void fwt_shared(float *data)
{
    __shared__ float part[PART];
    int tid = threadIdx.x;
    float *at = data + blockIdx.x * PART;

#pragma unroll
    for (int k = 0; k < PART; k += CTA)
        part[tid + k] = at[tid + k];
#pragma unroll 1
    for (int stride = 1; stride < PART; stride <<= 1) {
        __syncthreads();
#pragma unroll
        for (int k = tid; k < tid + PART / 2; k += CTA) {
            int i = 2 * k - (k & stride - 1);
            float a = part[i], b = part[i + stride];

            part[i] = a + b;
            part[i + stride] = a - b;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < PART; k += CTA)
        at[tid + k] = part[tid + k];
}

extern "C" __global__ void fwt_radix4(float *data, int stride)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float *at = data + 4 * k - 3 * (k & stride - 1);
    float a = at[0], b = at[stride], c = at[2 * stride], d = at[3 * stride];
    float e = a + b, f = a - b, g = c + d, h = c - d;

    at[0] = e + g;
    at[stride] = f + h;
    at[2 * stride] = e - g;
    at[3 * stride] = f - h;
}

extern "C" __global__ void fwt_radix2(float *data, int stride)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float *at = data + 2 * k - (k & stride - 1);
    float a = at[0], b = at[stride];

    at[0] = a + b;
    at[stride] = a - b;
}
