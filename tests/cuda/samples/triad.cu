#include "samples/triad/triad.cu"
#include "sample.h"

int main()
{
    int n = 10000;
    buffer<float> a(n), b(n), c(n);
    b.fill(0, 1, 1);
    c.fill(0, 1, 2);
    triad<<<(n + 255) / 256, 256>>>(a.device, b.device, c.device, 3, n);
    a.to_host();
    for (int i = 0; i < n; i++)
        expect(i, a[i], std::fmaf(3, c[i], b[i]), 1e-6);
    return result();
}
