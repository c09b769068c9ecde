// PATH: the least cost of a path through a grid from the first row to every cell of the last, where
// a step goes to the next row, straight or to a neighbour column.
//
// cost[i][j] = wall[i][j] + min(cost[i-1][j-1], cost[i-1][j], cost[i-1][j+1])
//
// path_rows     `steps` rows per launch in shared memory: a CTA of 256 threads has its columns and
//               `steps` columns more on either side, whose costs become wrong one per row
// path_serial   all rows, one thread: two nested loops, the source form for spatial hardware;
//               the costs of row i are in part i % 2 of cost
// Shows pattern 7 in path_serial: nothing depends on the thread, so the other operand of the
// addition is the same in all lanes. In path_rows the other operand is a register of each
// thread.  [003 §5.3]
//
// wall has rows of `columns` numbers, 2 at least. Launches of path_rows read `from` and write `to`,
// which the host exchanges; from is row 0 of wall at first, and row is the first row of the launch.

#define CTA 256

extern "C" __global__ void path_rows(const int *wall, const int *from, int *to, int columns,
                                     int row, int steps)
{
    __shared__ int cost[2][CTA + 2];
    int tid = threadIdx.x + 1;
    int j = (int)(blockIdx.x * (CTA - 2 * steps)) - steps + (int)threadIdx.x;
    bool inside = j >= 0 && j < columns;
    int now = inside ? from[j] : 0x3fffffff;

    if (tid == 1)
        cost[0][0] = cost[1][0] = 0x3fffffff;
    if (tid == CTA)
        cost[0][CTA + 1] = cost[1][CTA + 1] = 0x3fffffff;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        int *line = cost[k & 1];

        line[tid] = now;
        __syncthreads();
        if (inside)
            now = wall[(row + k) * columns + j] + min(min(line[tid - 1], now), line[tid + 1]);
    }
    if (inside && tid > steps && tid <= CTA - steps)
        to[j] = now;
}

extern "C" __global__ void path_serial(const int *wall, int *cost, int columns, int rows)
{
#pragma unroll 1
    for (int i = 1; i < rows; i++) {
        const int *above = cost + (i - 1 & 1) * columns;
        int *here = cost + (i & 1) * columns;
        int west = 0x3fffffff, north = above[0], j = 0;

#pragma unroll 1
        do {
            int east = above[j + 1];

            here[j] = wall[i * columns + j] + min(min(west, north), east);
            west = north;
            north = east;
        } while (++j < columns - 1);
        here[columns - 1] = wall[i * columns + columns - 1] + min(west, north);
    }
}
