// Tables that the owner of a memory system adds to it.
#include "tests/unit/runtime-sim/memsys_fixture.h"

static void send(struct memsys *m, const struct memsys_request *r)
{
    assert_true(memsys_can_send(m, r));
    memsys_send(m, r);
}

// Returns the cycle in which the endpoint has a reply.
static uint64_t await(struct fixture *f, uint32_t endpoint)
{
    while (!memsys_peek(f->m, endpoint))
        assert_true(advance(f, f->now + 1) < 100000);
    return f->now;
}

static void pop_replies(struct memsys *m, uint32_t endpoint)
{
    memsys_pop(m, endpoint);
}

// Requests that the owner holds

struct gate {
    struct fixture f;
    uint64_t opens; // cycle of the cores
    uint64_t line;  // of which requests wait until then
    uint32_t asked, count;
    uint64_t order[8]; // tags, as they were served
};

static enum memsys_served pass_gate(void *context, const struct memsys_request *r)
{
    struct gate *g = context;
    g->asked++;
    if (r->line == g->line && g->f.now < g->opens)
        return MEMSYS_WAIT;
    g->order[g->count++] = r->tag;
    return MEMSYS_SERVED;
}

static void begin_gate(struct gate *g, struct memsys_tables tables, const char *const *settings)
{
    *g = (struct gate){0};
    begin(&g->f, "isca19", settings);
    start_with(&g->f, tables, pass_gate, g);
}

// A held request is served when the owner releases it; no other request waits for it. Its reply is
// delayed by the same number of cycles.
static void owner_lets_wait(void **state)
{
    (void)state;
    static struct gate g;
    uint64_t usual = 0;
    for (int waits = 0; waits < 2; waits++) {
        begin_gate(&g, (struct memsys_tables){0}, NULL);
        g.opens = waits ? 5000 : 0;
        // Core 2 is nearer to partition 0, that of both lines.
        struct memsys_request first = request(2, 0, MEMSYS_READ);
        struct memsys_request other = request(40, 8, MEMSYS_READ);
        send(g.f.m, &first);
        send(g.f.m, &other);
        assert_true(await(&g.f, 40) < 1000);
        pop_replies(g.f.m, 40);
        uint64_t came = await(&g.f, 2);
        pop_replies(g.f.m, 2);
        assert_int_equal(g.count, 2);
        assert_int_equal(g.order[0], waits ? 8 : 0);
        if (!waits) {
            usual = came;
            assert_int_equal(g.asked, 2);
            end(&g.f);
            continue;
        }
        // From the gate's opening on it is asked once more, then goes back as any reply.
        assert_true(came >= 5000 && came < 5000 + usual);
        assert_true(g.asked > 4000);
        end(&g.f);
    }
}

// Inputs of slices with a condition

// The state of one word: full or empty, as a synchronising memory has it.
struct word {
    struct fixture f;
    bool full;
    uint32_t count;
    uint64_t order[8];
};

static bool is_full(void *context, const struct memsys_request *r)
{
    (void)r;
    return ((const struct word *)context)->full;
}

// A write fills the word, a read of the second class empties it.
static enum memsys_served access_word(void *context, const struct memsys_request *r)
{
    struct word *w = context;
    if (r->kind == MEMSYS_WRITE)
        w->full = true;
    if (r->message == 1) {
        assert_true(w->full);
        w->full = false;
    }
    w->order[w->count++] = r->tag;
    return MEMSYS_SERVED;
}

#define TWO_CLASSES                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        "request_network.classes=2", "reply_network.classes=2", NULL                               \
    }

// Requests of message class 1 go to input 2, whose condition is that the word is full.
static struct memsys_tables synchronised(struct word *w, bool is_passed)
{
    static struct memsys_message message = {.request_class = 1, .reply_class = 1, .input = 2};
    static struct memsys_input input;
    input = (struct memsys_input){is_full, w, is_passed};
    return (struct memsys_tables){.messages = {&message, 1, 1}, .inputs = {&input, 1, 1}};
}

static struct memsys_request tagged(uint32_t core, uint32_t tag, enum memsys_kind kind)
{
    struct memsys_request r = request(core, 0, kind);
    r.tag = tag;
    r.message = kind == MEMSYS_READ;
    return r;
}

// Two reads that wait for the word, then two writes to the same line: each write releases one read.
// Reads keep their order.
static void condition_is_passed(void **state)
{
    (void)state;
    static struct word w;
    w = (struct word){0};
    begin(&w.f, "isca19", TWO_CLASSES);
    start_with(&w.f, synchronised(&w, true), access_word, &w);
    for (uint32_t i = 0; i < 2; i++) {
        struct memsys_request r = tagged(i, i, MEMSYS_READ);
        send(w.f.m, &r);
        assert_int_equal(advance(&w.f, 1000 * (i + 1)), 1000 * (i + 1));
    }
    assert_int_equal(w.count, 0);
    for (uint32_t i = 2; i < 4; i++) {
        struct memsys_request r = tagged(i, i, MEMSYS_WRITE);
        send(w.f.m, &r);
        await(&w.f, i);
        pop_replies(w.f.m, i);
        await(&w.f, i - 2);
        pop_replies(w.f.m, i - 2);
    }
    const uint64_t expected[] = {2, 0, 3, 1};
    assert_int_equal(w.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(w.order[i], expected[i]);
    assert_false(w.full);
    end(&w.f);
}

// An input that other requests do not pass: the write waits behind the read of its line for ever.
static void condition_holds_back(void **state)
{
    (void)state;
    static struct word w;
    w = (struct word){0};
    begin(&w.f, "isca19", TWO_CLASSES);
    start_with(&w.f, synchronised(&w, false), access_word, &w);
    struct memsys_request read = tagged(0, 0, MEMSYS_READ), write = tagged(1, 1, MEMSYS_WRITE);
    send(w.f.m, &read);
    assert_int_equal(advance(&w.f, 1000), 1000);
    send(w.f.m, &write);
    for (uint64_t at = 1001; at < 5000; at++)
        advance(&w.f, at);
    assert_int_equal(w.count, 0);
    assert_int_equal(memsys_inside(w.f.m), 2);
    w.full = true;
    await(&w.f, 0);
    pop_replies(w.f.m, 0);
    await(&w.f, 1);
    pop_replies(w.f.m, 1);
    end(&w.f);
}

// The line is not in the slice, and the word is full: of two reads, one is served when the line has
// arrived, though the condition held for both before.
static void condition_holds_when_served(void **state)
{
    (void)state;
    static struct word w;
    w = (struct word){.full = true};
    begin(&w.f, "isca19", TWO_CLASSES);
    start_with(&w.f, synchronised(&w, true), access_word, &w);
    for (uint32_t i = 0; i < 2; i++) {
        struct memsys_request r = tagged(i, i, MEMSYS_READ);
        send(w.f.m, &r);
    }
    for (uint64_t at = 1; at < 3000; at++)
        advance(&w.f, at);
    assert_int_equal(w.count, 1);
    struct memsys_request write = tagged(2, 2, MEMSYS_WRITE);
    send(w.f.m, &write);
    for (uint32_t i = 0; i < 3; i++) {
        await(&w.f, i);
        pop_replies(w.f.m, i);
    }
    assert_int_equal(w.count, 3);
    end(&w.f);
}

// Many reads and writes of one word at once: each read is served when the word is full, and there
// are as many reads as writes.
static void condition_under_load(void **state)
{
    (void)state;
    static struct word w;
    enum { MANY = 4 };
    w = (struct word){0};
    begin(&w.f, "isca19", TWO_CLASSES);
    start_with(&w.f, synchronised(&w, true), access_word, &w);
    for (uint32_t i = 0; i < MANY; i++) {
        struct memsys_request r = tagged(i, i, MEMSYS_READ);
        send(w.f.m, &r);
    }
    uint64_t answered = 0;
    for (uint32_t written = 0; written < MANY;) {
        struct memsys_request r = tagged(20 + written, 20 + written, MEMSYS_WRITE);
        if (!w.full && w.count == 2 * written) {
            send(w.f.m, &r);
            written++;
        }
        advance(&w.f, w.f.now + 1);
        assert_true(w.f.now < 100000);
    }
    for (; answered < 2 * MANY; advance(&w.f, w.f.now + 1))
        for (uint32_t core = 0; core < 56; core++)
            if (memsys_peek(w.f.m, core)) {
                memsys_pop(w.f.m, core);
                answered++;
            }
    assert_false(w.full);
    end(&w.f);
}

// Classes of messages

struct observed_packets {
    uint32_t requests, replies; // of class 1 with priority 3 or 5
};

static void observe_request(void *context, const struct noc_packet *packet, bool arrived)
{
    struct observed_packets *heard = context;
    heard->requests += !arrived && packet->class == 1 && packet->priority == 3;
}

static void observe_reply(void *context, const struct noc_packet *packet, bool arrived)
{
    struct observed_packets *heard = context;
    heard->replies += !arrived && packet->class == 1 && packet->priority == 5;
}

// Packets of a message class have its classes and priorities in both networks.
static void packets_carry_priority(void **state)
{
    (void)state;
    struct fixture f;
    struct observed_packets heard = {0};
    struct memsys_message message = {
        .request_class = 1, .reply_class = 1, .request_priority = 3, .reply_priority = 5};
    struct memsys_tables tables = {.messages = {&message, 1, 1}};
    begin(&f, "isca19", TWO_CLASSES);
    start_with(&f, tables, NULL, NULL);
    noc_listen(memsys_network(f.m, MEMSYS_REQUESTS), observe_request, &heard);
    noc_listen(memsys_network(f.m, MEMSYS_REPLIES), observe_reply, &heard);
    for (uint32_t i = 0; i < 8; i++) {
        struct memsys_request r = request(i, i, i % 2 ? MEMSYS_READ : MEMSYS_WRITE);
        r.message = i < 6;
        send(f.m, &r);
    }
    for (uint32_t i = 0; i < 8; i++) {
        await(&f, i);
        pop_replies(f.m, i);
    }
    assert_int_equal(heard.requests, 6);
    assert_int_equal(heard.replies, 6);
    end(&f);
}

// Sends writes of all cores to one partition, of two classes in turn, and sums for each class the
// cycles from sending to acknowledgement.
static void send_to_one(uint8_t priority, uint64_t sum[2])
{
    enum { MANY = 2000 };
    static uint64_t since[MANY];
    struct fixture f;
    struct memsys_message message = {
        .request_class = 1, .reply_class = 1, .request_priority = priority};
    struct memsys_tables tables = {.messages = {&message, 1, 1}};
    begin(&f, "isca19", TWO_CLASSES);
    start_with(&f, tables, NULL, NULL);
    uint32_t sent = 0, answered = 0;
    while (answered < MANY) {
        for (uint32_t core = 0; core < 56; core++) {
            struct memsys_request r = request(core, 0, MEMSYS_WRITE);
            r.message = sent % 2;
            r.tag = sent;
            if (sent < MANY && memsys_can_send(f.m, &r)) {
                since[sent++] = f.now;
                memsys_send(f.m, &r);
            }
            const struct memsys_request *reply = memsys_peek(f.m, core);
            if (!reply)
                continue;
            sum[reply->message] += f.now - since[reply->tag];
            memsys_pop(f.m, core);
            answered++;
        }
        advance(&f, f.now + 1);
    }
    end(&f);
}

// With a priority, one class waits less than the other; without, both wait alike.
static void priority_goes_first(void **state)
{
    (void)state;
    uint64_t alike[2] = {0, 0}, apart[2] = {0, 0};
    send_to_one(0, alike);
    send_to_one(7, apart);
    assert_true(alike[1] * 10 > alike[0] * 9 && alike[1] * 10 < alike[0] * 11);
    assert_true(apart[1] * 2 < apart[0]);
}

// Endpoints

// Three endpoints at the node of core 5 send in turn; each gets the replies to its requests, once.
static void endpoints_share_a_node(void **state)
{
    (void)state;
    enum { EACH = 20, SELDOM = 16 };
    struct fixture f;
    begin(&f, "isca19", NULL);
    uint32_t node = 6; // core 5: node 3 is a partition's
    struct memsys_endpoint endpoints[2] = {{.node = node}, {.node = node}};
    struct memsys_tables tables = {.endpoints = {endpoints, 2, 2}};
    start_with(&f, tables, NULL, NULL);
    assert_int_equal(memsys_endpoint_node(f.m, 5), node);
    const uint32_t ends[] = {5, memsys_endpoint_count(f.m) - 2, memsys_endpoint_count(f.m) - 1};
    assert_int_equal(memsys_kind_of_endpoint(f.m, ends[2]), MEMSYS_OF_OWNER);
    assert_int_equal(memsys_endpoint_number(f.m, ends[2]), 1);
    assert_int_equal(memsys_endpoint_node(f.m, ends[2]), node);
    assert_int_equal(memsys_endpoint_at(f.m, node), 5);
    uint32_t sent = 0, got[3] = {0};
    bool seen[3 * EACH] = {false};
    while (got[0] + got[1] + got[2] < 3 * EACH) {
        struct memsys_request r = request(ends[sent % 3], 0, MEMSYS_READ);
        r.tag = sent;
        if (sent < 3 * EACH && memsys_can_send(f.m, &r)) {
            memsys_send(f.m, &r);
            sent++;
        }
        // They look in turn, and seldom: the oldest reply at the node is often another one's.
        uint32_t i = (uint32_t)(f.now / SELDOM % 3);
        const struct memsys_request *reply = f.now % SELDOM ? NULL : memsys_peek(f.m, ends[i]);
        if (reply) {
            assert_int_equal(reply->core, ends[i]);
            assert_int_equal(reply->tag % 3, i);
            assert_false(seen[reply->tag]);
            seen[reply->tag] = true;
            memsys_pop(f.m, ends[i]);
            got[i]++;
        }
        advance(&f, f.now + 1);
        assert_true(f.now < 100000);
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(got[i], EACH);
    end(&f);
}

// Packets go to their endpoint, in the order of their arrival at the node.
static void packets_at_a_shared_node(void **state)
{
    (void)state;
    struct fixture f;
    struct memsys_endpoint endpoint = {.node = 6};
    struct memsys_tables tables = {.endpoints = {&endpoint, 1, 1}};
    begin(&f, "isca19", (const char *const[]){"request_network.classes=2", NULL});
    start_with(&f, tables, NULL, NULL);
    uint32_t own = memsys_endpoint_count(f.m) - 1;
    const uint32_t to[] = {5, own};
    for (uint32_t i = 0; i < 2; i++) {
        struct memsys_request r = request(0, i, MEMSYS_PACKET);
        r.flits = 1;
        assert_true(memsys_can_send_packet(f.m, 0, 1));
        memsys_send_packet(f.m, to[i], &r);
    }
    advance(&f, 500);
    advance(&f, 1000);
    assert_null(memsys_peek_packet(f.m, own)); // behind that of core 5
    for (uint32_t i = 0; i < 2; i++) {
        assert_non_null(memsys_peek_packet(f.m, to[i]));
        memsys_drop_packet(f.m, memsys_pop_packet(f.m, to[i]));
    }
    end(&f);
}

// A backend of the owner

enum { DELAY = 77, PIECES = 64 };

struct store {
    struct memsys_piece ring[PIECES];
    uint64_t since[PIECES];
    uint32_t head, count;
    uint32_t *reads, *writes;
};

struct totals {
    uint32_t reads, writes;
};

static void *store_new(void *context, struct arena *arena, const struct memsys_config *config,
                       uint32_t partition)
{
    struct totals *totals = context;
    struct store *s = ARENA_NEW(arena, struct store);
    (void)config;
    (void)partition;
    s->reads = &totals->reads;
    s->writes = &totals->writes;
    return s;
}

static bool store_can_accept(const void *backend, const struct memsys_piece *piece)
{
    (void)piece;
    return ((const struct store *)backend)->count < PIECES;
}

static void store_accept(void *backend, uint64_t now, const struct memsys_piece *piece)
{
    struct store *s = backend;
    uint32_t at = (s->head + s->count++) % PIECES;
    s->ring[at] = *piece;
    s->since[at] = now;
    ++*(piece->write ? s->writes : s->reads);
}

static const struct memsys_piece *store_peek(void *backend, uint64_t now)
{
    struct store *s = backend;
    return s->count && s->since[s->head] + DELAY <= now ? &s->ring[s->head] : NULL;
}

static void store_pop(void *backend, uint64_t now)
{
    struct store *s = backend;
    (void)now;
    s->head = (s->head + 1) % PIECES;
    s->count--;
}

static void store_tick(void *backend, uint64_t now)
{
    (void)backend;
    (void)now;
}

static uint64_t store_next(const void *backend)
{
    (void)backend;
    return UINT64_MAX;
}

static uint64_t store_ready(const void *backend)
{
    const struct store *s = backend;
    return s->count ? s->since[s->head] + DELAY : UINT64_MAX;
}

static uint32_t store_inside(const void *backend)
{
    return ((const struct store *)backend)->count;
}

// A miss takes the time of a hit plus that of the backend, exactly so with equal clocks.
static void own_backend(void **state)
{
    (void)state;
    struct fixture f;
    struct totals totals = {0};
    const struct memsys_backend backend = {.create = store_new,
                                           .context = &totals,
                                           .can_accept = store_can_accept,
                                           .accept = store_accept,
                                           .peek = store_peek,
                                           .pop = store_pop,
                                           .tick = store_tick,
                                           .next = store_next,
                                           .ready = store_ready,
                                           .inside = store_inside};
    begin(&f, "isca19",
          (const char *const[]){"dram.clock=1400", "dram.request_bytes=128", "llc.port_bytes=128",
                                NULL});
    start_with(&f, (struct memsys_tables){.backend = &backend}, NULL, NULL);
    uint64_t cycles[2], sent = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct memsys_request r = request(0, 0, MEMSYS_READ);
        send(f.m, &r);
        cycles[i] = await(&f, 0) - sent;
        assert_int_equal(memsys_peek(f.m, 0)->from, i ? CACHE_HIT : CACHE_FETCHED);
        pop_replies(f.m, 0);
        sent = f.now;
    }
    // It is asked for in the clock of its access; served in the clock after, without the latency of
    // the slice's data.
    assert_int_equal(cycles[0] - cycles[1], DELAY + 1 - f.values->llc.latency);
    assert_int_equal(totals.reads, 1);
    struct memsys_request write = request(0, 0, MEMSYS_WRITE);
    send(f.m, &write);
    await(&f, 0);
    pop_replies(f.m, 0);
    memsys_flush(f.m);
    while (memsys_flushing(f.m))
        advance(&f, f.now + 1);
    assert_int_equal(totals.writes, 1);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owner_lets_wait),          cmocka_unit_test(condition_is_passed),
        cmocka_unit_test(condition_holds_back),     cmocka_unit_test(condition_holds_when_served),
        cmocka_unit_test(condition_under_load),     cmocka_unit_test(packets_carry_priority),
        cmocka_unit_test(priority_goes_first),      cmocka_unit_test(endpoints_share_a_node),
        cmocka_unit_test(packets_at_a_shared_node), cmocka_unit_test(own_backend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
