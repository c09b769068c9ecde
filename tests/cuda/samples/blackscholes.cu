#include "samples/blackscholes/blackscholes.cu"
#include "overlap.h"

static double normal(double d)
{
    return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

int main(int argc, char **argv)
{
    overlap pattern(argc, argv);
    int n = 5000;
    double rate = 0.02, volatility = 0.3;
    buffer<float> price(n), strike(n), years(n), call(n), put(n);
    price.fill(5, 30, 1);
    strike.fill(1, 100, 2);
    years.fill(0.25, 10, 3);
    pattern.input(price);
    pattern.input(strike);
    pattern.input(years);
    pattern.output(call);
    pattern.output(put);
    pattern.execute([&](cudaStream_t stream) {
        blackscholes<<<(n + 127) / 128, 128, 0, stream>>>(price.device, strike.device, years.device,
                                                          call.device, put.device, (float)rate,
                                                          (float)volatility, n);
    });
    for (int i = 0; i < n; i++) {
        double s = price[i], x = strike[i], t = years[i], spread = volatility * std::sqrt(t);
        double d1 = (std::log(s / x) + (rate + volatility * volatility / 2) * t) / spread;
        double present = x * std::exp(-rate * t);
        double value = s * normal(d1) - present * normal(d1 - spread);
        // The sample's polynomial is good to 1e-5 of the larger of the two prices.
        expect(i, call[i] + s + present, value + s + present, 2e-5);
        expect(i, put[i] + s + present, value - s + present + s + present, 2e-5);
    }
    return result();
}
