// The earliest meet node of two loads: where both their data pass anyway, so that Omni-Compute can
// compute there [000 §4.3, Algorithm 1].
//
// Readings of the paper:
//   - All four intersections of the XY and the YX route of the first load with those of the second
//     are looked at. (With XY against YX alone the example of Figure 3 has no such node.)
//   - Of several nodes the one with the smallest sum of distances to both LLCs; of equal ones the
//     first that is met: routes in the order XY, YX of the first load, of the second, and nodes
//     along the first load's route from the core.
//   - The core itself is none: nothing would be saved. Loads to one LLC meet there.
#pragma once
#include "support/arena.h"

enum { EMN_NONE = UINT16_MAX };

// Which node of a mesh has a core and which an LLC partition; node = width · y + x.
struct placement {
    uint32_t width, height;
    uint32_t cores, llcs;
    uint16_t *core, *llc; // nodes, by number
};

// Where LLC partitions may compute.
enum emn_at_llc {
    EMN_LLC_DESTINATION, // only where both loads go to
    EMN_LLC_ANY,
    EMN_LLC_NONE, // never
};

// LLC partitions are at these nodes; all others have cores, row by row. NULL if a node is not in
// the mesh or there twice.
struct placement *placement_mesh(struct arena *arena, uint32_t width, uint32_t height,
                                 const uint64_t *llc, uint32_t llcs);

static inline uint32_t placement_distance(const struct placement *placement, uint32_t a, uint32_t b)
{
    int32_t width = (int32_t)placement->width;
    int32_t x = (int32_t)a % width - (int32_t)b % width;
    int32_t y = (int32_t)a / width - (int32_t)b / width;
    return (uint32_t)((x < 0 ? -x : x) + (y < 0 ? -y : y));
}

// The node for two loads from the core at node `core` to the partitions `first` and `second`, or
// EMN_NONE.
uint16_t emn_find(const struct placement *placement, uint32_t core, uint32_t first, uint32_t second,
                  enum emn_at_llc at_llc);

// All cores' tables: that of core c begins at c · llcs², with an entry first · llcs + second for
// each pair of partitions.
uint16_t *emn_tables(struct arena *arena, const struct placement *placement,
                     enum emn_at_llc at_llc);
