// Measures a network under one kind of traffic at several loads.
#pragma once
#include "tools/noc/measure.h"

struct sweep {
    VEC(struct measured) points; // sorted by load
    double saturation;           // highest stable load; 0 if no load is stable
    uint32_t best;               // index of that point; 0 if no load is stable
    bool failed;                 // the last measurement did not complete
};

// Measures at these loads; `plan->load` is ignored.
void sweep_loads(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                 const double *loads, uint32_t count);
// Selects loads up to `most`: finds the highest stable load by bisection, to one percent, and
// measures at tenths of it and above.
void sweep_automatic(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                     double most);
