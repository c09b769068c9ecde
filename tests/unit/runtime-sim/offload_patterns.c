// Each pattern of chains [000 Table 1] offloaded: the place where it is computed, the reply, and
// the result.
#include "runtime-sim/schemes/llc_omni/emn.h"
#include "tests/unit/runtime-sim/offload_script.h"

static struct offload_rig o;
static struct script s;

enum answer { ACK, BITS, REGISTER };

struct pattern {
    uint8_t number, loads, operations, answer;
    const char *chain, *after;
    uint32_t (*value)(uint32_t a, uint32_t b);
};

// Returns the expected contents of c.
static uint32_t copied(uint32_t a, uint32_t b)
{
    (void)b;
    return a;
}

static uint32_t complement(uint32_t a, uint32_t b)
{
    (void)b;
    return ~a;
}

static uint32_t plus_7(uint32_t a, uint32_t b)
{
    (void)b;
    return a + 7;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a + b;
}

static uint32_t sum_plus_7(uint32_t a, uint32_t b)
{
    return a + (b + 7);
}

static uint32_t square_of_sum(uint32_t a, uint32_t b)
{
    return sum(a, b) * sum(a, b);
}

static uint32_t square_of_sum_plus_7(uint32_t a, uint32_t b)
{
    return sum_plus_7(a, b) * sum_plus_7(a, b);
}

static uint32_t is_above(uint32_t a, uint32_t b)
{
    return a > b ? 3 : 4;
}

static uint32_t is_above_1504(uint32_t a, uint32_t b)
{
    (void)b;
    return a > 1504 ? 3 : 4;
}

#define LOAD_A "ld.global.u32 %r11, [%d1];\n"
#define LOAD_B "ld.global.u32 %r12, [%d2];\n"
#define STORE "st.global.u32 [%d3], %r13;\n"
#define SQUARE "mul.lo.u32 %r6, %r13, %r13; st.global.u32 [%d3], %r6;\n"
#define CHOOSE "selp.u32 %r6, 3, 4, %p3; st.global.u32 [%d3], %r6;\n"

static const struct pattern patterns[] = {
    {1, 2, 1, ACK, LOAD_A LOAD_B "add.u32 %r13, %r11, %r12;\n" STORE, "", sum},
    {2, 2, 1, REGISTER, LOAD_A LOAD_B "add.u32 %r13, %r11, %r12;\n", SQUARE, square_of_sum},
    {3, 1, 0, ACK, "ld.global.u32 %r13, [%d1];\n" STORE, "", copied},
    {4, 1, 1, ACK, LOAD_A "not.b32 %r13, %r11;\n" STORE, "", complement},
    {5, 2, 1, BITS, LOAD_A LOAD_B "setp.gt.u32 %p3, %r11, %r12;\n", CHOOSE, is_above},
    {6, 1, 1, BITS, LOAD_A "setp.gt.u32 %p3, %r11, 1504;\n", CHOOSE, is_above_1504},
    {7, 1, 1, ACK, LOAD_A "add.u32 %r13, %r11, 7;\n" STORE, "", plus_7},
    {8, 2, 2, REGISTER, LOAD_B LOAD_A "add.u32 %r14, %r12, 7;\nadd.u32 %r13, %r11, %r14;\n", SQUARE,
     square_of_sum_plus_7},
    {9, 2, 2, ACK, LOAD_B LOAD_A "add.u32 %r14, %r12, 7;\nadd.u32 %r13, %r11, %r14;\n" STORE, "",
     sum_plus_7},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

// Lines of a and b are in partitions 5 and 6, that of c in 7.
static const uint32_t partition[OPERANDS] = {5, 6, 7};

// Returns the place where the pattern is computed: the meet node of the loads, or of the load and
// the store; the single load's partition without a store.
static uint32_t place_of(const struct pattern *p)
{
    const struct config_list *at = &o.r.config.memsys.memory.partition_nodes;
    const struct placement *placement = placement_mesh(&o.r.k.arena, 8, 8, at->v, at->n);
    uint32_t other = p->loads == 2 ? partition[B] : p->answer == BITS ? partition[A] : partition[C];
    uint16_t node = emn_find(placement, 18, partition[A], other, EMN_LLC_ANY);
    assert_int_not_equal(node, EMN_NONE);
    return memsys_endpoint_at(rig_memsys(&o.r), node);
}

static bool stores(const struct pattern *p)
{
    return p->answer == ACK;
}

// Events at the core. Two instructions are fetched at a time, the first of a pair 3 cycles after
// that of the preceding pair, or 2 after its second. Loads are looked up in the next cycle; all
// other instructions are captured.
static void script_forms(enum begins begins)
{
    const struct offload_chain *chain = &o.table.chains.v[0];
    const struct ir_function *fn = &o.r.k.module.functions.v[0];
    for (uint32_t i = 0; i < chain->count; i++) {
        uint32_t place = i + begins;
        s.at = place / 2 * 3 + place % 2 - begins;
        bool load = fn->insts.v[chain->inst[i]].class == CLASS_LOAD;
        if (!i)
            then(&s, 0, OFFLOAD_BEGINS, WHO);
        then(&s, load, load ? OFFLOAD_MISS : OFFLOAD_CAPTURED, WHO);
    }
    then(&s, 0, OFFLOAD_FORMED, WHO);
}

static void script_waits(const struct pattern *p, uint32_t end)
{
    // Patterns 8 and 9 begin with b.
    bool turned = p->operations == 2;
    uint32_t first = partition[turned ? B : A], second = partition[turned ? A : B];
    if (end < CORES) {
        then_core_waits(&o, &s, end, (uint32_t[]){first, second}, p->loads);
        return;
    }
    assert_int_equal(p->loads, 1);
    then(&s, 1, OFFLOAD_ASKED, end);
    then(&s, slice(&o), OFFLOAD_THERE, end);
    then(&s, 0, OFFLOAD_READS, end);
    then(&s, 1 + o.r.config.memsys.llc.latency, OFFLOAD_BUFFERED, end);
}

// Events of the operations, in sequence, and of the store.
static void script_computes(const struct pattern *p, uint32_t end)
{
    static const uint32_t flits[] = {[ACK] = 1, [BITS] = 1, [REGISTER] = 5};
    uint64_t addition = alu(&o) - 1;
    then(&s, 1, OFFLOAD_COMPUTES, end);
    then(&s, 1 + p->operations * addition, OFFLOAD_COMPUTED, end);
    if (stores(p)) {
        then(&s, 0, OFFLOAD_STORES, end);
        then(&s, round_trip(&o, end, partition[C], 5, 1), OFFLOAD_STORED, end);
    }
    then(&s, stores(p), OFFLOAD_ANSWERS, end); // an acknowledgement is seen in the cycle after
    then(&s, way(&o, end, WHO, flits[p->answer]), OFFLOAD_ANSWER, WHO);
    then(&s, 0, OFFLOAD_ENDS, WHO);
}

static void offload(const struct pattern *p)
{
    const struct form form = {.chain = p->chain,
                              .after = p->after,
                              .shape = {side_by_side, side_by_side, side_by_side},
                              .line = {5, 14, 23}};
    offload_load(&o, &form, SETTINGS("offload.policy=omni"));
    assert_int_equal(o.table.chains.v[0].pattern, p->number);
    for (uint32_t i = 0; i < LANES; i++) // above, or below
        o.buffer[offload_word(&form, B, i)] = o.buffer[offload_word(&form, A, i)] + 1 - i % 3;
    s.count = 0;
    s.at = 0;
    offload_run(&o, LANES);
    offload_run(&o, LANES);
    uint32_t end = place_of(p);
    script_forms(SECOND_OF_PAIR);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, end, 1), OFFLOAD_ARRIVED, end);
    script_waits(p, end);
    script_computes(p, end);
    expect_notices(&o, &s);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(
            o.buffer[offload_word(&form, C, i)],
            p->value(o.buffer[offload_word(&form, A, i)], o.buffer[offload_word(&form, B, i)]));
    expect_number("compared", rig_stat(&o.r, "offload.compared"), p->operations ? 2 * LANES : 0);
    offload_free(&o);
}

static void all_patterns(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PATTERNS; i++)
        offload(&patterns[i]);
}

// Two lines to the node, a register of all lanes back, and an acknowledgement of the core's store.
static double reply_flits(const char *requests, const char *replies)
{
    const struct form form = {.chain = patterns[1].chain,
                              .after = patterns[1].after,
                              .shape = {side_by_side, side_by_side, side_by_side},
                              .line = {5, 14, 23}};
    offload_load(&o, &form, SETTINGS("offload.policy=omni", requests, replies));
    offload_run(&o, LANES);
    double flits = offload_gain(&o, LANES, "reply.class0.flits");
    offload_free(&o);
    return flits;
}

static void flits_of_other_widths(void **state)
{
    (void)state;
    expect_number("32 bytes",
                  reply_flits("request_network.flit_bytes=32", "reply_network.flit_bytes=32"),
                  2 * 5 + 5 + 1);
    expect_number("64 bytes",
                  reply_flits("request_network.flit_bytes=64", "reply_network.flit_bytes=64"),
                  2 * 3 + 3 + 1);
    expect_number("16 bytes",
                  reply_flits("request_network.flit_bytes=16", "reply_network.flit_bytes=16"),
                  2 * 9 + 10 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_patterns),
        cmocka_unit_test(flits_of_other_widths),
    };
    return cmocka_run_group_tests_name("offload_patterns", tests, NULL, NULL);
}
