// Checks the invariants that hold between cycles.
#include "runtime-sim/noc/state_tmpl.h"

struct count {
    uint32_t flits, credits; // in flight to a buffer, and back from it
};

static void count_bucket(const struct noc *noc, const struct noc_bucket *bucket,
                         struct count *by_out)
{
    for (uint32_t i = 0; i < 2; i++)
        for (const struct noc_flit_event *at = bucket->flits[i]; at < bucket->flits_end[i]; at++)
            by_out[noc_in(noc, at->in)->from].flits++;
    for (const uint32_t *at = bucket->credits; at < bucket->credits_end; at++)
        by_out[*at].credits++;
}

static void count_events(const struct noc *noc, struct count *by_out)
{
    for (uint32_t i = 0; i <= noc->calendar.mask; i++)
        count_bucket(noc, &noc->calendar.bucket[i], by_out);
}

static const char *check_credits(const struct noc *noc, struct arena *arena,
                                 const struct count *by_out)
{
    for (uint32_t i = 0; i < noc->shape.outs << noc->shape.shift; i++) {
        uint32_t there = noc_in(noc, noc_fed(noc, i))->count + by_out[i].flits;
        uint32_t sum = noc->vc.credits[i] + there + by_out[i].credits;
        if (sum != noc->shape.buffer)
            return arena_printf(arena,
                                "virtual channel %u of output port %u: %u credits, %u flits and %u "
                                "credits in flight do not add up to %u",
                                noc_vc(noc, i), noc_port(noc, i), noc->vc.credits[i], there,
                                by_out[i].credits, noc->shape.buffer);
    }
    return NULL;
}

static uint8_t class_of(const struct noc *noc, uint32_t flit)
{
    return noc->pool.hot[flit >> FLIT_SHIFT].class;
}

static void count_classes(const struct noc *noc, uint64_t *by_class)
{
    for (uint32_t i = 0; i < noc->shape.ins << noc->shape.shift; i++)
        for (uint32_t k = 0; k < noc_in(noc, i)->count; k++)
            by_class[class_of(noc, *noc_buffer_index(noc, i, noc_in(noc, i)->head + k))]++;
    for (uint32_t i = 0; i <= noc->calendar.mask; i++)
        for (uint32_t k = 0; k < 2; k++)
            for (const struct noc_flit_event *at = noc->calendar.bucket[i].flits[k];
                 at < noc->calendar.bucket[i].flits_end[k]; at++)
                by_class[class_of(noc, at->flit)]++;
}

// Checks that each flit that has entered has arrived, is in a buffer, or is on a channel.
static const char *check_flits(const struct noc *noc, struct arena *arena)
{
    uint64_t *there = ARENA_ARRAY(arena, uint64_t, noc->shape.classes);
    count_classes(noc, there);
    for (uint32_t i = 0; i < noc->pool.due.n; i++)
        there[noc->pool.hot[noc->pool.due.v[i]].class] += noc->pool.hot[noc->pool.due.v[i]].flits;
    for (uint32_t i = 0; i < noc->shape.classes; i++) {
        const struct noc_class_stats *stats = &noc->class_stats[i];
        if (stats->flits_entered != stats->flits + there[i])
            return arena_printf(arena,
                                "class %u: %llu flits entered, but %llu arrived and %llu "
                                "are in flight",
                                i, (unsigned long long)stats->flits_entered,
                                (unsigned long long)stats->flits, (unsigned long long)there[i]);
    }
    return NULL;
}

// Checks that a bit is set if and only if there is work.
static const char *check_masks(const struct noc *noc, struct arena *arena)
{
    for (uint32_t i = 0; i < noc->shape.router_ins << noc->shape.shift; i++) {
        const struct noc_in *in = noc_in(noc, i);
        uint32_t port = noc_port(noc, i), vc = noc_vc(noc, i);
        bool can = in->out != NOC_NONE && in->count && noc->vc.credits[in->out];
        bool is_waiting = noc_is_waiting(noc, i);
        if (can != noc_is_ready(noc, i) || (is_waiting && (in->out != NOC_NONE || !in->count)))
            return arena_printf(arena,
                                "virtual channel %u of input port %u: its masks do not match "
                                "its state",
                                vc, port);
    }
    return NULL;
}

// Checks that no packet in a borrowed virtual channel is behind a packet of the owner.
static const char *check_lent(const struct noc *noc, struct arena *arena)
{
    for (uint32_t i = 0; i < noc->shape.ins << noc->shape.shift; i++) {
        const struct noc_in *in = noc_in(noc, i);
        uint32_t vc = noc_vc(noc, i), own = 0;
        for (uint32_t k = 0; noc->class.lent_vcs >> vc & 1 && k < in->count; k++) {
            bool is_own =
                class_of(noc, *noc_buffer_index(noc, i, in->head + k)) == noc->class.of_vc[vc];
            own += is_own;
            if (own && !is_own)
                return arena_printf(arena,
                                    "virtual channel %u of input port %u: a packet that has "
                                    "borrowed it follows one of its class",
                                    vc, noc_port(noc, i));
        }
    }
    return NULL;
}

// Checks that the flits of a packet are consecutive, from its head to its tail.
static const char *check_order(const struct noc *noc, struct arena *arena)
{
    for (uint32_t i = 0; i < noc->shape.router_ins << noc->shape.shift; i++) {
        const struct noc_in *in = noc_in(noc, i);
        uint32_t last = in->out == NOC_NONE ? FLIT_TAIL : 0;
        for (uint32_t k = 0; k < in->count; k++) {
            uint32_t flit = *noc_buffer_index(noc, i, in->head + k);
            bool begins = flit & FLIT_HEAD, ended = last & FLIT_TAIL;
            bool is_same = !k || last >> FLIT_SHIFT == flit >> FLIT_SHIFT;
            // The front of an active channel may be a head or a later flit.
            if ((k || ended) && (begins != ended || (!begins && !is_same)))
                return arena_printf(arena, "virtual channel %u of input port %u: packets are mixed",
                                    noc_vc(noc, i), noc_port(noc, i));
            last = flit;
        }
    }
    return NULL;
}

const char *noc_verify(const struct noc *noc, struct arena *arena)
{
    struct count *by_out = ARENA_ARRAY(arena, struct count, noc->shape.outs << noc->shape.shift);
    count_events(noc, by_out);
    const char *wrong = check_credits(noc, arena, by_out);
    if (!wrong)
        wrong = check_flits(noc, arena);
    if (!wrong)
        wrong = check_lent(noc, arena);
    if (!wrong)
        wrong = check_order(noc, arena);
    return wrong ? wrong : check_masks(noc, arena);
}
