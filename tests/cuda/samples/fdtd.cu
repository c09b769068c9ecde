#include "samples/fdtd/fdtd.cu"
#include "sample.h"

int main()
{
    int nx = 30, ny = 40, steps = 3;
    buffer<float> pulse(steps), ex(nx * (ny + 1)), ey((nx + 1) * ny), hz(nx * ny);
    pulse.fill(0, 1, 1);
    ex.fill(0, 1, 2);
    ey.fill(0, 1, 3);
    hz.fill(0, 1, 4);
    std::vector<double> x(ex.host.begin(), ex.host.end()), y(ey.host.begin(), ey.host.end()),
        z(hz.host.begin(), hz.host.end());
    dim3 block(32, 8), grid((ny + 31) / 32, (nx + 7) / 8);
    for (int t = 0; t < steps; t++) {
        fdtd_ey<<<grid, block>>>(pulse.device, ey.device, hz.device, nx, ny, t);
        fdtd_ex<<<grid, block>>>(ex.device, hz.device, nx, ny);
        fdtd_hz<<<grid, block>>>(ex.device, ey.device, hz.device, nx, ny);
    }
    ex.to_host();
    ey.to_host();
    hz.to_host();
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < ny; j++) {
                y[i * ny + j] += i ? -0.5 * (z[i * ny + j] - z[(i - 1) * ny + j]) : pulse[t];
                if (j)
                    x[i * (ny + 1) + j] -= 0.5 * (z[i * ny + j] - z[i * ny + j - 1]);
            }
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < ny; j++)
                z[i * ny + j] -= 0.7 * (x[i * (ny + 1) + j + 1] - x[i * (ny + 1) + j] +
                                        y[(i + 1) * ny + j] - y[i * ny + j]);
    }
    // One is added to each: the fields are differences of values of about 1.
    for (size_t i = 0; i < x.size(); i++)
        expect(i, 1 + ex[i], 1 + x[i], 1e-5);
    for (size_t i = 0; i < y.size(); i++)
        expect(i, 1 + ey[i], 1 + y[i], 1e-5);
    for (size_t i = 0; i < z.size(); i++)
        expect(i, 1 + hz[i], 1 + z[i], 1e-5);
    return result();
}
