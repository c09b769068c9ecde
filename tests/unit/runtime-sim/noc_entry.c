// Decisions where packets enter a network [004]: the flit that passes in each cycle, changing
// numbers of crossbar inputs, and how much busier the entries are than the channels after them.
#include "runtime-sim/noc/state_tmpl.h"
#include "tests/unit/runtime-sim/network.h"
#include <math.h>

enum { LONG = 9, NODES = 36 };

static void send(struct network *n, uint32_t source, uint32_t target, uint8_t priority)
{
    struct noc_packet packet = {.created = noc_cycle(n->noc),
                                .source = source,
                                .target = target,
                                .flits = LONG,
                                .priority = priority};
    noc_send(n->noc, &packet);
}

static void pop_all(struct network *n)
{
    for (uint32_t node = 0; node < noc_nodes(n->noc); node++)
        while (noc_peek(n->noc, node, 0))
            noc_pop(n->noc, node, 0);
}

// A row of three: nodes 0 and 1 send all they can to node 2

#define ROW                                                                                        \
    "width=3 height=1 routing=xy vcs=4 vc_buffer=9 injection_queue=36 node_link=9 "                \
    "vc_allocator=separable sw_allocator=separable priority_decay=true "
#define FOUR "injection_links=4 injection_vc=own injection_speedup=4 "

struct decisions {
    uint64_t injected, through; // flits of either kind that passed the router in the middle
    uint64_t against;           // through ones while an injected one was ready
    uint64_t lifted;            // of these, while a through packet had waited
};

struct channels {
    uint32_t head[2 * 3 * 4];
    bool injected_ready, waited;
};

// Returns the input virtual channels of router 1 before a tick. Injected packets have level 1
// there, others 0; at router 2 all have 0.
static struct channels look(const struct noc *noc)
{
    struct channels seen = {0};
    const struct noc_router *middle = &noc->router[1], *last = &noc->router[2];
    for (uint32_t i = middle->in0 << noc->shape.shift;
         i < (middle->in0 + middle->ins) << noc->shape.shift; i++) {
        const struct noc_in *in = noc_in(noc, i);
        bool is_ready = noc_is_ready(noc, i);
        seen.head[i - (middle->in0 << noc->shape.shift)] = in->head;
        seen.injected_ready |= in->is_entry && is_ready;
        seen.waited |= in->count && !in->is_entry && noc->config.priority_wait &&
                       (uint32_t)noc->now - in->since >= noc->config.priority_wait;
        if (is_ready || noc_is_waiting(noc, i))
            assert_int_equal(in->priority, in->is_entry);
    }
    for (uint32_t i = last->in0 << noc->shape.shift;
         i < (last->in0 + last->ins) << noc->shape.shift; i++)
        if (!noc_in(noc, i)->is_entry && (noc_is_ready(noc, i) || noc_is_waiting(noc, i)))
            assert_int_equal(noc_in(noc, i)->priority, 0);
    return seen;
}

static void count_passed(const struct noc *noc, const struct channels *seen, struct decisions *d)
{
    const struct noc_router *middle = &noc->router[1];
    for (uint32_t i = middle->in0 << noc->shape.shift;
         i < (middle->in0 + middle->ins) << noc->shape.shift; i++) {
        const struct noc_in *in = noc_in(noc, i);
        if (in->head == seen->head[i - (middle->in0 << noc->shape.shift)])
            continue;
        d->injected += in->is_entry;
        d->through += !in->is_entry;
        d->against += !in->is_entry && seen->injected_ready;
        d->lifted += !in->is_entry && seen->injected_ready && seen->waited;
    }
}

static struct decisions decide(const char *settings)
{
    enum { CYCLES = 20000 };
    struct network n;
    struct decisions d = {0};
    begin(&n, settings);
    for (uint32_t i = 0; i < CYCLES; i++) {
        for (uint32_t node = 0; node < 2; node++)
            if (noc_can_send(n.noc, node, 0, LONG))
                send(&n, node, 2, 1);
        struct channels seen = look(n.noc);
        noc_tick(n.noc);
        count_passed(n.noc, &seen, &d);
        pop_all(&n);
    }
    end(&n);
    return d;
}

static void test_decisions(void **state)
{
    (void)state;
    static const char *const settings[] = {ROW, ROW FOUR};
    for (uint32_t i = 0; i < 2; i++) {
        struct decisions d = decide(settings[i]);
        assert_int_equal(d.against, 0);
        assert_true(d.injected > 19900); // a flit in each cycle
    }
    // Only while a through packet has waited it may pass before an injected one, and it is not
    // always first.
    struct decisions d = decide(ROW FOUR "priority_wait=100 priority_lift=injection");
    assert_true(d.against > 0);
    assert_int_equal(d.lifted, d.against);
    assert_true(d.injected > d.through);
}

#undef ROW
#undef FOUR

// Changing numbers of crossbar inputs

#define MESH                                                                                       \
    "width=6 height=6 routing=xy vcs=4 vc_buffer=9 injection_queue=36 node_link=9 "                \
    "vc_allocator=separable sw_allocator=separable injection_links=4 injection_vc=own "
static const uint32_t controllers[] = {3, 7, 10, 12, 23, 25, 28, 32};
enum { CONTROLLERS = sizeof controllers / sizeof *controllers };

static bool is_controller(uint32_t node)
{
    bool found = false;
    for (uint32_t i = 0; i < CONTROLLERS; i++)
        found |= controllers[i] == node;
    return found;
}

static uint32_t draw_target(uint64_t *random)
{
    uint32_t target;
    do
        target = (uint32_t)(splitmix64(random) % NODES);
    while (is_controller(target));
    return target;
}

// Flits per cycle of node 7, which sends all it can, in periods with different numbers of inputs.
static void test_speed_changes(void **state)
{
    (void)state;
    enum { CYCLES = 3000 };
    static const struct {
        uint32_t speed;
        double min, max;
    } parts[] = {
        {4, 1.35, 1.55}, {1, 0.96, 1.01}, {2, 1.3, 1.55}, {1, 0.96, 1.01}, {4, 1.35, 1.55}};
    struct network n;
    uint64_t random = 3, before = 0;
    begin(&n, MESH "injection_speedup=4");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_int_equal(noc_set_entry_speed(n.noc, 7, parts[i].speed), parts[i].speed);
        for (uint32_t k = 0; k < CYCLES; k++) {
            if (noc_can_send(n.noc, 7, 0, LONG))
                send(&n, 7, draw_target(&random), 0);
            noc_tick(n.noc);
            pop_all(&n);
            if (k % 64 == 0)
                verify(&n);
        }
        double rate = (double)(noc_class_stats(n.noc, 0)->flits - before) / CYCLES;
        if (rate < parts[i].min || rate > parts[i].max)
            fail_msg("part %zu: %f", i, rate);
        before = noc_class_stats(n.noc, 0)->flits;
    }
    end(&n);
}

// Checks the ratio of the mean utilization of channels between routers to that of the entries: the
// controllers' packets pass d channels on average, whatever the load.
static void check_ratio(double load)
{
    enum { CYCLES = 20000, CHANNELS = 2 * 2 * 6 * 5 };
    struct network n;
    uint64_t random = 11;
    begin(&n, MESH "injection_speedup=4");
    for (uint32_t i = 0; i < CYCLES; i++) {
        for (uint32_t k = 0; k < CONTROLLERS; k++)
            if ((double)(splitmix64(&random) >> 40) < load * (1 << 24) &&
                noc_can_send(n.noc, controllers[k], 0, LONG))
                send(&n, controllers[k], draw_target(&random), 0);
        noc_tick(n.noc);
        pop_all(&n);
    }
    const struct noc_class_stats *stats = noc_class_stats(n.noc, 0);
    double inner = (double)noc_stats(n.noc)->noc_link / CHANNELS;
    double entries = (double)stats->flits_entered / CONTROLLERS;
    double mean = (double)stats->hops / (double)stats->packets;
    assert_true(fabs(inner / entries - CONTROLLERS * mean / CHANNELS) < 0.002);
    assert_in_range(inner / entries * 1000, 250, 264); // 0.257 for targets of the same chance
    end(&n);
}

static void test_ratio_of_utilizations(void **state)
{
    (void)state;
    check_ratio(0.02);
    check_ratio(0.08);
    check_ratio(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_speed_changes),
        cmocka_unit_test(test_ratio_of_utilizations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
