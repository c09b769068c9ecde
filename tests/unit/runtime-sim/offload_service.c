// A chain where it is computed, cycle by cycle [000 §4.4.2].
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

static uint32_t meet_node(void)
{
    return memsys_endpoint_at(rig_memsys(&o.r), 42);
}

static uint32_t count_notices(enum offload_event event)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < o.count; i++)
        count += o.notices[i].event == event;
    return count;
}

// Scenario 1: at the partition that has all three lines.
static void at_a_partition(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(6, 14, 22)}, SETTINGS("offload.policy=omni"));
    offload_run(&o, LANES);
    double touches = offload_gain(&o, LANES, "memory.touches");
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, end_of(6), 1), OFFLOAD_ARRIVED, end_of(6));
    then_partition_serves(&o, &s, 6);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    expect_notices(&o, &s);
    expect_number("touches", touches, 2);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Scenario 2: at the core where the routes of the loads meet.
static void at_a_core(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 14, 23)}, SETTINGS("offload.policy=omni"));
    offload_run(&o, LANES);
    offload_run(&o, LANES);
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, meet_node(), 1), OFFLOAD_ARRIVED, meet_node());
    then_core_waits(&o, &s, meet_node(), (uint32_t[]){5, 6}, 2);
    then_core_computes(&o, &s, meet_node(), 7, 5);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    expect_notices(&o, &s);
    expect_number("operations", rig_stat(&o.r, "offload.alu_at_cores"), 2);
    for (o.r.shuffle = 1; o.r.shuffle < 4; o.r.shuffle++) {
        offload_run(&o, LANES);
        expect_notices(&o, &s);
    }
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Returns the code of cores other than core 15: as many additions as keep an ALU busy with several
// warps. Only the first warp executes the chain.
static const char *additions(void)
{
    static struct text t;
    t.length = 0;
    text_put(&t, "mov.u32 %%r5, 0;\nLOOP:\n");
    for (uint32_t i = 0; i < 40; i++)
        text_put(&t, "add.u32 %%r%u, %%r3, %u;\n", 6 + i % 4, i);
    text_put(&t, "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p2, %%r5, 4;\n@%%p2 bra LOOP;\n");
    return t.at;
}

static const char first_warp[] = "setp.ge.u32 %p2, %r3, 32;\n@%p2 bra END;";

// Runs the chain at a core that computes. Returns the number of cycles in which it found the ALU
// busy.
static uint32_t run_at_busy_core(const char *const *settings)
{
    struct form form = {ALL_AT(5, 14, 23), .others = additions(), .before = first_warp};
    begin(&form, settings);
    offload_run(&o, 8 * LANES);
    double contended = offload_gain(&o, 8 * LANES, "offload.alu_contended");
    uint32_t stalled = count_notices(OFFLOAD_STALLED);
    expect_number("contended", contended, stalled);
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, meet_node(), 1), OFFLOAD_ARRIVED, meet_node());
    then_core_waits(&o, &s, meet_node(), (uint32_t[]){5, 6}, 2);
    for (uint32_t i = 0; i < stalled; i++)
        then(&s, 1, OFFLOAD_STALLED, meet_node());
    then_core_computes(&o, &s, meet_node(), 7, 5);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    expect_notices(&o, &s);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
    return stalled;
}

// The chain waits for a cycle in which the core does not use its ALU; with an ALU of the queue's
// own it does not wait.
static void core_uses_its_alu(void **state)
{
    (void)state;
    uint32_t shared = run_at_busy_core(SETTINGS("offload.policy=omni"));
    uint32_t own = run_at_busy_core(SETTINGS("offload.policy=omni", "offload.core_alu=dedicated"));
    assert_true(shared > 50);
    assert_int_equal(own, 0);
}

// Scenario 3: the first warp's packet takes the queue's only entry. The second one's loads are
// forwarded, one per cycle, and their data go to the core, which replays the rest: the warp
// proceeds when its store is sent.
static void queue_full(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(6, 14, 22), .stride = 8},
          SETTINGS("offload.policy=omni", "offload.service_queue=1"));
    offload_run(&o, 2 * LANES);
    double replayed = offload_gain(&o, 2 * LANES, "offload.replayed");
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    uint64_t sent = s.at;
    then(&s, way(&o, WHO, end_of(6), 1), OFFLOAD_ARRIVED, end_of(6));
    then_partition_serves(&o, &s, 6);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    s.at = sent;
    then_forms(&s, SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, end_of(6), 1), OFFLOAD_BOUNCED, end_of(6));
    then(&s, slice(&o) + way(&o, end_of(6), WHO, 5), OFFLOAD_LOAD_BACK, WHO);
    then(&s, 5, OFFLOAD_LOAD_BACK, WHO); // behind the five flits of the first one
    then(&s, alu(&o), OFFLOAD_REPLAYED, WHO);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    expect_notices(&o, &s);
    expect_number("replayed", replayed, LANES);
    expect_number("bounced", rig_stat(&o.r, "offload.bounced"), 2);
    expect_number("L1 reads", rig_stat(&o.r, "core.l1_read_miss"), 0);
    offload_check(&o, 2 * LANES, FULL_MASK);
    offload_free(&o);
}

// The packet that finds no entry stays in the network until an entry is free.
static void queue_full_waits(void **state)
{
    uint32_t in_use = 0;
    (void)state;
    begin(&(struct form){ALL_AT(6, 14, 22), .stride = 24},
          SETTINGS("offload.policy=omni", "offload.service_queue=1", "offload.full_queue=wait"));
    offload_run(&o, 8 * LANES);
    for (uint32_t i = 0; i < o.count; i++) {
        in_use += (o.notices[i].event == OFFLOAD_ARRIVED) - (o.notices[i].event == OFFLOAD_STORES);
        assert_true(in_use <= 1);
    }
    expect_number("offloaded", rig_stat(&o.r, "offload.offloaded_lanes"), 8 * LANES);
    expect_number("bounced", rig_stat(&o.r, "offload.bounced"), 0);
    offload_check(&o, 8 * LANES, FULL_MASK);
    offload_free(&o);
}

// With credits the second warp does not offload while the only entry is reserved or used. Nor does
// a warp that needs two entries at once.
static void queue_full_is_known(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(6, 14, 22), .stride = 24},
          SETTINGS("offload.policy=omni", "offload.service_queue=1", "offload.full_queue=credits"));
    for (uint32_t run = 1; run < 4; run++) {
        offload_run(&o, 2 * LANES);
        expect_number("offloaded", rig_stat(&o.r, "offload.chains_offloaded"), run);
        expect_number("discarded", rig_stat(&o.r, "offload.discarded_credit"), run);
        expect_number("bounced", rig_stat(&o.r, "offload.bounced"), 0);
        offload_check(&o, 2 * LANES, FULL_MASK);
    }
    offload_free(&o);
    begin(
        &(struct form){
            .shape = {{4 * PARTITIONS, 2 * PARTITIONS * LINE}, side_by_side, side_by_side},
            .line = {6, 22, 30}},
        SETTINGS("offload.policy=llc", "offload.service_queue=1", "offload.full_queue=credits"));
    offload_run(&o, LANES);
    expect_number("offloaded", rig_stat(&o.r, "offload.chains_offloaded"), 0);
    expect_number("more",
                  rig_stat(&o.r, "offload.discarded_full") +
                      rig_stat(&o.r, "offload.discarded_emn") +
                      rig_stat(&o.r, "offload.discarded_credit"),
                  1);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Lines of loads that are sent back are in the L1 after the chain, if they allocate.
static void loads_back_allocate(void **state)
{
    static const char *const keys[] = {"offload.bounced_loads=direct",
                                       "offload.bounced_loads=allocate"};
    (void)state;
    for (uint32_t allocate = 0; allocate < 2; allocate++) {
        begin(
            &(struct form){
                ALL_AT(6, 14, 22), .stride = 24,
                .after =
                    "and.b64 %d6, %d1, -8; ld.global.u64 %d6, [%d6]; setp.eq.u64 %p2, %d6, 77;\n"
                    "@%p2 bra END;"},
            SETTINGS("offload.policy=omni", "offload.service_queue=1", keys[allocate]));
        offload_run(&o, 2 * LANES);
        expect_number("bounced", rig_stat(&o.r, "offload.bounced"), 1);
        expect_number("hits", rig_stat(&o.r, "core.l1_read_hit"), allocate);
        expect_number("misses", rig_stat(&o.r, "core.l1_read_miss"), 2 - allocate);
        offload_check(&o, 2 * LANES, FULL_MASK);
        offload_free(&o);
    }
}

// The only entry is in use until its store is sent, not until that is acknowledged.
static void free_when_stored(void **state)
{
    enum { WARPS = 8 };
    uint32_t in_use = 0, unacknowledged = 0, taken_meanwhile = 0;
    (void)state;
    begin(&(struct form){ALL_AT(6, 14, 22), .stride = 24},
          SETTINGS("offload.policy=omni", "offload.service_queue=1"));
    offload_run(&o, WARPS * LANES);
    offload_run(&o, WARPS * LANES);
    for (uint32_t i = 0; i < o.count; i++) {
        enum offload_event event = (enum offload_event)o.notices[i].event;
        in_use += (event == OFFLOAD_ARRIVED) - (event == OFFLOAD_STORES);
        unacknowledged += (event == OFFLOAD_STORES) - (event == OFFLOAD_STORED);
        assert_true(in_use <= 1);
        assert_true(event != OFFLOAD_BOUNCED || in_use == 1);
        taken_meanwhile += event == OFFLOAD_ARRIVED && unacknowledged;
    }
    assert_int_equal(unacknowledged, 0);
    assert_true(taken_meanwhile > 0);
    offload_check(&o, WARPS * LANES, FULL_MASK);
    offload_free(&o);
}

// Returns how often chains request operands while loads of a chain that found the queue full wait
// to be sent, with a slice that waits for the DRAM for each access.
static uint32_t asked_meanwhile(void)
{
    enum { WARPS = 8 };
    uint32_t bounced = 0, asked = 0;
    bool is_sent = true; // what bounced last
    begin(&(struct form){ALL_AT(6, 14, 22), .stride = 24},
          SETTINGS("offload.policy=omni", "offload.service_queue=4", "llc.input=1",
                   "llc.access_queue=1", "llc.mshrs=1", "llc.sets=1", "dram.write_queue=0",
                   "dram.row_bytes=1024", "dram.bank_xor=false"));
    offload_run(&o, WARPS * LANES);
    for (uint32_t i = 0; i < o.count; i++) {
        enum offload_event event = (enum offload_event)o.notices[i].event;
        asked += !is_sent && event == OFFLOAD_ASKED;
        is_sent |= event == OFFLOAD_ARRIVED || event == OFFLOAD_LOAD_BACK;
        is_sent &= event != OFFLOAD_BOUNCED;
        bounced += event == OFFLOAD_BOUNCED;
    }
    assert_true(bounced > 0);
    offload_check(&o, WARPS * LANES, FULL_MASK);
    offload_free(&o);
    return asked;
}

// With an input of their own, these loads hold up no chain, and waiting chains hold up neither them
// nor the packets behind them.
static void sent_back(void **state)
{
    (void)state;
    assert_true(asked_meanwhile() > 0);
}

// At a core, the loads go through the network, and their data to the core that sent the packet.
static void queue_full_at_a_core(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 14, 23), .stride = 8, .before = SECOND_LATER},
          SETTINGS("offload.policy=omni", "offload.service_queue=1"));
    offload_run(&o, 2 * LANES);
    offload_run(&o, 2 * LANES);
    then_forms(&s, FIRST_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, meet_node(), 1), OFFLOAD_ARRIVED, meet_node());
    then_core_waits(&o, &s, meet_node(), (uint32_t[]){5, 6}, 2);
    then_core_computes(&o, &s, meet_node(), 7, 5);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    s.at = second_begins(&o);
    then_forms(&s, FIRST_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, meet_node(), 1), OFFLOAD_BOUNCED, meet_node());
    uint64_t llc = o.r.config.memsys.llc.latency, ways[2];
    for (uint32_t i = 0; i < 2; i++)
        ways[i] =
            i + 1 + way(&o, meet_node(), end_of(5 + i), 1) + llc + way(&o, end_of(5 + i), WHO, 5);
    bool second = ways[1] < ways[0];
    then(&s, ways[second], OFFLOAD_LOAD_BACK, WHO);
    then(&s, ways[!second] - ways[second], OFFLOAD_LOAD_BACK, WHO);
    then(&s, alu(&o), OFFLOAD_REPLAYED, WHO);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    expect_notices(&o, &s);
    offload_check(&o, 2 * LANES, FULL_MASK);
    offload_free(&o);
}

// A slice of one line: the first load's line is evicted by the second one's, and both by the
// repeated requests.
static void evicted_before_it_is_read(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(6, 14, 22)},
          SETTINGS("offload.policy=omni", "llc.sets=1", "llc.ways=1"));
    offload_run(&o, LANES);
    double lost = offload_gain(&o, LANES, "offload.service_lost");
    static const enum offload_event order[] = {
        OFFLOAD_ARRIVED,  OFFLOAD_ASKED,    OFFLOAD_ASKED,    OFFLOAD_THERE,
        OFFLOAD_THERE,    OFFLOAD_READS,    OFFLOAD_LOST,     OFFLOAD_LOST,
        OFFLOAD_BUFFERED, OFFLOAD_COMPUTES, OFFLOAD_COMPUTED, OFFLOAD_STORES,
        OFFLOAD_STORED,   OFFLOAD_ANSWERS,  OFFLOAD_ANSWER,   OFFLOAD_ENDS};
    uint32_t i = 0;
    while (o.notices[i].event != OFFLOAD_ARRIVED)
        i++;
    assert_int_equal(o.count - i, sizeof order / sizeof *order);
    for (uint32_t k = 0; i + k < o.count; k++)
        assert_int_equal(o.notices[i + k].event, order[k]);
    expect_number("lost", lost, 2);
    // From the first that is lost, two in two cycles, until the last one has come from the DRAM.
    const struct dram_config *dram = &o.r.config.memsys.dram;
    assert_true(o.notices[i + 8].cycle - o.notices[i + 6].cycle >= dram->tCL + dram->burst);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// More chains than the buffer has entries, and an ALU for one lane at a time: the buffer fills up,
// and nothing is read while it is full.
static void buffer_full(void **state)
{
    enum { WARPS = 8, BUFFER = 1 };
    uint32_t used = 0, max = 0;
    uint64_t begun = 0;
    (void)state;
    begin(&(struct form){ALL_AT(6, 14, 22), .stride = 24},
          SETTINGS("offload.policy=omni", "offload.buffer=1", "offload.alu_width=1"));
    offload_run(&o, WARPS * LANES);
    double full = offload_gain(&o, WARPS * LANES, "offload.buffer_full");
    for (uint32_t i = 0; i < o.count; i++) {
        used += o.notices[i].event == OFFLOAD_READS;
        max = used > max ? used : max;
        if (o.notices[i].event != OFFLOAD_COMPUTES)
            continue;
        used--;
        assert_true(!begun || o.notices[i].cycle >= begun + LANES); // lane by lane
        begun = o.notices[i].cycle;
    }
    assert_int_equal(max, BUFFER);
    assert_true(full > 0);
    assert_int_equal(count_notices(OFFLOAD_ENDS), WARPS);
    offload_check(&o, WARPS * LANES, FULL_MASK);
    offload_free(&o);
}

// The service queue's part of a core's shared memory, 96 · 2 lines, is left free by a CTA of 24,576
// bytes, if one is resident at a time, and not by one that needs a granule more.
static double packets_to_cores(const char *shared, const char *ctas)
{
    char before[96];
    snprintf(before, sizeof before, ".shared .align 4 .b8 s[%s];", shared);
    begin(&(struct form){ALL_AT(5, 14, 23), .before = before},
          SETTINGS("offload.policy=omni", ctas));
    offload_run(&o, LANES);
    double packets = rig_stat(&o.r, "offload.packets_to_cores");
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
    return packets;
}

static void shared_memory_is_taken(void **state)
{
    (void)state;
    expect_number("room", packets_to_cores("24576", "core.ctas=1"), 1);
    expect_number("no room", packets_to_cores("24577", "core.ctas=1"), 0);
    expect_number("two CTAs", packets_to_cores("24576", "core.ctas=2"), 0);
    expect_number("two small CTAs", packets_to_cores("12288", "core.ctas=2"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_a_partition),
        cmocka_unit_test(at_a_core),
        cmocka_unit_test(core_uses_its_alu),
        cmocka_unit_test(queue_full),
        cmocka_unit_test(queue_full_waits),
        cmocka_unit_test(queue_full_is_known),
        cmocka_unit_test(loads_back_allocate),
        cmocka_unit_test(free_when_stored),
        cmocka_unit_test(sent_back),
        cmocka_unit_test(queue_full_at_a_core),
        cmocka_unit_test(evicted_before_it_is_read),
        cmocka_unit_test(buffer_full),
        cmocka_unit_test(shared_memory_is_taken),
    };
    return cmocka_run_group_tests_name("offload_service", tests, NULL, NULL);
}
