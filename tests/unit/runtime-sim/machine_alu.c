// Arithmetic on a core in closed form: latencies, initiation intervals, the width of issue.
#include "runtime-sim/gpu/core/timing.h"
#include "tests/unit/runtime-sim/machine_fixture.h"

// Instructions per round, and rounds; with several warps, a single round.
enum { FEW = 32, MANY = 64, SHORT = 8, LONG = 24, SIDE_FEW = 64, SIDE_MANY = 192, IDLE = 64 };

// `chain` writes the register that it reads. `free` is independent of the other instructions, with
// $ as its number; `use` after the loop keeps its results alive, because unused results would share
// one register.
struct form {
    const char *name, *chain, *free, *use;
};

#define USE_INT "add.u32 %r1, %r1, %q$;"
#define USE_WIDE "add.u64 %d1, %d1, %e$;"
#define USE_FLOAT "add.f32 %f1, %f1, %g$;"
#define USE_DOUBLE "add.f64 %h1, %h1, %k$;"

#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "

static const struct form forms[TIMING_CLASSES] = {
    [TIMING_int_add] = {"int_add", "add.u32 %r1, %r1, 1;", "add.u32 %q$, %r1, 1;", USE_INT},
    [TIMING_int_minmax] = {"int_minmax", "max.u32 %r1, %r1, 1;", "min.u32 %q$, %r1, 1;", USE_INT},
    [TIMING_int_logic] = {"int_logic", "xor.b32 %r1, %r1, 1;", "shl.b32 %q$, %r1, 1;", USE_INT},
    [TIMING_int_compare] = {"int_compare", "set.lt.u32.u32 %r1, %r1, 1;",
                            "set.ge.u32.s32 %q$, %r1, 1;", USE_INT},
    [TIMING_int_mul] = {"int_mul", "mul.lo.u32 %r1, %r1, 3;", "mul.lo.u32 %q$, %r1, 3;", USE_INT},
    [TIMING_int_mad] = {"int_mad", "mad.lo.u32 %r1, %r1, 3, 7;", "mad.lo.u32 %q$, %r1, 3, 7;",
                        USE_INT},
    [TIMING_int_div] = {"int_div", "div.u32 %r1, %r1, 3;", "div.u32 %q$, %r1, 3;", USE_INT},
    [TIMING_wide_add] = {"wide_add", "add.u64 %d1, %d1, 1;", "add.u64 %e$, %d1, 1;", USE_WIDE},
    [TIMING_wide_minmax] = {"wide_minmax", "max.u64 %d1, %d1, 1;", "min.s64 %e$, %d1, 1;",
                            USE_WIDE},
    [TIMING_wide_logic] = {"wide_logic", "not.b64 %d1, %d1;", "shr.u64 %e$, %d1, 1;", USE_WIDE},
    [TIMING_wide_compare] = {"wide_compare", NULL, "setp.lt.u64 %b$, %d1, 5;",
                             "@%b$ add.u32 %r1, %r1, 1;"},
    [TIMING_wide_mul] = {"wide_mul", "mul.lo.u64 %d1, %d1, 3;", "mul.lo.u64 %e$, %d1, 3;",
                         USE_WIDE},
    [TIMING_bits] = {"bits", "popc.b32 %r1, %r1;", "popc.b32 %q$, %r1;", USE_INT},
    [TIMING_fp32_add] = {"fp32_add", "add.f32 %f1, %f1, %f2;", "add.f32 %g$, %f1, %f2;", USE_FLOAT},
    [TIMING_fp32_minmax] = {"fp32_minmax", "max.f32 %f1, %f1, %f2;", "min.f32 %g$, %f1, %f2;",
                            USE_FLOAT},
    [TIMING_fp32_compare] = {"fp32_compare", "neg.f32 %f1, %f1;", "abs.f32 %g$, %f1;", USE_FLOAT},
    [TIMING_half_add] = {"half_add", "add.f16x2 %r1, %r1, %r2;", "add.f16x2 %q$, %r1, %r2;",
                         USE_INT},
    [TIMING_half_mul] = {"half_mul", "mul.f16x2 %r1, %r1, %r2;", "mul.f16x2 %q$, %r1, %r2;",
                         USE_INT},
    [TIMING_half_fma] = {"half_fma", "fma.rn.f16x2 %r1, %r1, %r2, %r2;",
                         "fma.rn.f16x2 %q$, %r1, %r2, %r2;", USE_INT},
    [TIMING_fp32_mul] = {"fp32_mul", "mul.f32 %f1, %f1, %f2;", "mul.f32 %g$, %f1, %f2;", USE_FLOAT},
    [TIMING_fp32_fma] = {"fp32_fma", "fma.rn.f32 %f1, %f1, %f2, %f2;",
                         "fma.rn.f32 %g$, %f1, %f2, %f2;", USE_FLOAT},
    [TIMING_fp32_div] = {"fp32_div", "div.rn.f32 %f1, %f1, %f2;", "div.rn.f32 %g$, %f1, %f2;",
                         USE_FLOAT},
    [TIMING_fp64_add] = {"fp64_add", "add.f64 %h1, %h1, %h2;", "add.f64 %k$, %h1, %h2;",
                         USE_DOUBLE},
    [TIMING_fp64_minmax] = {"fp64_minmax", "max.f64 %h1, %h1, %h2;", "min.f64 %k$, %h1, %h2;",
                            USE_DOUBLE},
    [TIMING_fp64_compare] = {"fp64_compare", "neg.f64 %h1, %h1;", "abs.f64 %k$, %h1;", USE_DOUBLE},
    [TIMING_fp64_mul] = {"fp64_mul", "fma.rn.f64 %h1, %h1, %h2, %h2;",
                         "fma.rn.f64 %k$, %h1, %h2, %h2;", USE_DOUBLE},
    [TIMING_fp64_div] = {"fp64_div", "div.rn.f64 %h1, %h1, %h2;", "div.rn.f64 %k$, %h1, %h2;",
                         USE_DOUBLE},
    [TIMING_sfu] = {"sfu", "ex2.approx.f32 %f1, %f1;", "ex2.approx.f32 %g$, %f1;", USE_FLOAT},
    [TIMING_convert] = {"convert", "cvt.rni.f32.f32 %f1, %f1;", "cvt.rni.f32.f32 %g$, %f1;",
                        USE_FLOAT},
    [TIMING_warp] = {"warp", "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;",
                     "shfl.sync.bfly.b32 %q$, %r1, 1, 31, -1;", USE_INT},
    [TIMING_matrix] = {"matrix",
                       MMA "{%f4, %f5, %f6, %f7}, {%r4, %r5, %r6, %r7}, {%r4, %r5}, "
                           "{%f4, %f5, %f6, %f7};",
                       MMA "{%m$0, %m$1, %m$2, %m$3}, {%r4, %r5, %r6, %r7}, {%r4, %r5}, "
                           "{%f4, %f5, %f6, %f7};",
                       "add.f32 %f1, %f1, %m$0; add.f32 %f1, %f1, %m$1; "
                       "add.f32 %f1, %f1, %m$2; add.f32 %f1, %f1, %m$3;"},
    [TIMING_parameter] = {"parameter", NULL, "ld.param.u32 %q$, [n];", USE_INT},
};

// Registers for all values that are live at once.
#define ROOM "core.registers=1048576"

static void put_free(struct text *t, const char *form, uint32_t number)
{
    for (; *form; form++)
        if (*form == '$')
            text_put(t, "%u", number);
        else
            text_put(t, "%c", *form);
    text_put(t, "\n");
}

// Writes a loop of n rounds with `count` copies of the instruction. A line of code holds 16
// instructions: with multiples of 16 the end of the loop keeps its place in its line.
static void write_loop(struct text *t, const char *form, const char *use, uint32_t count)
{
    t->length = 0;
    text_put(
        t, HEAD("8.0",
                "sm_80") ".visible .entry k(.param .u32 n)\n{\n"
                         ".reg .pred %%p; .reg .pred %%b<192>; .reg .b32 %%i<2>; .reg .b32 %%r<8>; "
                         ".reg .b32 %%q<192>; .reg .b64 %%d<2>; .reg .b64 %%e<192>;\n"
                         ".reg .f32 %%f<8>; .reg .f32 %%g<192>; .reg .f64 %%h<3>; "
                         ".reg .f64 %%k<192>; .reg .f32 %%m<640>; .shared .b32 word;\n"
                         "ld.param.u32 %%i1, [n];\nL:\n");
    for (uint32_t i = 0; i < count; i++)
        put_free(t, form, i);
    text_put(t, "sub.u32 %%i1, %%i1, 1;\nsetp.ne.u32 %%p, %%i1, 0;\n@%%p bra L;\n@!%%p bra END;\n");
    for (uint32_t i = 0; use && i < count; i++)
        put_free(t, use, i);
    text_put(t, "END: ret;\n}\n.visible .entry idle()\n{\n.reg .b32 %%r; mov.u32 %%r, 1;\n");
    for (uint32_t i = 0; i < IDLE; i++)
        text_put(t, "add.u32 %%r, %%r, 1;\n");
    text_put(t, "ret;\n}\n");
}

// Returns the cycles of a run on idle units.
static uint64_t rounds(struct rig *r, uint32_t count, uint32_t threads)
{
    rig_run(r, "idle", 1, LANES);
    memcpy(r->k.params, &count, sizeof count);
    return rig_run(r, "k", 1, threads);
}

// Returns the cycles of the rounds after the one that fetches the code: LONG − SHORT for one warp;
// a single round for several warps.
static uint64_t cycles(const char *form, const char *use, uint32_t count, uint32_t warps,
                       const char *const *settings)
{
    static struct text t;
    static struct rig r;
    write_loop(&t, form, use, count);
    rig_load(&r, t.at, 1, settings);
    rounds(&r, 1, warps * LANES);
    uint64_t few = warps == 1 ? rounds(&r, SHORT, LANES) : 0;
    uint64_t many = rounds(&r, warps == 1 ? LONG : 1, warps * LANES);
    rig_free(&r);
    return many - few;
}

static void expect(const char *what, uint64_t have, uint64_t expected)
{
    if (have != expected)
        fail_msg("%s: %llu cycles, not %llu", what, (unsigned long long)have,
                 (unsigned long long)expected);
}

// Checks that more instructions of the class per round cost this many half cycles each.
static void costs(uint32_t class, bool chain, uint32_t halves, const char *const *settings)
{
    const struct form *form = &forms[class];
    const char *text = chain ? form->chain : form->free, *use = chain ? NULL : form->use;
    uint64_t more = cycles(text, use, MANY, 1, settings) - cycles(text, use, FEW, 1, settings);
    expect(form->name, more * 2, (uint64_t)(MANY - FEW) * (LONG - SHORT) * halves);
}

// Checks that one instruction of each of several warps costs this many cycles.
static void all_cost(uint32_t class, bool chain, uint32_t warps, uint32_t each,
                     const char *const *settings)
{
    const struct form *form = &forms[class];
    const char *text = chain ? form->chain : form->free, *use = chain ? NULL : form->use;
    uint64_t more = cycles(text, use, SIDE_MANY, warps, settings) -
                    cycles(text, use, SIDE_FEW, warps, settings);
    expect(form->name, more, (uint64_t)(SIDE_MANY - SIDE_FEW) * each);
}

static struct core_config values(const char *const *settings)
{
    static struct text t;
    static struct rig r;
    write_loop(&t, "", NULL, 0);
    rig_load(&r, t.at, 1, settings);
    struct core_config config = r.config.core;
    rig_free(&r);
    return config;
}

// A chain of n dependent instructions takes n times the latency plus the pipeline.
static void chains(void **state)
{
    (void)state;
    const struct core_config config = values(NULL);
    for (uint32_t i = 0; i < TIMING_CLASSES; i++)
        if (forms[i].chain)
            costs(i, true, 2 * timing_latency(&config, i), NULL);
    assert_int_equal(timing_latency(&config, TIMING_int_add), 4 + 6);
}

// Other latencies than the defaults, also some beyond the range of a core's calendar.
static void latencies(void **state)
{
    (void)state;
    costs(TIMING_int_add, true, 2 * 4, SETTINGS("core.pipeline=0"));
    costs(TIMING_fp32_fma, true, 2 * 13, SETTINGS("core.latency_fp32_fma=7"));
    costs(TIMING_fp32_fma, true, 2 * 1506, SETTINGS("core.latency_fp32_fma=1500"));
    costs(TIMING_fp32_fma, true, 2 * 5006, SETTINGS("core.latency_fp32_fma=5000"));
}

// The keys of a class change the latency and the interval of its instructions, and of no others.
static void keys_of_classes(void **state)
{
#define TIMING(name, unit, as, latency, interval, text)                                            \
    {"core.latency_" #name "=49", "core.interval_" #name "=11"},
    static const char *const keys[TIMING_CLASSES][2] = {
#include "runtime-sim/gpu/core/timing.def"
    };
#undef TIMING
    (void)state;
    const struct core_config config = values(NULL);
    for (uint32_t i = 0; i < TIMING_CLASSES; i++) {
        uint32_t interval = timing_interval(&config, i);
        uint32_t other = i == TIMING_int_add ? TIMING_fp32_add : TIMING_int_add;
        if (forms[i].chain) {
            costs(i, true, 2 * (interval < 49 + 6 ? 49 + 6 : interval), SETTINGS(keys[i][0]));
            costs(other, true, 2 * 10, SETTINGS(keys[i][0]));
        }
        if (forms[i].free) {
            costs(i, false, 2 * 11, SETTINGS(keys[i][1]));
            costs(other, false, 3, SETTINGS(keys[i][1]));
        }
    }
}

// Returns the cycles that one copy of the text takes.
static double cycles_of(const char *text, const char *setting)
{
    uint64_t many = cycles(text, NULL, MANY, 1, SETTINGS(setting));
    uint64_t few = cycles(text, NULL, FEW, 1, SETTINGS(setting));
    return (double)(many - few) / (MANY - FEW) / (LONG - SHORT);
}

// The classes without a chain of their own: each time that an addition waits for the result, and
// each access to memory, takes as much longer as the key says.
static void keys_of_other_classes(void **state)
{
    static const struct {
        const char *text, *low, *high;
    } rows[] = {
        {"ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 1;", "core.latency_parameter=100",
         "core.latency_parameter=150"},
        {"barrier.red.popc.aligned.u32 %r1, 0, %p; add.u32 %r2, %r1, 1;",
         "core.latency_control=100", "core.latency_control=150"},
        {"ld.shared.u32 %r1, [word];", "core.interval_memory=100", "core.interval_memory=150"},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double low = cycles_of(rows[i].text, rows[i].low);
        double more = cycles_of(rows[i].text, rows[i].high) - low;
        if (more != 50)
            fail_msg("%s: %g cycles instead of 50", rows[i].high, more);
    }
}

// Independent instructions of one warp issue at their unit's interval. If that is one cycle, every
// 2 buffered instructions are followed by a cycle that refills the buffer.
static void intervals(void **state)
{
    (void)state;
    const struct core_config config = values(NULL);
    for (uint32_t i = 0; i < TIMING_CLASSES; i++) {
        uint32_t interval = timing_interval(&config, i);
        if (forms[i].free)
            costs(i, false, interval == 1 ? 3 : 2 * interval, NULL);
    }
    costs(TIMING_int_add, false, 4, SETTINGS("core.buffer=1"));
    costs(TIMING_sfu, false, 2 * 9, SETTINGS("core.interval_sfu=9"));
}

// Instructions that the simulator executes in several steps do not wait for each other's steps.
static void steps(void **state)
{
    (void)state;
    const char *text = "setp.lt.and.u32 %b$, %r1, 5, %p;", *use = "@%b$ add.u32 %r1, %r1, 1;";
    uint64_t more = cycles(text, use, MANY, 1, NULL) - cycles(text, use, FEW, 1, NULL);
    expect("setp.and", more, (uint64_t)(MANY - FEW) * (LONG - SHORT) * 3 / 2);
}

// With enough warps, throughput is the issue width or that of the units.
static void widths(void **state)
{
    (void)state;
    all_cost(TIMING_int_add, false, 8, 8, SETTINGS(ROOM));
    all_cost(TIMING_int_mul, false, 8, 8 * 2, SETTINGS(ROOM));
    all_cost(TIMING_fp64_add, false, 8, 8 * 8, SETTINGS(ROOM));
    all_cost(TIMING_matrix, true, 8, 8 * 8, SETTINGS(ROOM, "core.scheduler=lrr"));
    all_cost(TIMING_int_mul, false, 8, 8, SETTINGS(ROOM, "core.alu_units=2"));
    all_cost(TIMING_sfu, false, 8, 8 * 4 / 2, SETTINGS(ROOM, "core.sfu_units=2"));
    all_cost(TIMING_fp64_add, false, 8, 8 * 8 / 4, SETTINGS(ROOM, "core.fp64_units=4"));
    all_cost(TIMING_matrix, true, 16, 16 * 8 / 2,
             SETTINGS(ROOM, "core.scheduler=lrr", "core.matrix_units=2"));
    all_cost(TIMING_int_add, false, 8, 8, SETTINGS(ROOM, "core.schedulers=2", "core.buffer=8"));
    all_cost(TIMING_int_add, false, 16, 16 / 2,
             SETTINGS(ROOM, "core.schedulers=2", "core.alu_units=2", "core.buffer=8"));
}

// Chains of several warps: each waits for its own results, all for the unit.
static void side_by_side(void **state)
{
    (void)state;
    all_cost(TIMING_int_add, true, 4, 10, SETTINGS(ROOM));
    all_cost(TIMING_int_add, true, 10, 10, SETTINGS(ROOM));
    all_cost(TIMING_int_add, true, 20, 20, SETTINGS(ROOM));
    all_cost(TIMING_sfu, true, 4, 26, SETTINGS(ROOM));
    all_cost(TIMING_sfu, true, 12, 12 * 4, SETTINGS(ROOM, "core.scheduler=lrr"));
}

// Oldest first: of chains of 26 cycles on a unit with interval 4, 7 are active at a time, which
// fill it, until they end; the others wait.
static void oldest_first(void **state)
{
    (void)state;
    all_cost(TIMING_sfu, true, 7, 28, NULL);
    all_cost(TIMING_sfu, true, 12, 28 + 26, NULL);
    all_cost(TIMING_sfu, true, 14, 28 + 28, NULL);
    all_cost(TIMING_sfu, true, 15, 28 + 28 + 26, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),
        cmocka_unit_test(latencies),
        cmocka_unit_test(intervals),
        cmocka_unit_test(keys_of_classes),
        cmocka_unit_test(keys_of_other_classes),
        cmocka_unit_test(steps),
        cmocka_unit_test(widths),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(oldest_first),
    };
    return cmocka_run_group_tests_name("machine_alu", tests, NULL, NULL);
}
