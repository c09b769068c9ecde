#include "runtime-sim/memsys/memsys_link.h"
#include <string.h>

// Bytes that pass at a constant rate, from a time on.
struct link_pace {
    uint64_t base, bytes, end; // `end`: time at which the last byte has passed
};

struct memsys_link {
    uint64_t latency; // in units
    struct link_pace out, in;
    struct memsys_link_stats stats;
};

static const struct stat_key stat_keys[] = {
#define STATS_DEF "runtime-sim/memsys/memsys_link.def"
#define STATS_OF struct memsys_link_stats
#include "runtime-sim/base/stats_keys.inc"
};

void memsys_link_init(struct memsys *m)
{
    const uint64_t ps_per_us = 1000000; // a clock in MHz has as many cycles in a microsecond
    if (!m->tables.far)
        return;
    uint64_t cycles = m->tables.far->latency * m->config->memory.core_clock / ps_per_us;
    m->link = ARENA_NEW(m->arena, struct memsys_link);
    *m->link = (struct memsys_link){.latency = (cycles + !cycles) * m->clock.core_period};
}

// Lets bytes pass after the previous ones, but not before `time`. Returns when they have passed.
static uint64_t pass(const struct memsys *m, struct link_pace *pace, uint64_t time, uint64_t bytes)
{
    if (pace->end < time)
        *pace = (struct link_pace){.base = time};
    pace->bytes += bytes;
    // The rate is in MB/s, the clock in MHz.
    uint64_t cycles = divide_up(pace->bytes * m->config->memory.core_clock, m->tables.far->rate);
    return pace->end = pace->base + cycles * m->clock.core_period;
}

bool memsys_link_accept(struct memsys_partition *p, uint32_t entry)
{
    struct memsys *m = p->memsys;
    const struct memsys_far *far = m->tables.far;
    const struct memsys_request *request = &m->pool.entries[entry].request;
    uint64_t line = request->line;
    if (request->kind > MEMSYS_REDUCE ||
        !far->is_far(far->context, line * m->config->llc.line_bytes))
        return false;
    vec_push(m->arena, &p->far, (struct memsys_crossing){.entry = entry, .ready = UINT64_MAX});
    return true;
}

void memsys_link_send(struct memsys_partition *p, uint64_t time)
{
    struct memsys *m = p->memsys;
    struct memsys_link *link = m->link;
    for (uint32_t i = p->far_sent; i < p->far.n; i++) {
        const struct memsys_request *request = &m->pool.entries[p->far.v[i].entry].request;
        uint64_t out =
            (uint64_t)memsys_request_flits(m, request) * m->config->request_network.flit_bytes;
        uint64_t in =
            (uint64_t)memsys_reply_flits(m, request) * m->config->reply_network.flit_bytes;
        uint64_t there = pass(m, &link->out, time, out) + link->latency;
        uint64_t back = pass(m, &link->in, there, in) + link->latency;
        p->far.v[i].ready = divide_up(back, m->clock.llc_period);
        link->stats.requests++;
        link->stats.sent_bytes += out;
        link->stats.received_bytes += in;
        link->stats.cycles += (back - time) / m->clock.core_period;
    }
    p->far_sent = p->far.n;
}

uint32_t memsys_link_serve(struct memsys_partition *p, uint64_t clock)
{
    if (p->far_served == p->far.n || p->far.v[p->far_served].ready > clock)
        return MEMSYS_NONE;
    uint32_t entry = p->far.v[p->far_served++].entry;
    p->memsys->pool.entries[entry].request.from = CACHE_FETCHED;
    return entry;
}

uint32_t memsys_link_reply(const struct memsys_partition *p)
{
    return p->far_served ? p->far.v[0].entry : MEMSYS_NONE;
}

void memsys_link_pop(struct memsys_partition *p)
{
    p->far_served--;
    p->far_sent--;
    p->far.n--;
    memmove(p->far.v, p->far.v + 1, p->far.n * sizeof *p->far.v);
}

uint64_t memsys_link_due(const struct memsys_partition *p, uint64_t clock)
{
    if (p->far_served)
        return clock + 1;
    uint64_t ready = p->far.n ? p->far.v[0].ready : UINT64_MAX;
    return ready > clock ? ready : clock + 1;
}

void memsys_link_stats_add(const struct memsys *m, struct stats *stats)
{
    if (m->link)
        stats_add(stats, "peer", stat_keys, ARRAY_LENGTH(stat_keys), &m->link->stats);
}
