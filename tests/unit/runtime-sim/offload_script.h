// Expected events of a chain with their cycles, from the configuration and the routes between
// nodes: for tests in which the LLC has all lines and there is no other traffic.
#pragma once
#include "tests/unit/runtime-sim/offload_fixture.h"

struct script {
    struct offload_notice list[OFFLOAD_NOTICES];
    uint32_t count;
    uint64_t at;
};

// Adds an event this many cycles after the preceding one in the source; events of one cycle are in
// their order.
static inline void then(struct script *s, uint64_t cycles, enum offload_event event, uint32_t end)
{
    s->at += cycles;
    uint32_t i = s->count++;
    for (; i && s->list[i - 1].cycle > s->at; i--)
        s->list[i] = s->list[i - 1];
    s->list[i] = (struct offload_notice){s->at, event, end, 0};
}

// Returns the stage of a butterfly in which an endpoint's requests enter or arrive; for replies,
// the reverse.
static inline int stage_of(const struct offload_rig *o, uint32_t end)
{
    const struct memsys *memsys = rig_memsys(&o->r);
    int stages = (int)o->r.config.memsys.request_network.stages;
    uint32_t in_stage = memsys_routers(memsys) / (uint32_t)stages;
    return end < CORES                ? 0
           : end < CORES + PARTITIONS ? stages - 1
                                      : (int)((end - CORES - PARTITIONS) / in_stage);
}

// Returns the number of channels between routers from one endpoint to another.
static inline uint64_t hops(const struct offload_rig *o, uint32_t from, uint32_t to)
{
    const struct memsys *memsys = rig_memsys(&o->r);
    if (o->r.config.memsys.request_network.topology == NOC_FLY)
        return (uint64_t)abs(stage_of(o, from) - stage_of(o, to));
    uint32_t a = memsys_endpoint_node(memsys, from), b = memsys_endpoint_node(memsys, to);
    int x = (int)(a % 8) - (int)(b % 8), y = (int)(a / 8) - (int)(b / 8);
    return (uint64_t)(abs(x) + abs(y));
}

// Returns the cycles from an endpoint's network interface until the other's owner sees the packet.
static inline uint64_t way(const struct offload_rig *o, uint32_t from, uint32_t to, uint32_t flits)
{
    return 5 * (hops(o, from, to) + 1) + 2 + flits - 1 + 1;
}

// Code before a chain: warps other than the first reach it some instructions later.
#define SECOND_LATER                                                                               \
    "setp.lt.u32 %p2, %r3, 32;\n@%p2 bra FORM;\n"                                                  \
    "add.u32 %r5, %r3, 1; add.u32 %r5, %r5, 1;\n"                                                  \
    "add.u32 %r5, %r5, 1; setp.eq.u32 %p2, %r5, 0;\n"                                              \
    "@%p2 bra END;\nFORM:"

// Returns when the second chain starts.
static inline uint64_t second_begins(const struct offload_rig *o)
{
    uint32_t i = 1;
    while (i < o->count && o->notices[i].event != OFFLOAD_BEGINS)
        i++;
    assert_true(i < o->count);
    return o->notices[i].cycle;
}

// Returns the cycles to the slice of a partition and back, for its own endpoint.
static inline uint64_t slice(const struct offload_rig *o)
{
    return 1 + o->r.config.memsys.llc.latency;
}

// Returns the latency of an addition, as in the core's pipeline.
static inline uint64_t alu(const struct offload_rig *o)
{
    return 1 + o->r.config.core.pipeline + o->r.config.core.latency_int_add;
}

// Returns the endpoint of a partition.
static inline uint32_t end_of(uint32_t partition)
{
    return CORES + partition;
}

// Returns the cycles of a load of the executing core that misses the L1 and hits the LLC.
static inline uint64_t plain_load(const struct offload_rig *o, uint32_t partition)
{
    uint32_t end = end_of(partition);
    return 1 + way(o, WHO, end, 1) + slice(o) - 1 + way(o, end, WHO, 5) + 1;
}

// Two instructions are fetched at a time. There are 3 cycles from one pair to the next, 2 from the
// second of a pair: the chain starts with one or the other.
enum begins { FIRST_OF_PAIR, SECOND_OF_PAIR };

// Adds the events of forming. A load is looked up in the cycle after its issue. Arithmetic is
// issued without waiting.
static inline void then_forms(struct script *s, enum begins begins)
{
    uint64_t second = begins == FIRST_OF_PAIR ? 1 : 2, third = 3, last = third + second;
    then(s, 0, OFFLOAD_BEGINS, WHO);
    then(s, 1, OFFLOAD_MISS, WHO);
    then(s, second, OFFLOAD_MISS, WHO);
    then(s, third - second - 1, OFFLOAD_CAPTURED, WHO);
    then(s, last - third, OFFLOAD_CAPTURED, WHO);
    then(s, 0, OFFLOAD_FORMED, WHO);
}

// Adds the events from the packet's arrival to its reply, at a partition that has all operands in
// its slice: one operand is requested per cycle, and when both have arrived, one is read per cycle,
// bypassing the slice's queues.
static inline void then_partition_serves(const struct offload_rig *o, struct script *s,
                                         uint32_t partition)
{
    uint32_t end = end_of(partition);
    then(s, 1, OFFLOAD_ASKED, end);
    then(s, 1, OFFLOAD_ASKED, end);
    then(s, slice(o) - 1, OFFLOAD_THERE, end);
    then(s, 1, OFFLOAD_THERE, end);
    then(s, 0, OFFLOAD_READS, end);
    then(s, 2 + o->r.config.memsys.llc.latency, OFFLOAD_BUFFERED, end);
    then(s, 1, OFFLOAD_COMPUTES, end);
    then(s, alu(o), OFFLOAD_COMPUTED, end);
    then(s, 0, OFFLOAD_STORES, end);
    then(s, slice(o), OFFLOAD_STORED, end);
    then(s, 0, OFFLOAD_ANSWERS, end);
    then(s, way(o, end, WHO, 1), OFFLOAD_ANSWER, WHO);
}

// Returns the cycles to a partition, through its slice, and back.
static inline uint64_t round_trip(const struct offload_rig *o, uint32_t from, uint32_t partition,
                                  uint32_t request, uint32_t reply)
{
    uint32_t end = end_of(partition);
    return way(o, from, end, request) + slice(o) - 1 + way(o, end, from, reply);
}

// Adds the events at a core up to the buffer, for this many loads: operands come through the
// networks into its shared memory, in the order of the routes, and are read from there.
static inline void then_core_waits(const struct offload_rig *o, struct script *s, uint32_t core,
                                   const uint32_t *partitions, uint32_t loads)
{
    uint64_t asked = s->at, last = 0;
    for (uint32_t i = 0; i < loads; i++) {
        s->at = asked + i;
        then(s, 1, OFFLOAD_ASKED, core);
        then(s, round_trip(o, core, partitions[i], 1, 5), OFFLOAD_THERE, core);
        last = s->at > last ? s->at : last;
    }
    s->at = last;
    then(s, 1, OFFLOAD_READS, core);
    then(s, o->r.config.core.shared_latency, OFFLOAD_BUFFERED, core);
}

// Adds the events from the core's ALU on. The store goes through the network.
static inline void then_core_computes(const struct offload_rig *o, struct script *s, uint32_t core,
                                      uint32_t partition, uint32_t store_flits)
{
    then(s, 1, OFFLOAD_COMPUTES, core);
    then(s, alu(o), OFFLOAD_COMPUTED, core);
    then(s, 0, OFFLOAD_STORES, core);
    then(s, round_trip(o, core, partition, store_flits, 1), OFFLOAD_STORED, core);
    then(s, 1, OFFLOAD_ANSWERS, core);
    then(s, way(o, core, WHO, 1), OFFLOAD_ANSWER, WHO);
}

static inline void print_notices(const char *title, const struct offload_notice *list,
                                 uint32_t count)
{
    print_error("%s\n", title);
    for (uint32_t i = 0; i < count; i++)
        print_error("%6llu  %2u  %s\n", (unsigned long long)list[i].cycle, list[i].end,
                    offload_event_text(list[i].event));
}

// Checks that the first events are these.
static inline void expect_notices_first(const struct offload_rig *o, const struct script *s)
{
    bool same = o->count >= s->count;
    for (uint32_t i = 0; same && i < s->count; i++)
        same = o->notices[i].cycle == s->list[i].cycle && o->notices[i].event == s->list[i].event &&
               o->notices[i].end == s->list[i].end;
    if (same)
        return;
    print_notices("expected", s->list, s->count);
    print_notices("told", o->notices, o->count);
    fail_msg("something else happens");
}

// Checks that these are all events.
static inline void expect_notices(const struct offload_rig *o, const struct script *s)
{
    expect_notices_first(o, s);
    assert_int_equal(o->count, s->count);
}

static inline void expect_number(const char *what, double have, double expected)
{
    if (have != expected)
        fail_msg("%s: %g, not %g", what, have, expected);
}
