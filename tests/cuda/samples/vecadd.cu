#include "samples/vecadd/vecadd.cu"
#include "sample.h"

int main()
{
    int n = 10000;
    buffer<float> a(n), b(n), c(n);
    a.fill(0, 1, 1);
    b.fill(0, 1, 2);
    vecadd<<<(n + 255) / 256, 256>>>(a.device, b.device, c.device, n);
    c.to_host();
    for (int i = 0; i < n; i++)
        expect(i, c[i], a[i] + b[i]);
    return result();
}
