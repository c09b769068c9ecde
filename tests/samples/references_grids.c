// Grids, computed in double: within a tolerance.
#include "tests/samples/references.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ref_hotspot(struct job *job)
{
    size_t rows = number(job, 0), columns = number(job, 1), n = rows * columns;
    double *now = widen(range_float(n, 323, 343, 1), n);
    double *power = widen(range_float(n, 0, 10, 2), n), *next = calloc(n, sizeof *next);
    for (size_t step = 0; step < number(job, 2); step++) {
        for (size_t i = 0; i < n; i++) {
            size_t row = i / columns, column = i % columns;
            double t = now[i];
            double down =
                now[row ? i - columns : i] + now[row + 1 < rows ? i + columns : i] - 2 * t;
            double across = now[column ? i - 1 : i] + now[column + 1 < columns ? i + 1 : i] - 2 * t;
            next[i] = t + 0.125 * power[i] + (double)0.1f * down + (double)0.15f * across +
                      (double)0.01f * (300 - t);
        }
        memcpy(now, next, n * sizeof *now);
    }
    near_floats(job, "one", now, n, 1e-6, 0);
    free(power);
    free(next);
}

static double *stencil(const double *from, size_t nx, size_t ny, size_t nz)
{
    double *to = calloc(nx * ny * nz, sizeof *to);
    memcpy(to, from, nx * ny * nz * sizeof *to);
    for (size_t z = 1; z + 1 < nz; z++)
        for (size_t y = 1; y + 1 < ny; y++)
            for (size_t x = 1; x + 1 < nx; x++) {
                size_t i = (z * ny + y) * nx + x;
                to[i] =
                    0.25 * from[i] + 0.125 * (from[i - 1] + from[i + 1] + from[i - nx] +
                                              from[i + nx] + from[i - nx * ny] + from[i + nx * ny]);
            }
    return to;
}

void ref_stencil(struct job *job)
{
    size_t nx = number(job, 0), ny = number(job, 1), nz = number(job, 2), n = nx * ny * nz;
    double *from = widen(uniform(n, 1), n);
    near_floats(job, "point", stencil(from, nx, ny, nz), n, 5e-7, 0);
    near_floats(job, "walk", stencil(from, nx, ny, nz), n, 5e-7, 0);
    free(from);
}

// The ring of cells, in its own order, without neighbours and normals in memory: a face is given by
// the cells beside it and its two corners.
struct ring {
    size_t width, height, n;
    size_t *place; // of the cell with a number
    double *corner[3], *state, *old, *flux, *area;
};

struct gas {
    double density, momentum[3], energy, pressure, sound;
};

static struct gas gas_at(const struct ring *r, size_t cell)
{
    const double *s = r->state + 5 * cell;
    struct gas gas = {s[0], {s[1], s[2], s[3]}, s[4], 0, 0};
    gas.pressure = 0.4 * (s[4] - 0.5 * (s[1] * s[1] + s[2] * s[2] + s[3] * s[3]) / s[0]);
    gas.sound = sqrt(1.4 * gas.pressure / s[0]);
    return gas;
}

// The flux through a face in the direction of its normal, 5 numbers.
static void through(const struct gas *a, const struct gas *b, const double *normal, double *flux)
{
    double from = 0, to = 0, size = 0;
    for (size_t k = 0; k < 3; k++) {
        from += a->momentum[k] / a->density * normal[k];
        to += b->momentum[k] / b->density * normal[k];
        size += normal[k] * normal[k];
    }
    size = sqrt(size);
    double wave = fmax(fabs(from) + a->sound * size, fabs(to) + b->sound * size);
    flux[0] = a->density * from + b->density * to - wave * (b->density - a->density);
    for (size_t k = 0; k < 3; k++)
        flux[1 + k] = a->momentum[k] * from + b->momentum[k] * to +
                      (a->pressure + b->pressure) * normal[k] -
                      wave * (b->momentum[k] - a->momentum[k]);
    flux[4] = (a->energy + a->pressure) * from + (b->energy + b->pressure) * to -
              wave * (b->energy - a->energy);
    for (size_t k = 0; k < 5; k++)
        flux[k] /= 2;
}

// The normal of the face whose corners are `begin` and `end`, whose places are (x, y) apart.
static void normal_of(const struct ring *r, size_t begin, size_t end, double x, double y,
                      double *normal)
{
    normal[0] = (double)(float)(r->corner[1][end] - r->corner[1][begin] + y);
    normal[1] = (double)(float)(r->corner[0][begin] - r->corner[0][end] - x);
    normal[2] = (double)(float)(r->corner[2][end] - r->corner[2][begin]);
}

// Adds what goes from a cell to another to both.
static void exchange(struct ring *r, size_t from, size_t to, const double *normal)
{
    struct gas a = gas_at(r, from), b = gas_at(r, to);
    double flux[5];
    through(&a, &b, normal, flux);
    for (size_t k = 0; k < 5; k++) {
        r->flux[5 * from + k] -= flux[k];
        r->flux[5 * to + k] += flux[k];
    }
}

static void press(struct ring *r, size_t cell, const double *normal, double sign)
{
    struct gas gas = gas_at(r, cell);
    for (size_t k = 0; k < 3; k++)
        r->flux[5 * cell + 1 + k] -= sign * normal[k] * gas.pressure;
}

// Face by face: those to the east of each cell, those to the north, and the two walls.
static void add_fluxes(struct ring *r)
{
    double normal[3];
    memset(r->flux, 0, 5 * r->n * sizeof *r->flux);
    for (size_t cell = 0; cell < r->n; cell++) {
        size_t east = cell / r->width * r->width + (cell + 1) % r->width, up = r->width;
        normal_of(r, east, east + up, 0, 1, normal);
        exchange(r, cell, east, normal);
        normal_of(r, east + up, cell + up, -1, 0, normal);
        if (cell + up < r->n)
            exchange(r, cell, cell + up, normal);
        else
            press(r, cell, normal, 1);
        normal_of(r, cell, east, 1, 0, normal);
        if (cell < r->width)
            press(r, cell, normal, 1);
    }
}

static void advance(struct ring *r, double *factor)
{
    memcpy(r->old, r->state, 5 * r->n * sizeof *r->old);
    for (size_t cell = 0; cell < r->n; cell++) {
        struct gas gas = gas_at(r, cell);
        double speed = 0;
        for (size_t k = 0; k < 3; k++)
            speed += gas.momentum[k] * gas.momentum[k];
        factor[cell] = 0.5 / (sqrt(r->area[cell]) * (sqrt(speed) / gas.density + gas.sound));
    }
    for (int left = 3; left; left--) {
        add_fluxes(r);
        for (size_t i = 0; i < 5 * r->n; i++)
            r->state[i] = r->old[i] + factor[i / 5] / left * r->flux[i];
    }
}

static void read_ring(struct ring *r)
{
    size_t n = r->n, corners = n + r->width;
    int32_t *turn = range_int(n / 64, 0, 64, 1);
    double *noise = widen(range_float(5 * n, -0.1, 0.1, 6), 5 * n);
    float *area = range_float(n, 0.9, 1.1, 5);
    static const double start[] = {1, 0.4, 0, 0, 2.5};
    r->place = calloc(n, sizeof *r->place);
    r->area = calloc(n, sizeof *r->area);
    r->state = calloc(5 * n, sizeof *r->state);
    r->old = calloc(5 * n, sizeof *r->old);
    r->flux = calloc(5 * n, sizeof *r->flux);
    for (uint64_t axis = 0; axis < 3; axis++)
        r->corner[axis] = widen(range_float(corners, -0.2, 0.2, 2 + axis), corners);
    for (size_t i = 0; i < n; i++) {
        size_t cell = i / 64 * 64 + ((size_t)turn[i / 64] + 64 - i % 64) % 64;
        r->place[i] = cell;
        r->area[cell] = (double)area[i];
        for (size_t k = 0; k < 5; k++)
            r->state[5 * cell + k] = (double)(float)(noise[k * n + i] + start[k]);
    }
    free(turn);
    free(noise);
    free(area);
}

void ref_cfd(struct job *job)
{
    struct ring r = {.width = number(job, 0), .height = number(job, 1)};
    r.n = r.width * r.height;
    read_ring(&r);
    double *factor = calloc(r.n, sizeof *factor), *state = calloc(5 * r.n, sizeof *state);
    for (size_t step = 0; step < number(job, 2); step++)
        advance(&r, factor);
    for (size_t i = 0; i < 5 * r.n; i++)
        state[i] = r.state[5 * r.place[i % r.n] + i / r.n];
    // Numbers of about 1, some fifty roundings each.
    near_floats(job, "state", state, 5 * r.n, 0, 1e-5);
    double *const parts[] = {r.corner[0], r.corner[1], r.corner[2], r.state,
                             r.old,       r.flux,      r.area,      factor};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    free(r.place);
}
