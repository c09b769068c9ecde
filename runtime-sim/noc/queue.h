// Queues of packets, linked through the pool.
#pragma once
#include "runtime-sim/noc/router.h"

// Appends a packet.
static inline void noc_put(struct noc_pool *pool, struct noc_queue *queue, uint32_t packet)
{
    pool->next[packet] = NOC_NONE;
    if (queue->packets++)
        pool->next[queue->last] = packet;
    else
        queue->first = packet;
    queue->last = packet;
}

// Removes and returns the first packet. Requires a non-empty queue.
static inline uint32_t noc_queue_pop(struct noc_pool *pool, struct noc_queue *queue)
{
    uint32_t packet = queue->first;
    queue->first = pool->next[packet];
    queue->packets--;
    return packet;
}
