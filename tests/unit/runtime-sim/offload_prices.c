// Prices of the parts of the memory system: closed forms of use and price over windows.
#include "runtime-sim/schemes/llc_omni/prices.h"
#include "tests/unit/runtime-sim/offload_fixture.h"

static struct offload_rig o;

static const struct memsys_config *config_of(void)
{
    return &machine_port(o.r.machine).config->memsys;
}

static struct memsys *memsys_of(void)
{
    return machine_port(o.r.machine).memsys;
}

// Loads a chain without offloading, and returns new prices.
static struct prices *begin(void)
{
    const struct form form = {.shape = {side_by_side, side_by_side, side_by_side},
                              .line = {5, 6, 7}};
    offload_load(&o, &form, SETTINGS("offload.policy=baseline"));
    return prices_new(machine_port(o.r.machine).arena, memsys_of(), config_of(), NULL, 0);
}

static uint32_t price_of(uint32_t use)
{
    uint32_t price = use;
    for (int i = 0; i < 3; i++)
        price = price * price / PRICES_FULL;
    return price + 1;
}

// Nothing is in use: all prices are 1, and a flit costs its hops and two ports.
static void idle_parts_cost_hops(void **state)
{
    (void)state;
    struct prices *prices = begin();
    assert_int_equal(prices_way(prices, MEMSYS_REPLIES, 2, 9, 4), 6);
    assert_int_equal(prices_way(prices, MEMSYS_REPLIES, 2, 2, 0), 0);
    prices_update(prices, PRICES_WINDOW);
    assert_int_equal(prices->next, 2 * PRICES_WINDOW);
    assert_int_equal(prices->busiest, 1);
    assert_int_equal(prices_way(prices, MEMSYS_REQUESTS, 2, 9, 4), 6);
    offload_free(&o);
}

// After a launch each port has the use of its flits, of which a window has a quarter.
static void used_ports_cost_their_use(void **state)
{
    (void)state;
    struct prices *prices = begin();
    offload_run(&o, LANES);
    uint64_t now = machine_port(o.r.machine).now;
    prices_update(prices, now);
    uint32_t used = 0;
    for (int network = 0; network < PRICES_NETWORKS; network++) {
        const struct noc *noc = memsys_noc(memsys_of(), (enum memsys_network)network);
        for (uint32_t i = 0; i < noc_nodes(noc); i++) {
            uint64_t entered = noc_node(noc, i).flits_entered * PRICES_FULL / noc_cycle(noc);
            uint64_t arrived = noc_node(noc, i).flits_arrived * PRICES_FULL / noc_cycle(noc);
            assert_int_equal(prices->enters[network][i].use, entered / PRICES_KEEPS);
            assert_int_equal(prices->arrives[network][i].use, arrived / PRICES_KEEPS);
            assert_int_equal(prices->enters[network][i].price,
                             price_of((uint32_t)(entered / PRICES_KEEPS)));
            used += entered > 0;
        }
    }
    assert_true(used > 1);
    // A window in which nothing happens keeps three quarters.
    uint32_t before[64];
    const struct noc *replies = memsys_noc(memsys_of(), MEMSYS_REPLIES);
    for (uint32_t i = 0; i < noc_nodes(replies) && i < 64; i++)
        before[i] = prices->enters[MEMSYS_REPLIES][i].use;
    prices->cycle[MEMSYS_REPLIES] -= PRICES_WINDOW; // as if the network had had a window more
    prices_update(prices, now + PRICES_WINDOW);
    for (uint32_t i = 0; i < noc_nodes(replies) && i < 64; i++)
        assert_int_equal(prices->enters[MEMSYS_REPLIES][i].use,
                         before[i] * (PRICES_KEEPS - 1) / PRICES_KEEPS);
    offload_free(&o);
}

// A port that is always in use approaches the full price, and is the busiest.
static void full_ports_are_the_busiest(void **state)
{
    (void)state;
    struct prices *prices = begin();
    offload_run(&o, LANES);
    const struct noc *noc = memsys_noc(memsys_of(), MEMSYS_REPLIES);
    uint32_t node = config_of()->memory.partition_nodes.v[5];
    uint64_t flits = noc_node(noc, node).flits_entered;
    assert_true(flits > 0);
    for (uint32_t window = 1; window <= 64; window++) {
        // As if the network's last `flits` cycles had been the window, and carried all of them.
        prices->cycle[MEMSYS_REPLIES] = noc_cycle(noc) - flits;
        prices->enters[MEMSYS_REPLIES][node].counted = 0;
        prices_update(prices, window * PRICES_WINDOW);
    }
    assert_true(prices->enters[MEMSYS_REPLIES][node].use > PRICES_FULL - PRICES_KEEPS);
    assert_int_equal(prices->busiest, prices->enters[MEMSYS_REPLIES][node].price);
    assert_true(prices->busiest > PRICES_FULL * 9 / 10);
    offload_free(&o);
}

// A buffer of four entries with two chains in it has half of its entries in use. Each chain has one
// for as long as the mean of the window, and counts as that many flits, divided by the entries.
static void buffers_cost_the_time_in_them(void **state)
{
    enum { ENTRIES = 4, CHAINS = 8 };
    const struct offload_config config = {.buffer = ENTRIES};
    struct service service = {.config = &config, .buffered = 2};
    (void)state;
    begin();
    struct prices *prices =
        prices_new(machine_port(o.r.machine).arena, memsys_of(), config_of(), &service, 1);
    assert_int_equal(prices_stay(prices, 0), 0);
    uint32_t use = 0;
    for (uint32_t window = 1; window <= 3; window++) {
        service.chains_buffered += CHAINS;
        prices_update(prices, window * PRICES_WINDOW);
        use = (use * (PRICES_KEEPS - 1) + PRICES_FULL * 2 / ENTRIES) / PRICES_KEEPS;
        assert_int_equal(prices->buffers[0].use, use);
        assert_int_equal(prices->hold[0], 2 * PRICES_WINDOW / CHAINS / ENTRIES);
        assert_int_equal(prices_stay(prices, 0), price_of(use) * prices->hold[0]);
    }
    // Without a new chain the time is that of the last window; an empty buffer becomes cheap.
    service.buffered = 0;
    service_count_buffer(&service, 3 * PRICES_WINDOW);
    for (uint32_t window = 4; window <= 40; window++)
        prices_update(prices, window * PRICES_WINDOW);
    assert_int_equal(prices->hold[0], 2 * PRICES_WINDOW / CHAINS / ENTRIES);
    assert_int_equal(prices_stay(prices, 0), prices->hold[0]);
    // A full one is as expensive as a port that is always in use, for each flit.
    service.buffered = ENTRIES;
    for (uint32_t window = 41; window <= 100; window++)
        prices_update(prices, window * PRICES_WINDOW);
    assert_true(prices->buffers[0].use > PRICES_FULL - PRICES_KEEPS);
    assert_int_equal(prices->busiest, prices->buffers[0].price);
    offload_free(&o);
}

// A port limits the program if its flits and those that offloading has saved fill it.
static void saved_flits_are_demand(void **state)
{
    (void)state;
    struct prices *prices = begin();
    uint32_t node = config_of()->memory.partition_nodes.v[3];
    offload_run(&o, LANES);
    uint64_t cycles = noc_cycle(memsys_noc(memsys_of(), MEMSYS_REPLIES));
    prices_update(prices, PRICES_WINDOW);
    assert_false(prices_limit(prices));
    for (uint32_t window = 2; window <= 40; window++) {
        prices->cycle[MEMSYS_REPLIES] -= cycles; // the networks stand still
        prices_relieve(prices, node, 0, (int64_t)cycles);
        prices_update(prices, window * PRICES_WINDOW);
    }
    assert_true(prices_limit(prices));
    assert_true(prices->enters[MEMSYS_REPLIES][node].use < PRICES_LIMITS);
    for (uint32_t window = 41; window <= 80; window++) { // offloading adds as many
        prices->cycle[MEMSYS_REPLIES] -= cycles;
        prices_relieve(prices, node, 0, -(int64_t)cycles);
        prices_update(prices, window * PRICES_WINDOW);
    }
    assert_false(prices_limit(prices));
    offload_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_parts_cost_hops), cmocka_unit_test(used_ports_cost_their_use),
        cmocka_unit_test(full_ports_are_the_busiest),
        cmocka_unit_test(buffers_cost_the_time_in_them), cmocka_unit_test(saved_flits_are_demand)};
    return cmocka_run_group_tests_name("prices", tests, NULL, NULL);
}
