// Memory spaces, vectors, atomics, volatile and ordered accesses, barriers, tables with values.
__constant__ float weights[64] = {1.0f, 0.5f, 0.25f};
__device__ int table[8] = {1, -2, 3, -4};
__device__ const char *const names[] = {"one", "two\n", "\"three\""};
__device__ double accumulated;
__managed__ unsigned counter;

extern "C" __global__ void stage(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    extern __shared__ int more[];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * n + x] * weights[x];
    more[x] = table[x & 7];
    __syncthreads();
    out[x * n + y] = tile[x][y] + (float)more[y];
    __threadfence();
    float local[16];
    for (int i = 0; i < 16; i++)
        local[i] = in[i * n];
    out[0] = local[n & 15];
}

extern "C" __global__ void atomics(int *a, unsigned long long *b, float *c, double *d, int v)
{
    atomicAdd(a, v);
    atomicCAS(a + 1, v, 2 * v);
    a[2] = atomicExch(a + 3, v);
    atomicMax(b, (unsigned long long)v);
    atomicAdd(c, 1.5f);
    atomicAdd(d, 2.5);
    atomicInc((unsigned *)a + 4, 17u);
    atomicAnd_system(a + 5, v);
    atomicAdd(&counter, 1u);
    accumulated = *d;
}

extern "C" __global__ void ordered(volatile int *flag, int *data, const char **out)
{
    while (!*flag)
        __nanosleep(100);
    __threadfence_system();
    data[1] = __ldcg(data);
    __stwt(data + 2, __ldlu(data + 3));
    out[0] = names[data[1] & 1];
}

extern "C" __global__ void vectors(float4 *a, const double2 *__restrict__ b, uchar4 *c, short2 *d,
                                   longlong2 *e)
{
    int i = threadIdx.x;
    float4 v = a[i];
    double2 w = b[i];
    v.x += (float)w.x;
    v.w -= (float)w.y;
    a[i] = v;
    uchar4 u = c[i];
    u.y++;
    c[i] = u;
    d[i].x = (short)u.z;
    e[i] = make_longlong2(v.x, i);
}

extern "C" __global__ void three(float *c, const float *a, const float *b, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
        c[i + n] = a[i + n] * s;
        c[i + 2 * n] = a[i + 2 * n] > b[i + 2 * n] ? 1.0f : 0.0f;
        c[i + 3 * n] = a[i + 3 * n];
        c[i + 4 * n] = fmaf(a[i + 4 * n], s, b[i + 4 * n]);
    }
}
