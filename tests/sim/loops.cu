// Loops of many shapes, for what a compiler makes of them: loops.ptx is made of this by
// nvcc -ptx -arch=sm_75. `c[i]` is (i + 1) · (n + 1) for whoever runs this, and `a` holds zeros.
struct point {
    float x, y, z;
};

struct node {
    long next;
    float value;
};

#define KERNEL(name, type, body)                                                                   \
    extern "C" __global__ void name(const float *a, float *b, const int *c, type n)                \
    {                                                                                              \
        float sum = 0;                                                                             \
        body b[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                       \
    }
#define ONCE _Pragma("unroll 1")

KERNEL(up, int, ONCE for (int i = 0; i < n; i++) sum += a[i];)
KERNEL(up_equal, int, ONCE for (int i = 1; i <= n; i++) sum += a[i];)
KERNEL(down, int, ONCE for (int i = n; i > 0; i--) sum += a[i];)
KERNEL(down_equal, int, ONCE for (int i = n - 1; i >= 0; i--) sum += a[i];)
KERNEL(by_three, int, ONCE for (int i = 2; i < n; i += 3) sum += a[i];)
KERNEL(by_seven_equal, unsigned, ONCE for (unsigned i = 0; i <= n; i += 7) sum += a[i];)
KERNEL(down_by_four, int, ONCE for (int i = n; i >= 4; i -= 4) sum += a[i];)
KERNEL(by_argument, int, int step = c[0]; ONCE for (int i = 0; i < 60; i += step) sum += a[i];)
KERNEL(doubles, int, ONCE for (int i = 1; i < n; i *= 2) sum += a[i];)
KERNEL(halves, unsigned, ONCE for (unsigned i = n; i > 0; i >>= 1) sum += a[i];)
KERNEL(trebles, int, ONCE for (int i = 1; i <= n; i *= 3) sum += a[i];)
KERNEL(halves_block, int, ONCE for (unsigned i = blockDim.x / 2; i > 0; i >>= 1) sum += a[i];)
KERNEL(doubles_constant, int, ONCE for (int i = 1; i < 100; i <<= 1) sum += a[i];)
KERNEL(halves_constant, int, ONCE for (int i = 128; i > 0; i /= 2) sum += a[i];)
KERNEL(halves_to_four, int, ONCE for (int i = n; i >= 4; i >>= 1) sum += a[i];)
KERNEL(differs, int, ONCE for (int i = 0; i != 3 * n; i += 3) sum += a[i];)
KERNEL(pointer, int, ONCE for (const float *p = a; p < a + n; p++) sum += *p;)
KERNEL(pointer_differs, int, ONCE for (const float *p = a; p != a + n; p++) sum += *p;)
KERNEL(pointer_down, int, ONCE for (const float *p = a + n; p-- > a;) sum += *p;)
KERNEL(pointer_by_two, int, ONCE for (const float *p = a; p < a + n; p += 2) sum += *p;)
KERNEL(up_unsigned, unsigned, ONCE for (unsigned i = 0; i < n; i++) sum += a[i];)
KERNEL(up_long, long, ONCE for (long i = 0; i < n; i++) sum += a[i];)
KERNEL(down_long_by_two, long long, ONCE for (long long i = n; i > 0; i -= 2) sum += a[i];)
KERNEL(up_size, unsigned long, ONCE for (unsigned long i = 0; i < n; i += 5) sum += a[i];)
KERNEL(up_short, int, ONCE for (short i = 0; i < (short)n; i++) sum += a[i];)
KERNEL(down_short, int, ONCE for (unsigned short i = (short)n; i > 0; i--) sum += a[i];)
KERNEL(up_byte, int, ONCE for (unsigned char i = 0; i < (n & 127); i++) sum += a[i];)
KERNEL(byte_to_100, int, ONCE for (signed char i = 0; i < 100; i += 3) sum += a[i];)
KERNEL(wraps_below, unsigned, ONCE for (unsigned i = n - 1; i != ~0u; i--) sum += a[i];)
KERNEL(wraps_below_less, unsigned, ONCE for (unsigned i = n - 1; i < n; i--) sum += a[i];)
KERNEL(post_decrement, int, ONCE while (n-- > 0) sum += a[n];)
KERNEL(post_decrement_unsigned, unsigned, ONCE while (n--) sum += a[n];)
KERNEL(unrolled_by_four, int, _Pragma("unroll 4") for (int i = 0; i < n; i++) sum += a[i];)
KERNEL(unrolled_down, int, _Pragma("unroll 4") for (int i = n; i > 0; i--) sum += a[i];)
KERNEL(unrolled_long, long, _Pragma("unroll 4") for (long i = 0; i < n; i++) sum += a[i];)
KERNEL(unrolled_by_three, unsigned,
       _Pragma("unroll 3") for (unsigned i = 0; i < n; i++) sum += a[i];)
KERNEL(unrolled_pointer, int,
       _Pragma("unroll 4") for (const float *p = a; p < a + n; p++) sum += *p;)
KERNEL(unrolled_constant, int, _Pragma("unroll 4") for (int i = 0; i < 64; i++) sum += a[i * n];)
KERNEL(unrolled_with_rest, int, _Pragma("unroll 4") for (int i = 0; i < 65; i++) sum += a[i * n];)
KERNEL(unrolled_as_it_likes, int, for (int i = 0; i < n; i++) sum += a[i];)
KERNEL(unrolled_step, int, _Pragma("unroll 2") for (int i = 1; i <= n; i += 2) sum += a[i];)
KERNEL(constant_1, int, ONCE for (int i = 0; i < 1; i++) sum += a[i];)
KERNEL(constant_64, int, ONCE for (int i = 0; i < 64; i++) sum += a[i];)
KERNEL(constant_65, int, ONCE for (int i = 65; i > 0; i--) sum += a[i];)
KERNEL(constant_1000, int, ONCE for (int i = -500; i < 500; i += 1) sum += a[i + 500];)
KERNEL(constant_do, int, int i = 10; ONCE do sum += a[i]; while (++i < 20);)
KERNEL(do_while, int, int i = 0; ONCE do sum += a[i]; while (++i < n);)
KERNEL(do_while_down, int, int i = n; ONCE do sum += a[i + 3]; while (--i > 0);)
KERNEL(least_of_two, int, ONCE for (int i = 0; i < min(n, 32); i++) sum += a[i];)
KERNEL(two_bounds, int, ONCE for (int i = 0; i < n && i < 10; i++) sum += a[i];)
KERNEL(either_bound, int, ONCE for (int i = 0; i < n || i < 10; i++) sum += a[i];)
KERNEL(breaks, int, ONCE for (int i = 0; i < n; i++) {
    if (a[i] > 1)
        break;
    sum += a[i];
})
KERNEL(two_exits, int, ONCE for (int i = 0; i < n; i++) {
    sum += a[i];
    if (i == c[0])
        break;
    sum += a[i + 1];
})
KERNEL(returns, int, ONCE for (int i = 0; i < n; i++) {
    if (a[i] > 1)
        return;
    sum += a[i];
})
KERNEL(goes_on, int, ONCE for (int i = 0; i < n; i++) {
    if (a[i] > 1)
        continue;
    sum += a[i + 1];
})
KERNEL(walks, int, ONCE for (int i = 0; i < 200; i = c[i]) sum += a[i];)
KERNEL(list, int, const node *p = (const node *)a; ONCE while (p) {
    sum += p->value;
    p = (const node *)p->next;
})
KERNEL(points, int, ONCE for (int i = 0; i < n; i++) sum += ((const point *)a)[i].y;)
KERNEL(points_end, int, const point *p = (const point *)a;
       ONCE for (const point *end = p + n; p != end; p++) sum += p->x + p->z;)
KERNEL(grid_stride, int,
       ONCE for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
           sum += a[i];)
KERNEL(grid_stride_long, long,
       ONCE for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n;
                 i += blockDim.x * (long)gridDim.x) sum += a[i];)
KERNEL(grid_stride_unsigned, unsigned,
       ONCE for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
                 i += blockDim.x * gridDim.x) sum += a[i];)
KERNEL(grid_stride_as_it_likes, int, for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
                                          i += blockDim.x * gridDim.x) sum += a[i];)
KERNEL(block_stride, int, ONCE for (int i = threadIdx.x; i < n; i += 32) sum += a[i];)
KERNEL(from_memory, int, ONCE for (int i = c[0]; i < c[1]; i++) sum += a[i];)
KERNEL(memory_each_time, int, ONCE for (int i = 0; i < c[0]; i++) {
    sum += a[i];
    b[200 + i] = sum;
})
KERNEL(half, int, ONCE for (int i = 0; i < n / 2; i++) sum += a[i];)
KERNEL(rounded_up, int, ONCE for (int i = 0; i < (n + 7) / 8; i++) sum += a[i];)
KERNEL(of_product, int, ONCE for (int i = 0; i * 4 < n; i++) sum += a[i];)
KERNEL(of_square, int, ONCE for (int i = 0; i * i < n; i++) sum += a[i];)
KERNEL(nested, int, ONCE for (int i = 0; i < n; i++) ONCE for (int j = 0; j < n; j++) sum +=
       a[i + j];)
KERNEL(triangle_below, int,
       ONCE for (int i = 0; i < n; i++) ONCE for (int j = 0; j < i; j++) sum += a[i + j];)
KERNEL(triangle_above, int,
       ONCE for (int i = 0; i < n; i++) ONCE for (int j = i; j < n; j++) sum += a[i + j];)
KERNEL(triangle_above_next, int,
       ONCE for (int i = 0; i < n; i++) ONCE for (int j = i + 1; j < n; j++) sum += a[i + j];)
KERNEL(triangle_down, int,
       ONCE for (int i = n; i > 0; i--) ONCE for (int j = i; j > 0; j -= 2) sum += a[i + j];)
KERNEL(triangle_unrolled, int, ONCE for (int i = 0; i < n; i++)
       _Pragma("unroll 4") for (int j = 0; j <= i; j++) sum += a[i + j];)
KERNEL(tiles, int, ONCE for (int i = 0; i < n; i += 8)
       ONCE for (int j = i; j < min(i + 8, n); j++) sum += a[j];)
KERNEL(rows, int, ONCE for (int i = 0; i < n; i++)
       ONCE for (int j = c[i]; j < c[i + 1]; j++) sum += a[j];)
KERNEL(stages, int, ONCE for (int i = 1; i < n; i *= 2)
       ONCE for (int j = 0; j < n; j += 2 * i) sum += a[i + j];)
KERNEL(counts_both, int, int j = n; ONCE for (int i = 0; i < j; i++, j--) sum += a[i + j];)
KERNEL(two_counters, int, int j = 0; ONCE for (int i = 0; i < n; i++, j += 3) sum += a[j];)
KERNEL(steps_twice, int, ONCE for (int i = 0; i < n; i++) {
    sum += a[i];
    if (sum > 1)
        i++;
})
