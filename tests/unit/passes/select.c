// Compares the selection among overlapping candidates with trying all sets.
#include "passes/blocks/candidates.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { MAX_SPANS = 10, ROUNDS = 3000 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static bool overlap(const struct block_span *a, const struct block_span *b)
{
    return a->begin < b->end && b->begin < a->end;
}

static bool within(const struct block_span *a, const struct block_span *b)
{
    return a->begin >= b->begin && a->end <= b->end;
}

static uint32_t random_spans(uint64_t *state, struct block_span *spans)
{
    uint32_t count = 0;
    for (uint32_t tries = 0; tries < 40 && count < MAX_SPANS; tries++) {
        uint32_t begin = draw(state, 12), end = begin + 1 + draw(state, 12 - begin);
        struct block_span span = {begin, end, (double)draw(state, 9) - 2, false, 0};
        bool fits = true;
        for (uint32_t i = 0; i < count; i++)
            fits &=
                !overlap(&span, &spans[i]) || within(&span, &spans[i]) || within(&spans[i], &span);
        if (fits)
            spans[count++] = span;
    }
    return count;
}

static double best_sum(const struct block_span *spans, uint32_t count)
{
    double best = 0;
    for (uint32_t set = 0; set < 1u << count; set++) {
        double sum = 0;
        bool apart = true;
        for (uint32_t i = 0; i < count; i++) {
            if (!(set >> i & 1))
                continue;
            sum += spans[i].weight;
            for (uint32_t k = 0; k < i; k++)
                apart &= !(set >> k & 1) || !overlap(&spans[i], &spans[k]);
        }
        best = apart && sum > best ? sum : best;
    }
    return best;
}

static void check(const struct block_span *spans, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += spans[i].chosen ? spans[i].weight : 0;
        assert_true(!spans[i].chosen || spans[i].weight > 0);
        bool meets = false;
        for (uint32_t k = 0; k < count; k++) {
            bool chosen = k != i && spans[k].chosen && overlap(&spans[i], &spans[k]);
            assert_false(spans[i].chosen && chosen);
            meets |= chosen;
        }
        assert_int_equal(!spans[i].chosen && meets, spans[i].rival != UINT32_MAX);
        if (spans[i].rival != UINT32_MAX) {
            assert_true(spans[spans[i].rival].chosen);
            assert_true(overlap(&spans[i], &spans[spans[i].rival]));
        }
    }
    assert_true(sum == best_sum(spans, count));
}

static void test_random(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int round = 0; round < ROUNDS; round++) {
        struct memory memory = {.fail_in = 0};
        struct arena arena;
        struct block_span spans[MAX_SPANS];
        uint32_t count = random_spans(&state, spans);
        arena_init(&arena, &memory);
        select_best(&arena, spans, count);
        check(spans, count);
        arena_free(&arena);
    }
}

static void test_wider_wins_ties(void **unused)
{
    (void)unused;
    struct memory memory = {.fail_in = 0};
    struct arena arena;
    struct block_span spans[] = {{2, 4, 3, false, 0}, {0, 9, 5, false, 0}, {5, 6, 2, false, 0}};
    arena_init(&arena, &memory);
    select_best(&arena, spans, 3);
    assert_true(spans[1].chosen);
    assert_int_equal(spans[0].rival, 1);
    assert_int_equal(spans[2].rival, 1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_wider_wins_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
