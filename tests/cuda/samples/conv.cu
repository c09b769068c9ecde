#include "samples/conv/conv.cu"
#include "sample.h"

int main()
{
    int width = 45, height = 30, wide = width + 2;
    buffer<float> in(wide * (height + 2)), direct(width * height), tile(width * height),
        rows(width * (height + 2)), separable(width * height);
    static const float w[] = {0.25f, 0.5f, 0.25f};
    in.fill(0, 1, 1);
    dim3 block(32, 8), grid((width + 31) / 32, (height + 9) / 8),
        tiles((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    conv_direct<<<grid, block>>>(in.device, direct.device, width, height, w[0] * w[0], w[0] * w[1],
                                 w[0] * w[2], w[1] * w[0], w[1] * w[1], w[1] * w[2], w[2] * w[0],
                                 w[2] * w[1], w[2] * w[2]);
    conv_tile<<<tiles, dim3(TILE, TILE)>>>(in.device, tile.device, width, height, w[0] * w[0],
                                           w[0] * w[1], w[0] * w[2], w[1] * w[0], w[1] * w[1],
                                           w[1] * w[2], w[2] * w[0], w[2] * w[1], w[2] * w[2]);
    conv_row<<<grid, block>>>(in.device, rows.device, width, height + 2, w[0], w[1], w[2]);
    conv_column<<<grid, block>>>(rows.device, separable.device, width, height, w[0], w[1], w[2]);
    direct.to_host();
    tile.to_host();
    separable.to_host();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (int k = 0; k < 9; k++)
                sum += (double)w[k / 3] * w[k % 3] * in[(y + k / 3) * wide + x + k % 3];
            expect(y * width + x, direct[y * width + x], sum, 1e-5);
            expect(y * width + x, tile[y * width + x], sum, 1e-5);
            expect(y * width + x, separable[y * width + x], sum, 1e-5);
        }
    return result();
}
