// INTEGR: integral image. out[y][x] is the sum of the pixels in[0..y][0..x], signed bytes.
//
// integr_rows     prefix sums of the rows, one CTA of 256 threads per row
// integr_columns  prefix sums of the columns of that, in place, one thread per column
// integr_serial   both at once, one thread for the whole image: two nested loops with dependences
//                 (0,1), (1,0) and (1,1), the source form for spatial hardware
// Shows no chain: sums stay in registers. The loop of integr_columns is a candidate block.
// [003 Listing 1, Table I]

#define CTA 256

extern "C" __global__ void integr_rows(const signed char *in, int *out, int width)
{
    __shared__ int sum[CTA];
    int tid = threadIdx.x, first = blockIdx.x * width, before = 0;

#pragma unroll 1
    for (int base = 0; base < width; base += CTA) {
        int x = base + tid, s = x < width ? in[first + x] : 0;

        sum[tid] = s;
        __syncthreads();
#pragma unroll 1
        for (int step = 1; step < CTA; step <<= 1) {
            int other = tid >= step ? sum[tid - step] : 0;

            __syncthreads();
            sum[tid] += other;
            __syncthreads();
        }
        if (x < width)
            out[first + x] = before + sum[tid];
        before += sum[CTA - 1];
        __syncthreads();
    }
}

extern "C" __global__ void integr_columns(int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    if (x >= width)
        return;
#pragma unroll 1
    for (int y = 0; y < height; y++) {
        sum += out[y * width + x];
        out[y * width + x] = sum;
    }
}

extern "C" __global__ void integr_serial(const signed char *in, int *out, int width, int height)
{
    // The first row has no row above it: it is done apart, so that the nest has no condition.
    int west = 0;

#pragma unroll 1
    for (int x = 0; x < width; x++) {
        west += in[x];
        out[x] = west;
    }
#pragma unroll 1
    for (int y = 1; y < height; y++) {
        int corner = 0;

        west = 0;
#pragma unroll 1
        for (int x = 0; x < width; x++) {
            int north = out[(y - 1) * width + x];

            west = in[y * width + x] - corner + north + west;
            out[y * width + x] = west;
            corner = north;
        }
    }
}
