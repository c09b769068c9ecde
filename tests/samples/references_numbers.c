// Layers, prices and transforms, computed in double: within a tolerance.
#include "tests/samples/references.h"
#include <math.h>
#include <stdlib.h>

enum { HIDDEN = 16 };

void ref_bp(struct job *job)
{
    size_t inputs = number(job, 0), count = inputs * HIDDEN;
    double *input = widen(uniform(inputs, 1), inputs), *target = widen(uniform(HIDDEN, 4), HIDDEN);
    double *weight = widen(uniform(count, 2), count);
    double *change = widen(range_float(count, -0.1, 0.1, 3), count);
    double *out = calloc(HIDDEN, sizeof *out), *delta = calloc(HIDDEN, sizeof *delta);
    for (size_t i = 0; i < count; i++) {
        weight[i] = (double)(float)((weight[i] - 0.45) * 20 / (double)inputs);
        out[i % HIDDEN] += input[i / HIDDEN] * weight[i];
    }
    for (size_t h = 0; h < HIDDEN; h++) {
        out[h] = 1 / (1 + exp(-out[h]));
        delta[h] = out[h] * (1 - out[h]) * (target[h] - out[h]);
    }
    for (size_t i = 0; i < count; i++) {
        change[i] = 0.3 * delta[i % HIDDEN] * input[i / HIDDEN] + 0.3 * change[i];
        weight[i] += change[i];
    }
    near_floats(job, "out", out, HIDDEN, 2e-6, 0);
    near_floats(job, "delta", delta, HIDDEN, 0, 1e-6);
    near_floats(job, "weight", weight, count, 0, 1e-6);
    near_floats(job, "change", change, count, 0, 1e-6);
    free(input);
    free(target);
}

void ref_matrixmul(struct job *job)
{
    size_t rows = number(job, 0), inner = number(job, 1), columns = number(job, 2);
    double *a = widen(uniform(rows * inner, 1), rows * inner);
    double *b = widen(uniform(inner * columns, 2), inner * columns);
    double *c = calloc(rows * columns, sizeof *c);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < inner; k++)
            for (size_t j = 0; j < columns; j++)
                c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
    // All terms are positive: each addition costs half a unit of the last place at most.
    near_floats(job, "c", c, rows * columns, 6e-8 * (double)inner, 0);
    free(a);
    free(b);
}

void ref_mriq(struct job *job)
{
    size_t voxels = number(job, 0), samples = number(job, 1);
    double *at[3], *real = widen(range_float(samples, -1, 1, 5), samples);
    double *imaginary = widen(range_float(samples, -1, 1, 6), samples);
    double *k = widen(range_float(samples * 4, -8, 8, 4), samples * 4);
    double *q[2] = {calloc(voxels, sizeof **q), calloc(voxels, sizeof **q)};
    for (uint64_t axis = 0; axis < 3; axis++)
        at[axis] = widen(range_float(voxels, -1, 1, 1 + axis), voxels);
    for (size_t s = 0; s < samples; s++) {
        double weight = real[s] * real[s] + imaginary[s] * imaginary[s];
        for (size_t i = 0; i < voxels; i++) {
            double angle = k[4 * s] * at[0][i] + k[4 * s + 1] * at[1][i] + k[4 * s + 2] * at[2][i];
            q[0][i] += weight * cos(2 * M_PI * angle);
            q[1][i] += weight * sin(2 * M_PI * angle);
        }
    }
    // An angle of up to 24 turns is off by some 1e-5; near the origin the samples add up.
    near_floats(job, "q_real", q[0], voxels, 1e-5, 4e-5 * sqrt((double)samples));
    near_floats(job, "q_imaginary", q[1], voxels, 1e-5, 4e-5 * sqrt((double)samples));
    for (size_t axis = 0; axis < 3; axis++)
        free(at[axis]);
    free(real);
    free(imaginary);
    free(k);
}

static double neuron(const double *pixel, const double *weight, double bias)
{
    double sum = bias;
    for (size_t i = 0; i < 6 * 25; i++)
        sum += weight[i] * pixel[i / 25 * 13 * 13 + i / 5 % 5 * 13 + i % 5];
    sum = fmax(-2.5, fmin(2.5, sum));
    return 0.96289396 * sum - 0.22927438 * pow(sum, 3) + 0.036102368 * pow(sum, 5) -
           0.0022426860 * pow(sum, 7);
}

void ref_nn(struct job *job)
{
    size_t images = number(job, 0), maps = number(job, 1), size = 6 * 13 * 13;
    double *in = widen(range_float(images * size, -1, 1, 1), images * size);
    double *weight = widen(range_float(maps * 150, -0.3, 0.3, 2), maps * 150);
    double *bias = widen(range_float(maps, -0.5, 0.5, 3), maps);
    double *out = calloc(images * maps * 25, sizeof *out);
    for (size_t i = 0; i < images * maps * 25; i++) {
        size_t map = i / 25 % maps, y = i / 5 % 5, x = i % 5;
        out[i] =
            neuron(in + i / 25 / maps * size + 2 * y * 13 + 2 * x, weight + map * 150, bias[map]);
    }
    near_floats(job, "out", out, images * maps * 25, 0, 2e-6);
    free(in);
    free(weight);
    free(bias);
}

// Not by a polynomial.
static double distribution(double d)
{
    return erfc(-d / sqrt(2)) / 2;
}

// What both prices have in common: call - put = price - present value of the strike.
static void check_parity(struct job *job, const double *difference, size_t n)
{
    float *call = saved(job, "call", "<f4", n), *put = saved(job, "put", "<f4", n);
    for (size_t i = 0; i < n && !job->wrong; i++)
        if (!(fabs((double)call[i] - (double)put[i] - difference[i]) < 5e-5))
            job->wrong = "call and put do not agree";
    free(call);
    free(put);
}

void ref_blackscholes(struct job *job)
{
    size_t n = number(job, 0);
    double rate = (double)(float)job->number[1], volatility = (double)(float)job->number[2];
    double *price = widen(range_float(n, 5, 30, 1), n);
    double *strike = widen(range_float(n, 1, 100, 2), n);
    double *years = widen(range_float(n, 0.25, 10, 3), n);
    double *call = calloc(n, sizeof *call), *put = calloc(n, sizeof *put);
    for (size_t i = 0; i < n; i++) {
        double spread = volatility * sqrt(years[i]);
        double d =
            (log(price[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / spread;
        double present = strike[i] * exp(-rate * years[i]);
        call[i] = price[i] * distribution(d) - present * distribution(d - spread);
        put[i] = present * distribution(spread - d) - price[i] * distribution(-d);
        price[i] -= present;
    }
    // Prices are differences of numbers up to 100.
    near_floats(job, "call", call, n, 1e-5, 2e-5);
    near_floats(job, "put", put, n, 1e-5, 2e-5);
    check_parity(job, price, n);
    free(price);
    free(strike);
    free(years);
}

// Steps from the longest stride to the shortest, in integers.
void ref_fwt(struct job *job)
{
    size_t count = number(job, 0) * number(job, 2), n = number(job, 2);
    int32_t *value = range_int(count, -4, 5, 1);
    float *data = calloc(count, sizeof *data);
    for (size_t stride = n / 2; stride; stride /= 2)
        for (size_t i = 0; i < count; i++) {
            int32_t a = value[i], b = value[i ^ stride];
            if (i & stride)
                continue;
            value[i] = a + b;
            value[i ^ stride] = a - b;
        }
    for (size_t i = 0; i < count; i++)
        data[i] = (float)value[i];
    same_floats(job, "data", data, count);
    free(value);
}
