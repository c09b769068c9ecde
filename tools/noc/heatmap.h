// Draws the load of a network's channels.
#pragma once
#include "runtime-sim/noc/noc.h"

struct heatmap {
    const struct noc_config *config;
    const struct noc *noc;
    const uint64_t *flits; // flits of each channel of `noc` in `window` cycles
    uint64_t window;
    const char *title, *note;
};

// Draws the flits per cycle of each channel. The arena is for working memory.
void heatmap_draw(const struct heatmap *of, struct arena *arena, FILE *to);
