#include "samples/kmn/kmn.cu"
#include "samples/kmn/kmn_points.cu"
#include "sample.h"
#include <algorithm>

enum { POINTS = 500, FEATURES = 4, CLUSTERS = 5, ROUNDS = 4 };

// The nearest centre of a point, and by how much it is nearer than the second.
static int nearest(const int *point, const std::vector<double> &centre, double *margin)
{
    int best = 0;
    double least = 1e30, second = 1e30;
    for (int k = 0; k < CLUSTERS; k++) {
        double distance = 0;
        for (int f = 0; f < FEATURES; f++)
            distance +=
                (point[f] - centre[k * FEATURES + f]) * (point[f] - centre[k * FEATURES + f]);
        if (distance < least) {
            second = least;
            least = distance;
            best = k;
        } else {
            second = std::min(second, distance);
        }
    }
    *margin = (second - least) / (second + 1);
    return best;
}

int main()
{
    int grid = (POINTS + 127) / 128;
    buffer<int> table(POINTS * FEATURES), member(POINTS, -1), moved(1), other(POINTS);
    buffer<float> feature(POINTS * FEATURES), point(POINTS * FEATURES), centre(CLUSTERS * FEATURES);
    table.fill(0, 256, 7);
    for (int i = 0; i < POINTS * FEATURES; i++)
        point[i] = (float)table[i];
    std::copy_n(point.host.begin(), CLUSTERS * FEATURES, centre.host.begin());
    point.to_device();
    centre.to_device();
    kmn_layout<<<grid, 128>>>(table.device, feature.device, POINTS, FEATURES);
    kmn_points<<<grid, 128>>>(point.device, centre.device, other.device, POINTS, CLUSTERS,
                              FEATURES);
    other.to_host();
    // Each round starts from the centres and members of the device, so that roundings do not add
    // up.
    std::vector<double> centres(centre.host.begin(), centre.host.end());
    for (int round = 0; round < ROUNDS; round++) {
        kmn_assign<<<grid, 128>>>(feature.device, centre.device, member.device, moved.device,
                                  POINTS, CLUSTERS, FEATURES);
        kmn_centres<<<dim3(FEATURES, CLUSTERS), CTA>>>(feature.device, member.device, centre.device,
                                                       POINTS, FEATURES);
        member.to_host();
        centre.to_host();
        std::vector<double> sum(CLUSTERS * FEATURES);
        std::vector<int> size(CLUSTERS);
        for (int p = 0; p < POINTS; p++) {
            double margin;
            int best = nearest(&table[p * FEATURES], centres, &margin);
            if (margin > 1e-5)
                expect(p, member[p], best);
            if (round == 0)
                expect(p, other[p], member[p]);
            size[member[p]]++;
            for (int f = 0; f < FEATURES; f++)
                sum[member[p] * FEATURES + f] += table[p * FEATURES + f];
        }
        for (int i = 0; i < CLUSTERS * FEATURES; i++)
            expect(i, centre[i], size[i / FEATURES] ? sum[i] / size[i / FEATURES] : centres[i],
                   1e-5);
        centres.assign(centre.host.begin(), centre.host.end());
    }
    moved.to_host();
    expect(0, moved[0], 1);
    return result();
}
