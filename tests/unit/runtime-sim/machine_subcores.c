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

// Registers of a CTA for multiples of four warps; shared memory that the system uses.
static void reserved(void **state)
{
    struct core_config config = {.register_granule = 256,
                                 .register_warps = 4,
                                 .shared_granule = 128,
                                 .shared_reserved = 1024};
    struct launch launch = {.block = {96, 1, 1}, .shared_bytes = 100};
    (void)state;
    struct core_needs needs = core_needs(&config, &launch, 33);
    assert_int_equal(needs.warps, 3);
    assert_int_equal(needs.registers, 4 * 1280);
    assert_int_equal(needs.shared_bytes, 1152);
    config.register_warps = 1;
    config.shared_reserved = 0;
    needs = core_needs(&config, &launch, 33);
    assert_int_equal(needs.registers, 3 * 1280);
    assert_int_equal(needs.shared_bytes, 128);
}

// Returns the cycles of the second launch of a warp that executes straight code.
static uint64_t straight(const char *const *settings)
{
    static struct text t;
    static struct rig r;
    write_copies(&t, "add.u32 %r3, %r3, 1;", MANY, 1);
    rig_load(&r, t.at, 1, settings);
    rig_run(&r, "k", 1, LANES);
    uint64_t run = rig_run(&r, "k", 1, LANES);
    rig_free(&r);
    return run;
}

static void cta_latency(void **state)
{
    (void)state;
    uint64_t at_once = straight(SETTINGS(CACHED, "machine.cta_latency=0"));
    uint64_t later = straight(SETTINGS(CACHED, "machine.cta_latency=100"));
    assert_int_equal(straight(SETTINGS(CACHED, "machine.cta_latency=300")), later + 200);
    assert_in_range(later, at_once + 95, at_once + 100);
}

// Returns the cycles of the second launch of CTAs of one warp that each store a line, one after the
// other on a core.
static uint64_t stores(uint32_t ctas, const char *fence, const char *posted)
{
    static struct text t;
    static struct rig r;
    t.length = 0;
    text_put(&t,
             HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 p)\n{\n"
                                  ".reg .b32 %%r<4>; .reg .b64 %%d<3>;\n"
                                  "ld.param.u64 %%d1, [p]; mov.u32 %%r1, %%ctaid.x;\n"
                                  "mov.u32 %%r2, %%tid.x; mad.lo.u32 %%r3, %%r1, 32, %%r2;\n"
                                  "mul.wide.u32 %%d2, %%r3, 4; add.u64 %%d1, %%d1, %%d2;\n"
                                  "st.global.u32 [%%d1], %%r3; %s ret;\n}\n",
             fence);
    rig_load(&r, t.at, 1, SETTINGS(CACHED, "constant_cache.perfect=true", "core.ctas=1", posted));
    uint32_t *buffer = kernel_buffer(&r.k, 4 * 256);
    rig_run(&r, "k", ctas, LANES);
    uint64_t run = rig_run(&r, "k", ctas, LANES);
    for (uint32_t i = 0; i < ctas * LANES; i++)
        assert_int_equal(buffer[i], i);
    rig_free(&r);
    return run;
}

// Only the last CTA of a launch waits for its stores, unless the kernel does.
static void posted_stores(void **state)
{
    (void)state;
    const char *const no = "core.posted_stores=false", *const yes = "core.posted_stores=true";
    uint64_t one = stores(1, "", no), awaited = (stores(8, "", no) - one) / 7;
    assert_int_equal(stores(1, "", yes), one);
    uint64_t posted = (stores(8, "", yes) - one) / 7;
    assert_in_range(awaited, one / 2, 2 * one);
    assert_in_range(posted, 1, awaited - 50);
    assert_int_equal(stores(8, "membar.gl;", yes), stores(8, "membar.gl;", no));
}

// The L1 gets what the smallest sufficient size of shared memory leaves.
static void carveouts(void **state)
{
    static struct rig r;
    static const struct {
        uint32_t shared, ways;
    } rows[] = {{0, 96}, {1, 64}, {16384, 64}, {16385, 32}, {0, 96}};
    (void)state;
    rig_load(&r, HEAD("8.0", "sm_80") ".visible .entry k()\n{\nret;\n}\n", 2,
             SETTINGS("core.unified_bytes=49152", "core.carveouts=[32768, 0, 16384]",
                      "core.shared_bytes=32768", "core.ctas=1", "l1.sets=4", "l1.ways=96"));
    for (uint32_t i = 0; i < 5; i++) {
        rig_add(&r, "k", 1, LANES)->dynamic_shared = rows[i].shared;
        rig_go(&r);
        rig_done(&r);
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(r.machine->cores[k].l1.ways, rows[i].ways);
    }
    rig_free(&r);
}

// A code cache of one line: each line comes from the L1.5. An L0 hides the latency of the code
// cache while the code is one line.
static void code_levels(void **state)
{
    (void)state;
#define ONE_LINE "code_cache.sets=1", "code_cache.ways=1"
    uint64_t low =
        straight(SETTINGS("read_only_l15.latency=20", "read_only_l15.sets=16", ONE_LINE));
    uint64_t high =
        straight(SETTINGS("read_only_l15.latency=50", "read_only_l15.sets=16", ONE_LINE));
    uint64_t none = straight(SETTINGS("read_only_l15.sets=0", ONE_LINE));
    uint32_t lines = divide_up(MANY + 13, 16);
    assert_in_range(high - low, 30 * (lines - 1), 30 * (lines + 1));
    assert_true(none > high + 20 * lines);
    low = straight(SETTINGS("code_l0.sets=16", "code_cache.sets=16", "code_cache.latency=5"));
    high = straight(SETTINGS("code_l0.sets=16", "code_cache.sets=16", "code_cache.latency=500"));
    none = straight(SETTINGS("code_l0.sets=0", "code_cache.sets=16", "code_cache.latency=500"));
    assert_int_equal(low, high);
    assert_true(none > high + 500 * lines);
}

// All lines after the first one are requested at the first access.
static void prefetched(void **state)
{
    static struct text t;
    static struct rig r;
    uint64_t run[2];
    (void)state;
    write_copies(&t, "add.u32 %r3, %r3, 1;", MANY, 1);
    for (uint32_t i = 0; i < 2; i++) {
        rig_load(&r, t.at, 1,
                 SETTINGS(i ? "code_cache.prefetch=16" : "code_cache.prefetch=0",
                          "code_cache.mshrs=32", "code_cache.sets=16"));
        run[i] = rig_run(&r, "k", 1, LANES);
        assert_true(rig_of(&r, "memory", "code.requests") == divide_up(MANY + 13, 16));
        assert_true(rig_run(&r, "k", 1, LANES) + 20 < run[i]);
        rig_free(&r);
    }
    assert_true(run[0] > run[1] + 300);
}

// A row of 128 bytes is one access, or four of the L1's sectors, which pass the unit one per cycle.
static void sector_requests(void **state)
{
    static struct rig r;
    const char *text =
        HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<4>; .reg .b64 "
                             "%d<4>;\nld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x;\n"
                             "mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
                             "ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, %r1;\n"
                             "st.global.u32 [%d1+128], %r2;\nret;\n}\n";
    (void)state;
    for (uint32_t sectors = 0; sectors < 2; sectors++) {
        rig_load(&r, text, 1,
                 SETTINGS(sectors ? "core.sector_requests=true" : "core.sector_requests=false",
                          "l1.sector_bytes=32", "memory.sectors=true", "core.accesses=4"));
        uint32_t *buffer = kernel_buffer(&r.k, 256);
        for (uint32_t i = 0; i < LANES; i++)
            buffer[i] = 100 * i;
        rig_run(&r, "k", 1, LANES);
        assert_true(rig_of(&r, "l1", "reads") == (sectors ? 4 : 1));
        assert_true(rig_of(&r, "memory", "l1.requests") == (sectors ? 8 : 2));
        for (uint32_t i = 0; i < LANES; i++)
            assert_int_equal(buffer[LANES + i], 101 * i);
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
        cmocka_unit_test(reserved),        cmocka_unit_test(cta_latency),
        cmocka_unit_test(carveouts),       cmocka_unit_test(code_levels),
        cmocka_unit_test(prefetched),      cmocka_unit_test(sector_requests),
        cmocka_unit_test(posted_stores),
    };
    return cmocka_run_group_tests_name("machine_subcores", tests, NULL, NULL);
}
