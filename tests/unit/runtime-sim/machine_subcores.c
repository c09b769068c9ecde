// Fetch, sub-cores, the integer pipe and operand collectors in closed form.
#include "runtime-sim/gpu/core/units.h"
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { FEW = 32, MANY = 96 };

// Straight code is fetched without a bubble.
#define FETCH                                                                                      \
    "code_cache.perfect=true", "core.buffer=8", "core.fetch_instructions=4", "core.fetch_width=8", \
        "core.decode_latency=0"
#define CACHED "code_cache.perfect=true"
#define FOUR "core.schedulers=4", "core.alu_units=4", "core.scheduler=lrr"
// Registers for all values that are live at once.
#define ROOM "core.registers=1048576"

static void put_copy(struct text *t, const char *form, uint32_t number)
{
    for (; *form; form++)
        if (*form == '$')
            text_put(t, "%u", number);
        else
            text_put(t, "%c", *form);
    text_put(t, "\n");
}

// Writes a kernel in which the warps whose number is a multiple of `every` execute the text `count`
// times, with $ as the number of the copy. Uses of all results follow that are not executed: unused
// results would share one register.
static void write_copies(struct text *t, const char *form, uint32_t count, uint32_t every)
{
    t->length = 0;
    text_put(t,
             HEAD("8.0", "sm_80") ".visible .entry k()\n{\n.reg .pred %%p<3>; .reg .b32 %%r<8>;\n"
                                  ".reg .b32 %%q<100>; .reg .f32 %%f<8>; .reg .f32 %%g<100>;\n"
                                  "mov.u32 %%r1, %%tid.x; shr.u32 %%r2, %%r1, 5;\n"
                                  "rem.u32 %%r2, %%r2, %u; setp.ne.u32 %%p1, %%r2, 0;\n"
                                  "setp.ne.u32 %%p2, %%r1, -1;\n"
                                  "mov.f32 %%f1, 0f3F800000; mov.f32 %%f2, 0f3F800000;\n"
                                  "mov.f32 %%f3, 0f3F800000; mov.u32 %%r3, 1; mov.u32 %%r4, 1;\n"
                                  "@%%p1 bra END;\n",
             every);
    for (uint32_t i = 0; i < count; i++)
        put_copy(t, form, i);
    text_put(t, "@%%p2 bra END;\n");
    for (uint32_t i = 0; i < count; i++) {
        put_copy(t, strstr(form, "%q$") ? "add.u32 %r1, %r1, %q$;" : "", i);
        put_copy(t, strstr(form, "%g$") ? "add.f32 %f1, %f1, %g$;" : "", i);
    }
    text_put(t, "END: ret;\n}\n");
}

static uint64_t cycles(const char *form, uint32_t count, uint32_t every, uint32_t warps,
                       const char *const *settings)
{
    static struct text t;
    static struct rig r;
    write_copies(&t, form, count, every);
    rig_load(&r, t.at, 1, settings);
    uint64_t run = rig_run(&r, "k", 1, warps * LANES);
    rig_check_slots(&r);
    rig_free(&r);
    return run;
}

// Checks that `warps` warps, of which every `every`-th executes the text, take `each` cycles per
// copy.
static void costs(const char *form, uint32_t every, uint32_t warps, uint64_t each,
                  const char *const *settings)
{
    uint64_t more =
        cycles(form, MANY, every, warps, settings) - cycles(form, FEW, every, warps, settings);
    uint64_t all = (MANY - FEW) * each; // the last warps may begin later
    if (more + 2 < all || more > all)
        fail_msg("%s of %u warps, %s: %g cycles, not %u", form, warps, settings[0],
                 (double)more / (MANY - FEW), (uint32_t)each);
}

// A kernel without work takes the time of its CTA's start and of one instruction.
static void empty_kernels(void **state)
{
    static struct rig r;
    const char *text = HEAD("8.0", "sm_80") ".visible .entry k()\n{\nret;\n}\n";
    (void)state;
    for (uint32_t perfect = 0; perfect < 2; perfect++) {
        rig_load(&r, text, 1,
                 perfect ? SETTINGS("code_cache.perfect=true", "constant_cache.perfect=true")
                         : SETTINGS("code_cache.perfect=false"));
        uint64_t first = rig_run(&r, "k", 1, LANES), second = rig_run(&r, "k", 1, LANES);
        assert_true(perfect ? first == second : first > second + 50);
        assert_int_equal(second, 3);
        assert_true(rig_of(&r, "memory", "code.requests") == !perfect);
        rig_free(&r);
    }
}

// A warp whose buffer holds one instruction needs a fetch for each. A core fetches for as many
// warps per cycle as core.fetch_width.
static void fetch_width(void **state)
{
    (void)state;
    const char *add = "add.u32 %q$, %r3, 1;";
    costs(add, 1, 16, 16, SETTINGS("core.fetch_width=1", "core.buffer=1", CACHED, FOUR, ROOM));
    costs(add, 1, 16, 8, SETTINGS("core.fetch_width=2", "core.buffer=1", CACHED, FOUR, ROOM));
    costs(add, 1, 16, 4, SETTINGS("core.fetch_width=8", "core.buffer=1", CACHED, FOUR, ROOM));
}

// Without core.fetch_instructions the buffer is filled in the cycle after it became empty.
static void fetch_ahead(void **state)
{
    (void)state;
    const char *add = "add.u32 %q$, %r3, 1;";
    costs(add, 1, 1, 1, SETTINGS(FETCH, ROOM));
    costs(add, 1, 2, 2, SETTINGS(FETCH, ROOM));
    costs(add, 1, 1, 1,
          SETTINGS("core.fetch_instructions=1", "core.buffer=3", "code_cache.perfect=true", ROOM));
    costs(add, 1, 1, 2,
          SETTINGS("core.fetch_instructions=0", "core.buffer=1", "code_cache.perfect=true", ROOM));
}

// Warps 0, 4, 8 and 12 belong to scheduler 0: with sub-cores they share one unit of four.
static void own_units(void **state)
{
    (void)state;
    const char *mul = "mul.lo.u32 %q$, %r3, 3;", *interval = "core.interval_int_mul=4";
    costs(mul, 4, 16, 4 * 4 / 4, SETTINGS(interval, FOUR, FETCH, ROOM));
    costs(mul, 4, 16, 4 * 4, SETTINGS("core.subcores=true", interval, FOUR, FETCH, ROOM));
    costs(mul, 1, 16, 16 * 4 / 4, SETTINGS("core.subcores=true", interval, FOUR, FETCH, ROOM));
    costs(mul, 2, 16, 8 * 4 / 2, SETTINGS("core.subcores=true", interval, FOUR, FETCH, ROOM));
    // Two units for each of two schedulers.
    costs(mul, 2, 16, 8 * 4 / 2,
          SETTINGS("core.subcores=true", interval, "core.schedulers=2", "core.alu_units=4", FETCH,
                   ROOM));
    // A single unit is common to all.
    costs("ex2.approx.f32 %g$, %f1;", 1, 8, 8 * 4,
          SETTINGS("core.subcores=true", FOUR, FETCH, ROOM, "core.sfu_units=1"));
}

// Units that cannot be divided are an error.
static void undivided_units(void **state)
{
    struct core_config config;
    struct arena arena;
    (void)state;
    struct memory memory = {0};

    arena_init(&arena, &memory);
    config = (struct core_config){.subcores = true, .schedulers = 2, .alu_units = 3};
    const char *fault = units_fault(&config, &arena);
    assert_string_equal(fault, "core.subcores divides core.alu_units: 3 among core.schedulers: 2; "
                               "it must be a multiple, or less");
    config.alu_units = 4;
    assert_null(units_fault(&config, &arena));
    config.alu_units = 1;
    assert_null(units_fault(&config, &arena));
    arena_free(&arena);
}

// Integers and f32 use one unit in turn, or two at the same time.
static void integer_pipe(void **state)
{
    (void)state;
    const char *both = "mul.lo.u32 %q$, %r3, 3; mul.f32 %g$, %f1, %f2;";
#define SLOW "core.interval_int_mul=8", "core.interval_fp32_mul=8", FETCH, ROOM
    costs(both, 1, 4, 4 * 16, SETTINGS("core.int_units=0", SLOW));
    costs(both, 1, 4, 4 * 8, SETTINGS("core.int_units=1", SLOW));
    costs("mul.lo.u32 %q$, %r3, 3;", 1, 4, 4 * 8 / 2, SETTINGS("core.int_units=2", SLOW));
    // Moves, comparisons and conversions are integers, minimum and maximum of f32 are not.
    costs("abs.f32 %g$, %f1;", 1, 4, 4 * 8,
          SETTINGS("core.int_units=1", "core.alu_units=4", "core.interval_fp32_compare=8", FETCH,
                   ROOM));
    costs("max.f32 %g$, %f1, %f2;", 1, 4, 4 * 8 / 4,
          SETTINGS("core.int_units=1", "core.alu_units=4", "core.interval_fp32_minmax=8",
                   "core.schedulers=4", FETCH, ROOM));
}

// A chain of FMAs: operands are read from the cycle after the issue on, by the bank and by the
// collector one per cycle or more; the cycle after the last one is that of the dispatch.
static void collectors(void **state)
{
    (void)state;
    const char *chain = "fma.rn.f32 %f1, %f1, %f2, %f3;";
    costs(chain, 1, 1, 5 + 6, SETTINGS("core.collectors=0", FETCH));
    costs(chain, 1, 1, 5 + 6 + 1 + 3, SETTINGS("core.collectors=1", FETCH));
    costs(chain, 1, 1, 5 + 6 + 1 + 3, SETTINGS("core.collectors=1", "core.bank_operands=4", FETCH));
    costs(
        chain, 1, 1, 5 + 6 + 1 + 2,
        SETTINGS("core.collectors=1", "core.bank_operands=4", "core.collector_operands=2", FETCH));
    costs(
        chain, 1, 1, 5 + 6 + 1 + 1,
        SETTINGS("core.collectors=1", "core.bank_operands=4", "core.collector_operands=4", FETCH));
    // One bank has all three operands, whatever the collector could read.
    costs(
        chain, 1, 1, 5 + 6 + 1 + 3,
        SETTINGS("core.collectors=1", "core.register_banks=1", "core.collector_operands=4", FETCH));
    costs(chain, 1, 1, 5 + 6 + 1 + 2,
          SETTINGS("core.collectors=1", "core.register_banks=1", "core.bank_operands=2",
                   "core.collector_operands=4", FETCH));
}

// Independent instructions of several warps: a collector is busy from the issue to the dispatch; a
// single bank delivers as many operands as it can.
static void collectors_full(void **state)
{
    (void)state;
    const char *add = "add.u32 %q$, %r3, %r4;", *fma = "fma.rn.f32 %g$, %f1, %f2, %f3;";
    costs(add, 1, 8, 8 * 3, SETTINGS("core.collectors=1", "core.register_banks=32", FETCH, ROOM));
    costs(add, 1, 8, 8 * 3 / 2,
          SETTINGS("core.collectors=2", "core.register_banks=32", FETCH, ROOM));
    costs(fma, 1, 8, 8 * 3,
          SETTINGS("core.collectors=16", "core.register_banks=1", "core.collector_operands=4",
                   FETCH, ROOM));
    // Each of four sub-cores has a collector of its own; without them all share one.
    costs(add, 1, 8, 8 * 3, SETTINGS("core.collectors=1", FOUR, FETCH, ROOM));
    costs(add, 1, 8, 8 * 3 / 4,
          SETTINGS("core.collectors=1", "core.subcores=true", FOUR, FETCH, ROOM));
    // A busy unit keeps the collectors occupied, also for those that need another unit.
    costs("mul.lo.u32 %q$, %r3, %r4; mul.f32 %g$, %f1, %f2;", 1, 4, 4 * 8,
          SETTINGS("core.collectors=2", "core.int_units=1", SLOW));
}

// Four schedulers on four units: the more instructions a buffer holds, the fewer cycles.
static void larger_buffers(void **state)
{
    static const char *const buffers[] = {"core.buffer=2", "core.buffer=4", "core.buffer=8"};
    const char *fma = "fma.rn.f32 %g$, %f1, %f2, %f3;";
    uint64_t last = UINT64_MAX, floor = 16 * (MANY - FEW) / 2;
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        const char *const *settings =
            SETTINGS(buffers[i], CACHED, "core.interval_fp32_fma=2", FOUR, ROOM);
        uint64_t now = cycles(fma, MANY, 1, 16, settings) - cycles(fma, FEW, 1, 16, settings);
        assert_in_range(now, floor, last);
        last = now;
    }
    assert_in_range(last, floor, floor * 105 / 100);
}

// The lanes of a warp add to words of a line: d lanes of each word are d requests.
static void atomic_turns(void **state)
{
    static struct rig r;
    static struct text t;
    static const uint32_t words[] = {1, 2, 5, 32};
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t turns = 0; turns < 2; turns++) {
            t.length = 0;
            text_put(&t,
                     HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a)\n{\n"
                                          ".reg .b32 %%r<4>; .reg .b64 %%d<4>;\n"
                                          "ld.param.u64 %%d1, [a]; mov.u32 %%r1, %%tid.x;\n"
                                          "rem.u32 %%r1, %%r1, %u; mul.wide.u32 %%d2, %%r1, 4;\n"
                                          "add.u64 %%d1, %%d1, %%d2;\n"
                                          "atom.global.add.u32 %%r2, [%%d1], 1;\n"
                                          "st.global.u32 [%%d1+128], %%r2;\nret;\n}\n",
                     words[i]);
            rig_load(&r, t.at, 1,
                     turns ? SETTINGS("core.atomic_turns=true")
                           : SETTINGS("core.atomic_turns=false"));
            const uint32_t *buffer = kernel_buffer(&r.k, 256);
            rig_run(&r, "k", 1, LANES);
            assert_true(rig_of(&r, "core", "atomics") == (turns ? divide_up(LANES, words[i]) : 1));
            for (uint32_t w = 0; w < words[i]; w++)
                assert_int_equal(buffer[w], LANES / words[i] + (w < LANES % words[i]));
            rig_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_kernels),   cmocka_unit_test(fetch_width),
        cmocka_unit_test(fetch_ahead),     cmocka_unit_test(own_units),
        cmocka_unit_test(undivided_units), cmocka_unit_test(integer_pipe),
        cmocka_unit_test(collectors),      cmocka_unit_test(collectors_full),
        cmocka_unit_test(larger_buffers),  cmocka_unit_test(atomic_turns),
    };
    return cmocka_run_group_tests_name("machine_subcores", tests, NULL, NULL);
}
