#include "samples/vecadd-strided/vecadd-strided.cu"
#include "sample.h"

int main()
{
    int n = 10000, b_shift = 32, c_shift = 64;
    buffer<float> a(n), b(n + b_shift), c(n + c_shift, -1);
    a.fill(0, 1, 1);
    b.fill(0, 1, 2);
    vecadd_strided<<<(n + 255) / 256, 256>>>(a.device, b.device, c.device, n, b_shift, c_shift);
    c.to_host();
    for (int i = 0; i < n + c_shift; i++)
        expect(i, c[i], i < c_shift ? -1 : a[i - c_shift] + b[i - c_shift + b_shift]);
    return result();
}
