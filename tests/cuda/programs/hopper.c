/* Products of matrices and a histogram by kernels for compute capability 9.0, beside plain loops.
 * Needs no header of the toolkit. Arguments: m, n, k, elements of the histogram, seed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuModuleLoadData(void **module, const void *text);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra);
int cuCtxSynchronize(void);
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                           int interleave, int swizzle, int promotion, int fill);
int cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address,
                            const uint64_t *sizes, const uint64_t *strides, const int *lower,
                            const int *upper, uint32_t channels, uint32_t pixels,
                            const uint32_t *steps, int interleave, int swizzle, int promotion,
                            int fill);
int cuTensorMapReplaceAddress(void *map, void *address);

__asm__(".section .rodata\nkernels: .incbin \"hopper.ptx\"\n.byte 0\n.previous\n");
extern const char kernels[];

enum { F16 = 6, F32 = 7, SWIZZLE_128B = 3, TILE = 64, INVALID = 1, NOT_SUPPORTED = 801 };

struct map {
    _Alignas(64) char bytes[128];
};

static int failures;
static unsigned state;

static void expect(const char *what, int got, int expected)
{
    if (got != expected && failures++ < 10)
        printf("%s: %d, expected %d\n", what, got, expected);
}

static unsigned draw(unsigned limit)
{
    state = state * 1103515245 + 12345;
    return (state >> 16) % limit;
}

/* f16 of a number in eighths below 64. */
static uint16_t half_of(int eighths)
{
    uint16_t sign = eighths < 0 ? 0x8000 : 0;
    int value = abs(eighths), exponent = 0;
    if (!value)
        return 0;
    while (value >> (exponent + 1))
        exponent++;
    return (uint16_t)(sign | (exponent - 3 + 15) << 10 | (value << (10 - exponent) & 0x3ff));
}

static struct map encode(int type, uint64_t at, uint64_t columns, uint64_t rows,
                         uint32_t box_columns, uint32_t box_rows, int swizzle, int expected)
{
    uint64_t sizes[] = {columns, rows}, strides[] = {columns * (type == F16 ? 2 : 4)};
    uint32_t box[] = {box_columns, box_rows}, steps[] = {1, 1};
    struct map map;
    expect("encode",
           cuTensorMapEncodeTiled(&map, type, 2, (void *)at, sizes, strides, box, steps, 0, swizzle,
                                  2, 0),
           expected);
    return map;
}

static uint64_t fill(int *numbers, int count)
{
    uint16_t *halves = malloc(2 * count);
    uint64_t at;
    for (int i = 0; i < count; i++)
        halves[i] = half_of(numbers[i] = (int)draw(33) - 16);
    expect("alloc", cuMemAlloc_v2(&at, 2 * count), 0);
    expect("copy", cuMemcpyHtoD_v2(at, halves, 2 * count), 0);
    free(halves);
    return at;
}

static void check(const char *name, const int *a, const int *b, uint64_t at, int m, int n, int k)
{
    float *d = malloc(sizeof *d * m * n);
    expect("wait", cuCtxSynchronize(), 0);
    expect("copy back", cuMemcpyDtoH_v2(d, at, sizeof *d * m * n), 0);
    for (int i = 0; i < m * n; i++) {
        int sum = 0;
        for (int q = 0; q < k; q++)
            sum += a[i / n * k + q] * b[i % n * k + q];
        if (d[i] != sum / 64.f && failures++ < 10)
            printf("%s: (%d, %d) is %g, expected %g\n", name, i / n, i % n, d[i], sum / 64.f);
    }
    free(d);
}

static void multiply(void *module, int m, int n, int k)
{
    int *a = malloc(sizeof *a * m * k), *b = malloc(sizeof *b * n * k);
    uint64_t at_a = fill(a, m * k), at_b = fill(b, n * k), at_d;
    struct map map_a = encode(F16, at_a, k, m, TILE, TILE, SWIZZLE_128B, 0);
    struct map map_b = encode(F16, at_a, k, n, TILE, TILE, SWIZZLE_128B, 0);
    struct map half_b = encode(F16, at_b, k, n, TILE, TILE / 2, SWIZZLE_128B, 0);
    void *gemm, *pair;
    expect("other address", cuTensorMapReplaceAddress(&map_b, (void *)at_b), 0);
    expect("alloc", cuMemAlloc_v2(&at_d, 4 * m * n), 0);
    expect("clear", cuMemsetD8_v2(at_d, 0xff, 4 * m * n), 0);
    expect("function", cuModuleGetFunction(&gemm, module, "gemm"), 0);
    expect("function", cuModuleGetFunction(&pair, module, "gemm_pair"), 0);
    unsigned x = (n + TILE - 1) / TILE, y = (m + TILE - 1) / TILE;
    void *first[] = {&map_a, &map_b, &at_d, &m, &n, &k};
    expect("launch", cuLaunchKernel(gemm, x, y, 1, 160, 1, 1, 0, 0, first, 0), 0);
    check("gemm", a, b, at_d, m, n, k);
    expect("clear", cuMemsetD8_v2(at_d, 0xff, 4 * m * n), 0);
    struct map map_d = encode(F32, at_d, n, m, TILE, TILE, 0, 0);
    void *second[] = {&map_a, &half_b, &map_d, &k};
    expect("launch", cuLaunchKernel(pair, x, (y + 1) / 2 * 2, 1, 160, 1, 1, 0, 0, second, 0), 0);
    check("gemm_pair", a, b, at_d, m, n, k);
    free(a);
    free(b);
}

static void count(void *module, int elements)
{
    enum { OWN = 48, BINS = 4 * OWN };
    unsigned *in = malloc(sizeof *in * elements), bins[BINS], expected[BINS] = {0};
    int own = OWN;
    uint64_t from, to;
    void *histogram;
    for (int i = 0; i < elements; i++)
        expected[(in[i] = draw(1000)) % BINS]++;
    expect("alloc", cuMemAlloc_v2(&from, 4 * elements), 0);
    expect("alloc", cuMemAlloc_v2(&to, sizeof bins), 0);
    expect("copy", cuMemcpyHtoD_v2(from, in, 4 * elements), 0);
    expect("clear", cuMemsetD8_v2(to, 0, sizeof bins), 0);
    expect("function", cuModuleGetFunction(&histogram, module, "histogram"), 0);
    void *arguments[] = {&from, &to, &elements, &own};
    expect("launch", cuLaunchKernel(histogram, 8, 1, 1, 96, 1, 1, 4 * OWN, 0, arguments, 0), 0);
    expect("copy back", cuMemcpyDtoH_v2(bins, to, sizeof bins), 0);
    expect("histogram", memcmp(bins, expected, sizeof bins), 0);
    free(in);
}

/* Maps that the driver refuses. */
static void refuse(uint64_t at)
{
    uint64_t sizes[] = {64, 8, 8, 4}, strides[] = {128, 1024, 8192};
    uint32_t box[] = {8, 1, 1, 1}, steps[] = {1, 1, 1, 1};
    int lower[] = {-1, -1}, upper[] = {-1, -1}, far[] = {-200, 0};
    struct map map;
    encode(F16, at + 8, 64, 64, 64, 8, 0, INVALID);         /* address */
    encode(F16, at, 64, 64, 64, 257, 0, INVALID);           /* box */
    encode(F16, at, 64, 64, 128, 8, SWIZZLE_128B, INVALID); /* row of the box */
    encode(F16, at, 60, 64, 64, 8, 0, INVALID);             /* stride */
    encode(F16, at, 64, 64, 4, 8, 0, INVALID);              /* 8 bytes in a row */
    encode(13, at, 64, 64, 64, 8, 0, NOT_SUPPORTED);        /* packed elements */
    encode(99, at, 64, 64, 64, 8, 0, INVALID);
    expect("im2col",
           cuTensorMapEncodeIm2col(&map, F16, 4, (void *)at, sizes, strides, lower, upper, 64, 64,
                                   steps, 0, SWIZZLE_128B, 0, 1),
           0);
    expect("corner",
           cuTensorMapEncodeIm2col(&map, F16, 4, (void *)at, sizes, strides, far, upper, 64, 64,
                                   steps, 0, SWIZZLE_128B, 0, 0),
           INVALID);
    expect("interleaved",
           cuTensorMapEncodeTiled(&map, F16, 4, (void *)at, sizes, strides, box, steps, 1, 0, 0, 0),
           NOT_SUPPORTED);
    memset(&map, 0, sizeof map);
    expect("no map", cuTensorMapReplaceAddress(&map, (void *)at), INVALID);
}

int main(int argc, char **argv)
{
    void *context, *module;
    uint64_t at;
    state = argc > 5 ? atoi(argv[5]) : 1;
    expect("init", cuInit(0), 0);
    expect("context", cuCtxCreate_v2(&context, 0, 0), 0);
    expect("module", cuModuleLoadData(&module, kernels), 0);
    expect("alloc", cuMemAlloc_v2(&at, 1 << 16), 0);
    multiply(module, atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    count(module, atoi(argv[4]));
    refuse(at);
    puts(failures ? "FAILED" : "PASSED");
    return 0;
}
