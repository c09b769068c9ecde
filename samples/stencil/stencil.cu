// STENCIL: seven-point stencil in three dimensions, in two forms.
//
// stencil_point   one thread per point, no loop: a map for spatial hardware
// stencil_walk    one thread per column of z; the points below, here and above stay in registers
// Shows pattern 2 (sums of two neighbours). Memory-bound.  [003 Table I]
//
// The grid has nz planes of ny rows of nx points; x is the fastest. Block x runs along x, block y
// along y, and for stencil_point grid z along z. to = centre * from + neighbour * (sum of the six
// neighbours) inside; the points of the border are not written.

extern "C" __global__ void stencil_point(const float *from, float *to, int nx, int ny, int nz,
                                         float centre, float neighbour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int z = blockIdx.z + 1;

    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;

    int here = (z * ny + y) * nx + x;
    float sum = from[here - 1] + from[here + 1];

    sum += from[here - nx] + from[here + nx];
    sum += from[here - nx * ny] + from[here + nx * ny];
    to[here] = fmaf(centre, from[here], neighbour * sum);
}

extern "C" __global__ void stencil_walk(const float *from, float *to, int nx, int ny, int nz,
                                        float centre, float neighbour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;

    if (x >= nx - 1 || y >= ny - 1)
        return;

    int here = y * nx + x, plane = nx * ny;
    float below = from[here], at = from[here + plane];

#pragma unroll 1
    for (int z = 1; z < nz - 1; z++) {
        here += plane;

        float above = from[here + plane];
        float sum = from[here - 1] + from[here + 1];

        sum += from[here - nx] + from[here + nx];
        sum += below + above;
        to[here] = fmaf(centre, at, neighbour * sum);
        below = at;
        at = above;
    }
}
