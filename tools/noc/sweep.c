#include "tools/noc/measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct measured *find(struct sweep *sweep, double load)
{
    for (uint32_t i = 0; i < sweep->points.n; i++)
        if (sweep->points.v[i].load == load)
            return &sweep->points.v[i];
    return NULL;
}

// Returns true if the load is stable. Each load is measured once.
static bool measure_at(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                       double load)
{
    const struct measured *known = find(sweep, load);
    if (known || sweep->failed)
        return known && known->stable;
    struct measure_plan one = *plan;
    struct measured point;
    one.load = load;
    measure(&point, arena, &one);
    vec_push(arena, &sweep->points, point);
    sweep->failed = point.outcome != MEASURE_DONE;
    return point.stable;
}

static int by_load(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    return (x->load > y->load) - (x->load < y->load);
}

// Sorts the points by load; an incomplete one stays last.
static void finish(struct sweep *sweep)
{
    uint32_t sorted = sweep->points.n - sweep->failed;
    qsort(sweep->points.v, sorted, sizeof *sweep->points.v, by_load);
    for (uint32_t i = 0; i < sorted; i++)
        if (sweep->points.v[i].stable) {
            sweep->saturation = sweep->points.v[i].load;
            sweep->best = i;
        }
}

void sweep_loads(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                 const double *loads, uint32_t count)
{
    *sweep = (struct sweep){0};
    for (uint32_t i = 0; i < count; i++)
        measure_at(sweep, arena, plan, loads[i]);
    finish(sweep);
}

// Rounds a load to three digits, so that printed loads can be entered again.
static double rounded(double load)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", load);
    return strtod(text, NULL);
}

// Finds the highest stable load by bisection. `low` is stable or 0, `high` is not stable.
static double bisect(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                     double high)
{
    static const double near = 0.01, min = 1e-6;
    double low = 0;
    while (!sweep->failed && high - low > near * low && high > min) {
        double middle = rounded((low + high) / 2);
        if (middle <= low || middle >= high)
            break;
        *(measure_at(sweep, arena, plan, middle) ? &low : &high) = middle;
    }
    return low;
}

void sweep_automatic(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                     double max)
{
    static const double parts[] = {0.02, 0.1, 0.2, 0.3,  0.4, 0.5, 0.6,
                                   0.7,  0.8, 0.9, 0.95, 1.1, 1.4};
    *sweep = (struct sweep){0};
    bool bears = measure_at(sweep, arena, plan, max);
    double saturation = bears ? max : bisect(sweep, arena, plan, max);
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        double load = rounded(parts[i] * saturation);
        if (load > 0 && load < max)
            measure_at(sweep, arena, plan, load);
    }
    finish(sweep);
}
