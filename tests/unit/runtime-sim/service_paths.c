// Each queue around a slice at its limit, while the others proceed: replies that the network does
// not accept, replies that the partition's own endpoint does not accept, loads that a full service
// queue sends back.
#include "runtime-sim/schemes/llc_omni/service.h"
#include "tests/unit/runtime-sim/memsys_fixture.h"

enum {
    PARTITIONS = 8,
    VICTIM = 5, // a core that takes no reply
    OTHER = 40,
    BLOCKED = 4000, // cycles after which nothing moves to it
    LONG = 4000,    // more than any operand takes
    OPERANDS = 60,
    MANY = 5000, // lines
    PACKETS = 24,
    BURST = 4, // packets that come one after the other
    PAUSE = 200,
    ENTRIES = 2,
    BACK_ROW = MEMSYS_INPUTS,
};

#define FEW_MSHRS "llc.mshrs=4"

struct site {
    struct fixture f;
    uint32_t end;     // of partition 0
    bool pops_back;   // the victim takes its replies
    uint64_t asked;   // requests of the victim
    uint64_t answers; // of the partition's endpoint
    struct service service;
    uint32_t notices[OFFLOAD_EVENTS];
    uint8_t bits[PACKET_MAX_FLITS * PACKET_FLIT];
    uint64_t sink; // for statistics
};

// Returns a line of partition 0.
static uint64_t line_at(uint64_t number)
{
    return number * PARTITIONS;
}

static void begin_site(struct site *s, const char *const *settings, uint32_t inputs)
{
    *s = (struct site){0};
    begin(&s->f, "isca19", settings);
    assert_true(config_set(&s->f.config, "request_network.classes=2"));
    struct memsys_input *rows = ARENA_ARRAY(&s->f.arena, struct memsys_input, inputs);
    start_with(&s->f, (struct memsys_tables){.inputs = {rows, inputs, inputs}}, NULL, NULL);
    s->end = memsys_partition_endpoint(s->f.m, 0);
}

static void go_on(struct site *s)
{
    while (s->pops_back && memsys_peek(s->f.m, VICTIM))
        memsys_pop(s->f.m, VICTIM);
    advance(&s->f, s->f.now + 1);
}

// Requests each line twice: an MSHR whose first request has its reply is not free.
static void ask_for_victim(struct site *s, uint64_t lines)
{
    struct memsys_request r = request(VICTIM, line_at(s->asked / 2 % lines), MEMSYS_READ);
    if (!memsys_can_send(s->f.m, &r))
        return;
    memsys_send(s->f.m, &r);
    s->asked++;
}

// Lets the victim read this many different lines of partition 0, until no reply leaves it.
static void block_replies(struct site *s, uint64_t lines)
{
    for (; s->f.now < BLOCKED; go_on(s))
        ask_for_victim(s, lines);
    assert_false(noc_can_send(memsys_network(s->f.m, MEMSYS_REPLIES),
                              memsys_endpoint_node(s->f.m, s->end), 0, 5));
}

static void pop_own(struct site *s)
{
    for (; memsys_peek(s->f.m, s->end); s->answers++)
        memsys_pop(s->f.m, s->end);
}

static void drain(struct site *s)
{
    s->pops_back = true;
    for (uint64_t from = s->f.now; memsys_inside(s->f.m);) {
        if (s->service.memsys)
            service_tick(&s->service, s->f.now);
        else
            pop_own(s);
        while (memsys_peek(s->f.m, OTHER))
            memsys_pop(s->f.m, OTHER);
        go_on(s);
        assert_true(s->f.now < from + 100000);
    }
    end(&s->f);
}

static bool put_own(struct site *s, uint64_t line, enum memsys_kind kind)
{
    struct memsys_request r = request(s->end, line, kind);
    if (!memsys_can_put(s->f.m, 0, MEMSYS_FROM_OWN))
        return false;
    memsys_put(s->f.m, 0, MEMSYS_FROM_OWN, &r);
    return true;
}

// Returns the requests of the partition's endpoint that get replies while no reply leaves the
// slice: touches and reads of lines that the victim requested last, or of others.
static uint64_t answered_meanwhile(uint64_t lines, bool same)
{
    struct site s;
    begin_site(&s, (const char *const[]){FEW_MSHRS, NULL}, 0);
    block_replies(&s, lines);
    uint64_t sent = 0, until = s.f.now + LONG;
    while (s.f.now < until) {
        uint64_t number = same ? (s.asked - 1 - sent / 2) / 2 % lines : 2 * MANY + sent / 2;
        sent +=
            sent < OPERANDS && put_own(&s, line_at(number), sent % 2 ? MEMSYS_READ : MEMSYS_TOUCH);
        pop_own(&s);
        go_on(&s);
    }
    uint64_t answers = s.answers;
    drain(&s);
    return answers;
}

// The waiting replies are of one line, or of lines that were all fetched; operands are in these or
// in others.
static void replies_wait(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t lines = i / 2 ? MANY : 1, same = i % 2;
        assert_int_equal(answered_meanwhile(lines, same), OPERANDS);
    }
}

// The partition's endpoint reads each line this many cycles after the victim, before its DRAM data
// arrive, until no reply leaves the slice. Returns how many of its reads have no reply then.
static uint64_t left_behind(uint64_t lag)
{
    static uint64_t begun[MANY];
    struct site s;
    uint64_t sent = 0;
    begin_site(&s, (const char *const[]){FEW_MSHRS, NULL}, 0);
    while (s.f.now < BLOCKED + LONG) {
        uint64_t before = s.asked;
        if (s.f.now < BLOCKED)
            ask_for_victim(&s, MANY);
        if (s.asked > before)
            begun[before % MANY] = s.f.now;
        if (sent < s.asked && begun[sent % MANY] + lag <= s.f.now)
            sent += put_own(&s, line_at(sent / 2 % MANY), MEMSYS_READ);
        pop_own(&s);
        go_on(&s);
    }
    assert_int_equal(sent, s.asked);
    uint64_t left = sent - s.answers;
    drain(&s);
    return left;
}

static void own_reads_pass(void **state)
{
    (void)state;
    for (uint64_t lag = 10; lag < 100; lag += 10)
        assert_int_equal(left_behind(lag), 0);
}

// Returns the reads of a core that get replies while the partition's endpoint accepts none of its
// own.
static uint64_t answered_to_a_core(void)
{
    struct site s;
    begin_site(&s, (const char *const[]){FEW_MSHRS, NULL}, 0);
    for (uint64_t number = 0; s.f.now < BLOCKED; go_on(&s))
        number += put_own(&s, line_at(number), MEMSYS_TOUCH);
    assert_false(memsys_can_put(s.f.m, 0, MEMSYS_FROM_OWN));
    uint64_t sent = 0, answers = 0;
    while (s.f.now < BLOCKED + LONG) {
        struct memsys_request r = request(OTHER, line_at(sent), MEMSYS_READ);
        if (sent < OPERANDS && memsys_can_send(s.f.m, &r)) {
            memsys_send(s.f.m, &r);
            sent++;
        }
        for (; memsys_peek(s.f.m, OTHER); answers++)
            memsys_pop(s.f.m, OTHER);
        go_on(&s);
    }
    drain(&s);
    return answers;
}

static void own_replies_wait(void **state)
{
    (void)state;
    assert_int_equal(answered_to_a_core(), OPERANDS);
}

// A service queue

static const uint8_t *bits_of(void *context, uint32_t core, uint32_t entry, uint32_t *flits)
{
    struct site *s = context;
    uint64_t address = line_at(2 * MANY + core * PACKETS + entry) * LINE;
    struct compute_packet packet = {.pattern = 1, .entry = (uint8_t)entry, .mask = UINT32_MAX};
    packet.op[0] =
        (struct packet_op){.function = PACKET_add, .source = {PACKET_LOAD_0, PACKET_LOAD_1}};
    packet.load[0] = (struct packet_operand){.base = address, .bytes = 4, .lanes = PACKET_UP};
    packet.load[1] = packet.store = packet.load[0];
    packet.load[1].base += (uint64_t)LINE * PARTITIONS * 10000;
    packet.store.base += (uint64_t)LINE * PARTITIONS * 20000;
    packet_complete(&packet);
    *flits = packet_encode(&packet, s->bits);
    return s->bits;
}

static uint32_t one_cycle(void *context, uint32_t core, uint32_t entry)
{
    (void)context;
    (void)core;
    (void)entry;
    return 1;
}

static uint32_t no_site(void *context, uint32_t core, uint32_t entry, uint32_t which)
{
    (void)context;
    (void)core;
    (void)entry;
    (void)which;
    return 0;
}

static void note_read(void *context, uint32_t end, const struct service_entry *entry,
                      uint32_t which)
{
    (void)context;
    (void)end;
    (void)entry;
    (void)which;
}

static void note_result(void *context, uint32_t end, const struct service_entry *entry)
{
    (void)context;
    (void)end;
    (void)entry;
}

static void note_event(void *context, uint64_t cycle, enum offload_event event, uint32_t end,
                       uint32_t core, uint32_t entry)
{
    (void)cycle;
    (void)end;
    (void)core;
    (void)entry;
    ((struct site *)context)->notices[event]++;
}

static void send_packets(struct site *s, uint32_t *sent)
{
    struct memsys_request r = request(OTHER, 0, MEMSYS_PACKET);
    r.tag = *sent;
    r.flits = 1;
    if (*sent == PACKETS || *sent / BURST * PAUSE > s->f.now - BLOCKED ||
        !memsys_can_send_packet(s->f.m, OTHER, 1))
        return;
    memsys_send_packet(s->f.m, s->end, &r);
    ++*sent;
}

// Packets arrive while no reply leaves the slice, more at once than the queue has entries. Returns
// the number of chains that were computed and stored.
static uint32_t stored_meanwhile(uint32_t back_input)
{
    struct site s;
    struct offload_config config = {.service_queue = ENTRIES, .buffer = 4, .alu_width = LANES};
    const struct service_hooks hooks = {.context = &s,
                                        .bits = bits_of,
                                        .latency = one_cycle,
                                        .site = no_site,
                                        .read = note_read,
                                        .computed = note_result};
    uint64_t *sink = &s.sink;
    const struct service_stats stats = {sink, sink, sink, sink, sink, sink, sink, sink,
                                        sink, sink, sink, sink, sink, {0},  {0}};
    const struct service_energy energy = {.entry_write = sink,
                                          .entry_read = sink,
                                          .line_write = sink,
                                          .line_read = sink,
                                          .alu_int = sink,
                                          .alu_fp32 = sink};
    const struct offload_log log = {note_event, &s};
    begin_site(&s, (const char *const[]){FEW_MSHRS, NULL}, 1);
    service_init(&s.service, &s.f.arena, &config, s.f.m, s.end);
    s.service.hooks = &hooks;
    s.service.stats = &stats;
    s.service.energy = &energy;
    s.service.log = &log;
    s.service.back_input = back_input;
    block_replies(&s, MANY);
    for (uint32_t sent = 0; s.f.now < BLOCKED + LONG;) {
        send_packets(&s, &sent);
        service_tick(&s.service, s.f.now);
        go_on(&s);
    }
    uint32_t stored = s.notices[OFFLOAD_STORED];
    assert_true(s.notices[OFFLOAD_BOUNCED] > 0);
    drain(&s);
    return stored;
}

static void loads_are_sent_back(void **state)
{
    (void)state;
    assert_int_equal(stored_meanwhile(BACK_ROW), PACKETS / BURST * ENTRIES);
    assert_int_equal(stored_meanwhile(MEMSYS_FROM_OWN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_wait),
        cmocka_unit_test(own_reads_pass),
        cmocka_unit_test(own_replies_wait),
        cmocka_unit_test(loads_are_sent_back),
    };
    return cmocka_run_group_tests_name("service_paths", tests, NULL, NULL);
}
