// Counts of single instructions, lines and loops, compared with what a kernel's text shows.
#include "runtime-sim/device/device.h"
#include "runtime-sim/exec/check/profile.h"
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".entry k(.param .u64 a, .param .u32 n)\n{\n"                                                  \
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .v4 .f32 %v; .reg .f32 %f<9>;\n"  \
    ".local .align 16 .b8 lm[256]; .shared .align 16 .b8 sm[4096];\n"                              \
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n" text "\nret;\n}\n"
enum { BEFORE = 3 }; // instructions in front of the text

struct profiled {
    struct kernel k;
    struct profile profile;
};

static const struct profile_function *profiled(struct profiled *p, const char *text, uint32_t grid,
                                               uint32_t block, uint32_t threads)
{
    kernel_load(&p->k, text, NULL);
    kernel_buffer(&p->k, 1 << 20);
    kernel_u32(&p->k, 5);
    profile_init(&p->profile, &p->k.arena, &p->k.program);
    p->k.profile = &p->profile;
    p->k.threads = threads;
    kernel_succeeds(&p->k, "k", grid, block);
    uint32_t function = (uint32_t)(program_find(&p->k.program, "k") - p->k.program.functions.v);
    return p->profile.functions[function];
}

// Checks that every executed instruction is counted once, by lanes and by warps.
static void check_sums(const struct profiled *p)
{
    uint64_t executions = 0, lanes = 0;
    for (uint32_t f = 0; f < p->k.program.functions.n; f++)
        for (uint32_t i = 0; p->profile.functions[f] && i < p->profile.functions[f]->inst_count;
             i++) {
            executions += p->profile.functions[f]->insts[i].executions;
            lanes += p->profile.functions[f]->insts[i].lanes;
        }
    assert_int_equal(executions, p->k.result.warp_instructions);
    assert_int_equal(lanes, p->k.result.thread_instructions);
}

static void check_lines(const char *text, uint32_t inst, uint32_t lines, uint32_t sectors)
{
    struct profiled p;
    const struct profile_function *counts = profiled(&p, text, 1, 32, 1);
    const struct profile_memory *memory = counts->insts[BEFORE + inst].memory;
    assert_non_null(memory);
    assert_int_equal(memory->full.accesses, 1);
    assert_int_equal(memory->full.lines, lines);
    assert_int_equal(memory->full.sectors, sectors);
    assert_int_equal(memory->full.min, lines);
    assert_int_equal(memory->full.max, lines);
    check_sums(&p);
    kernel_free(&p.k);
}

#define AT(stride, offset)                                                                         \
    "mul.wide.u32 %rd2, %r2, " #stride "; add.u64 %rd3, %rd1, %rd2; add.u64 %rd3, %rd3, " #offset  \
    ";\n"

static void test_lines_of_accesses(void **state)
{
    (void)state;
    check_lines(BODY(AT(4, 0) "ld.global.f32 %f1, [%rd3];"), 3, 1, 4);
    check_lines(BODY(AT(4, 64) "ld.global.f32 %f1, [%rd3];"), 3, 2, 4);
    check_lines(BODY(AT(4, 4) "ld.global.f32 %f1, [%rd3];"), 3, 2, 5);
    check_lines(BODY(AT(8, 0) "ld.global.f32 %f1, [%rd3];"), 3, 2, 8);
    check_lines(BODY(AT(128, 0) "st.global.f32 [%rd3], 0f00000000;"), 3, 32, 32);
    check_lines(BODY(AT(132, 0) "red.global.add.u32 [%rd3], 1;"), 3, 32, 32);
    check_lines(BODY(AT(16, 0) "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];"), 3, 4, 16);
    check_lines(BODY(AT(0, 0) "ld.global.f32 %f1, [%rd3];"), 3, 1, 1);
    check_lines(BODY(AT(1, 0) "ld.global.u8 %r3, [%rd3];"), 3, 1, 1);
    check_lines(BODY(AT(4, 0) "ld.f32 %f1, [%rd3];"), 3, 1, 4); // generic
    check_lines(BODY("st.local.u32 [lm+8], %r2;"), 0, 1, 4);
    check_lines(BODY("ld.local.v4.f32 {%f1, %f2, %f3, %f4}, [lm+16];"), 0, 4, 16);
}

static void test_uniform(void **state)
{
    (void)state;
    struct profiled p;
    const struct profile_function *counts =
        profiled(&p,
                 BODY("add.u32 %r3, %r1, 1;\n"      // uniform
                      "and.b32 %r4, %r2, 31;\n"     // varying
                      "shr.u32 %r5, %r2, 5;\n"      // uniform in each warp
                      "setp.lt.u32 %p1, %r2, 16;\n" // varying in warp 0
                      "ld.global.u32 %r6, [%rd1]; ld.shared.u32 %r7, [sm];\n" // uniform
                      "@%p1 mov.u32 %r8, %r5;"),
                 2, 64, 1);
    static const uint32_t uniform[] = {4, 0, 4, 2, 4, 4, 2};
    for (uint32_t i = 0; i < 7; i++) {
        const struct profile_inst *inst = &counts->insts[BEFORE + i];
        assert_int_equal(inst->executions, 4);
        assert_int_equal(inst->defined, i == 6 ? 2 : 4);
        assert_int_equal(inst->uniform, uniform[i]);
        assert_int_equal(inst->parted, i == 6 ? 2 : 0);
        assert_int_equal(inst->threads, 128);
        assert_int_equal(inst->lanes, i == 6 ? 32 : 128);
    }
    assert_int_equal(counts->insts[BEFORE + 4].memory->all.uniform, 4);
    assert_int_equal(counts->insts[BEFORE + 5].memory->shared, 4);
    assert_int_equal(counts->insts[BEFORE + 5].memory->all.accesses, 0);
    check_sums(&p);
    kernel_free(&p.k);
}

// Each thread executes as many iterations as its number, and in the inner loop one more each time.
#define LOOPS                                                                                      \
    BODY("mov.u32 %r3, 0;\n"                                                                       \
         "O: setp.ge.u32 %p1, %r3, %r2; @%p1 bra E; mov.u32 %r4, 0;\n"                             \
         "I: add.u32 %r4, %r4, 1; setp.le.u32 %p2, %r4, %r3; @%p2 bra I;\n"                        \
         "add.u32 %r3, %r3, 1; bra O;\nE:")

static void check_loops(uint32_t threads)
{
    struct profiled p;
    const struct profile_function *counts = profiled(&p, LOOPS, 3, 45, threads);
    uint64_t headers = 0, inner_entries = 0, inner = 0;
    for (uint32_t t = 0; t < 45; t++) {
        headers += t + 1;
        inner_entries += t;
        inner += t * (t + 1) / 2;
    }
    assert_int_equal(counts->loop_count, 2);
    assert_int_equal(counts->loops[0].entries, 3 * 45);
    assert_int_equal(counts->loops[0].iterations, 3 * headers);
    assert_int_equal(counts->loops[0].min, 1);
    assert_int_equal(counts->loops[0].max, 45);
    assert_int_equal(counts->loops[1].entries, 3 * inner_entries);
    assert_int_equal(counts->loops[1].iterations, 3 * inner);
    assert_int_equal(counts->loops[1].min, 1);
    assert_int_equal(counts->loops[1].max, 44);
    check_sums(&p);
    kernel_free(&p.k);
}

static void test_loops(void **state)
{
    (void)state;
    check_loops(1);
    check_loops(3);
}

// Lanes 0 to 7 reach the loop on their own path, lane 31 never does. Lanes that wait for others in
// the loop's first instruction, and those that separate there from lanes that name other lanes,
// enter it once.
static void test_lanes_that_come_again(void **state)
{
    (void)state;
    struct profiled p;
    const struct profile_function *counts =
        profiled(&p,
                 BODY("mov.u32 %r3, 0; setp.lt.u32 %p1, %r2, 8; setp.eq.u32 %p3, %r2, 31;\n"
                      "setp.lt.u32 %p4, %r2, 16; selp.b32 %r5, 0xffff, 0x7fff0000, %p4;\n"
                      "@%p1 bra M; @%p3 bra E;\n"
                      "S: shfl.sync.idx.b32 %r4, %r3, 0, 31, %r5; add.u32 %r3, %r3, 1;\n"
                      "setp.lt.u32 %p2, %r3, 4; @%p2 bra S; bra E;\n"
                      "M: mov.u32 %r6, 1; bra S;\nE:"),
                 1, 32, 1);
    assert_int_equal(counts->loop_count, 1);
    assert_int_equal(counts->loops[0].entries, 31);
    assert_int_equal(counts->loops[0].iterations, 4 * 31);
    assert_int_equal(counts->loops[0].min, 4);
    assert_int_equal(counts->loops[0].max, 4);
    check_sums(&p);
    kernel_free(&p.k);
}

// Lanes of a switch return to it with one target less.
static void test_indexed_branch(void **state)
{
    (void)state;
    struct profiled p;
    const struct profile_function *counts =
        profiled(&p,
                 BODY("mov.u32 %r3, 0;\n"
                      "L: and.b32 %r4, %r2, 3; ts: .branchtargets B0, B1, B2, B3;\n"
                      "brx.idx %r4, ts;\n"
                      "B0: add.u32 %r3, %r3, 1; bra J;\nB1: add.u32 %r3, %r3, 1; bra J;\n"
                      "B2: add.u32 %r3, %r3, 1; bra J;\nB3: add.u32 %r3, %r3, 1;\n"
                      "J: setp.lt.u32 %p1, %r3, 3; @%p1 bra L;"),
                 1, 32, 1);
    assert_int_equal(counts->loop_count, 1);
    assert_int_equal(counts->loops[0].entries, 32);
    assert_int_equal(counts->loops[0].iterations, 96);
    assert_int_equal(counts->insts[BEFORE + 2].executions, 3);
    assert_int_equal(counts->insts[BEFORE + 2].lanes, 96);
    check_sums(&p);
    kernel_free(&p.k);
}

#define CALLS                                                                                      \
    HEAD("8.0", "sm_80")                                                                           \
    ".func (.reg .u32 d) f(.reg .u32 n)\n{ .reg .pred p; mov.u32 d, 0;\n"                          \
    "L: add.u32 d, d, 1; setp.ge.u32 p, d, n; @p ret; bra L; }\n"                                  \
    ".entry k(.param .u64 a, .param .u32 n)\n{ .reg .b32 r<4>; mov.u32 r1, %tid.x;\n"              \
    "add.u32 r1, r1, 1; call (r2), f, (r1); call (r3), f, (r2); ret; }\n"

static void test_loops_that_return(void **state)
{
    (void)state;
    struct profiled p;
    profiled(&p, CALLS, 2, 32, 1);
    const struct profile_function *called = p.profile.functions[0];
    assert_int_equal(called->loops[0].entries, 2 * 2 * 32);
    assert_int_equal(called->loops[0].iterations, 2 * 2 * 32 * 33 / 2);
    assert_int_equal(called->loops[0].min, 1);
    assert_int_equal(called->loops[0].max, 32);
    check_sums(&p);
    kernel_free(&p.k);
}

// Returns the document's entry of the first store, from its "memory" on.
static const char *written(struct profiled *p, char *text, size_t size)
{
    struct source source = {.name = "k.ptx", .text = "", .length = 0};
    struct device device = {.source = &source};
    struct device_kernel kernel = {.name = "k", .launches = 1, .profile = &p->profile};
    vec_push(&p->k.arena, &device.kernels, &kernel);
    FILE *to = fmemopen(text, size, "w");
    assert_non_null(to);
    profile_write(&device, NULL, NULL, to);
    fclose(to);
    const char *memory = strstr(text, "\"memory\"");
    assert_non_null(memory);
    return memory;
}

// A machine with caches counts their requests; without caches there are no such keys.
static void test_caches(void **state)
{
    (void)state;
    static char text[1 << 14];
    struct profiled p;
    profiled(&p, BODY("st.global.u32 [%rd1], %r2;"), 1, 32, 1);
    assert_null(strstr(written(&p, text, sizeof text), "\"l1\""));
    assert_null(strstr(text, "\"llc\""));
    struct profile_memory *memory = p.profile.functions[0]->insts[BEFORE].memory;
    memory->l1 = (struct profile_cache){9, 4, 3};
    assert_non_null(strstr(written(&p, text, sizeof text),
                           "\"l1\": {\"accesses\": 9, \"hits\": 4, \"merged\": 3}"));
    assert_null(strstr(text, "\"llc\""));
    memory->llc = (struct profile_cache){2, 1, 0};
    struct profile sum;
    profile_init(&sum, &p.k.arena, &p.k.program);
    profile_add(&sum, &p.profile);
    profile_add(&sum, &p.profile);
    p.profile = sum;
    const char *both = written(&p, text, sizeof text);
    assert_non_null(strstr(both, "\"l1\": {\"accesses\": 18, \"hits\": 8, \"merged\": 6}"));
    assert_non_null(strstr(both, "\"llc\": {\"accesses\": 4, \"hits\": 2, \"merged\": 0}"));
    kernel_free(&p.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_accesses),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_lanes_that_come_again),
        cmocka_unit_test(test_indexed_branch),
        cmocka_unit_test(test_loops_that_return),
        cmocka_unit_test(test_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
