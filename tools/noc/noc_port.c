#include "tools/noc/noc_port.h"
#include "support/vec.h"

void noc_pop_all(struct noc *noc, uint32_t classes, noc_received *received, void *context)
{
    uint32_t words = (noc_nodes(noc) + 63) / 64;
    for (uint32_t class = 0; class < classes; class ++)
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t left = noc_arrivals(noc, class, w); left; left &= left - 1) {
                uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(left);
                const struct noc_packet *packet;
                while ((packet = noc_peek(noc, node, class))) {
                    received(context, packet);
                    noc_pop(noc, node, class);
                }
            }
}

void noc_port_init(struct noc_port *port, struct arena *arena, const struct noc_config *config)
{
    *port = (struct noc_port){.arena = arena, .config = config, .noc = noc_new(arena, config)};
}

static void add_done(void *context, const struct noc_packet *packet)
{
    struct noc_port *port = context;
    struct noc_done done = {packet->payload, packet->created, packet->arrived};
    vec_push(port->arena, &port->done, done);
}

bool noc_port_advance(struct noc_port *port, uint64_t cycle, uint64_t patience)
{
    struct noc *noc = port->noc;
    if (port->taken == port->done.n)
        port->taken = port->done.n = 0;
    while (noc_cycle(noc) < cycle) {
        noc_tick(noc);
        noc_pop_all(noc, (uint32_t)port->config->classes, add_done, port);
        uint64_t next = noc_next(noc) < cycle ? noc_next(noc) : cycle;
        if (next > noc_cycle(noc))
            noc_skip_to(noc, next);
        if (noc_in_flight(noc) && noc_cycle(noc) > noc_moved_at(noc) + patience &&
            noc_is_still(noc))
            return false;
    }
    return true;
}

bool noc_port_drain(struct noc_port *port, uint64_t patience)
{
    bool good = true;
    while (good && noc_in_flight(port->noc)) {
        uint64_t next = noc_next(port->noc);
        if (next == UINT64_MAX) // all packets wait for each other
            next = noc_cycle(port->noc) + patience;
        good = noc_port_advance(port, next + 1, patience);
    }
    return good;
}

uint64_t noc_port_pending(const struct noc_port *port)
{
    return noc_in_flight(port->noc) + port->done.n - port->taken;
}

const struct noc_done *noc_port_done(struct noc_port *port)
{
    return port->taken < port->done.n ? &port->done.v[port->taken++] : NULL;
}
