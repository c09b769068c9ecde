#include "samples/stream/stream.cu"
#include "sample.h"

int main()
{
    int n = 900, dimensions = 3, centres = 5, grid = (n + 127) / 128;
    float weight = 1.5f, price = 20;
    buffer<float> point(n * dimensions), candidate(dimensions, 0.5f), distance(n), cost(n),
        ledger((1 + centres) * n), total(1 + centres);
    buffer<int> assign(n), go(n), closes(centres), accept(1);
    point.fill(0, 1, 1);
    cost.fill(0.1, 2, 2);
    assign.fill(0, centres, 3);
    std::vector<double> costs(cost.host.begin(), cost.host.end()), totals(1 + centres), there(n);
    std::vector<int> centre(assign.host);
    stream_distance<<<grid, 128>>>(point.device, candidate.device, distance.device, n, dimensions);
    stream_gain<<<grid, 128>>>(distance.device, cost.device, assign.device, ledger.device,
                               go.device, weight, n);
    stream_total<<<1 + centres, CTA>>>(ledger.device, total.device, n);
    stream_decide<<<1, 1>>>(total.device, closes.device, accept.device, price, centres);
    stream_reassign<<<grid, 128>>>(distance.device, cost.device, assign.device, go.device,
                                   closes.device, accept.device, weight, centres, n);
    total.to_host();
    cost.to_host();
    assign.to_host();
    accept.to_host();
    for (int p = 0; p < n; p++) {
        for (int d = 0; d < dimensions; d++)
            there[p] += (point[d * n + p] - 0.5) * (point[d * n + p] - 0.5) * weight;
        totals[costs[p] > there[p] ? 0 : 1 + centre[p]] += costs[p] - there[p];
    }
    double gain = totals[0] - price;
    for (int k = 0; k <= centres; k++) {
        expect(k, total[k], totals[k], 1e-4);
        gain += k ? std::max(price + totals[k], 0.0) : 0;
    }
    expect(0, accept[0], gain > 0);
    for (int p = 0; p < n; p++) {
        bool moves = gain > 0 && (costs[p] > there[p] || price + totals[1 + centre[p]] > 0);
        expect(p, assign[p], moves ? centres : centre[p]);
        expect(p, cost[p], moves ? there[p] : costs[p], 1e-5);
    }
    return result();
}
