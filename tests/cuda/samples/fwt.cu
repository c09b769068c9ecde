#include "samples/fwt/fwt.cu"
#include "sample.h"

int main()
{
    int n = 8192, vectors = 2, count = vectors * n;
    buffer<float> data(count);
    // Whole numbers: all sums are exact.
    data.fill(-4, 5, 1);
    for (float &one : data.host)
        one = std::floor(one);
    data.to_device();
    std::vector<double> expected(data.host.begin(), data.host.end());
    fwt_shared<<<count / PART, CTA>>>(data.device);
    fwt_radix4<<<count / 4 / CTA, CTA>>>(data.device, 1024);
    fwt_radix2<<<count / 2 / CTA, CTA>>>(data.device, n / 2);
    data.to_host();
    for (int stride = 1; stride < n; stride *= 2)
        for (int i = 0; i < count; i++)
            if (!(i & stride)) {
                double a = expected[i], b = expected[i + stride];
                expected[i] = a + b;
                expected[i + stride] = a - b;
            }
    for (int i = 0; i < count; i++)
        expect(i, data[i], expected[i]);
    return result();
}
