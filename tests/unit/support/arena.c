// Memory of arenas: zeroed, aligned, kept on growth, freed; failing on request; and, with
// AddressSanitizer, inaccessible beyond the allocated size.
#include "support/arena.h"
#include "tests/lib/sanitized.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#if IS_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

static const size_t sizes[] = {1,    7,     8,     15,    16,     17,     100,
                               4000, 16383, 16384, 70000, 300000, 3000000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int begin(void **state)
{
    struct arena *arena = calloc(1, sizeof *arena);
    arena_init(arena, calloc(1, sizeof(struct memory)));
    if (setjmp(arena->memory->on_failure))
        abort();
    *state = arena;
    return 0;
}

static int end(void **state)
{
    struct arena *arena = *state;
    memory_free(arena->memory);
    int kept = arena->memory->bytes != 0;
    free(arena->memory);
    free(arena);
    return kept;
}

static bool is_filled(const char *bytes, size_t size, char with)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != with)
            return false;
    return true;
}

static void test_zeroed_and_aligned(void **state)
{
    struct arena *arena = *state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < SIZES; i++) {
            char *at = arena_alloc(arena, sizes[i]);
            assert_int_equal((uintptr_t)at % (sizes[i] >= 16 ? 16 : 8), 0);
            assert_true(is_filled(at, sizes[i], 0));
            memset(at, 'x', sizes[i]);
        }
        arena_reset(arena);
    }
}

// Chunks of a simulation are reused, zeroed, by another arena.
static void test_spare_chunks(void **state)
{
    struct arena *kept = *state, other;
    kept->memory->sparse = true;
    arena_alloc(kept, 1);
    arena_init(&other, kept->memory);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 20; i++) {
            char *at = arena_alloc(&other, 300000);
            assert_true(is_filled(at, 300000, 0));
            memset(at, 'x', 300000);
        }
        arena_free(&other);
        assert_true(kept->memory->spare || IS_SANITIZED);
    }
    arena_free(kept);
    assert_null(kept->memory->spare);
}

static void test_growth_keeps(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = i; k < SIZES; k++) {
            char *at = memset(arena_alloc(arena, sizes[i]), 'a', sizes[i]);
            at = arena_grow(arena, at, sizes[i], sizes[k] + 1);
            assert_true(is_filled(at, sizes[i], 'a'));
            memset(at, 'b', sizes[k] + 1);
        }
}

// Each request to the system fails once; all allocated memory can be freed.
static void test_failure(void **state)
{
    (void)state;
    volatile int failures = 0;
    for (volatile long n = 1;; n++) {
        struct memory memory = {.fail_in = n};
        struct arena arena;
        arena_init(&arena, &memory);
        int ran_out = setjmp(memory.on_failure);
        if (!ran_out)
            for (size_t i = 0; i < SIZES; i++)
                arena_grow(&arena, arena_alloc(&arena, sizes[i]), sizes[i], 2 * sizes[i]);
        memory_free(&memory);
        assert_int_equal(memory.bytes, 0);
        if (!ran_out)
            break;
        failures++;
    }
    assert_true(failures > 3);
}

static void test_closed(void **state)
{
#if IS_SANITIZED
    struct arena *arena = *state;
    for (size_t i = 0; i < SIZES; i++) {
        char *at = arena_alloc(arena, sizes[i]), *next = arena_alloc(arena, 8);
        assert_null(__asan_region_is_poisoned(at, sizes[i]));
        assert_ptr_equal(__asan_region_is_poisoned(at, sizes[i] + 1), at + sizes[i]);
        assert_true(__asan_address_is_poisoned(next - 1));
        char *grown = arena_grow(arena, at, sizes[i], 2 * sizes[i]);
        if (grown != at && sizes[i] < 16384)
            assert_true(__asan_address_is_poisoned(at));
    }
    char *last = arena_alloc(arena, 8);
    arena_reset(arena);
    assert_true(__asan_address_is_poisoned(last));
#else
    (void)state;
    print_message("# this build has no AddressSanitizer\n");
    skip();
#endif
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_zeroed_and_aligned),
        TEST(test_spare_chunks),
        TEST(test_growth_keeps),
        TEST(test_failure),
        TEST(test_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
