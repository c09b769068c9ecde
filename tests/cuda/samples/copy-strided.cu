#include "samples/copy-strided/copy-strided.cu"
#include "sample.h"

int main()
{
    int n = 10000, shift = 128;
    buffer<int> a(n), c(n + shift, -1);
    a.fill(-1e6, 1e6, 3);
    copy_strided<<<(n + 255) / 256, 256>>>(a.device, c.device, n, shift);
    c.to_host();
    for (int i = 0; i < n + shift; i++)
        expect(i, c[i], i < shift ? -1 : a[i - shift]);
    return result();
}
