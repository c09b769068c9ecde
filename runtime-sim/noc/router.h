// Internals of a network.
//
// Pipeline. A head flit that a router sees from cycle t on computes its route in t (RC), is
// allocated a virtual channel of the output in t + 1 (VA), the switch in t + 2 (SA), crosses it in
// t + 3 (ST) and is on the channel in t + 4, so that the next router sees it from t + 5 on. Body
// flits request the switch when they arrive. An interface puts a flit on its channel in the cycle
// after its selection.
//     - The tail's SA frees both virtual channels: the one at the output can be allocated to
//       another packet in the next cycle; the next packet in the same buffer begins its RC in the
//       next cycle. One virtual channel therefore carries L flits in L + 2 cycles.
//     - SA returns the credit. A router takes credit_delay cycles from SA to return a credit, the
//       first of them at no cost, and as many to count one: it is usable channel_latency + 2 ·
//       credit_delay − 1 cycles after the flit's SA in the next router. With all delays 1, the loop
//       from SA to the next SA for the same place takes 3 + 2 cycles for a body flit, and 2 more
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
// A cycle touches most of a network's state once: its cost is the number of lines of the host's
// cache.
#define NOC_LINE __attribute__((aligned(64)))
enum { NOC_PIECE = 1024 };
// Events ahead of the present one whose line the host fetches.
enum { NOC_PREFETCH = 6 };

// A flit: its packet's place in the pool, shifted, and its position in the packet.
enum { FLIT_TAIL = 1, FLIT_HEAD = 2, FLIT_SHIFT = 2 };

struct noc_in {
    uint32_t out;         // output virtual channel of its packet, or NOC_NONE
    uint32_t from;        // the output virtual channel that feeds it
    uint32_t row;         // output port of its packet
    uint32_t since;       // cycle since which its packet is in front (low bits)
    uint32_t router;      // router or, for an interface, node
    uint16_t head, count; // of its ring of flits; the head is not reduced modulo the ring
    uint16_t port;        // the local number of `row`
    uint16_t accept;      // VC allocator's pointer, over the router's output virtual channels
    uint8_t local;        // number in its router, if there are rows
    bool is_entry;        // fed by an interface
    uint8_t priority;     // of its packet at this router; its head may have lost levels behind it
    uint32_t flit[];      // the ring: with 8 places all are one line of the host's cache
};

struct noc_out {
    uint32_t owner; // input virtual channel or, for an interface, lane; or NOC_NONE
    uint16_t grant; // VC allocator's pointer, over the router's input virtual channels
};

// State that most evaluations access.
struct noc_hot {
    uint32_t target;
    uint16_t flits, routers;
    uint8_t class, priority;
};

struct noc_in_port {
    // Virtual channels: in VA, unless `has_vc_rows`, and those that can request the switch, unless
    // `has_switch_rows`. For an interface `ready` has those with flits.
    uint64_t waiting, ready;
    uint32_t router; // router or, for an interface, node
    uint32_t from;   // output port that feeds it
    uint16_t local;  // number in its router
    uint16_t x;      // first crossbar input in the router
    uint8_t speed;   // crossbar inputs
};

struct noc_out_port {
    uint64_t free; // virtual channels without a packet
    uint64_t open; // for an interface: those with credits
    // The input virtual channels of its router, by local number, that are in VA for this port, if
    // `has_vc_rows`.
    uint64_t waiting;
    // Those of them that can request the switch for this port, if `has_switch_rows`.
    uint64_t ready;
    // Virtual channels that other classes may borrow, but with a packet of their own class, or
    // with places that it has left and whose credits are in flight.
    uint64_t own;
    uint64_t flits; // flits that it has carried
    uint32_t to;    // input port
    uint32_t from;  // router or, for an interface, node
    uint16_t grant; // switch allocator's pointer, over crossbar inputs
    bool is_exit;   // leads to an interface
} NOC_LINE;

// An input of a crossbar.
struct noc_x {
    uint64_t vcs;  // its virtual channels
    uint16_t port; // local number of its input port
};

struct noc_turn {
    uint16_t accept; // switch allocator's pointer, over outputs
    uint16_t vc;     // first virtual channel in round-robin order
};

struct noc_router {
    uint32_t in0, ins;                // its input ports
    uint32_t out0, outs;              // its output ports
    uint32_t x0, xs;                  // its crossbar's inputs
    uint32_t x, y;                    // place in the mesh; x: stage of the butterfly
    uint64_t waiting_outs;            // output ports with `waiting`
    uint64_t ready_outs;              // those with `ready`
    uint64_t buffer_sum;              // cycles of the flits that left minus those of the flits that
                                      // arrived
    uint32_t buffer_now, buffer_most; // flits in its buffers
} NOC_LINE;

struct noc_flit_event {
    uint32_t in, flit;
};

// The end of VA.
struct noc_assign_event {
    uint32_t in, out;
};

// The events of a cycle: lists, each with a pointer to the place of the next event.
struct noc_slot {
    struct noc_flit_event *flits[2], *flits_end[2]; // to routers, to interfaces
    uint32_t *credits, *credits_end;                // output virtual channels
    uint32_t *routes, *routes_end;                  // input virtual channels whose RC ends
    struct noc_assign_event *assigns, *assigns_end;
};

// Slots for the events that this cycle can post, by their delay.
struct noc_ahead {
    struct noc_slot *flight, *entry, *exit_credit, *route, *next_route, *assign;
    struct noc_slot *credit[2]; // between routers, and from a router to an interface
};

// Events by cycle: slot `cycle & mask`.
struct noc_calendar {
    uint32_t mask;
    struct noc_slot *slot;
    struct noc_ahead ahead;
};

// A queue of packets, linked through the pool.
struct noc_queue {
    uint32_t first, last, packets;
};

// A link from an interface to a port of its router, for one class.
struct noc_lane {
    struct noc_queue queue;
    uint64_t flits; // in the queue
    uint32_t out;   // virtual channel of the first packet, or NOC_NONE
    uint16_t sent;  // flits of that packet that were sent
    uint16_t turn;  // first virtual channel in round-robin order
    uint16_t port;  // first port of the link in round-robin order
};

struct noc_link {
    uint32_t node;
    uint32_t port, ports; // output ports to the router; several only if they share the link
    uint64_t vcs;         // virtual channels that it feeds
    uint32_t turn;        // first class in round-robin order
    uint32_t lanes;       // mask of those with packets
    uint64_t room;        // capacity of each queue, in flits; 0: unbounded
};

struct noc_interface {
    uint32_t link0, links;
    uint32_t out0, ports; // output ports to the router
    uint32_t in, ins;     // input ports from routers: one, or with an overlay one from each
    uint64_t busy_until;  // the link from the node to the queues
    uint32_t packets;     // in its injection queues
    uint32_t link_turn;   // first link in round-robin order
    uint32_t turn;        // first virtual channel in round-robin order when waiting flits are taken
    uint64_t queue_sum, flits_entered, flits_arrived, packets_sent;
    uint64_t queue_flits, queue_most; // now, and at most
};

// Packets of a class that have arrived at an interface.
struct noc_arrivals {
    struct noc_queue queue;
    uint64_t flits; // in the queue, and reserved by packets that enter it
};

// The request of a packet for a virtual channel.
struct noc_vc_request {
    uint32_t in, next;            // local number; request of the same port
    uint64_t available, proposed; // virtual channels
    uint8_t rank;
};

// Working memory of the allocators, for one router at a time.
struct noc_scratch {
    struct noc_vc_request *request;
    uint32_t *first, *last;          // requests of each output port
    uint64_t *requests, *grants;     // of the switch: inputs by output, outputs by input
    uint64_t *outs, *ins;            // those with any bit
    uint64_t *proposed;              // virtual channels, by input virtual channel
    uint32_t *winners, *winners_end; // of the switches, if `has_switch_rows`: see noc_win
    uint64_t *ins_done, *outs_done;
    uint8_t *rank;   // highest priority of an output's requests
    bool is_lifted;  // packets from nodes have no priority at this router now, see priority_lift
    uint32_t *order; // order in which routers or links are evaluated
};

typedef void noc_step(struct noc *noc);

struct noc {
    struct noc_config config;
    struct arena *arena;
    uint64_t now;
    uint32_t vcs, classes, buffer;
    uint32_t shift;    // of a port in the number of a virtual channel
    uint32_t ring;     // places for flits of an input virtual channel minus 1, a mask
    uint32_t in_shift; // shift from an input virtual channel's number to its place in `in`
    uint32_t nodes, routers;
    uint32_t router_outs, outs; // output ports: of routers, of all
    uint32_t router_ins, ins;
    uint32_t words;                    // words of a mask of a router's ports
    uint32_t router_words, node_words; // words of masks of all routers and nodes
    uint32_t flight;                   // cycles from SA to the next router
    uint32_t entry;                    // cycles from an interface to its router
    // Cycles from SA, or from arrival at an interface, to the credit's use: between routers, and
    // with an interface at one end.
    uint32_t credit_time, entry_credit_time, exit_credit_time;
    uint32_t routing_delay, vc_alloc_delay;
    bool is_ranked; // a packet has had a priority, or may get one by waiting
    bool is_adaptive;
    bool has_vc_rows;     // virtual channels are allocated by rows, see noc_out_port
    bool has_switch_rows; // the switch is allocated by masks of a router's virtual channels
    noc_step *tick;       // evaluates a cycle: the variant for this network
    enum noc_vc_reuse reuse;

    struct noc_router *router;
    uint8_t *in;         // by input virtual channel, see noc_in
    struct noc_out *out; // by output virtual channel
    uint16_t *credits;   // the same
    struct noc_in_port *in_port;
    struct noc_out_port *out_port;
    struct noc_x *x;
    struct noc_turn *turn;                     // by crossbar input
    uint64_t *waiting_ports, *ready_ports;     // by router and word
    uint64_t *waiting_routers, *ready_routers; // masks
    // Mask of routers with a free virtual channel that a packet may wait for, if `has_vc_rows`.
    uint64_t *serving_routers;
    uint64_t *class_vcs;     // masks
    uint64_t *class_borrows; // masks of other classes' virtual channels
    uint64_t lent_vcs;       // all of these
    uint64_t lent_locals;    // the same as input virtual channels at a router, if `has_vc_rows`
    uint64_t *class_locals;  // input virtual channels of a class at a router, if `has_vc_rows`
    uint8_t *vc_class;
    uint32_t *node_exit; // routers at which packets leave to a node
    uint16_t *node_port; // local output port to the node
    uint16_t *mesh_port; // by router and direction
    uint8_t *routes;     // by router and target, of small networks, or NULL

    struct noc_calendar calendar;
    struct noc_scratch scratch;

    // The pool of packets. Packets in use do not move when it grows.
    struct noc_packet **packets; // in pieces of NOC_PIECE
    struct noc_hot *hot;
    uint32_t *next;
    uint32_t pool, unused;

    struct noc_interface *interface;
    struct noc_link *link;
    struct noc_lane *lane; // by link and class
    uint32_t links;
    uint64_t *sending;             // mask of nodes that have packets to send
    struct noc_arrivals *arrivals; // by node and class, or by node and virtual channel
    uint32_t arrival_queues;       // queues per node
    uint8_t *take_turn;            // by node and class: first virtual channel in round-robin order
    uint64_t *arrived;             // by class: mask of nodes
    uint64_t *holding;             // mask of nodes with flits that may find room in a queue

    VEC(uint32_t) due;  // of an ideal network: packets in flight, as a heap
    uint64_t waiting;   // input virtual channels in VA
    uint64_t moving;    // packets that have not arrived
    uint64_t in_flight; // packets that have not been popped
    uint64_t moved_at;
    uint64_t shuffle;
    // For switches that take more than one cycle: when the last flits began to cross, by router,
    // and when the last flit leaves, by output port.
    uint64_t *switch_batch, *out_leaves;
    struct noc_use *use; // for statistics; NULL: disabled
    noc_trace *trace;    // NULL: no trace
    void *trace_context;
    struct noc_stats stats;
    struct noc_class_stats *class_stats;
};

// Shape of a network. A source file for networks of one shape, see tick.h, defines constants.
#ifndef NOC_SHAPED
#define NOC_SHIFT(noc) ((noc)->shift)
#define NOC_IN_SHIFT(noc) ((noc)->in_shift)
#define NOC_RING(noc) ((noc)->ring)
#define NOC_IS_PLAIN(noc) false
#endif

// The numbers per port are a power of two, so that no division is needed.
static inline uint32_t noc_index(const struct noc *noc, uint32_t port, uint32_t vc)
{
    (void)noc;
    return (port << NOC_SHIFT(noc)) + vc;
}

static inline uint32_t noc_port(const struct noc *noc, uint32_t index)
{
    (void)noc;
    return index >> NOC_SHIFT(noc);
}

static inline uint32_t noc_vc(const struct noc *noc, uint32_t index)
{
    (void)noc;
    return index & ((1u << NOC_SHIFT(noc)) - 1);
}

static inline struct noc_in *noc_in(const struct noc *noc, uint32_t index)
{
    return (struct noc_in *)(noc->in + ((size_t)index << NOC_IN_SHIFT(noc)));
}

// Returns the place of a ring of flits.
static inline uint32_t *noc_place(const struct noc *noc, uint32_t in, uint32_t at)
{
    return &noc_in(noc, in)->flit[at & NOC_RING(noc)];
}

static inline bool noc_has_vc_rows(const struct noc *noc)
{
    return NOC_IS_PLAIN(noc) || noc->has_vc_rows;
}

static inline bool noc_has_switch_rows(const struct noc *noc)
{
    return NOC_IS_PLAIN(noc) || noc->has_switch_rows;
}

static inline struct noc_packet *noc_packet_at(const struct noc *noc, uint32_t packet)
{
    return &noc->packets[packet / NOC_PIECE][packet % NOC_PIECE];
}

// Returns the input virtual channel that an output virtual channel feeds.
static inline uint32_t noc_fed(const struct noc *noc, uint32_t out)
{
    return noc_index(noc, noc->out_port[noc_port(noc, out)].to, noc_vc(noc, out));
}
