// References for the samples' run files: what the kernels should leave in memory, in plain C.
// Nothing here comes from the simulator: the fills are made anew from their description.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBERS = 6 };

struct job {
    const char *sample, *file;
    const double *number; // the values of the run file, in its order
    const char *folder;   // of the saved buffers
    const char *wrong;    // the first thing that is, or NULL
    char text[600];
};

typedef void reference_fn(struct job *job);
reference_fn ref_vecadd, ref_vecadd_strided, ref_copy, ref_copy_strided, ref_compare, ref_density,
    ref_norm, ref_triad, ref_mvt, ref_red, ref_red_stride, ref_scp;
reference_fn ref_bfs, ref_kmn, ref_kmn_points, ref_stream;
reference_fn ref_fdtd, ref_libor, ref_libor32, ref_srad;
reference_fn ref_bp, ref_matrixmul, ref_mriq, ref_nn, ref_blackscholes, ref_fwt;
reference_fn ref_conv, ref_hist, ref_histogram64, ref_hw, ref_integr, ref_ray;
reference_fn ref_fiblookup, ref_mum, ref_nw, ref_path, ref_path_serial;
reference_fn ref_cfd, ref_hotspot, ref_stencil;

// Fills: element i depends on the seed and i alone.
uint64_t drawn(uint64_t seed, uint64_t i);
float *uniform(size_t count, uint64_t seed);
float *range_float(size_t count, double low, double high, uint64_t seed);
int32_t *range_int(size_t count, int64_t low, int64_t high, uint64_t seed);
double *widen(float *from, size_t count); // frees `from`

// A saved buffer of `count` elements of 4 bytes; `type` as in its header: "<f4".
void *saved(struct job *job, const char *buffer, const char *type, size_t count);
// Compares a saved buffer, to the last bit or within atol + rtol * |expected|. Frees `expected`.
void same_ints(struct job *job, const char *buffer, int32_t *expected, size_t count);
void same_floats(struct job *job, const char *buffer, float *expected, size_t count);
void near_floats(struct job *job, const char *buffer, double *expected, size_t count, double rtol,
                 double atol);

static inline size_t number(const struct job *job, int which)
{
    return (size_t)job->number[which];
}
