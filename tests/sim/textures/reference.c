// What the CUDA programming guide says of texture fetches, in plain C: texels and points come as
// floats on standard input, what is fetched goes to standard output.
//
// usage: reference WIDTH HEIGHT CHANNELS ADDRESS-X ADDRESS-Y COORDINATES FILTER
//
// HEIGHT 0: one dimension. FILTER: point, linear, or gather, which takes channel 1 of the four
// texels around. Linear filtering is the guide's formula, (1-a)(1-b)T[i,j] + a(1-b)T[i+1,j] +
// (1-a)bT[i,j+1] + abT[i+1,j+1] with a and b of 8 bits behind the point. The guide does not say how
// these are rounded: to nearest here, upwards from the middle. The sum is rounded once.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct axis {
    long size;
    const char *address;
};

struct picture {
    struct axis axis[2];
    long channels;
    int normalized;
    float *texels;
};

// A coordinate in texels; wrap and mirror take the one between 0 and 1 that stands for it.
static long double place(const struct picture *p, const struct axis *axis, float x)
{
    long double whole = floorl(x), rest = x - whole;
    if (!p->normalized)
        return x;
    if (!strcmp(axis->address, "wrap"))
        return rest * axis->size;
    if (!strcmp(axis->address, "mirror"))
        return (fmodl(whole, 2) == 0 ? rest : 1 - rest) * axis->size;
    return (long double)x * axis->size;
}

// The texel that counts for number i; -1: the border.
static long settled(const struct axis *axis, long i)
{
    if (!strcmp(axis->address, "wrap"))
        return (i + 1000 * axis->size) % axis->size;
    if (!strcmp(axis->address, "border"))
        return i < 0 || i >= axis->size ? -1 : i;
    return i < 0 ? 0 : i >= axis->size ? axis->size - 1 : i;
}

static float texel(const struct picture *p, long i, long j, long channel)
{
    i = settled(&p->axis[0], i);
    j = settled(&p->axis[1], j);
    return i < 0 || j < 0 ? 0 : p->texels[(j * p->axis[0].size + i) * p->channels + channel];
}

static void point(const struct picture *p, long double x, long double y)
{
    for (long c = 0; c < p->channels; c++) {
        float value = texel(p, (long)floorl(x), (long)floorl(y), c);
        fwrite(&value, sizeof value, 1, stdout);
    }
}

// Place and weight in 1/256 texels, in one whole number.
static long fixed(long double x)
{
    return lroundl(floorl((x - 0.5L) * 256 + 0.5L));
}

static void linear(const struct picture *p, long double x, long double y)
{
    long left = fixed(x), top = fixed(y);
    long i = (left - (left & 255)) / 256, j = (top - (top & 255)) / 256;
    long double a = (left & 255) / 256.0L, b = (top & 255) / 256.0L;
    for (long c = 0; c < p->channels; c++) {
        long double upper = (1 - a) * texel(p, i, j, c) + a * texel(p, i + 1, j, c);
        long double lower = (1 - a) * texel(p, i, j + 1, c) + a * texel(p, i + 1, j + 1, c);
        float value = (float)((1 - b) * upper + b * lower);
        fwrite(&value, sizeof value, 1, stdout);
    }
}

static void gather(const struct picture *p, long double x, long double y)
{
    long i = (long)floorl(x - 0.5L), j = (long)floorl(y - 0.5L);
    float values[4] = {texel(p, i, j + 1, 1), texel(p, i + 1, j + 1, 1), texel(p, i + 1, j, 1),
                       texel(p, i, j, 1)};
    fwrite(values, sizeof values, 1, stdout);
}

int main(int argc, char **argv)
{
    if (argc != 8)
        return 2;
    int flat = !atol(argv[2]);
    struct picture p = {{{atol(argv[1]), argv[4]}, {flat ? 1 : atol(argv[2]), argv[5]}},
                        atol(argv[3]),
                        !strcmp(argv[6], "normalized"),
                        NULL};
    size_t count = (size_t)(p.axis[0].size * p.axis[1].size * p.channels);
    void (*fetch)(const struct picture *p, long double x, long double y) =
        !strcmp(argv[7], "linear")   ? linear
        : !strcmp(argv[7], "gather") ? gather
                                     : point;
    float at[2];
    p.texels = malloc(count * sizeof *p.texels);
    if (!p.texels || fread(p.texels, sizeof *p.texels, count, stdin) != count)
        return 1;
    while (fread(at, flat ? sizeof *at : sizeof at, 1, stdin) == 1)
        fetch(&p, place(&p, &p.axis[0], at[0]), flat ? 0.5L : place(&p, &p.axis[1], at[1]));
    free(p.texels);
    return 0;
}
