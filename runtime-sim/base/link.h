// Links: the only way from one component to another. What is sent can be taken `latency` later, in
// the order in which it was sent; a link holds `capacity` entries, and the place of one that was
// taken is free again after the time at which it was. So it does not matter which of the two
// components is evaluated first.
//
// Time is whatever both ends count in, as long as it never goes back: cycles, or units of
// engine/clock.h if they are in different domains.
#pragma once
#include "support/arena.h"
#include <string.h>

struct link {
    uint32_t size;              // of an entry, in bytes
    uint32_t capacity, latency; // both at least 1
    uint32_t head, count;
    uint32_t taken; // at the time `taken_at`
    uint64_t taken_at;
    uint64_t *ready; // time of each entry
    unsigned char *data;
};

// Needs capacity and latency of at least 1. To never be the bottleneck at one entry per unit of
// time a link needs a capacity of latency + 1.
void link_init(struct link *link, struct arena *arena, uint32_t size, uint32_t capacity,
               uint32_t latency);

static inline bool link_can_send(const struct link *link, uint64_t now)
{
    uint32_t held = link->taken_at == now ? link->taken : 0;
    return link->count + held < link->capacity;
}

// Needs link_can_send.
static inline void link_send(struct link *link, uint64_t now, const void *entry)
{
    uint32_t at = link->head + link->count;
    if (at >= link->capacity)
        at -= link->capacity;
    memcpy(link->data + (size_t)at * link->size, entry, link->size);
    link->ready[at] = now + link->latency;
    link->count++;
}

// The oldest entry if it has arrived, else NULL. It stays until link_pop.
static inline const void *link_peek(const struct link *link, uint64_t now)
{
    if (!link->count || link->ready[link->head] > now)
        return NULL;
    return link->data + (size_t)link->head * link->size;
}

// Needs an entry that link_peek has shown.
static inline void link_pop(struct link *link, uint64_t now)
{
    link->taken = link->taken_at == now ? link->taken + 1 : 1;
    link->taken_at = now;
    link->count--;
    if (++link->head == link->capacity)
        link->head = 0;
}

// When the oldest entry arrives; UINT64_MAX if there is none.
static inline uint64_t link_next(const struct link *link)
{
    return link->count ? link->ready[link->head] : UINT64_MAX;
}
