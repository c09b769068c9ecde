// Asynchronous work in closed form: matrix products by type and shape, warpgroups, bulk copies,
// shared memory of other cores, mbarriers that suspend warps, and groups of cores for clusters.
#include "tests/unit/runtime-sim/conform.h"
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { FEW = 16, MANY = 48 };

#define STRAIGHT                                                                                   \
    "code_cache.perfect=true", "core.buffer=8", "core.fetch_instructions=4", "core.fetch_width=8", \
        "core.decode_latency=0", "core.registers=1048576", "core.warps=64", "core.threads=2048"

static void settings_add(const char **settings, const char *key, uint32_t value)
{
    static char texts[64][96];
    static uint32_t next;
    char *text = texts[next++ % 64];
    snprintf(text, sizeof texts[0], "%s=%u", key, value);
    while (*settings)
        settings++;
    settings[0] = text;
    settings[1] = NULL;
}

// Matrix products

struct rate_case {
    const char *key, *op, *shape, *types;
    uint32_t d, a, b, products; // registers, multiply-adds
};

static void put_registers(struct text *t, const char *letter, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_put(t, "%s%s%u", i ? "," : "{", letter, i);
    text_put(t, "}");
}

static uint64_t mma_cycles(const struct rate_case *test, uint32_t count,
                           const char *const *settings)
{
    static struct text t;
    static struct rig r;
    bool wide = strstr(test->types, "f64"), sparse = strstr(test->op, "sp");
    t.length = 0;
    text_put(&t,
             HEAD("8.5", "sm_90") ".visible .entry k()\n{\n.reg .b32 %%x<8>; .reg .f64 %%y<8>;\n"
                                  ".reg .f32 %%z<8>; .reg .b32 %%w<8>;\n");
    for (uint32_t i = 0; i < count; i++) { // chained by d, or only the unit would limit nothing
        const char *c = wide ? "%y" : "%x";
        text_put(&t, "%s.%s.row.col.%s ", test->op, test->shape, test->types);
        put_registers(&t,
                      wide                                        ? "%y"
                      : strstr(test->types, "f32") == test->types ? "%z"
                                                                  : "%w",
                      test->d);
        text_put(&t, ", ");
        put_registers(&t, c, test->a);
        text_put(&t, ", ");
        put_registers(&t, c, test->b);
        text_put(&t, ", ");
        put_registers(&t,
                      wide                                        ? "%y"
                      : strstr(test->types, "f32") == test->types ? "%z"
                                                                  : "%w",
                      test->d);
        text_put(&t, sparse ? ", %%x0, 0;\n" : ";\n");
    }
    text_put(&t, "ret;\n}\n");
    rig_load(&r, t.at, 1, settings);
    uint64_t cycles = rig_run(&r, "k", 1, 32 * 48);
    rig_check_slots(&r);
    rig_free(&r);
    return cycles;
}

// 48 warps keep the unit busy.
static void test_rates(void **state)
{
    (void)state;
    static const struct rate_case cases[] = {
        {"f16", "mma.sync.aligned", "m16n8k16", "f32.f16.f16.f32", 4, 4, 2, 2048},
        {"f16", "mma.sync.aligned", "m16n8k8", "f32.bf16.bf16.f32", 4, 2, 1, 1024},
        {"tf32", "mma.sync.aligned", "m16n8k8", "f32.tf32.tf32.f32", 4, 4, 2, 1024},
        {"f8", "mma.sync.aligned", "m16n8k32", "f32.e4m3.e5m2.f32", 4, 4, 2, 4096},
        {"i8", "mma.sync.aligned", "m16n8k32", "s32.s8.u8.s32", 4, 4, 2, 4096},
        {"i4", "mma.sync.aligned", "m16n8k64", "s32.s4.s4.s32", 4, 4, 2, 8192},
        {"b1", "mma.sync.aligned", "m16n8k256", "s32.b1.b1.s32.and.popc", 4, 4, 2, 32768},
        {"f64", "mma.sync.aligned", "m8n8k4", "f64.f64.f64.f64", 2, 1, 1, 256},
        {"f16", "mma.sp::ordered_metadata.sync.aligned", "m16n8k32", "f32.f16.f16.f32", 4, 4, 4,
         2048},
    };
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[16] = {STRAIGHT, NULL};
        char key[64];
        uint32_t rate = cases[i].products / (12 + (uint32_t)(conform_random(&random) % 40));
        uint32_t percent = i % 3 ? 100 : 30 + (uint32_t)(conform_random(&random) % 70);
        snprintf(key, sizeof key, "core.matrix_%s", cases[i].key);
        settings_add(settings, key, rate);
        settings_add(settings, "core.mma_percent", percent);
        uint64_t each = (100 * cases[i].products + rate * percent - 1) / (rate * percent);
        uint64_t more = mma_cycles(&cases[i], 24, settings) - mma_cycles(&cases[i], 8, settings);
        if (more < 16 * 48 * each - each || more > 16 * 48 * each + each)
            fail_msg("%s %s: %g cycles, not %u", cases[i].shape, cases[i].types,
                     (double)more / (16 * 48), (uint32_t)each);
    }
}

// Warpgroups

static uint64_t wgmma_cycles(uint32_t n, bool a_shared, uint32_t count, bool waits,
                             const char *const *settings)
{
    static struct text t;
    static struct rig r;
    t.length = 0;
    text_put(&t, HEAD("8.0", "sm_90a") ".shared .align 1024 .b8 s[40960];\n.visible .entry k()\n{\n"
                                       ".reg .f32 %%d<128>; .reg .b32 %%a<4>; .reg .b64 %%x<2>;\n"
                                       "mov.u64 %%x0, 0x4000004000010000;\n"
                                       "wgmma.fence.sync.aligned;\n");
    for (uint32_t i = 0; i < count; i++) {
        text_put(&t, "wgmma.mma_async.sync.aligned.m64n%uk16.f32.f16.f16 ", n);
        put_registers(&t, "%d", n / 2);
        text_put(&t, ", ");
        if (a_shared)
            text_put(&t, "%%x0");
        else
            put_registers(&t, "%a", 4);
        text_put(&t, ", %%x0, 1, 1, 1, %s0;\n", a_shared ? "0, " : "");
        if (waits)
            text_put(&t, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    }
    text_put(&t, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ret;\n}\n");
    rig_load(&r, t.at, 1, settings);
    uint64_t cycles = rig_run(&r, "k", 1, 128);
    rig_check_slots(&r);
    rig_free(&r);
    return cycles;
}

static void test_warpgroups(void **state)
{
    (void)state;
    uint64_t random = 9;
    for (uint32_t i = 0; i < 16; i++) {
        const char *settings[24] = {STRAIGHT,
                                    "core.schedulers=4",
                                    "core.subcores=true",
                                    "core.matrix_units=4",
                                    "core.alu_units=4",
                                    "core.pipeline=0",
                                    NULL};
        uint32_t n = 8 * (1 + (uint32_t)(conform_random(&random) % 32));
        uint32_t rate = 64 << conform_random(&random) % 4;
        uint32_t bytes = (uint32_t)(conform_random(&random) % 3) * 64;
        uint32_t latency = 1 + (uint32_t)(conform_random(&random) % 60);
        bool a_shared = i % 2, waits = i / 2 % 2;
        settings_add(settings, "core.matrix_f16", rate);
        settings_add(settings, "core.wgmma_bytes", bytes);
        settings_add(settings, "core.latency_wgmma", latency);
        uint32_t each = (16 * n * 16 + rate - 1) / rate;
        uint32_t read = (a_shared ? 64 * 16 * 2 : 0) + n * 16 * 2;
        uint32_t reading = bytes ? (read + bytes - 1) / bytes : 0;
        each = each > reading ? each : reading;
        uint64_t more = wgmma_cycles(n, a_shared, MANY, waits, settings) -
                        wgmma_cycles(n, a_shared, FEW, waits, settings);
        uint64_t least = (uint64_t)(MANY - FEW) * (waits && latency > each ? latency : each);
        uint64_t most = least + (uint64_t)(MANY - FEW) * (waits ? 4 : 0); // issue of the others
        if (more < least || more > most + each)
            fail_msg("n%u, a in %s, rate %u, bytes %u, latency %u: %g cycles, not %g", n,
                     a_shared ? "shared memory" : "registers", rate, bytes, latency,
                     (double)more / (MANY - FEW), (double)least / (MANY - FEW));
    }
}

// Bulk copies

#define BULK(text)                                                                                 \
    HEAD("8.0", "sm_90")                                                                           \
    ".shared .align 128 .b8 s[32768]; .shared .align 8 .b64 bar;\n"                                \
    ".visible .entry k(.param .u64 in, .param .u32 bytes)\n{\n"                                    \
    ".reg .b32 %r<9>; .reg .b64 %x<9>; .reg .pred %p<4>;\n"                                        \
    "ld.param.u64 %x0, [in]; ld.param.u32 %r0, [bytes];\n"                                         \
    "mov.u32 %r1, %tid.x; setp.ne.u32 %p0, %r1, 0;\n" text "ret;\n}\n"

// Runs one warp; returns its cycles.
static uint64_t bulk_cycles(const char *text, uint32_t bytes, const char *const *settings,
                            double *instructions)
{
    static struct rig r;
    rig_load(&r, text, 1, settings);
    uint32_t *in = kernel_buffer(&r.k, 65536);
    kernel_u32(&r.k, bytes);
    for (uint32_t i = 0; i < bytes / 4; i++)
        in[i] = i * 7 + 1;
    uint64_t cycles = rig_run(&r, "k", 1, 32);
    rig_check_slots(&r);
    for (uint32_t i = 0; i < bytes / 4; i++) // stored copies have the same offset
        assert_int_equal(in[8192 + i], strstr(text, "global.shared::cta") ? i * 7 + 1 : 0);
    if (instructions)
        *instructions = rig_of(&r, "core", "warp_instructions");
    rig_free(&r);
    return cycles;
}

static const char load_bulk[] =
    BULK("@!%p0 mbarrier.init.shared.b64 [bar], 1;\n"
         "@!%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r0;\n"
         "@!%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%x0], %r0, "
         "[bar];\n"
         "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;\n");

static void test_bulk_loads(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const char *settings[24] = {STRAIGHT, "core.try_wait=100000", NULL};
        uint32_t interval = 20 + 7 * i, latency = 100 * i;
        double instructions;
        settings_add(settings, "core.bulk_interval", interval);
        uint64_t small = bulk_cycles(load_bulk, 16 * 128, settings, NULL);
        uint64_t large = bulk_cycles(load_bulk, 144 * 128, settings, &instructions);
        if (large - small + 40 < 128 * interval || large - small > 128 * interval + 40)
            fail_msg("%g cycles per line, not %u", (double)(large - small) / 128, interval);
        assert_true(instructions < 20); // the wait does not poll
        settings_add(settings, "core.bulk_latency", latency);
        uint64_t later = bulk_cycles(load_bulk, 16 * 128, settings, NULL);
        assert_in_range(later, small + latency - 3, small + latency + 3);
    }
}

static const char store_bulk[] =
    BULK("cvt.u64.u32 %x3, %r1; shl.b32 %r2, %r1, 2; mov.u32 %r3, %r2;\n"
         "L: cvt.u64.u32 %x3, %r3; add.u64 %x3, %x0, %x3; ld.global.b32 %r4, [%x3];\n"
         "mov.u32 %r5, s; add.u32 %r5, %r5, %r3; st.shared.b32 [%r5], %r4;\n"
         "add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, %r0; @%p1 bra L; bar.warp.sync -1;\n"
         "add.u64 %x4, %x0, 32768;\n"
         "@!%p0 cp.async.bulk.global.shared::cta.bulk_group [%x4], [s], %r0;\n"
         "cp.async.bulk.commit_group; cp.async.bulk.wait_group$ 0;\n");

static void test_bulk_stores(void **state)
{
    (void)state;
    char text[2][sizeof store_bulk + 8];
    const char *settings[24] = {STRAIGHT, "core.bulk_interval=30", NULL};
    for (uint32_t i = 0; i < 2; i++) {
        char *at = strchr(strcpy(text[i], store_bulk), '$');
        const char *rest = strchr(store_bulk, '$') + 1;
        sprintf(at, "%s%s", i ? ".read" : "", rest);
    }
    uint64_t whole = bulk_cycles(text[0], 64 * 128, settings, NULL);
    uint64_t read = bulk_cycles(text[1], 64 * 128, settings, NULL);
    uint64_t none = bulk_cycles(text[0], 64 * 128, (const char *const[]){STRAIGHT, NULL}, NULL);
    // A line has 5 flits. The warp ends after its copies.
    assert_in_range(whole - none, 63 * (30 - 5) - 8, 64 * (30 - 1));
    assert_in_range(whole - read, 0, 4);
}

// cp.async: a wait for groups waits for their data.
static void test_small_copies(void **state)
{
    (void)state;
    static const char text[] = BULK(
        "mul.wide.u32 %x1, %r1, 16; add.u64 %x1, %x0, %x1; shl.b32 %r2, %r1, 4; mov.u32 %r3, s;\n"
        "add.u32 %r3, %r3, %r2; cp.async.cg.shared.global [%r3], [%x1], 16;\n"
        "cp.async.commit_group; cp.async.wait_group $; mov.u64 %x5, %clock64;\n"
        "st.global.u64 [%x1+32768], %x5; membar.gl;\n");
    uint64_t times[2];
    for (uint32_t i = 0; i < 2; i++) {
        static struct rig r;
        char copy[sizeof text];
        strcpy(copy, text);
        *strchr(copy, '$') = i ? '0' : '1';
        rig_load(&r, copy, 1, SETTINGS(STRAIGHT));
        uint8_t *in = kernel_buffer(&r.k, 65536);
        kernel_u32(&r.k, 0);
        rig_run(&r, "k", 1, 32);
        memcpy(&times[i], in + 32768, 8);
        rig_free(&r);
    }
    assert_true(times[1] > times[0] + 100);
}

// Shared memory of other cores

static uint64_t cluster_cycles(uint32_t count, bool remote, bool chained,
                               const char *const *settings)
{
    static struct text t;
    static struct rig r;
    t.length = 0;
    text_put(
        &t,
        HEAD("7.8",
             "sm_90") ".shared .align 16 .b32 s[64];\n"
                      ".visible .entry k(.param .u64 out)\n{\n"
                      ".reg .b32 %%r<9>; .reg .b32 %%q<99>; .reg .b64 %%x<3>; .reg .pred %%p<2>;\n"
                      "ld.param.u64 %%x0, [out]; mov.u32 %%r1, %%tid.x;\n"
                      "shl.b32 %%r2, %%r1, 2; mov.u32 %%r3, s; add.u32 %%r3, %%r3, %%r2;\n"
                      "st.shared.b32 [%%r3], 0; mov.u32 %%r6, %%cluster_ctarank;\n"
                      "setp.ne.u32 %%p1, %%r6, 0; mapa.shared::cluster.u32 %%r4, %%r3, %u;\n"
                      "barrier.cluster.arrive; barrier.cluster.wait; @%%p1 bra END;\n",
        remote);
    for (uint32_t i = 0; i < count; i++)
        if (chained)
            text_put(&t, "ld.shared::cluster.b32 %%r5, [%%r4]; add.u32 %%r4, %%r4, %%r5;\n");
        else
            text_put(&t, "ld.shared::cluster.b32 %%q%u, [%%r4];\n", i);
    for (uint32_t i = 0; !chained && i < count; i++)
        text_put(&t, "add.u32 %%r4, %%r4, %%q%u;\n", i);
    text_put(&t,
             "mul.wide.u32 %%x1, %%r1, 4; add.u64 %%x0, %%x0, %%x1; st.global.b32 [%%x0], %%r4;\n"
             "END: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n");
    rig_load(&r, t.at, 2, settings);
    kernel_buffer(&r.k, 256);
    struct launch *launch = rig_add(&r, "k", 2, 32);
    memcpy(launch->cluster, (uint32_t[]){2, 1, 1}, sizeof launch->cluster);
    rig_go(&r);
    rig_done(&r);
    rig_check_slots(&r);
    uint64_t cycles = r.cycles;
    rig_free(&r);
    return cycles;
}

static void test_cluster_memory(void **state)
{
    (void)state;
    const char *settings[24] = {STRAIGHT, "core.shared_latency=30", NULL};
    settings_add(settings, "core.cluster_latency", 180);
    uint64_t own =
        cluster_cycles(MANY, false, true, settings) - cluster_cycles(FEW, false, true, settings);
    uint64_t other =
        cluster_cycles(MANY, true, true, settings) - cluster_cycles(FEW, true, true, settings);
    assert_int_equal(other - own, (MANY - FEW) * (180 - 30));
    uint64_t whole = 0; // cycles with a port of 128 bytes, with the additions of the results
    for (uint32_t bytes = 128; bytes >= 8; bytes /= 2) {
        const char *limited[24] = {STRAIGHT, NULL};
        settings_add(limited, "core.cluster_bytes", bytes);
        uint64_t more =
            cluster_cycles(MANY, true, false, limited) - cluster_cycles(FEW, true, false, limited);
        whole = bytes == 128 ? more : whole;
        uint64_t want = (uint64_t)(MANY - FEW) * (128 / bytes - 1);
        if (more + 16 < whole + want || more > whole + want + 16)
            fail_msg("%u bytes: %g cycles more", bytes, (double)(more - whole) / (MANY - FEW));
    }
}

// mbarriers

// Nobody arrives; the wait is limited by a count of polls.
static void test_try_wait(void **state)
{
    (void)state;
    static const char text[] =
        BULK("@!%p0 mbarrier.init.shared.b64 [bar], 2; mov.u32 %r2, 0;\n"
             "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; add.u32 %r2, %r2, 1;\n"
             "setp.lt.u32 %p2, %r2, %r0; @%p2 bra W;\n");
    const char *settings[24] = {STRAIGHT, "core.try_wait=1000", NULL};
    uint64_t few = bulk_cycles(text, 4, settings, NULL);
    uint64_t many = bulk_cycles(text, 20, settings, NULL);
    uint64_t polled = bulk_cycles(text, 20, SETTINGS(STRAIGHT), NULL);
    assert_in_range(many - few, 16 * 1000, 16 * 1100);
    assert_true(polled < 3000);
}

// Groups of cores

static void test_groups(void **state)
{
    (void)state;
    static const char text[] =
        HEAD("7.8",
             "sm_90") ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %x<3>;\n"
                      "ld.param.u64 %x0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %smid;\n"
                      "mul.wide.u32 %x1, %r0, 4; add.u64 %x0, %x0, %x1; st.global.u32 [%x0], %r1;\n"
                      "barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";
    static const uint8_t group_of[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4};
    for (uint32_t size = 1; size <= 4; size++) {
        static struct rig r;
        rig_load(&r, text, 12, SETTINGS(STRAIGHT, "machine.cluster_cores=[3,2]"));
        uint32_t *out = kernel_buffer(&r.k, 4096);
        struct launch *launch = rig_add(&r, "k", 24 * size, 32);
        memcpy(launch->cluster, (uint32_t[]){size, 1, 1}, sizeof launch->cluster);
        if (size == 4) {
            struct fault fault = {0};
            assert_false(machine_fits(r.machine, &r.runs[0], &fault));
            assert_non_null(strstr(fault.text, "machine.cluster_cores is 3"));
            rig_free(&r);
            continue;
        }
        rig_go(&r);
        rig_done(&r);
        uint32_t used = 0;
        for (uint32_t i = 0; i < 24 * size; i++) {
            used |= 1u << out[i];
            assert_int_equal(group_of[out[i]], group_of[out[i / size * size]]);
            for (uint32_t k = i / size * size; k < i; k++)
                assert_int_not_equal(out[k], out[i]);
        }
        assert_true(size == 3 || used == 0xfff);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),        cmocka_unit_test(test_warpgroups),
        cmocka_unit_test(test_bulk_loads),   cmocka_unit_test(test_bulk_stores),
        cmocka_unit_test(test_small_copies), cmocka_unit_test(test_cluster_memory),
        cmocka_unit_test(test_try_wait),     cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
