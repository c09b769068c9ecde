// Patterns and sources of synthetic traffic.
#include "tools/noc/traffic.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct memory memory;
    struct arena arena;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (!f || setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    memory_free(&f->memory);
    free(f);
    return 0;
}

static struct noc_traffic bound(struct fixture *f, const char *text, const uint32_t *extent,
                                uint32_t digits)
{
    struct noc_traffic traffic;
    struct traffic_shape shape = {.nodes = 1, .extent = extent, .digits = digits};
    for (uint32_t d = 0; d < digits; d++)
        shape.nodes *= extent[d];
    assert_null(traffic_read(&traffic, &f->arena, text));
    assert_null(traffic_bind(&traffic, &f->arena, &shape));
    return traffic;
}

// Patterns

static void permutations_of_a_mesh(void **state)
{
    for (uint32_t k = 2; k < 9; k++) {
        uint32_t extent[] = {k, k};
        struct noc_traffic transpose = bound(*state, "transpose", extent, 2);
        struct noc_traffic bitcomp = bound(*state, "bitcomp", extent, 2);
        struct noc_traffic neighbor = bound(*state, "neighbor", extent, 2);
        for (uint32_t y = 0; y < k; y++)
            for (uint32_t x = 0; x < k; x++) {
                assert_int_equal(transpose.receivers[y * k + x], x * k + y);
                assert_int_equal(bitcomp.receivers[y * k + x], (k - 1 - y) * k + k - 1 - x);
                assert_int_equal(neighbor.receivers[y * k + x], (y + 1) % k * k + (x + 1) % k);
            }
    }
}

static void complement_is_that_of_bits(void **state)
{
    uint32_t extent[] = {4, 4, 4};
    struct noc_traffic traffic = bound(*state, "bitcomp", extent, 3);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(traffic.receivers[i], ~i & 63);
}

static void rectangles(void **state)
{
    uint32_t extent[] = {5, 3};
    struct noc_traffic neighbor = bound(*state, "neighbor", extent, 2);
    struct noc_traffic bitcomp = bound(*state, "bitcomp", extent, 2);
    assert_int_equal(neighbor.receivers[4], 5);
    assert_int_equal(neighbor.receivers[14], 0);
    assert_int_equal(neighbor.receivers[6], 12);
    assert_int_equal(bitcomp.receivers[0], 14);
    assert_int_equal(bitcomp.receivers[7], 7);
}

// tornado: half of the way round in each direction, or just less; the others are permutations of 6
// bits.
static void tornado_shuffle_and_reversal(void **state)
{
    static const uint32_t mesh[] = {8, 8}, odd[] = {5, 3};
    struct noc_traffic traffic = bound(*state, "tornado", mesh, 2);
    assert_int_equal(traffic.receivers[0], 3 + 8 * 3);
    assert_int_equal(traffic.receivers[6 + 8 * 1], 1 + 8 * 4);
    traffic = bound(*state, "tornado", odd, 2);
    assert_int_equal(traffic.receivers[4 + 5 * 2], 1 + 5 * 0);
    traffic = bound(*state, "shuffle", mesh, 2);
    assert_int_equal(traffic.receivers[0x25], 0x0b); // 100101 to 001011
    traffic = bound(*state, "bitrev", mesh, 2);
    assert_int_equal(traffic.receivers[0x0b], 0x34); // 001011 to 110100
    static const char *const names[] = {"tornado", "shuffle", "bitrev"};
    for (int i = 0; i < 3; i++) {
        uint64_t reached = 0;
        traffic = bound(*state, names[i], mesh, 2);
        assert_true(traffic.fixed);
        for (uint32_t node = 0; node < 64; node++)
            reached |= UINT64_C(1) << traffic.receivers[node];
        assert_true(reached == UINT64_MAX);
    }
}

// Transposed by bits: the upper three of six are exchanged with the lower three.
static void transpose_of_a_butterfly(void **state)
{
    uint32_t extent[] = {4, 4, 4};
    struct noc_traffic traffic = bound(*state, "transpose", extent, 3);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(traffic.receivers[i], (i & 7) << 3 | i >> 3);
}

static void lists(void **state)
{
    uint32_t extent[] = {6, 6};
    struct noc_traffic few = bound(*state, "few-to-many:0-5,30,35", extent, 2);
    struct noc_traffic many = bound(*state, "many-to-few:0-5,30,35", extent, 2);
    struct noc_traffic hot = bound(*state, "hotspot:7,3", extent, 2);
    assert_int_equal(few.sender_count, 8);
    assert_int_equal(few.receiver_count, 28);
    assert_int_equal(many.sender_count, 28);
    assert_int_equal(many.receiver_count, 8);
    assert_int_equal(hot.sender_count, 36);
    assert_int_equal(hot.receiver_count, 2);
    struct noc_traffic flow = bound(*state, "flow:9,9", extent, 2);
    assert_int_equal(flow.sender_count, 1);
    assert_true(flow.sends[9] && !flow.fixed);
    assert_int_equal(flow.receiver_count, 1);
    assert_int_equal(flow.receivers[0], 9);
    assert_int_equal(hot.receivers[0], 7);
    assert_int_equal(hot.receivers[1], 3);
    for (uint32_t i = 0; i < 36; i++) {
        bool listed = i < 6 || i == 30 || i == 35;
        assert_int_equal(few.sends[i], listed);
        assert_int_equal(many.sends[i], !listed);
        assert_true(hot.sends[i]);
    }
    for (uint32_t i = 0; i < 28; i++)
        assert_true(!few.sends[few.receivers[i]]);
    for (uint32_t i = 0; i < 8; i++)
        assert_true(!many.sends[many.receivers[i]]);
}

static void what_cannot_be_read(void **state)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"transpos", "unknown pattern 'transpos'; did you mean 'transpose'?"},
        {"", "unknown pattern ''"},
        {"uniform:3", "'uniform' takes no list"},
        {"hotspot", "'hotspot' needs a list of places, as in hotspot:3,7"},
        {"hotspot:", "'hotspot' needs a list of places, as in hotspot:3,7"},
        {"hotspot:3,", "unknown place '': places are numbers from 0"},
        {"hotspot:x", "unknown place 'x': places are numbers from 0"},
        {"hotspot:12345678", "unknown place '12345678': places are numbers from 0"},
        {"hotspot:3;4", "cannot read '3;4': expected places such as 3,7 or 0-5"},
        {"hotspot:5-3", "cannot read '5-3': expected places such as 3,7 or 0-5"},
        {"hotspot:5-", "cannot read '5-': expected places such as 3,7 or 0-5"},
        {"hotspot:3,1-4", "names 3 twice"},
        {"flow:3", "'flow' needs a source and a target, as in flow:3,7"},
        {"flow:3,4,5", "'flow' needs a source and a target, as in flow:3,7"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct noc_traffic traffic;
        const char *says = traffic_read(&traffic, &f->arena, wrong[i].text);
        assert_non_null(says);
        assert_string_equal(says, wrong[i].says);
    }
}

static void what_does_not_fit(void **state)
{
    static const struct {
        const char *text;
        uint32_t extent[3], digits;
        const char *says;
    } wrong[] = {
        {"transpose", {4, 3}, 2, "'transpose' needs a square number of places, but there are 12"},
        {"transpose", {8, 2}, 2, "'transpose' needs a square, but this is 8 by 2"},
        {"transpose", {2, 2, 2}, 3, "'transpose' needs a square number of places, but there are 8"},
        {"hotspot:3,12", {4, 3}, 2, "'hotspot' names place 12, but places are 0 to 11"},
        {"many-to-few:0-5", {3, 2}, 2, "'many-to-few' lists all places: no others remain"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct noc_traffic traffic;
        struct traffic_shape shape = {1, wrong[i].extent, wrong[i].digits};
        for (uint32_t d = 0; d < shape.digits; d++)
            shape.nodes *= shape.extent[d];
        assert_null(traffic_read(&traffic, &f->arena, wrong[i].text));
        assert_string_equal(traffic_bind(&traffic, &f->arena, &shape), wrong[i].says);
    }
}

// Sources

static const uint32_t eight_by_eight[] = {8, 8};

struct packet {
    uint32_t node, receiver, flits;
    uint64_t created;
};

struct packets {
    VEC(struct packet) list;
};

static struct traffic_sizes sizes_of(struct fixture *f, const char *text)
{
    struct traffic_sizes sizes;
    assert_null(traffic_read_sizes(&sizes, &f->arena, text));
    return sizes;
}

// Collects all ready packets, each cycle or sometimes.
static struct packets collect(struct fixture *f, const char *sizes, double load, uint64_t cycles,
                              uint64_t stride)
{
    struct noc_traffic traffic = bound(f, "uniform", eight_by_eight, 2);
    struct traffic_sizes flits = sizes_of(f, sizes);
    struct sources sources;
    struct packets packets = {0};
    sources_init(&sources, &f->arena, &traffic, &flits, load, 7);
    for (uint64_t now = 0; now < cycles; now += stride) {
        sources_advance(&sources, now);
        for (uint32_t node = 0; node < 64; node++)
            while (sources.ready[0] >> node & 1) {
                struct packet one = {node, sources.receiver[node], sources.flits[node],
                                     sources.created[node]};
                vec_push(&f->arena, &packets.list, one);
                sources_remove(&sources, node);
            }
        assert_int_equal(sources.ready_count, 0);
        assert_true(sources_next(&sources) > now);
    }
    return packets;
}

static int by_node(const void *a, const void *b)
{
    const struct packet *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->created > y->created) - (x->created < y->created);
}

static void when_they_are_taken_changes_nothing(void **state)
{
    enum { CYCLES = 10001 };
    struct fixture *f = *state;
    static const double loads[] = {0.0003, 0.02, 0.5, 1};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct packets once = collect(f, "2,3", loads[i], CYCLES, 1);
        struct packets late = collect(f, "2,3", loads[i], CYCLES, 1000);
        assert_true(once.list.n > 0);
        assert_int_equal(once.list.n, late.list.n);
        qsort(once.list.v, once.list.n, sizeof *once.list.v, by_node);
        qsort(late.list.v, late.list.n, sizeof *late.list.v, by_node);
        for (uint32_t k = 0; k < once.list.n; k++) {
            const struct packet *a = &once.list.v[k], *b = &late.list.v[k];
            assert_int_equal(a->node, b->node);
            assert_int_equal(a->receiver, b->receiver);
            assert_int_equal(a->flits, b->flits);
            assert_int_equal(a->created, b->created);
        }
    }
}

// Mean and variance of the gaps, and the share of each receiver, within five standard deviations.
static void they_are_bernoulli(void **state)
{
    enum { CYCLES = 40000 };
    static const double loads[] = {0.01, 0.3, 0.9};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        double p = loads[i], trials = 64.0 * CYCLES;
        struct packets all = collect(*state, "1", p, CYCLES, 1);
        double n = all.list.n, receivers[64] = {0}, gaps = 0, squares = 0, expected = trials * p;
        assert_true(fabs(n - expected) < 5 * sqrt(trials * p * (1 - p)));
        qsort(all.list.v, all.list.n, sizeof *all.list.v, by_node);
        for (uint32_t k = 0; k < all.list.n; k++) {
            receivers[all.list.v[k].receiver]++;
            if (!k || all.list.v[k].node != all.list.v[k - 1].node)
                continue;
            double gap = (double)(all.list.v[k].created - all.list.v[k - 1].created);
            assert_true(gap >= 1);
            gaps += gap;
            squares += gap * gap;
        }
        gaps /= n - 64;
        squares /= n - 64;
        double deviation = sqrt(1 - p) / p;
        assert_true(fabs(gaps - 1 / p) < 5 * deviation / sqrt(n) + 64 / (p * n));
        assert_true(fabs(sqrt(squares - gaps * gaps) / deviation - 1) < 0.05);
        for (int r = 0; r < 64; r++)
            assert_true(fabs(receivers[r] - n / 64) < 5 * sqrt(n / 64));
    }
}

// Each size has the share of its weight, within five standard deviations; nothing else changes.
static void sizes_are_mixed(void **state)
{
    enum { CYCLES = 5000 };
    struct packets one = collect(*state, "3", 0.3, CYCLES, 1);
    for (uint32_t k = 0; k < one.list.n; k++)
        assert_int_equal(one.list.v[k].flits, 3);
    struct packets all = collect(*state, "1:3,5,1024:0.5", 0.3, CYCLES, 1);
    double n = all.list.n, found[3] = {0};
    for (uint32_t k = 0; k < all.list.n; k++) {
        uint32_t flits = all.list.v[k].flits;
        assert_true(flits == 1 || flits == 5 || flits == 1024);
        found[flits == 1 ? 0 : flits == 5 ? 1 : 2]++;
    }
    static const double parts[] = {3 / 4.5, 1 / 4.5, 0.5 / 4.5};
    for (int i = 0; i < 3; i++)
        assert_true(fabs(found[i] - n * parts[i]) < 5 * sqrt(n * parts[i] * (1 - parts[i])));
    struct traffic_sizes sizes = sizes_of(*state, "1:3,5:1");
    assert_int_equal(sizes.max, 5);
    assert_true(sizes.mean == 2);
}

static void sizes_that_cannot_be_read(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {
        "",     "0",   "1025", "-1",    "x",  "1,",    ",1",    "1:",     "1:0",
        "1:-1", "1:x", "1;5",  "1:2:3", "5x", "1:nan", "1:inf", "1:1e10", "99999999999999999999"};
    struct traffic_sizes sizes;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!traffic_read_sizes(&sizes, &f->arena, texts[i]))
            fail_msg("'%s' is read", texts[i]);
}

static void always_and_never(void **state)
{
    struct packets all = collect(*state, "1", 1, 100, 1);
    assert_int_equal(all.list.n, 6400);
    struct fixture *f = *state;
    struct noc_traffic traffic = bound(f, "uniform", eight_by_eight, 2);
    struct traffic_sizes sizes = sizes_of(f, "1");
    struct sources sources;
    sources_init(&sources, &f->arena, &traffic, &sizes, 0, 1);
    assert_true(sources_next(&sources) == UINT64_MAX);
    assert_int_equal(sources_waiting(&sources, 5, 1000000).packets, 0);
}

static void only_senders_send(void **state)
{
    struct fixture *f = *state;
    struct noc_traffic traffic = bound(f, "few-to-many:3,9", eight_by_eight, 2);
    struct traffic_sizes sizes = sizes_of(f, "1");
    struct sources sources;
    sources_init(&sources, &f->arena, &traffic, &sizes, 0.5, 1);
    sources_advance(&sources, 1000);
    assert_true(sources.ready[0] == (UINT64_C(1) << 3 | UINT64_C(1) << 9));
}

// The number of waiting packets is that of packets collected later.
static void those_that_wait_are_counted(void **state)
{
    struct fixture *f = *state;
    struct noc_traffic traffic = bound(f, "uniform", eight_by_eight, 2);
    struct sources sources;
    struct traffic_sizes sizes = sizes_of(f, "1:3,7,2");
    sources_init(&sources, &f->arena, &traffic, &sizes, 0.2, 5);
    sources_advance(&sources, 500);
    for (uint32_t node = 0; node < 64; node++) {
        struct sources_waiting waiting = sources_waiting(&sources, node, 501), taken = {0, 0};
        assert_int_equal(sources_waiting(&sources, node, 0).packets, 0);
        assert_true(sources_waiting(&sources, node, 250).packets < waiting.packets);
        for (; sources.ready[0] >> node & 1; taken.packets++) {
            taken.flits += sources.flits[node];
            sources_remove(&sources, node);
        }
        assert_int_equal(taken.packets, waiting.packets);
        assert_int_equal(taken.flits, waiting.flits);
        assert_int_equal(sources_waiting(&sources, node, 501).flits, 0);
    }
}

static void other_seeds_draw_other_numbers(void **state)
{
    struct fixture *f = *state;
    struct noc_traffic traffic = bound(f, "uniform", eight_by_eight, 2);
    struct traffic_sizes sizes = sizes_of(f, "1");
    struct sources one, other;
    sources_init(&one, &f->arena, &traffic, &sizes, 0.01, 1);
    sources_init(&other, &f->arena, &traffic, &sizes, 0.01, 2);
    uint32_t equal = 0;
    for (uint32_t node = 0; node < 64; node++)
        equal += one.created[node] == other.created[node];
    assert_true(equal < 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutations_of_a_mesh),
        cmocka_unit_test(complement_is_that_of_bits),
        cmocka_unit_test(rectangles),
        cmocka_unit_test(transpose_of_a_butterfly),
        cmocka_unit_test(tornado_shuffle_and_reversal),
        cmocka_unit_test(lists),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(when_they_are_taken_changes_nothing),
        cmocka_unit_test(they_are_bernoulli),
        cmocka_unit_test(sizes_are_mixed),
        cmocka_unit_test(sizes_that_cannot_be_read),
        cmocka_unit_test(always_and_never),
        cmocka_unit_test(only_senders_send),
        cmocka_unit_test(those_that_wait_are_counted),
        cmocka_unit_test(other_seeds_draw_other_numbers),
    };
    return cmocka_run_group_tests_name("tools-traffic", tests, set_up, tear_down);
}
