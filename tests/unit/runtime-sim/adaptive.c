// Learning of the adaptive policy: tags compared with lists of lines, sums, checks, probes and
// lessons.
#include "runtime-sim/schemes/llc_omni/adaptive.h"
#include "support/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 5, MAX_WAYS = 16, MAX_SETS = 32 };

struct pupil {
    struct memory memory;
    struct arena arena;
    struct adaptive_chain chains[CHAINS];
    struct cache_config l1;
    struct adaptive adaptive;
};

static struct pupil p;

static void begin(uint64_t sets, uint64_t ways, bool hash)
{
    memset(&p, 0, sizeof p);
    if (setjmp(p.memory.on_failure))
        abort();
    arena_init(&p.arena, &p.memory);
    p.l1.sets = sets;
    p.l1.ways = ways;
    p.l1.hash = hash;
    adaptive_init(&p.adaptive, &p.arena, p.chains, CHAINS, &p.l1);
}

static void end(void)
{
    arena_free(&p.arena);
}

static void teach(uint32_t chain, enum adaptive_kind kind, int64_t saved)
{
    adaptive_learn(&p.adaptive, chain, kind, ADAPTIVE_SENT, adaptive_saving(saved));
    adaptive_teach(&p.adaptive, p.chains, true);
}

// Tags

// Lines of a set, most recently used first.
struct used_set {
    uint64_t line[MAX_WAYS];
    uint32_t count;
};

static bool use(struct used_set *set, uint32_t ways, uint64_t line)
{
    uint32_t at = 0;
    while (at < set->count && set->line[at] != line)
        at++;
    bool had = at < set->count;
    if (!had && set->count < ways)
        set->count++;
    if (!had)
        at = set->count - 1;
    memmove(&set->line[1], &set->line[0], at * sizeof *set->line);
    set->line[0] = line;
    return had;
}

static void compare_tags(uint32_t sets, uint32_t ways, bool hash, uint64_t seed)
{
    enum { LOADS = 20000 };
    struct used_set lists[MAX_SETS] = {0};
    uint32_t had_count = 0;
    begin(sets, ways, hash);
    for (uint32_t i = 0; i < LOADS; i++) {
        // Some more lines than there is room for, far from each other.
        uint64_t line = splitmix64(&seed) % (sets * ways * 3 / 2 + 1);
        line += splitmix64(&seed) % 2 << 40;
        bool had = use(&lists[cache_set(&p.l1, line)], ways, line);
        if (adaptive_load(&p.adaptive, line, 0, ADAPTIVE_HERE) != had)
            fail_msg("%u sets, %u ways, load %u: not %d", sets, ways, i, had);
        had_count += had;
        if (splitmix64(&seed) % 2000 == 0) {
            adaptive_flush(&p.adaptive);
            memset(lists, 0, sizeof lists);
        }
    }
    assert_true(had_count > LOADS / 8 && had_count < LOADS * 7 / 8);
    end();
}

static void tags_are_the_least_recently_used(void **state)
{
    static const uint32_t shapes[][3] = {{1, 1},  {1, 16}, {32, 1},      {32, 4},
                                         {24, 6}, {3, 2},  {1, 4, true}, {32, 4, true}};
    (void)state;
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare_tags(shapes[i][0], shapes[i][1], shapes[i][2], 77 + i);
}

// Learning

static void turned_off_by_the_least_number(void **state)
{
    (void)state;
    begin(1, 1, false);
    for (uint32_t i = 1; i < ADAPTIVE_MIN; i++) {
        teach(2, ADAPTIVE_MEET, -10);
        assert_true(adaptive_allows(&p.adaptive, 2, ADAPTIVE_MEET));
    }
    teach(2, ADAPTIVE_MEET, -10);
    assert_false(adaptive_allows(&p.adaptive, 2, ADAPTIVE_MEET));
    // Others are not.
    assert_true(adaptive_allows(&p.adaptive, 2, ADAPTIVE_HERE));
    assert_true(adaptive_allows(&p.adaptive, 1, ADAPTIVE_MEET));
    assert_true(adaptive_allows(&p.adaptive, 3, ADAPTIVE_MEET));
    end();
}

// Instances that save nothing turn off a rarely offloaded chain only when there are many of them.
static void turned_off_by_many_in_vain(void **state)
{
    (void)state;
    begin(1, 1, false);
    for (uint32_t i = 0; i < ADAPTIVE_DISCARDS; i++) {
        assert_true(adaptive_allows(&p.adaptive, 2, ADAPTIVE_MEET));
        adaptive_learn(&p.adaptive, 2, ADAPTIVE_MEET, ADAPTIVE_DISCARDED, adaptive_saving(-1));
        adaptive_teach(&p.adaptive, p.chains, true);
    }
    assert_false(adaptive_allows(&p.adaptive, 2, ADAPTIVE_MEET));
    for (uint32_t i = 0; i < ADAPTIVE_MIN; i++) {
        assert_true(adaptive_allows(&p.adaptive, 3, ADAPTIVE_MEET));
        adaptive_learn(&p.adaptive, 3, ADAPTIVE_MEET, ADAPTIVE_DISCARDED, adaptive_saving(-1));
        teach(3, ADAPTIVE_MEET, 0);
    }
    assert_false(adaptive_allows(&p.adaptive, 3, ADAPTIVE_MEET));
    end();
}

static void turned_on_again_by_the_sum(void **state)
{
    (void)state;
    begin(1, 1, false);
    for (uint32_t i = 0; i < ADAPTIVE_MIN; i++)
        teach(0, ADAPTIVE_HERE, -5);
    const struct adaptive_counts *counts = &p.chains[0].kind[ADAPTIVE_HERE];
    assert_int_equal(counts->saved, -ADAPTIVE_OFF); // more than it has cost
    teach(0, ADAPTIVE_HERE, -100000);
    assert_int_equal(counts->saved, -ADAPTIVE_OFF); // and no more
    teach(0, ADAPTIVE_HERE, ADAPTIVE_OFF - 1);
    assert_int_equal(counts->saved, -1);
    assert_false(adaptive_allows(&p.adaptive, 0, ADAPTIVE_HERE));
    teach(0, ADAPTIVE_HERE, 1);
    assert_int_equal(counts->saved, 0);
    assert_true(adaptive_allows(&p.adaptive, 0, ADAPTIVE_HERE));
    teach(0, ADAPTIVE_HERE, -1);
    assert_false(adaptive_allows(&p.adaptive, 0, ADAPTIVE_HERE));
    end();
}

// Returns the number of bad lessons that turn a chain off after this many good ones.
static uint32_t lessons_until_off(uint32_t good)
{
    uint32_t count = 0;
    begin(1, 1, false);
    for (uint32_t i = 0; i < good; i++)
        teach(1, ADAPTIVE_MEET, 1000);
    while (adaptive_allows(&p.adaptive, 1, ADAPTIVE_MEET)) {
        teach(1, ADAPTIVE_MEET, -1000);
        count++;
    }
    end();
    return count;
}

// The sum of N equal lessons approaches ADAPTIVE_MEMORY times their value; opposite ones cancel it
// after ADAPTIVE_HALF, however many there were before.
static void old_lessons_are_forgotten(void **state)
{
    (void)state;
    assert_in_range(lessons_until_off(10), 8, 11); // a few are hardly forgotten
    assert_in_range(lessons_until_off(16000), ADAPTIVE_HALF - 15, ADAPTIVE_HALF + 15);
    assert_int_equal(lessons_until_off(100000), lessons_until_off(16000));
}

// A correction weighs as much as its instance still does, and is not an instance itself.
static void corrections_fade_with_their_instances(void **state)
{
    (void)state;
    for (uint32_t later = 0; later < 4; later++) {
        begin(1, 1, false);
        const struct adaptive_counts *counts = &p.chains[1].kind[ADAPTIVE_HERE];
        uint32_t since = adaptive_sent(&p.adaptive, 1, ADAPTIVE_HERE);
        teach(1, ADAPTIVE_HERE, 100000);
        for (uint32_t i = 0; i < later * ADAPTIVE_HALF; i++)
            teach(1, ADAPTIVE_HERE, 0);
        int64_t before = counts->saved;
        uint32_t instances = counts->instances;
        adaptive_correct(&p.adaptive, 1, ADAPTIVE_HERE, since, adaptive_saving(-100000));
        adaptive_teach(&p.adaptive, p.chains, true);
        assert_int_equal(counts->instances, instances);
        assert_int_equal(counts->saved, before - (100000 >> later));
        assert_true(llabs(counts->saved) < 2000); // but for rounding nothing is left of both
        end();
    }
}

// Instances that are sent back end before computed ones: the sum never has the former alone.
static void early_replies_are_not_all(void **state)
{
    enum { MANY = 400 };
    (void)state;
    begin(1, 1, false);
    for (uint32_t i = 0; i < MANY; i++)
        teach(0, ADAPTIVE_HERE, 60);
    for (uint32_t i = 0; i < MANY / 2; i++) {
        adaptive_correct(&p.adaptive, 0, ADAPTIVE_HERE, i, adaptive_saving(-62));
        adaptive_teach(&p.adaptive, p.chains, true);
        assert_true(adaptive_allows(&p.adaptive, 0, ADAPTIVE_HERE));
    }
    for (uint32_t i = MANY / 2; i < MANY; i++)
        adaptive_correct(&p.adaptive, 0, ADAPTIVE_HERE, i, adaptive_saving(-62));
    adaptive_teach(&p.adaptive, p.chains, true); // but if all are sent back
    assert_false(adaptive_allows(&p.adaptive, 0, ADAPTIVE_HERE));
    end();
}

static struct adaptive_debtor loads(uint64_t line)
{
    return adaptive_load_plain(&p.adaptive, line).debtor;
}

// An ordinary load misses a line that a chain has kept out of the L1 once; after that the L1 has
// it.
static void lines_that_are_missed_have_a_debtor(void **state)
{
    (void)state;
    begin(1, 2, false);
    teach(3, ADAPTIVE_MEET, 1);
    assert_false(loads(10).is_any); // nobody had it
    assert_false(loads(10).is_any);
    assert_true(adaptive_load(&p.adaptive, 10, 3, ADAPTIVE_MEET)); // the L1 has it
    assert_false(loads(10).is_any);
    assert_false(adaptive_load(&p.adaptive, 11, 3, ADAPTIVE_MEET));
    struct adaptive_debtor debtor = loads(11);
    assert_true(debtor.is_any && debtor.chain == 3 && debtor.kind == ADAPTIVE_MEET);
    assert_int_equal(debtor.since, 1);
    assert_false(loads(11).is_any);
    assert_false(adaptive_load(&p.adaptive, 12, 3, ADAPTIVE_HERE));
    loads(13);
    loads(14); // 12 would have given way
    assert_false(loads(12).is_any);
    end();
}

static struct adaptive_debtor keeps(uint64_t line)
{
    return adaptive_load_plain(&p.adaptive, line).creditor;
}

// The line of a chain would have evicted another one, which an ordinary load still finds.
static void lines_that_are_kept_have_a_creditor(void **state)
{
    (void)state;
    begin(1, 2, false);
    teach(3, ADAPTIVE_MEET, 1);
    loads(10);
    loads(12);
    adaptive_load(&p.adaptive, 21, 3, ADAPTIVE_MEET); // evicts 10
    struct adaptive_debtor creditor = keeps(10);
    assert_true(creditor.is_any && creditor.chain == 3 && creditor.kind == ADAPTIVE_MEET);
    assert_int_equal(creditor.since, 1);
    assert_false(keeps(10).is_any);
    loads(14);
    loads(16); // evicts 10 in the L1, too
    assert_false(keeps(10).is_any);
    end();
}

// Times of offloaded instances and of those by the core
static bool is_slow(uint64_t away, uint64_t at_core, bool limits)
{
    begin(1, 1, false);
    for (uint32_t i = 0; i < ADAPTIVE_PAIRS; i++) {
        assert_false(p.chains[2].slow); // too few times
        adaptive_time(&p.adaptive, 2, true, away);
        adaptive_time(&p.adaptive, 2, false, at_core);
        adaptive_teach(&p.adaptive, p.chains, limits);
    }
    bool slow = p.chains[2].slow, probes;
    assert_true(adaptive_begins(&p.adaptive, 2, &probes) == !slow);
    assert_true(adaptive_is_off(&p.adaptive, 2) == slow);
    assert_false(p.chains[1].slow);
    end();
    return slow;
}

static void slower_ones_are_not_offloaded(void **state)
{
    (void)state;
    assert_true(is_slow(400, 400, false));
    assert_true(is_slow(900, 400, false));
    assert_true(is_slow(355, 400, false)); // not faster by an eighth
    assert_false(is_slow(345, 400, false));
    assert_false(is_slow(900, 400, true)); // a port limits the program
}

// One in ADAPTIVE_SAMPLE instances is timed at the core, and the next one offloaded.
static void times_come_in_pairs(void **state)
{
    enum adaptive_turn last = ADAPTIVE_UNTIMED;
    uint32_t count[3] = {0};
    (void)state;
    begin(1, 1, false);
    for (uint32_t i = 0; i < 10 * ADAPTIVE_SAMPLE; i++) {
        enum adaptive_turn turn = adaptive_turn(&p.adaptive, 2);
        assert_true((turn == ADAPTIVE_AWAY) == (last == ADAPTIVE_AT_CORE) || !i);
        count[turn]++;
        last = turn;
    }
    assert_int_equal(count[ADAPTIVE_AT_CORE], 10);
    adaptive_init_off(&p.chains[2]);
    for (uint32_t i = 0; i < 2 * ADAPTIVE_SAMPLE; i++)
        assert_int_equal(adaptive_turn(&p.adaptive, 2), ADAPTIVE_UNTIMED);
    end();
}

// A chain whose line another chain has loaded would miss, since that line is not in the L1. Without
// one of two chains the other one would have kept the line out: neither is a debtor.
static void chains_do_not_share_lines(void **state)
{
    (void)state;
    begin(1, 4, false);
    assert_false(adaptive_load(&p.adaptive, 20, 1, ADAPTIVE_HERE));
    assert_true(adaptive_has(&p.adaptive, 20, 1));
    assert_false(adaptive_has(&p.adaptive, 20, 2));
    assert_false(adaptive_load(&p.adaptive, 20, 2, ADAPTIVE_HERE));
    assert_true(adaptive_load(&p.adaptive, 20, 1, ADAPTIVE_HERE));
    assert_true(adaptive_load(&p.adaptive, 20, 2, ADAPTIVE_HERE));
    assert_false(loads(20).is_any);
    assert_true(adaptive_has(&p.adaptive, 20, 3)); // now the L1 has it
    assert_true(adaptive_load(&p.adaptive, 20, 3, ADAPTIVE_MEET));
    end();
}

static void doubted_ones_are_off_at_first(void **state)
{
    (void)state;
    begin(1, 1, false);
    adaptive_init_off(&p.chains[3]);
    for (uint32_t kind = 0; kind < ADAPTIVE_KINDS; kind++) {
        assert_false(adaptive_allows(&p.adaptive, 3, kind));
        assert_true(adaptive_allows(&p.adaptive, 2, kind));
    }
    teach(3, ADAPTIVE_MEET, 1); // what is learnt counts for this kind alone
    assert_true(adaptive_allows(&p.adaptive, 3, ADAPTIVE_MEET));
    assert_false(adaptive_allows(&p.adaptive, 3, ADAPTIVE_HERE));
    end();
}

// Probes

struct begun {
    uint32_t begun, probes;
};

static struct begun begin_often(uint32_t chain, uint32_t times)
{
    struct begun count = {0};
    for (uint32_t i = 1; i <= times; i++) {
        bool probes = true;
        count.begun += adaptive_begins(&p.adaptive, chain, &probes);
        count.probes += probes;
        assert_true(!probes || i % ADAPTIVE_PROBE == 0);
    }
    return count;
}

static void one_of_many_probes(void **state)
{
    enum { TIMES = 100 * ADAPTIVE_PROBE };
    (void)state;
    begin(1, 1, false);
    adaptive_init_off(&p.chains[1]);
    adaptive_init_off(&p.chains[2]);
    p.chains[2].kind[ADAPTIVE_HERE].off = false;
    struct begun on = begin_often(0, TIMES), off = begin_often(1, TIMES),
                 half = begin_often(2, TIMES);
    assert_int_equal(on.begun, TIMES);
    assert_int_equal(on.probes, 0);
    assert_int_equal(off.begun, TIMES / ADAPTIVE_PROBE);
    assert_int_equal(off.probes, TIMES / ADAPTIVE_PROBE);
    assert_int_equal(half.begun, TIMES); // which kind it is shows when its lines are known
    assert_int_equal(half.probes, TIMES / ADAPTIVE_PROBE);
    end();
}

// Lessons

static void lessons_are_counted(void **state)
{
    (void)state;
    begin(1, 1, false);
    for (uint32_t i = 0; i < ADAPTIVE_MIN; i++) // off with the last one
        teach(2, ADAPTIVE_MEET, -10);
    teach(2, ADAPTIVE_MEET, 1000); // on
    teach(2, ADAPTIVE_HERE, 0);
    teach(2, ADAPTIVE_MEET, -1050); // off
    const struct chain_stats *stats = &p.chains[2].stats;
    assert_int_equal(stats->weighed, ADAPTIVE_MIN + 3);
    assert_int_equal(stats->saved, 1000);
    assert_int_equal(stats->lost, 10 * ADAPTIVE_MIN + 1050);
    assert_int_equal(stats->turned_off, 2);
    assert_int_equal(stats->turned_on, 1);
    assert_int_equal(p.chains[1].stats.weighed, 0);
    end();
}

// A core's lessons are visible to no core before they are taught, and then to all, one core after
// the other.
static void lessons_come_in_the_order_of_cores(void **state)
{
    enum { CORES = 3, ROUNDS = 300 };
    struct adaptive cores[CORES];
    uint64_t seed = 5;
    uint32_t count = 0;
    int64_t saved = 0;
    bool off = false;
    (void)state;
    begin(1, 1, false);
    for (uint32_t i = 0; i < CORES; i++)
        adaptive_init(&cores[i], &p.arena, p.chains, CHAINS, &p.l1);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        int64_t lesson[CORES];
        for (uint32_t i = 0; i < CORES; i++) {
            lesson[i] = (int64_t)(splitmix64(&seed) % 2001) - 1000;
            // Learnt in another order than it is taught.
            adaptive_learn(&cores[(round + i) % CORES], 4, ADAPTIVE_HERE, ADAPTIVE_SENT,
                           adaptive_saving(lesson[i]));
        }
        assert_int_equal(p.chains[4].kind[ADAPTIVE_HERE].saved, saved);
        for (uint32_t i = 0; i < CORES; i++) {
            adaptive_teach(&cores[i], p.chains, true);
            saved += lesson[(i + CORES - round % CORES) % CORES] - saved / ADAPTIVE_MEMORY;
            bool is_off = ++count >= ADAPTIVE_MIN && saved < 0;
            if (is_off && (!off || saved < -ADAPTIVE_OFF))
                saved = -ADAPTIVE_OFF;
            off = is_off;
            assert_int_equal(p.chains[4].kind[ADAPTIVE_HERE].saved, saved);
            adaptive_teach(&cores[i], p.chains, true); // there is nothing left
            assert_int_equal(p.chains[4].kind[ADAPTIVE_HERE].saved, saved);
        }
        for (uint32_t i = 0; round * CORES >= ADAPTIVE_MIN && i < CORES; i++)
            assert_int_equal(adaptive_allows(&cores[i], 4, ADAPTIVE_HERE), saved >= 0);
    }
    assert_int_equal(p.chains[4].kind[ADAPTIVE_HERE].instances, CORES * ROUNDS);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_the_least_recently_used),
        cmocka_unit_test(turned_off_by_the_least_number),
        cmocka_unit_test(turned_off_by_many_in_vain),
        cmocka_unit_test(turned_on_again_by_the_sum),
        cmocka_unit_test(old_lessons_are_forgotten),
        cmocka_unit_test(corrections_fade_with_their_instances),
        cmocka_unit_test(early_replies_are_not_all),
        cmocka_unit_test(lines_that_are_missed_have_a_debtor),
        cmocka_unit_test(lines_that_are_kept_have_a_creditor),
        cmocka_unit_test(slower_ones_are_not_offloaded),
        cmocka_unit_test(times_come_in_pairs),
        cmocka_unit_test(chains_do_not_share_lines),
        cmocka_unit_test(doubted_ones_are_off_at_first),
        cmocka_unit_test(one_of_many_probes),
        cmocka_unit_test(lessons_are_counted),
        cmocka_unit_test(lessons_come_in_the_order_of_cores),
    };
    return cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
}
