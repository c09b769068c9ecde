// A crossbar whose ports are as wide as a packet: it has one stage, and no flits or virtual
// channels.
//
// A node has a queue of packets for each class at its input and at its output. In a cycle each
// output accepts at most one packet, of any size: the oldest of an input's queue, if the output's
// queue for its class has room. Among several inputs it selects the one with the highest priority;
// among equals, the next in round-robin order. The outputs are served in cyclic order, starting
// with another one in each cycle. When a packet has left, the next one in its queue can go to an
// output that follows in this order, so an input may send to several outputs in a cycle.
//
// With virtual output queues an input has a queue for each class and output, and sends one packet
// per cycle, or as many as its speed (keys injection_speedup, injection_speedups): a packet waits
// only for its own output, and for its input.
//
// A packet that crosses in cycle t arrives in cycle t + channel_latency − 1.
#include "runtime-sim/noc/packets.h"
#include "runtime-sim/noc/eject_tmpl.h"
#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/queue.h"
#include "runtime-sim/noc/topology.h"
#include "support/bits.h"

// Lanes are numbered by node and class.
struct noc_packets {
    uint32_t words;    // of a set of lanes
    uint64_t *wanted;  // by output: set of lanes whose oldest packet goes there
    uint32_t *turn;    // by output: first lane in round-robin order
    uint32_t *coming;  // by output and class: packets that have crossed and not arrived
    uint32_t *left[2]; // by cluster: packets that can still leave and enter in this cycle
    // Virtual output queues by lane and output; NULL: the queue of the lane. That of the lane then
    // has only their number of packets.
    struct noc_queue *voqs;
    struct noc_voq_input *input; // with these: by node
    uint32_t first;              // with these: output that was served first in the last cycle
};

// The input of a node with virtual output queues.
struct noc_voq_input {
    uint64_t cycle;      // after that of its last packet
    uint32_t sent;       // packets in the cycle of its last packet
    uint32_t speed, max; // packets per cycle: now, and as it is built
};

enum { LEAVE, ENTER };

void noc_packets_init(struct noc *noc)
{
    uint32_t nodes = noc->shape.nodes, classes = noc->shape.classes;
    struct noc_packets *p = noc->packets = ARENA_NEW(noc->arena, struct noc_packets);
    p->words = bits_words(nodes * classes);
    p->wanted = ARENA_ARRAY(noc->arena, uint64_t, (size_t)nodes * p->words);
    p->turn = ARENA_ARRAY(noc->arena, uint32_t, nodes);
    p->coming = ARENA_ARRAY(noc->arena, uint32_t, nodes * classes);
    for (int i = 0; i < 2; i++)
        p->left[i] = ARENA_ARRAY(noc->arena, uint32_t, noc->config.clusters + 1);
    if (!noc->config.packet_voqs)
        return;
    p->voqs = ARENA_ARRAY(noc->arena, struct noc_queue, (size_t)nodes * classes * nodes);
    p->input = ARENA_ARRAY(noc->arena, struct noc_voq_input, nodes);
    for (uint32_t node = 0; node < nodes; node++)
        p->input[node].speed = p->input[node].max = noc_entry_speed(&noc->config, node);
}

uint32_t noc_packets_set_speed(struct noc *noc, uint32_t node, uint32_t speed)
{
    if (!noc->packets->voqs)
        return 1;
    struct noc_voq_input *input = &noc->packets->input[node];
    input->speed = speed < 1 ? 1 : speed < input->max ? speed : input->max;
    return input->speed;
}

// Returns the queue from which packets of a lane go to an output.
static struct noc_queue *queue_to(const struct noc *noc, uint32_t lane, uint32_t out)
{
    return noc->packets->voqs ? &noc->packets->voqs[(size_t)lane * noc->shape.nodes + out]
                              : &noc->injection.lane[lane].queue;
}

uint32_t noc_packets_first(const struct noc *noc, uint32_t lane)
{
    for (uint32_t out = 0; noc->packets->voqs && out < noc->shape.nodes; out++)
        if (queue_to(noc, lane, out)->packets)
            return queue_to(noc, lane, out)->first;
    return noc->injection.lane[lane].queue.first;
}

static void wait_for(struct noc *noc, uint32_t lane, uint32_t out)
{
    bits_set(&noc->packets->wanted[(size_t)out * noc->packets->words], lane);
    bits_set(noc->injection.sending, out);
}

// Makes the oldest packet of a lane wait for its output.
static void show_oldest(struct noc *noc, uint32_t lane)
{
    const struct noc_queue *queue = &noc->injection.lane[lane].queue;
    if (queue->packets)
        wait_for(noc, lane, noc->pool.hot[queue->first].target);
}

bool noc_packets_can_send(const struct noc *noc, uint32_t node, uint32_t class)
{
    uint64_t room = noc->config.injection_queue;
    return !room || noc_lane(noc, noc->interface[node].link0, class)->queue.packets < room;
}

void noc_packets_send(struct noc *noc, const struct noc_packet *packet, uint32_t index)
{
    uint32_t number = packet->source * noc->shape.classes + packet->class;
    struct noc_lane *lane = &noc->injection.lane[number];
    struct noc_queue *queue = queue_to(noc, number, packet->target);
    noc_put(&noc->pool, queue, index);
    if (noc->packets->voqs)
        lane->queue.packets++;
    lane->flits += packet->flits;
    noc->interface[packet->source].packets++;
    noc->alloc.is_ranked |= packet->priority > 0;
    if (queue->packets == 1)
        wait_for(noc, number, packet->target);
}

void noc_packets_room(struct noc *noc, uint32_t node)
{
    const uint64_t *wanted = &noc->packets->wanted[(size_t)node * noc->packets->words];
    for (uint32_t i = 0; i < noc->packets->words; i++)
        if (wanted[i])
            bits_set(noc->injection.sending, node);
}

void noc_packets_arrived(struct noc *noc, const struct noc_packet *packet)
{
    noc->packets->coming[packet->target * noc->shape.classes + packet->class]--;
}

static bool has_room(const struct noc *noc, uint32_t out, uint32_t class)
{
    uint32_t vc = (uint32_t)__builtin_ctzll(noc->class.vcs[class]);
    uint64_t there = noc_arrivals_of(noc, out, class, vc)->queue.packets;
    there += noc->packets->coming[out * noc->shape.classes + class];
    return !noc->config.ejection_queue || there < noc->config.ejection_queue;
}

// Returns the cluster of a node; noc_config.clusters if it is in no cluster.
static uint32_t cluster_of(const struct noc *noc, uint32_t node)
{
    uint32_t cluster = node / noc->config.cluster_nodes;
    return cluster < noc->config.clusters ? cluster : noc->config.clusters;
}

// Reasons for which an output accepts no packet in this cycle.
struct obstacles {
    bool ports; // those of a cluster or an input, until the next cycle
};

// Returns true if the node's input can send one more packet in this cycle.
static bool can_leave(const struct noc *noc, uint32_t node)
{
    const struct noc_voq_input *input = &noc->packets->input[node];
    return input->cycle <= noc->now || input->sent < input->speed;
}

static bool can_cross(const struct noc *noc, uint32_t lane, uint32_t out, struct obstacles *by)
{
    const struct noc_packets *p = noc->packets;
    uint32_t class = lane % noc->shape.classes;
    if (!has_room(noc, out, class))
        return false;
    bool sends = !p->voqs || can_leave(noc, lane / noc->shape.classes);
    bool free = sends && p->left[LEAVE][cluster_of(noc, lane / noc->shape.classes)] &&
                p->left[ENTER][cluster_of(noc, out)];
    by->ports |= !free;
    return free;
}

static uint8_t rank_of(const struct noc *noc, uint32_t lane, uint32_t out)
{
    return noc->pool.hot[queue_to(noc, lane, out)->first].priority;
}

// Returns the lane from which the output accepts a packet, or NOC_NONE.
static uint32_t choose_lane(const struct noc *noc, uint32_t out, struct obstacles *by)
{
    const struct noc_packets *p = noc->packets;
    const uint64_t *wanted = &p->wanted[(size_t)out * p->words];
    uint32_t lanes = noc->shape.nodes * noc->shape.classes, best = NOC_NONE;
    for (uint32_t part = 0; part < 2; part++) {
        uint32_t from = part ? 0 : p->turn[out], until = part ? p->turn[out] : lanes;
        for (uint32_t lane; (lane = bits_next(wanted, from, until)) < until; from = lane + 1) {
            if ((best != NOC_NONE && rank_of(noc, lane, out) <= rank_of(noc, best, out)) ||
                !can_cross(noc, lane, out, by))
                continue;
            best = lane;
            if (!noc->alloc.is_ranked)
                return best;
        }
    }
    return best;
}

static void cross(struct noc *noc, uint32_t number, uint32_t out)
{
    struct noc_packets *p = noc->packets;
    struct noc_lane *lane = &noc->injection.lane[number];
    struct noc_queue *queue = queue_to(noc, number, out);
    uint32_t index = noc_queue_pop(&noc->pool, queue);
    struct noc_packet *packet = noc_packet_at(noc, index);
    lane->flits -= packet->flits;
    noc->interface[packet->source].packets--;
    if (!p->voqs || !queue->packets)
        bits_clear(&p->wanted[(size_t)out * p->words], number);
    p->turn[out] = number + 1 < noc->shape.nodes * noc->shape.classes ? number + 1 : 0;
    p->coming[out * noc->shape.classes + packet->class]++;
    p->left[LEAVE][cluster_of(noc, packet->source)]--;
    p->left[ENTER][cluster_of(noc, out)]--;
    noc_go(noc, index, noc->config.channel_latency - 1, 0);
    noc->progress.moved_at = noc->now;
    if (!p->voqs) {
        show_oldest(noc, number);
        return;
    }
    struct noc_voq_input *input = &p->input[packet->source];
    lane->queue.packets--;
    input->sent = input->cycle <= noc->now ? 1 : input->sent + 1;
    input->cycle = noc->now + 1;
}

static bool is_wanted(const struct noc_packets *p, uint32_t out)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < p->words; i++)
        any |= p->wanted[(size_t)out * p->words + i];
    return any;
}

// An output whose queues are full is served again when a packet is popped or another one comes.
static void serve_outputs(struct noc *noc, uint32_t from, uint32_t until)
{
    uint64_t *active = noc->injection.sending;
    for (uint32_t out; (out = bits_next(active, from, until)) < until; from = out + 1) {
        struct obstacles by = {false};
        uint32_t lane = choose_lane(noc, out, &by);
        if (lane != NOC_NONE)
            cross(noc, lane, out);
        if (lane != NOC_NONE ? !is_wanted(noc->packets, out) : !by.ports)
            bits_clear(active, out);
    }
}

// Returns the output that is served first. With virtual output queues it is the active one after
// that of the last cycle, so that the outputs have equal shares although others are never active.
static uint32_t first_output(struct noc *noc)
{
    struct noc_packets *p = noc->packets;
    uint32_t nodes = noc->shape.nodes;
    if (!p->voqs)
        return (uint32_t)(noc->now % nodes);
    uint32_t next = bits_next(noc->injection.sending, p->first + 1, nodes);
    p->first = next < nodes ? next : bits_next(noc->injection.sending, 0, nodes) % nodes;
    return p->first;
}

void noc_packets_tick(struct noc *noc)
{
    uint32_t first = first_output(noc);
    for (uint32_t i = 0; i < noc->config.clusters; i++)
        noc->packets->left[LEAVE][i] = noc->packets->left[ENTER][i] = noc->config.cluster_ports;
    noc->packets->left[LEAVE][noc->config.clusters] = UINT32_MAX;
    noc->packets->left[ENTER][noc->config.clusters] = UINT32_MAX;
    serve_outputs(noc, first, noc->shape.nodes);
    serve_outputs(noc, 0, first);
    noc_ideal_arrive(noc);
    noc->stats.noc_buffer_read = noc->stats.noc_crossbar;
    noc->now++;
    noc->stats.cycles++;
    noc->stats.noc_router_clock += noc->shape.routers;
}
