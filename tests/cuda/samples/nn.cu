#include "samples/nn/nn.cu"
#include "sample.h"

int main()
{
    int images = 2, maps = 7;
    buffer<float> in(images * IN_MAPS * IN * IN), weight(maps * IN_MAPS * WINDOW * WINDOW),
        bias(maps), out(images * maps * OUT * OUT);
    in.fill(-1, 1, 1);
    weight.fill(-0.3, 0.3, 2);
    bias.fill(-0.5, 0.5, 3);
    nn<<<dim3(maps, images), dim3(OUT, OUT)>>>(in.device, weight.device, bias.device, out.device);
    out.to_host();
    for (int i = 0; i < images * maps * OUT * OUT; i++) {
        int x = i % OUT, y = i / OUT % OUT, map = i / (OUT * OUT) % maps,
            image = i / (OUT * OUT * maps);
        double sum = bias[map];
        for (int k = 0; k < IN_MAPS * WINDOW * WINDOW; k++) {
            int column = k % WINDOW, row = k / WINDOW % WINDOW, from = k / (WINDOW * WINDOW);
            sum += (double)weight[map * IN_MAPS * WINDOW * WINDOW + k] *
                   in[((image * IN_MAPS + from) * IN + 2 * y + row) * IN + 2 * x + column];
        }
        double s = std::min(std::max(sum, -2.5), 2.5), q = s * s;
        double value = s * (0.96289396 + q * (-0.22927438 + q * (0.036102368 - 0.0022426860 * q)));
        expect(i, 2 + out[i], 2 + value, 1e-5);
    }
    return result();
}
