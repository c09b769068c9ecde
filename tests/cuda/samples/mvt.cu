#include "samples/mvt/mvt.cu"
#include "sample.h"

int main()
{
    int n = 100;
    buffer<float> a(n * n), x1(n), x2(n), y1(n), y2(n), t(n);
    a.fill(0, 1, 1);
    x1.fill(0, 1, 2);
    x2.fill(0, 1, 3);
    y1.fill(0, 1, 4);
    y2.fill(0, 1, 5);
    std::vector<double> rows(x1.host.begin(), x1.host.end()), columns(x2.host.begin(), x2.host.end());
    mvt_rows<<<1, 128>>>(a.device, y1.device, t.device, n);
    mvt_add<<<1, 128>>>(x1.device, t.device, n);
    mvt_columns<<<1, 128>>>(a.device, y2.device, t.device, n);
    mvt_add<<<1, 128>>>(x2.device, t.device, n);
    x1.to_host();
    x2.to_host();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            rows[i] += (double)a[i * n + j] * y1[j];
            columns[j] += (double)a[i * n + j] * y2[i];
        }
    for (int i = 0; i < n; i++) {
        expect(i, x1[i], rows[i], 1e-5);
        expect(i, x2[i], columns[i], 1e-5);
    }
    return result();
}
