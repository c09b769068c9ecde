#include "passes/intervals.h"
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void intervals_put(struct arena *arena, struct intervals *to, int64_t begin, int64_t end)
{
    if (begin >= end)
        return;
    uint32_t n = to->list.n;
    if (n && to->list.v[n - 1].begin <= begin && begin <= to->list.v[n - 1].end) {
        if (end > to->list.v[n - 1].end)
            to->list.v[n - 1].end = end;
        return;
    }
    vec_push(arena, &to->list, (struct interval){begin, end});
}

void intervals_sort(struct intervals *intervals)
{
    bool sorted = true;
    for (uint32_t i = 1; i < intervals->list.n && sorted; i++)
        sorted = intervals->list.v[i - 1].begin <= intervals->list.v[i].begin;
    if (!sorted)
        qsort(intervals->list.v, intervals->list.n, sizeof *intervals->list.v, compare);
}

static int64_t floor_of(int64_t value, int64_t unit)
{
    return value >= 0 ? value / unit : -((unit - 1 - value) / unit);
}

void intervals_merge(struct intervals *intervals)
{
    uint32_t count = intervals->list.n;
    intervals_sort(intervals);
    intervals->list.n = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct interval at = intervals->list.v[i];
        struct interval *last =
            intervals->list.n ? &intervals->list.v[intervals->list.n - 1] : NULL;
        if (!last || at.begin > last->end)
            intervals->list.v[intervals->list.n++] = at;
        else if (at.end > last->end)
            last->end = at.end;
    }
}

// Of the n = line / granule places, floor((m + 0) / n) + … + floor((m + n - 1) / n) is m: so many
// granules from one byte to another are so many ends of lines between them, all places together. Of
// a gap, each place has one end at most that brings a line.
uint64_t intervals_lines(const struct intervals *intervals, const struct start *start)
{
    int64_t granule = (int64_t)start->granule, places = COALESCING_LINE / granule, last = 0;
    uint64_t count = intervals->list.n ? (uint64_t)places : 0;
    for (uint32_t i = 0; i < intervals->list.n; i++) {
        const struct interval *at = &intervals->list.v[i];
        int64_t first = floor_of(at->begin + (int64_t)start->value, granule),
                end = floor_of(at->end - 1 + (int64_t)start->value, granule);
        if (!i)
            last = first;
        if (first > last) {
            count += (uint64_t)(first - last < places ? first - last : places);
            last = first;
        }
        if (end > last) {
            count += (uint64_t)(end - last);
            last = end;
        }
    }
    return count;
}
