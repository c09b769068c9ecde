#include "samples/copy-aligned/copy-aligned.cu"
#include "sample.h"

int main()
{
    int n = 10000;
    buffer<int> a(n), c(n);
    a.fill(-1e6, 1e6, 3);
    copy_aligned<<<(n + 255) / 256, 256>>>(a.device, c.device, n);
    c.to_host();
    for (int i = 0; i < n; i++)
        expect(i, c[i], a[i]);
    return result();
}
