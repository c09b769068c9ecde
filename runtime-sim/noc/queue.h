// Queues of packets, linked through the pool.
#pragma once
#include "runtime-sim/noc/router.h"

// Appends a packet.
static inline void noc_put(struct noc *noc, struct noc_queue *queue, uint32_t packet)
{
    noc->next[packet] = NOC_NONE;
    if (queue->packets++)
        noc->next[queue->last] = packet;
    else
        queue->first = packet;
    queue->last = packet;
}

// Removes and returns the first packet. Requires a non-empty queue.
static inline uint32_t noc_take(struct noc *noc, struct noc_queue *queue)
{
    uint32_t packet = queue->first;
    queue->first = noc->next[packet];
    queue->packets--;
    return packet;
}
