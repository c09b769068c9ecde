// Networks for tests, and random traffic that checks their output.
#pragma once
#include "runtime-sim/noc/noc.h"
#include "support/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct network {
    struct memory memory;
    struct arena arena;
    struct noc_config config;
    struct config_section section;
    struct config all;
    struct noc *noc;
};

// Configures a network with settings such as "width=5 height=3".
static inline void configure(struct network *n, const char *settings)
{
    memset(n, 0, sizeof *n);
    if (setjmp(n->memory.on_failure))
        abort();
    arena_init(&n->arena, &n->memory);
    n->section = (struct config_section){"noc", noc_keys, noc_key_count, &n->config};
    config_init(&n->all, &n->arena, &n->section, 1);
    char *text = arena_printf(&n->arena, "%s", settings), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!config_set(&n->all, arena_printf(&n->arena, "noc.%s", word)))
            fail_msg("%s is no setting", word);
}

static inline void begin(struct network *n, const char *settings)
{
    configure(n, settings);
    const char *wrong = noc_check(&n->arena, &n->config);
    if (wrong)
        fail_msg("%s: %s", settings, wrong);
    n->noc = noc_new(&n->arena, &n->config);
}

// Returns the router where packets of a node enter a mesh.
static inline uint32_t mesh_router_of(const struct noc_config *config, uint32_t node)
{
    return config->node_routers.n ? (uint32_t)config->node_routers.v[node] : node;
}

static inline void end(struct network *n)
{
    arena_free(&n->arena);
}

static inline void verify(struct network *n)
{
    const char *wrong = noc_verify(n->noc, &n->arena);
    if (wrong)
        fail_msg("cycle %llu: %s", (unsigned long long)noc_cycle(n->noc), wrong);
}

// Traffic: each node sends with a chance of `load` flits per cycle, 32 bits after the point.
struct traffic_test {
    struct network *n;
    uint64_t state, sent, come, digest;
    uint32_t load, flits, flits_max;
    uint32_t classes; // that are sent: those below
    uint32_t top;     // priority of odd nodes' packets
    bool checks_order;
    uint64_t *from_cycle; // by payload
    uint64_t *last;       // by source, target and class: payload that came last
};

enum { TEST_PACKETS = 1 << 20 };

static inline struct traffic_test traffic_begin(struct network *n, double load, uint32_t flits)
{
    struct traffic_test t = {.n = n,
                             .state = 7,
                             .flits = flits,
                             .flits_max = flits,
                             .classes = (uint32_t)n->config.classes};
    uint64_t nodes = noc_nodes(n->noc);
    t.load = (uint32_t)(load / flits * 4294967295.0);
    t.from_cycle = ARENA_ARRAY(&n->arena, uint64_t, TEST_PACKETS);
    t.last = ARENA_ARRAY(&n->arena, uint64_t, nodes * nodes * n->config.classes);
    return t;
}

static inline void traffic_offer(struct traffic_test *t)
{
    struct noc *noc = t->n->noc;
    uint32_t nodes = noc_nodes(noc);
    for (uint32_t i = 0; i < nodes; i++) {
        if ((splitmix64(&t->state) >> 32) >= t->load || t->sent + 1 >= TEST_PACKETS)
            continue;
        uint32_t more = t->flits_max - t->flits + 1;
        struct noc_packet packet = {
            .payload = ++t->sent,
            .created = noc_cycle(noc),
            .source = i,
            .target = (uint32_t)(splitmix64(&t->state) % nodes),
            .flits = (uint16_t)(t->flits + splitmix64(&t->state) % more),
            .class = (uint8_t)(splitmix64(&t->state) % t->classes),
            .priority = i % 2 ? (uint8_t)t->top : 0,
        };
        while (!noc_reaches(&t->n->config, i, packet.target))
            packet.target = (uint32_t)(splitmix64(&t->state) % nodes);
        if (!noc_can_send(noc, i, packet.class, packet.flits)) {
            t->sent--;
            continue;
        }
        t->from_cycle[t->sent] = packet.created + 1;
        noc_send(noc, &packet);
    }
}

static inline void traffic_pop_one(struct traffic_test *t, uint32_t node, uint32_t class)
{
    struct noc *noc = t->n->noc;
    const struct noc_packet *packet = noc_peek(noc, node, class);
    assert_int_equal(packet->target, node);
    assert_int_equal(packet->class, class);
    assert_int_equal(packet->created + 1, t->from_cycle[packet->payload]); // comes once
    t->from_cycle[packet->payload] = 0;
    uint64_t nodes = noc_nodes(noc);
    uint64_t *last = &t->last[(packet->source * nodes + node) * t->n->config.classes + class];
    if (t->checks_order)
        assert_true(*last < packet->payload);
    *last = packet->payload;
    t->come++;
    t->digest = (t->digest ^ packet->payload ^ packet->arrived << 20 ^ packet->routers) *
                UINT64_C(0x100000001b3);
    noc_pop(noc, node, class);
}

static inline void traffic_pop(struct traffic_test *t)
{
    struct noc *noc = t->n->noc;
    for (uint32_t class = 0; class < t->n->config.classes; class += 1)
        for (uint32_t w = 0; w < (noc_nodes(noc) + 63) / 64; w++)
            for (uint64_t nodes = noc_arrivals(noc, class, w); nodes; nodes &= nodes - 1) {
                uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(nodes);
                while (noc_peek(noc, node, class))
                    traffic_pop_one(t, node, class);
            }
}

static inline void traffic_run(struct traffic_test *t, uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles; i++) {
        traffic_offer(t);
        noc_tick(t->n->noc);
        traffic_pop(t);
        if (i % 64 == 0)
            verify(t->n);
    }
}

// Runs until no packet is in flight. Fails if that never happens.
static inline void traffic_drain(struct traffic_test *t)
{
    struct noc *noc = t->n->noc;
    while (noc_next(noc) != UINT64_MAX) {
        noc_skip_to(noc, noc_next(noc));
        noc_tick(noc);
        traffic_pop(t);
        if (noc_cycle(noc) - noc_moved_at(noc) > 2000) {
            noc_report(noc, stderr, 20);
            fail_msg("nothing moves");
        }
    }
    verify(t->n);
    assert_int_equal(t->come, t->sent);
    assert_int_equal(noc_in_flight(noc), 0);
}
