// NW: Needleman-Wunsch, scores of the best alignment of two sequences of bases.
//
// score[i][j] = max(score[i-1][j-1] + (a[i-1] == b[j-1] ? match : mismatch),
//                   score[i-1][j] - penalty, score[i][j-1] - penalty)
//
// nw_tiles    tiles of TILE × TILE scores in shared memory, one CTA of TILE threads per tile; one
//             launch per diagonal of tiles. Grid: the tiles of diagonal `diagonal`, of which
//             `first` is the row of the uppermost.
// nw_serial   all scores, one thread: two nested loops with dependences (0,1), (1,0) and (1,1), the
//             source form for spatial hardware
// Shows no chain: one of two bases that are compared is in a register.  [003 Fig. 9]
//
// score has rows + 1 rows of columns + 1 numbers; the first row and the first column are filled
// before (-penalty * index). For nw_tiles, rows and columns are multiples of TILE.

#define TILE 32

extern "C" __global__ void nw_tiles(const signed char *a, const signed char *b, int *score,
                                    int columns, int diagonal, int first, int match, int mismatch,
                                    int penalty)
{
    __shared__ int tile[TILE + 1][TILE + 1];
    int t = threadIdx.x, row = first - blockIdx.x, width = columns + 1;
    int upper = row * TILE, left = (diagonal - row) * TILE;
    int *corner = score + upper * width + left;
    int base = a[upper + t];

    tile[0][t + 1] = corner[t + 1];
    tile[t + 1][0] = corner[(t + 1) * width];
    if (t == 0)
        tile[0][0] = corner[0];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 2 * TILE - 1; k++) {
        int j = k - t;

        if (j >= 0 && j < TILE) {
            int pair = tile[t][j] + (base == b[left + j] ? match : mismatch);
            int gap = max(tile[t][j + 1], tile[t + 1][j]) - penalty;

            tile[t + 1][j + 1] = max(pair, gap);
        }
        __syncthreads();
    }
#pragma unroll 1
    for (int i = 0; i < TILE; i++)
        corner[(i + 1) * width + t + 1] = tile[i + 1][t + 1];
}

extern "C" __global__ void nw_serial(const signed char *a, const signed char *b, int *score,
                                     int rows, int columns, int match, int mismatch, int penalty)
{
    int width = columns + 1;

#pragma unroll 1
    for (int i = 1; i <= rows; i++) {
        int base = a[i - 1];
        int west = score[i * width], corner = score[(i - 1) * width];

#pragma unroll 1
        for (int j = 1; j <= columns; j++) {
            int north = score[(i - 1) * width + j];
            int pair = corner + (base == b[j - 1] ? match : mismatch);

            west = max(max(pair, north - penalty), west - penalty);
            score[i * width + j] = west;
            corner = north;
        }
    }
}
