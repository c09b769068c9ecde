#include "samples/norm/norm.cu"
#include "sample.h"

int main()
{
    int n = 10000;
    buffer<float> a(n), c(n);
    a.fill(0, 1, 1);
    normalize<<<(n + 255) / 256, 256>>>(a.device, c.device, 0.125f, n);
    c.to_host();
    for (int i = 0; i < n; i++)
        expect(i, c[i], a[i] * 0.125f);
    return result();
}
