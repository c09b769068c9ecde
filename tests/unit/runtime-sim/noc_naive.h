// A network model that evaluates every virtual channel in every cycle, without masks, calendars or
// active sets. It is written from docs/reference/noc.md and the comment at the top of
// runtime-sim/noc/router.h.
//
// It takes the channels and their order from a network (noc_channel). A channel is an output port
// where it begins and an input port where it ends.
#pragma once
#include "tests/unit/runtime-sim/network.h"

enum { MAX_VCS = 12, MAX_PORTS = 320, MAX_LANES = 8, MAX_CLASSES = 4 };
enum { MAX_PACKETS = 1 << 17, NONE = -1 };

enum state { EMPTY, ROUTING, WAITING, ASSIGNED, ACTIVE };

struct flit {
    uint32_t packet;
    bool head, tail;
    uint64_t when; // comes to the end of the channel
};

// First in, first out.
struct line {
    struct flit *flits;
    uint32_t room, head, count;
};

struct vc {
    uint8_t priority; // of the packet in front, since its route was computed
    // Where the channel begins.
    bool taken;
    uint32_t credits, grant;
    // Where it ends.
    struct line buffer;
    enum state state;
    uint64_t since; // the packet in front is there
    bool is_entry;  // the channel comes from a node
    uint64_t until; // the stage ends
    int out_channel, out_vc;
    uint32_t accept_port, accept_vc;
};

struct channel {
    enum noc_channel_kind kind;
    uint32_t from, to;
    uint32_t local_out, local_in; // at its routers
    struct vc vc[MAX_VCS];
    struct line flight;
    uint64_t credit_time;
    uint32_t sw_grant;
    uint64_t leaves; // the last flit left the switch
    uint32_t speed;
    uint32_t accept[MAX_VCS], turn[MAX_VCS]; // of crossbar inputs
};

struct credit {
    uint32_t channel, vc;
    uint64_t when;
};

struct lane {
    uint32_t queue[MAX_PACKETS / 64], head, count;
    uint64_t flits;
    int vc;
    uint32_t sent, turn;
    uint32_t port, port_turn; // of the packet; of the node's ports to begin with
};

struct node {
    uint32_t links, turn, ports[MAX_LANES], port_count;
    uint32_t class_turn[MAX_LANES];
    struct lane *lane[MAX_LANES][MAX_CLASSES];
    // Where packets arrive.
    uint32_t eject_turn;
    uint64_t held[MAX_CLASSES]; // flits in the ejection queue, and that have their place there
};

struct router {
    uint32_t ins[MAX_PORTS], outs[MAX_PORTS], in_count, out_count;
    uint64_t batch; // the last flits began to cross
};

// A packet that requests a virtual channel.
struct asking {
    struct vc *vc;
    uint32_t number; // input virtual channel of the router
    uint8_t priority;
    bool may[MAX_VCS], proposed[MAX_VCS];
};

// Requests for the virtual channels of a channel.
struct round {
    struct model *m;
    int channel;
    struct asking *asking;
    uint32_t count;
};

// Requests for the switch of a router.
struct crossing {
    uint32_t request[MAX_PORTS][MAX_PORTS]; // input, output
    uint32_t channel[MAX_PORTS], slot[MAX_PORTS];
    uint32_t ins, outs;
    bool in_done[MAX_PORTS], out_done[MAX_PORTS];
    int proposed[MAX_PORTS]; // by output: input
};

struct model {
    struct arena *arena;
    const struct noc_config *c;
    struct noc *noc; // whose channels these are
    uint64_t now;
    uint32_t channels, routers, nodes;
    struct channel *channel;
    struct router *router;
    struct node *node;
    struct noc_packet *packet; // by payload
    uint32_t packets;
    uint64_t *arrived, *other; // cycles: here, and in the network
    uint32_t *routed;          // routers that the packet was routed at
    struct credit *credits;
    uint32_t credit_head, credit_count, credit_room;
    uint32_t vc_class[MAX_VCS];
    bool lifted; // at the router that is looked at packets from nodes have no priority
    // Of one router at a time.
    struct asking *asking, *chosen;
    struct crossing *crossing;
};

// Lines

static inline void line_init(struct arena *arena, struct line *line, uint32_t room)
{
    *line = (struct line){.flits = ARENA_ARRAY(arena, struct flit, room), .room = room};
}

static inline void line_put(struct line *line, struct flit flit)
{
    assert_true(line->count < line->room);
    line->flits[(line->head + line->count++) % line->room] = flit;
}

static inline struct flit *line_front(const struct line *line)
{
    return line->count ? &line->flits[line->head] : NULL;
}

static inline struct flit line_pop(struct line *line)
{
    struct flit flit = *line_front(line);
    line->head = (line->head + 1) % line->room;
    line->count--;
    return flit;
}

// Makes a model of the network, which must not have started. It lives as long as the network.
void model_init(struct model *model, struct network *network);
// Sends a packet, as noc_send. Payloads are numbers from 1 on.
void model_send(struct model *model, const struct noc_packet *packet);
// Evaluates a cycle, then accepts all packets that have arrived. Sets `arrived` of those that
// arrive in it to the cycle + 1.
void model_tick(struct model *model);

// Internal: functions shared by allocation and the rest.

int model_channel(const struct model *model, uint32_t router, enum noc_channel_kind kind,
                  uint32_t to);
// Sets the next channels in a mesh along x and along y; NONE: that distance is zero.
void model_mesh_ways(const struct model *model, uint32_t router, uint32_t to, int ways[2]);
// Starts the route computation of the packet at the head of an input virtual channel.
void model_begin_route(struct model *model, struct vc *vc, uint32_t router, uint64_t when);
// Returns a credit: a flit has left a buffer at the end of the channel.
void model_give_credit(struct model *model, uint32_t channel, uint32_t vc);

// Returns the next member in turn: the first from `from` on, otherwise the first; NONE without
// members.
int model_turn(const bool *is_member, uint32_t count, uint32_t from);
// Finds the virtual channels of the channel that a packet may have. Returns how much room these
// have. `escape`: of its class only the first one, all others, or, with NONE, all.
uint32_t model_room(const struct model *model, int channel, uint32_t packet, int escape,
                    bool may[MAX_VCS]);
void model_allocate_vcs(struct model *model, uint32_t router);
void model_allocate_switch(struct model *model, struct router *router);
