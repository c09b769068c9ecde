// BFS: breadth-first search, one level per pair of launches, one vertex per thread.
//
// Shows patterns 2 (end of the edge list = begin + degree), 6 (frontier[v] != 0, visited[w] == 0,
// next[v] != 0) and 7 (cost[w] = cost[v] + 1).  [000 §4.1, Table 3]
//
// Edge list: the neighbours of v are edge[begin[v]] .. edge[begin[v] + degree[v] - 1]. The flags
// frontier, next and visited are one int per vertex. At the start all flags are 0 but
// frontier[source] = visited[source] = 1, and cost[source] = 0. The host repeats
//
//     *again = 0;  bfs_expand(...);  bfs_commit(...);
//
// while *again comes back as 1; then cost[v] is the distance of every visited v. Two threads may
// write the same next[w] and cost[w], always with the same value.
//
// Plain pointers: for all the compiler knows, clearing frontier[v] changes begin[v], and cost[w]
// changes cost[v]; it loads begin[v] twice and cost[v] in every iteration. That is what makes
// patterns 2 and 7 appear.

extern "C" __global__ void bfs_expand(const int *begin, const int *degree, const int *edge,
                                      int *frontier, int *next, const int *visited, int *cost,
                                      int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= n || frontier[v] == 0)
        return;

    int end = begin[v] + degree[v];

    frontier[v] = 0;
#pragma unroll 1
    for (int e = begin[v]; e < end; e++) {
        int w = edge[e];

        if (visited[w] == 0) {
            cost[w] = cost[v] + 1;
            next[w] = 1;
        }
    }
}

extern "C" __global__ void bfs_commit(int *frontier, int *next, int *visited, int *again, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= n || next[v] == 0)
        return;
    frontier[v] = 1;
    visited[v] = 1;
    next[v] = 0;
    *again = 1;
}
