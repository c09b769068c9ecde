// Reports a map without running it: resources, rate, placement and lanes, as text and pictures.
#pragma once
#include "passes/maps/map_place.h"
#include "passes/maps/map_rate.h"
#include "runtime-sim/base/config.h"

// Returns the section of a configuration with the hardware's keys.
struct config_section map_report_section(struct map_hardware *keys);

struct map_report {
    const struct map *map;
    struct map_hardware hardware;
    struct map_graph graph;
    struct map_rate rate;
    const char *limit; // description of the cycle that limits the rate
    const char *fault; // error of the placement, or NULL
    struct map_placement placement;
};

// Computes the rate and places `copies` copies of the map (0: as many as fit).
void map_report_make(struct map_report *report, struct arena *arena, const struct map *map,
                     const struct map_hardware *keys, uint32_t copies);
// Writes the report as text.
void map_report_text(const struct map_report *report, FILE *to);
// Draw the map as a graph, and its placement on the ring with the lanes [003 Fig. 7].
void map_picture_graph(const struct map_report *report, struct arena *arena, FILE *to);
void map_picture_ring(const struct map_report *report, FILE *to);
// Writes a page with both pictures, the report and a table of the nodes.
void map_page(const struct map_report *report, struct arena *arena, FILE *to);
