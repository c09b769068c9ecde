#include "tests/unit/runtime-sim/noc_naive.h"

// Building

static bool is_wide(const struct noc_config *c, uint32_t node)
{
    bool found = !c->injection_nodes.n;
    for (uint32_t i = 0; i < c->injection_nodes.n; i++)
        found |= c->injection_nodes.v[i] == node;
    return found;
}

// Returns the crossbar inputs of a channel. Requires all channels.
static uint32_t speed_of(const struct model *m, const struct channel *ch)
{
    const struct noc_config *c = m->c;
    uint64_t speed = c->speedup, wide = 1, ways = 0;
    for (uint32_t i = 0; i < m->channels; i++)
        ways += m->channel[i].kind == NOC_CHANNEL_ROUTERS && m->channel[i].from == ch->to;
    if (ch->kind == NOC_CHANNEL_INJECTION && is_wide(c, ch->from))
        wide = c->injection_speedup;
    for (uint32_t i = 0; ch->kind == NOC_CHANNEL_INJECTION && i < c->injection_speedups.n; i++)
        if (c->injection_nodes.v[i] == ch->from)
            wide = c->injection_speedups.v[i];
    if (c->injection_by_outputs && wide > ways)
        wide = ways;
    speed = wide > speed ? wide : speed;
    return (uint32_t)(speed < c->vcs ? speed : c->vcs);
}

static void add_channel(struct model *m, uint32_t index)
{
    struct noc_channel from = noc_channel(m->noc, index);
    struct channel *ch = &m->channel[index];
    const struct noc_config *c = m->c;
    *ch = (struct channel){.kind = from.kind, .from = from.from, .to = from.to};
    ch->credit_time = c->channel_latency + c->credit_delay;
    if (ch->kind != NOC_CHANNEL_EJECTION)
        ch->credit_time += c->sw_alloc_delay - 1;
    if (ch->kind == NOC_CHANNEL_ROUTERS)
        ch->credit_time += c->credit_delay ? c->credit_delay - 1 : 0;
    line_init(m->arena, &ch->flight, 1024);
    for (uint32_t v = 0; v < c->vcs; v++) {
        ch->vc[v].credits = (uint32_t)c->vc_buffer;
        ch->vc[v].is_entry = ch->kind == NOC_CHANNEL_INJECTION;
        line_init(m->arena, &ch->vc[v].buffer, (uint32_t)c->vc_buffer);
    }
    if (ch->kind != NOC_CHANNEL_INJECTION) {
        ch->local_out = m->router[ch->from].out_count++;
        m->router[ch->from].outs[ch->local_out] = index;
    } else {
        struct node *node = &m->node[ch->from];
        node->ports[node->port_count++] = index;
    }
    if (ch->kind != NOC_CHANNEL_EJECTION) {
        ch->local_in = m->router[ch->to].in_count++;
        m->router[ch->to].ins[ch->local_in] = index;
    }
}

static void add_lanes(struct model *m, uint32_t index)
{
    struct node *node = &m->node[index];
    node->links = node->port_count * (is_wide(m->c, index) ? (uint32_t)m->c->injection_links : 1);
    if (m->c->injection_shared)
        node->links = 1;
    for (uint32_t i = 0; i < node->links; i++)
        for (uint32_t k = 0; k < m->c->classes; k++) {
            node->lane[i][k] = ARENA_NEW(m->arena, struct lane);
            node->lane[i][k]->vc = NONE;
        }
}

// Virtual channels of a class are consecutive; the remainder goes to the first classes.
static void name_classes(struct model *m)
{
    uint32_t at = 0, classes = (uint32_t)m->c->classes, vcs = (uint32_t)m->c->vcs;
    for (uint32_t k = 0; k < classes; k++)
        for (uint32_t i = 0; i < vcs / classes + (k < vcs % classes); i++)
            m->vc_class[at++] = k;
}

void model_init(struct model *m, struct network *n)
{
    *m = (struct model){.arena = &n->arena, .c = &n->config, .noc = n->noc};
    m->channels = noc_channels(n->noc);
    m->routers = noc_routers(n->noc);
    m->nodes = noc_nodes(n->noc);
    m->channel = ARENA_ARRAY(m->arena, struct channel, m->channels);
    m->router = ARENA_ARRAY(m->arena, struct router, m->routers);
    m->node = ARENA_ARRAY(m->arena, struct node, m->nodes);
    m->packet = ARENA_ARRAY(m->arena, struct noc_packet, MAX_PACKETS);
    m->arrived = ARENA_ARRAY(m->arena, uint64_t, MAX_PACKETS);
    m->other = ARENA_ARRAY(m->arena, uint64_t, MAX_PACKETS);
    m->routed = ARENA_ARRAY(m->arena, uint32_t, MAX_PACKETS);
    m->credit_room = m->channels * m->c->vcs * m->c->vc_buffer;
    m->credits = ARENA_ARRAY(m->arena, struct credit, m->credit_room);
    for (uint32_t i = 0; i < m->channels; i++)
        add_channel(m, i);
    for (uint32_t i = 0; i < m->channels; i++)
        m->channel[i].speed = speed_of(m, &m->channel[i]);
    for (uint32_t i = 0; i < m->nodes; i++)
        add_lanes(m, i);
    name_classes(m);
    m->asking = ARENA_ARRAY(m->arena, struct asking, MAX_PORTS * MAX_VCS);
    m->chosen = ARENA_ARRAY(m->arena, struct asking, MAX_PORTS * MAX_VCS);
    m->crossing = ARENA_NEW(m->arena, struct crossing);
}

// Routes

int model_channel(const struct model *m, uint32_t router, enum noc_channel_kind kind, uint32_t to)
{
    const struct router *r = &m->router[router];
    for (uint32_t i = 0; i < r->out_count; i++) {
        const struct channel *ch = &m->channel[r->outs[i]];
        if (ch->kind == kind && ch->to == to)
            return (int)r->outs[i];
    }
    return NONE;
}

static int next_in_fly(const struct model *m, uint32_t router, uint32_t target)
{
    int exit = model_channel(m, router, NOC_CHANNEL_EJECTION, target);
    const struct router *r = &m->router[router];
    for (uint32_t i = 0; exit == NONE && i < r->out_count; i++) {
        const struct channel *ch = &m->channel[r->outs[i]];
        if (ch->kind == NOC_CHANNEL_ROUTERS && next_in_fly(m, ch->to, target) != NONE)
            exit = (int)r->outs[i];
    }
    return exit;
}

static uint32_t step_towards(uint32_t at, uint32_t to)
{
    return at < to ? at + 1 : at - 1;
}

void model_mesh_ways(const struct model *m, uint32_t router, uint32_t to, int ways[2])
{
    uint32_t width = (uint32_t)m->c->width, x = router % width, y = router / width;
    ways[0] = ways[1] = NONE;
    if (x != to % width)
        ways[0] =
            model_channel(m, router, NOC_CHANNEL_ROUTERS, y * width + step_towards(x, to % width));
    if (y != to / width)
        ways[1] =
            model_channel(m, router, NOC_CHANNEL_ROUTERS, step_towards(y, to / width) * width + x);
}

static int route(const struct model *m, uint32_t router, uint32_t target)
{
    int ways[2], exit = model_channel(m, router, NOC_CHANNEL_EJECTION, target);
    if (exit != NONE)
        return exit;
    if (m->c->topology == NOC_FLY)
        return next_in_fly(m, router, target);
    model_mesh_ways(m, router, mesh_router_of(m->c, target), ways);
    bool y_first = m->c->routing == NOC_YX;
    return ways[y_first] != NONE ? ways[y_first] : ways[!y_first];
}

void model_begin_route(struct model *m, struct vc *vc, uint32_t router, uint64_t when)
{
    uint32_t packet = line_front(&vc->buffer)->packet;
    vc->state = ROUTING;
    vc->since = when;
    vc->until = when + m->c->routing_delay;
    vc->out_channel = route(m, router, m->packet[packet].target);
    if (m->c->priority_decay && m->routed[packet] && m->packet[packet].priority)
        m->packet[packet].priority--;
    vc->priority = m->packet[packet].priority;
    m->routed[packet]++;
}

// Arrivals

static void accept_credits(struct model *m)
{
    for (uint32_t left = m->credit_count; left; left--) {
        struct credit credit = m->credits[m->credit_head];
        m->credit_head = (m->credit_head + 1) % m->credit_room;
        if (credit.when == m->now) {
            m->channel[credit.channel].vc[credit.vc].credits++;
            m->credit_count--;
        } else {
            m->credits[(m->credit_head + m->credit_count - 1) % m->credit_room] = credit;
        }
    }
}

void model_give_credit(struct model *m, uint32_t channel, uint32_t vc)
{
    m->credits[(m->credit_head + m->credit_count++) % m->credit_room] =
        (struct credit){channel, vc, m->now + m->channel[channel].credit_time};
}

static void arrive(struct model *m, uint32_t index, uint32_t v, struct flit flit)
{
    struct channel *ch = &m->channel[index];
    struct vc *vc = &ch->vc[v];
    line_put(&vc->buffer, flit);
    if (ch->kind != NOC_CHANNEL_EJECTION && vc->state == EMPTY)
        model_begin_route(m, vc, ch->to, m->now);
}

// Accepts flits. In flight, a flit has its target virtual channel in the bits above the packet's
// number.
static void accept_flits(struct model *m)
{
    for (uint32_t i = 0; i < m->channels; i++) {
        struct line *flight = &m->channel[i].flight;
        for (uint32_t left = flight->count; left; left--) {
            struct flit flit = line_pop(flight);
            if (flit.when != m->now) {
                line_put(flight, flit);
                continue;
            }
            uint32_t v = flit.packet % MAX_VCS;
            flit.packet /= MAX_VCS;
            arrive(m, i, v, flit);
        }
    }
}

static void end_stages(struct model *m)
{
    for (uint32_t i = 0; i < m->channels; i++)
        for (uint32_t v = 0; v < m->c->vcs; v++) {
            struct vc *vc = &m->channel[i].vc[v];
            if ((vc->state == ROUTING || vc->state == ASSIGNED) && vc->until == m->now)
                vc->state = vc->state == ROUTING ? WAITING : ACTIVE;
        }
}

// Interfaces

// Returns true if the node accepts the flit. A packet occupies the ejection queue from its head
// flit on; one that is longer than the queue has it alone.
static bool accepts_flit(struct model *m, struct node *node, const struct flit *flit)
{
    const struct noc_packet *packet = &m->packet[flit->packet];
    uint64_t *held = &node->held[packet->class];
    if (!flit->head)
        return true;
    if (m->c->ejection_queue && *held && *held + packet->flits > m->c->ejection_queue)
        return false;
    *held += packet->flits;
    return true;
}

// Ejects one flit of each virtual channel, starting after the last packet that was begun. Without a
// queue at most one flit is present.
static void eject(struct model *m, uint32_t index)
{
    struct channel *ch = &m->channel[index];
    struct node *node = &m->node[ch->to];
    uint32_t first = node->eject_turn;
    for (uint32_t i = 0; i < m->c->vcs; i++) {
        uint32_t v = (first + i) % (uint32_t)m->c->vcs;
        struct line *buffer = &ch->vc[v].buffer;
        if (!buffer->count || !accepts_flit(m, node, line_front(buffer)))
            continue;
        struct flit flit = line_pop(buffer);
        if (flit.head)
            node->eject_turn = (v + 1) % (uint32_t)m->c->vcs;
        model_give_credit(m, index, v);
        if (flit.tail)
            m->arrived[flit.packet] = m->now + 1;
    }
}

static void accept_packets(struct model *m)
{
    for (uint32_t i = 1; i <= m->packets; i++)
        if (m->arrived[i] == m->now + 1)
            m->node[m->packet[i].target].held[m->packet[i].class] -= m->packet[i].flits;
}

void model_send(struct model *m, const struct noc_packet *packet)
{
    uint32_t number = (uint32_t)packet->payload;
    struct node *node = &m->node[packet->source];
    struct lane *best = node->lane[0][packet->class];
    for (uint32_t i = 1; i < node->links; i++)
        if (node->lane[i][packet->class]->flits < best->flits)
            best = node->lane[i][packet->class];
    m->packet[number] = *packet;
    m->packets = number;
    best->queue[best->head + best->count++] = number;
    best->flits += packet->flits;
    assert_true(best->head + best->count < MAX_PACKETS / 64);
}

// Returns true if the link feeds the virtual channel.
static bool feeds(const struct model *m, const struct node *node, uint32_t link, uint32_t v)
{
    uint32_t each = node->links / node->port_count;
    return m->c->injection_vc != NOC_VC_OWN || each < 2 || v % each == link / node->port_count;
}

// Returns the virtual channel of a port that the lane's next flit can enter now, or NONE.
static int lane_vc(const struct model *m, const struct node *node, uint32_t link,
                   const struct lane *lane, uint32_t port)
{
    bool may[MAX_VCS];
    const struct channel *ch = &m->channel[port];
    if (lane->vc != NONE)
        return port == lane->port && ch->vc[lane->vc].credits ? lane->vc : NONE;
    model_room(m, (int)port, lane->queue[lane->head], NONE, may);
    for (uint32_t v = 0; v < m->c->vcs; v++)
        may[v] &= ch->vc[v].credits > 0 && feeds(m, node, link, v);
    return model_turn(may, (uint32_t)m->c->vcs, lane->turn);
}

// Returns the port that the flit can use, or its own. A shared link has all ports, starting after
// that of the last packet.
static uint32_t lane_port(const struct model *m, const struct node *node, uint32_t link,
                          const struct lane *lane)
{
    uint32_t own = node->ports[link % node->port_count];
    for (uint32_t i = 0; m->c->injection_shared && i < node->port_count; i++) {
        uint32_t port = node->ports[(lane->port_turn + i) % node->port_count];
        if (lane_vc(m, node, link, lane, port) != NONE)
            return port;
    }
    return own;
}

static void inject_flit(struct model *m, const struct node *node, struct lane *lane, uint32_t port,
                        uint32_t v)
{
    struct channel *ch = &m->channel[port];
    uint32_t packet = lane->queue[lane->head];
    if (lane->vc == NONE) {
        lane->vc = (int)v;
        lane->turn = v + 1;
        lane->sent = 0;
        lane->port = port;
        for (uint32_t i = 0; i < node->port_count; i++)
            lane->port_turn = node->ports[i] == port ? i + 1 : lane->port_turn;
        ch->vc[v].taken = true;
    }
    struct flit flit = {.packet = packet * MAX_VCS + v, .head = !lane->sent};
    flit.when = m->now + 1 + m->c->channel_latency;
    flit.tail = ++lane->sent == m->packet[packet].flits;
    lane->flits--;
    ch->vc[v].credits--;
    line_put(&ch->flight, flit);
    if (!flit.tail)
        return;
    ch->vc[v].taken = false;
    lane->vc = NONE;
    lane->head++;
    lane->count--;
}

static void inject_link(struct model *m, struct node *node, uint32_t link)
{
    uint32_t classes = (uint32_t)m->c->classes, best_port = 0;
    int best = NONE, best_vc = NONE;
    for (uint32_t i = 0; i < classes; i++) {
        uint32_t k = (node->class_turn[link] + i) % classes;
        const struct lane *lane = node->lane[link][k];
        uint32_t port = lane->count ? lane_port(m, node, link, lane) : 0;
        int vc = lane->count ? lane_vc(m, node, link, lane, port) : NONE;
        if (vc == NONE)
            continue;
        uint8_t priority = m->packet[lane->queue[lane->head]].priority;
        const struct lane *other = best == NONE ? NULL : node->lane[link][best];
        if (other && priority <= m->packet[other->queue[other->head]].priority)
            continue;
        best = (int)k;
        best_vc = vc;
        best_port = port;
    }
    if (best == NONE)
        return;
    node->class_turn[link] = ((uint32_t)best + 1) % classes;
    inject_flit(m, node, node->lane[link][best], best_port, (uint32_t)best_vc);
}

// Injects flits. In each cycle with something to send, another link goes first.
static void inject(struct model *m, struct node *node)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < node->links; i++)
        for (uint32_t k = 0; k < m->c->classes; k++)
            waiting += node->lane[i][k]->count;
    if (!waiting)
        return;
    for (uint32_t i = 0; i < node->links; i++)
        inject_link(m, node, (node->turn + i) % node->links);
    node->turn = (node->turn + 1) % node->links;
}

void model_tick(struct model *m)
{
    accept_credits(m);
    accept_flits(m);
    end_stages(m);
    for (uint32_t i = 0; i < m->routers; i++)
        model_allocate_vcs(m, i);
    for (uint32_t i = 0; i < m->routers; i++)
        model_allocate_switch(m, &m->router[i]);
    for (uint32_t i = 0; i < m->channels; i++)
        if (m->channel[i].kind == NOC_CHANNEL_EJECTION)
            eject(m, i);
    for (uint32_t i = 0; i < m->nodes; i++)
        inject(m, &m->node[i]);
    accept_packets(m);
    m->now++;
}
