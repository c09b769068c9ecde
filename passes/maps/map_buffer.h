// Buffers: cores that pass words on, so that a FIFO that limits the rate has more places.
#pragma once
#include "passes/maps/map_hardware.h"
#include "passes/maps/map_rate.h"

// Returns the map with pass cores that make its rate the highest, of at most `cores` cores in all;
// the map itself if none does. Sets *rate.
const struct map *map_buffer(struct arena *arena, const struct map *map,
                             const struct map_hardware *hardware, uint32_t cores,
                             struct map_rate *rate);
