// SRAD: speckle-reducing anisotropic diffusion of an ultrasound image.
//
// Shows patterns 1 (a derivative: dn = image[north] - image[i], and the sums of srad_reduce),
// 2 (the last derivative, which is used again; the product c[s] * ds of srad_2), 3 (srad_prepare:
// sum = image) and 7 (srad_scale: image * factor), beside them 4 (squares = image * image).
// [000 §4.1, Table 3]
//
// The image has rows of width pixels; pixel i = row * width + column. Order of the launches:
//
//     srad_scale(1/255), srad_extract                        to [0,1], then the exponential
//     per iteration:  srad_prepare, srad_reduce until one sum is left in sum[0] and squares[0];
//                     the host turns them into q0 (variance / mean^2); srad_1; srad_2
//     srad_compress, srad_scale(255)                         the logarithm, then back to [0,255]
//
// north, south (per row) and west, east (per column) hold the neighbour's row or column, clamped
// at the border. srad_reduce adds in place in global memory, a pair per thread: the caller calls
// it with n = pixels, then (n + 1) / 2, until n is 1.

extern "C" __global__ void srad_scale(float *image, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        image[i] = image[i] * factor;
}

extern "C" __global__ void srad_extract(float *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        image[i] = __expf(image[i]);
}

extern "C" __global__ void srad_compress(float *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        image[i] = __logf(image[i]);
}

extern "C" __global__ void srad_prepare(const float *image, float *sum, float *squares, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        sum[i] = image[i];
        squares[i] = image[i] * image[i];
    }
}

extern "C" __global__ void srad_reduce(float *sum, float *squares, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int half = (n + 1) / 2;

    if (i < n / 2) {
        sum[i] = sum[i] + sum[i + half];
        squares[i] = squares[i] + squares[i + half];
    }
}

extern "C" __global__ void srad_1(const float *image, float *dn, float *ds, float *dw, float *de,
                                  float *c, const int *north, const int *south, const int *west,
                                  const int *east, int height, int width, float q0)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int i = row * width + column;

    if (row >= height || column >= width)
        return;

    int n = north[row] * width + column;
    int s = south[row] * width + column;
    int w = row * width + west[column];
    int e = row * width + east[column];

    dn[i] = image[n] - image[i];
    ds[i] = image[s] - image[i];
    dw[i] = image[w] - image[i];
    de[i] = image[e] - image[i];

    float p = image[i];
    float g2 = (dn[i] * dn[i] + ds[i] * ds[i] + dw[i] * dw[i] + de[i] * de[i]) / (p * p);
    float l = (dn[i] + ds[i] + dw[i] + de[i]) / p;
    float numerator = 0.5f * g2 - 0.0625f * (l * l);
    float denominator = 1.0f + 0.25f * l;
    float q = numerator / (denominator * denominator);
    float k = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));

    c[i] = fminf(fmaxf(k, 0.0f), 1.0f);
}

extern "C" __global__ void srad_2(float *image, const float *dn, const float *ds, const float *dw,
                                  const float *de, const float *c, const int *south,
                                  const int *east, int height, int width, float lambda)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int i = row * width + column;

    if (row >= height || column >= width)
        return;

    int s = south[row] * width + column;
    int e = row * width + east[column];
    float here = c[i];
    float divergence = here * dn[i] + c[s] * ds[i] + here * dw[i] + c[e] * de[i];

    image[i] = image[i] + 0.25f * lambda * divergence;
}
