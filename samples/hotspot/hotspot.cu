// HOTSPOT: temperature of a chip from the power of its parts, a five-point stencil in time.
//
// Shows pattern 2 (the sum of the neighbours above and below, and left and right).
// [001 Table 3]
//
// The chip has `rows` rows of `columns` cells, one thread per cell: block x runs along the row,
// block y along the rows. At the border the cell itself takes the neighbour's place. A launch reads
// `from` and writes `to`; the host exchanges them after every step. down, across and sink are the
// step divided by the thermal resistance towards the neighbour rows, the neighbour columns and the
// ambient; step is the time step divided by the capacity of a cell.

extern "C" __global__ void hotspot(const float *from, const float *power, float *to, int rows,
                                   int columns, float step, float down, float across, float sink,
                                   float ambient)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= rows || j >= columns)
        return;

    int here = i * columns + j;
    int north = i > 0 ? here - columns : here;
    int south = i < rows - 1 ? here + columns : here;
    int west = j > 0 ? here - 1 : here;
    int east = j < columns - 1 ? here + 1 : here;
    float t = from[here];
    float sum = step * power[here];

    sum = fmaf(down, fmaf(-2.0f, t, from[north] + from[south]), sum);
    sum = fmaf(across, fmaf(-2.0f, t, from[west] + from[east]), sum);
    sum = fmaf(sink, ambient - t, sum);
    to[here] = t + sum;
}
