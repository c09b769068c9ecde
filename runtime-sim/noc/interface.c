#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/state.h"
#include "support/bits.h"
#include <assert.h>

// The pool

static void grow_pool(struct noc *noc)
{
    uint32_t old = noc->pool, more = old ? old : NOC_PIECE;
    noc->packets = arena_grow(noc->arena, noc->packets, old / NOC_PIECE * sizeof *noc->packets,
                              (old + more) / NOC_PIECE * sizeof *noc->packets);
    noc->hot =
        arena_grow(noc->arena, noc->hot, old * sizeof *noc->hot, (old + more) * sizeof *noc->hot);
    noc->next = arena_grow(noc->arena, noc->next, old * sizeof *noc->next,
                           (old + more) * sizeof *noc->next);
    for (uint32_t i = old; i < old + more; i += NOC_PIECE)
        noc->packets[i / NOC_PIECE] = ARENA_ARRAY(noc->arena, struct noc_packet, NOC_PIECE);
    for (uint32_t i = old; i < old + more; i++)
        noc->next[i] = i + 1 < old + more ? i + 1 : NOC_NONE;
    noc->unused = old;
    noc->pool = old + more;
}

static uint32_t new_packet(struct noc *noc, const struct noc_packet *from)
{
    if (noc->unused == NOC_NONE)
        grow_pool(noc);
    uint32_t packet = noc->unused;
    noc->unused = noc->next[packet];
    *noc_packet_at(noc, packet) = *from;
    noc->hot[packet] = (struct noc_hot){from->target, from->flits, 0, from->class, from->priority};
    return packet;
}

static void put(struct noc *noc, struct noc_queue *queue, uint32_t packet)
{
    noc->next[packet] = NOC_NONE;
    if (queue->packets++)
        noc->next[queue->last] = packet;
    else
        queue->first = packet;
    queue->last = packet;
}

// Puts a packet that has arrived behind those of earlier cycles and, of this one, of lower sources:
// several may arrive at a node in a cycle, in any order.
static void put_in_order(struct noc *noc, struct noc_queue *queue, uint32_t packet)
{
    const struct noc_packet *own = noc_packet_at(noc, packet);
    const struct noc_packet *last = queue->packets ? noc_packet_at(noc, queue->last) : NULL;
    if (!last || last->arrived < own->arrived || last->source <= own->source) {
        put(noc, queue, packet);
        return;
    }
    uint32_t *to = &queue->first;
    const struct noc_packet *other = noc_packet_at(noc, *to);
    while (other->arrived < own->arrived || other->source <= own->source) {
        to = &noc->next[*to];
        other = noc_packet_at(noc, *to);
    }
    noc->next[packet] = *to;
    *to = packet;
    queue->packets++;
}

static uint32_t take(struct noc *noc, struct noc_queue *queue)
{
    uint32_t packet = queue->first;
    queue->first = noc->next[packet];
    queue->packets--;
    return packet;
}

// Sending

// A packet that is longer than an empty queue streams through it.
static bool has_room(const struct noc_link *link, const struct noc_lane *lane, uint32_t flits)
{
    return !link->room || !lane->flits || lane->flits + flits <= link->room;
}

// Returns the link of a node whose queue for the class is the shortest and has room, or NOC_NONE.
static uint32_t find_link(const struct noc *noc, uint32_t node, uint32_t class, uint32_t flits)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t best = NOC_NONE;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = interface->link0; i < interface->link0 + interface->links; i++) {
        const struct noc_lane *lane = &noc->lane[i * noc->classes + class];
        if (lane->flits < least && has_room(&noc->link[i], lane, flits)) {
            best = i;
            least = lane->flits;
        }
    }
    return best;
}

bool noc_can_send(const struct noc *noc, uint32_t node, uint32_t class, uint32_t flits)
{
    return noc->interface[node].busy_until <= noc->now &&
           find_link(noc, node, class, flits) != NOC_NONE;
}

static void count_sent(struct noc *noc, const struct noc_packet *packet)
{
    struct noc_class_stats *stats = &noc->class_stats[packet->class];
    stats->packets_sent++;
    stats->flits_sent += packet->flits;
    struct noc_interface *interface = &noc->interface[packet->source];
    interface->queue_sum -= packet->flits * noc->now;
    interface->queue_flits += packet->flits;
    if (interface->queue_flits > interface->queue_most)
        interface->queue_most = interface->queue_flits;
    interface->packets_sent++;
    noc->moving++;
    noc->in_flight++;
    noc->moved_at = noc->now;
}

// Stops the use of rows: from now on packets have priorities, which rows of requests do not
// contain.
static void leave_rows(struct noc *noc)
{
    bool has_vc_rows = noc->has_vc_rows, has_switch_rows = noc->has_switch_rows;
    noc->is_ranked = true;
    noc->has_vc_rows = noc->has_switch_rows = false;
    noc->waiting = has_vc_rows ? 0 : noc->waiting;
    for (uint32_t i = 0; i < noc->router_ins << noc->shift; i++) {
        const struct noc_in *in = noc_in(noc, i);
        if (has_vc_rows && noc->out_port[in->row].waiting >> in->local & 1)
            noc_set_waiting(noc, i);
        if (has_switch_rows && noc->out_port[in->row].ready >> in->local & 1)
            noc_set_ready(noc, i);
    }
}

// Puts a packet into the shortest injection queue that has room.
static void enqueue(struct noc *noc, const struct noc_packet *packet, uint32_t at)
{
    uint32_t index = find_link(noc, packet->source, packet->class, packet->flits);
    struct noc_lane *lane = &noc->lane[index * noc->classes + packet->class];
    put(noc, &lane->queue, at);
    lane->flits += packet->flits;
    noc->link[index].lanes |= 1u << packet->class;
    noc->interface[packet->source].packets++;
    mask_set(noc->sending, packet->source);
    if (packet->priority && !noc->is_ranked)
        leave_rows(noc);
}

void noc_send(struct noc *noc, const struct noc_packet *packet)
{
    assert(noc_reaches(&noc->config, packet->source, packet->target) &&
           "no way from this node to that one");
    struct noc_interface *interface = &noc->interface[packet->source];
    uint32_t at = new_packet(noc, packet);
    noc_packet_at(noc, at)->number = interface->packets_sent;
    uint64_t width = noc->config.node_link;
    if (width)
        interface->busy_until = noc->now + (packet->flits + width - 1) / width;
    count_sent(noc, packet);
    if (noc->config.ideal)
        noc_ideal_send(noc, at);
    else
        enqueue(noc, packet, at);
    if (noc->trace)
        noc->trace(noc->trace_context, noc_packet_at(noc, at), false);
}

uint32_t noc_waiting_packets(const struct noc *noc, uint32_t node, uint32_t class)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t packets = 0;
    for (uint32_t i = 0; i < interface->links; i++)
        packets += noc->lane[(interface->link0 + i) * noc->classes + class].queue.packets;
    return packets;
}

uint64_t noc_waiting_flits(const struct noc *noc, uint32_t node, uint32_t class)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint64_t flits = 0;
    for (uint32_t i = 0; i < interface->links; i++)
        flits += noc->lane[(interface->link0 + i) * noc->classes + class].flits;
    return flits;
}

// Injection

// Returns a virtual channel of the port that the lane's first packet can have now, or NOC_NONE.
static uint32_t channel_at(const struct noc *noc, const struct noc_link *link,
                           const struct noc_lane *lane, uint32_t port)
{
    const struct noc_hot *packet = &noc->hot[lane->queue.first];
    uint64_t vcs = noc_vcs_for(noc, port, packet->class) & link->vcs;
    vcs = noc_available(noc, port, vcs, packet->flits) & noc->out_port[port].open;
    return vcs ? noc_index(noc, port, mask_turn(vcs, lane->turn)) : NOC_NONE;
}

// Returns the virtual channel in which the lane's next flit can be sent now, or NOC_NONE.
static uint32_t channel_of(const struct noc *noc, const struct noc_link *link,
                           const struct noc_lane *lane)
{
    if (lane->out != NOC_NONE)
        return noc->out[lane->out].credits ? lane->out : NOC_NONE;
    uint32_t out = channel_at(noc, link, lane, link->port + lane->port);
    for (uint32_t i = 1; i < link->ports && out == NOC_NONE; i++)
        out = channel_at(noc, link, lane, link->port + (lane->port + i) % link->ports);
    return out;
}

static void enter(struct noc *noc, uint32_t link, uint32_t class)
{
    struct noc_lane *lane = &noc->lane[link * noc->classes + class];
    struct noc_packet *packet = noc_packet_at(noc, lane->queue.first);
    packet->entered = noc->now;
    noc->class_stats[class].packets_entered++;
    noc->class_stats[class].wait_sum += noc->now - packet->created;
}

static void begin_packet(struct noc *noc, uint32_t link, uint32_t class, uint32_t out)
{
    struct noc_lane *lane = &noc->lane[link * noc->classes + class];
    uint32_t port = noc_port(noc, out), vc = noc_vc(noc, out);
    lane->out = out;
    lane->sent = 0;
    lane->turn = (uint16_t)(vc + 1);
    lane->port = (uint16_t)(port + 1 - noc->link[link].port);
    if (lane->port == noc->link[link].ports)
        lane->port = 0;
    noc->out_port[port].free &= ~(UINT64_C(1) << vc);
    noc_note_class(noc, port, vc, class);
    noc->out[out].owner = link * noc->classes + class;
    enter(noc, link, class);
}

static void finish_packet(struct noc *noc, uint32_t link, uint32_t class)
{
    struct noc_lane *lane = &noc->lane[link * noc->classes + class];
    noc->out[lane->out].owner = NOC_NONE;
    noc->out_port[noc_port(noc, lane->out)].free |= UINT64_C(1) << noc_vc(noc, lane->out);
    lane->out = NOC_NONE;
    take(noc, &lane->queue);
    if (!--noc->interface[noc->link[link].node].packets)
        mask_clear(noc->sending, noc->link[link].node);
    if (lane->queue.packets)
        return;
    noc->link[link].lanes &= ~(1u << class);
}

static void inject_flit(struct noc *noc, uint32_t link, uint32_t class, uint32_t out)
{
    struct noc_lane *lane = &noc->lane[link * noc->classes + class];
    struct noc_interface *interface = &noc->interface[noc->link[link].node];
    if (lane->out == NOC_NONE)
        begin_packet(noc, link, class, out);
    uint32_t packet = lane->queue.first, flit = packet << FLIT_SHIFT, port = noc_port(noc, out);
    flit |= lane->sent ? 0 : FLIT_HEAD;
    lane->sent++;
    flit |= lane->sent == noc->hot[packet].flits ? FLIT_TAIL : 0;
    lane->flits--;
    if (!--noc->out[out].credits)
        noc->out_port[port].open &= ~(UINT64_C(1) << noc_vc(noc, out));
    noc_post_flit(noc->calendar.ahead.entry, false, noc_fed(noc, out), flit);
    noc->out_port[port].flits++;
    interface->flits_entered++;
    interface->queue_sum += noc->now;
    interface->queue_flits--;
    noc->class_stats[class].flits_entered++;
    noc->moved_at = noc->now;
    if (flit & FLIT_TAIL)
        finish_packet(noc, link, class);
}

// Selects among the classes that can send: the one whose packet has the highest priority, then the
// next in round-robin order.
static void inject(struct noc *noc, uint32_t index)
{
    struct noc_link *link = &noc->link[index];
    uint32_t best = NOC_NONE, out = NOC_NONE;
    uint8_t rank = 0;
    for (uint32_t i = 0; i < noc->classes; i++) {
        uint32_t class =
            link->turn + i < noc->classes ? link->turn + i : link->turn + i - noc->classes;
        const struct noc_lane *lane = &noc->lane[index * noc->classes + class];
        if (!(link->lanes >> class & 1))
            continue;
        uint8_t priority = noc->hot[lane->queue.first].priority;
        if (best != NOC_NONE && priority <= rank)
            continue;
        uint32_t some = channel_of(noc, link, lane);
        if (some == NOC_NONE)
            continue;
        best = class;
        out = some;
        rank = priority;
    }
    if (best == NOC_NONE)
        return;
    link->turn = best + 1 < noc->classes ? best + 1 : 0;
    inject_flit(noc, index, best, out);
}

// Links to the same port compete for its virtual channels: another one is first in each cycle.
void noc_inject(struct noc *noc, uint32_t node)
{
    struct noc_interface *interface = &noc->interface[node];
    uint32_t first = interface->link_turn;
    interface->link_turn = first + 1 < interface->links ? first + 1 : 0;
    for (uint32_t i = first; i < interface->links; i++)
        if (noc->link[interface->link0 + i].lanes)
            inject(noc, interface->link0 + i);
    for (uint32_t i = 0; i < first; i++)
        if (noc->link[interface->link0 + i].lanes)
            inject(noc, interface->link0 + i);
}

// Ejection

// Returns the queue in which packets of this class and virtual channel wait to be taken. Those of a
// class that has borrowed the channel have another queue than its owners.
static struct noc_arrivals *arrivals_of(const struct noc *noc, uint32_t node, uint32_t class,
                                        uint32_t vc)
{
    bool is_own = noc->class_vcs[class] >> vc & 1;
    uint32_t queue = !noc->config.ejection_order ? class : is_own ? vc : noc->vcs + vc;
    return &noc->arrivals[node * noc->arrival_queues + queue];
}

// Returns the next virtual channel in round-robin order among those with arrived packets of a
// class.
static uint32_t channel_in_turn(const struct noc *noc, uint32_t node, uint32_t class)
{
    uint64_t vcs = 0;
    if (!noc->config.ejection_order)
        return 0;
    MASK_EACH(vc, noc->class_vcs[class] | noc->class_borrows[class])
    vcs |= (uint64_t)(arrivals_of(noc, node, class, (uint32_t)vc)->queue.packets > 0) << vc;
    return vcs ? mask_turn(vcs, noc->take_turn[node * noc->classes + class]) : 0;
}

void noc_finish(struct noc *noc, uint32_t node, uint32_t vc, uint32_t index)
{
    struct noc_packet *packet = noc_packet_at(noc, index);
    struct noc_class_stats *stats = &noc->class_stats[packet->class];
    packet->routers = noc->hot[index].routers;
    packet->arrived = noc->now;
    uint64_t latency = noc->now - packet->created, hops = packet->routers - 1u;
    stats->packets++;
    stats->packet_flits += packet->flits;
    stats->routers += packet->routers;
    stats->hops += hops;
    stats->weighted_hops += hops * packet->flits;
    stats->latency_sum += latency;
    stats->network_sum += noc->now - packet->entered;
    if (latency > stats->latency_most)
        stats->latency_most = latency;
    struct noc_queue *queue = &arrivals_of(noc, node, packet->class, vc)->queue;
    if (noc->config.overlay)
        put_in_order(noc, queue, index);
    else
        put(noc, queue, index);
    mask_set(&noc->arrived[packet->class * noc->node_words], node);
    noc->moving--;
    if (noc->trace)
        noc->trace(noc->trace_context, packet, true);
}

static void take_in(struct noc *noc, uint32_t in, uint32_t flit)
{
    uint32_t vc = noc_vc(noc, in), node = noc_in(noc, in)->router;
    noc_post_credit(noc->calendar.ahead.exit_credit, noc_in(noc, in)->from);
    noc->class_stats[noc->hot[flit >> FLIT_SHIFT].class].flits++;
    noc->interface[node].flits_arrived++;
    if (flit & FLIT_TAIL)
        noc_finish(noc, node, vc, flit >> FLIT_SHIFT);
}

void noc_arrive(struct noc *noc, uint32_t in, uint32_t flit)
{
    if (!noc->config.ejection_queue) {
        take_in(noc, in, flit);
        return;
    }
    struct noc_in *buffer = noc_in(noc, in);
    *noc_place(noc, in, (uint32_t)buffer->head + buffer->count++) = flit;
    noc->in_port[noc_port(noc, in)].ready |= UINT64_C(1) << noc_vc(noc, in);
    mask_set(noc->holding, buffer->router);
}

// A packet reserves its place in the queue with its head, so that its tail never waits for other
// packets.
static bool reserve(struct noc *noc, uint32_t node, uint32_t vc, uint32_t flit)
{
    const struct noc_hot *packet = &noc->hot[flit >> FLIT_SHIFT];
    struct noc_arrivals *arrivals = arrivals_of(noc, node, packet->class, vc);
    if (arrivals->flits && arrivals->flits + packet->flits > noc->config.ejection_queue)
        return false;
    arrivals->flits += packet->flits;
    return true;
}

static bool take_held(struct noc *noc, uint32_t node, uint32_t port, uint32_t vc)
{
    struct noc_interface *interface = &noc->interface[node];
    uint32_t index = noc_index(noc, port, vc), flit = noc_front(noc, index);
    struct noc_in *in = noc_in(noc, index);
    if (flit & FLIT_HEAD) {
        if (!reserve(noc, node, vc, flit))
            return false;
        interface->turn = vc + 1 < noc->vcs ? vc + 1 : 0;
    }
    in->head++;
    if (!--in->count)
        noc->in_port[port].ready &= ~(UINT64_C(1) << vc);
    noc->moved_at = noc->now;
    take_in(noc, index, flit);
    return true;
}

static bool take_held_of(struct noc *noc, uint32_t node, uint32_t port)
{
    uint64_t vcs = noc->in_port[port].ready, behind = ~UINT64_C(0) << noc->interface[node].turn;
    bool taken = false;
    MASK_EACH(vc, vcs & behind)
    taken |= take_held(noc, node, port, (uint32_t)vc);
    MASK_EACH(other, vcs & ~behind)
    taken |= take_held(noc, node, port, (uint32_t)other);
    return taken;
}

static bool holds_flits(const struct noc *noc, uint32_t node)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint64_t ready = 0;
    for (uint32_t port = interface->in; port < interface->in + interface->ins; port++)
        ready |= noc->in_port[port].ready;
    return ready;
}

// Flits that cannot be taken can be taken only after a packet was popped. With several ports
// another one is first in each cycle.
void noc_take_held(struct noc *noc, uint32_t node)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t first = interface->ins > 1 ? (uint32_t)(noc->now % interface->ins) : 0;
    bool taken = false;
    for (uint32_t i = first; i < interface->ins; i++)
        taken |= take_held_of(noc, node, interface->in + i);
    for (uint32_t i = 0; i < first; i++)
        taken |= take_held_of(noc, node, interface->in + i);
    if (!taken || !holds_flits(noc, node))
        mask_clear(noc->holding, node);
}

const struct noc_packet *noc_peek(const struct noc *noc, uint32_t node, uint32_t class)
{
    uint32_t vc = channel_in_turn(noc, node, class);
    const struct noc_queue *queue = &arrivals_of(noc, node, class, vc)->queue;
    return queue->packets ? noc_packet_at(noc, queue->first) : NULL;
}

void noc_pop(struct noc *noc, uint32_t node, uint32_t class)
{
    uint32_t vc = channel_in_turn(noc, node, class);
    struct noc_arrivals *arrivals = arrivals_of(noc, node, class, vc);
    uint32_t packet = take(noc, &arrivals->queue);
    noc->take_turn[node * noc->classes + class] = (uint8_t)(vc + 1);
    if (noc->config.ejection_queue) {
        arrivals->flits -= noc->hot[packet].flits;
        if (holds_flits(noc, node))
            mask_set(noc->holding, node);
    }
    if (!noc_peek(noc, node, class))
        mask_clear(&noc->arrived[class * noc->node_words], node);
    noc->next[packet] = noc->unused;
    noc->unused = packet;
    noc->in_flight--;
    noc->moved_at = noc->now;
}

uint64_t noc_arrivals(const struct noc *noc, uint32_t class, uint32_t word)
{
    return noc->arrived[class * noc->node_words + word];
}
