// Savings of the networks for a packet, in flits times hops, as the monitor of traffic counts them:
// compared with sums by hand, and with the networks' counts [000 Fig. 1, 3].
//
// Core 15 is at (2, 2); partitions 2, 5, 6 and 7 are at (1, 2), (7, 5), (1, 6) and (5, 7). A load
// of a line has 1 flit there and 5 back, a store of a line 5 and 1. In the butterfly there are two
// channels from any core to any partition, and between partitions.
#include "runtime-sim/gpu/machine/machine_state.h"
#include "runtime-sim/schemes/llc_omni/offload_queue.h"
#include "tests/unit/runtime-sim/offload_fixture.h"

static struct offload_rig o;

struct weighed {
    const char *name, *before;
    enum { MESH, FLY, PLAIN_FLY } network;
    uint32_t line[OPERANDS];
    int64_t plain, offloaded;
    enum adaptive_kind kind;
    uint32_t lanes;
};

#define HALF "setp.ge.u32 %p2, %r3, 16;\n@%p2 bra END;"

static const struct weighed cases[] = {
    // 8 hops to partition 5: two loads and a store, or a packet and its answer.
    {"one partition", NULL, MESH, {5, 13, 21}, 3 * 6 * 8, 2 * 8, ADAPTIVE_HERE, FULL_MASK},
    // 8, 5 and 8 hops. The loads meet at (2, 5), after 3; from there it is 5, 2 and 5.
    {"a core",
     NULL,
     MESH,
     {5, 6, 7},
     6 * (8 + 5 + 8),
     2 * 3 + 6 * (5 + 2 + 5),
     ADAPTIVE_MEET,
     FULL_MASK},
    // The store goes 9 hops from partition 5 to 2, which is 1 from the core.
    {"stored elsewhere",
     NULL,
     MESH,
     {5, 13, 2},
     6 * (8 + 8 + 1),
     2 * 8 + 6 * 9,
     ADAPTIVE_MEET,
     FULL_MASK},
    // The first level loads a line once.
    {"the same line", NULL, MESH, {5, 5, 13}, 6 * (8 + 8), 2 * 8, ADAPTIVE_HERE, FULL_MASK},
    // Whole lines are loaded, 64 bytes stored; the packet has a flit of its mask.
    {"half of the lanes",
     HALF,
     MESH,
     {5, 13, 21},
     (6 + 6 + 3 + 1) * 8,
     3 * 8,
     ADAPTIVE_HERE,
     0xffff},
    {"fly, one partition", NULL, FLY, {5, 13, 21}, 3 * 6 * 2, 2 * 2, ADAPTIVE_HERE, FULL_MASK},
    // Partitions 6 and 7 have a router of the second stage in common, one channel from each end.
    {"fly, second stage", NULL, FLY, {6, 7, 14}, 3 * 6 * 2, 2 + 3 * 6, ADAPTIVE_MEET, FULL_MASK},
    {"fly, first stage", NULL, FLY, {5, 6, 7}, 3 * 6 * 2, 3 * 6 * 2, ADAPTIVE_MEET, FULL_MASK},
    {"fly, stored elsewhere",
     NULL,
     FLY,
     {5, 13, 2},
     3 * 6 * 2,
     2 * 2 + 6 * 2,
     ADAPTIVE_MEET,
     FULL_MASK},
    {"no routers", NULL, PLAIN_FLY, {5, 13, 2}, 3 * 6 * 2, 2 * 2 + 6 * 2, ADAPTIVE_MEET, FULL_MASK},
};

static const char *const *settings_of(const struct weighed *w, const char *policy)
{
    static const char *settings[8];
    static const char *const networks[][6] = {
        [MESH] = {NULL},
        [FLY] = {BUTTERFLIES},
        [PLAIN_FLY] = {"request_network.topology=fly", "reply_network.topology=fly"}};
    memcpy(settings + 1, networks[w->network], sizeof networks[w->network]);
    settings[0] = policy;
    return settings;
}

// Returns the flits times hops that a second run adds.
static int64_t carried(const struct weighed *w, const char *policy)
{
    const struct form form = {.before = w->before,
                              .shape = {side_by_side, side_by_side, side_by_side},
                              .line = {w->line[A], w->line[B], w->line[C]}};
    offload_load(&o, &form, settings_of(w, policy));
    offload_run(&o, LANES);
    int64_t flit_hops = (int64_t)offload_gain(&o, LANES, "memory.weighted_hops");
    offload_check(&o, LANES, w->lanes);
    return flit_hops;
}

static void expect(const struct weighed *w, const char *what, int64_t have, int64_t expected)
{
    if (have != expected)
        fail_msg("%s, %s: %lld, not %lld", w->name, what, (long long)have, (long long)expected);
}

static void what_is_not_carried(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weighed *w = &cases[i];
        expect(w, "plain", carried(w, "offload.policy=baseline"), w->plain);
        offload_free(&o);
        expect(w, "offloaded", carried(w, "offload.policy=omni"), w->offloaded);
        // The only packet had the queue's first entry.
        const struct oqsr *entry = &queue_of(&o.r, WHO)->entries[0];
        expect(w, "saved", entry->saving.hops, w->plain - w->offloaded);
        expect(w, "kind", entry->kind, w->kind);
        offload_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_carried)};
    return cmocka_run_group_tests_name("offload_cost", tests, NULL, NULL);
}
