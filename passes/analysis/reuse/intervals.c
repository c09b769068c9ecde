#include "passes/analysis/reuse/reuse_view.h"

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

// Returns the end of the ascending run that begins at `at`.
static uint32_t sequence_end(const struct intervals *from, uint32_t at)
{
    uint32_t count = from->list.n;
    if (at == count)
        return count;
    for (at++; at < count && from->list.v[at - 1].begin <= from->list.v[at].begin; at++)
        continue;
    return at;
}

// Appends an interval to the run that begins at `run`.
static void append(struct intervals *to, uint32_t run, struct interval at)
{
    uint32_t n = to->spare.n;
    if (n > run && at.begin <= to->spare.v[n - 1].end) {
        if (at.end > to->spare.v[n - 1].end)
            to->spare.v[n - 1].end = at.end;
        return;
    }
    to->spare.v[to->spare.n++] = at;
}

// Merges the runs [begin, middle) and [middle, end) into one.
static void merge_sequences(struct intervals *to, uint32_t begin, uint32_t middle, uint32_t end)
{
    const struct interval *v = to->list.v;
    uint32_t run = to->spare.n, other = middle;
    while (begin < middle || other < end) {
        bool first = other == end || (begin < middle && v[begin].begin <= v[other].begin);
        append(to, run, v[first ? begin++ : other++]);
    }
}

static void swap_lists(struct intervals *intervals)
{
    struct intervals old = *intervals;
    intervals->list.v = old.spare.v;
    intervals->list.n = old.spare.n;
    intervals->list.capacity = old.spare.capacity;
    intervals->spare.v = old.list.v;
    intervals->spare.n = 0;
    intervals->spare.capacity = old.list.capacity;
}

// A natural merge sort: lists are mostly ascending, so their runs are merged two by two. The
// intervals of one run are already merged (intervals_put).
void intervals_merge(struct arena *arena, struct intervals *intervals)
{
    if (sequence_end(intervals, 0) == intervals->list.n)
        return;
    vec_reserve(arena, &intervals->spare, intervals->list.n);
    for (uint32_t runs = 2; runs > 1;) {
        runs = 0;
        intervals->spare.n = 0;
        for (uint32_t begin = 0; begin < intervals->list.n; runs++) {
            uint32_t middle = sequence_end(intervals, begin), end = sequence_end(intervals, middle);
            merge_sequences(intervals, begin, middle, end);
            begin = end;
        }
        swap_lists(intervals);
    }
}

static int64_t floor_of(int64_t value, int64_t unit)
{
    return value >= 0 ? value / unit : -((unit - 1 - value) / unit);
}

// For the n = line / granule places, floor((m + 0) / n) + … + floor((m + n - 1) / n) is m: over all
// places, m granules between two bytes contain m line boundaries. In a gap, at most one boundary
// per place adds a line.
uint64_t intervals_lines(const struct intervals *intervals, const struct start *start)
{
    int64_t granule = (int64_t)start->granule, places = LINE_BYTES / granule, last = 0;
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
