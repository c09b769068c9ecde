#include "samples/cfd/cfd.cu"
#include "sample.h"
#include <array>

// A torus of cells with a wall at the lower and the upper row; normals that close each cell.
enum { WIDTH = 20, HEIGHT = 12, N = WIDTH * HEIGHT };

typedef std::array<double, 3> vector;
typedef std::array<double, 5> gas;

static double pressure_of(const gas &s)
{
    return 0.4 * (s[4] - 0.5 * (s[1] * s[1] + s[2] * s[2] + s[3] * s[3]) / s[0]);
}

static gas through(const gas &a, const gas &b, const vector &normal)
{
    double p = pressure_of(a), q = pressure_of(b), size = 0, from = 0, to = 0;
    for (int k = 0; k < 3; k++) {
        size += normal[k] * normal[k];
        from += a[1 + k] * normal[k] / a[0];
        to += b[1 + k] * normal[k] / b[0];
    }
    size = std::sqrt(size);
    double wave = std::max(std::fabs(from) + std::sqrt(1.4 * p / a[0]) * size,
                           std::fabs(to) + std::sqrt(1.4 * q / b[0]) * size);
    gas flux;
    for (int k = 0; k < 5; k++) {
        double pushed = k == 0 ? 0 : k == 4 ? p * from + q * to : (p + q) * normal[k - 1];
        flux[k] = 0.5 * (a[k] * from + b[k] * to + pushed - wave * (b[k] - a[k]));
    }
    return flux;
}

static int behind(int face, int i)
{
    int x = i % WIDTH, y = i / WIDTH;
    switch (face) {
    case 0: return y * WIDTH + (x + 1) % WIDTH;
    case 1: return y * WIDTH + (x + WIDTH - 1) % WIDTH;
    case 2: return y + 1 < HEIGHT ? i + WIDTH : -1;
    default: return y > 0 ? i - WIDTH : -1;
    }
}

int main()
{
    buffer<float> state(5 * N), old(5 * N), factor(N), flux(5 * N), area(N), normal(12 * N),
        tilt(6 * N);
    buffer<int> neighbour(4 * N);
    static const double mean[] = {1, 0.4, 0, 0, 2.5};
    state.fill(-0.1, 0.1, 1);
    area.fill(0.9, 1.1, 2);
    tilt.fill(-0.2, 0.2, 3);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 5; k++)
            state[k * N + i] += (float)mean[k];
        // The western face is the eastern face of the cell in the west, and so on.
        for (int face = 0; face < 4; face++) {
            int other = behind(face, i), own = face % 2 ? other : i;
            neighbour[face * N + i] = other;
            for (int k = 0; k < 3; k++) {
                float part =
                    (k == face / 2) + (own < 0 ? 0.0f : tilt[(face / 2 * 3 + k) * N + own]);
                normal[(face * 3 + k) * N + i] = face % 2 ? -part : part;
            }
        }
    }
    state.to_device();
    neighbour.to_device();
    normal.to_device();
    std::vector<gas> now(N), before, change(N);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 5; k++)
            now[i][k] = state[k * N + i];

    cfd_save<<<(5 * N + 127) / 128, 128>>>(state.device, old.device, 5 * N);
    cfd_factor<<<(N + 63) / 64, 64>>>(state.device, area.device, factor.device, 0.5f, N);
    for (int left = 3; left; left--) {
        cfd_flux<<<(N + 63) / 64, 64>>>(state.device, neighbour.device, normal.device, flux.device,
                                        N);
        cfd_update<<<(N + 63) / 64, 64>>>(old.device, factor.device, flux.device, state.device,
                                          left, N);
    }
    state.to_host();

    before = now;
    for (int left = 3; left; left--) {
        for (int i = 0; i < N; i++) {
            change[i] = {};
            for (int face = 0; face < 4; face++) {
                vector n;
                int other = behind(face, i);
                for (int k = 0; k < 3; k++)
                    n[k] = normal[(face * 3 + k) * N + i];
                gas out = other >= 0 ? through(now[i], now[other], n) : gas{};
                for (int k = 0; k < 3 && other < 0; k++)
                    out[1 + k] = pressure_of(now[i]) * n[k];
                for (int k = 0; k < 5; k++)
                    change[i][k] -= out[k];
            }
        }
        for (int i = 0; i < N; i++) {
            const gas &b = before[i];
            double speed = std::sqrt(b[1] * b[1] + b[2] * b[2] + b[3] * b[3]) / b[0] +
                           std::sqrt(1.4 * pressure_of(b) / b[0]);
            double step = 0.5 / (std::sqrt((double)area[i]) * speed) / left;
            for (int k = 0; k < 5; k++)
                now[i][k] = b[k] + step * change[i][k];
        }
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 5; k++)
            expect(i, 1 + state[k * N + i], 1 + now[i][k], 2e-5);
    return result();
}
