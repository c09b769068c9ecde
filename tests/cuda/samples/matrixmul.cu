#include "samples/matrixmul/matrixmul.cu"
#include "overlap.h"

int main(int argc, char **argv)
{
    overlap pattern(argc, argv);
    int rows = 64, inner = 48, columns = 80;
    buffer<float> a(rows * inner), b(inner * columns), c(rows * columns);
    a.fill(0, 1, 1);
    b.fill(0, 1, 2);
    pattern.input(a);
    pattern.input(b);
    pattern.output(c);
    pattern.execute([&](cudaStream_t stream) {
        matrixmul<<<dim3(columns / TILE, rows / TILE), dim3(TILE, TILE), 0, stream>>>(
            a.device, b.device, c.device, inner, columns);
    });
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            float sum = 0;
            for (int k = 0; k < inner; k++)
                sum = std::fmaf(a[i * inner + k], b[k * columns + j], sum);
            expect(i * columns + j, c[i * columns + j], sum);
        }
    return result();
}
