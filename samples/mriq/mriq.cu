// MRIQ: the matrix Q of a magnetic resonance image whose samples are not on a grid.
//
// Shows no chain: loads have two uses, or the other operand is a register. The loop of mriq is a
// candidate block that contains sine and cosine.  [003 Table I]
//
// mriq_magnitude   sample[k].weight = real[k]² + imaginary[k]², once
// mriq             for every voxel (x, y, z) the sums of weight * cos and weight * sin of
//                  2π (kx x + ky y + kz z) over all samples
// A sample is a structure of four floats. The angle is taken in turns and reduced to half a turn
// before sine and cosine, whose approximations are for small angles.

struct sample {
    float kx, ky, kz, weight;
};

extern "C" __global__ void mriq_magnitude(const float *real, const float *imaginary,
                                          struct sample *sample, int samples)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;

    if (k < samples)
        sample[k].weight = real[k] * real[k] + imaginary[k] * imaginary[k];
}

extern "C" __global__ void mriq(const float *x, const float *y, const float *z,
                                const struct sample *sample, float *q_real, float *q_imaginary,
                                int voxels, int samples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= voxels)
        return;

    float vx = x[i], vy = y[i], vz = z[i], sum_real = 0.0f, sum_imaginary = 0.0f;

#pragma unroll 1
    for (int k = 0; k < samples; k++) {
        float turns = sample[k].kx * vx + sample[k].ky * vy + sample[k].kz * vz;
        float angle = 6.2831853f * (turns - rintf(turns));

        sum_real += sample[k].weight * __cosf(angle);
        sum_imaginary += sample[k].weight * __sinf(angle);
    }
    q_real[i] = sum_real;
    q_imaginary[i] = sum_imaginary;
}
