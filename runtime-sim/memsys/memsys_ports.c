// Cores that share a node: each has a queue before the node's network interface, which serves the
// queues round-robin, one request per cycle of the network.
//
// A core accesses only its own queue, so the order of the cores in a cycle does not matter.
#include "runtime-sim/memsys/memsys_state.h"
#include "support/bits.h"

void memsys_ports_init(struct memsys *m)
{
    uint32_t size = m->config->memory.port_queue;
    if (m->config->memory.node_cores == 1)
        return;
    m->sharing.any = true;
    m->sharing.ports = ARENA_ARRAY(m->arena, struct memsys_port, m->topology.cores);
    for (uint32_t i = 0; i < m->topology.cores; i++)
        m->sharing.ports[i].entries = ARENA_ARRAY(m->arena, uint32_t, size);
    m->sharing.gates = ARENA_ARRAY(m->arena, struct memsys_shared_node, m->topology.nodes);
    m->sharing.gated = bits_new(m->arena, m->topology.nodes);
}

bool memsys_port_can_send(struct memsys *m, uint32_t core)
{
    struct memsys_port *port = &m->sharing.ports[core];
    port->refused = port->count == m->config->memory.port_queue;
    m->stats.refused += port->refused;
    return !port->refused;
}

void memsys_port_send(struct memsys *m, uint32_t core, uint32_t entry)
{
    struct memsys_port *port = &m->sharing.ports[core];
    uint32_t size = m->config->memory.port_queue;
    port->entries[(port->head + port->count++) % size] = entry;
    m->sharing.gates[m->topology.endpoint_node[core]].waiting++;
    bits_set(m->sharing.gated, m->topology.endpoint_node[core]);
}

static bool send_first(struct memsys *m, uint32_t core)
{
    struct memsys_port *port = &m->sharing.ports[core];
    const struct memsys_request *request =
        port->count ? &m->pool.entries[port->entries[port->head]].request : NULL;
    if (!request || !memsys_can_send_from(m, core, request))
        return false;
    memsys_send_entry(m, core, port->entries[port->head]);
    port->head = (port->head + 1) % m->config->memory.port_queue;
    port->count--;
    m->schedule.next = 0;
    if (port->refused) {
        bits_set(m->wake.may_send, core);
        m->wake.news = true;
    }
    port->refused = false;
    return true;
}

// The cores of a node have consecutive numbers, starting with that of its endpoint.
static void send_of_node(struct memsys *m, uint32_t node)
{
    struct memsys_shared_node *gate = &m->sharing.gates[node];
    uint64_t cycle = noc_cycle(m->side[MEMSYS_REQUESTS].noc);
    uint32_t first = m->topology.endpoint_at[node], count = m->config->memory.node_cores;
    if (gate->next > cycle)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t core = (gate->turn + i) % count;
        if (first + core >= m->topology.cores || !send_first(m, first + core))
            continue;
        gate->turn = (core + 1) % count;
        gate->next = cycle + 1;
        if (!--gate->waiting)
            bits_clear(m->sharing.gated, node);
        return;
    }
}

void memsys_ports_tick(struct memsys *m)
{
    BITS_EACH (node, m->sharing.gated, m->topology.nodes)
        send_of_node(m, node);
}
