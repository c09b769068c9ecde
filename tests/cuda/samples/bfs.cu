#include "samples/bfs/bfs.cu"
#include "sample.h"
#include <queue>

int main()
{
    int n = 1500, degree = 3, grid = (n + 127) / 128;
    buffer<int> begin(n), degrees(n, degree), edge(n * degree), frontier(n), next(n), visited(n),
        cost(n), again(1);
    edge.fill(0, n, 5);
    for (int v = 0; v < n; v++)
        begin[v] = v * degree;
    begin.to_device();
    frontier[0] = visited[0] = 1;
    frontier.to_device();
    visited.to_device();
    do {
        again[0] = 0;
        again.to_device();
        bfs_expand<<<grid, 128>>>(begin.device, degrees.device, edge.device, frontier.device,
                                  next.device, visited.device, cost.device, n);
        bfs_commit<<<grid, 128>>>(frontier.device, next.device, visited.device, again.device, n);
        again.to_host();
    } while (again[0]);
    cost.to_host();
    visited.to_host();

    std::vector<int> distance(n, -1);
    std::queue<int> reached({0});
    distance[0] = 0;
    for (; !reached.empty(); reached.pop())
        for (int v = reached.front(), e = v * degree; e < (v + 1) * degree; e++)
            if (distance[edge[e]] < 0) {
                distance[edge[e]] = distance[v] + 1;
                reached.push(edge[e]);
            }
    for (int v = 0; v < n; v++) {
        expect(v, visited[v], distance[v] >= 0);
        expect(v, cost[v], std::max(distance[v], 0));
    }
    return result();
}
