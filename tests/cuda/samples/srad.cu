#include "samples/srad/srad.cu"
#include "sample.h"

enum { HEIGHT = 24, WIDTH = 40, N = HEIGHT * WIDTH, ROUNDS = 2 };

static void diffuse(std::vector<double> &image)
{
    double sum = 0, squares = 0;
    for (double p : image) {
        sum += p;
        squares += p * p;
    }
    double q0 = squares * N / (sum * sum) - 1;
    std::vector<double> d[4], c(N);
    for (auto &one : d)
        one.resize(N);
    for (int i = 0; i < N; i++) {
        int row = i / WIDTH, column = i % WIDTH;
        int around[] = {row ? i - WIDTH : i, row + 1 < HEIGHT ? i + WIDTH : i, column ? i - 1 : i,
                        column + 1 < WIDTH ? i + 1 : i};
        double p = image[i], g2 = 0, l = 0;
        for (int k = 0; k < 4; k++) {
            d[k][i] = image[around[k]] - p;
            g2 += d[k][i] * d[k][i] / (p * p);
            l += d[k][i] / p;
        }
        double q = (0.5 * g2 - 0.0625 * l * l) / ((1 + 0.25 * l) * (1 + 0.25 * l));
        c[i] = std::min(std::max(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0.0), 1.0);
    }
    for (int i = 0; i < N; i++) {
        int south = i / WIDTH + 1 < HEIGHT ? i + WIDTH : i,
            east = i % WIDTH + 1 < WIDTH ? i + 1 : i;
        image[i] +=
            0.125 * (c[i] * d[0][i] + c[south] * d[1][i] + c[i] * d[2][i] + c[east] * d[3][i]);
    }
}

int main()
{
    buffer<float> image(N), sum(N), squares(N), dn(N), ds(N), dw(N), de(N), c(N);
    buffer<int> north(HEIGHT), south(HEIGHT), west(WIDTH), east(WIDTH);
    image.fill(1, 255, 6);
    for (int i = 0; i < HEIGHT; i++) {
        north[i] = std::max(i - 1, 0);
        south[i] = std::min(i + 1, HEIGHT - 1);
    }
    for (int i = 0; i < WIDTH; i++) {
        west[i] = std::max(i - 1, 0);
        east[i] = std::min(i + 1, WIDTH - 1);
    }
    north.to_device();
    south.to_device();
    west.to_device();
    east.to_device();
    std::vector<double> expected(image.host.begin(), image.host.end());
    int grid = (N + 255) / 256;
    dim3 block(32, 8), blocks((WIDTH + 31) / 32, (HEIGHT + 7) / 8);
    srad_scale<<<grid, 256>>>(image.device, 1 / 255.0f, N);
    srad_extract<<<grid, 256>>>(image.device, N);
    for (int round = 0; round < ROUNDS; round++) {
        srad_prepare<<<grid, 256>>>(image.device, sum.device, squares.device, N);
        for (int n = N; n > 1; n = (n + 1) / 2)
            srad_reduce<<<grid, 256>>>(sum.device, squares.device, n);
        sum.to_host();
        squares.to_host();
        float q0 = (float)((double)squares[0] * N / ((double)sum[0] * sum[0]) - 1);
        srad_1<<<blocks, block>>>(image.device, dn.device, ds.device, dw.device, de.device,
                                  c.device, north.device, south.device, west.device, east.device,
                                  HEIGHT, WIDTH, q0);
        srad_2<<<blocks, block>>>(image.device, dn.device, ds.device, dw.device, de.device,
                                  c.device, south.device, east.device, HEIGHT, WIDTH, 0.5f);
    }
    srad_compress<<<grid, 256>>>(image.device, N);
    srad_scale<<<grid, 256>>>(image.device, 255, N);
    image.to_host();
    for (double &one : expected)
        one = std::exp(one / 255);
    for (int round = 0; round < ROUNDS; round++)
        diffuse(expected);
    // Exponential and logarithm are approximate, and the coefficient magnifies errors.
    for (int i = 0; i < N; i++)
        expect(i, 1 + image[i], 1 + 255 * std::log(expected[i]), 2e-4);
    return result();
}
