// A unidirectional link that carries packets one after the other, each in flits.
//
// Time on a link is counted in parts of a clock, so that any bandwidth is exact: a flit takes
// `flit` parts, a clock has `clock` parts. A packet may begin within a clock, where the previous
// one ends.
#pragma once
#include "support/integer.h"
#include <stdbool.h>
#include <stdint.h>

enum { LINK_WINDOWS = 4 }; // sections of the window over which the utilisation is measured

struct stack_link {
    uint64_t clock, flit; // parts of a clock and of a flit
    uint64_t latency;     // in clocks
    uint64_t free;        // time, in parts, at which the last packet ends
    // Clocks of a section, number of the current section, flits of the last sections by number.
    uint64_t window, number, flits[LINK_WINDOWS + 1];
};

// Initialises an idle link of `gbps` GB/s with a clock of `mhz` MHz. `latency` is in clocks.
static inline void stack_link_init(struct stack_link *link, uint64_t gbps, uint64_t mhz,
                                   uint64_t flit_bytes, uint64_t latency)
{
    *link = (struct stack_link){
        .clock = gbps * 1000, .flit = mhz * flit_bytes, .latency = latency, .window = 64};
}

// Returns true if a packet can begin in this clock.
static inline bool stack_link_is_free(const struct stack_link *link, uint64_t now)
{
    return link->free < (now + 1) * link->clock;
}

// Returns the first clock from `now` on in which a packet can begin.
static inline uint64_t stack_link_next(const struct stack_link *link, uint64_t now)
{
    uint64_t clock = link->free / link->clock;
    return clock > now ? clock : now;
}

// Starts the section of the window that contains this clock.
static inline void stack_link_turn(struct stack_link *link, uint64_t now)
{
    uint64_t number = now / link->window;
    for (uint64_t i = 1; i <= LINK_WINDOWS + 1 && link->number + i <= number; i++)
        link->flits[(link->number + i) % (LINK_WINDOWS + 1)] = 0;
    link->number = number;
}

// Sends a packet. Requires stack_link_is_free. Returns the clock in which it has arrived.
static inline uint64_t stack_link_send(struct stack_link *link, uint64_t now, uint32_t flits)
{
    uint64_t begin = now * link->clock > link->free ? now * link->clock : link->free;
    stack_link_turn(link, now);
    link->flits[link->number % (LINK_WINDOWS + 1)] += flits;
    link->free = begin + flits * link->flit;
    return divide_up(link->free, link->clock) + link->latency;
}

// Returns true if the link was in use for at least `percent` percent of the last complete sections
// of the window [002 §4.1].
static inline bool stack_link_is_busy(struct stack_link *link, uint64_t now, uint64_t percent)
{
    uint64_t sum = 0;
    stack_link_turn(link, now);
    for (uint32_t i = 1; i <= LINK_WINDOWS; i++)
        sum += link->flits[(link->number + i) % (LINK_WINDOWS + 1)];
    return sum * link->flit * 100 >= percent * LINK_WINDOWS * link->window * link->clock;
}
