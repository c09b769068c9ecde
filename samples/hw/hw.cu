// HW: heart wall tracking, points of an ultrasound image followed from frame to frame.
//
// hw_template   copies a window of SIDE × SIDE pixels around every point, as floats
// hw_track      finds the offset of at most REACH rows and columns at which the frame is most like
//               the point's window, and moves the point there
// Shows no chain: a pixel has two uses. The inner loop of hw_track is a candidate block; the
// maximum is found in shared memory.  [002 Table 2]
//
// One CTA per point; hw_template has any number of threads, hw_track 256, of which (2 REACH + 1)²
// try an offset each. Likeness is the square of the sum of products over the sum of squares of the
// frame's pixels; of equal offsets the first is taken. The sums are whole numbers below 2^24, so
// that the order of additions makes no difference. A frame is larger by HALF + REACH pixels on each
// side than the range of the points.

#define HALF 6
#define SIDE (2 * HALF + 1)
#define REACH 7
#define SPAN (2 * REACH + 1)
#define CTA 256

extern "C" __global__ void hw_template(const unsigned char *frame, const int *row,
                                       const int *column, float *window, int width)
{
    int point = blockIdx.x;
    const unsigned char *corner = frame + (row[point] - HALF) * width + column[point] - HALF;

#pragma unroll 1
    for (int k = threadIdx.x; k < SIDE * SIDE; k += blockDim.x)
        window[point * SIDE * SIDE + k] = corner[k / SIDE * width + k % SIDE];
}

extern "C" __global__ void hw_track(const unsigned char *frame, const float *window, int *row,
                                    int *column, int width)
{
    __shared__ float best[CTA];
    __shared__ int which[CTA];
    int point = blockIdx.x, tid = threadIdx.x;
    int upper = row[point] - HALF - REACH, left = column[point] - HALF - REACH;
    float likeness = -1.0f;

    if (tid < SPAN * SPAN) {
        const unsigned char *pixel = frame + (upper + tid / SPAN) * width + left + tid % SPAN;
        const float *w = window + point * SIDE * SIDE;
        float product = 0.0f, square = 0.0f;

#pragma unroll 1
        for (int y = 0; y < SIDE; y++) {
#pragma unroll 1
            for (int x = 0; x < SIDE; x++) {
                float p = pixel[x];

                product = fmaf(p, w[x], product);
                square = fmaf(p, p, square);
            }
            pixel += width;
            w += SIDE;
        }
        likeness = square > 0.0f ? product * product / square : 0.0f;
    }
    best[tid] = likeness;
    which[tid] = tid;
    __syncthreads();
#pragma unroll 1
    for (int half = CTA / 2; half > 0; half >>= 1) {
        if (tid < half) {
            float other = best[tid + half];

            if (other > best[tid] || (other == best[tid] && which[tid + half] < which[tid])) {
                best[tid] = other;
                which[tid] = which[tid + half];
            }
        }
        __syncthreads();
    }
    if (tid == 0) {
        row[point] = upper + HALF + which[0] / SPAN;
        column[point] = left + HALF + which[0] % SPAN;
    }
}
