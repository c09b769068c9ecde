// Write misses, write hits and fills, under the keys of a cache.
#include "tests/unit/runtime-sim/cache_fixture.h"

static void run(struct fixture *f, uint64_t clocks)
{
    for (uint64_t end = f->now + clocks; f->now < end; f->now++) {
        cache_tick(&f->cache, f->now);
        for (const struct cache_out *out; (out = cache_out_peek(&f->cache));) {
            vec_push(&f->arena, &f->out, *out);
            cache_out_pop(&f->cache, f->now);
        }
        pop_replies(f, 0);
    }
}

static void put_and_run(struct fixture *f, uint64_t id, enum cache_kind kind, uint64_t line,
                        struct mask bytes)
{
    put(f, id, kind, line, bytes);
    run(f, 5);
}

static void expect_out(const struct fixture *f, uint32_t index, bool write, uint64_t id,
                       uint32_t bytes)
{
    assert_true(index < f->out.n);
    assert_int_equal(f->out.v[index].write, write);
    assert_int_equal(f->out.v[index].id, id);
    assert_int_equal(mask_count(f->out.v[index].bytes), bytes);
}

// A write miss is forwarded with its id, and its whole line is fetched. Another write before the
// fill is forwarded alone. The next level replies to both. Later writes hit.
static void writes_go_on(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.forward_misses = true;
    start(&f, 1);
    put_and_run(&f, 7, CACHE_WRITE, 3, mask_range(0, 4));
    put_and_run(&f, 8, CACHE_WRITE, 3, mask_range(8, 12));
    assert_int_equal(f.out.n, 3);
    expect_out(&f, 0, true, 7, 4);
    expect_out(&f, 1, false, CACHE_NOBODY, 128);
    expect_out(&f, 2, true, 8, 4);
    assert_int_equal(f.served.n, 2); // values are written when they are forwarded
    cache_fill(&f.cache, f.now, 3, whole);
    put_and_run(&f, 9, CACHE_WRITE, 3, mask_range(4, 8));
    run(&f, 20);
    assert_int_equal(f.out.n, 3);
    assert_int_equal(f.answers, 1);
    assert_int_equal(f.last_id, 9);
    assert_int_equal(f.cache.stats.forwarded, 2);
    assert_int_equal(f.cache.stats.write_hits, 1);
    assert_int_equal(cache_inside(&f.cache), 0);
    // The line was clean when it arrived; the last write has made it dirty.
    cache_flush(&f.cache, f.now, 0, UINT64_MAX - 1, true);
    run(&f, 5000);
    assert_int_equal(f.out.n, 4);
    expect_out(&f, 3, true, CACHE_NOBODY, 4);
    arena_free(&f.arena);
}

// A write after a read of the same line is served after it, by this cache.
static void writes_keep_behind_reads(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.forward_misses = true;
    start(&f, 1);
    put_and_run(&f, 1, CACHE_READ, 3, whole);
    put_and_run(&f, 2, CACHE_WRITE, 3, mask_range(0, 4));
    assert_int_equal(f.served.n, 0);
    cache_fill(&f.cache, f.now, 3, whole);
    run(&f, 20);
    assert_int_equal(f.served.n, 2);
    assert_int_equal(f.served.v[0], 1);
    assert_int_equal(f.answers, 2);
    assert_int_equal(f.out.n, 1);
    arena_free(&f.arena);
}

// At most `merges` requests wait for a line, including forwarded ones.
static void writes_take_merges(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.forward_misses = true;
    f.values.merges = 2;
    start(&f, 1);
    for (uint64_t id = 0; id < 3; id++)
        put_and_run(&f, id, CACHE_WRITE, 3, whole);
    assert_int_equal(f.served.n, 2);
    cache_fill(&f.cache, f.now, 3, whole);
    run(&f, 20);
    assert_int_equal(f.served.n, 3);
    assert_int_equal(f.cache.stats.forwarded, 2);
    arena_free(&f.arena);
}

// A write hit is forwarded. With write: evict its line is evicted; with through it stays.
static void write_evict(void **state)
{
    (void)state;
    for (int policy = CACHE_THROUGH; policy <= CACHE_EVICT; policy++) {
        struct fixture f;
        begin(&f);
        f.values.write = (uint64_t)policy;
        f.values.allocate_writes = false;
        start(&f, 1);
        put_and_run(&f, 1, CACHE_READ, 3, whole);
        cache_fill(&f.cache, f.now, 3, whole);
        run(&f, 20);
        assert_true(cache_has(&f.cache, 3));
        put_and_run(&f, 2, CACHE_WRITE, 3, mask_range(0, 4));
        run(&f, 20);
        assert_int_equal(cache_has(&f.cache, 3), policy == CACHE_THROUGH);
        expect_out(&f, 1, true, CACHE_NOBODY, 4);
        assert_int_equal(f.cache.stats.write_hits, 1);
        assert_int_equal(f.cache.stats.write_throughs, 1);
        // A line in flight stays for the requests that wait for it.
        put_and_run(&f, 3, CACHE_READ, 5, whole);
        put_and_run(&f, 4, CACHE_WRITE, 5, mask_range(0, 4));
        cache_fill(&f.cache, f.now, 5, whole);
        run(&f, 20);
        assert_true(cache_has(&f.cache, 5));
        assert_int_equal(f.answers, 4);
        arena_free(&f.arena);
    }
}

// A fill delays a hit at the port, unless fills have a port of their own, which is free for the
// next line when this one has been transferred.
static void fill_port(void **state)
{
    (void)state;
    for (uint64_t own = 0; own < 2; own++) {
        struct fixture f;
        begin(&f);
        f.values.fill_port = own;
        f.values.port_bytes = 32;
        f.values.latency = 1;
        start(&f, 1);
        put_and_run(&f, 1, CACHE_READ, 1, whole);
        put_and_run(&f, 2, CACHE_READ, 2, whole);
        cache_fill(&f.cache, f.now, 1, whole);
        run(&f, 20);
        uint64_t before = f.now;
        cache_fill(&f.cache, f.now, 2, whole);
        assert_int_equal(cache_can_fill(&f.cache, f.now), !own);
        assert_int_equal(cache_can_fill(&f.cache, f.now + 3), !own);
        assert_true(cache_can_fill(&f.cache, f.now + 4));
        struct cache_request hit = {.id = 3, .line = 1, .bytes = whole};
        cache_put(&f.cache, f.now, &hit);
        run(&f, 20);
        assert_int_equal(f.last_id, 3);
        assert_int_equal(f.last_reply - before, own ? 4 : 8);
        arena_free(&f.arena);
    }
}

static void wake_latency(void **state)
{
    (void)state;
    for (uint64_t latency = 1; latency < 9; latency += 7) {
        struct fixture f;
        begin(&f);
        f.values.wake_latency = latency;
        start(&f, 1);
        put_and_run(&f, 1, CACHE_READ, 1, whole);
        uint64_t come = f.now;
        cache_fill(&f.cache, f.now, 1, whole);
        run(&f, 20);
        assert_int_equal(f.last_reply - come, latency);
        arena_free(&f.arena);
    }
}

// The reply to an atomic takes longer, and the one after it waits.
static void atomic_latency(void **state)
{
    (void)state;
    uint64_t took[2][2];
    for (uint32_t slow = 0; slow < 2; slow++)
        for (uint32_t kind = 0; kind < 2; kind++) {
            struct fixture f;
            begin(&f);
            f.values.atomic_latency = slow ? 7 : 0;
            start(&f, 1);
            put_and_run(&f, 1, CACHE_READ, 1, whole);
            cache_fill(&f.cache, f.now, 1, whole);
            run(&f, 20);
            uint64_t before = f.now;
            put_and_run(&f, 2, kind ? CACHE_ATOMIC : CACHE_READ, 1, whole);
            run(&f, 20);
            took[slow][kind] = f.last_reply - before;
            arena_free(&f.arena);
        }
    assert_int_equal(took[0][0], took[0][1]);
    assert_int_equal(took[1][0], took[0][0]);
    assert_int_equal(took[1][1], took[0][0] + 7);
}

static void faults(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.forward_misses = true;
    assert_null(cache_config_fault(&f.values, "llc", &f.arena));
    f.values.out = 2;
    assert_non_null(strstr(cache_config_fault(&f.values, "llc", &f.arena), "llc.out of 3"));
    f.values.out = 3;
    f.values.write = CACHE_THROUGH;
    assert_non_null(strstr(cache_config_fault(&f.values, "llc", &f.arena), "write: back"));
    f.values.write = CACHE_BACK;
    f.values.allocate_writes = false;
    assert_non_null(cache_config_fault(&f.values, "llc", &f.arena));
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_go_on),       cmocka_unit_test(writes_keep_behind_reads),
        cmocka_unit_test(writes_take_merges), cmocka_unit_test(write_evict),
        cmocka_unit_test(fill_port),          cmocka_unit_test(wake_latency),
        cmocka_unit_test(atomic_latency),     cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
