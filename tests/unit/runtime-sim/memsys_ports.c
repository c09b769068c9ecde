// Cores that share a node: the port accepts their requests in turn, each core waits for room in its
// own queue only, and the order of the cores in a cycle does not matter.
#include "tests/unit/runtime-sim/memsys_fixture.h"

enum { SHARERS = 4, CORES = 8, EACH = 60, LIMIT = CORES * EACH };

// 8 cores at two nodes of a crossbar, and a partition at the third one.
static void begin_ports(struct fixture *f, const char *const *settings)
{
    static const char *const machine[] = {"request_network.topology=crossbar",
                                          "reply_network.topology=crossbar",
                                          "request_network.nodes=3",
                                          "reply_network.nodes=3",
                                          "memory.partition_nodes=[2]",
                                          "memory.cores=8",
                                          "memory.node_cores=4",
                                          NULL};
    begin(f, "isca19", machine);
    for (; settings && *settings; settings++)
        assert_true(config_set(&f->config, *settings));
}

struct traffic {
    uint32_t sent[CORES], done[CORES];
    uint64_t at[LIMIT]; // cycle of each reply, by core and number
    uint64_t cycles, refused;
};

// All cores read lines of the same set as fast as they can, in the given order in each cycle.
static void run(struct traffic *t, const char *const *settings, bool backwards)
{
    struct fixture f;
    begin_ports(&f, settings);
    start(&f, NULL, NULL);
    memset(t, 0, sizeof *t);
    for (uint32_t left = LIMIT; left;) {
        for (uint32_t i = 0; i < CORES; i++) {
            uint32_t core = backwards ? CORES - 1 - i : i;
            struct memsys_request r = request(core, core * EACH + t->sent[core], MEMSYS_READ);
            if (t->sent[core] < EACH && memsys_can_send(f.m, &r)) {
                memsys_send(f.m, &r);
                t->sent[core]++;
            }
            const struct memsys_request *reply = memsys_peek(f.m, core);
            if (!reply)
                continue;
            assert_int_equal(reply->core, core);
            assert_int_equal(reply->line / EACH, core);
            t->at[reply->line] = f.now;
            t->done[core]++;
            left--;
            memsys_pop(f.m, core);
        }
        advance(&f, f.now + 1);
    }
    t->cycles = f.now;
    t->refused = memsys_stats(f.m)->refused;
    end(&f);
}

static void any_order(void **state)
{
    (void)state;
    static struct traffic one, other;
    static const char *const settings[][4] = {
        {NULL},
        {"memory.port_queue=1", "request_network.injection_queue=1", NULL},
        {"memory.port_queue=4", "reply_network.ejection_queue=1", "memory.reply_queue=1", NULL},
    };
    for (uint32_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        run(&one, settings[i], false);
        run(&other, settings[i], true);
        for (uint32_t core = 0; core < CORES; core++)
            assert_int_equal(one.done[core], EACH);
        assert_memory_equal(one.at, other.at, sizeof one.at);
        assert_int_equal(one.cycles, other.cycles);
        assert_int_equal(one.refused, other.refused);
        assert_true(one.refused > 0);
    }
}

// While all cores send, none gets more than one request ahead of another at its node.
static void in_turn(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t sent[SHARERS] = {0};
    begin_ports(&f, (const char *const[]){"memory.port_queue=1",
                                          "request_network.injection_queue=1", NULL});
    start(&f, NULL, NULL);
    for (uint32_t cycle = 0; cycle < 200; cycle++) {
        uint32_t min = UINT32_MAX, max = 0;
        for (uint32_t core = 0; core < SHARERS; core++) {
            struct memsys_request r = request(core, 1000 * core + cycle, MEMSYS_READ);
            if (memsys_can_send(f.m, &r)) {
                memsys_send(f.m, &r);
                sent[core]++;
            }
            if (memsys_peek(f.m, core))
                memsys_pop(f.m, core);
            min = sent[core] < min ? sent[core] : min;
            max = sent[core] > max ? sent[core] : max;
        }
        assert_true(max - min <= 1);
        advance(&f, f.now + 1);
    }
    assert_true(sent[0] > 20);
    while (memsys_inside(f.m)) {
        for (uint32_t core = 0; core < SHARERS; core++)
            if (memsys_peek(f.m, core))
                memsys_pop(f.m, core);
        advance(&f, f.now + 1);
    }
    end(&f);
}

// A core that was rejected is notified when its own queue has room.
static void notified(void **state)
{
    (void)state;
    struct fixture f;
    begin_ports(&f, (const char *const[]){"memory.port_queue=1", NULL});
    start(&f, NULL, NULL);
    struct memsys_request first = request(1, 1, MEMSYS_READ), second = request(1, 2, MEMSYS_READ);
    struct memsys_request other = request(2, 3, MEMSYS_READ);
    assert_true(memsys_can_send(f.m, &first));
    memsys_send(f.m, &first);
    assert_false(memsys_can_send(f.m, &second));
    assert_true(memsys_can_send(f.m, &other));
    assert_int_equal(memsys_may_send(f.m, 0), 0);
    advance(&f, UINT64_MAX);
    assert_int_equal(memsys_may_send(f.m, 0), 1 << 1);
    assert_true(memsys_can_send(f.m, &second));
    assert_int_equal(memsys_may_send(f.m, 0), 0);
    advance(&f, UINT64_MAX);
    memsys_pop(f.m, 1);
    end(&f);
}

static void nodes(void **state)
{
    (void)state;
    struct fixture f;
    begin_ports(&f, NULL);
    start(&f, NULL, NULL);
    for (uint32_t core = 0; core < CORES; core++)
        assert_int_equal(memsys_endpoint_node(f.m, core), core / SHARERS);
    assert_int_equal(memsys_endpoint_at(f.m, 1), SHARERS);
    end(&f);
    begin_ports(&f, (const char *const[]){"memory.cores=9", NULL});
    assert_string_equal(
        memsys_check(&f.arena, f.values),
        "memory.cores is 9, but 3 nodes, 1 of them with a partition, leave room for 8");
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),
        cmocka_unit_test(in_turn),
        cmocka_unit_test(notified),
        cmocka_unit_test(nodes),
    };
    return cmocka_run_group_tests_name("memsys_ports", tests, NULL, NULL);
}
