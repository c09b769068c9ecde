#include "samples/path/path.cu"
#include "sample.h"
#include <algorithm>

static std::vector<int> least(const std::vector<int> &wall, int columns, int rows)
{
    std::vector<int> cost(wall.begin(), wall.begin() + columns), above;
    for (int i = 1; i < rows; i++) {
        above = cost;
        for (int j = 0; j < columns; j++)
            cost[j] = wall[i * columns + j] + std::min({above[std::max(j - 1, 0)], above[j],
                                                        above[std::min(j + 1, columns - 1)]});
    }
    return cost;
}

int main()
{
    int columns = 500, steps = 4, rows = 1 + 2 * steps, narrow = 40,
        grid = (columns + CTA - 1 - 2 * steps) / (CTA - 2 * steps);
    buffer<int> wall(rows * columns), one(columns), other(columns), serial(2 * narrow);
    wall.fill(0, 10, 1);
    std::copy_n(wall.host.begin(), columns, one.host.begin());
    std::copy_n(wall.host.begin(), narrow, serial.host.begin());
    one.to_device();
    serial.to_device();
    path_rows<<<grid, CTA>>>(wall.device, one.device, other.device, columns, 1, steps);
    path_rows<<<grid, CTA>>>(wall.device, other.device, one.device, columns, 1 + steps, steps);
    path_serial<<<1, 1>>>(wall.device, serial.device, narrow, rows);
    one.to_host();
    serial.to_host();
    std::vector<int> all = least(wall.host, columns, rows), few = least(wall.host, narrow, rows);
    for (int j = 0; j < columns; j++)
        expect(j, one[j], all[j]);
    for (int j = 0; j < narrow; j++)
        expect(j, serial[(rows - 1) % 2 * narrow + j], few[j]);
    return result();
}
