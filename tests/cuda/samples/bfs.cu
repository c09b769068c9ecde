#include "samples/bfs/bfs.cu"
#include "overlap.h"
#include <queue>

int main(int argc, char **argv)
{
    overlap pattern(argc, argv);
    int n = 1500, degree = 3, grid = (n + 127) / 128;
    buffer<int> begin(n), degrees(n, degree), edge(n * degree), frontier(n), next(n), visited(n),
        cost(n), again(1);
    edge.fill(0, n, 5);
    for (int v = 0; v < n; v++)
        begin[v] = v * degree;
    frontier[0] = visited[0] = 1;
    auto level = [&](cudaStream_t stream) {
        bfs_expand<<<grid, 128, 0, stream>>>(begin.device, degrees.device, edge.device,
                                             frontier.device, next.device, visited.device,
                                             cost.device, n);
        bfs_commit<<<grid, 128, 0, stream>>>(frontier.device, next.device, visited.device,
                                             again.device, n);
    };
    pattern.resident(next);
    pattern.resident(cost);
    // The flag comes first: the kernels that set it wait for what follows. It is full before it is
    // final, so that its copy to the host follows the kernels.
    pattern.input(again);
    pattern.input(begin);
    pattern.input(degrees);
    pattern.input(edge);
    pattern.input(frontier);
    pattern.input(visited);
    pattern.execute(level);
    CALL(cudaDeviceSynchronize());
    for (again.to_host(); again[0]; again.to_host()) {
        again[0] = 0;
        again.to_device();
        level(pattern.run);
        CALL(cudaStreamSynchronize(pattern.run));
    }
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
