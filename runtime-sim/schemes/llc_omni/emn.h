// The earliest meet node of two loads: a node that the data of both pass, where Omni-Compute can
// compute [000 §4.3, Algorithm 1].
//
// Interpretation of the paper:
//   - All four pairs of an XY or YX route of the first load and one of the second are considered.
//     (With XY and YX alone, the example of Figure 3 has no such node.)
//   - Of several nodes, the one with the smallest sum of distances to both LLCs is chosen. A tie is
//     won by the first in the order XY, YX of the first load, then of the second load, then nodes
//     along the first load's route from the core.
//   - The core itself is never the meet node, because that would save nothing.
//   - Two loads to one LLC meet there.
#pragma once
#include "runtime-sim/noc/noc.h"
#include "runtime-sim/schemes/llc_omni/offload.h"

enum { EMN_NONE = UINT16_MAX };

// Nodes of cores and LLC partitions in a mesh; node = width · y + x.
struct placement {
    uint32_t width, height;
    uint32_t cores, llcs;
    uint16_t *core, *llc; // nodes, by number
};

// Returns a mesh with LLC partitions at these nodes and cores at all others, row by row. Returns
// NULL if a node is not in the mesh or is listed twice.
struct placement *placement_mesh(struct arena *arena, uint32_t width, uint32_t height,
                                 const uint32_t *llc, uint32_t llcs);

// Returns the hops between two nodes.
static inline uint32_t placement_distance(const struct placement *placement, uint32_t a, uint32_t b)
{
    int32_t width = (int32_t)placement->width;
    int32_t x = (int32_t)a % width - (int32_t)b % width;
    int32_t y = (int32_t)a / width - (int32_t)b / width;
    return (uint32_t)((x < 0 ? -x : x) + (y < 0 ? -y : y));
}

// Returns the meet node of two loads from the core at node `core` to the partitions `first` and
// `second`, or EMN_NONE. `at_llc` is the key offload.emn_at_llc.
uint16_t emn_find(const struct placement *placement, uint32_t core, uint32_t first, uint32_t second,
                  enum emn_at_llc at_llc);

// Returns the tables of all cores. The table of core c begins at c · llcs² and has an entry
// first · llcs + second for each pair of partitions.
uint16_t *emn_tables(struct arena *arena, const struct placement *placement,
                     enum emn_at_llc at_llc);

// The node that computes a chain in a butterfly with computing routers [000 §6.2]: the last router
// that is shared by the routes from the core to the partitions of all lines of loads and store. All
// these partitions can be reached from there, and their replies pass it. All routes of a core begin
// at one router, so a shared router always exists.

// Returns the last stage in which packets from any node to both nodes pass the same router.
// Requires a butterfly, and nodes that are not those of routers.
uint32_t meet_fly_stage(const struct noc_config *network, uint32_t first, uint32_t second);
// Returns the last router that the routes from node `from` to all `count` nodes share. Requires at
// least one node.
uint32_t meet_fly_router(const struct noc_config *network, uint32_t from, const uint32_t *to,
                         uint32_t count);
