// Slices that share a memory, replies by sector, two sides of the LLC, and hashes of partitions.
#include "tests/unit/runtime-sim/memsys_fixture.h"

// 16 cores and 8 slices at a packet-wide crossbar; equal clocks, and a DRAM whose rows are closed.
#define CROSSBAR                                                                                   \
    "request_network.topology=crossbar", "reply_network.topology=crossbar",                        \
        "request_network.nodes=24", "reply_network.nodes=24", "request_network.packet_wide=true",  \
        "reply_network.packet_wide=true", "memory.cores=16",                                       \
        "memory.partition_nodes=[16,17,18,19,20,21,22,23]", "dram.clock=1400", "dram.page=closed", \
        "dram.delay=0", "memory.request_delay=0"
#define SECTORS "memory.sectors=true", "llc.sector_bytes=32"

static uint64_t round_trip(struct fixture *f, uint32_t core, uint64_t line, uint32_t bytes)
{
    struct memsys_request r = request(core, line, MEMSYS_READ);
    uint64_t sent = f->now;
    r.bytes = mask_range(0, bytes);
    memsys_send(f->m, &r);
    for (bool more = true; more;) {
        assert_true(advance(f, UINT64_MAX) != UINT64_MAX);
        more = memsys_peek(f->m, core)->more;
        memsys_pop(f->m, core);
    }
    uint64_t took = f->now - sent;
    advance(f, f->now + 1000);
    return took;
}

static void begin_with(struct fixture *f, const char *const *settings)
{
    static const char *const machine[] = {CROSSBAR, NULL};
    begin(f, "isca19", machine);
    for (; settings && *settings; settings++)
        assert_true(config_set(&f->config, *settings));
    start_with(f, (struct memsys_tables){.in_sectors = REQUESTERS}, NULL, NULL);
}

// A slice that has its memory alone at the moment is as fast as one with a memory of its own.
static void alone(void **state)
{
    (void)state;
    static const char *const settings[][3] = {
        {"memory.channel_slices=1"},
        {"memory.channel_slices=2"},
        {"memory.channel_slices=4"},
        {"memory.channel_slices=1", "memory.dram_delay=20"},
        {"memory.channel_slices=2", "memory.dram_delay=20"},
    };
    uint64_t expected[2][2];
    for (uint32_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct fixture f;
        bool delayed = settings[i][1];
        begin_with(&f, settings[i]);
        uint64_t miss = round_trip(&f, 0, 3, LINE), hit = round_trip(&f, 1, 3, LINE);
        if (i == 0 || i == 3) {
            expected[delayed][0] = miss;
            expected[delayed][1] = hit;
        }
        assert_int_equal(miss, expected[delayed][0]);
        assert_int_equal(hit, expected[delayed][1]);
        end(&f);
    }
    assert_int_equal(expected[1][0] - expected[0][0], 21);
}

struct stream {
    uint64_t cycles, done[8];
};

// All cores read `count` lines of all slices, as fast as they can.
static struct stream stream(const char *const *settings, uint32_t slices, uint64_t shuffle)
{
    enum { COUNT = 1600 };
    struct fixture f;
    struct stream s = {0};
    uint32_t sent = 0, done = 0;
    begin_with(&f, settings);
    memsys_shuffle(f.m, shuffle);
    while (done < COUNT) {
        for (uint32_t core = 0; core < 16; core++) {
            uint64_t line = sent / slices * 8 + sent % slices;
            struct memsys_request r = request(core, line, MEMSYS_READ);
            if (sent < COUNT && memsys_can_send(f.m, &r)) {
                memsys_send(f.m, &r);
                sent++;
            }
            const struct memsys_request *reply = memsys_peek(f.m, core);
            if (!reply)
                continue;
            if (!reply->more) {
                done++;
                s.done[memsys_partition_of(f.m, reply->line)] += done <= COUNT / 2;
            }
            memsys_pop(f.m, core);
        }
        assert_true(f.now < 1000000);
        advance(&f, f.now + 1);
    }
    s.cycles = f.now;
    memsys_stats_refresh(f.m);
    assert_true(memsys_stats(f.m)->dram_read == (uint64_t)COUNT * LINE * 8);
    end(&f);
    return s;
}

// Slices of one memory share its bandwidth evenly; the order of their evaluation does not matter.
static void shared(void **state)
{
    (void)state;
#define OPEN "dram.page=open", "dram.row_bytes=8192"
    struct stream own = stream((const char *const[]){OPEN, NULL}, 2, 0);
    struct stream two = stream((const char *const[]){OPEN, "memory.channel_slices=2", NULL}, 2, 0);
    struct stream four = stream((const char *const[]){OPEN, "memory.channel_slices=4", NULL}, 4, 0);
    assert_in_range(two.cycles, own.cycles * 19 / 10, own.cycles * 21 / 10);
    assert_in_range(four.cycles, two.cycles * 98 / 100, two.cycles * 102 / 100);
    assert_in_range(two.cycles, 1600 * 2, 1600 * 2 * 11 / 10); // a burst of two clocks for a line
    for (uint32_t i = 0; i < 2; i++)
        assert_in_range(two.done[i], 390, 410);
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(four.done[i], 190, 210);
    struct stream again =
        stream((const char *const[]){OPEN, "memory.channel_slices=4", NULL}, 4, 99);
    assert_memory_equal(&again, &four, sizeof four);
}

// A reply is a packet for each sector, or for each two: an output accepts one per cycle, whatever
// its size.
static void sectors(void **state)
{
    (void)state;
    uint64_t hit[3][5];
    for (uint32_t split = 0; split < 3; split++) {
        struct fixture f;
        begin_with(&f, (const char *const[]){SECTORS,
                                             split ? "memory.sector_replies=true"
                                                   : "memory.sector_replies=false",
                                             split == 2 ? "memory.reply_sectors=2" : NULL, NULL});
        round_trip(&f, 0, 8, LINE);
        for (uint32_t count = 1; count <= 4; count++)
            hit[split][count] = round_trip(&f, 0, 8, 32 * count);
        const struct noc_class_stats *stats =
            noc_class_stats(memsys_network(f.m, MEMSYS_REPLIES), 0);
        static const uint64_t packets[] = {5, 4 + 1 + 2 + 3 + 4, 2 + 1 + 1 + 2 + 2};
        assert_int_equal(stats->packets, packets[split]);
        memsys_stats_refresh(f.m);
        assert_int_equal(memsys_stats(f.m)->answers, 5);
        end(&f);
    }
    for (uint32_t count = 1; count <= 4; count++) {
        assert_int_equal(hit[1][count], hit[0][count] + count - 1);
        assert_int_equal(hit[2][count], hit[0][count] + (count - 1) / 2);
    }
}

// A core at the other side waits far_delay longer.
static void sides(void **state)
{
    (void)state;
    static const char *const all[] = {"memory.far_delay=70",
                                      "memory.core_sides=[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]", NULL};
    for (uint32_t listed = 0; listed < 2; listed++) {
        struct fixture f;
        begin_with(&f, (const char *const[]){all[0], listed ? all[1] : NULL, NULL});
        for (uint64_t line = 0; line < 8; line++)
            round_trip(&f, 0, line, LINE);
        uint64_t near = round_trip(&f, listed ? 1 : 0, 0, LINE);
        for (uint32_t core = 0; core < 16; core++)
            for (uint64_t line = 0; line < 8; line++) {
                bool side = listed ? core == 0 || core == 15 : core >= 8;
                assert_int_equal(round_trip(&f, core, line, LINE),
                                 near + (side != (line >= 4) ? 70 : 0));
            }
        end(&f);
    }
}

static void hashed(void **state)
{
    (void)state;
    struct fixture f;
    begin_with(&f, (const char *const[]){"memory.rule=ipoly", NULL});
    for (uint64_t group = 0; group < 64; group++) {
        uint32_t seen = 0;
        for (uint64_t line = 8 * group; line < 8 * group + 8; line++)
            seen |= 1u << memsys_partition_of(f.m, line);
        assert_int_equal(seen, 0xff);
    }
    end(&f);
}

static void refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"memory.channel_slices=3", "memory.partition_nodes has 8 elements, not a multiple of "
                                    "memory.channel_slices: 3"},
        {"memory.sector_replies=true", "memory.sector_replies needs memory.sectors: true"},
        {"memory.core_sides=[0,1]", "memory.core_sides has 2 elements, but there are 56 cores"},
        {"memory.rule=ipoly", NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fixture f;
        begin(&f, "isca19", (const char *const[]){wrong[i][0], NULL});
        const char *text = memsys_check(&f.arena, f.values);
        if (wrong[i][1])
            assert_string_equal(text, wrong[i][1]);
        else
            assert_null(text);
        arena_free(&f.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone), cmocka_unit_test(shared), cmocka_unit_test(sectors),
        cmocka_unit_test(sides), cmocka_unit_test(hashed), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("memsys_slices", tests, NULL, NULL);
}
