#include "samples/red/red_global.cu"
#include "samples/red/red_hybrid1.cu"
#include "samples/red/red_hybrid2.cu"
#include "samples/red/red_hybrid3.cu"
#include "samples/red/red_shared.cu"
#include "samples/red/red_stride.cu"
#include "sample.h"

int main()
{
    static void (*const variants[])(float *, float *) = {red_global, red_hybrid1, red_hybrid2,
                                                         red_hybrid3, red_shared};
    int tiles = 3, count = tiles * TILE, ctas = 4;
    buffer<float> g(count), sum(tiles), part(ctas), total(1);
    std::vector<float> first;
    for (auto *variant : variants) {
        g.fill(0, 1, 1);
        variant<<<tiles, CTA>>>(g.device, sum.device);
        sum.to_host();
        for (int t = 0; t < tiles; t++) {
            double expected = 0;
            for (int i = 0; i < TILE; i++)
                expected += g[t * TILE + i];
            expect(t, sum[t], expected, 1e-5);
        }
        // All variants add in the same order.
        first = first.empty() ? sum.host : first;
        for (int t = 0; t < tiles; t++)
            expect(t, sum[t], first[t]);
    }
    g.to_device();
    red_stride<<<ctas, CTA>>>(g.device, part.device, count - 5);
    red_stride<<<1, CTA>>>(part.device, total.device, ctas);
    total.to_host();
    double expected = 0;
    for (int i = 0; i < count - 5; i++)
        expected += g[i];
    expect(0, total[0], expected, 1e-5);
    return result();
}
