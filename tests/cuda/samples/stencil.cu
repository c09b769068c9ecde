#include "samples/stencil/stencil.cu"
#include "sample.h"

int main()
{
    int nx = 40, ny = 20, nz = 10;
    buffer<float> from(nx * ny * nz), point(nx * ny * nz), walk(nx * ny * nz);
    from.fill(0, 1, 1);
    stencil_point<<<dim3((nx + 29) / 32, (ny + 1) / 4, nz - 2), dim3(32, 4)>>>(
        from.device, point.device, nx, ny, nz, 0.25f, 0.125f);
    stencil_walk<<<dim3((nx + 29) / 32, (ny + 1) / 4), dim3(32, 4)>>>(from.device, walk.device, nx, ny,
                                                                     nz, 0.25f, 0.125f);
    point.to_host();
    walk.to_host();
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                int at = (z * ny + y) * nx + x;
                bool inside = x && y && z && x < nx - 1 && y < ny - 1 && z < nz - 1;
                double sum = !inside ? 0
                                     : (double)from[at - 1] + from[at + 1] + from[at - nx] +
                                           from[at + nx] + from[at - nx * ny] + from[at + nx * ny];
                double expected = inside ? 0.25 * from[at] + 0.125 * sum : 0;
                expect(at, point[at], expected, 1e-6);
                expect(at, walk[at], expected, 1e-6);
            }
    return result();
}
