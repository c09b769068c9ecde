#include "samples/libor/libor.cu"
#include "sample.h"

int main()
{
    int paths = 200, nmat = 6, nrates = 14;
    buffer<float> rate(paths * nrates), adjoint(paths * nrates), value(paths);
    rate.fill(0.01, 0.1, 1);
    adjoint.fill(-1, 1, 2);
    std::vector<double> before(adjoint.host.begin(), adjoint.host.end());
    libor_portfolio<<<(paths + 63) / 64, 64>>>(rate.device, adjoint.device, value.device, paths,
                                               nmat, nrates, 0.25f, 0.05f);
    adjoint.to_host();
    value.to_host();
    for (int path = 0; path < paths; path++) {
        double b = 1, swap = 0;
        for (int r = 0; r < nmat; r++)
            b /= 1 + 0.25 * rate[r * paths + path];
        for (int r = nmat; r < nrates; r++)
            swap += 0.25 * (rate[r * paths + path] - 0.05);
        double v = b * std::max(swap, 0.0);
        // The swap is a sum of small differences.
        expect(path, value[path], v, 1e-4);
        for (int r = 0; r < nrates; r++) {
            int at = r * paths + path;
            expect(at, adjoint[at], r < nmat ? -v * 0.25 / (1 + 0.25 * rate[at]) : b * before[at],
                   1e-4);
        }
    }
    return result();
}
