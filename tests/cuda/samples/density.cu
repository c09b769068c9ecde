#include "samples/density/density.cu"
#include "sample.h"

int main()
{
    int n = 20000, count = 0;
    buffer<int> a(n), zeros(1);
    a.fill(0, 3, 1);
    density<<<8, 256>>>(a.device, zeros.device, n);
    zeros.to_host();
    for (int i = 0; i < n; i++)
        count += a[i] == 0;
    expect(0, zeros[0], count);
    return result();
}
