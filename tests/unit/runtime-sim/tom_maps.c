// Tables of the mapping of addresses to stacks: allocations, static distances, pairs of bits for
// each allocation; translation; ages of lines.
#include "runtime-sim/exec/memory/image.h"
#include "runtime-sim/schemes/tom/analyzer.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "runtime-sim/schemes/tom/allocations.h"
#include "runtime-sim/schemes/tom/static_map.h"
#include "runtime-sim/schemes/stacks/stacks.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

struct bed {
    struct memory memory;
    struct arena arena;
};

static void begin(struct bed *b)
{
    *b = (struct bed){0};
    if (setjmp(b->memory.on_failure))
        abort();
    arena_init(&b->arena, &b->memory);
}

// The probability that a and a + distance are in one stack, in sixteenths, is exactly the share of
// such addresses [002 §3.2.1].
static void probabilities(void **state)
{
    (void)state;
    static const struct {
        uint64_t distance;
        uint32_t shares[MAP_PAIRS];
    } rows[] = {
        {1 << 12, {16, 16, 16, 16, 0, 0, 8, 12, 14, 15}},
        {1 << 14, {16, 16, 16, 16, 16, 16, 0, 0, 8, 12}},
        {3 << 12, {16, 16, 16, 16, 0, 0, 0, 4, 10, 13}},
    };
    uint64_t room[4];
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t pair = 0; pair < MAP_PAIRS; pair++) {
            uint64_t both[] = {0, rows[i].distance}, back[] = {rows[i].distance, 0};
            uint32_t bit = MAP_FIRST_BIT + pair, share = rows[i].shares[pair] * 1000 / 16;
            assert_int_equal(static_map_probability(both, 2, bit, room), share);
            assert_int_equal(static_map_probability(back, 2, bit, room), share);
        }
    // The arc may go over 0.
    uint64_t around[] = {128, (uint64_t)0 - 128, 0};
    assert_int_equal(static_map_probability(around, 3, 9, room), 500);
    assert_int_equal(static_map_probability(around, 3, 8, room), 0);
    assert_int_equal(static_map_probability(around, 1, 7, room), 1000);
}

// More allocations than entries: the least used ones are left out and named, the least used first.
// Without counts, the last ones are left out.
static void allocation_table(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const uint64_t uses[] = {5, 0, 9, 1, 7};
    struct bed b;
    struct image image;
    struct tom_allocations known = {0}, table = {0}, plain = {0};
    begin(&b);
    image_init(&image, &b.arena, 1 << 20);
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t at = image_allocate(&image, 1000, 256, names[i]);
        if (uses[i])
            tom_range_add(&known, &b.arena, &image, at + 999)->uses = uses[i];
    }
    image_allocate(&image, 64, 256, IMAGE_PARAMETERS);
    tom_allocations_fill(&table, &b.arena, &image, &known, 3);
    assert_int_equal(table.ranges.n, 3);
    assert_string_equal(table.ranges.v[0].name, "a");
    assert_string_equal(table.ranges.v[1].name, "c");
    assert_string_equal(table.ranges.v[2].name, "e");
    assert_int_equal(table.left_out.n, 2);
    assert_string_equal(table.left_out.v[0], "b");
    assert_string_equal(table.left_out.v[1], "d");
    tom_allocations_fill(&plain, &b.arena, &image, NULL, 4);
    assert_int_equal(plain.ranges.n, 4);
    assert_string_equal(plain.left_out.v[0], "e");
    const struct tom_range *first = &table.ranges.v[0];
    assert_ptr_equal(tom_range_at(&table, first->first), first);
    assert_ptr_equal(tom_range_at(&table, first->first + 999), first);
    assert_null(tom_range_at(&table, first->first + 1000));
    assert_null(tom_range_at(&table, first->first - 1));
    assert_int_equal(TOM_ALLOCATION_BITS * 100, 9700);
    arena_free(&b.arena);
}

// Instances with line i of one allocation and line 2i of another: bits 8 and 9 of the first
// correspond to bits 9 and 10 of the second.
static void ranges(void **state)
{
    (void)state;
    struct bed b;
    struct map_samples samples = {0};
    struct tom_allocations table = {0};
    begin(&b);
    for (uint32_t i = 0; i < 2; i++) {
        struct tom_range range = {
            .first = (i + 1) << 20, .last = (i + 2) * (1 << 20) - 1, .candidate = true};
        vec_push(&b.arena, &table.ranges, range);
    }
    for (uint64_t i = 0; i < 512; i++) {
        vec_push(&b.arena, &samples.lines, (1 << 20) + i * 128);
        vec_push(&b.arena, &samples.lines, (2 << 20) + i * 256);
        vec_push(&b.arena, &samples.lines, 17); // of no allocation
        vec_push(&b.arena, &samples.ends, samples.lines.n);
    }
    range_map_choose(&samples, &table, 7);
    assert_int_equal(range_map_one(&samples, &table), 512);
    assert_int_equal(table.ranges.v[1].bit, table.ranges.v[0].bit + 1);
    table.ranges.v[0].candidate = table.ranges.v[1].candidate = false;
    assert_int_equal(range_map_one(&samples, &table), 0);
    arena_free(&b.arena);
}

// Walks read one level after the other; the least recently used page is evicted.
static void translation(void **state)
{
    (void)state;
    enum { ENTRIES = 4, READS = 2, PAGE = 65536 };
    struct bed b;
    struct tlb tlb;
    begin(&b);
    tlb_init(&tlb, &b.arena, ENTRIES, PAGE, READS);
    assert_int_equal(tlb_page(&tlb, 5 * PAGE + 17), 5);
    for (uint64_t page = 0; page < ENTRIES; page++) {
        assert_false(tlb_has(&tlb, page));
        assert_int_equal(tlb_walk_of(&tlb, page), TLB_NONE);
        uint32_t walk = tlb_begin(&tlb, &b.arena, page);
        uint64_t upper = tlb_table(&tlb, walk);
        assert_int_equal(tlb_walk_of(&tlb, page), walk);
        assert_true(tlb_step(&tlb, walk));
        assert_true(tlb_table(&tlb, walk) > upper); // another table
        assert_false(tlb_has(&tlb, page));
        assert_false(tlb_step(&tlb, walk));
        assert_true(tlb_has(&tlb, page));
        assert_int_equal(tlb_walk_of(&tlb, page), TLB_NONE);
    }
    assert_true(tlb_has(&tlb, 0));
    uint32_t walk = tlb_begin(&tlb, &b.arena, 100);
    while (tlb_step(&tlb, walk))
        continue;
    assert_true(tlb_has(&tlb, 0));
    assert_false(tlb_has(&tlb, 1));
    assert_true(tlb_has(&tlb, 2) && tlb_has(&tlb, 3) && tlb_has(&tlb, 100));
    // Several walks at a time; entries of neighbouring pages are neighbours.
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(tlb_begin(&tlb, &b.arena, 1000 + i), i);
    assert_int_equal(tlb_table(&tlb, 0), tlb_table(&tlb, 1)); // 512 pages have one upper entry
    tlb_step(&tlb, 0);
    tlb_step(&tlb, 1);
    assert_int_equal(tlb_table(&tlb, 1) - tlb_table(&tlb, 0), 8);
    arena_free(&b.arena);
}

// A line is old for blocks that have started after its fetch only.
static void ages(void **state)
{
    (void)state;
    struct bed b;
    struct tom_epochs epochs;
    begin(&b);
    tom_epochs_init(&epochs, &b.arena, 256, 2);
    epochs.began[0] = 10;
    epochs.began[1] = 20;
    assert_true(tom_epochs_is_old(&epochs, 7, 0)); // never fetched
    tom_epochs_fetch(&epochs, 7, 15);
    assert_false(tom_epochs_is_old(&epochs, 7, 0));
    assert_true(tom_epochs_is_old(&epochs, 7, 1));
    tom_epochs_fetch(&epochs, 7, 20);
    assert_false(tom_epochs_is_old(&epochs, 7, 1));
    arena_free(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities), cmocka_unit_test(allocation_table),
        cmocka_unit_test(ranges),        cmocka_unit_test(translation),
        cmocka_unit_test(ages),
    };
    return cmocka_run_group_tests_name("tom_maps", tests, NULL, NULL);
}
