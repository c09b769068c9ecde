#include "samples/scp/scp.cu"
#include "sample.h"

int main()
{
    int pairs = 20, n = 700;
    buffer<float> a(pairs * n), b(pairs * n), product(pairs);
    a.fill(0, 1, 1);
    b.fill(0, 1, 2);
    scp<<<pairs, CTA>>>(a.device, b.device, product.device, n);
    product.to_host();
    for (int k = 0; k < pairs; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += (double)a[k * n + i] * b[k * n + i];
        expect(k, product[k], sum, 1e-5);
    }
    return result();
}
