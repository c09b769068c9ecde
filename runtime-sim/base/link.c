#include "runtime-sim/base/link.h"

void link_init(struct link *link, struct arena *arena, uint32_t size, uint32_t capacity,
               uint32_t latency)
{
    *link = (struct link){.size = size, .capacity = capacity, .latency = latency};
    link->taken_at = UINT64_MAX;
    link->ready = ARENA_ARRAY(arena, uint64_t, capacity);
    link->data = arena_alloc(arena, (size_t)capacity * size);
}
