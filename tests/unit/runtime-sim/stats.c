// Statistics: values by name, since the start and since a mark, and their output.
#include "runtime-sim/base/stats.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct counters {
#define STATS_DEF "tests/unit/runtime-sim/stats_test.def"
#include "runtime-sim/base/stats_fields.inc"
};

static const struct stat_key keys[] = {
#define STATS_DEF "tests/unit/runtime-sim/stats_test.def"
#define STATS_OF struct counters
#include "runtime-sim/base/stats_keys.inc"
};

struct fixture {
    struct memory memory;
    struct arena arena;
    struct stats stats;
    struct counters a, b;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    stats_init(&f->stats, &f->arena);
    stats_add(&f->stats, "net", keys, sizeof keys / sizeof *keys, &f->a);
    stats_add(&f->stats, "net.reply", keys, sizeof keys / sizeof *keys, &f->b);
}

static double value(struct fixture *f, const struct stats_mark *since, const char *name)
{
    double found;
    assert_true(stats_find(&f->stats, since, name, &found));
    return found;
}

static void intervals(void **state)
{
    (void)state;
    struct fixture f;
    double none;
    begin(&f);
    assert_true(value(&f, NULL, "net.reply.latency_mean") == 0);
    f.b = (struct counters){.packets = 4, .latency_sum = 10, .queue_most = 3};
    assert_true(value(&f, NULL, "net.reply.latency_mean") == 2.5);
    struct stats_mark mark = stats_snapshot(&f.stats, &f.arena);
    f.b = (struct counters){.packets = 6, .latency_sum = 20, .queue_most = 3};
    assert_true(value(&f, &mark, "net.reply.packets") == 2);
    assert_true(value(&f, &mark, "net.reply.latency_mean") == 5);
    assert_true(value(&f, &mark, "net.reply.queue_most") == 3);
    assert_true(value(&f, &mark, "net.packets") == 0);
    assert_false(stats_find(&f.stats, NULL, "net.nothing", &none));
    assert_false(stats_find(&f.stats, NULL, "net", &none));
    arena_free(&f.arena);
}

static char *written(struct fixture *f,
                     void (*write)(const struct stats *, const struct stats_mark *,
                                   const struct stats_choice *, FILE *),
                     const struct stats_choice *choice)
{
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    write(&f->stats, NULL, choice, to);
    fclose(to);
    return text;
}

static void json(const struct stats *stats, const struct stats_mark *since,
                 const struct stats_choice *choice, FILE *to)
{
    struct json json;
    json_init(&json, to);
    stats_json(stats, since, choice, &json);
    json_done(&json);
}

static void forms(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.stats.groups.n = 1;
    f.a = (struct counters){.packets = 3, .latency_sum = UINT64_MAX, .queue_most = 3};
    char *text = written(&f, stats_text, NULL), *csv = written(&f, stats_csv, NULL),
         *object = written(&f, json, NULL);
    assert_string_equal(text, "net.packets = 3 # packets: packets that came\n"
                              "net.latency_sum = 18446744073709551615 # cycles: what they took "
                              "together\n"
                              "net.queue_most = 3 # packets: the longest queue\n"
                              "net.latency_mean = 6.148914691236517e+18 # cycles: mean latency\n");
    assert_string_equal(csv, "name,unit,value\nnet.packets,packets,3\n"
                             "net.latency_sum,cycles,18446744073709551615\n"
                             "net.queue_most,packets,3\n"
                             "net.latency_mean,cycles,6.148914691236517e+18\n");
    assert_non_null(strstr(object, "\"net.latency_sum\": 18446744073709551615"));
    free(text);
    free(csv);
    free(object);
    arena_free(&f.arena);
}

static void expect(struct fixture *f,
                   void (*write)(const struct stats *, const struct stats_mark *,
                                 const struct stats_choice *, FILE *),
                   const struct stats_choice *choice, const char *expected)
{
    char *text = written(f, write, choice);
    assert_string_equal(text, expected);
    free(text);
}

// Collections of equal components: minimum, mean and maximum, or each value if a pattern selects
// it.
static void collections(void **state)
{
    (void)state;
    static const struct counters port[] = {{.packets = 4, .latency_sum = 6},
                                           {.packets = 1, .latency_sum = 9},
                                           {.packets = 1, .latency_sum = 3}};
    static const struct stat_key packets_key = {"packets",
                                                STAT_COUNT,
                                                "packets",
                                                "that came",
                                                offsetof(struct counters, packets),
                                                0},
                                 mean_key = {"mean",
                                             STAT_RATIO,
                                             "",
                                             "of them",
                                             offsetof(struct counters, latency_sum),
                                             offsetof(struct counters, packets)};
    const struct stat_key both[] = {packets_key, mean_key};
    struct stats_choice choice = {0};
    struct fixture f;
    begin(&f);
    f.stats.groups.n = 1;
    f.stats.groups.v[0].count = 1;
    f.a.packets = 6;
    stats_add_member(&f.stats, "port*", "port0", both, 2, &port[0]);
    stats_add_member(&f.stats, "port*", "port1", both, 2, &port[1]);
    stats_add_member(&f.stats, "port*", "port2", both, 2, &port[2]);
    expect(&f, stats_text, &choice,
           "net.packets = 6 # packets: packets that came\n"
           "port*.packets = 1 2 4 # packets, minimum, mean and maximum of 3: that came\n"
           "port*.mean = 1.5 4.5 9 # minimum, mean and maximum of 3: of them\n");
    expect(&f, stats_csv, &choice,
           "name,unit,value\nnet.packets,packets,6\nport*.packets.least,packets,1\n"
           "port*.packets.mean,packets,2\nport*.packets.most,packets,4\n"
           "port*.mean.least,,1.5\nport*.mean.mean,,4.5\nport*.mean.most,,9\n");
    expect(&f, json, &choice,
           "{\n  \"net.packets\": 6,\n  \"port*.packets.least\": 1,\n"
           "  \"port*.packets.mean\": 2,\n  \"port*.packets.most\": 4,\n"
           "  \"port*.mean.least\": 1.5,\n  \"port*.mean.mean\": 4.5,\n"
           "  \"port*.mean.most\": 9\n}\n");
    struct stat_spread spread = stats_spread(&f.stats, NULL, "port*", "mean");
    assert_string_equal(spread.max_group->name, "port1");
    assert_int_equal(stats_spread(&f.stats, NULL, "port*", "nothing").count, 0);
    assert_int_equal(stats_spread(&f.stats, NULL, "net", "packets").count, 0);
    vec_push(&f.arena, &choice.patterns.list, "port*.packets");
    vec_push(&f.arena, &choice.patterns.list, "*1.mean");
    expect(&f, stats_csv, &choice,
           "name,unit,value\nport0.packets,packets,4\nport1.packets,packets,1\nport1.mean,,9\n"
           "port2.packets,packets,1\n");
    assert_true(stats_match(&f.stats, "net.*"));
    assert_false(stats_match(&f.stats, "net"));
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(intervals), cmocka_unit_test(forms),
                                       cmocka_unit_test(collections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
