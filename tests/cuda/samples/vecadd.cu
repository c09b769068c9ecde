#include "samples/vecadd/vecadd.cu"
#include "overlap.h"

int main(int argc, char **argv)
{
    overlap pattern(argc, argv);
    int n = 10000;
    buffer<float> a(n), b(n), c(n);
    a.fill(0, 1, 1);
    b.fill(0, 1, 2);
    pattern.input(a);
    pattern.input(b);
    pattern.output(c);
    pattern.execute([&](cudaStream_t stream) {
        vecadd<<<(n + 255) / 256, 256, 0, stream>>>(a.device, b.device, c.device, n);
    });
    for (int i = 0; i < n; i++)
        expect(i, c[i], a[i] + b[i]);
    return result();
}
