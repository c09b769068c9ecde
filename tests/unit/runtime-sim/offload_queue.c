// A chain at its core, cycle by cycle [000 §4.4.1].
#include "tests/unit/runtime-sim/offload_script.h"

static struct offload_rig o;
static struct script s;

#define ALL_AT(a, b, c) .shape = {side_by_side, side_by_side, side_by_side}, .line = {a, b, c}

static void begin(const struct form *form, const char *const *settings)
{
    offload_load(&o, form, settings);
    s.count = 0;
    s.at = 0;
}

// Returns the index of the first such event of a warp slot, from `from` on.
static uint32_t find(enum offload_event event, uint32_t slot, uint32_t from)
{
    uint32_t i = from;
    while (i < o.count && (o.notices[i].event != event || o.notices[i].entry != slot))
        i++;
    if (i == o.count)
        fail_msg("slot %u: nowhere: %s", slot, offload_event_text(event));
    return i;
}

static uint32_t find_any(enum offload_event event)
{
    uint32_t i = 0;
    while (i < o.count && o.notices[i].event != event)
        i++;
    if (i == o.count)
        fail_msg("nowhere: %s", offload_event_text(event));
    return i;
}

// Events of a packet of this many flits, sent in this cycle, at a partition that has all lines.
static void script_arrives(uint32_t partition, uint32_t flits)
{
    then(&s, way(&o, WHO, end_of(partition), flits), OFFLOAD_ARRIVED, end_of(partition));
    then_partition_serves(&o, &s, partition);
    then(&s, 0, OFFLOAD_ENDS, WHO);
}

static void script_sends(uint32_t partition, uint32_t flits)
{
    then(&s, 1, OFFLOAD_SENT, WHO);
    script_arrives(partition, flits);
}

// Scenario 3: all loads miss, and the target can compute.
static void all_missed(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21)}, SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    offload_check(&o, LANES, FULL_MASK);
    expect_number("flits", offload_gain(&o, LANES, "offload.packet_flits"), 1);
    then_forms(&s, SECOND_OF_PAIR);
    script_sends(5, 1);
    expect_notices(&o, &s);
    expect_number("offloaded", rig_stat(&o.r, "offload.chains_offloaded"), 2);
    expect_number("L1 reads", rig_stat(&o.r, "core.l1_read_miss"), 0);
    offload_free(&o);
}

// A load of the line, with a width that no chain has, whose value is waited for.
#define LOAD_WIDE(address) "and.b64 %d6, " address ", -8; ld.global.u64 %d6, [%d6];\n"
#define USE_WIDE "setp.eq.u64 %p2, %d6, 77;\n@%p2 bra END;"
#define LOAD_BEFORE(address) LOAD_WIDE(address) USE_WIDE

// Scenario 1: the first load hits. The chain is discarded, and executes as ordinary instructions.
static void first_hits(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = LOAD_BEFORE("%d1")},
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    double latency = offload_gain(&o, LANES, "core.load_latency_sum");
    then(&s, 0, OFFLOAD_BEGINS, WHO);
    then(&s, 1, OFFLOAD_HIT, WHO);
    then(&s, 0, OFFLOAD_DISCARDED, WHO);
    expect_notices(&o, &s);
    // The one in front and the second; what was looked up goes on as a load that hits.
    double hit = 1 + (double)o.r.config.l1.latency;
    expect_number("latency", latency, (double)(2 * plain_load(&o, 5)) + hit);
    expect_number("discarded", rig_stat(&o.r, "offload.discarded_hit"), 2);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Scenario 1: the second load hits. The entry is flushed; the first load is sent in the next cycle,
// the second after it.
static void second_hits(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = LOAD_BEFORE("%d2")},
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    double latency = offload_gain(&o, LANES, "core.load_latency_sum");
    then(&s, 0, OFFLOAD_BEGINS, WHO);
    then(&s, 1, OFFLOAD_MISS, WHO);
    then(&s, 2, OFFLOAD_HIT, WHO);
    then(&s, 0, OFFLOAD_DISCARDED, WHO);
    expect_notices(&o, &s);
    // The first one was issued 3 cycles before, and goes where one that is issued now would go. The
    // second goes on.
    double hit = 1 + (double)o.r.config.l1.latency;
    expect_number("latency", latency, (double)(2 * plain_load(&o, 5)) + 3 + hit);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// A line that is in flight counts as a hit.
static void pending_miss_hits(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = LOAD_WIDE("%d2"), .after = USE_WIDE},
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    double misses = offload_gain(&o, LANES, "core.l1_read_miss");
    then(&s, 0, OFFLOAD_BEGINS, WHO);
    then(&s, 1, OFFLOAD_MISS, WHO);
    then(&s, 2, OFFLOAD_HIT, WHO);
    then(&s, 0, OFFLOAD_DISCARDED, WHO);
    expect_notices(&o, &s);
    expect_number("misses", misses, 3); // the second load is one, too, and waits for the line
    expect_number("hits", rig_stat(&o.r, "offload.lookup_hits"), 2);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// With offload.pending_miss it is a miss. Here another warp requested it some cycles before.
static void pending_miss_misses(void **state)
{
    static const char *const keys[] = {"offload.pending_miss=hit", "offload.pending_miss=miss"};
    static const char before[] = "setp.lt.u32 %p2, %r3, 32;\n@%p2 bra FORM;\n" LOAD_BEFORE(
        "%d2") "bra END;\nFORM: add.u32 %r5, %r3, 1; add.u32 %r5, %r5, 1; add.u32 %r5, %r5, 1;\n"
               "add.u32 %r5, %r5, 1; setp.eq.u32 %p2, %r5, 0;\n@%p2 bra END;";
    (void)state;
    for (uint32_t misses = 0; misses < 2; misses++) {
        begin(&(struct form){ALL_AT(5, 13, 21), .before = before},
              SETTINGS("offload.policy=llc", keys[misses]));
        offload_run(&o, 2 * LANES);
        expect_number("offloaded", offload_gain(&o, 2 * LANES, "offload.chains_offloaded"), misses);
        offload_check(&o, LANES, FULL_MASK);
        offload_free(&o);
    }
    begin(&(struct form){ALL_AT(5, 13, 21), .before = LOAD_BEFORE("%d2")},
          SETTINGS("offload.policy=llc", "offload.pending_miss=miss"));
    offload_run(&o, LANES);
    expect_number("there", rig_stat(&o.r, "offload.discarded_hit"), 1);
    offload_free(&o);
}

// If only the first load is looked up, a cached line of the second one discards nothing.
static void first_load_is_looked_up(void **state)
{
    static const char *const before[] = {LOAD_BEFORE("%d1"), LOAD_BEFORE("%d2")};
    (void)state;
    for (uint32_t second = 0; second < 2; second++) {
        begin(&(struct form){ALL_AT(5, 13, 21), .before = before[second]},
              SETTINGS("offload.policy=llc", "offload.lookups=first"));
        offload_run(&o, LANES);
        expect_number("offloaded", offload_gain(&o, LANES, "offload.chains_offloaded"), second);
        expect_number("hits", rig_stat(&o.r, "offload.discarded_hit"), second ? 0 : 2);
        offload_check(&o, LANES, FULL_MASK);
        offload_free(&o);
    }
}

// Lines of flushed loads are in the L1 after the chain, or are not.
static void flushed_loads_enter_or_pass(void **state)
{
    static const char *const keys[] = {"offload.flushed_loads=allocate",
                                       "offload.flushed_loads=direct"};
    (void)state;
    for (uint32_t direct = 0; direct < 2; direct++) {
        begin(&(struct form){ALL_AT(5, 6, 21), .after = LOAD_BEFORE("%d1") LOAD_BEFORE("%d2")},
              SETTINGS("offload.policy=llc", keys[direct]));
        offload_run(&o, LANES);
        expect_number("hits", offload_gain(&o, LANES, "core.l1_read_hit"), direct ? 0 : 2);
        expect_number("misses", rig_stat(&o.r, "core.l1_read_miss"), 4);
        expect_number("discarded", rig_stat(&o.r, "offload.discarded_emn"), 2);
        offload_check(&o, LANES, FULL_MASK);
        offload_free(&o);
    }
}

// Events of a replay: the loads from these partitions are sent one by one, the first now, as if it
// had been issued in the preceding cycle. After their replies the pipeline computes the captured
// instructions, and the warp proceeds when its store is sent.
static void script_replays(uint32_t a, uint32_t b)
{
    uint64_t first = plain_load(&o, a) - 1, second = plain_load(&o, b);
    then(&s, (first > second ? first : second) + alu(&o), OFFLOAD_REPLAYED, WHO);
    then(&s, 0, OFFLOAD_ENDS, WHO);
}

// Scenario 3, no node can compute: the lines are in different partitions. The entry is flushed, the
// loads are sent one by one, and the captured instructions are computed after their replies.
static void nobody_can(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 6, 21)}, SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    double packets = offload_gain(&o, LANES, "offload.packets");
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_DISCARDED, WHO);
    script_replays(5, 6);
    expect_notices(&o, &s);
    expect_number("packets", packets, 0);
    expect_number("discarded", rig_stat(&o.r, "offload.discarded_emn"), 2);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Scenario 2: another warp has the queue's entry. The second warp may issue when that one has
// formed its chain; it finds the queue full and executes the chain as ordinary instructions.
static void queue_full(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .stride = 9},
          SETTINGS("offload.policy=llc", "offload.queue=1"));
    offload_run(&o, 2 * LANES);
    double latency = offload_gain(&o, 2 * LANES, "core.load_latency_sum");
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, 0, OFFLOAD_FULL, WHO);
    script_arrives(6, 1);
    expect_notices(&o, &s);
    expect_number("discarded", rig_stat(&o.r, "offload.discarded_full"), 2);
    expect_number("latency", latency, (double)(2 * plain_load(&o, 5) + 4));
    expect_number("most", rig_stat(&o.r, "offload.queue_most"), 1);
    offload_check(&o, 2 * LANES, FULL_MASK);
    offload_free(&o);
}

// The routes from core 15 to partitions 0 and 6 have no common node, though any core can compute.
static void ways_do_not_meet(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(8, 14, 21)}, SETTINGS("offload.policy=omni"));
    offload_run(&o, LANES);
    expect_number("packets", offload_gain(&o, LANES, "offload.packets"), 0);
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_DISCARDED, WHO);
    script_replays(0, 6);
    expect_notices(&o, &s);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Lanes diverged at a branch: one packet, with the warp's mask in another flit.
static void branch_divergence(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = "and.b32 %r5, %r3, 1; setp.eq.u32 %p2, %r5, "
                                                      "1;\n@%p2 bra END;"},
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    expect_number("flits", offload_gain(&o, LANES, "offload.packet_flits"), 2);
    expect_number("lanes", rig_stat(&o.r, "offload.offloaded_lanes"), 2 * LANES / 2);
    then_forms(&s, FIRST_OF_PAIR);
    script_sends(5, 2);
    expect_notices(&o, &s);
    offload_check(&o, LANES, 0x55555555);
    for (uint32_t i = 1; i < LANES; i += 2) // as it was
        assert_int_equal(o.buffer[21 * LINE / 4 + i], 3 * (21 * LINE / 4 + i) + 1000);
    offload_free(&o);
}

// Lanes in arbitrary order within their line: one packet, with their places in another flit.
static void irregular_lanes(void **state)
{
    (void)state;
    begin(&(struct form){.shape = {{28, LINE}, side_by_side, side_by_side}, .line = {5, 13, 21}},
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    expect_number("flits", offload_gain(&o, LANES, "offload.packet_flits"), 2);
    then_forms(&s, SECOND_OF_PAIR);
    script_sends(5, 2);
    expect_notices(&o, &s);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Two lines of the first load, one of each other operand: a packet for each, with its mask.
static void memory_divergence(void **state)
{
    (void)state;
    begin(&(struct form){.shape = {{8, 2 * LINE}, side_by_side, side_by_side}, .line = {5, 13, 21}},
          SETTINGS("offload.policy=omni"));
    offload_run(&o, LANES);
    expect_number("flits", offload_gain(&o, LANES, "offload.packet_flits"), 4);
    uint32_t core = memsys_endpoint_at(rig_memsys(&o.r), 42);
    then(&s, 0, OFFLOAD_BEGINS, WHO);
    then(&s, 1, OFFLOAD_MISS, WHO);
    then(&s, 1, OFFLOAD_MISS, WHO);
    then(&s, 1, OFFLOAD_MISS, WHO);
    then(&s, 0, OFFLOAD_CAPTURED, WHO);
    then(&s, 2, OFFLOAD_CAPTURED, WHO);
    then(&s, 0, OFFLOAD_FORMED, WHO);
    then(&s, 1, OFFLOAD_SENT, WHO);
    uint64_t sent = s.at;
    then(&s, way(&o, WHO, end_of(5), 2), OFFLOAD_ARRIVED, end_of(5));
    then_partition_serves(&o, &s, 5);
    s.at = sent;
    then(&s, 1, OFFLOAD_SENT, WHO);
    // The first packet takes the interface for two cycles. Half a line is stored: 3 flits.
    then(&s, 1 + way(&o, WHO, core, 2), OFFLOAD_ARRIVED, core);
    then_core_waits(&o, &s, core, (uint32_t[]){6, 5}, 2);
    then_core_computes(&o, &s, core, 5, 3);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    expect_notices(&o, &s);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// The warp's own store to a line of the chain was not acknowledged.
static void conflict(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = "st.global.u32 [%d2], %r3;"},
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    offload_run(&o, LANES);
    then_forms(&s, FIRST_OF_PAIR);
    then(&s, 1, OFFLOAD_DISCARDED, WHO);
    expect_notices_first(&o, &s); // the loads follow the store into the network
    assert_int_equal(o.notices[o.count - 2].event, OFFLOAD_REPLAYED);
    assert_int_equal(o.notices[o.count - 1].event, OFFLOAD_ENDS);
    assert_int_equal(o.count, s.count + 2);
    expect_number("conflicts", rig_stat(&o.r, "offload.discarded_conflict"), 2);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// A store to another line does not matter.
static void no_conflict(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = "st.global.u32 [%d1+1408], %r3;"}, // 11 lines
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    expect_number("offloaded", offload_gain(&o, LANES, "offload.chains_offloaded"), 1);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Half of the lanes store to the line that the others load: all lanes of a warp load before any
// stores, so neither half can be offloaded alone.
static void lanes_depend_on_each_other(void **state)
{
    (void)state;
    begin(&(struct form){.shape = {{8, 2 * LINE}, side_by_side, side_by_side}, .line = {5, 13, 6}},
          SETTINGS("offload.policy=omni"));
    offload_run(&o, LANES);
    expect_number("conflicts", rig_stat(&o.r, "offload.discarded_conflict"), 1);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t a = 5 * LINE / 4 + 2 * i, b = 13 * LINE / 4 + i;
        assert_int_equal(o.buffer[6 * LINE / 4 + i], 3 * a + 1000 + 3 * b + 1000);
    }
    offload_free(&o);
}

// Half of the lanes have all lines in one partition. By default none is offloaded then; otherwise
// the others are replayed after their loads, and the warp waits for both.
static void some_lanes_only(void **state)
{
    struct form form = {.shape = {{8, 2 * LINE}, side_by_side, side_by_side}, .line = {5, 13, 21}};
    (void)state;
    begin(&form, SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    expect_number("offloaded", rig_stat(&o.r, "offload.chains_offloaded"), 0);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
    begin(&form, SETTINGS("offload.policy=llc", "offload.partial=true"));
    offload_run(&o, LANES);
    offload_run(&o, LANES);
    expect_number("offloaded", rig_stat(&o.r, "offload.offloaded_lanes"), 2 * LANES / 2);
    expect_number("replayed", rig_stat(&o.r, "offload.replayed"), 2 * LANES / 2);
    uint32_t answer = find_any(OFFLOAD_ANSWER), replayed = find_any(OFFLOAD_REPLAYED);
    assert_int_equal(find_any(OFFLOAD_ENDS), o.count - 1);
    assert_int_equal(o.count - 1, 1 + (answer > replayed ? answer : replayed));
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// A chain's loads allocate no line of the L1 and no MSHR: the only one belongs to another load.
static void takes_nothing_of_the_first_level(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = "add.u64 %d7, %d1, 4096;\n" LOAD_WIDE("%d7"),
                         .after = USE_WIDE LOAD_BEFORE("%d1") LOAD_BEFORE("%d2")},
          SETTINGS("offload.policy=llc", "l1.mshrs=1"));
    offload_run(&o, LANES);
    expect_number("misses", offload_gain(&o, LANES, "core.l1_read_miss"), 3);
    expect_number("hits", rig_stat(&o.r, "core.l1_read_hit"), 0);
    then_forms(&s, FIRST_OF_PAIR);
    script_sends(5, 1);
    expect_notices(&o, &s);
    offload_free(&o);
}

// The core's own L1 drops lines that are stored elsewhere.
static void drops_the_stores_line(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 13, 21), .before = LOAD_BEFORE("%d3"),
                         .after = LOAD_BEFORE("%d3")},
          SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    expect_number("misses", offload_gain(&o, LANES, "core.l1_read_miss"), 2);
    expect_number("hits", rig_stat(&o.r, "core.l1_read_hit"), 0);
    expect_number("offloaded", rig_stat(&o.r, "offload.chains_offloaded"), 2);
    offload_free(&o);
}

// A fence waits for stores; for an offloaded chain that is its end.
static void fences_wait(void **state)
{
    (void)state;
    struct form form = {ALL_AT(5, 13, 21), .after = "membar.gl;"};
    begin(&form, SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    expect_number("offloaded", offload_gain(&o, LANES, "core.stall_fence"), 0);
    uint64_t stored = 0, ended = o.notices[o.count - 1].cycle;
    for (uint32_t i = 0; i < o.count; i++)
        stored += o.notices[i].event == OFFLOAD_STORED ? o.notices[i].cycle : 0;
    assert_true(stored && stored < ended);
    offload_free(&o);

    form.line[B] = 14; // replayed
    begin(&form, SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    double waited = offload_gain(&o, LANES, "core.stall_fence");
    expect_number("replayed", waited, (double)round_trip(&o, WHO, 5, 5, 1));
    offload_free(&o);
}

// A chain after a replayed one starts when that one has sent its store, here of one line per lane,
// one per cycle.
static void next_waits_for_store(void **state)
{
    struct form form = {.shape = {side_by_side, side_by_side, {LINE, LANES * LINE}},
                        .line = {5, 14, 24},
                        .before = "mov.u32 %r9, 0;\nAGAIN:",
                        .after = "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 2;\n@%p3 bra AGAIN;"};
    (void)state;
    begin(&form, SETTINGS("offload.policy=llc"));
    offload_run(&o, LANES);
    offload_run(&o, LANES);
    uint32_t ends = 0;
    while (o.notices[ends].event != OFFLOAD_ENDS)
        ends++;
    assert_int_equal(o.notices[ends - 1].event, OFFLOAD_REPLAYED);
    assert_int_equal(o.notices[ends - 1].cycle, o.notices[ends].cycle);
    assert_int_equal(o.notices[ends + 1].event, OFFLOAD_BEGINS);
    assert_true(o.notices[ends + 1].cycle >= o.notices[ends].cycle + LANES);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// The second warp waits at a barrier, which the first one reaches after its chain.
static void barriers_wait(void **state)
{
    struct form form = {ALL_AT(5, 13, 21),
                        .before = "setp.lt.u32 %p2, %r3, 32;\n@%p2 bra CHAIN;\nbar.sync 0;\nCHAIN:",
                        .after = "setp.ge.u32 %p2, %r3, 32;\n@%p2 bra END;\nbar.sync 0;",
                        .stride = 8};
    (void)state;
    begin(&form, SETTINGS("offload.policy=llc"));
    offload_run(&o, 2 * LANES);
    double waited = offload_gain(&o, 2 * LANES, "core.stall_barrier");
    uint32_t ends = find(OFFLOAD_ENDS, 0, 0), begins = find(OFFLOAD_BEGINS, 1, 0);
    uint32_t stored = 0;
    while (o.notices[stored].event != OFFLOAD_STORED)
        stored++;
    assert_true(stored < ends);
    assert_int_equal(begins, ends + 1);
    assert_true(waited >= (double)o.notices[ends].cycle);
    expect_number("offloaded", rig_stat(&o.r, "offload.chains_offloaded"), 4);
    offload_check(&o, 2 * LANES, FULL_MASK);
    offload_free(&o);
}

// Warps that reach the chain at the same time, among others that compute, form their chains one
// after the other, each as fast as if it were alone.
static void form_together(const char *const *settings)
{
    enum { WARPS = 8, CHAINS = 4, CYCLES = 5 };
    static struct text before, others;
    before.length = others.length = 0;
    text_put(&before, "setp.ge.u32 %%p2, %%r3, %u;\nbar.sync 0;\n@%%p2 bra OTHERS;\n",
             CHAINS * LANES);
    for (uint32_t i = 0; i < 64; i++)
        text_put(&others, "add.u32 %%r%u, %%r3, %u;\n", 5 + i % 5, i);
    struct form form = {ALL_AT(5, 13, 21), .before = before.at, .others = others.at, .stride = 9};
    begin(&form, settings);
    offload_run(&o, WARPS * LANES);
    double waited = offload_gain(&o, WARPS * LANES, "core.stall_forming");
    for (uint32_t i = 0, from = 0; i < CHAINS; i++) {
        uint32_t begins = from;
        while (o.notices[begins].event != OFFLOAD_BEGINS)
            assert_true(++begins < o.count);
        from = find(OFFLOAD_FORMED, o.notices[begins].entry, begins);
        assert_int_equal(o.notices[begins].cycle, i * CYCLES);
        assert_int_equal(o.notices[from].cycle, i * CYCLES + CYCLES - 1);
        for (uint32_t k = begins + 1; k < from; k++)
            assert_int_not_equal(o.notices[k].event, OFFLOAD_BEGINS);
    }
    assert_true(waited >=
                2 * CYCLES); // the third and the fourth were there before the second began
    expect_number("offloaded", rig_stat(&o.r, "offload.chains_offloaded"), 2 * CHAINS);
    offload_check(&o, CHAINS * LANES, FULL_MASK);
    offload_free(&o);
}

static void forming_comes_first(void **state)
{
    (void)state;
    form_together(SETTINGS("offload.policy=llc"));
    form_together(SETTINGS("offload.policy=llc", "core.schedulers=2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_missed),
        cmocka_unit_test(first_hits),
        cmocka_unit_test(second_hits),
        cmocka_unit_test(pending_miss_hits),
        cmocka_unit_test(pending_miss_misses),
        cmocka_unit_test(first_load_is_looked_up),
        cmocka_unit_test(flushed_loads_enter_or_pass),
        cmocka_unit_test(nobody_can),
        cmocka_unit_test(ways_do_not_meet),
        cmocka_unit_test(queue_full),
        cmocka_unit_test(branch_divergence),
        cmocka_unit_test(irregular_lanes),
        cmocka_unit_test(memory_divergence),
        cmocka_unit_test(conflict),
        cmocka_unit_test(no_conflict),
        cmocka_unit_test(lanes_depend_on_each_other),
        cmocka_unit_test(some_lanes_only),
        cmocka_unit_test(takes_nothing_of_the_first_level),
        cmocka_unit_test(drops_the_stores_line),
        cmocka_unit_test(fences_wait),
        cmocka_unit_test(barriers_wait),
        cmocka_unit_test(next_waits_for_store),
        cmocka_unit_test(forming_comes_first),
    };
    return cmocka_run_group_tests_name("offload_queue", tests, NULL, NULL);
}
