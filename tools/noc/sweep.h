// A network under one kind of traffic at several loads.
#pragma once
#include "tools/noc/measure.h"

struct sweep {
    VEC(struct measured) points; // by load
    double saturation;           // the highest stable load; 0 if none is stable
    uint32_t best;               // place of that point; the first one if no load is stable
    bool failed;                 // the last measurement did not end
};

// Measures at these loads instead of `plan->load`.
void sweep_loads(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                 const double *loads, uint32_t count);
// Selects loads up to `most`: finds by bisection the highest stable one, to one percent, and
// measures at tenths of it and above.
void sweep_automatic(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                     double most);
