// Memories and networks that a program feeds through the library.
#include <ptxoffload/models.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char last[400];

static void diagnose(void *user, const struct ptxoffload_diagnostic *diagnostic)
{
    (void)user;
    snprintf(last, sizeof last, "%s", diagnostic->message);
}

static struct ptxoffload_context *context_of(void **state)
{
    *last = 0;
    return *state;
}

static int begin(void **state)
{
    struct ptxoffload_context *context = ptxoffload_context_new();
    ptxoffload_set_diagnose(context, diagnose, NULL);
    *state = context;
    return !context;
}

static int end(void **state)
{
    ptxoffload_context_free(*state);
    return 0;
}

// Configurations are read as the commands read them.
static void configurations(void **state)
{
    static const char *const wrong[] = {"chanels=2", NULL}, *const odd[] = {"banks=1000", NULL};
    static const char *const two[] = {"channels=2", "dram.rows=1024", NULL};
    struct ptxoffload_context *context = context_of(state);
    struct ptxoffload_dram *dram;
    struct ptxoffload_noc *noc;
    double value;
    assert_int_equal(ptxoffload_dram_new(context, "nothing", NULL, &dram), PTXOFFLOAD_BAD_INPUT);
    assert_null(dram);
    assert_int_not_equal(*last, 0);
    *last = 0;
    assert_int_equal(ptxoffload_dram_new(context, NULL, wrong, &dram), PTXOFFLOAD_BAD_INPUT);
    assert_non_null(strstr(last, "channels"));
    assert_int_equal(ptxoffload_dram_new(context, NULL, odd, &dram), PTXOFFLOAD_BAD_INPUT);
    assert_int_equal(ptxoffload_noc_new(context, "nothing", NULL, &noc), PTXOFFLOAD_BAD_INPUT);
    assert_null(noc);
    assert_int_equal(ptxoffload_dram_new(context, "gddr5_isca19", two, &dram), PTXOFFLOAD_OK);
    assert_true(ptxoffload_dram_transfer(dram) >= 32);
    assert_int_equal(ptxoffload_dram_statistic(dram, "dram.channel1.reads", &value), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_dram_statistic(dram, "dram.channel2.reads", &value),
                     PTXOFFLOAD_BAD_ARGUMENT);
    ptxoffload_dram_free(dram);
    assert_int_equal(ptxoffload_noc_new(context, "noc/mesh66_4vc_sif", NULL, &noc), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_noc_nodes(noc), 36);
    ptxoffload_noc_free(noc);
}

static void arguments(void **state)
{
    struct ptxoffload_context *context = context_of(state);
    struct ptxoffload_completion_info done = PTXOFFLOAD_COMPLETION_INFO, odd = {.size = 3};
    struct ptxoffload_packet packet = PTXOFFLOAD_PACKET;
    struct ptxoffload_dram *dram;
    struct ptxoffload_noc *noc;
    int accepted;
    double value;
    assert_int_equal(ptxoffload_dram_new(NULL, NULL, NULL, &dram), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_new(context, NULL, NULL, NULL), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_noc_new(NULL, NULL, NULL, &noc), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_advance(NULL, 1), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_noc_advance(NULL, 1), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_offer(NULL, 0, 0, 0, 0, &accepted), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_noc_offer(NULL, &packet, &accepted), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_statistic(NULL, "dram.reads", &value),
                     PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_noc_statistic(NULL, "noc.flits", &value), PTXOFFLOAD_BAD_ARGUMENT);
    assert_true(ptxoffload_dram_next(NULL) == UINT64_MAX &&
                ptxoffload_noc_next(NULL) == UINT64_MAX);
    assert_int_equal(ptxoffload_dram_pending(NULL) + ptxoffload_noc_pending(NULL), 0);
    assert_int_equal(ptxoffload_dram_transfer(NULL) + ptxoffload_noc_nodes(NULL), 0);
    assert_int_equal(ptxoffload_dram_completed(NULL, &done) + ptxoffload_noc_completed(NULL, &done),
                     0);
    ptxoffload_dram_free(NULL);
    ptxoffload_noc_free(NULL);

    assert_int_equal(ptxoffload_dram_new(context, "gddr5_isca19", NULL, &dram), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_dram_offer(dram, 100, 0, 0, 7, NULL), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_offer(dram, 100, 64, 1, 7, &accepted), PTXOFFLOAD_OK);
    assert_int_equal(accepted, 1);
    assert_int_equal(ptxoffload_dram_advance(dram, 99), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_advance(dram, 1000), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_dram_completed(dram, &odd), 0);
    assert_int_equal(ptxoffload_dram_pending(dram), 1);
    assert_int_equal(ptxoffload_dram_completed(dram, &done), 1);
    assert_true(done.number == 7 && done.arrival == 100 && done.end > 100 && done.end < 1000);
    assert_int_equal(ptxoffload_dram_completed(dram, &done), 0);
    assert_int_equal(ptxoffload_dram_pending(dram), 0);
    ptxoffload_dram_free(dram);

    assert_int_equal(ptxoffload_noc_new(context, "noc/mesh66_4vc_sif", NULL, &noc), PTXOFFLOAD_OK);
    const struct ptxoffload_packet wrong[] = {
        {.size = sizeof packet, .target = 1, .flits = 0},
        {.size = sizeof packet, .target = 1, .flits = 1025},
        {.size = sizeof packet, .target = 36, .flits = 1},
        {.size = sizeof packet, .source = 36, .flits = 1},
        {.size = sizeof packet, .target = 1, .flits = 1, .class_ = 16},
        {.size = 3, .target = 1, .flits = 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ptxoffload_noc_offer(noc, &wrong[i], &accepted), PTXOFFLOAD_BAD_ARGUMENT);
    packet = (struct ptxoffload_packet){
        .size = sizeof packet, .number = 5, .arrival = 50, .source = 0, .target = 35, .flits = 4};
    assert_int_equal(ptxoffload_noc_offer(noc, &packet, &accepted), PTXOFFLOAD_OK);
    assert_int_equal(accepted, 1);
    assert_int_equal(ptxoffload_noc_advance(noc, 49), PTXOFFLOAD_BAD_ARGUMENT);
    while (!ptxoffload_noc_completed(noc, &done))
        assert_int_equal(ptxoffload_noc_advance(noc, ptxoffload_noc_next(noc)), PTXOFFLOAD_OK);
    assert_true(done.number == 5 && done.arrival == 50 && done.end > 50);
    assert_int_equal(ptxoffload_noc_statistic(noc, "noc.class0.packets", &value), PTXOFFLOAD_OK);
    assert_true(value == 1);
    // Credits are still in flight.
    for (int i = 0; i < 100 && ptxoffload_noc_next(noc) < UINT64_MAX; i++)
        assert_int_equal(ptxoffload_noc_advance(noc, ptxoffload_noc_next(noc)), PTXOFFLOAD_OK);
    assert_true(ptxoffload_noc_next(noc) == UINT64_MAX);
    ptxoffload_noc_free(noc);
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

// Each accepted request completes once, ends are in order, and a full queue has room again.
static void conserved(void **state)
{
    enum { REQUESTS = 3000 };
    static unsigned char seen[REQUESTS];
    struct ptxoffload_completion_info done = PTXOFFLOAD_COMPLETION_INFO;
    struct ptxoffload_context *context = context_of(state);
    struct ptxoffload_dram *dram;
    uint64_t random = 1, cycle = 0, end = 0, refused = 0, completed = 0;
    memset(seen, 0, sizeof seen);
    assert_int_equal(ptxoffload_dram_new(context, "gddr5_isca19", NULL, &dram), PTXOFFLOAD_OK);
    for (uint64_t i = 0; i < REQUESTS || ptxoffload_dram_pending(dram);) {
        int accepted = 0;
        if (i < REQUESTS)
            assert_int_equal(ptxoffload_dram_offer(dram, cycle, draw(&random) << 5,
                                                   draw(&random) % 3 == 0, i, &accepted),
                             PTXOFFLOAD_OK);
        i += (uint64_t)accepted;
        refused += !accepted && i < REQUESTS;
        if (!accepted)
            cycle = ptxoffload_dram_next(dram);
        assert_int_equal(ptxoffload_dram_advance(dram, cycle), PTXOFFLOAD_OK);
        while (ptxoffload_dram_completed(dram, &done)) {
            assert_true(done.number < REQUESTS && !seen[done.number]++);
            assert_true(done.end >= end && done.end > done.arrival && done.end <= cycle);
            end = done.end;
            completed++;
        }
    }
    double reads, writes;
    assert_int_equal(ptxoffload_dram_statistic(dram, "dram.reads", &reads), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_dram_statistic(dram, "dram.writes", &writes), PTXOFFLOAD_OK);
    assert_true(completed == REQUESTS && reads + writes == REQUESTS && refused > 100);
    ptxoffload_dram_free(dram);
}

// Under each limit of memory there is a model that works, or one that is lost and can be freed.
static void limits(void **state)
{
    struct ptxoffload_context *context = context_of(state);
    struct ptxoffload_dram *dram;
    struct ptxoffload_noc *noc;
    int made = 0, refused = 0;
    for (size_t limit = 20000; limit < 4000000; limit += limit / 3) {
        ptxoffload_set_memory_limit(context, limit);
        enum ptxoffload_status status = ptxoffload_dram_new(context, "gddr5_isca19", NULL, &dram);
        uint64_t random = 1, cycle = 0;
        for (int i = 0, accepted; i < 2000 && status == PTXOFFLOAD_OK; i++, cycle += 3)
            status = ptxoffload_dram_offer(dram, cycle, draw(&random) << 5, 0, 0, &accepted);
        assert_true(status == PTXOFFLOAD_OK || status == PTXOFFLOAD_NO_MEMORY);
        if (status && dram)
            assert_int_equal(ptxoffload_dram_advance(dram, cycle), PTXOFFLOAD_NO_MEMORY);
        made += !status;
        refused += status != PTXOFFLOAD_OK;
        ptxoffload_dram_free(dram);
        status = ptxoffload_noc_new(context, "noc/mesh66_4vc_sif", NULL, &noc);
        assert_true(status == PTXOFFLOAD_OK || status == PTXOFFLOAD_NO_MEMORY);
        made += !status;
        ptxoffload_noc_free(noc);
    }
    ptxoffload_set_memory_limit(context, 0);
    assert_true(made > 5 && refused > 0);
}

// Calls `each` with every bundled configuration of a folder. Returns their number.
static size_t each_config(const char *folder, struct ptxoffload_context *context,
                          void (*each)(struct ptxoffload_context *, const char *))
{
    char pattern[500];
    glob_t found;
    snprintf(pattern, sizeof pattern, SOURCE_ROOT "/runtime-sim/configs/%s/*.yaml", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        each(context, found.gl_pathv[i]);
    globfree(&found);
    return found.gl_pathc;
}

static double dram_value(struct ptxoffload_dram *dram, const char *name)
{
    double value;
    assert_int_equal(ptxoffload_dram_statistic(dram, name, &value), PTXOFFLOAD_OK);
    return value;
}

// Offers reads at clocks from `from` on, drains the memory, and returns the end of the last one.
static uint64_t read_some(struct ptxoffload_dram *dram, uint64_t from, uint64_t *random)
{
    enum { REQUESTS = 100 };
    struct ptxoffload_completion_info done = PTXOFFLOAD_COMPLETION_INFO;
    uint64_t end = 0, count = 0;
    for (uint64_t i = 0; i < REQUESTS; i++) {
        int accepted;
        assert_int_equal(
            ptxoffload_dram_offer(dram, from + i * 40, draw(random) << 6, 0, i, &accepted),
            PTXOFFLOAD_OK);
        assert_int_equal(accepted, 1);
    }
    assert_int_equal(ptxoffload_dram_advance(dram, UINT64_MAX), PTXOFFLOAD_OK);
    for (; ptxoffload_dram_completed(dram, &done); count++) {
        assert_true(done.end >= end && done.end < from + REQUESTS * 40 + 20000);
        end = done.end;
    }
    assert_true(count == REQUESTS && ptxoffload_dram_pending(dram) == 0);
    return end;
}

// An advance to UINT64_MAX ends with the last request, and leaves a memory that continues.
static void drain_dram(struct ptxoffload_context *context, const char *config)
{
    struct ptxoffload_dram *dram;
    uint64_t random = 3, end;
    assert_int_equal(ptxoffload_dram_new(context, config, NULL, &dram), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_dram_advance(dram, UINT64_MAX), PTXOFFLOAD_OK);
    end = read_some(dram, 0, &random);
    // Nothing waits, and the present clock is the end of the last request.
    assert_int_equal(ptxoffload_dram_advance(dram, UINT64_MAX), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_dram_advance(dram, end - 1), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_advance(dram, end), PTXOFFLOAD_OK);
    assert_true(read_some(dram, end + 50, &random) > end);
    // Other clocks that are too late are refused, and change nothing.
    assert_int_equal(ptxoffload_dram_advance(dram, PTXOFFLOAD_CYCLES), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_dram_advance(dram, UINT64_MAX - 1), PTXOFFLOAD_BAD_ARGUMENT);
    int accepted;
    assert_int_equal(ptxoffload_dram_offer(dram, PTXOFFLOAD_CYCLES, 0, 0, 0, &accepted),
                     PTXOFFLOAD_BAD_ARGUMENT);
    // The latest clock is reached in no time, with all its refreshes.
    double refreshes = dram_value(dram, "dram.refreshes");
    assert_int_equal(ptxoffload_dram_advance(dram, PTXOFFLOAD_CYCLES - 1), PTXOFFLOAD_OK);
    if (ptxoffload_dram_next(dram) < UINT64_MAX)
        assert_true(dram_value(dram, "dram.refreshes") - refreshes > 1e9);
    assert_true(dram_value(dram, "dram.reads") == 200);
    ptxoffload_dram_free(dram);
}

// A long advance equals many short ones: the same refreshes, and the same latencies after it.
static void skip_dram(struct ptxoffload_context *context, const char *config)
{
    enum { LONG = 1000000, STEP = 997, ROUNDS = 20 };
    // Banks that are refreshed at the same time.
    static const char *const one[] = {"channels=1", "tRFC=1000", NULL};
    static const char *const names[] = {"dram.refreshes", "dram.precharges", "dram.activates",
                                        "dram.read_latency_sum"};
    struct ptxoffload_dram *drams[2];
    uint64_t random[2] = {5, 5}, ends[2] = {0};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ptxoffload_dram_new(context, config, one, &drams[i]), PTXOFFLOAD_OK);
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t next = round * (LONG + 10 * STEP);
            for (uint64_t clock = ends[i]; i && clock < next; clock += STEP)
                assert_int_equal(ptxoffload_dram_advance(drams[i], clock), PTXOFFLOAD_OK);
            ends[i] = read_some(drams[i], next, &random[i]);
        }
    }
    assert_true(ends[0] == ends[1]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(dram_value(drams[0], names[i]) == dram_value(drams[1], names[i]));
    ptxoffload_dram_free(drams[0]);
    ptxoffload_dram_free(drams[1]);
}

// An advance of a network to UINT64_MAX ends with the last packet.
static void drain_noc(struct ptxoffload_context *context, const char *config)
{
    enum { PACKETS = 50 };
    struct ptxoffload_completion_info done = PTXOFFLOAD_COMPLETION_INFO;
    struct ptxoffload_packet packet = PTXOFFLOAD_PACKET;
    struct ptxoffload_noc *noc;
    uint64_t end = 0, count = 0;
    assert_int_equal(ptxoffload_noc_new(context, config, NULL, &noc), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_noc_advance(noc, UINT64_MAX), PTXOFFLOAD_OK);
    uint32_t nodes = ptxoffload_noc_nodes(noc);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < PACKETS; i++) {
            enum ptxoffload_status status = PTXOFFLOAD_BAD_ARGUMENT;
            int accepted = 0;
            packet.number = i;
            packet.arrival = end + i;
            packet.source = (uint32_t)i % nodes;
            packet.flits = 1 + (uint32_t)i % 5;
            // Networks of layers connect a node with some of the others only.
            for (packet.target = nodes; status && packet.target--;)
                status = ptxoffload_noc_offer(noc, &packet, &accepted);
            count += !status && accepted;
        }
        assert_int_equal(ptxoffload_noc_advance(noc, UINT64_MAX), PTXOFFLOAD_OK);
        while (ptxoffload_noc_completed(noc, &done)) {
            assert_true(done.end >= end);
            end = done.end;
            count--;
        }
        assert_true(count == 0 && end > PACKETS && ptxoffload_noc_pending(noc) == 0);
        assert_int_equal(ptxoffload_noc_advance(noc, end - 1), PTXOFFLOAD_BAD_ARGUMENT);
        assert_int_equal(ptxoffload_noc_advance(noc, end + 1), PTXOFFLOAD_OK);
    }
    assert_int_equal(ptxoffload_noc_advance(noc, PTXOFFLOAD_CYCLES), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_noc_advance(noc, PTXOFFLOAD_CYCLES - 1), PTXOFFLOAD_OK);
    packet.arrival = PTXOFFLOAD_CYCLES;
    int accepted;
    assert_int_equal(ptxoffload_noc_offer(noc, &packet, &accepted), PTXOFFLOAD_BAD_ARGUMENT);
    ptxoffload_noc_free(noc);
}

// All bundled memories and networks.
static void drained(void **state)
{
    struct ptxoffload_context *context = context_of(state);
    assert_true(each_config("dram", context, drain_dram) > 5);
    assert_true(each_config("dram", context, skip_dram) > 5);
    assert_true(each_config("noc", context, drain_noc) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations), cmocka_unit_test(arguments), cmocka_unit_test(conserved),
        cmocka_unit_test(limits),         cmocka_unit_test(drained),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
