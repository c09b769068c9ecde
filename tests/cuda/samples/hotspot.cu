#include "samples/hotspot/hotspot.cu"
#include "overlap.h"

int main(int argc, char **argv)
{
    overlap pattern(argc, argv);
    int rows = 50, columns = 70, steps = 16;
    buffer<float> one(rows * columns), power(rows * columns), other(rows * columns),
        last(rows * columns);
    one.fill(323, 343, 1);
    power.fill(0, 10, 2);
    std::vector<double> now(one.host.begin(), one.host.end()), then = now;
    dim3 block(32, 8), grid((columns + 31) / 32, (rows + 7) / 8);
    // The last step has a result of its own: its words are full when they are final.
    pattern.input(one);
    pattern.input(power);
    pattern.output(last);
    pattern.execute([&](cudaStream_t stream) {
        for (int i = 0; i < steps; i++)
            hotspot<<<grid, block, 0, stream>>>(i % 2 ? other.device : one.device, power.device,
                                                i + 1 == steps ? last.device
                                                : i % 2        ? one.device
                                                               : other.device,
                                                rows, columns, 0.125f, 0.1f, 0.15f, 0.01f, 300);
    });
    for (int s = 0; s < steps; s++, now = then)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int at = i * columns + j;
                double t = now[at];
                double across = now[j ? at - 1 : at] + now[j < columns - 1 ? at + 1 : at] - 2 * t;
                double down = now[i ? at - columns : at] + now[i < rows - 1 ? at + columns : at] - 2 * t;
                then[at] = t + 0.125 * power[at] + 0.1 * down + 0.15 * across + 0.01 * (300 - t);
            }
    for (int i = 0; i < rows * columns; i++)
        expect(i, last[i], now[i], 1e-5);
    return result();
}
