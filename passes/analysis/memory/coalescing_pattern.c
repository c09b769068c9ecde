#include "passes/analysis/memory/coalescing_places.h"
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void pattern_of_bytes(struct access_pattern *pattern, int64_t *at, uint32_t count, uint32_t bytes)
{
    uint32_t n = 0;
    bool sorted = true;
    for (uint32_t i = 1; i < count; i++)
        sorted &= at[i - 1] <= at[i];
    if (!sorted)
        qsort(at, count, sizeof *at, compare);
    for (uint32_t i = 0; i < count; i++) {
        if (!n || (at[i] > pattern->last[n - 1] && at[i] - 1 != pattern->last[n - 1]))
            pattern->first[n++] = at[i];
        pattern->last[n - 1] = at[i] + bytes - 1;
    }
    pattern->count = n;
}

void pattern_of_lanes(struct access_pattern *pattern, const struct affine_lanes *lanes,
                      uint32_t bytes)
{
    int64_t at[WARP_LANES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        if (lanes->active >> i & 1)
            at[count++] = lanes->offset[i];
    pattern_of_bytes(pattern, at, count, bytes);
}

uint32_t pattern_units(const struct access_pattern *pattern, int64_t place, unsigned shift)
{
    int64_t last = INT64_MIN;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pattern->count; i++) {
        int64_t first = (pattern->first[i] + place) >> shift,
                end = (pattern->last[i] + place) >> shift;
        if (first <= last)
            first = last + 1;
        if (end >= first)
            count += (uint32_t)(end - first + 1);
        if (end > last)
            last = end;
    }
    return count;
}
