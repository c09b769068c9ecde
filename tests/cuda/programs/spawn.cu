/* Kernels that launch kernels. spawn.ptx is made of it by
 * nvcc -rdc=true -arch=compute_80 -ptx spawn.cu; linked.py has what each must compute. */

// Sorts 1000 words, which it fills first. The last word counts the launches.
enum { SORTED = 1000, LAUNCHES = 4095 };

__global__ void quicksort(int *d, int l, int r, int depth)
{
    atomicAdd(&d[LAUNCHES], 1);
    if (depth >= 14 || r - l < 8) {
        for (int i = l; i <= r; i++) {
            int m = i, t = d[i];
            for (int j = i + 1; j <= r; j++)
                m = d[j] < d[m] ? j : m;
            d[i] = d[m];
            d[m] = t;
        }
        return;
    }
    int p = d[(l + r) / 2], i = l, j = r;
    while (i <= j) {
        while (d[i] < p)
            i++;
        while (d[j] > p)
            j--;
        if (i <= j) {
            int t = d[i];
            d[i++] = d[j];
            d[j--] = t;
        }
    }
    cudaStream_t s;
    if (l < j) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(d, l, j, depth + 1);
        cudaStreamDestroy(s);
    }
    if (i < r) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(d, i, r, depth + 1);
        cudaStreamDestroy(s);
    }
}

extern "C" __global__ void sort(int *d)
{
    for (int i = 0; i < SORTED; i++)
        d[i] = (i * 7919 + 13) % 10007;
    quicksort<<<1, 1>>>(d, 0, SORTED - 1, 0);
}

// The order of launches. Word 0 counts the marks that follow it.
__global__ void mark(int *d, int value)
{
    d[++d[0]] = value;
}

__global__ void tail(int *d, int value)
{
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(d, value + 2);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(d, value + 3);
    mark<<<1, 1>>>(d, value + 1);
    d[++d[0]] = value;
}

extern "C" __global__ void order(int *d)
{
    mark<<<1, 1>>>(d, 1);
    mark<<<1, 1>>>(d, 2);
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(d, 10);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(d, 20);
    mark<<<1, 1>>>(d, 3);
}

// Streams that wait for each other's events, with copies and sets between launches.
__global__ void twice(int *d)
{
    for (int i = 0; i < 2000; i++)
        d[1] = d[0] * 2;
}

extern "C" __global__ void events(int *d)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    d[0] = 7;
    twice<<<1, 1, 0, a>>>(d);
    cudaMemcpyAsync(d + 2, d + 1, 4, cudaMemcpyDeviceToDevice, a);
    twice<<<1, 1, 0, a>>>(d + 2);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    twice<<<1, 1, 0, b>>>(d + 3);
    cudaMemsetAsync(d + 5, 1, 4, b);
    cudaEventDestroy(e);
}

// Each thread launches without order; the child adds to its two words.
__global__ void leaf(int *d, int i)
{
    atomicAdd(&d[i * 2 + threadIdx.x], i + (int)threadIdx.x);
}

extern "C" __global__ void each(int *d)
{
    leaf<<<1, 2, 0, cudaStreamFireAndForget>>>(d, threadIdx.x + blockIdx.x * blockDim.x);
}

// Divides a range among four launches, to a depth of 4.
__global__ void divide(int *d, int depth, int from, int n)
{
    if (!depth)
        d[from + threadIdx.x] = from + threadIdx.x + 1;
    else if (threadIdx.x < 4)
        divide<<<1, n / 4>>>(d, depth - 1, from + threadIdx.x * n / 4, n / 4);
}

extern "C" __global__ void recursion(int *d)
{
    divide<<<1, 1024>>>(d, 4, 0, 1024);
}

// A grid whose blocks launch as many threads as their data need.
__global__ void work(int *d, int from, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        d[from + i] += n;
}

extern "C" __global__ void adaptive(int *d)
{
    int n = blockIdx.x * 13 % 50;
    if (threadIdx.x == 0 && n)
        work<<<(n + 31) / 32, 32>>>(d, blockIdx.x * 64, n);
}

// Errors of the device runtime.
__global__ void deeper(int *d, int depth)
{
    d[0] = depth;
    deeper<<<1, 1>>>(d, depth + 1);
    int error = cudaGetLastError();
    if (error)
        d[1] = error;
}

extern "C" __global__ void errors(int *d)
{
    deeper<<<1, 1>>>(d, 1);
    mark<<<1, 2000>>>(d, 0);
    d[2] = cudaPeekAtLastError();
    d[3] = cudaGetLastError();
    d[4] = cudaGetLastError();
    mark<<<0, 1>>>(d, 0);
    d[5] = cudaGetLastError();
    cudaStream_t s;
    d[6] = cudaStreamCreateWithFlags(&s, 0);
    d[7] = cudaGetLastError();
    int *p;
    d[8] = cudaMalloc(&p, 100);
    p[24] = 9;
    d[9] = p[24];
    d[10] = cudaFree(p);
    d[11] = cudaFree(p + 1);
}

// More launches than may be pending.
__global__ void count(int *d)
{
    atomicAdd(d, 1);
}

extern "C" __global__ void many(int *d)
{
    for (int i = 0; i < 100; i++)
        count<<<1, 1, 0, cudaStreamFireAndForget>>>(d);
    d[1] = cudaGetLastError();
}
