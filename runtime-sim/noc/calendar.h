// Schedules events of a network at a known time.
#pragma once
#include "runtime-sim/noc/router.h"

// Returns the slot of the calendar for the cycle that is `after` cycles from now.
static inline struct noc_bucket *noc_bucket(const struct noc *noc, uint64_t after)
{
    return &noc->calendar.bucket[(noc->now + after) & noc->calendar.mask];
}

// Schedules the arrival of a flit at an input virtual channel of a router or, with `is_exit`, of an
// interface.
static inline void noc_post_flit(struct noc_bucket *bucket, bool is_exit, uint32_t in,
                                 uint32_t flit)
{
    *bucket->flits_end[is_exit]++ = (struct noc_flit_event){in, flit};
}

// Returns the number of cycles from a flit's SA until the next router sees it, for a switch that
// takes several cycles.
uint32_t noc_flight(struct noc *noc, uint32_t router, uint32_t port);

// Schedules the return of a credit to an output virtual channel.
static inline void noc_post_credit(struct noc_bucket *bucket, uint32_t out)
{
    *bucket->credits_end++ = out;
}

// Schedules the end of RC in an input virtual channel.
static inline void noc_post_route(struct noc_bucket *bucket, uint32_t in)
{
    *bucket->routes_end++ = in;
}

// Schedules the end of VA: input virtual channel `in` gets output virtual channel `out`.
static inline void noc_post_assign(struct noc_bucket *bucket, uint32_t in, uint32_t out)
{
    *bucket->assigns_end++ = (struct noc_assign_event){in, out};
}
