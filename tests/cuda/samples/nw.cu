#include "samples/nw/nw.cu"
#include "sample.h"
#include <algorithm>

int main()
{
    int rows = 64, columns = 96, match = 5, mismatch = -3, penalty = 10, width = columns + 1;
    buffer<signed char> a(rows), b(columns);
    buffer<int> score((rows + 1) * width), serial((rows + 1) * width);
    a.fill(0, 4, 1);
    b.fill(0, 4, 2);
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++)
            score[i * width + j] = serial[i * width + j] = i && j ? 0 : -penalty * (i + j);
    score.to_device();
    serial.to_device();
    int down = rows / TILE, across = columns / TILE;
    for (int diagonal = 0; diagonal < down + across - 1; diagonal++) {
        int first = std::min(diagonal, down - 1), last = std::max(0, diagonal - across + 1);
        nw_tiles<<<first - last + 1, TILE>>>(a.device, b.device, score.device, columns, diagonal,
                                             first, match, mismatch, penalty);
    }
    nw_serial<<<1, 1>>>(a.device, b.device, serial.device, rows, columns, match, mismatch, penalty);
    score.to_host();
    serial.to_host();
    std::vector<int> best((rows + 1) * width);
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            int at = i * width + j;
            best[at] = -penalty * (i + j);
            if (i && j)
                best[at] =
                    std::max({best[at - width - 1] + (a[i - 1] == b[j - 1] ? match : mismatch),
                              best[at - width] - penalty, best[at - 1] - penalty});
            expect(at, score[at], best[at]);
            expect(at, serial[at], best[at]);
        }
    return result();
}
