// Banks within a line, hashes by polynomials, caches of many ways, and written sectors of a cache
// that writes through.
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

static struct mask sector(uint32_t number)
{
    return mask_range(32 * number, 32 * number + 32);
}

// A cache of four banks of 32 bytes with lines 0 to 7.
static void begin_banks(struct fixture *f, uint64_t banks, uint64_t bank_bytes)
{
    begin(f);
    f->values.banks = banks;
    f->values.bank_bytes = bank_bytes;
    f->values.port_bytes = 32;
    f->values.sector_bytes = 32;
    f->values.latency = 20;
    f->values.accept = 8;
    f->values.input = 32;
    f->values.access_queue = 32;
    start(f, 1);
    for (uint64_t line = 0; line < 8; line++)
        assert_true(cache_bring(&f->cache, 0, line, 0));
    run(f, 100);
}

// Returns the clocks until the last of the requests is answered.
static uint64_t serve(struct fixture *f, uint32_t count, struct mask bytes, bool turns)
{
    uint64_t from = f->now, answers = f->answers;
    for (uint32_t i = 0; i < count; i++)
        put(f, i, CACHE_READ, i % 8, turns ? sector(i % 4) : bytes);
    while (f->answers < answers + count)
        run(f, 1);
    return f->last_reply - from;
}

// Requests to the same bank take turns; those to different banks are served together.
static void interleaved(void **state)
{
    (void)state;
    struct fixture f;
    begin_banks(&f, 4, 32);
    assert_int_equal(serve(&f, 1, whole, false), 20); // all banks at once
    assert_int_equal(serve(&f, 1, sector(2), false), 20);
    assert_int_equal(serve(&f, 8, whole, false), 20 + 7); // each uses all banks
    assert_int_equal(serve(&f, 8, sector(1), false), 20 + 7);
    assert_int_equal(serve(&f, 4, sector(0), true), 20); // four banks
    assert_int_equal(serve(&f, 8, sector(0), true), 20 + 1);
    assert_int_equal(f.cache.stats.port_clocks, 8 * 4 + 4 + 1 + 32 + 8 + 4 + 8);
    arena_free(&f.arena);
    begin_banks(&f, 2, 32); // two parts of a line in each bank
    assert_int_equal(serve(&f, 1, whole, false), 20 + 1);
    assert_int_equal(serve(&f, 4, whole, false), 20 + 2 * 4 - 1);
    assert_int_equal(serve(&f, 1, mask_range(32, 64), false), 20);
    arena_free(&f.arena);
    begin_banks(&f, 8, 32); // two lines at once: a line's parts are in four of eight banks
    assert_int_equal(serve(&f, 2, whole, false), 20);
    assert_int_equal(serve(&f, 8, whole, false), 20 + 3);
    arena_free(&f.arena);
    begin_banks(&f, 4, 0); // whole lines in a bank
    assert_int_equal(serve(&f, 1, whole, false), 20 + 3);
    assert_int_equal(serve(&f, 4, whole, false), 20 + 3);
    arena_free(&f.arena);
}

// A write that misses makes its bytes valid. A read of them hits; a read of others fetches their
// sectors, and only these.
static void written_sectors(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.write = CACHE_THROUGH;
    f.values.allocate_writes = true;
    f.values.sector_bytes = 32;
    start(&f, 1);
    put(&f, 1, CACHE_WRITE, 3, mask_range(32, 96)); // two sectors
    run(&f, 40);
    assert_int_equal(f.out.n, 1);
    assert_true(f.out.v[0].write);
    put(&f, 2, CACHE_READ, 3, mask_range(40, 90));
    run(&f, 40);
    assert_int_equal(f.out.n, 1);
    assert_int_equal(f.cache.stats.read_hits, 1);
    put(&f, 3, CACHE_WRITE, 3, mask_range(0, 4)); // a part of a sector
    put(&f, 4, CACHE_READ, 3, mask_range(0, 4));
    run(&f, 40);
    assert_int_equal(f.out.n, 2);
    assert_int_equal(f.cache.stats.read_hits, 2);
    put(&f, 5, CACHE_READ, 3, mask_range(0, 64));
    run(&f, 40);
    assert_int_equal(f.out.n, 3);
    assert_false(f.out.v[2].write);
    assert_int_equal(mask_count(f.out.v[2].bytes), 32);
    assert_int_equal(f.out.v[2].bytes.w[0], UINT32_MAX);
    cache_fill(&f.cache, f.now, 3, f.out.v[2].bytes);
    run(&f, 40);
    assert_int_equal(f.answers, 5);
    assert_int_equal(f.cache.stats.write_backs, 0);
    assert_int_equal(f.cache.stats.write_throughs, 2);
    assert_int_equal(cache_inside(&f.cache), 0);
    arena_free(&f.arena);
}

// With 256 ways the lines of one set stay until it is full, and 512 misses are in flight.
static void many(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.sets = 4;
    f.values.ways = 256;
    f.values.mshrs = 512;
    f.values.input = 16;
    start(&f, 1);
    for (uint64_t line = 0; line < 512; line++) {
        put(&f, line, CACHE_READ, line, whole);
        run(&f, 5);
    }
    assert_int_equal(f.out.n, 512);
    assert_int_equal(cache_inside(&f.cache), 512);
    for (uint64_t line = 0; line < 512; line++) {
        cache_fill(&f.cache, f.now, line, whole);
        run(&f, 5);
    }
    for (uint64_t line = 512; line < 1024; line++)
        assert_true(cache_bring(&f.cache, f.now, line, f.now));
    for (uint64_t line = 0; line < 1024; line++)
        assert_true(cache_holds(&f.cache, line));
    assert_true(cache_bring(&f.cache, f.now, 1024, f.now));
    assert_false(cache_holds(&f.cache, 0));
    assert_true(cache_holds(&f.cache, 4));
    arena_free(&f.arena);
}

// Returns true if the polynomial of this degree has a factor.
static bool is_reducible(uint32_t degree)
{
    uint32_t polynomial = UINT32_C(1) << degree | ipoly_terms[degree];
    for (uint32_t by = 2; by < UINT32_C(1) << (degree / 2 + 1); by++) {
        uint32_t rest = polynomial, size = 32 - (uint32_t)__builtin_clz(by);
        while (rest && 32 - (uint32_t)__builtin_clz(rest) >= size)
            rest ^= by << (32 - (uint32_t)__builtin_clz(rest) - size);
        if (!rest)
            return true;
    }
    return false;
}

// Returns the residue by division, one bit after the other.
static uint32_t residue_of(uint32_t degree, uint64_t number)
{
    uint64_t rest = 0, polynomial = UINT64_C(1) << degree | ipoly_terms[degree];
    for (uint32_t bit = 64; bit--;) {
        rest = rest << 1 | (number >> bit & 1);
        if (rest >> degree & 1)
            rest ^= polynomial;
    }
    return (uint32_t)rest;
}

static void polynomials(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (uint32_t degree = 1; degree < IPOLY_DEGREES; degree++) {
        assert_false(is_reducible(degree));
        for (uint32_t i = 0; i < 200; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint64_t number = random >> i % 60;
            assert_int_equal(ipoly_residue(degree, number), residue_of(degree, number));
        }
    }
    assert_int_equal(ipoly_residue(0, 77), 0);
}

// Of each group of consecutive numbers every place gets one, and the number can be found again.
static void permutations(void **state)
{
    static const uint32_t counts[] = {1, 2, 3, 8, 24, 32, 48, 64, 80, 96};
    (void)state;
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint64_t group = 0; group < 2000; group += group % 7 + 1) {
            uint8_t seen[96] = {0};
            for (uint32_t k = 0; k < counts[i]; k++) {
                uint32_t place = ipoly_place(counts[i], group * counts[i] + k);
                assert_true(place < counts[i]);
                assert_int_equal(seen[place]++, 0);
                assert_int_equal(ipoly_remainder(counts[i], place, group), k);
            }
        }
}

// Numbers at the distance of any power of two are spread evenly over a power of two of places. At
// other distances no place gets more than 1.6 times its share.
static void strides(void **state)
{
    static const uint32_t counts[] = {32, 48, 64, 80, 96};
    (void)state;
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint64_t stride = 1; stride <= 1 << 14; stride += stride < 130 ? 1 : stride) {
            enum { EACH = 256 };
            uint32_t count = counts[i], got[96] = {0}, most = 0;
            for (uint32_t k = 0; k < EACH * count; k++)
                got[ipoly_place(count, k * stride)]++;
            for (uint32_t k = 0; k < count; k++)
                most = got[k] > most ? got[k] : most;
            if (most > EACH * 8 / 5)
                fail_msg("%u places, stride %llu: %u of %u in one", count,
                         (unsigned long long)stride, most, EACH * count);
            bool is_power = !(count & (count - 1)) && !(stride & (stride - 1));
            if (is_power)
                assert_int_equal(most, EACH);
        }
}

static void sets(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.sets = 32;
    f.values.hash = CACHE_IPOLY;
    start(&f, 1);
    for (uint64_t line = 0; line < 4096; line++)
        assert_int_equal(cache_set(&f.values, line), residue_of(5, line));
    arena_free(&f.arena);
}

static void faults(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.bank_bytes = 48;
    assert_string_equal(cache_config_fault(&f.values, "l1", &f.arena),
                        "l1.line_bytes is 128, not a multiple of l1.bank_bytes: 48");
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleaved), cmocka_unit_test(written_sectors), cmocka_unit_test(many),
        cmocka_unit_test(polynomials), cmocka_unit_test(permutations),    cmocka_unit_test(strides),
        cmocka_unit_test(sets),        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests_name("cache_banks", tests, NULL, NULL);
}
