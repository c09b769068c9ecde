#include "samples/integr/integr.cu"
#include "sample.h"

int main()
{
    int width = 300, height = 20, narrow = 24;
    buffer<signed char> in(width * height);
    buffer<int> out(width * height), serial(narrow * height);
    in.fill(-128, 128, 1);
    integr_rows<<<height, CTA>>>(in.device, out.device, width);
    integr_columns<<<(width + 63) / 64, 64>>>(out.device, width, height);
    integr_serial<<<1, 1>>>(in.device, serial.device, narrow, height);
    out.to_host();
    serial.to_host();
    for (int columns : {width, narrow}) {
        std::vector<int> above(columns);
        for (int y = 0; y < height; y++)
            for (int x = 0, sum = 0; x < columns; x++) {
                sum += in[y * columns + x];
                above[x] += sum;
                expect(y * columns + x, (columns == width ? out : serial)[y * columns + x],
                       above[x]);
            }
    }
    return result();
}
