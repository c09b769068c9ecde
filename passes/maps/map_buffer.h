// Buffers: cores that pass words on, so that a FIFO that limits the rate has more entries.
#pragma once
#include "passes/maps/map_hardware.h"
#include "passes/maps/map_rate.h"

// Returns the map with the pass cores that maximise its rate, with at most `cores` cores in total;
// the map itself if no pass core raises it. Sets *rate.
const struct map *map_buffer(struct arena *arena, const struct map *map,
                             const struct map_hardware *hardware, uint32_t cores,
                             struct map_rate *rate);
