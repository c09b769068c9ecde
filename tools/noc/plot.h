// Plots the results (support/svg.h), and draws the load of channels.
#pragma once
#include "runtime-sim/noc/noc.h"
#include "tools/noc/measure.h"

// Plots latency and accepted load over the offered load.
void plot_sweep(const struct measure_head *head, const struct sweep *sweep, FILE *to);
// Draws the flits per cycle of each channel in the window. The arena is for working memory.
void plot_heatmap(const struct measure_head *head, const struct measured *measured,
                  struct arena *arena, FILE *to);
// Writes a page with both plots and the numbers as a table.
void plot_page(const struct measure_head *head, const struct sweep *sweep, struct arena *arena,
               FILE *to);

enum { PLOT_TITLE = 400 };

// Returns the title of the plots.
const char *plot_title(char text[PLOT_TITLE], const struct measure_head *head);

// Draws the load of a network's channels.

struct heatmap {
    const struct noc_config *config;
    const struct noc *noc;
    const uint64_t *flits; // flits of each channel of `noc` in `window` cycles
    uint64_t window;
    const char *title, *note;
};

// Draws the flits per cycle of each channel. The arena is for working memory.
void heatmap_draw(const struct heatmap *of, struct arena *arena, FILE *to);
