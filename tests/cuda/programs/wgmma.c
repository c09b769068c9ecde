/* A product of matrices by the kernel `gemm` of wgmma.ptx, beside plain loops. Needs no header of
 * the toolkit. Arguments: m, n, k, rows of the tiles of A and B, bytes of a tile's row, of shared
 * memory, threads, seed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuModuleLoad(void **module, const char *file);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncSetAttribute(void *function, int attribute, int value);
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

enum { F16 = 6, MAX_DYNAMIC_SHARED = 8, BIAS = 15, MANTISSA = 10 };

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

static uint16_t half_of(int value)
{
    int size = abs(value), exponent = 0;
    if (!size)
        return 0;
    while (size >> (exponent + 1))
        exponent++;
    return (uint16_t)((value < 0) << 15 | (exponent + BIAS) << MANTISSA |
                      (size << (MANTISSA - exponent) & 0x3ff));
}

static uint64_t fill(int *numbers, int count)
{
    uint16_t *halves = malloc(2 * count);
    uint64_t at = 0;
    for (int i = 0; i < count; i++)
        halves[i] = half_of(numbers[i] = (int)draw(33) - 16);
    expect("alloc", cuMemAlloc_v2(&at, 2 * count), 0);
    expect("copy", cuMemcpyHtoD_v2(at, halves, 2 * count), 0);
    free(halves);
    return at;
}

static struct map encode(uint64_t at, uint64_t columns, uint64_t rows, uint32_t tile_rows,
                         uint32_t row_bytes)
{
    uint64_t sizes[] = {columns, rows}, strides[] = {columns * 2};
    uint32_t box[] = {row_bytes / 2, tile_rows}, steps[] = {1, 1};
    int swizzle = row_bytes == 128 ? 3 : row_bytes == 64 ? 2 : 1;
    struct map map;
    expect("encode",
           cuTensorMapEncodeTiled(&map, F16, 2, (void *)at, sizes, strides, box, steps, 0, swizzle,
                                  2, 0),
           0);
    return map;
}

int main(int argc, char **argv)
{
    int v[9];
    for (int i = 0; i < 9; i++)
        v[i] = atoi(argv[i + 1]);
    int m = v[0], n = v[1], k = v[2], tile_m = v[3], tile_n = v[4];
    int *a = malloc(sizeof *a * m * k), *b = malloc(sizeof *b * n * k);
    float *d = malloc(sizeof *d * m * n);
    void *context, *module, *gemm;
    uint64_t to;
    state = v[8];
    expect("init", cuInit(0), 0);
    expect("context", cuCtxCreate_v2(&context, 0, 0), 0);
    expect("module", cuModuleLoad(&module, "wgmma.ptx"), 0);
    expect("function", cuModuleGetFunction(&gemm, module, "gemm"), 0);
    expect("shared", cuFuncSetAttribute(gemm, MAX_DYNAMIC_SHARED, v[6]), 0);
    struct map of_a = encode(fill(a, m * k), k, m, tile_m, v[5]),
               of_b = encode(fill(b, n * k), k, n, tile_n, v[5]);
    expect("alloc", cuMemAlloc_v2(&to, sizeof *d * m * n), 0);
    expect("clear", cuMemsetD8_v2(to, 0xff, sizeof *d * m * n), 0);
    void *arguments[] = {&of_a, &of_b, &to, &m, &n, &k};
    expect("launch",
           cuLaunchKernel(gemm, (n + tile_n - 1) / tile_n, (m + tile_m - 1) / tile_m, 1, v[7], 1, 1,
                          v[6], 0, arguments, 0),
           0);
    expect("wait", cuCtxSynchronize(), 0);
    expect("copy back", cuMemcpyDtoH_v2(d, to, sizeof *d * m * n), 0);
    for (int i = 0; i < m * n; i++) {
        int sum = 0;
        for (int q = 0; q < k; q++)
            sum += a[i / n * k + q] * b[i % n * k + q];
        if (d[i] != sum && failures++ < 10)
            printf("(%d, %d) is %g, expected %d\n", i / n, i % n, d[i], sum);
    }
    puts(failures ? "FAILED" : "PASSED");
    return 0;
}
