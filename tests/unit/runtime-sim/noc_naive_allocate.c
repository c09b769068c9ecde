// The allocators of the model.
#include "tests/unit/runtime-sim/noc_naive.h"

// Allocation of virtual channels

int model_turn(const bool *is_member, uint32_t count, uint32_t from)
{
    for (uint32_t i = 0; i < 2 * count; i++)
        if (i >= from && is_member[i % count])
            return (int)(i % count);
    for (uint32_t i = 0; i < count; i++)
        if (is_member[i])
            return (int)i;
    return NONE;
}

static bool has_waited(const struct model *m, const struct vc *vc)
{
    return m->c->priority_wait && m->now >= vc->since && m->now - vc->since >= m->c->priority_wait;
}

// Returns true if a packet that came to the router from another one has waited.
static bool is_lifted(const struct model *m, uint32_t router)
{
    bool any = false;
    for (uint32_t i = 0; i < m->router[router].in_count; i++) {
        const struct channel *ch = &m->channel[m->router[router].ins[i]];
        for (uint32_t v = 0; v < m->c->vcs; v++)
            any |= ch->kind == NOC_CHANNEL_ROUTERS && ch->vc[v].buffer.count &&
                   has_waited(m, &ch->vc[v]);
    }
    return any;
}

// Returns the priority of the packet at the head.
static uint8_t rank_of(const struct model *m, const struct vc *vc)
{
    uint8_t own = vc->priority;
    if (m->c->priority_lift == NOC_LIFT_INJECTION)
        return vc->is_entry && m->lifted ? 0 : own;
    bool waits = has_waited(m, vc);
    return waits ? NOC_PRIORITIES - 1 : own;
}

static bool is_available(const struct model *m, const struct vc *vc, uint32_t flits)
{
    bool whole = m->c->vc_reuse == NOC_REUSE_WHOLE ||
                 (m->c->vc_reuse == NOC_REUSE_TAIL && m->c->topology == NOC_MESH &&
                  m->c->routing == NOC_ADAPTIVE);
    bool empty = m->c->vc_reuse == NOC_REUSE_EMPTY;
    return !vc->taken && ((!whole && !empty) || vc->credits == m->c->vc_buffer ||
                          (whole && vc->credits >= flits));
}

uint32_t model_room(const struct model *m, int channel, uint32_t packet, int escape,
                    bool may[MAX_VCS])
{
    uint32_t room = 0;
    bool is_first = true;
    for (uint32_t v = 0; v < m->c->vcs; v++) {
        const struct vc *vc = &m->channel[channel].vc[v];
        bool mine = m->vc_class[v] == m->packet[packet].class;
        may[v] = mine && is_available(m, vc, m->packet[packet].flits) &&
                 (escape == NONE || is_first == escape);
        room += may[v] ? vc->credits + 1 : 0;
        is_first &= !mine;
    }
    return room;
}

static void choose_way(struct model *m, struct asking *asking, uint32_t router, uint32_t packet)
{
    int ways[2];
    bool may[MAX_VCS];
    uint32_t max = 0;
    model_mesh_ways(m, router, mesh_router_of(m->c, m->packet[packet].target), ways);
    for (int i = 0; i < 2; i++) {
        uint32_t room = ways[i] == NONE ? 0 : model_room(m, ways[i], packet, false, may);
        if (room <= max)
            continue;
        max = room;
        memcpy(asking->may, may, sizeof may);
        asking->vc->out_channel = ways[i];
    }
    if (max)
        return;
    asking->vc->out_channel = ways[ways[0] == NONE];
    model_room(m, asking->vc->out_channel, packet, true, asking->may);
}

static void ask(struct model *m, struct asking *asking, uint32_t router)
{
    uint32_t packet = line_front(&asking->vc->buffer)->packet;
    int exit = model_channel(m, router, NOC_CHANNEL_EJECTION, m->packet[packet].target);
    asking->priority = rank_of(m, asking->vc);
    if (m->c->topology == NOC_MESH && m->c->routing == NOC_ADAPTIVE && exit == NONE)
        choose_way(m, asking, router, packet);
    else
        model_room(m, asking->vc->out_channel, packet, NONE, asking->may);
}

static int choose_own(const struct round *r, const struct asking *asking, const bool *vcs)
{
    bool here = asking->vc->accept_port == r->m->channel[r->channel].local_out;
    return model_turn(vcs, (uint32_t)r->m->c->vcs, here ? asking->vc->accept_vc : 0);
}

// Returns, of the packets that requested a virtual channel or picked it, that with the highest
// priority, then the next in turn.
static struct asking *choose_asking(struct round *r, uint32_t v, bool picked)
{
    struct asking *best = NULL;
    uint32_t from = r->m->channel[r->channel].vc[v].grant;
    for (int lap = 0; lap < 2; lap++)
        for (uint32_t i = 0; i < r->count; i++) {
            struct asking *at = &r->asking[i];
            bool asks = picked ? at->proposed[v] : at->may[v];
            if (asks && (lap || at->number >= from) && (!best || at->priority > best->priority))
                best = at;
        }
    return best;
}

static void give(struct round *r, struct asking *asking, uint32_t v, bool is_first)
{
    struct model *m = r->m;
    struct vc *vc = asking->vc, *out = &m->channel[r->channel].vc[v];
    if (is_first) {
        vc->accept_port = m->channel[r->channel].local_out;
        vc->accept_vc = v + 1;
        out->grant = asking->number + 1;
    }
    out->taken = true;
    vc->state = ASSIGNED;
    vc->until = m->now + m->c->vc_alloc_delay;
    vc->out_vc = (int)v;
    memset(asking->may, 0, sizeof asking->may);
    for (uint32_t i = 0; i < r->count; i++)
        r->asking[i].may[v] = false;
}

static void allocate_round(struct round *r, bool is_first)
{
    uint32_t vcs = (uint32_t)r->m->c->vcs;
    bool islip = r->m->c->vc_allocator == NOC_VC_ISLIP;
    struct asking *taker[MAX_VCS] = {NULL};
    for (uint32_t i = 0; i < r->count; i++) {
        int own = choose_own(r, &r->asking[i], r->asking[i].may);
        memset(r->asking[i].proposed, 0, sizeof r->asking[i].proposed);
        if (!islip && own != NONE)
            r->asking[i].proposed[own] = true;
    }
    for (uint32_t v = 0; v < vcs; v++)
        taker[v] = choose_asking(r, v, !islip);
    for (uint32_t v = 0; v < vcs; v++)
        if (taker[v] && islip)
            taker[v]->proposed[v] = true;
    for (uint32_t v = 0; v < vcs; v++)
        if (taker[v] && (!islip || choose_own(r, taker[v], taker[v]->proposed) == (int)v))
            taker[v]->proposed[v] = true;
        else
            taker[v] = NULL;
    for (uint32_t v = 0; v < vcs; v++)
        if (taker[v])
            give(r, taker[v], v, is_first);
}

static uint32_t find_asking(struct model *m, uint32_t router)
{
    const struct router *at = &m->router[router];
    uint32_t count = 0;
    for (uint32_t i = 0; i < at->in_count; i++)
        for (uint32_t v = 0; v < m->c->vcs; v++) {
            struct vc *vc = &m->channel[at->ins[i]].vc[v];
            if (vc->state != WAITING)
                continue;
            m->asking[count] = (struct asking){.vc = vc, .number = i * MAX_VCS + v};
            ask(m, &m->asking[count++], router);
        }
    return count;
}

void model_allocate_vcs(struct model *m, uint32_t router)
{
    m->lifted = is_lifted(m, router);
    uint32_t count = find_asking(m, router);
    for (uint32_t o = 0; o < m->router[router].out_count; o++) {
        struct round round = {m, (int)m->router[router].outs[o], m->chosen, 0};
        for (uint32_t i = 0; i < count; i++)
            if (m->asking[i].vc->out_channel == round.channel)
                round.asking[round.count++] = m->asking[i];
        for (uint32_t i = 0; round.count && i < m->c->vc_alloc_iterations; i++)
            allocate_round(&round, !i);
    }
}

// Allocation of the switch

// Sends a granted flit. Returns when it reaches the end of the channel. All granted flits cross
// together.
static uint64_t cross(struct model *m, struct router *router, struct channel *out)
{
    uint64_t begin = m->now + m->c->sw_alloc_delay, through = router->batch;
    through += router->batch ? m->c->st_final_delay : 0;
    if (begin > router->batch)
        router->batch = begin > through ? begin : through;
    uint64_t leaves = router->batch + m->c->st_final_delay - 1;
    if (leaves <= out->leaves)
        leaves = out->leaves + 1;
    out->leaves = leaves;
    return leaves + 1 + m->c->channel_latency;
}

static void send_flit(struct model *m, struct router *router, uint32_t index, uint32_t v)
{
    struct vc *vc = &m->channel[index].vc[v];
    struct channel *out = &m->channel[vc->out_channel];
    struct flit flit = line_pop(&vc->buffer);
    bool tail = flit.tail;
    out->vc[vc->out_vc].credits--;
    model_give_credit(m, index, v);
    flit.packet = flit.packet * MAX_VCS + (uint32_t)vc->out_vc;
    flit.when = cross(m, router, out);
    line_put(&out->flight, flit);
    if (!tail)
        return;
    out->vc[vc->out_vc].taken = false;
    vc->state = EMPTY;
    if (vc->buffer.count)
        model_begin_route(m, vc, m->channel[index].to, m->now + 1);
}

// Returns the priority of an input's flit for an output, + 1; 0: none.
static uint32_t request_of(const struct model *m, uint32_t index, uint32_t slot, int output,
                           bool vcs[MAX_VCS])
{
    const struct channel *ch = &m->channel[index];
    uint32_t best = 0;
    for (int lap = 0; lap < 2; lap++)
        for (uint32_t v = 0; v < m->c->vcs; v++) {
            const struct vc *vc = &ch->vc[v];
            bool asks = v % ch->speed == slot && vc->state == ACTIVE && vc->buffer.count &&
                        vc->out_channel == output && m->channel[output].vc[vc->out_vc].credits;
            uint32_t rank = asks ? rank_of(m, vc) + 1u : 0;
            best = rank > best ? rank : best;
            vcs[v] = asks && rank == best;
        }
    return best;
}

static void collect(struct model *m, struct router *router, struct crossing *s)
{
    bool vcs[MAX_VCS];
    s->ins = 0;
    memset(s->in_done, 0, sizeof s->in_done);
    memset(s->out_done, 0, sizeof s->out_done);
    s->outs = router->out_count;
    for (uint32_t i = 0; i < router->in_count; i++)
        for (uint32_t k = 0; k < m->channel[router->ins[i]].speed; k++, s->ins++) {
            assert_true(s->ins < MAX_PORTS);
            s->channel[s->ins] = router->ins[i];
            s->slot[s->ins] = k;
            for (uint32_t o = 0; o < s->outs; o++)
                s->request[s->ins][o] = request_of(m, router->ins[i], k, (int)router->outs[o], vcs);
        }
}

// Returns, of the inputs that request an output, that with the highest priority, then the next in
// turn.
static int choose_input(const struct crossing *s, uint32_t output, uint32_t from, const int *picked)
{
    bool member[MAX_PORTS] = {false};
    uint32_t best = 0;
    for (int lap = 0; lap < 2; lap++)
        for (uint32_t x = 0; x < s->ins; x++) {
            bool can = !s->in_done[x] && (!picked || picked[x] == (int)output);
            uint32_t rank = can ? s->request[x][output] : 0;
            best = rank > best ? rank : best;
            member[x] = rank && rank == best;
        }
    return model_turn(member, s->ins, from);
}

// Returns an input's own choice, for separable allocation.
static int choose_output(const struct crossing *s, uint32_t x, uint32_t from)
{
    bool member[MAX_PORTS] = {false};
    uint32_t best = 0;
    for (int lap = 0; lap < 2; lap++)
        for (uint32_t o = 0; o < s->outs; o++) {
            uint32_t rank = s->out_done[o] ? 0 : s->request[x][o];
            best = rank > best ? rank : best;
            member[o] = rank && rank == best;
        }
    return model_turn(member, s->outs, from);
}

static void pass(struct model *m, struct router *router, struct crossing *s, uint32_t x,
                 uint32_t output, bool is_first)
{
    struct channel *in = &m->channel[s->channel[x]];
    bool vcs[MAX_VCS];
    request_of(m, s->channel[x], s->slot[x], (int)router->outs[output], vcs);
    uint32_t v = (uint32_t)model_turn(vcs, (uint32_t)m->c->vcs, in->turn[s->slot[x]]);
    in->turn[s->slot[x]] = v + 1;
    if (is_first) {
        in->accept[s->slot[x]] = output + 1;
        m->channel[router->outs[output]].sw_grant = x + 1;
    }
    s->in_done[x] = s->out_done[output] = true;
    send_flit(m, router, s->channel[x], v);
}

static void propose(struct model *m, const struct router *router, struct crossing *s)
{
    int own[MAX_PORTS];
    bool islip = m->c->sw_allocator == NOC_SW_ISLIP;
    for (uint32_t x = 0; x < s->ins; x++)
        own[x] = s->in_done[x] ? NONE
                               : choose_output(s, x, m->channel[s->channel[x]].accept[s->slot[x]]);
    for (uint32_t o = 0; o < s->outs; o++)
        s->proposed[o] = s->out_done[o] ? NONE
                                        : choose_input(s, o, m->channel[router->outs[o]].sw_grant,
                                                       islip ? NULL : own);
}

// Returns, of the outputs that granted an input, that with the highest priority, then the next in
// turn.
static int accept_output(const struct model *m, const struct crossing *s, uint32_t x)
{
    bool member[MAX_PORTS];
    uint32_t best = 0;
    for (int lap = 0; lap < 2; lap++)
        for (uint32_t o = 0; o < s->outs; o++) {
            uint32_t rank = s->proposed[o] == (int)x ? s->request[x][o] : 0;
            best = rank > best ? rank : best;
            member[o] = rank && rank == best;
        }
    return model_turn(member, s->outs, m->channel[s->channel[x]].accept[s->slot[x]]);
}

void model_allocate_switch(struct model *m, struct router *router)
{
    struct crossing *s = m->crossing;
    m->lifted = is_lifted(m, (uint32_t)(router - m->router));
    collect(m, router, s);
    for (uint32_t i = 0; i < m->c->sw_alloc_iterations; i++) {
        propose(m, router, s);
        for (uint32_t x = 0; x < s->ins; x++) {
            int output = accept_output(m, s, x);
            if (output != NONE)
                pass(m, router, s, x, (uint32_t)output, !i);
        }
    }
}
