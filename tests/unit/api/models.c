// Memories and networks that a program feeds through the library.
#include <ptxoffload/ptxoffload.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations),
        cmocka_unit_test(arguments),
        cmocka_unit_test(conserved),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
