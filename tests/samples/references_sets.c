// Graphs and clusters: what decides here are integers and comparisons, so that all is exact.
#include "tests/samples/references.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// With a queue, not by levels.
void ref_bfs(struct job *job)
{
    size_t n = number(job, 0), degree = number(job, 1);
    int32_t *edge = range_int(n * degree, 0, (int64_t)n, 5), *cost = calloc(n, sizeof *cost);
    int32_t *visited = calloc(n, sizeof *visited), *queue = calloc(n, sizeof *queue);
    size_t head = 0, tail = 0;
    visited[0] = 1;
    queue[tail++] = 0;
    while (head < tail) {
        size_t v = (size_t)queue[head++];
        for (size_t e = 0; e < degree; e++) {
            int32_t w = edge[v * degree + e];
            if (visited[w])
                continue;
            visited[w] = 1;
            cost[w] = cost[v] + 1;
            queue[tail++] = w;
        }
    }
    same_ints(job, "cost", cost, n);
    same_ints(job, "visited", visited, n);
    same_ints(job, "frontier", calloc(n, 4), n);
    same_ints(job, "next", calloc(n, 4), n);
    same_ints(job, "again", calloc(1, 4), 1);
    free(edge);
    free(queue);
}

struct kmn {
    size_t points, features, clusters;
    const int32_t *table;
    float *centre;
    int32_t *member, moved;
};

static void assign(struct kmn *k)
{
    k->moved = 0;
    for (size_t p = 0; p < k->points; p++) {
        int32_t best = 0;
        float min = INFINITY;
        for (size_t c = 0; c < k->clusters; c++) {
            float distance = 0;
            for (size_t f = 0; f < k->features; f++) {
                float d = (float)k->table[p * k->features + f] - k->centre[c * k->features + f];
                distance = fmaf(d, d, distance);
            }
            if (distance < min) {
                min = distance;
                best = (int32_t)c;
            }
        }
        k->moved |= k->member[p] != best;
        k->member[p] = best;
    }
}

// Sums of small integers: a float holds them exactly, in whatever order they are added.
static void average(struct kmn *k)
{
    for (size_t c = 0; c < k->clusters; c++)
        for (size_t f = 0; f < k->features; f++) {
            int64_t sum = 0, size = 0;
            for (size_t p = 0; p < k->points; p++) {
                if (k->member[p] != (int32_t)c)
                    continue;
                sum += k->table[p * k->features + f];
                size++;
            }
            if (size)
                k->centre[c * k->features + f] = (float)sum / (float)size;
        }
}

void ref_kmn(struct job *job)
{
    struct kmn k = {
        .points = number(job, 0), .features = number(job, 1), .clusters = number(job, 2)};
    size_t count = k.points * k.features, rounds = number(job, 3),
           centres = k.clusters * k.features;
    int32_t *table = range_int(count, 0, 256, 7), *moved = calloc(1, 4);
    float *feature = calloc(count, sizeof *feature);
    k.table = table;
    k.centre = calloc(centres, sizeof *k.centre);
    k.member = calloc(k.points, sizeof *k.member);
    memset(k.member, 0xff, k.points * sizeof *k.member);
    for (size_t i = 0; i < count; i++)
        feature[i % k.features * k.points + i / k.features] = (float)table[i];
    for (size_t i = 0; i < centres; i++)
        k.centre[i] = (float)table[i];
    for (size_t i = 0; i < rounds && (!i || k.moved); i++) {
        assign(&k);
        average(&k);
    }
    *moved = k.moved;
    same_floats(job, "feature", feature, count);
    same_floats(job, "centre", k.centre, centres);
    same_ints(job, "member", k.member, k.points);
    same_ints(job, "moved", moved, 1);
    free(table);
}

void ref_kmn_points(struct job *job)
{
    struct kmn k = {
        .points = number(job, 0), .features = number(job, 1), .clusters = number(job, 2)};
    size_t centres = k.clusters * k.features;
    int32_t *table = range_int(k.points * k.features, 0, 256, 7);
    k.table = table;
    k.centre = calloc(centres, sizeof *k.centre);
    k.member = calloc(k.points, sizeof *k.member);
    for (size_t i = 0; i < centres; i++)
        k.centre[i] = (float)table[i];
    assign(&k);
    same_ints(job, "member", k.member, k.points);
    free(k.centre);
    free(table);
}

// Numbers of the run file of stream: n, dimensions, centres, weight, price.
struct stream {
    size_t n, dimensions, centres;
    float weight, *distance, *cost;
    int32_t *assign, *go, *closes;
    double *total;
};

static void distances(struct stream *s)
{
    float *point = uniform(s->n * s->dimensions, 1);
    for (size_t p = 0; p < s->n; p++)
        for (size_t d = 0; d < s->dimensions; d++) {
            float difference = point[d * s->n + p] - 0.5f;
            s->distance[p] = fmaf(difference, difference, s->distance[p]);
        }
    free(point);
}

static void gains(struct stream *s)
{
    for (size_t p = 0; p < s->n; p++) {
        float gain = fmaf(-s->distance[p], s->weight, s->cost[p]);
        s->go[p] = gain > 0;
        s->total[s->go[p] ? 0 : 1 + s->assign[p]] += (double)gain;
    }
}

void ref_stream(struct job *job)
{
    size_t n = number(job, 0), centres = number(job, 2);
    struct stream s = {.n = n, .dimensions = number(job, 1), .centres = centres};
    s.weight = (float)job->number[3];
    s.distance = calloc(n, sizeof *s.distance);
    s.cost = range_float(n, 0.1, 2.0, 2);
    s.assign = range_int(n, 0, (int64_t)centres, 3);
    s.go = calloc(n, sizeof *s.go);
    s.closes = calloc(centres, sizeof *s.closes);
    s.total = calloc(1 + centres, sizeof *s.total);
    distances(&s);
    gains(&s);
    double gain = s.total[0] - job->number[4];
    for (size_t k = 0; k < centres; k++) {
        double kept = job->number[4] + s.total[1 + k];
        s.closes[k] = kept > 0;
        gain += kept > 0 ? kept : 0;
    }
    int32_t *accept = calloc(1, 4);
    *accept = gain > 0;
    for (size_t p = 0; p < n && *accept; p++)
        if (s.go[p] || s.closes[s.assign[p]]) {
            s.cost[p] = s.distance[p] * s.weight;
            s.assign[p] = (int32_t)centres;
        }
    same_floats(job, "distance", s.distance, n);
    same_floats(job, "cost", s.cost, n);
    same_ints(job, "assign", s.assign, n);
    same_ints(job, "go", s.go, n);
    same_ints(job, "closes", s.closes, centres);
    same_ints(job, "accept", accept, 1);
    near_floats(job, "total", s.total, 1 + centres, 1e-5, 1e-3);
}
