// FDTD: two-dimensional finite-difference time-domain method (Yee grid, transverse electric).
//
// Shows patterns 1 (the source row: ey = ey + pulse[t]) and 2 (the differences of neighbouring
// field values, which stay in a register).  [000 §4.1, Table 3]
//
// ex has nx rows of ny + 1, ey has nx + 1 rows of ny, hz has nx rows of ny. Block x runs along j
// (the row), block y along i. One time step t is fdtd_ey, fdtd_ex, fdtd_hz. Row 0 of ey is driven
// by a soft source: the pulse is added to the field instead of replacing it.

extern "C" __global__ void fdtd_ey(const float *pulse, float *ey, const float *hz, int nx, int ny,
                                   int t)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int here = i * ny + j;

    if (i >= nx || j >= ny)
        return;
    if (i == 0) {
        ey[j] = ey[j] + pulse[t];
        return;
    }
    ey[here] = ey[here] - 0.5f * (hz[here] - hz[here - ny]);
}

extern "C" __global__ void fdtd_ex(float *ex, const float *hz, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < nx && j > 0 && j < ny) {
        int here = i * (ny + 1) + j;

        ex[here] = ex[here] - 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
    }
}

extern "C" __global__ void fdtd_hz(const float *ex, const float *ey, float *hz, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < nx && j < ny) {
        int here = i * ny + j;
        int wide = i * (ny + 1) + j;
        float across = ex[wide + 1] - ex[wide];
        float down = ey[here + ny] - ey[here];

        hz[here] = hz[here] - 0.7f * (across + down);
    }
}
