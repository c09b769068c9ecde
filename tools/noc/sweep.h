// A network under one kind of traffic at several loads.
#pragma once
#include "tools/noc/measure.h"

struct sweep {
    VEC(struct measured) points; // by load
    double saturation;           // the highest load that the network bears; 0 if it bears none
    uint32_t best;               // place of that point; the first one if it bears none
    bool failed;                 // the last measurement did not end, whatever its load
};

// Measures at these loads, whatever `plan->load`.
void sweep_loads(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                 const double *loads, uint32_t count);
// Chooses loads up to `most`: finds by bisection the highest one that the network bears, to one
// part in 100, and measures tenths of it, and beyond it.
void sweep_automatic(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                     double most);
