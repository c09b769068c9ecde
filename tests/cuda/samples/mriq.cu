#include "samples/mriq/mriq.cu"
#include "sample.h"

int main()
{
    int voxels = 200, samples = 40;
    buffer<float> x(voxels), y(voxels), z(voxels), k(4 * samples), real(samples),
        imaginary(samples), q_real(voxels), q_imaginary(voxels);
    x.fill(-1, 1, 1);
    y.fill(-1, 1, 2);
    z.fill(-1, 1, 3);
    k.fill(-8, 8, 4);
    real.fill(-1, 1, 5);
    imaginary.fill(-1, 1, 6);
    struct sample *points = (struct sample *)k.device;
    mriq_magnitude<<<(samples + 63) / 64, 64>>>(real.device, imaginary.device, points, samples);
    mriq<<<(voxels + 63) / 64, 64>>>(x.device, y.device, z.device, points, q_real.device,
                                     q_imaginary.device, voxels, samples);
    q_real.to_host();
    q_imaginary.to_host();
    for (int i = 0; i < voxels; i++) {
        double sum_real = 0, sum_imaginary = 0;
        for (int s = 0; s < samples; s++) {
            double weight = (double)real[s] * real[s] + (double)imaginary[s] * imaginary[s];
            double angle = 2 * M_PI *
                           ((double)k[4 * s] * x[i] + (double)k[4 * s + 1] * y[i] +
                            (double)k[4 * s + 2] * z[i]);
            sum_real += weight * std::cos(angle);
            sum_imaginary += weight * std::sin(angle);
        }
        // Sums of 40 numbers of at most 2; `samples` is added, since they may cancel out.
        expect(i, samples + q_real[i], samples + sum_real, 1e-5);
        expect(i, samples + q_imaginary[i], samples + sum_imaginary, 1e-5);
    }
    return result();
}
