// The number of CTAs that fit a core, observed by their clocks; and concurrent launches.
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { CTAS = 24, ROUNDS = 600 };

// With the greedy scheduler, young warps would not start beside old ones that fill the unit.
#define IN_TURN(...) SETTINGS("core.scheduler=lrr", __VA_ARGS__)

// The first thread of each CTA stores its start time, and the time after all rounds.
#define TIMED(name, directives)                                                                    \
    ".visible .entry " name "(.param .u64 a, .param .u32 n) " directives "\n{\n"                   \
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p;\n"                                           \
    "mov.u64 %d2, %clock64; ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n];\n"                       \
    "L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L;\n"                                 \
    "mov.u64 %d3, %clock64; mov.u32 %r2, %ctaid.x; mul.wide.u32 %d4, %r2, 16;\n"                   \
    "add.u64 %d1, %d1, %d4; mov.u32 %r3, %tid.x; setp.ne.u32 %p, %r3, 0;\n"                        \
    "@!%p st.global.v2.u64 [%d1], {%d2, %d3};\nret;\n}\n"

static const char text[] = HEAD("8.0", "sm_80") ".extern .shared .b8 dynamic[];\n" TIMED("k", "")
    TIMED("other", "") TIMED("narrow", ".maxnreg 5") TIMED("wide", ".maxnreg 200")
        TIMED("at_most", ".maxntid 512, 2") TIMED("exactly", ".reqntid 1000");

struct cta_residence {
    uint64_t begun, ended;
};

// Returns the maximum number that were resident at once.
static uint32_t max(const struct cta_residence *spans, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t there = 0;
        for (uint32_t k = 0; k < count; k++)
            there += spans[k].begun <= spans[i].begun && spans[i].begun < spans[k].ended;
        best = there > best ? there : best;
    }
    return best;
}

static void room(uint32_t block, uint32_t shared, uint32_t expected, const char *why,
                 const char *const *settings)
{
    static struct rig r;
    const char *what = "";
    rig_load(&r, text, 1, settings);
    const struct cta_residence *spans = kernel_buffer(&r.k, sizeof *spans * CTAS);
    kernel_u32(&r.k, ROUNDS);
    struct launch *launch = rig_add(&r, "k", CTAS, block);
    launch->dynamic_shared = shared;
    rig_go(&r);
    rig_done(&r);
    assert_int_equal(
        machine_occupancy(r.machine, &(struct machine_launch){.launch = launch}, &what), expected);
    assert_string_equal(what, why);
    assert_int_equal(max(spans, CTAS), expected);
    rig_free(&r);
}

static void limits(void **state)
{
    (void)state;
    room(32, 0, 8, "CTAs", IN_TURN("core.ctas=8"));
    room(32, 0, 13, "CTAs", IN_TURN("core.ctas=13"));
    room(256, 0, 6, "warps", IN_TURN("core.ctas=8"));
    room(96, 0, 7, "warps", IN_TURN("core.warps=23", "core.threads=736"));
    room(256, 0, 4, "threads", IN_TURN("core.threads=1024"));
    room(250, 0, 4, "threads", IN_TURN("core.threads=1024")); // warps are given whole
    room(256, 0, 2, "registers", IN_TURN("core.thread_registers=32"));
    // 33 · 32 in pieces of 64 are 1088 for a warp.
    room(32, 0, 15, "registers", IN_TURN("core.thread_registers=33", "core.ctas=32"));
    room(32, 0, 5, "registers",
         IN_TURN("core.thread_registers=33", "core.ctas=32", "core.register_granule=3072"));
    room(32, 20000, 2, "shared memory", IN_TURN("core.ctas=8"));
    room(32, 49152, 1, "shared memory", IN_TURN("core.ctas=8"));
    room(32, 8192, 6, "shared memory", IN_TURN("core.ctas=8"));
    room(32, 8193, 5, "shared memory", IN_TURN("core.ctas=8")); // in pieces of 128
    room(32, 8193, 4, "shared memory", IN_TURN("core.ctas=8", "core.shared_granule=4096"));
}

// Returns the registers per thread: .maxnreg limits the number of live registers.
static void registers_of(struct rig *r, const char *name, uint32_t *number, const char **source)
{
    *number = machine_registers(
        r->machine, &(struct machine_launch){.launch = rig_add(r, name, 1, 32)}, source);
}

static void registers(void **state)
{
    (void)state;
    static struct rig r;
    const char *source;
    uint32_t live, given;
    rig_load(&r, text, 1, NULL);
    registers_of(&r, "k", &live, &source);
    assert_string_equal(source, "estimated from the kernel's PTX");
    assert_true(live > 5 && live < 20);
    registers_of(&r, "narrow", &given, &source);
    assert_int_equal(given, 5);
    assert_string_equal(source, ".maxnreg");
    registers_of(&r, "wide", &given, &source);
    assert_int_equal(given, live);
    assert_string_equal(source, "estimated from the kernel's PTX");
    rig_free(&r);
    rig_load(&r, text, 1, SETTINGS("core.thread_registers=33"));
    registers_of(&r, "narrow", &given, &source);
    assert_int_equal(given, 33);
    assert_string_equal(source, "core.thread_registers");
    rig_free(&r);
}

// A kernel that declares its CTA size is compiled so that one CTA fits.
static void declared_size(void **state)
{
    (void)state;
    static struct rig r;
    const char *source;
    uint32_t live, number;
    rig_load(&r, text, 1, SETTINGS("core.registers=4096"));
    registers_of(&r, "k", &live, &source);
    registers_of(&r, "at_most", &number, &source); // 1,024 threads: 128 registers for a warp
    assert_true(number < live);
    assert_int_equal(number, 4);
    assert_string_equal(source, "the maximum for a CTA of the declared size");
    registers_of(&r, "exactly", &number, &source);
    assert_int_equal(number, 4);
    rig_free(&r);
    rig_load(&r, text, 1, SETTINGS("core.registers=4096", "core.register_granule=96"));
    registers_of(&r, "at_most", &number, &source); // a warp has one piece of 96
    assert_int_equal(number, 3);
    rig_free(&r);
    rig_load(&r, text, 1, SETTINGS("core.registers=65536"));
    registers_of(&r, "at_most", &number, &source);
    assert_int_equal(number, live);
    rig_free(&r);
}

#define LOAD(r)                                                                                    \
    "ld.global.u32 %" r "1, [%d1]; ld.global.u32 %" r "2, [%d1+4]; "                               \
    "ld.global.u32 %" r "3, [%d1+8]; ld.global.u32 %" r "4, [%d1+12];\n"
#define ADD(r)                                                                                     \
    "add.u32 %" r "1, %" r "1, %" r "2; add.u32 %" r "3, %" r "3, %" r "4; "                       \
    "add.u32 %" r "1, %" r "1, %" r "3; st.global.u32 [%d1], %" r "1;\n"

// clang-format off
// Values of two paths that the text separates, of which one is taken.
static const char parted[] = HEAD("8.0", "sm_80")
    ".func many(.param .u64 a) {\n.reg .b32 %r<5>, %s<5>, %t<5>; .reg .b64 %d1;\n"
    "ld.param.u64 %d1, [a];\n" LOAD("r") LOAD("s") LOAD("t") ADD("t") ADD("s") ADD("r") "ret; }\n"
    ".visible .entry k(.param .u64 a) {\n"
    ".reg .b32 %r<5>, %s<5>, %t<5>; .reg .b64 %d1; .reg .pred %p;\n"
    "ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 0; @%p bra B;\n"
    LOAD("r") "bra C;\nB:" LOAD("s") "bra D;\nC:" ADD("r") "ret;\nD:" ADD("s") "ret; }\n"
    ".visible .entry calls(.param .u64 a) {\n.reg .b64 %d1; .param .u64 p;\n"
    "ld.param.u64 %d1, [a]; st.param.u64 [p], %d1; call many, (p); ret; }\n";
// clang-format on

static void estimate(void **state)
{
    (void)state;
    static struct rig r;
    const char *source;
    uint32_t number;
    rig_load(&r, parted, 1, NULL);
    registers_of(&r, "k", &number, &source);
    assert_int_equal(number, 2 + 4 + 2); // address, values of one path, reserved
    registers_of(&r, "calls", &number, &source);
    assert_int_equal(number, 2 + 3 * 4); // those of the function, which live in the text's order
    rig_free(&r);
}

// An assembler gives a thread at most 255 registers.
static void many_values(void **state)
{
    (void)state;
    enum { VALUES = 300, LINE = 80 };
    static struct rig r;
    static char many[2 * VALUES * LINE + 1000];
    size_t n = (size_t)snprintf(many, sizeof many,
                                HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a) {\n"
                                                     ".reg .b32 %%r<%d>; .reg .b64 %%d1;\n"
                                                     "ld.param.u64 %%d1, [a];\n",
                                VALUES);
    for (int i = 0; i < VALUES; i++)
        n += (size_t)snprintf(many + n, LINE, "ld.global.u32 %%r%d, [%%d1+%d];\n", i, 4 * i);
    for (int i = 0; i < VALUES; i++)
        n += (size_t)snprintf(many + n, LINE, "st.global.u32 [%%d1+%d], %%r%d;\n", 4 * i, i);
    snprintf(many + n, LINE, "ret;\n}\n");
    const char *source;
    uint32_t number;
    rig_load(&r, many, 1, NULL);
    registers_of(&r, "k", &number, &source);
    assert_int_equal(number, 255);
    rig_free(&r);
}

static void too_large(void **state)
{
    (void)state;
    static struct rig r;
    rig_load(&r, text, 1, IN_TURN("core.thread_registers=32"));
    kernel_buffer(&r.k, 64);
    kernel_u32(&r.k, 1);
    rig_add(&r, "k", 1, 1024);
    rig_go(&r);
    assert_int_equal(r.end, MACHINE_FAULT);
    assert_true(r.result.fault.refused);
    assert_non_null(strstr(r.result.fault.text,
                           "a core has too few registers for one CTA of the launch: "
                           "core.registers is 16384, but the CTA needs 32768, at 32 per "
                           "thread (core.thread_registers; --set=core.thread_registers=N"));
    rig_free(&r);
}

// The first launch's CTAs come first; those of the second get the remaining room while they run.
static void two_launches(void **state)
{
    (void)state;
    static struct rig r;
    enum { FIRST = 12, SECOND = 10 };
    rig_load(&r, text, 1, IN_TURN("core.ctas=8"));
    const struct cta_residence *spans = kernel_buffer(&r.k, sizeof *spans * FIRST);
    kernel_u32(&r.k, ROUNDS);
    uint8_t params[sizeof r.k.params];
    memcpy(params, r.k.params, sizeof params);
    rig_add(&r, "k", FIRST, 64)->params = params;
    r.k.param_bytes = 0;
    const struct cta_residence *others = kernel_buffer(&r.k, sizeof *others * SECOND);
    kernel_u32(&r.k, ROUNDS / 2);
    rig_add(&r, "other", SECOND, 64);
    rig_go(&r);
    rig_done(&r);
    uint64_t last_begun = 0, last_ended = 0, first_other = UINT64_MAX, last_other = 0;
    for (uint32_t i = 0; i < FIRST; i++) {
        last_begun = spans[i].begun > last_begun ? spans[i].begun : last_begun;
        last_ended = spans[i].ended > last_ended ? spans[i].ended : last_ended;
    }
    for (uint32_t i = 0; i < SECOND; i++) {
        first_other = others[i].begun < first_other ? others[i].begun : first_other;
        last_other = others[i].ended > last_other ? others[i].ended : last_other;
    }
    assert_true(first_other > last_begun && first_other < last_ended);
    assert_in_range(r.runs[0].ended, last_ended, last_ended + 2000);
    assert_in_range(r.runs[1].ended, last_other, last_other + 2000);
    assert_int_equal(rig_stat(&r, "machine.launches"), 2);
    assert_int_equal(rig_stat(&r, "core.ctas"), FIRST + SECOND);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),        cmocka_unit_test(registers),
        cmocka_unit_test(declared_size), cmocka_unit_test(estimate),
        cmocka_unit_test(many_values),   cmocka_unit_test(too_large),
        cmocka_unit_test(two_launches),
    };
    return cmocka_run_group_tests_name("machine_room", tests, NULL, NULL);
}
