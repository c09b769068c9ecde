// The ways through butterflies.
#include "tests/unit/runtime-sim/network.h"

enum { MOST_STAGES = 12 };

// Routers that a packet passes, in order.
struct way {
    uint32_t count, router[MOST_STAGES];
};

// Sends a packet of one flit through the idle network and follows the channels that carry it.
static struct way follow(struct network *n, uint32_t source, uint32_t target)
{
    struct noc_packet packet = {
        .created = noc_cycle(n->noc), .source = source, .target = target, .flits = 1};
    uint32_t channels = noc_channels(n->noc), at = UINT32_MAX;
    uint64_t *before = calloc(channels, sizeof *before);
    struct way way = {0};
    for (uint32_t i = 0; i < channels; i++)
        before[i] = noc_channel(n->noc, i).flits;
    noc_send(n->noc, &packet);
    while (noc_next(n->noc) != UINT64_MAX)
        noc_tick(n->noc);
    for (uint32_t i = 0; i < channels; i++)
        if (noc_channel(n->noc, i).flits > before[i] &&
            noc_channel(n->noc, i).kind == NOC_CHANNEL_INJECTION)
            at = noc_channel(n->noc, i).to;
    while (way.count < MOST_STAGES) {
        struct noc_channel next = {.to = UINT32_MAX};
        way.router[way.count++] = at;
        for (uint32_t i = 0; i < channels; i++) {
            struct noc_channel channel = noc_channel(n->noc, i);
            if (channel.flits > before[i] && channel.kind != NOC_CHANNEL_INJECTION &&
                channel.from == at)
                next = channel;
        }
        at = next.to;
        if (next.kind == NOC_CHANNEL_EJECTION)
            break;
    }
    free(before);
    assert_int_equal(at, target);
    assert_int_equal(noc_peek(n->noc, target, 0)->routers, way.count);
    noc_pop(n->noc, target, 0);
    return way;
}

static void check_routers(const char *settings, uint32_t terminals)
{
    struct network n;
    begin(&n, settings);
    assert_int_equal(noc_fly_terminals(&n.config), terminals);
    for (uint32_t from = 0; from < terminals; from++)
        for (uint32_t to = 0; to < terminals; to++) {
            struct way way = follow(&n, from, to);
            assert_int_equal(way.count, n.config.stages);
            for (uint32_t stage = 0; stage < way.count; stage++)
                assert_int_equal(noc_fly_router(&n.config, stage, from, to), way.router[stage]);
        }
    end(&n);
}

static void test_routers_of_ways(void **state)
{
    (void)state;
    check_routers("topology=fly radix=4 stages=3", 64);
    check_routers("topology=fly radix=2 stages=4", 16);
    check_routers("topology=fly radix=3 stages=3", 27);
    check_routers("topology=fly radix=5 stages=1", 5);
}

static void test_no_butterfly(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "topology=crossbar nodes=16");
    assert_int_equal(noc_fly_terminals(&n.config), 0);
    end(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routers_of_ways),
        cmocka_unit_test(test_no_butterfly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
