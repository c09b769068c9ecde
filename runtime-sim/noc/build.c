// Builds a network from its configuration.
#include "runtime-sim/noc/packets.h"
#include "runtime-sim/noc/shapes.h"
#include "runtime-sim/noc/state_tmpl.h"
#include "runtime-sim/noc/topology.h"
#include "support/bits.h"

// Checks

static const char *check_list(struct arena *arena, const char *name, const struct config_list *list,
                              uint32_t below, const char *what)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] >= below)
            return arena_printf(arena, "'%s' contains %u, but there are %u %s", name, list->v[i],
                                below, what);
    return NULL;
}

// Returns the virtual channels of a class.
static uint32_t vcs_of(const struct noc_config *config, uint32_t class)
{
    if (config->class_vcs.n)
        return config->class_vcs.v[class];
    return config->vcs / config->classes + (class < config->vcs % config->classes);
}

static const char *check_classes(struct arena *arena, const struct noc_config *config)
{
    uint32_t sum = 0, min = config->routing == NOC_ADAPTIVE ? 2 : 1;
    bool is_adaptive = config->routing == NOC_ADAPTIVE && config->topology == NOC_MESH;
    if (config->class_vcs.n && config->class_vcs.n != config->classes)
        return arena_printf(arena, "'class_vcs' has %u elements, but there are %u classes",
                            config->class_vcs.n, config->classes);
    for (uint32_t i = 0; i < config->classes; i++) {
        sum += vcs_of(config, i);
        if (vcs_of(config, i) < (is_adaptive ? min : 1))
            return arena_printf(
                arena, "class %u has %u virtual channels, but needs %s", i, vcs_of(config, i),
                is_adaptive ? "two with adaptive routing: one is the escape" : "one");
    }
    if (sum != config->vcs)
        return arena_printf(arena, "'class_vcs' has %u virtual channels, but a port has %u", sum,
                            config->vcs);
    return NULL;
}

static uint32_t lender_of(const struct noc_config *config, uint32_t class)
{
    return config->class_borrows.n ? config->class_borrows.v[class] : class;
}

// Borrowing must not have cycles, so that waiting has none.
static const char *check_borrows(struct arena *arena, const struct noc_config *config)
{
    const struct config_list *list = &config->class_borrows;
    if (list->n && list->n != config->classes)
        return arena_printf(arena, "'class_borrows' has %u elements, but there are %u classes",
                            list->n, config->classes);
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t from = list->v[i];
        if (from == i)
            continue;
        if (from < i || from >= config->classes)
            return arena_printf(arena,
                                "'class_borrows': class %u can borrow from a class with a "
                                "higher number, not from %u",
                                i, from);
        if (lender_of(config, from) != from)
            return arena_printf(arena, "'class_borrows': class %u lends and borrows", from);
        if (config->routing == NOC_ADAPTIVE && config->topology == NOC_MESH)
            return "'class_borrows' does not work with adaptive routing";
    }
    return NULL;
}

// Ports and virtual channels of a router are numbered with 16 bits.
static const char *check_size(struct arena *arena, const struct noc_config *config)
{
    uint64_t nodes = noc_node_count(config), max = 0, ports = config->injection_ports;
    uint64_t speed = larger(config->speedup, config->injection_speedup);
    for (uint32_t i = 0; i < config->injection_speedups.n; i++)
        speed = larger(speed, config->injection_speedups.v[i]);
    if (nodes > UINT16_MAX)
        return "a butterfly can have at most 65535 nodes";
    if (config->topology == NOC_MESH) {
        uint64_t here = config->node_routers.n ? 0 : 1;
        uint32_t *nodes_of = ARENA_ARRAY(arena, uint32_t, config->width * config->height);
        for (uint32_t i = 0; i < config->node_routers.n; i++)
            if (++nodes_of[config->node_routers.v[i]] > here)
                here = nodes_of[config->node_routers.v[i]];
        max = 4 + here * ports;
    } else {
        max = (config->topology == NOC_CROSSBAR ? nodes : config->radix + config->router_nodes) *
              ports;
    }
    uint64_t numbers = speed;
    for (uint64_t vcs = 1; vcs < config->vcs * 2; vcs *= 2) // see noc_index
        numbers = vcs > numbers ? vcs : numbers;
    if (max * numbers >= UINT16_MAX)
        return arena_printf(arena,
                            "a router would have %llu ports; with this number of virtual "
                            "channels it can have %llu",
                            (unsigned long long)max,
                            (unsigned long long)((UINT16_MAX - 1) / numbers));
    return NULL;
}

static const char *check_overlay(const struct noc_config *config)
{
    return config->overlay && config->topology != NOC_CROSSBAR
               ? "'overlay' needs 'topology' crossbar"
               : NULL;
}

// Links and ports of nodes exist only where a packet is divided into flits. An input with one queue
// has no speed: it may send to all outputs in a cycle.
static const char *check_packets(struct arena *arena, const struct noc_config *config)
{
    const struct {
        const char *key, *value;
        bool holds;
    } needs[] = {
        {"topology", "crossbar", config->topology == NOC_CROSSBAR},
        {"overlay", "false", !config->overlay},
        {"injection_ports", "1", config->injection_ports == 1},
        {"injection_links", "1", config->injection_links == 1},
        {"injection_shared", "false", !config->injection_shared},
        {"packet_voqs", "true for injection_speedup and injection_speedups",
         config->packet_voqs || (config->injection_speedup == 1 && !config->injection_speedups.n)},
    };
    for (uint32_t i = 0; config->packet_wide && i < ARRAY_LENGTH(needs); i++)
        if (!needs[i].holds)
            return arena_printf(arena, "'packet_wide' needs '%s' %s", needs[i].key, needs[i].value);
    if (config->clusters && !config->packet_wide)
        return "'clusters' needs 'packet_wide' true";
    if (config->packet_voqs && !config->packet_wide)
        return "'packet_voqs' needs 'packet_wide' true";
    if (config->clusters * config->cluster_nodes <= noc_node_count(config))
        return NULL;
    return arena_printf(arena, "'clusters' of 'cluster_nodes' have %u nodes, but there are %u",
                        config->clusters * config->cluster_nodes, noc_node_count(config));
}

static const char *check_fly(struct arena *arena, const struct noc_config *config)
{
    if (config->topology == NOC_FLY || (!config->reversed && !config->router_nodes))
        return NULL;
    return arena_printf(arena, "'%s' needs 'topology' fly",
                        config->reversed ? "reversed" : "router_nodes");
}

static const char *check_injection(struct arena *arena, const struct noc_config *config)
{
    uint32_t links = config->injection_links;
    if (config->injection_shared && links > 1)
        return "'injection_shared' needs 'injection_links' 1, since a node has one link";
    if (config->injection_speedups.n && config->injection_speedups.n != config->injection_nodes.n)
        return arena_printf(arena, "'injection_speedups' has %u elements, but 'injection_nodes' %u",
                            config->injection_speedups.n, config->injection_nodes.n);
    for (uint32_t i = 0; config->injection_vc == NOC_VC_OWN && i < config->classes; i++)
        if (vcs_of(config, i) < links)
            return arena_printf(arena,
                                "class %u has %u virtual channels, but needs one for each of "
                                "%u injection links",
                                i, vcs_of(config, i), links);
    return NULL;
}

const char *noc_check(struct arena *arena, const struct noc_config *config)
{
    const char *wrong = check_classes(arena, config);
    if (!wrong)
        wrong = check_borrows(arena, config);
    if (!wrong)
        wrong = check_fly(arena, config);
    if (!wrong)
        wrong = check_overlay(config);
    if (!wrong)
        wrong = check_packets(arena, config);
    if (!wrong && config->topology == NOC_MESH)
        wrong = check_list(arena, "node_routers", &config->node_routers,
                           config->width * config->height, "routers");
    if (!wrong && config->topology == NOC_MESH && config->width * config->height > UINT16_MAX)
        wrong = "a mesh can have at most 65535 routers";
    if (!wrong)
        wrong = check_list(arena, "injection_nodes", &config->injection_nodes,
                           noc_node_count(config), "nodes");
    if (!wrong)
        wrong = check_injection(arena, config);
    return wrong ? wrong : check_size(arena, config);
}

// Building

static void set_delays(struct noc_delays *delay, const struct noc_config *c)
{
    delay->flight = c->sw_alloc_delay + c->st_final_delay + c->channel_latency;
    delay->entry = 1 + c->channel_latency;
    delay->exit_credit = c->channel_latency + c->credit_delay;
    delay->entry_credit = c->sw_alloc_delay - 1 + delay->exit_credit;
    delay->credit = delay->entry_credit + (c->credit_delay ? c->credit_delay - 1 : 0);
    delay->routing = c->routing_delay;
    delay->vc_alloc = c->vc_alloc_delay;
}

// Returns the number of input ports of an interface.
static uint32_t exits_of(const struct noc *noc)
{
    return noc->config.overlay ? noc->shape.nodes : 1;
}

static void count_ports(struct noc *noc, const struct noc_wires *wires)
{
    for (uint32_t i = 0; i < wires->list.n; i++) {
        const struct noc_wire *wire = &wires->list.v[i];
        if (wire->kind != NOC_CHANNEL_INJECTION)
            noc->router[wire->from].outs++;
        if (wire->kind != NOC_CHANNEL_EJECTION)
            noc->router[wire->to].ins++;
    }
    for (uint32_t i = 0; i < noc->shape.routers; i++) {
        struct noc_router *router = &noc->router[i];
        router->out0 = noc->shape.router_outs;
        router->in0 = noc->shape.router_ins;
        noc->shape.router_outs += router->outs;
        noc->shape.router_ins += router->ins;
    }
    noc->shape.outs = noc->shape.router_outs;
    for (uint32_t i = 0; i < wires->list.n; i++)
        noc->shape.outs += wires->list.v[i].kind == NOC_CHANNEL_INJECTION;
    noc->shape.ins = noc->shape.router_ins + noc->shape.nodes * exits_of(noc);
}

// Returns the input port at the end of a channel to a node. With an overlay, the ports of a node
// are in the order of the routers.
static uint32_t exit_of(const struct noc *noc, const struct noc_wire *wire)
{
    uint32_t first = noc->interface[wire->to].in;
    return noc->config.overlay ? first + wire->from : first;
}

// Assigns an output port and an input port to each wire.
static void connect_wires(struct noc *noc, const struct noc_wires *wires)
{
    uint32_t *outs = ARENA_ARRAY(noc->arena, uint32_t, noc->shape.routers);
    uint32_t *ins = ARENA_ARRAY(noc->arena, uint32_t, noc->shape.routers),
             interface = noc->shape.router_outs;
    for (uint32_t i = 0; i < noc->shape.nodes; i++) {
        noc->interface[i].ins = exits_of(noc);
        noc->interface[i].in = noc->shape.router_ins + i * noc->interface[i].ins;
    }
    for (uint32_t i = 0; i < wires->list.n; i++) {
        const struct noc_wire *wire = &wires->list.v[i];
        bool is_in = wire->kind == NOC_CHANNEL_INJECTION,
             is_out = wire->kind == NOC_CHANNEL_EJECTION;
        uint32_t out = is_in ? interface++ : noc->router[wire->from].out0 + outs[wire->from]++;
        uint32_t in = is_out ? exit_of(noc, wire) : noc->router[wire->to].in0 + ins[wire->to]++;
        noc->port.out[out].to = in;
        noc->port.out[out].from = wire->from;
        noc->port.out[out].is_exit = is_out;
        noc->port.in[in].from = out;
        noc->port.in[in].router = wire->to;
        if (is_out) {
            noc->routing.node_port[wire->to] = (uint16_t)(out - noc->router[wire->from].out0);
        } else {
            noc->port.in[in].local = (uint16_t)(in - noc->router[wire->to].in0);
        }
        if (is_in && !noc->interface[wire->from].ports++)
            noc->interface[wire->from].out0 = out;
    }
}

// Crossbar inputs

static uint64_t vcs_of_slot(uint32_t vcs, uint32_t speed, uint32_t slot)
{
    uint64_t mask = 0;
    for (uint32_t vc = slot; vc < vcs; vc += speed)
        mask |= UINT64_C(1) << vc;
    return mask;
}

static uint32_t ways_on(const struct noc *noc, const struct noc_router *router)
{
    uint32_t ways = 0;
    for (uint32_t i = router->out0; i < router->out0 + router->outs; i++)
        ways += !noc->port.out[i].is_exit;
    return ways;
}

// Returns the speed of a node's port by the keys `injection_…`.
static uint32_t entry_speed(const struct noc *noc, uint32_t node, const struct noc_router *router)
{
    uint32_t speed = noc_entry_speed(&noc->config, node), ways = ways_on(noc, router);
    return noc->config.injection_by_outputs && speed > ways ? ways : speed;
}

static uint32_t speed_of(const struct noc *noc, uint32_t in)
{
    const struct noc_in_port *port = &noc->port.in[in];
    uint32_t speed = noc->config.speedup;
    if (port->from >= noc->shape.router_outs)
        speed = larger(
            speed, entry_speed(noc, noc->port.out[port->from].from, &noc->router[port->router]));
    return speed < noc->shape.vcs ? speed : noc->shape.vcs;
}

// Distributes the virtual channels of a port over the first `speed` of its crossbar inputs.
static void share_inputs(struct noc *noc, uint32_t in, uint32_t speed)
{
    uint32_t x = noc->router[noc->port.in[in].router].x0 + noc->port.in[in].x;
    noc->port.in[in].speed = (uint8_t)speed;
    for (uint32_t slot = 0; slot < speed; slot++)
        noc->crossbar.in[x + slot].vcs = vcs_of_slot(noc->shape.vcs, speed, slot);
}

static void make_crossbars(struct noc *noc)
{
    uint32_t xs = 0;
    for (uint32_t in = 0; in < noc->shape.router_ins; in++) {
        struct noc_router *router = &noc->router[noc->port.in[in].router];
        if (in == router->in0)
            router->x0 = xs;
        noc->port.in[in].speed = (uint8_t)speed_of(noc, in);
        noc->port.in[in].x = (uint16_t)router->xs;
        router->xs += noc->port.in[in].speed;
        xs += noc->port.in[in].speed;
    }
    noc->crossbar.in = ARENA_ARRAY(noc->arena, struct noc_x, xs);
    noc->crossbar.turn = arena_lines(noc->arena, xs * sizeof *noc->crossbar.turn);
    for (uint32_t in = 0; in < noc->shape.router_ins; in++) {
        uint32_t x = noc->router[noc->port.in[in].router].x0 + noc->port.in[in].x;
        for (uint32_t slot = 0; slot < noc->port.in[in].speed; slot++)
            noc->crossbar.in[x + slot].port = noc->port.in[in].local;
        share_inputs(noc, in, noc->port.in[in].speed);
    }
}

uint32_t noc_set_entry_speed(struct noc *noc, uint32_t node, uint32_t speed)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t min = UINT32_MAX;
    if (noc->packets)
        return noc_packets_set_speed(noc, node, speed);
    for (uint32_t out = interface->out0; out < interface->out0 + interface->ports; out++) {
        uint32_t in = noc->port.out[out].to, max = speed_of(noc, in);
        uint32_t given = speed < 1 ? 1 : speed < max ? speed : max;
        if (given != noc->port.in[in].speed)
            share_inputs(noc, in, given);
        min = given < min ? given : min;
    }
    return min;
}

// State

static void make_ports(struct noc *noc)
{
    struct arena *arena = noc->arena;
    noc->port.in = ARENA_ARRAY(arena, struct noc_in_port, noc->shape.ins);
    noc->port.out = arena_lines(arena, noc->shape.outs * sizeof *noc->port.out);
    noc->crossbar.batch = ARENA_ARRAY(arena, uint64_t, noc->shape.routers);
    noc->crossbar.out_leaves = ARENA_ARRAY(arena, uint64_t, noc->shape.outs);
    noc->routing.node_port = ARENA_ARRAY(arena, uint16_t, noc->shape.nodes);
    noc->interface = ARENA_ARRAY(arena, struct noc_interface, noc->shape.nodes);
}

static void make_channel(const struct noc *noc, uint32_t index)
{
    const struct noc_in_port *port = &noc->port.in[noc_port(noc, index)];
    bool is_exit = noc_port(noc, index) >= noc->shape.router_ins;
    *noc_in(noc, index) =
        (struct noc_in){.out = NOC_NONE,
                        .from = noc_index(noc, port->from, noc_vc(noc, index)),
                        .router = port->router,
                        .row = is_exit ? 0 : noc->router[port->router].out0,
                        .local = (uint8_t)noc_index(noc, port->local, noc_vc(noc, index)),
                        .is_entry = port->from >= noc->shape.router_outs};
}

static void make_channels(struct noc *noc)
{
    uint32_t outs = noc->shape.outs << noc->shape.shift, ins = noc->shape.ins << noc->shape.shift;
    while (noc->shape.ring + 1 < noc->shape.buffer)
        noc->shape.ring = 2 * noc->shape.ring + 1;
    while ((size_t)1 << noc->shape.in_shift <
           sizeof(struct noc_in) + (noc->shape.ring + 1) * sizeof(uint32_t))
        noc->shape.in_shift++;
    noc->vc.out = arena_lines(noc->arena, outs * sizeof *noc->vc.out);
    noc->vc.credits = arena_lines(noc->arena, outs * sizeof *noc->vc.credits);
    noc->vc.in = arena_lines(noc->arena, (size_t)ins << noc->shape.in_shift);
    for (uint32_t i = 0; i < outs; i++) {
        noc->vc.out[i].owner = NOC_NONE;
        noc->vc.credits[i] = (uint16_t)noc->shape.buffer;
    }
    for (uint32_t i = 0; i < ins; i++)
        make_channel(noc, i);
    for (uint32_t i = 0; i < noc->shape.outs; i++) {
        noc->port.out[i].free = ~UINT64_C(0) >> (64 - noc->shape.vcs);
        noc->port.out[i].open = noc->shape.buffer ? noc->port.out[i].free : 0;
    }
}

static void make_classes(struct noc *noc)
{
    noc->class.vcs = ARENA_ARRAY(noc->arena, uint64_t, noc->shape.classes);
    noc->class.borrows = ARENA_ARRAY(noc->arena, uint64_t, noc->shape.classes);
    noc->class_stats = ARENA_ARRAY(noc->arena, struct noc_class_stats, noc->shape.classes);
    noc->class.of_vc = ARENA_ARRAY(noc->arena, uint8_t, 1u << noc->shape.shift);
    for (uint32_t class = 0, vc = 0; class < noc->shape.classes; class ++)
        for (uint64_t i = vcs_of(&noc->config, class); i; i--, vc++) {
            noc->class.vcs[class] |= UINT64_C(1) << vc;
            noc->class.of_vc[vc] = (uint8_t) class;
        }
    for (uint32_t i = 0; i < noc->shape.classes; i++) {
        uint64_t from = lender_of(&noc->config, i);
        noc->class.borrows[i] = from == i ? 0 : noc->class.vcs[from];
        noc->class.lent_vcs |= noc->class.borrows[i];
    }
}

// Virtual channels and the switch are allocated by masks of a router's input virtual channels if
// the masks fit a word and there are no priorities. The inputs of such a crossbar have the numbers
// of their ports.
static void make_rows(struct noc *noc)
{
    uint32_t max = 0;
    bool is_direct = noc->config.sw_allocator == NOC_SW_ISLIP;
    for (uint32_t i = 0; i < noc->shape.routers; i++) {
        max = noc->router[i].ins > max ? noc->router[i].ins : max;
        is_direct &= noc->router[i].xs == noc->router[i].ins;
    }
    bool is_small = max << noc->shape.shift <= 64 && noc->shape.words == 1 && !noc->alloc.is_ranked;
    noc->alloc.has_switch_rows = is_small && is_direct;
    noc->alloc.has_vc_rows =
        is_small && !noc->routing.is_adaptive && noc->alloc.reuse == NOC_REUSE_TAIL &&
        noc->config.vc_allocator == NOC_VC_ISLIP && noc->config.vc_alloc_iterations == 1;
    noc->class.locals = ARENA_ARRAY(noc->arena, uint64_t, noc->shape.classes);
    for (uint32_t i = 0; noc->alloc.has_vc_rows && i < noc->shape.classes; i++)
        for (uint32_t port = 0; port < max; port++)
            noc->class.locals[i] |= noc->class.vcs[i] << (port << noc->shape.shift);
    for (uint32_t port = 0; noc->alloc.has_vc_rows && port < max; port++)
        noc->class.lent_locals |= noc->class.lent_vcs << (port << noc->shape.shift);
}

static void make_masks(struct noc *noc)
{
    struct noc_shape *shape = &noc->shape;
    struct noc_requests *requests = &noc->requests;
    struct arena *arena = noc->arena;
    uint32_t max = 0;
    for (uint32_t i = 0; i < shape->routers; i++) {
        const struct noc_router *router = &noc->router[i];
        max = router->xs > max ? router->xs : max;
        max = router->outs > max ? router->outs : max;
    }
    shape->words = bits_words(max);
    shape->router_words = bits_words(shape->routers);
    shape->node_words = bits_words(shape->nodes);
    requests->waiting_ports = ARENA_ARRAY(arena, uint64_t, (size_t)shape->routers * shape->words);
    requests->ready_ports = ARENA_ARRAY(arena, uint64_t, (size_t)shape->routers * shape->words);
    requests->waiting_routers = ARENA_ARRAY(arena, uint64_t, shape->router_words);
    requests->ready_routers = ARENA_ARRAY(arena, uint64_t, shape->router_words);
    requests->serving_routers = ARENA_ARRAY(arena, uint64_t, shape->router_words);
    noc->injection.sending = ARENA_ARRAY(arena, uint64_t, shape->node_words);
    noc->ejection.holding = ARENA_ARRAY(arena, uint64_t, shape->node_words);
    noc->ejection.arrived =
        ARENA_ARRAY(arena, uint64_t, (size_t)shape->classes * shape->node_words);
}

static void make_scratch(struct noc *noc)
{
    struct noc_scratch *s = &noc->scratch;
    uint32_t max = noc->shape.words * 64, requests = 0, order = noc->shape.routers;
    for (uint32_t i = 0; i < noc->shape.routers; i++)
        if (noc->router[i].ins > requests)
            requests = noc->router[i].ins;
    order = noc->shape.nodes > order ? noc->shape.nodes : order;
    s->request = ARENA_ARRAY(noc->arena, struct noc_vc_request, (requests << noc->shape.shift) + 1);
    s->first = ARENA_ARRAY(noc->arena, uint32_t, max);
    s->last = ARENA_ARRAY(noc->arena, uint32_t, max);
    s->requests = ARENA_ARRAY(noc->arena, uint64_t, (size_t)max * noc->shape.words);
    s->grants = ARENA_ARRAY(noc->arena, uint64_t, (size_t)max * noc->shape.words);
    s->outs = ARENA_ARRAY(noc->arena, uint64_t, noc->shape.words);
    s->ins = ARENA_ARRAY(noc->arena, uint64_t, noc->shape.words);
    s->proposed = ARENA_ARRAY(noc->arena, uint64_t, 64);
    s->outs_done = ARENA_ARRAY(noc->arena, uint64_t, noc->shape.words);
    s->ins_done = ARENA_ARRAY(noc->arena, uint64_t, noc->shape.words);
    s->rank = ARENA_ARRAY(noc->arena, uint8_t, max);
    s->order = ARENA_ARRAY(noc->arena, uint32_t, order);
    s->winners = s->winners_end = ARENA_ARRAY(noc->arena, uint32_t, noc->shape.router_outs);
    for (uint32_t i = 0; i < max; i++)
        s->first[i] = NOC_NONE;
}

static void make_bucket(const struct noc *noc, struct noc_bucket *slot)
{
    size_t stages = (size_t)noc->shape.router_ins << noc->shape.shift;
    for (uint32_t i = 0; i < 2; i++)
        slot->flits[i] = slot->flits_end[i] =
            ARENA_ARRAY(noc->arena, struct noc_flit_event,
                        noc->shape.router_outs + noc->injection.links + NOC_PREFETCH);
    slot->credits = slot->credits_end =
        ARENA_ARRAY(noc->arena, uint32_t, (size_t)noc->shape.outs << noc->shape.shift);
    slot->routes = slot->routes_end = ARENA_ARRAY(noc->arena, uint32_t, stages);
    slot->assigns = slot->assigns_end = ARENA_ARRAY(noc->arena, struct noc_assign_event, stages);
}

static void make_calendar(struct noc *noc)
{
    struct noc_calendar *c = &noc->calendar;
    uint64_t crossing = noc->config.st_final_delay;
    uint32_t longest = larger(noc->delay.flight + 2 * crossing, noc->delay.credit), slots = 1;
    longest = larger(longest, larger(noc->delay.entry, noc->delay.vc_alloc));
    longest = larger(longest, noc->delay.routing + 1);
    while (slots <= longest)
        slots *= 2;
    c->mask = slots - 1;
    c->bucket = ARENA_ARRAY(noc->arena, struct noc_bucket, slots);
    for (uint32_t i = 0; i < slots; i++)
        make_bucket(noc, &c->bucket[i]);
}

static uint32_t links_of(const struct noc *noc, uint32_t node, uint32_t ports)
{
    if (noc->config.injection_shared)
        return 1;
    return noc_is_wide(&noc->config, node) ? ports * noc->config.injection_links : ports;
}

// The links of a node are assigned to its ports in turn.
static struct noc_link link_of(const struct noc *noc, uint32_t node, uint32_t link)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t ports = interface->ports, each = interface->links / ports;
    uint64_t queue = noc->config.injection_queue, room = queue / interface->links;
    bool is_own = noc->config.injection_vc == NOC_VC_OWN && each > 1;
    return (struct noc_link){.node = node,
                             .port = interface->out0 + link % ports,
                             .ports = noc->config.injection_shared ? ports : 1,
                             .vcs = is_own ? vcs_of_slot(noc->shape.vcs, each, link / ports)
                                           : ~UINT64_C(0),
                             .room = queue && !room ? 1 : room};
}

static void make_arrivals(struct noc *noc)
{
    uint32_t queues = noc->class.lent_vcs ? 2 * noc->shape.vcs : noc->shape.vcs;
    noc->ejection.queues =
        noc->config.ejection_order == NOC_BY_CHANNEL ? queues : noc->shape.classes;
    noc->ejection.arrivals =
        ARENA_ARRAY(noc->arena, struct noc_arrivals, noc->shape.nodes * noc->ejection.queues);
    noc->ejection.turn = ARENA_ARRAY(noc->arena, uint8_t, noc->shape.nodes * noc->shape.classes);
}

static void make_interfaces(struct noc *noc)
{
    for (uint32_t node = 0; node < noc->shape.nodes; node++) {
        struct noc_interface *interface = &noc->interface[node];
        interface->link0 = noc->injection.links;
        interface->links = links_of(noc, node, interface->ports);
        noc->injection.links += interface->links;
    }
    noc->injection.link = ARENA_ARRAY(noc->arena, struct noc_link, noc->injection.links);
    noc->injection.lane =
        ARENA_ARRAY(noc->arena, struct noc_lane, noc->injection.links * noc->shape.classes);
    for (uint32_t i = 0; i < noc->injection.links * noc->shape.classes; i++)
        noc->injection.lane[i].out = NOC_NONE;
    for (uint32_t node = 0; node < noc->shape.nodes; node++)
        for (uint32_t i = 0; i < noc->interface[node].links; i++)
            noc->injection.link[noc->interface[node].link0 + i] = link_of(noc, node, i);
    make_arrivals(noc);
}

struct noc *noc_new(struct arena *arena, const struct noc_config *config)
{
    struct noc *noc = ARENA_NEW(arena, struct noc);
    noc->config = *config;
    noc->arena = arena;
    noc->shape.vcs = config->vcs;
    noc->shape.classes = config->classes;
    while (1u << noc->shape.shift < noc->shape.vcs)
        noc->shape.shift++;
    noc->shape.buffer = config->vc_buffer;
    noc->routing.is_adaptive = config->topology == NOC_MESH && config->routing == NOC_ADAPTIVE;
    noc->alloc.reuse = config->vc_reuse;
    if (noc->routing.is_adaptive && noc->alloc.reuse == NOC_REUSE_TAIL)
        noc->alloc.reuse = NOC_REUSE_WHOLE;
    noc->alloc.is_ranked = config->priority_wait > 0 && config->priority_lift == NOC_LIFT_WAITING;
    if (config->ideal)
        noc->config.ejection_queue = 0; // packets occupy no space before they arrive
    noc->pool.unused = NOC_NONE;
    set_delays(&noc->delay, config);
    struct noc_wires wires = noc_topology(noc);
    noc->shape.routers = wires.routers;
    noc->shape.nodes = wires.nodes;
    count_ports(noc, &wires);
    make_ports(noc);
    connect_wires(noc, &wires);
    noc_make_routes(noc);
    make_crossbars(noc);
    make_channels(noc);
    make_classes(noc);
    make_interfaces(noc);
    make_masks(noc);
    make_rows(noc);
    make_scratch(noc);
    make_calendar(noc);
    if (config->packet_wide && !config->ideal)
        noc_packets_init(noc);
    noc_choose_tick(noc);
    return noc;
}
