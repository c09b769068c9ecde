#include "samples/hw/hw.cu"
#include "sample.h"

int main()
{
    int width = 80, height = 70, points = 4, frames = 3;
    buffer<unsigned char> picture((width + 8) * (height + 8)), frame(frames * width * height);
    buffer<int> row(points), column(points), up(frames), across(frames);
    buffer<float> window(points * SIDE * SIDE);
    picture.fill(0, 256, 1);
    up.fill(0, 8, 2);
    across.fill(0, 8, 3);
    row.fill(20, height - 20, 4);
    column.fill(20, width - 20, 5);
    for (int f = 0; f < frames; f++)
        for (int i = 0; i < width * height; i++)
            frame[f * width * height + i] =
                picture[(i / width + up[f]) * (width + 8) + i % width + across[f]];
    frame.to_device();
    // A point of the picture stays where it is, while the frames show other parts of it.
    std::vector<int> rows(row.host), columns(column.host);
    hw_template<<<points, 64>>>(frame.device, row.device, column.device, window.device, width);
    for (int f = 1; f < frames; f++)
        hw_track<<<points, CTA>>>(frame.device + f * width * height, window.device, row.device,
                                  column.device, width);
    row.to_host();
    column.to_host();
    for (int point = 0; point < points; point++) {
        expect(point, row[point], rows[point] + up[0] - up[frames - 1]);
        expect(point, column[point], columns[point] + across[0] - across[frames - 1]);
    }
    return result();
}
