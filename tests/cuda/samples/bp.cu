#include "samples/bp/bp.cu"
#include "sample.h"

int main()
{
    int inputs = 320, count = inputs * HIDDEN;
    buffer<float> input(inputs), weight(count), change(count), target(HIDDEN), partial(inputs),
        out(HIDDEN), delta(HIDDEN);
    input.fill(0, 1, 1);
    weight.fill(-9.0 / inputs, 11.0 / inputs, 2);
    change.fill(-0.1, 0.1, 3);
    target.fill(0, 1, 4);
    std::vector<double> weights(weight.host.begin(), weight.host.end());
    std::vector<double> changes(change.host.begin(), change.host.end());
    dim3 block(HIDDEN, HIDDEN);
    bp_forward<<<inputs / HIDDEN, block>>>(input.device, weight.device, partial.device);
    bp_hidden<<<HIDDEN, CTA>>>(partial.device, target.device, out.device, delta.device,
                               inputs / HIDDEN);
    bp_adjust<<<inputs / HIDDEN, block>>>(input.device, delta.device, weight.device, change.device);
    out.to_host();
    delta.to_host();
    weight.to_host();
    change.to_host();
    for (int unit = 0; unit < HIDDEN; unit++) {
        double sum = 0;
        for (int i = 0; i < inputs; i++)
            sum += input[i] * weights[i * HIDDEN + unit];
        double o = 1 / (1 + std::exp(-sum)), d = o * (1 - o) * (target[unit] - o);
        expect(unit, out[unit], o, 1e-5);
        expect(unit, delta[unit], d, 1e-4);
        for (int i = 0; i < inputs; i++) {
            int at = i * HIDDEN + unit;
            double step = RATE * d * input[i] + MOMENTUM * changes[at];
            expect(at, change[at], step, 1e-4);
            expect(at, weight[at], weights[at] + step, 1e-4);
        }
    }
    return result();
}
