// Random networks under random traffic, compared with a model that evaluates everything in every
// cycle: both must deliver each packet in the same cycle.
#include "tests/lib/sanitized.h"
#include "tests/unit/runtime-sim/noc_naive.h"

enum { NETWORKS = IS_SANITIZED ? 50 : 150, CYCLES = 600 };

static void observe_packet(void *context, const struct noc_packet *packet, bool arrived)
{
    struct model *m = context;
    if (arrived)
        m->other[packet->payload] = packet->arrived + 1;
    else
        model_send(m, packet);
}

static void compare(struct network *n, const char *settings, double load, uint32_t flits_max)
{
    struct model *m = ARENA_NEW(&n->arena, struct model);
    model_init(m, n);
    noc_listen(n->noc, observe_packet, m);
    struct traffic_test t = traffic_begin(n, load, 1);
    t.flits_max = flits_max;
    t.load = (uint32_t)(t.load / ((1 + flits_max) / 2.0));
    t.top = m->c->priority_decay ? 3 : 0;
    for (uint32_t i = 0; i < CYCLES; i++) {
        traffic_offer(&t);
        noc_tick(n->noc);
        model_tick(m);
        traffic_pop(&t);
    }
    assert_true(t.sent < MAX_PACKETS && t.come > 0);
    for (uint32_t i = 1; i <= t.sent; i++)
        if (m->arrived[i] != m->other[i])
            fail_msg("%s, load %g, packets of 1 to %u: %u -> %u of cycle %llu, %u flits, arrives "
                     "in %lld, and in %lld by the model",
                     settings, load, flits_max, m->packet[i].source, m->packet[i].target,
                     (unsigned long long)m->packet[i].created, m->packet[i].flits,
                     (long long)m->other[i] - 1, (long long)m->arrived[i] - 1);
}

static uint32_t from_to(uint64_t *random, uint32_t min, uint32_t max)
{
    return min + (uint32_t)(splitmix64(random) % (max - min + 1));
}

// Returns one of the texts, which are separated by '|'.
static const char *one_of(struct arena *arena, uint64_t *random, const char *texts)
{
    uint32_t count = 1;
    for (const char *at = texts; *at; at++)
        count += *at == '|';
    for (uint32_t skip = from_to(random, 0, count - 1); skip; skip--)
        texts = strchr(texts, '|') + 1;
    return arena_printf(arena, "%.*s", (int)strcspn(texts, "|"), texts);
}

static const char *random_topology(struct arena *arena, uint64_t *random)
{
    switch (from_to(random, 0, 5)) {
    case 0: return arena_printf(arena, "topology=crossbar nodes=%u", from_to(random, 1, 40));
    case 1:
        return arena_printf(
            arena, "topology=fly %s reversed=%s router_nodes=%s",
            one_of(arena, random,
                   "radix=2 stages=4|radix=3 stages=3|radix=4 stages=2|radix=5 stages=1"),
            one_of(arena, random, "true|false"), one_of(arena, random, "true|false"));
    case 2: return "width=3 height=2 node_routers=[0,0,5,2,2,2,4]";
    default: break;
    }
    return arena_printf(arena, "width=%u height=%u routing=%s", from_to(random, 1, 6),
                        from_to(random, 1, 5), one_of(arena, random, "xy|yx|adaptive"));
}

// Adds the features of [004]; of keys that are set twice the last value counts.
static const char *random_injection(struct arena *arena, uint64_t *random, const char *text)
{
    text = arena_printf(arena, "%s injection_by_outputs=%s injection_vc=%s", text,
                        one_of(arena, random, "true|false"), one_of(arena, random, "any|own"));
    if (!from_to(random, 0, 1))
        text = arena_printf(arena, "%s injection_shared=true injection_links=1 injection_ports=%u",
                            text, from_to(random, 1, 3));
    if (from_to(random, 0, 1))
        return text;
    return arena_printf(arena, "%s injection_nodes=[0,1] injection_speedups=[%u,%u]", text,
                        from_to(random, 1, 4), from_to(random, 1, 4));
}

static const char *random_settings(struct arena *arena, uint64_t *random)
{
    const char *text = random_topology(arena, random);
    text = arena_printf(arena, "%s vcs=%u vc_buffer=%u classes=%u vc_reuse=%s", text,
                        from_to(random, 1, MAX_VCS), from_to(random, 1, 9),
                        from_to(random, 0, 2) ? 1 : from_to(random, 2, MAX_CLASSES),
                        one_of(arena, random, "tail|tail|whole|empty"));
    text = arena_printf(arena,
                        "%s vc_allocator=%s sw_allocator=%s vc_alloc_iterations=%u "
                        "sw_alloc_iterations=%u",
                        text, one_of(arena, random, "islip|separable"),
                        one_of(arena, random, "islip|separable"),
                        from_to(random, 0, 1) ? 1 : from_to(random, 2, 4),
                        from_to(random, 0, 1) ? 1 : from_to(random, 2, 4));
    if (from_to(random, 0, 1))
        text =
            arena_printf(arena,
                         "%s routing_delay=%u vc_alloc_delay=%u sw_alloc_delay=%u "
                         "st_final_delay=%u credit_delay=%u channel_latency=%u",
                         text, from_to(random, 0, 3), from_to(random, 1, 3), from_to(random, 1, 3),
                         from_to(random, 1, 3), from_to(random, 0, 4), from_to(random, 1, 3));
    if (!from_to(random, 0, 2))
        text =
            arena_printf(arena,
                         "%s speedup=%u injection_ports=%u injection_links=%u "
                         "injection_speedup=%u injection_nodes=%s",
                         text, from_to(random, 1, 3), from_to(random, 1, 2), from_to(random, 1, 3),
                         from_to(random, 1, 4), one_of(arena, random, "[]|[0]"));
    if (!from_to(random, 0, 2))
        text =
            arena_printf(arena, "%s injection_queue=%u ejection_queue=%u node_link=%u", text,
                         from_to(random, 0, 1) * 30, from_to(random, 0, 12), from_to(random, 0, 2));
    if (!from_to(random, 0, 3))
        text = arena_printf(arena, "%s priority_decay=true", text);
    if (!from_to(random, 0, 3))
        text = arena_printf(arena, "%s priority_wait=%u priority_lift=%s", text,
                            from_to(random, 1, 50), one_of(arena, random, "waiting|injection"));
    return from_to(random, 0, 1) ? text : random_injection(arena, random, text);
}

// Returns false if the network of this seed is invalid.
static bool random_network(uint64_t seed)
{
    struct network text, n;
    uint64_t random = seed;
    configure(&text, "");
    const char *settings = random_settings(&text.arena, &random);
    configure(&n, settings);
    bool is_one = !noc_check(&n.arena, &n.config);
    if (is_one) {
        double load = from_to(&random, 1, 20) / 20.0;
        n.noc = noc_new(&n.arena, &n.config);
        compare(&n, settings, load, from_to(&random, 0, 2) ? from_to(&random, 1, 9) : 1);
    }
    end(&n);
    end(&text);
    return is_one;
}

static void random_networks(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (uint64_t seed = 1; seed <= NETWORKS; seed++)
        count += random_network(seed);
    assert_true(count > NETWORKS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
