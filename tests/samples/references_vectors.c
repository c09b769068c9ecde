// Vectors, sums and products.
#include "tests/samples/references.h"
#include <math.h>
#include <stdlib.h>

void ref_vecadd(struct job *job)
{
    size_t n = number(job, 0);
    float *a = uniform(n, 1), *b = uniform(n, 2);
    for (size_t i = 0; i < n; i++)
        b[i] += a[i];
    same_floats(job, "c", b, n);
    free(a);
}

void ref_vecadd_strided(struct job *job)
{
    size_t n = number(job, 0), b_shift = number(job, 1), c_shift = number(job, 2);
    float *a = uniform(n, 1), *b = uniform(n + b_shift, 2);
    float *c = calloc(n + c_shift, sizeof *c);
    for (size_t i = 0; i < n + c_shift; i++)
        c[i] = i < c_shift ? -1.0f : a[i - c_shift] + b[i - c_shift + b_shift];
    same_floats(job, "c", c, n + c_shift);
    free(a);
    free(b);
}

void ref_copy(struct job *job)
{
    size_t n = number(job, 0);
    same_ints(job, "c", range_int(n, -1000000, 1000000, 3), n);
}

void ref_copy_strided(struct job *job)
{
    size_t n = number(job, 0), shift = number(job, 1);
    int32_t *a = range_int(n, -1000000, 1000000, 3), *c = calloc(n + shift, sizeof *c);
    for (size_t i = 0; i < n + shift; i++)
        c[i] = i < shift ? -1 : a[i - shift];
    same_ints(job, "c", c, n + shift);
    free(a);
}

void ref_compare(struct job *job)
{
    size_t n = number(job, 0);
    int32_t *a = range_int(n, 0, 4, 1), *b = range_int(n, 0, 4, 2), *count = calloc(1, 4);
    for (size_t i = 0; i < n; i++)
        *count += a[i] != b[i];
    same_ints(job, "differ", count, 1);
    free(a);
    free(b);
}

void ref_density(struct job *job)
{
    size_t n = number(job, 0);
    int32_t *a = range_int(n, 0, 3, 1), *count = calloc(1, 4);
    for (size_t i = 0; i < n; i++)
        *count += !a[i];
    same_ints(job, "zeros", count, 1);
    free(a);
}

void ref_norm(struct job *job)
{
    size_t n = number(job, 0);
    float *a = uniform(n, 1), reciprocal = (float)(1 / job->number[1]);
    for (size_t i = 0; i < n; i++)
        a[i] *= reciprocal;
    same_floats(job, "c", a, n);
}

void ref_triad(struct job *job)
{
    size_t n = number(job, 0);
    float *b = uniform(n, 1), *c = uniform(n, 2);
    for (size_t i = 0; i < n; i++)
        b[i] = fmaf(c[i], (float)job->number[1], b[i]);
    same_floats(job, "a", b, n);
    free(c);
}

// x + A y or, with `transposed`, x + A^T y.
static double *product(size_t n, uint64_t x_seed, uint64_t y_seed, bool transposed)
{
    float *a = uniform(n * n, 1), *x = uniform(n, x_seed), *y = uniform(n, y_seed);
    double *sum = calloc(n, sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        sum[i] = (double)x[i];
        for (size_t j = 0; j < n; j++)
            sum[i] += (double)a[transposed ? j * n + i : i * n + j] * (double)y[j];
    }
    free(a);
    free(x);
    free(y);
    return sum;
}

void ref_mvt(struct job *job)
{
    size_t n = number(job, 0);
    // All terms are positive: each addition costs half a unit of the last place at most.
    near_floats(job, "x1", product(n, 2, 4, false), n, 6e-8 * (double)n, 0);
    near_floats(job, "x2", product(n, 3, 5, true), n, 6e-8 * (double)n, 0);
}

// All variants add in the same order: the upper half to the lower, eleven times.
void ref_red(struct job *job)
{
    size_t tiles = number(job, 0);
    float *g = uniform(tiles * 2048, 1), *sum = calloc(tiles, sizeof *sum);
    for (size_t tile = 0; tile < tiles; tile++) {
        float *at = g + tile * 2048;
        for (size_t half = 1024; half; half /= 2)
            for (size_t i = 0; i < half; i++)
                at[i] = at[i] + at[i + half];
        sum[tile] = at[0];
    }
    same_floats(job, "sum", sum, tiles);
    free(g);
}

void ref_red_stride(struct job *job)
{
    size_t n = number(job, 0), ctas = number(job, 1);
    double *g = widen(uniform(n, 1), n), *sum = calloc(ctas, sizeof *sum);
    double *total = calloc(1, sizeof *total);
    for (size_t i = 0; i < n; i++) {
        sum[i / 256 % ctas] += g[i];
        *total += g[i];
    }
    // All terms are positive.
    near_floats(job, "sum", sum, ctas, 6e-8 * ((double)(n / ctas) / 256 + 9), 0);
    near_floats(job, "total", total, 1, 6e-8 * ((double)(n / ctas) / 256 + 20), 0);
    free(g);
}

void ref_scp(struct job *job)
{
    size_t pairs = number(job, 0), n = number(job, 1);
    float *a = uniform(pairs * n, 1), *b = uniform(pairs * n, 2);
    double *products = calloc(pairs, sizeof *products);
    for (size_t i = 0; i < pairs * n; i++)
        products[i / n] += (double)a[i] * (double)b[i];
    near_floats(job, "product", products, pairs, 6e-8 * ((double)n / 256 + 9), 0);
    free(a);
    free(b);
}
