// Reports which packets wait for which.
#include "runtime-sim/noc/packets.h"
#include "runtime-sim/noc/masks.h"
#include "runtime-sim/noc/state_tmpl.h"
#include "support/bits.h"
#include <inttypes.h>

enum wait_kind { WAIT_NONE, WAIT_CHANNEL, WAIT_ROOM, WAIT_NODE };

// A blocked packet.
struct wait {
    enum wait_kind kind;
    uint32_t at;      // input virtual channel of the packet, or its lane if it has not entered
    uint32_t port;    // output port that it waits for
    uint32_t vc;      // for WAIT_ROOM, the virtual channel of that port
    uint32_t blocker; // packet that holds it, or NOC_NONE
    bool is_outside;  // the packet has not entered the network
};

struct report {
    const struct noc *noc;
    FILE *to;
    struct wait *waits; // by packet
};

// Returns the packet that holds an output virtual channel. If the buffer of that packet is empty,
// its next flit is further upstream: the virtual channel that leads to the buffer is still
// allocated to it.
static uint32_t holder(const struct noc *noc, uint32_t out)
{
    for (uint32_t i = 0; i <= noc->shape.routers; i++) {
        uint32_t owner = noc->vc.out[out].owner;
        if (owner == NOC_NONE)
            return NOC_NONE;
        if (out >= noc->shape.router_outs << noc->shape.shift)
            return noc->injection.lane[owner].queue.first;
        if (noc_in(noc, owner)->count)
            return noc_front(noc, owner) >> FLIT_SHIFT;
        out = noc_index(noc, noc->port.in[noc_port(noc, owner)].from, noc_vc(noc, owner));
    }
    return NOC_NONE;
}

// Returns the packet at the front of the buffer that an output virtual channel feeds.
static uint32_t front_of_next(const struct noc *noc, uint32_t out)
{
    uint32_t in = noc_index(noc, noc->port.out[noc_port(noc, out)].to, noc_vc(noc, out));
    return noc_in(noc, in)->count ? noc_front(noc, in) >> FLIT_SHIFT : NOC_NONE;
}

static void note_room(struct report *r, uint32_t packet, struct wait wait, uint32_t out)
{
    wait.kind = WAIT_ROOM;
    wait.port = noc_port(r->noc, out);
    wait.vc = noc_vc(r->noc, out);
    wait.blocker = front_of_next(r->noc, out);
    if (wait.blocker != packet)
        r->waits[packet] = wait;
}

// Records a packet that waits for any of these virtual channels of its class at a port: as waiting
// for the first allocated one, or else for room in the first one.
static void note_channel(struct report *r, uint32_t packet, struct wait wait, uint32_t port,
                         uint64_t vcs)
{
    const struct noc *noc = r->noc;
    vcs &= noc_vcs_for(noc, port, noc->pool.hot[packet].class);
    uint64_t taken = vcs & ~noc->port.out[port].free;
    wait.kind = WAIT_CHANNEL;
    wait.port = port;
    wait.blocker = NOC_NONE;
    if (taken)
        wait.blocker = holder(noc, noc_index(noc, port, (uint32_t)__builtin_ctzll(taken)));
    if (taken || noc->alloc.reuse != NOC_REUSE_TAIL)
        r->waits[packet] = wait;
    else
        note_room(r, packet, wait, noc_index(noc, port, (uint32_t)__builtin_ctzll(vcs)));
}

static void note_in(struct report *r, uint32_t index)
{
    const struct noc *noc = r->noc;
    const struct noc_in *in = noc_in(noc, index);
    uint32_t port = noc_port(noc, index), packet = noc_front(noc, index) >> FLIT_SHIFT;
    struct wait wait = {.at = index};
    if (port >= noc->shape.router_ins) {
        wait.kind = WAIT_NODE;
        wait.blocker = NOC_NONE;
        r->waits[packet] = wait;
    } else if (noc_is_waiting(noc, index)) {
        note_channel(r, packet, wait, in->row, ~UINT64_C(0));
    } else if (in->out != NOC_NONE && !noc->vc.credits[in->out]) {
        note_room(r, packet, wait, in->out);
    }
}

static void note_lane(struct report *r, uint32_t index)
{
    const struct noc *noc = r->noc;
    const struct noc_lane *lane = &noc->injection.lane[index];
    const struct noc_link *link = &noc->injection.link[index / noc->shape.classes];
    uint32_t port = link->port + lane->port;
    uint32_t packet = noc->packets ? noc_packets_first(noc, index) : lane->queue.first;
    struct wait wait = {.at = index, .is_outside = true};
    if (noc->packets) {
        wait.kind = WAIT_NODE;
        wait.blocker = NOC_NONE;
        r->waits[packet] = wait;
    } else if (lane->out == NOC_NONE)
        note_channel(r, packet, wait, port, link->vcs);
    else if (!noc->vc.credits[lane->out])
        note_room(r, packet, wait, lane->out);
}

// Text

static void print_packet(const struct report *r, uint32_t index)
{
    const struct noc_packet *packet = noc_packet_at(r->noc, index);
    fprintf(r->to, "%" PRIu32 " -> %" PRIu32 " of cycle %" PRIu64 " (class %u, %u flits)",
            packet->source, packet->target, packet->created, packet->class, packet->flits);
}

static void print_location(const struct report *r, const struct wait *wait)
{
    const struct noc *noc = r->noc;
    if (wait->is_outside) {
        fprintf(r->to, "at node %" PRIu32, noc->injection.link[wait->at / noc->shape.classes].node);
        return;
    }
    uint32_t port = noc_port(noc, wait->at), from = noc->port.in[port].from;
    fprintf(r->to, "at %s %" PRIu32 " (from %s %" PRIu32 ", virtual channel %" PRIu32 ")",
            port < noc->shape.router_ins ? "router" : "node", noc->port.in[port].router,
            from < noc->shape.router_outs ? "router" : "node", noc->port.out[from].from,
            noc_vc(noc, wait->at));
}

static void print_reason(const struct report *r, const struct wait *wait)
{
    const struct noc *noc = r->noc;
    if (wait->kind == WAIT_NODE) {
        fputs("waits for the node to accept arrived packets", r->to);
        return;
    }
    uint32_t to = noc->port.out[wait->port].to;
    const char *what = to < noc->shape.router_ins ? "router" : "node";
    if (wait->kind == WAIT_CHANNEL)
        fprintf(r->to, "waits for a virtual channel to %s %" PRIu32, what, noc->port.in[to].router);
    else
        fprintf(r->to, "waits for room in virtual channel %" PRIu32 " to %s %" PRIu32, wait->vc,
                what, noc->port.in[to].router);
    if (wait->blocker == NOC_NONE)
        return;
    fputs(wait->kind == WAIT_CHANNEL ? ", held by " : ", which is occupied by ", r->to);
    print_packet(r, wait->blocker);
}

static void print_wait(const struct report *r, uint32_t packet)
{
    fputs("  ", r->to);
    print_packet(r, packet);
    fputc(' ', r->to);
    print_location(r, &r->waits[packet]);
    fputs(": ", r->to);
    print_reason(r, &r->waits[packet]);
    fputc('\n', r->to);
}

void noc_report(const struct noc *noc, FILE *to, uint32_t max)
{
    struct arena arena;
    arena_init(&arena, noc->arena->memory);
    struct report r = {noc, to, ARENA_ARRAY(&arena, struct wait, noc->pool.size + 1)};
    for (uint32_t i = 0; i < noc->injection.links * noc->shape.classes; i++)
        if (noc->injection.lane[i].queue.packets)
            note_lane(&r, i);
    for (uint32_t i = 0; i < noc->shape.ins << noc->shape.shift; i++)
        if (noc_in(noc, i)->count)
            note_in(&r, i);
    fprintf(to,
            "cycle %" PRIu64 ": %" PRIu64
            " packets have not arrived; the last flit moved in cycle %" PRIu64 "\n",
            noc->now, noc->progress.moving, noc->progress.moved_at);
    uint32_t shown = 0, waiting = 0;
    for (uint32_t i = 0; i < noc->pool.size; i++) {
        waiting += r.waits[i].kind != WAIT_NONE;
        if (r.waits[i].kind != WAIT_NONE && shown < max) {
            print_wait(&r, i);
            shown++;
        }
    }
    if (waiting > shown)
        fprintf(to, "  and %" PRIu32 " more\n", waiting - shown);
    arena_free(&arena);
}
