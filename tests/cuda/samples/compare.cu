#include "samples/compare/compare.cu"
#include "sample.h"

int main()
{
    int n = 20000, count = 0;
    buffer<int> a(n), b(n), differ(1);
    a.fill(0, 4, 1);
    b.fill(0, 4, 2);
    compare<<<8, 256>>>(a.device, b.device, differ.device, n);
    differ.to_host();
    for (int i = 0; i < n; i++)
        count += a[i] != b[i];
    expect(0, differ[0], count);
    return result();
}
