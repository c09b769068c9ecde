// The memory system besides its requests: invalid configurations, statistics, the report of
// requests in flight, the table of keys in docs/reference/machine.md.
#include "tests/unit/runtime-sim/documented.h"
#include "tests/unit/runtime-sim/memsys_fixture.h"

static void wrong_configurations(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"memory.cores=57", NULL,
         "memory.cores is 57, but 64 nodes, 8 of them with a partition, leave room for 56"},
        {"memory.partition_nodes=[64]", NULL,
         "memory.partition_nodes contains 64, but there are 64 nodes"},
        {"memory.partition_nodes=[1, 2, 1]", NULL, "memory.partition_nodes contains 1 twice"},
        {"memory.partition_nodes=[]", NULL, "memory.partition_nodes is empty"},
        {"memory.partition_nodes=[1, 2, 5]", "memory.rule=xor",
         "memory.rule: xor needs a power of two as the number of partitions, not 3"},
        {"memory.chunk=64", NULL, "memory.chunk is 64, not a multiple of llc.line_bytes: 128"},
        {"memory.sector_bytes=48", NULL,
         "llc.line_bytes is 128, not a multiple of memory.sector_bytes: 48"},
        {"dram.request_bytes=32", "llc.sector_bytes=128", NULL},
        {"reply_network.width=4", NULL, "request_network has 64 nodes, reply_network 32"},
        {"memory.reply_class=1", NULL, "memory.reply_class is 1, but reply_network.classes is 1"},
        {"request_network.classes=9", NULL,
         "request_network: class 8 has 0 virtual channels, but needs one"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fixture f;
        begin(&f, "isca19", (const char *const[]){wrong[i][0], wrong[i][1], NULL});
        const char *text = memsys_check(&f.arena, f.values);
        if (wrong[i][2])
            assert_string_equal(text, wrong[i][2]);
        else
            assert_null(text);
        arena_free(&f.arena);
    }
}

// Nodes at routers of butterflies need two networks, each the reverse of the other. These nodes
// have neither cores nor partitions.
static void wrong_butterflies(void **state)
{
    enum { SETTINGS_MAX = 5 };
    (void)state;
    static const struct {
        const char *settings[SETTINGS_MAX], *wrong;
    } cases[] = {
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true"},
         NULL},
        {{"request_network.router_nodes=true", "reply_network.reversed=true"},
         "request_network.router_nodes needs reply_network.router_nodes"},
        {{"reply_network.router_nodes=true", "reply_network.reversed=true"},
         "reply_network.router_nodes needs request_network.router_nodes"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true"},
         "router_nodes needs request_network.reversed: false and reply_network.reversed: true"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "request_network.reversed=true"},
         "router_nodes needs request_network.reversed: false and reply_network.reversed: true"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "reply_network.radix=8", "reply_network.stages=2"},
         "router_nodes needs butterflies of the same radix and stages"},
        {{"request_network.router_nodes=true", "reply_network.topology=mesh"},
         "request_network.router_nodes needs reply_network.router_nodes"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "memory.partition_nodes=[64]"},
         "memory.partition_nodes contains 64, but there are 64 nodes"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "memory.cores=57"},
         "memory.cores is 57, but 64 nodes, 8 of them with a partition, leave room for 56"},
        {{"reply_network.reversed=true"}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        const char *all[SETTINGS_MAX + 3] = {"request_network.topology=fly",
                                             "reply_network.topology=fly"};
        memcpy(all + 2, cases[i].settings, sizeof cases[i].settings);
        begin(&f, "isca19", all);
        const char *text = memsys_check(&f.arena, f.values);
        if (cases[i].wrong)
            assert_string_equal(text, cases[i].wrong);
        else
            assert_null(text);
        arena_free(&f.arena);
    }
}

// Every row of the statistics has its group, and totals are the sums of their parts.
static void statistics(void **state)
{
    (void)state;
    struct fixture f;
    struct stats stats;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    stats_init(&stats, &f.arena);
    memsys_stats_add(f.m, &stats);
    for (uint32_t i = 0; i < 100; i++) {
        struct memsys_request r = request(i % 56, i, MEMSYS_READ);
        r.requester = (uint8_t)(i % 2);
        memsys_send(f.m, &r);
        advance(&f, UINT64_MAX);
        memsys_pop(f.m, i % 56);
    }
    memsys_stats_refresh(f.m);
    double total, parts = 0, code, bits;
    for (uint32_t i = 0; i < 8; i++) {
        double reads;
        assert_true(stats_find(&stats, NULL, arena_printf(&f.arena, "dram%u.reads", i), &reads));
        parts += reads;
    }
    assert_true(stats_find(&stats, NULL, "dram.reads", &total));
    assert_true(stats_find(&stats, NULL, "memory.code.from_dram", &code));
    assert_true(stats_find(&stats, NULL, "memory.dram_read", &bits));
    assert_true(total == 100 && parts == 100 && code == 50 && bits == 100 * LINE * 8);
    assert_true(stats_find(&stats, NULL, "request.class0.flits", &total));
    assert_true(total == 100);
    assert_true(stats_find(&stats, NULL, "reply.class0.flits", &total));
    assert_true(total == 500);
    end(&f);
}

// The report names the requests in flight and their places.
static void report(void **state)
{
    (void)state;
    struct fixture f;
    char *text = NULL;
    size_t size = 0;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    struct memsys_request r = request(0, 3, MEMSYS_READ);
    memsys_send(f.m, &r);
    advance(&f, 50);
    FILE *to = open_memstream(&text, &size);
    memsys_report(f.m, to, 10);
    fclose(to);
    assert_non_null(strstr(text, "in cycle 50: 1 requests are unanswered"));
    const char moved[] = "the last one moved in cycle ";
    assert_non_null(strstr(text, moved));
    assert_in_range(strtoull(strstr(text, moved) + strlen(moved), NULL, 10), 1, 50);
    assert_non_null(strstr(text, "partition 3 at node 29"));
    assert_non_null(strstr(text, "DRAM: 1 requests"));
    assert_null(strstr(text, "partition 2"));
    free(text);
    advance(&f, UINT64_MAX);
    memsys_pop(f.m, 0);
    end(&f);
}

// Prints the keys of the section `memory` as a table.
static void print_keys(FILE *to)
{
    struct fixture f;
    begin(&f, "isca19", NULL);
    f.config.section_count = 1;
    config_keys_print_markdown(&f.config, to);
    arena_free(&f.arena);
}

static void documented(void **state)
{
    (void)state;
    check_document("docs/reference/machine.md", print_keys);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--keys")) {
        print_keys(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_configurations), cmocka_unit_test(wrong_butterflies),
        cmocka_unit_test(statistics),           cmocka_unit_test(report),
        cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests_name("memsys_rows", tests, NULL, NULL);
}
