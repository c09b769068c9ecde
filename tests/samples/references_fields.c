// Fields and rates, computed in double: within a tolerance.
#include "tests/samples/references.h"
#include <math.h>
#include <stdlib.h>

struct fdtd {
    size_t nx, ny;
    double *pulse, *ex, *ey, *hz;
};

static void step(struct fdtd *f, size_t t)
{
    size_t nx = f->nx, ny = f->ny;
    for (size_t j = 0; j < ny; j++)
        f->ey[j] += f->pulse[t];
    for (size_t i = 1; i < nx; i++)
        for (size_t j = 0; j < ny; j++)
            f->ey[i * ny + j] -= 0.5 * (f->hz[i * ny + j] - f->hz[(i - 1) * ny + j]);
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 1; j < ny; j++)
            f->ex[i * (ny + 1) + j] -= 0.5 * (f->hz[i * ny + j] - f->hz[i * ny + j - 1]);
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < ny; j++)
            f->hz[i * ny + j] -=
                (double)0.7f * (f->ex[i * (ny + 1) + j + 1] - f->ex[i * (ny + 1) + j] +
                                f->ey[(i + 1) * ny + j] - f->ey[i * ny + j]);
}

void ref_fdtd(struct job *job)
{
    size_t nx = number(job, 0), ny = number(job, 1), steps = number(job, 2);
    struct fdtd f = {nx,
                     ny,
                     widen(uniform(steps, 1), steps),
                     widen(uniform(nx * (ny + 1), 2), nx * (ny + 1)),
                     widen(uniform((nx + 1) * ny, 3), (nx + 1) * ny),
                     widen(uniform(nx * ny, 4), nx * ny)};
    for (size_t t = 0; t < steps; t++)
        step(&f, t);
    // Values of about 1, a few roundings each.
    near_floats(job, "ex", f.ex, nx * (ny + 1), 0, 1e-5);
    near_floats(job, "ey", f.ey, (nx + 1) * ny, 0, 1e-5);
    near_floats(job, "hz", f.hz, nx * ny, 0, 1e-5);
    free(f.pulse);
}

// One path's adjoints; rates lie `paths` apart.
static void adjoints(const float *rate, double *adjoint, size_t paths, size_t nmat, size_t nrates,
                     double b, double v)
{
    for (size_t r = 0; r < nmat; r++)
        adjoint[r * paths] = -v * 0.25 / (1 + 0.25 * (double)rate[r * paths]);
    for (size_t r = nmat; r < nrates; r++)
        adjoint[r * paths] *= b;
}

void ref_libor(struct job *job)
{
    size_t paths = number(job, 0), nmat = number(job, 1), nrates = number(job, 2);
    size_t count = paths * nrates;
    float *rate = range_float(count, 0.01, 0.1, 1);
    double *adjoint = widen(range_float(count, -1, 1, 2), count);
    double *value = calloc(paths, sizeof *value);
    for (size_t path = 0; path < paths; path++) {
        double b = 1, swap = 0;
        for (size_t r = 0; r < nmat; r++)
            b /= 1 + 0.25 * (double)rate[r * paths + path];
        for (size_t r = nmat; r < nrates; r++)
            swap += 0.25 * ((double)rate[r * paths + path] - (double)0.05f);
        value[path] = b * (swap > 0 ? swap : 0);
        adjoints(rate + path, adjoint + path, paths, nmat, nrates, b, value[path]);
    }
    // The swap is a sum of differences, each of a hundredth or so.
    near_floats(job, "value", value, paths, 1e-5, 1e-6);
    near_floats(job, "L_b", adjoint, count, 2e-5, 1e-6);
    free(rate);
}

void ref_libor32(struct job *job)
{
    size_t paths = number(job, 0), nmat = number(job, 1), nrates = nmat + number(job, 2);
    size_t count = paths * nrates;
    float *rate = range_float(count, 0.01, 0.1, 1);
    float *v = range_float(paths, 0.5, 1.5, 3), *b = range_float(paths, 0.5, 1.5, 4);
    double *adjoint = widen(range_float(count, -1, 1, 2), count);
    for (size_t path = 0; path < paths; path++)
        adjoints(rate + path, adjoint + path, paths, nmat, nrates, (double)b[path],
                 (double)v[path]);
    near_floats(job, "L_b", adjoint, count, 1e-6, 0);
    free(rate);
    free(v);
    free(b);
}

struct srad {
    size_t height, width;
    double *image, *dn, *ds, *dw, *de, *c;
};

static void diffuse(struct srad *s, double q0)
{
    size_t h = s->height, w = s->width;
    for (size_t i = 0; i < h * w; i++) {
        size_t row = i / w, column = i % w;
        double p = s->image[i];
        s->dn[i] = s->image[row ? i - w : i] - p;
        s->ds[i] = s->image[row + 1 < h ? i + w : i] - p;
        s->dw[i] = s->image[column ? i - 1 : i] - p;
        s->de[i] = s->image[column + 1 < w ? i + 1 : i] - p;
        double g2 = (s->dn[i] * s->dn[i] + s->ds[i] * s->ds[i] + s->dw[i] * s->dw[i] +
                     s->de[i] * s->de[i]) /
                    (p * p);
        double l = (s->dn[i] + s->ds[i] + s->dw[i] + s->de[i]) / p;
        double q = (0.5 * g2 - 0.0625 * l * l) / ((1 + 0.25 * l) * (1 + 0.25 * l));
        double k = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
        s->c[i] = k < 0 ? 0 : k > 1 ? 1 : k;
    }
    for (size_t i = 0; i < h * w; i++) {
        double south = s->c[i / w + 1 < h ? i + w : i], east = s->c[i % w + 1 < w ? i + 1 : i];
        s->image[i] +=
            0.25 * 0.5 *
            (s->c[i] * s->dn[i] + south * s->ds[i] + s->c[i] * s->dw[i] + east * s->de[i]);
    }
}

void ref_srad(struct job *job)
{
    size_t height = number(job, 0), width = number(job, 1), count = height * width;
    struct srad s = {.height = height, .width = width};
    s.image = widen(range_float(count, 1, 255, 6), count);
    double **const parts[] = {&s.dn, &s.ds, &s.dw, &s.de, &s.c};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = calloc(count, sizeof(double));
    for (size_t i = 0; i < count; i++)
        s.image[i] = exp(s.image[i] / 255);
    for (size_t round = 0; round < number(job, 2); round++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < count; i++) {
            sum += s.image[i];
            squares += s.image[i] * s.image[i];
        }
        double mean = sum / (double)count;
        diffuse(&s, (squares / (double)count - mean * mean) / (mean * mean));
    }
    for (size_t i = 0; i < count; i++)
        s.image[i] = log(s.image[i]) * 255;
    // Approximate exponential and logarithm, and a coefficient that magnifies errors.
    near_floats(job, "image", s.image, count, 1e-4, 5e-3);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(*parts[i]);
}
