// Loops that a compiler unrolls, and vectors, for unrolled.py. `one_…` runs on one thread, `all_…` on n threads. All buffers have
// words of 32 bits, and room for (n + 8) · (m + 8) of them.
#define K extern "C" __global__ void
#define FLOATS const float *a, const float *b, float *o, int n, int m, float k
#define INTS const int *a, const int *b, int *o, int n, int m, float k
#define THREAD                                                                                                         \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                        \
    return

// A value that goes from one iteration to the next
K one_sum(FLOATS) { float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; *o = s; }
K one_most(INTS) { int s = a[0]; for (int i = 1; i < n; i++) s = max(s, a[i]); *o = s; }
K one_prefix(INTS) { int s = 0; for (int i = 0; i < n; i++) o[i] = s += a[i]; }
K one_mean(FLOATS) { float s = 0; for (int i = 0; i < n; i++) { s = s * k + a[i]; o[i] = s; } }
K one_filter(FLOATS)
{
    float p = 0, q = 0;
    for (int i = 0; i < n; i++) { float v = a[i] + k * p - 0.5f * q; o[i] = v; q = p; p = v; }
}
K one_hash(INTS) { unsigned h = 2166136261u; for (int i = 0; i < n; i++) h = (h ^ (unsigned)a[i]) * 16777619u; *o = (int)h; }
K one_two(INTS) { int s = 0, q = 0; for (int i = 0; i < n; i++) { s += a[i]; q += a[i] * a[i]; } o[0] = s; o[1] = q; }
K one_recurrence(INTS) { for (int i = 2; i < n; i++) o[i] = o[i - 1] + o[i - 2] + o[i]; }

// No such value
K one_scaled(FLOATS) { for (int i = 0; i < n; i++) o[i] = k * a[i] + o[i]; }
K one_between(FLOATS) { for (int i = 0; i < n; i++) o[i] = a[i] + (b[i] - a[i]) * k; }
K one_choice(INTS) { for (int i = 0; i < n; i++) o[i] = a[i] > m ? a[i] : -a[i]; }
K one_differences(INTS) { for (int i = 0; i < n - 1; i++) o[i] = a[i + 1] - a[i]; }
K one_update(INTS) { for (int i = 0; i < n; i++) o[i] = o[i] * 5 + 1; }
K one_down(INTS) { for (int i = n; i > 0; i--) o[i - 1] = i * i; }
K one_reversed(INTS) { for (int i = n - 1; i >= 0; i--) o[n - 1 - i] = a[i] * 3 - i; }
K one_offset(INTS) { for (int i = m; i < n; i++) o[i] = a[i] + 7; }
K one_steps(INTS) { for (int i = 0; i < n; i += 3) o[i] = a[i] * 2; }
K one_shift(INTS) { for (int i = 0; i < n; i++) o[i] = o[i + 4] + 1; }
K one_same(INTS) { for (int i = 0; i < n; i++) o[0] = a[i]; }

// A loop in a loop
K one_products(FLOATS)
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < m; j++) s += a[i * m + j] * b[j];
        o[i] = s;
    }
}
K one_plane(FLOATS) { for (int y = 0; y < n; y++) for (int x = 0; x < m; x++) o[y * m + x] = a[y * m + x] + b[y * m + x]; }
K one_below(INTS) { for (int y = 1; y < n; y++) for (int x = 0; x < m; x++) o[y * m + x] = o[(y - 1) * m + x] + a[y * m + x]; }

// Two loops, of which none is the rest of the other
K one_norm(FLOATS)
{
    float s = 1;
    for (int i = 0; i < n; i++) s = fmaxf(s, a[i]);
    for (int i = 0; i < n; i++) o[i] = a[i] / s;
}

// Threads with a loop
K all_rows(FLOATS) { THREAD; float s = 0; for (int j = 0; j < m; j++) s += a[i * m + j] * b[j]; o[i] = s; }
K all_columns(FLOATS) { THREAD; float s = 0; for (int j = 0; j < m; j++) s += a[j * n + i] * b[j]; o[i] = s; }
K all_windows(FLOATS) { THREAD; float s = 0; for (int j = 0; j < m; j++) s += a[i + j] * b[j]; o[i] = s; }
K all_polynomials(FLOATS) { THREAD; float s = b[m]; for (int j = m - 1; j >= 0; j--) s = s * a[i] + b[j]; o[i] = s; }
K all_update_rows(FLOATS) { THREAD; for (int j = 0; j < m; j++) o[i * m + j] = o[i * m + j] * 2 + 1; }
K all_update_columns(FLOATS) { THREAD; for (int j = 0; j < m; j++) o[j * n + i] = o[j * n + i] * 2 + 1; }
K all_random(INTS) { THREAD; unsigned v = (unsigned)a[i]; for (int j = 0; j < m; j++) v = v * 1664525u + 1013904223u; o[i] = (int)v; }

// Threads with vectors
K all_vectors(FLOATS)
{
    THREAD;
    float4 v = ((const float4 *)a)[i];
    ((float4 *)o)[i] = make_float4(v.x * k, v.y + k, v.z - k, v.w * v.x);
}
K all_vector_updates(INTS) { THREAD; int4 v = ((int4 *)o)[i]; v.x += 1; v.y *= 3; v.z ^= 7; v.w = -v.w; ((int4 *)o)[i] = v; }
K all_vector_parts(FLOATS) { THREAD; float4 v = ((const float4 *)a)[i]; o[i] = v.y + v.w; }
K all_vector_pairs(INTS) { THREAD; int2 v = ((const int2 *)a)[i]; ((int2 *)o)[i] = make_int2(v.y, 5); }
K one_vectors(INTS)
{
    int s = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) { int4 v = ((const int4 *)a)[i]; s += v.x * v.y + v.z - v.w; o[i] = s; }
}
K one_vectors_unrolled(FLOATS) { float s = 0; for (int i = 0; i < n; i++) { float4 v = ((const float4 *)a)[i]; s += v.x * v.y + v.z * v.w; } *o = s; }
