// Kernels on the whole machine: the values of a run without a clock, and every cycle accounted for.
#include "runtime-sim/gpu/machine.h"
#include "tests/unit/runtime-sim/kernel.h"

static const char text[] = HEAD(
    "7.8",
    "sm_80") ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
             "{\n"
             "    .reg .pred %p<2>;\n"
             "    .reg .b32 %r<8>;\n"
             "    .reg .b64 %d<12>;\n"
             "    ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"
             "    ld.param.u32 %r1, [n];\n"
             "    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
             "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
             "    setp.ge.u32 %p1, %r5, %r1;\n"
             "    @%p1 bra END;\n"
             "    cvta.to.global.u64 %d4, %d1; cvta.to.global.u64 %d5, %d2; cvta.to.global.u64 "
             "%d6, %d3;\n"
             "    mul.wide.u32 %d7, %r5, 4;\n"
             "    add.s64 %d8, %d4, %d7; add.s64 %d9, %d5, %d7; add.s64 %d10, %d6, %d7;\n"
             "    ld.global.u32 %r6, [%d8];\n"
             "    ld.global.u32 %r7, [%d9];\n"
             "    add.u32 %r6, %r6, %r7;\n"
             "    st.global.u32 [%d10], %r6;\n"
             "END:\n"
             "    ret;\n"
             "}\n"
             ".visible .entry sum(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
             "{\n"
             "    .reg .pred %p<3>;\n"
             "    .reg .b32 %r<10>;\n"
             "    .reg .b64 %d<9>;\n"
             "    .shared .align 4 .b8 part[512];\n"
             "    ld.param.u64 %d1, [a]; ld.param.u64 %d2, [c];\n"
             "    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
             "    shl.b32 %r3, %r1, 7; add.u32 %r3, %r3, %r2;\n"
             "    mul.wide.u32 %d3, %r3, 4; add.s64 %d4, %d1, %d3;\n"
             "    ld.global.u32 %r4, [%d4];\n"
             "    shl.b32 %r5, %r2, 2; mov.u32 %r6, part; add.u32 %r5, %r5, %r6;\n"
             "    st.shared.u32 [%r5], %r4;\n"
             "    mov.u32 %r7, 64;\n"
             "LOOP:\n"
             "    bar.sync 0;\n"
             "    setp.ge.u32 %p1, %r2, %r7;\n"
             "    @%p1 bra NEXT;\n"
             "    shl.b32 %r8, %r7, 2; add.u32 %r8, %r8, %r5;\n"
             "    ld.shared.u32 %r8, [%r8]; ld.shared.u32 %r9, [%r5];\n"
             "    add.u32 %r9, %r9, %r8;\n"
             "    st.shared.u32 [%r5], %r9;\n"
             "NEXT:\n"
             "    shr.u32 %r7, %r7, 1;\n"
             "    setp.ne.u32 %p2, %r7, 0;\n"
             "    @%p2 bra LOOP;\n"
             "    setp.ne.u32 %p1, %r2, 0;\n"
             "    @%p1 bra END;\n"
             "    ld.shared.u32 %r9, [%r5];\n"
             "    red.global.add.u32 [%d2], %r9;\n"
             "END:\n"
             "    ret;\n"
             "}\n";

struct machine_run {
    struct machine_config config;
    struct machine *machine;
    struct stats stats;
    enum machine_end end;
    struct grid_result result;
    uint64_t cycles;
};

static void run_on_machine(struct kernel *k, struct machine_run *m, const char *name, uint32_t grid,
                           uint32_t block, uint64_t shuffle)
{
    struct config_section sections[MACHINE_SECTIONS];
    struct config config;
    machine_sections(sections, &m->config);
    config_init(&config, &k->arena, sections, MACHINE_SECTIONS);
    assert_true(config_load(&config, "isca19"));
    const char *wrong = machine_check(&k->arena, &m->config);
    if (wrong)
        fail_msg("%s", wrong);
    m->machine = machine_new(&k->arena, &m->config, &k->program);
    machine_shuffle(m->machine, shuffle);
    stats_init(&m->stats, &k->arena);
    machine_stats_add(m->machine, &m->stats);
    const struct program_function *function = program_find(&k->program, name);
    struct launch launch = {.program = &k->program,
                            .function = (uint32_t)(function - k->program.functions.v),
                            .grid = {grid, 1, 1},
                            .block = {block, 1, 1},
                            .params = k->params,
                            .image = &k->image};
    struct machine_launch one = {.launch = &launch};
    struct machine_limits limits = {0};
    m->end = machine_run(m->machine, &one, 1, &limits, &m->result);
    m->cycles = one.ended - one.begun;
}

enum { COUNT = 20000, CTAS = 157 };

static void load(struct kernel *k, uint32_t **c)
{
    kernel_load(k, text, NULL);
    uint32_t *a = kernel_buffer(k, 4 * CTAS * 128), *b = kernel_buffer(k, 4 * CTAS * 128);
    *c = kernel_buffer(k, 4 * CTAS * 128);
    kernel_u32(k, COUNT);
    for (uint32_t i = 0; i < CTAS * 128; i++) {
        a[i] = i * 2654435761u;
        b[i] = i ^ 0x5555;
    }
}

static double stat(const struct machine_run *m, const char *name)
{
    double value = 0;
    if (!stats_find(&m->stats, NULL, name, &value))
        fail_msg("no statistic %s", name);
    return value;
}

// Every slot of every core is counted under one reason in each cycle.
static void check_slots(const struct machine_run *m)
{
    static const char *const reasons[] = {
        "issued",      "stall_empty",   "stall_fetch",        "stall_result",
        "stall_load",  "stall_barrier", "stall_fence",        "stall_lanes",
        "stall_ended", "stall_unit",    "stall_memory_queue", "stall_not_selected"};
    double sum = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        char name[64];
        snprintf(name, sizeof name, "core.%s", reasons[i]);
        sum += stat(m, name);
    }
    assert_true(sum == stat(m, "machine.cycles") * 56 * 48);
    assert_true(stat(m, "core.issued") == stat(m, "core.warp_instructions"));
}

static void check(const char *name, uint64_t shuffle, uint64_t *cycles)
{
    struct kernel timed, plain;
    struct machine_run m = {0};
    uint32_t *c, *expected;
    load(&timed, &c);
    load(&plain, &expected);
    kernel_succeeds(&plain, name, CTAS, 128);
    run_on_machine(&timed, &m, name, CTAS, 128, shuffle);
    if (m.result.fault.happened)
        fail_msg("%s", m.result.fault.text);
    assert_int_equal(m.end, MACHINE_DONE);
    assert_memory_equal(c, expected, 4 * CTAS * 128);
    assert_int_equal(m.result.warp_instructions, plain.result.warp_instructions);
    assert_int_equal(m.result.thread_instructions, plain.result.thread_instructions);
    check_slots(&m);
    assert_int_equal(stat(&m, "memory.requests"), stat(&m, "memory.answers"));
    *cycles = m.cycles;
    kernel_free(&timed);
    kernel_free(&plain);
}

static void test_values(void **state)
{
    (void)state;
    static const char *const names[] = {"add", "sum"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t cycles, shuffled;
        check(names[i], 0, &cycles);
        check(names[i], 77, &shuffled);
        assert_int_equal(cycles, shuffled);
        assert_true(cycles > 500 && cycles < 20000);
        print_message("%s: %llu cycles\n", names[i], (unsigned long long)cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
