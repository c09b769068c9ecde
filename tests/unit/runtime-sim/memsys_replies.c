// The decisions of a memory system's owner about replies that enter the network, and its view of
// them.
#include "tests/unit/runtime-sim/memsys_fixture.h"

enum { LINES = 24, CORE = 5 };

struct observer {
    uint32_t node;
    uint64_t taken, refused, last; // offers; cycle of the last one
    uint32_t max_waiting;
    uint32_t asked;
};

// Every third reply has priority.
static uint8_t rank_reply(void *context, uint32_t node, const struct memsys_request *reply)
{
    struct observer *o = context;
    assert_int_equal(node, o->node);
    o->asked++;
    return reply->tag % 3 ? 0 : 2;
}

static void observe(void *context, const struct memsys_offer *offer)
{
    struct observer *o = context;
    assert_int_equal(offer->node, o->node);
    assert_int_equal(offer->flits, 5);
    assert_true(offer->waiting > 0);
    assert_true(offer->taken || offer->cycle > o->last); // one refusal in a clock, without a taken
    assert_true(offer->cycle == noc_cycle(offer->network));
    o->last = offer->cycle;
    o->taken += offer->taken;
    o->refused += !offer->taken;
    o->max_waiting = offer->waiting > o->max_waiting ? offer->waiting : o->max_waiting;
}

// Lines in the slice of one partition, all requested at once: their replies wait for a link of one
// flit per cycle.
static void test_offers(void **state)
{
    (void)state;
    for (uint32_t narrow = 0; narrow < 2; narrow++) {
        struct fixture f;
        struct observer o = {0};
        begin(&f, "isca19",
              narrow ? (const char *const[]){"reply_network.injection_queue=10", NULL} : NULL);
        struct memsys_tables tables = {
            .replies = {.context = &o, .priority = rank_reply, .offered = observe}};
        start_with(&f, tables, NULL, NULL);
        o.node = memsys_partition_node(f.m, 0);
        uint32_t sent = 0, come = 0;
        struct noc *replies = memsys_network(f.m, MEMSYS_REPLIES);
        for (uint32_t pass = 0; pass < 2; pass++) // the second one finds the lines
            for (come = sent = 0; come < LINES; advance(&f, f.now + 1)) {
                struct memsys_request r = request(CORE, (uint64_t)sent * 8, MEMSYS_READ);
                if (sent < LINES && memsys_can_send(f.m, &r)) {
                    memsys_send(f.m, &r);
                    sent++;
                }
                for (const struct memsys_request *at; (at = memsys_peek(f.m, CORE)); come++) {
                    const struct noc_packet *packet =
                        noc_peek(replies, memsys_endpoint_node(f.m, CORE), 0);
                    assert_int_equal(packet->priority, at->tag % 3 ? 0 : 2);
                    memsys_pop(f.m, CORE);
                }
            }
        assert_int_equal(o.taken, 2 * LINES);
        assert_int_equal(o.asked, 2 * LINES);
        if (narrow)
            assert_true(o.refused > LINES && o.max_waiting > 4);
        else
            assert_int_equal(o.refused, 0);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_offers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
