// The energy model: costs and their ranges, scaling, arrays compared with published points, closed
// forms of currents, and identities of results.
#include "runtime-sim/energy/energy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    struct energy_config energy;
    struct config_section section;
    struct config config;
    struct energy_model model;
};

static void begin_memory(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
}

// Starts a model with settings up to a NULL.
static void begin(struct fixture *f, const char *const *settings)
{
    begin_memory(f);
    arena_init(&f->arena, &f->memory);
    f->section = (struct config_section){"energy", energy_keys, energy_key_count, &f->energy};
    config_init(&f->config, &f->arena, &f->section, 1);
    for (; *settings; settings++)
        assert_true(config_set(&f->config, *settings));
    energy_init(&f->model, &f->arena, &f->energy, 1000);
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_near(double got, double expected, double part)
{
    if (fabs(got - expected) > part * fabs(expected))
        fail_msg("got %.9g, expected %.9g", got, expected);
}

static struct energy_range cost_with(enum energy_cost cost, const char *const *settings)
{
    struct fixture f;
    begin(&f, settings);
    struct energy_range range = energy_cost_of(&f.energy, cost);
    arena_free(&f.arena);
    return range;
}

// Costs

// A point gives its value at its own technology; elsewhere values scale with C V^2.
static void scaling(void **state)
{
    (void)state;
    expect_near(cost_with(ENERGY_register_read, SETTINGS("energy.technology=40")).value, 51.9,
                1e-12);
    expect_near(cost_with(ENERGY_register_read, SETTINGS("energy.technology=23")).value, 2.5,
                1e-12);
    expect_near(cost_with(ENERGY_noc_link, SETTINGS("energy.technology=45")).value, 10.33, 1e-12);
    // 22 nm at 0.8 V from 45 nm at 1 V
    expect_near(cost_with(ENERGY_noc_link, SETTINGS("energy.technology=22")).value,
                10.33 * 22 / 45 * 0.64, 1e-12);
    expect_near(
        cost_with(ENERGY_noc_link, SETTINGS("energy.technology=45", "energy.voltage=0.5")).value,
        10.33 / 4, 1e-12);
    expect_near(cost_with(ENERGY_core_area, SETTINGS("energy.technology=20")).value, 4, 1e-12);
    double twice = cost_with(ENERGY_static_density, SETTINGS("energy.voltage=2")).value;
    double once = cost_with(ENERGY_static_density, SETTINGS("energy.voltage=1")).value;
    expect_near(twice, 2 * once, 1e-12);
    // Links and DRAM do not depend on the chip's technology.
    expect_near(cost_with(ENERGY_offchip_link, SETTINGS("energy.technology=7")).value, 2, 1e-12);
    expect_near(cost_with(ENERGY_dram_read, SETTINGS("energy.technology=7")).value, 1.46, 0.01);
    expect_near(energy_nominal_voltage(40), 0.9 + 0.1 * 8 / 13, 1e-12);
    expect_near(energy_nominal_voltage(7), 0.8, 1e-12);
}

// Values are in their ranges.
static void ranges(void **state)
{
    (void)state;
    static const char *const technologies[] = {"energy.technology=7", "energy.technology=23",
                                               "energy.technology=40", "energy.technology=90"};
    for (enum energy_cost cost = 0; cost < ENERGY_COSTS; cost++) {
        for (uint32_t i = 0; i < 4; i++) {
            struct energy_range range = cost_with(cost, SETTINGS(technologies[i]));
            assert_true(range.min <= range.value && range.value <= range.max);
        }
        struct energy_range own = cost_with(cost, SETTINGS("energy.set=isca19"));
        assert_true(own.min <= own.value && own.value <= own.max);
    }
    struct energy_range wide = cost_with(ENERGY_alu_fp32, SETTINGS("energy.technology=40"));
    expect_near(wide.value, 46.2, 1e-12);
    assert_true(wide.min < 4 && wide.max == wide.value);
}

// The configuration overrides a set's value, which overrides that of the points.
static void choice(void **state)
{
    (void)state;
    expect_near(cost_with(ENERGY_scheduler, SETTINGS("energy.set=isca19")).value, 17.3, 1e-12);
    expect_near(
        cost_with(ENERGY_scheduler, SETTINGS("energy.set=isca19", "energy.technology=7")).value,
        17.3, 1e-12);
    struct energy_range given =
        cost_with(ENERGY_scheduler, SETTINGS("energy.set=isca19", "energy.scheduler=3"));
    assert_true(given.value == 3 && given.min == 3 && given.max == 3);
#define COST(name, unit, scaling, text) "energy." #name "=3",
    static const char *const settings[ENERGY_COSTS] = {
#include "runtime-sim/energy/costs.def"
    };
#undef COST
    for (enum energy_cost cost = 0; cost < ENERGY_COSTS; cost++) {
        given = cost_with(cost, SETTINGS(settings[cost]));
        assert_true(given.value == 3 && given.min == 3 && given.max == 3);
    }
    struct energy_range pinned = cost_with(ENERGY_alu_fp32, SETTINGS("energy.set=isca19"));
    assert_true(pinned.value == 9.99 && pinned.min == 9.99 && pinned.max == 9.99);
    assert_true(cost_with(ENERGY_noc_link, SETTINGS("energy.set=isca16")).value == 0);
    expect_near(cost_with(ENERGY_offchip_link_idle, SETTINGS("energy.set=isca16")).value, 1.5,
                1e-12);
}

// A vendor's currents: V, mA and ns give pJ. Standby with an open row, reads without a gap, and a
// bank that opens and closes rows.
static void currents(void **state)
{
    (void)state;
    enum { BITS = 128, RAS = 56, RC = 80 };
    const double volts = 1.5, ns = 0.667, idd0 = 71, idd2n = 60, idd3n = 61, idd4r = 248;
    double read = cost_with(ENERGY_dram_read, SETTINGS("energy.memory=gddr5")).value;
    double activate = cost_with(ENERGY_dram_activate, SETTINGS("energy.memory=gddr5")).value;
    struct energy_range background =
        cost_with(ENERGY_dram_background, SETTINGS("energy.memory=gddr5"));
    expect_near(background.value, volts * idd3n, 1e-12);
    expect_near(background.value + read * BITS / ns, volts * idd4r, 1e-12);
    double cycling =
        (activate + background.value * RAS * ns + background.min * (RC - RAS) * ns) / (RC * ns);
    expect_near(cycling, volts * idd0, 1e-12);
    expect_near(background.min, volts * idd2n, 1e-12);
    // The published values of this device, pJ, and pJ for a bit.
    expect_near(activate, 824, 0.001);
    expect_near(read, 1.46, 0.002);
    expect_near(cost_with(ENERGY_dram_write, SETTINGS("energy.memory=gddr5")).value, 1.33, 0.002);
    expect_near(cost_with(ENERGY_dram_read, SETTINGS("energy.memory=hbm2")).value, 1.2 * 335 / 256,
                1e-12);
}

// Arrays

static const struct array_point {
    struct array array;
    double nm, read, write, leakage, area;
} array_points[] = {
#define ARRAY_POINT(kind, entries, bits, reads, nm, read, write, leakage, area)                    \
    {{kind, entries, bits, reads}, nm, read, write, leakage, area},
#include "runtime-sim/energy/array_points.def"
#undef ARRAY_POINT
};

// The errors that docs/reference/energy.md states.
static void points(void **state)
{
    (void)state;
    enum { POINTS = sizeof array_points / sizeof *array_points };
    double worst[4] = {0}, squares[4] = {0};
    uint32_t rams = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        const struct array_point *p = &array_points[i];
        struct array_cost cost = array_cost(&p->array, p->nm);
        double errors[4] = {cost.read / p->read - 1, cost.write / p->write - 1,
                            cost.leakage / p->leakage - 1, cost.area / p->area - 1};
        bool is_ram = p->array.kind == ARRAY_RAM;
        rams += is_ram;
        for (int k = 0; k < 4; k++) {
            assert_true(fabs(errors[k]) < (is_ram ? 0.35 : 0.06));
            worst[k] = is_ram && fabs(errors[k]) > worst[k] ? fabs(errors[k]) : worst[k];
            squares[k] += is_ram ? errors[k] * errors[k] : 0;
        }
    }
    static const double rms[4] = {0.085, 0.064, 0.143, 0.097},
                        max[4] = {0.182, 0.194, 0.345, 0.249};
    for (int k = 0; k < 4; k++) {
        expect_near(sqrt(squares[k] / rams), rms[k], 0.01);
        expect_near(worst[k], max[k], 0.01);
    }
}

// Outside the range of the points; and flip-flops at the two routers.
static void outside(void **state)
{
    (void)state;
    const struct array small = {.entries = 64, .bits = 32}, half = {.entries = 64, .bits = 16};
    const struct array large = {.entries = 4096, .bits = 1024};
    const struct array larger = {.entries = 4 * 4096, .bits = 1024};
    expect_near(array_cost(&half, 45).area, array_cost(&small, 45).area / 2, 1e-12);
    expect_near(array_cost(&larger, 45).area, 4 * array_cost(&large, 45).area, 1e-12);
    expect_near(array_cost(&larger, 45).read, 2 * array_cost(&large, 45).read, 1e-12);
    const struct array flops = {.entries = 8, .bits = 32}, none = {.entries = 0, .bits = 32};
    struct array_cost cost = array_cost(&flops, 45);
    expect_near(cost.area, 256 * 4.522e-6, 1e-12);
    // From 0.1074 pJ a bit with 64 entries and 0.0641 with 36.
    double slope = (27.5 / 256 - 8.21 / 128) / 28;
    expect_near(cost.write, 32 * (27.5 / 256 - 56 * slope), 1e-12);
    expect_near(cost.leakage, 256 * 200 / (5 * 64 * 256.0), 1e-12);
    assert_true(array_cost(&none, 45).area == 0);
}

// Results

struct counters {
    uint64_t cycles, thread_instructions, scheduler, events;
};

#define AT(member) offsetof(struct counters, member)
static const struct stat_key machine_keys[] = {
    {"cycles", STAT_COUNT, "", "", AT(cycles), 0},
    {"thread_instructions", STAT_COUNT, "", "", AT(thread_instructions), 0},
};
static const struct stat_key core_keys_here[] = {
    {"scheduler", STAT_COUNT, "", "", AT(scheduler), 0},
    {"events", STAT_COUNT, "", "", AT(events), 0},
};

static double sum_of(const struct energy_result *result)
{
    double sum = 0;
    for (uint32_t i = 0; i < result->components.n; i++)
        sum += result->components.v[i].joules.value;
    return sum;
}

static double statistic(const struct stats *stats, const char *name)
{
    double value;
    assert_true(stats_find(stats, NULL, name, &value));
    return value;
}

// Power times time, events times cost; intervals add up; components are the total.
static void results(void **state)
{
    (void)state;
    struct fixture f;
    struct counters counts = {0};
    struct stats stats;
    struct energy_result result, first, second;
    begin(&f, SETTINGS("energy.set=isca19"));
    stats_init(&stats, &f.arena);
    assert_false(energy_evaluate(&f.model, &stats, NULL, &f.arena, &result));
    stats_add(&stats, "machine", machine_keys, 2, &counts);
    stats_add(&stats, "core", core_keys_here, 2, &counts);
    energy_add(&f.model, "fetch", "core.scheduler", ENERGY_scheduler, 2);
    energy_add_range(&f.model, "other", "core.events", (struct energy_range){3, 1, 10});
    energy_add_range(&f.model, "other", "core.unknown", (struct energy_range){1, 1, 1});
    energy_add_power(&f.model, "idle", (struct energy_range){5, 4, 6});
    counts = (struct counters){1000, 64000, 100, 7};
    struct stats_mark mark = stats_snapshot(&stats, &f.arena);
    assert_true(energy_evaluate(&f.model, &stats, NULL, &f.arena, &first));
    // 1,000 cycles of 1 GHz
    expect_near(first.seconds, 1e-6, 1e-12);
    expect_near(first.joules.value, 100 * 2 * 17.3e-12 + 7 * 3e-12 + 5e-6, 1e-12);
    expect_near(first.joules.min, 100 * 2 * 17.3e-12 + 7 * 1e-12 + 4e-6, 1e-12);
    expect_near(first.joules.max, 100 * 2 * 17.3e-12 + 7 * 10e-12 + 6e-6, 1e-12);
    expect_near(sum_of(&first), first.joules.value, 1e-12);
    assert_int_equal(first.components.n, 3);
    counts = (struct counters){1500, 65000, 1100, 9};
    assert_true(energy_evaluate(&f.model, &stats, &mark, &f.arena, &second));
    assert_true(energy_evaluate(&f.model, &stats, NULL, &f.arena, &result));
    expect_near(first.joules.value + second.joules.value, result.joules.value, 1e-12);
    struct stats *with = ARENA_NEW(&f.arena, struct stats);
    stats_init(with, &f.arena);
    energy_stats_add(&result, with);
    expect_near(statistic(with, "energy.total"), result.joules.value * 1e12, 1e-6);
    expect_near(statistic(with, "energy.power"), result.joules.value / 1.5e-6, 1e-6);
    expect_near(statistic(with, "energy.idle"), 5 * 1.5e-6 * 1e12, 1e-6);
    expect_near(statistic(with, "energy.per_instruction"), result.joules.value * 1e12 / 65000,
                1e-6);
    expect_near(statistic(with, "energy.delay_product"), result.joules.value * 1e12 * 1.5, 1e-6);
    result.joules.value = 5000, result.seconds = 100;
    stats_init(with, &f.arena);
    energy_stats_add(&result, with);
    expect_near(statistic(with, "energy.delay_product"), 5e23, 1e-6);
    arena_free(&f.arena);
}
#undef AT

// The two routers of the points give their own values, at 45 nm; twice the ports twice the switch.
static void networks(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, SETTINGS("energy.technology=45", "energy.channel_mm=1"));
    const struct energy_network wide = {"request", 256, 8, 8, 5, 10};
    const struct energy_network narrow = {"reply", 128, 4, 9, 10, 1};
    energy_add_network(&f.model, "request_network", &wide);
    energy_add_network(&f.model, "reply_network", &narrow);
    static const double expected[] = {27.5, 26.3, 4.23, 0.47, 10.33, 1.78,
                                      8.21, 8.10, 4.23, 0.47, 5.165};
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_near(f.model.events.v[i].cost.value, expected[i], 1e-6);
    expect_near(f.model.powers.v[0].watts.value, 2, 1e-12);
    // 59 mW for a router with 5 ports, within 5 %
    expect_near(f.model.powers.v[1].watts.value, 2 * 0.059, 0.05);
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling),  cmocka_unit_test(ranges),   cmocka_unit_test(choice),
        cmocka_unit_test(currents), cmocka_unit_test(points),   cmocka_unit_test(outside),
        cmocka_unit_test(results),  cmocka_unit_test(networks),
    };
    return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
