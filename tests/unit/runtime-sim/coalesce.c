// Lines and bank cycles of lane addresses, compared with counting byte by byte.
#include "runtime-sim/gpu/lsu/coalesce.h"
#include "runtime-sim/exec/lanes/rows.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, ROUNDS = 4000 };

struct random {
    uint32_t state;
};

static uint32_t draw(struct random *random, uint32_t below)
{
    random->state = random->state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(random->state >> 4) * below >> 28);
}

// Draws addresses: rows, rows with a gap, strides, one address, or any.
static void draw_addresses(struct random *random, uint32_t bytes, uint64_t *address)
{
    uint32_t kind = draw(random, 6), stride = bytes * draw(random, 5);
    uint64_t first = 0x7000000000 + (uint64_t)draw(random, 300) * (draw(random, 4) ? bytes : 1);
    for (uint32_t i = 0; i < LANES; i++) {
        address[i] = kind < 2 ? first + (uint64_t)i * bytes : first + (uint64_t)i * stride;
        address[i] = kind == 4 ? first + draw(random, 600) : address[i];
        address[i] += kind == 5 && i > 15 ? 256 : 0;
    }
    if (kind == 1)
        address[draw(random, LANES)] += bytes;
}

// Checks that there is a transaction for each line in the order of the lanes, with the bytes
// accessed, and with each lane in the last of its lines.
static void check_parts(const struct entry *entry, const struct lane_bytes *lanes)
{
    uint32_t seen = 0, all = 0;
    for (uint32_t n = 0; n < entry->parts.n; n++) {
        const struct part *part = &entry->parts.v[n];
        struct mask bytes = {{0}};
        for (uint32_t i = 0; i < n; i++)
            assert_true(entry->parts.v[i].line != part->line);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint64_t begin = lanes->address[lane], end = begin + lanes->bytes;
            bool active = lanes->mask >> lane & 1;
            for (uint64_t at = begin; active && at < end; at++)
                if (at / LINE == part->line)
                    bytes = mask_or(bytes, mask_range(at % LINE, at % LINE + 1));
            bool last = active && (end - 1) / LINE == part->line;
            assert_int_equal(part->lanes >> lane & 1, last);
        }
        assert_memory_equal(&bytes, &part->bytes, sizeof bytes);
        assert_int_equal(part->kind, MEMSYS_WRITE);
        assert_int_equal(seen & part->lanes, 0);
        seen |= part->lanes;
        all += mask_any(bytes);
    }
    assert_int_equal(seen, lanes->mask);
    assert_int_equal(all, entry->parts.n);
}

static void test_lines(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct core *core = calloc(1, sizeof *core);
    struct arena arena;
    struct random random = {1};
    if (!core || setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    core->arena = &arena;
    struct entry entry = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t address[LANES];
        struct lane_bytes lanes = {draw(&random, 3) ? FULL_MASK
                                                    : draw(&random, UINT32_C(1) << 28) * 15 + 1,
                                   address, NULL, 1u << draw(&random, 5), lanes_best()->memory};
        struct part as = {.kind = MEMSYS_WRITE, .cycles = 1};
        draw_addresses(&random, lanes.bytes, address);
        entry.parts.n = 0;
        coalesce_lines(core, &entry, &lanes, &as);
        check_parts(&entry, &lanes);
    }
    arena_free(&arena);
    free(core);
}

// Returns the maximum number of different words per bank that lanes of up to 4 bytes access.
static uint32_t count_conflicts(const struct lane_bytes *lanes, uint32_t banks, bool atomic)
{
    uint32_t max = 0;
    for (uint32_t bank = 0; bank < banks; bank++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < LANES; i++) {
            bool again = false;
            for (uint32_t k = 0; k < i && !atomic; k++)
                again |= lanes->mask >> k & 1 && lanes->address[k] / 4 == lanes->address[i] / 4;
            count += lanes->mask >> i & 1 && lanes->address[i] / 4 % banks == bank && !again;
        }
        max = count > max ? count : max;
    }
    return max;
}

static void test_banks(void **state)
{
    (void)state;
    struct random random = {2};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t address[LANES];
        struct lane_bytes lanes = {draw(&random, 3) ? FULL_MASK
                                                    : draw(&random, UINT32_C(1) << 28) * 15 + 1,
                                   address, NULL, 4, lanes_best()->memory};
        struct core_config config = {.shared_banks = draw(&random, 4) ? 32 : 16,
                                     .shared_bank_bytes = 4};
        bool atomic = !draw(&random, 4);
        draw_addresses(&random, 4, address);
        assert_int_equal(bank_cycles(&config, &lanes, atomic),
                         count_conflicts(&lanes, (uint32_t)config.shared_banks, atomic));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_banks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
