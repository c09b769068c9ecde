// Internals of a network.
//
// Pipeline. A head flit that a router sees from cycle t on computes its route in t (RC), is
// allocated an output virtual channel in t + 1 (VA), is allocated the switch in t + 2 (SA), crosses
// it in t + 3 (ST) and is on the channel in t + 4, so that the next router sees it from t + 5 on.
// Body flits request the switch when they arrive. An interface puts a flit on its channel in the
// cycle after its selection.
//     - The tail's SA frees both virtual channels: the one at the output can be allocated to
//       another packet in the next cycle; the next packet in the same buffer begins its RC in the
//       next cycle. One virtual channel therefore carries L flits in L + 2 cycles.
//     - SA returns the credit. A router takes credit_delay cycles from SA to return a credit, the
//       first of them at no cost, and as many to count one: it is usable channel_latency + 2 ·
//       credit_delay − 1 cycles after the flit's SA in the next router. With all delays 1, the loop
//       from SA to the next SA for the same entry takes 3 + 2 cycles for a body flit, and 2 more
//       for a head flit, because of RC and VA. An interface takes one cycle for either.
//     - A switch that takes d > 1 cycles is not pipelined: flits that are allocated while others
//       cross it wait, cross together after these, and then leave one by one.
// All decisions of a cycle depend on the state at its beginning.
//
// Data. Ports and virtual channels are numbered through the whole network: those of routers first,
// then the interfaces', so that a router's output leads to an input of either in the same way. See
// noc_index for the number of a virtual channel.
// An input virtual channel (`in`) is in one of these states:
//     empty or RC    nothing is set; an event will end RC
//     VA             its bit is set in `waiting` of its port, until allocation; an event ends VA
//     active         it has an output virtual channel (`out`); its bit is set in `ready` if it also
//                    has a flit and a credit
// Actions with a known time are events in a calendar: flits and credits on channels, the end of RC
// and VA. Only routers with a bit set in `waiting` or `ready` are evaluated.
#pragma once
#include "runtime-sim/noc/noc.h"

#define NOC_NONE UINT32_MAX
// A cycle touches most of a network's state once, so its cost is the number of cache lines of the
// host.
#define NOC_LINE __attribute__((aligned(64)))
enum { NOC_PIECE = 1024 };
// Number of events by which prefetching is ahead.
enum { NOC_PREFETCH = 6 };

// A flit: the index of its packet in the pool, shifted, and flags for its position in the packet.
enum { FLIT_TAIL = 1, FLIT_HEAD = 2, FLIT_SHIFT = 2 };

struct noc_in {
    uint32_t out;         // output virtual channel of its packet, or NOC_NONE
    uint32_t from;        // the output virtual channel that feeds it
    uint32_t row;         // output port of its packet
    uint32_t since;       // cycle in which its packet reached the front (low bits)
    uint32_t router;      // router or, for an interface, node
    uint16_t head, count; // ring of flits; the head is not reduced modulo the size of the ring
    uint16_t port;        // local number of `row`
    uint16_t accept;      // VC allocator's pointer over the router's output virtual channels
    uint8_t local;        // number within the router, if rows are used
    bool is_entry;        // fed by an interface
    uint8_t priority;     // priority of its packet at this router; the head may have lost levels
                          // further on
    uint32_t flit[];      // the ring; with 8 flits the struct is one cache line of the host
};

struct noc_out {
    uint32_t owner; // input virtual channel or, at an interface, lane; or NOC_NONE
    uint16_t grant; // VC allocator's pointer over the router's input virtual channels
};

// State of a packet that most evaluations access.
struct noc_hot {
    uint32_t target;
    uint16_t flits, routers;
    uint8_t class, priority;
};

struct noc_in_port {
    // Virtual channels in VA, unless `has_vc_rows`; virtual channels that can request the switch,
    // unless `has_switch_rows`. At an interface, `ready` has the virtual channels with flits.
    uint64_t waiting, ready;
    uint32_t router; // router or, at an interface, node
    uint32_t from;   // output port that feeds it
    uint16_t local;  // number within the router
    uint16_t x;      // first crossbar input, numbered within the router
    uint8_t speed;   // number of crossbar inputs
};

struct noc_out_port {
    uint64_t free; // virtual channels without a packet
    uint64_t open; // at an interface: virtual channels with credits
    // With `has_vc_rows`: the router's input virtual channels, by local number, that are in VA for
    // this port.
    uint64_t waiting;
    // With `has_switch_rows`: the router's input virtual channels that can request the switch for
    // this port.
    uint64_t ready;
    // Virtual channels that other classes may borrow, but that hold a packet of their own class, or
    // that such a packet left with credits still in flight.
    uint64_t own;
    uint64_t flits; // flits carried so far
    uint32_t to;    // input port
    uint32_t from;  // router or, at an interface, node
    uint16_t grant; // switch allocator's pointer over crossbar inputs
    bool is_exit;   // leads to an interface
} NOC_LINE;

// An input of a crossbar.
struct noc_x {
    uint64_t vcs;  // its virtual channels
    uint16_t port; // local number of its input port
};

struct noc_turn {
    uint16_t accept; // switch allocator's pointer over outputs
    uint16_t vc;     // first virtual channel in round-robin order
};

struct noc_router {
    uint32_t in0, ins;                // input ports
    uint32_t out0, outs;              // output ports
    uint32_t x0, xs;                  // crossbar inputs
    uint32_t x, y;                    // position in the mesh; x is also the stage of a butterfly
    uint64_t waiting_outs;            // output ports with `waiting`
    uint64_t ready_outs;              // those with `ready`
    uint64_t buffer_sum;              // sum of the cycles in which flits left minus the sum of
                                      // those in which they arrived
    uint32_t buffer_now, buffer_most; // flits in its buffers
} NOC_LINE;

struct noc_flit_event {
    uint32_t in, flit;
};

// The end of VA.
struct noc_assign_event {
    uint32_t in, out;
};

// The events of a cycle: lists, each with a pointer to its end.
struct noc_bucket {
    struct noc_flit_event *flits[2], *flits_end[2]; // to routers, to interfaces
    uint32_t *credits, *credits_end;                // output virtual channels
    uint32_t *routes, *routes_end;                  // input virtual channels whose RC ends
    struct noc_assign_event *assigns, *assigns_end;
};

// The slots to which the current cycle can post events, by delay.
struct noc_ahead {
    struct noc_bucket *flight, *entry, *exit_credit, *route, *next_route, *assign;
    struct noc_bucket *credit[2]; // between routers, and from a router to an interface
};

// Events by cycle: slot `cycle & mask`.
struct noc_calendar {
    uint32_t mask;
    struct noc_bucket *bucket;
    struct noc_ahead ahead;
};

// A queue of packets, linked through the pool.
struct noc_queue {
    uint32_t first, last, packets;
};

// Packets of one class on a link.
struct noc_lane {
    struct noc_queue queue;
    uint64_t flits; // in the queue
    uint32_t out;   // output virtual channel of the first packet, or NOC_NONE
    uint16_t sent;  // flits of the first packet that were sent
    uint16_t turn;  // first virtual channel in round-robin order
    uint16_t port;  // first port of the link in round-robin order
};

struct noc_link {
    uint32_t node;
    uint32_t port, ports; // output ports to the router; several if they share the link
    uint64_t vcs;         // virtual channels that it feeds
    uint32_t turn;        // first class in round-robin order
    uint32_t lanes;       // mask of lanes with packets
    uint64_t room;        // capacity of each queue, in flits; 0: unbounded
};

struct noc_interface {
    uint32_t link0, links;
    uint32_t out0, ports; // output ports to the router
    uint32_t in, ins;     // input ports: one, or with an overlay one per router
    uint64_t busy_until;  // cycle until which the link from the node to the queues is busy
    uint32_t packets;     // packets in the injection queues
    uint32_t link_turn;   // first link in round-robin order
    uint32_t turn;        // first virtual channel in round-robin order when waiting flits are
                          // accepted
    uint64_t queue_sum, flits_entered, flits_arrived, packets_sent;
    uint64_t queue_flits, queue_most; // now, and maximum
};

// Packets of a class that have arrived at an interface.
struct noc_arrivals {
    struct noc_queue queue;
    uint64_t flits; // in the queue, and reserved for packets that are entering it
};

// The request of a packet for a virtual channel.
struct noc_vc_request {
    uint32_t in, next;            // local number; next request for the same port
    uint64_t available, proposed; // virtual channels
    uint8_t rank;
};

// Working memory of the allocators, for one router at a time.
struct noc_scratch {
    struct noc_vc_request *request;
    uint32_t *first, *last;          // requests of each output port
    uint64_t *requests, *grants;     // of the switch: by output the requesting inputs, by input the
                                     // granted outputs
    uint64_t *outs, *ins;            // rows with any bit
    uint64_t *proposed;              // virtual channels granted, by input virtual channel
    uint32_t *winners, *winners_end; // winners of the switch allocation, if `has_switch_rows`: see
                                     // noc_win
    uint64_t *ins_done, *outs_done;
    uint8_t *rank;   // highest priority of an output's requests
    bool is_lifted;  // packets from nodes have no priority at this router now, see priority_lift
    uint32_t *order; // random order in which routers or links are evaluated
};

typedef void noc_step(struct noc *noc);

// Numbers of a network's components, and what follows from them.
struct noc_shape {
    uint32_t vcs, classes, buffer;
    uint32_t shift;    // log2 of the numbers per port, see noc_index
    uint32_t ring;     // mask: flits in the ring of an input virtual channel minus 1
    uint32_t in_shift; // shift from an input virtual channel's number to its offset in `vc.in`
    uint32_t nodes, routers;
    uint32_t router_outs, outs; // output ports of routers, and in total
    uint32_t router_ins, ins;
    uint32_t words;                    // words of a mask of a router's ports
    uint32_t router_words, node_words; // words of masks of all routers and nodes
};

// Delays of pipelines, channels and credits, in cycles.
struct noc_delays {
    uint32_t flight; // from SA until the next router sees the flit
    uint32_t entry;  // from an interface to its router
    // From SA, or from arrival at an interface, until the credit can be used: between routers, and
    // with an interface at one end.
    uint32_t credit, entry_credit, exit_credit;
    uint32_t routing, vc_alloc;
};

// The way in which virtual channels and the switch are allocated.
struct noc_allocation {
    bool is_ranked;       // a packet has had a priority, or may get one by waiting
    bool has_vc_rows;     // virtual channels are allocated by rows, see noc_out_port
    bool has_switch_rows; // the switch is allocated by masks of a router's virtual channels
    enum noc_vc_reuse reuse;
};

// State of virtual channels.
struct noc_vcs {
    uint8_t *in;         // by input virtual channel, see noc_in
    struct noc_out *out; // by output virtual channel
    uint16_t *credits;   // by output virtual channel
};

// Ports of routers and interfaces.
struct noc_ports {
    struct noc_in_port *in;
    struct noc_out_port *out;
};

// Crossbars of all routers.
struct noc_crossbars {
    struct noc_x *in;
    struct noc_turn *turn; // by input
    // For switches that take several cycles: by router, the cycle in which the last batch of flits
    // began to cross; by output port, the cycle in which the last flit leaves.
    uint64_t *batch, *out_leaves;
};

// Sets of ports and routers with input virtual channels in VA (`waiting`), or that can request the
// switch (`ready`).
struct noc_requests {
    uint64_t *waiting_ports, *ready_ports; // by router and word
    uint64_t *waiting_routers, *ready_routers;
    // Routers that may be able to serve a waiting packet with a free virtual channel, if
    // `has_vc_rows`.
    uint64_t *serving_routers;
    uint64_t waiting; // number of input virtual channels in VA
};

// Assignment of virtual channels to classes.
struct noc_vc_classes {
    uint64_t *vcs;        // mask of a class's virtual channels
    uint64_t *borrows;    // mask of the virtual channels of other classes that a class may borrow
    uint64_t lent_vcs;    // union of `borrows`
    uint64_t lent_locals; // input virtual channels of a router that are in `lent_vcs`, if
                          // `has_vc_rows`
    uint64_t *locals;     // by class: input virtual channels of a router, if `has_vc_rows`
    uint8_t *of_vc;
};

// Tables for route computation.
struct noc_routes {
    uint32_t *node_exit; // by node: router at which packets to it leave
    uint16_t *node_port; // by node: local output port to it
    uint16_t *mesh_port; // by router and direction
    uint8_t *table;      // by router and target; NULL for large networks
    bool is_adaptive;
};

// The pool of packets. Packets do not move when it grows.
struct noc_pool {
    struct noc_packet **packets; // in pieces of NOC_PIECE
    struct noc_hot *hot;
    uint32_t *next;
    uint32_t size, unused;
    VEC(uint32_t) due; // of an ideal network: heap of packets in flight
};

// Queues of interfaces for packets that enter the network.
struct noc_injection {
    struct noc_link *link;
    struct noc_lane *lane; // by link and class
    uint32_t links;
    uint64_t *sending; // mask of nodes that have packets to send; with packet_wide, of those to
                       // which a packet may be able to cross
};

// Queues of interfaces for packets that have arrived.
struct noc_ejection {
    struct noc_arrivals *arrivals; // by node and class, or by node and virtual channel
    uint32_t queues;               // per node
    uint8_t *turn;                 // by node and class: first virtual channel in round-robin order
    uint64_t *arrived;             // by class: mask of nodes
    uint64_t *holding;             // mask of nodes with flits that may find room in a queue
};

// Numbers of packets in flight, and the cycle of the last movement.
struct noc_progress {
    uint64_t moving;    // packets that have not arrived
    uint64_t in_flight; // packets that have not been popped
    uint64_t moved_at;
};

// Observers of the network's traffic.
struct noc_observers {
    struct noc_use *use; // for statistics; NULL: disabled
    noc_trace *trace;    // NULL: no trace
    void *context;       // of `trace`
};

struct noc {
    struct noc_config config;
    struct arena *arena;
    uint64_t now;
    struct noc_shape shape;
    struct noc_delays delay;
    struct noc_allocation alloc;
    noc_step *tick; // evaluates a cycle; the variant for this network
    struct noc_router *router;
    struct noc_vcs vc;
    struct noc_ports port;
    struct noc_crossbars crossbar;
    struct noc_requests requests;
    struct noc_vc_classes class;
    struct noc_routes routing;
    struct noc_calendar calendar;
    struct noc_scratch scratch;
    struct noc_pool pool;
    struct noc_interface *interface; // by node
    struct noc_injection injection;
    struct noc_ejection ejection;
    struct noc_packets *packets; // with packet_wide; else NULL
    struct noc_progress progress;
    uint64_t shuffle; // random state of the order of evaluation; 0: off
    struct noc_observers observer;
    struct noc_stats stats;
    struct noc_class_stats *class_stats;
};

// Returns a packet of the pool.
static inline struct noc_packet *noc_packet_at(const struct noc *noc, uint32_t packet)
{
    return &noc->pool.packets[packet / NOC_PIECE][packet % NOC_PIECE];
}

// Returns the lane of a class on a link.
static inline struct noc_lane *noc_lane(const struct noc *noc, uint32_t link, uint32_t class)
{
    return &noc->injection.lane[link * noc->shape.classes + class];
}
