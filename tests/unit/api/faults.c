// A device after launches that failed: every later launch gives the same result as on a new device
// with the same memory.
#include <ptxoffload/ptxoffload.h>
#include "support/random.h"
#include "tests/lib/sanitized.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const char HEAD[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
static const char BEGIN[] =
    "(.param .u64 to, .param .u64 a, .param .u64 b)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p, %q;\n"
    ".shared .b32 held[256];\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b];\n"
    "cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;"
    "cvta.to.global.u64 %rd3, %rd3;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd4, %r1, 4;\n"
    "add.u64 %rd5, %rd2, %rd4; add.u64 %rd6, %rd3, %rd4; add.u64 %rd7, %rd1, %rd4;\n"
    "setp.eq.u32 %p, %r1, 37; shl.b64 %rd8, %rd1, 20;\n";
#define ADD                                                                                        \
    "ld.global.u32 %r4, [%rd5];\nld.global.u32 %r5, [%rd6];\nadd.u32 %r4, %r4, %r5;\n"             \
    "st.global.u32 [%rd7], %r4;\n"

static const struct {
    const char *name, *code;
    enum ptxoffload_status status;
} kernels[] = {
    {"add", ADD, PTXOFFLOAD_OK},
    {"sum",
     "mov.u32 %r4, 0; mov.u32 %r6, 0;\n"
     "LOOP: ld.global.u32 %r5, [%rd5]; add.u32 %r4, %r4, %r5; add.u64 %rd5, %rd5, 512;\n"
     "add.u32 %r6, %r6, 1; setp.lt.u32 %q, %r6, 8; @%q bra LOOP;\n"
     "st.global.u32 [%rd7], %r4;\n",
     PTXOFFLOAD_OK},
    {"exchange",
     "mov.u32 %r4, held; shl.b32 %r5, %r3, 2; add.u32 %r4, %r4, %r5; ld.global.u32 %r6, [%rd5];\n"
     "st.shared.u32 [%r4], %r6; bar.sync 0; ld.shared.u32 %r6, [%r4];\n"
     "atom.global.add.u32 %r6, [%rd7], %r6;\n",
     PTXOFFLOAD_OK},
    {"wild_load", ADD "@%p ld.global.u32 %r4, [%rd8];\n" ADD, PTXOFFLOAD_MEMORY_FAULT},
    {"wild_store", ADD "@%p st.global.u32 [%rd8], %r4;\n" ADD, PTXOFFLOAD_MEMORY_FAULT},
    {"wild_atom", ADD "@%p red.global.add.u32 [%rd8], %r4;\n" ADD, PTXOFFLOAD_MEMORY_FAULT},
    {"askew", ADD "@%p ld.global.u32 %r4, [%rd1+2];\n" ADD, PTXOFFLOAD_MEMORY_FAULT},
    {"wild_shared", ADD "mov.u32 %r4, 0x7fffff0; @%p st.shared.u32 [%r4], %r4;\n" ADD,
     PTXOFFLOAD_MEMORY_FAULT},
    {"trap", ADD "@%p trap;\n" ADD, PTXOFFLOAD_MEMORY_FAULT},
    {"stuck", ADD "setp.lt.u32 %q, %r3, 32; @%q bar.sync 0, 96; @%q bar.sync 1, 96;\n" ADD,
     PTXOFFLOAD_NO_PROGRESS},
};
enum { RIGHT = 3, KERNELS = sizeof kernels / sizeof *kernels };

static char text[16384];

static void write_text(void)
{
    size_t length = (size_t)snprintf(text, sizeof text, "%s", HEAD);
    for (size_t i = 0; i < KERNELS; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, ".visible .entry %s%s%sret;\n}\n",
                             kernels[i].name, BEGIN, kernels[i].code);
    assert_true(length < sizeof text);
}

enum { WORDS = 4096, BYTES = 4 * WORDS, BLOCK = 128, GRID = 8, BUFFERS = 3 };

struct variant {
    const char *policy, *config; // policy NULL: functional
    uint32_t threads;
};
static const struct variant variants[] = {
    {NULL, NULL, 1},           {NULL, NULL, 3},
    {"baseline", "isca19", 0}, {"llc", "isca19", 0},
    {"omni", "isca19", 0},     {"adaptive", "isca19", 0},
    {"baseline", "gtx480", 0}, {"tom-ctrl", "tom", 0},
    {"tom-no-ctrl", "tom", 0}, {"tom-measured", "tom", 0},
    {"tom-ideal", "tom", 0},
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    return (uint32_t)(splitmix64(seed) % below);
}

struct target {
    struct ptxoffload_device *device;
    uint64_t buffers[BUFFERS];
};

static void make(struct target *to, struct ptxoffload_program *program,
                 const struct variant *variant)
{
    static const char *const settings[] = {"machine.watchdog=4000", NULL};
    struct ptxoffload_device_options options;
    ptxoffload_device_options_init(&options, sizeof options);
    options.functional = !variant->policy;
    options.policy = variant->policy;
    options.config = variant->config;
    options.threads = variant->threads;
    options.settings = settings;
    assert_int_equal(ptxoffload_device_of(program, &options, &to->device), PTXOFFLOAD_OK);
    for (int i = 0; i < BUFFERS; i++)
        assert_int_equal(ptxoffload_allocate(to->device, BYTES, &to->buffers[i]), PTXOFFLOAD_OK);
}

static void read_all(const struct target *from, uint32_t words[BUFFERS][WORDS])
{
    for (int i = 0; i < BUFFERS; i++)
        assert_int_equal(ptxoffload_read(from->device, words[i], from->buffers[i], BYTES),
                         PTXOFFLOAD_OK);
}

static void write_all(const struct target *to, uint32_t words[BUFFERS][WORDS])
{
    for (int i = 0; i < BUFFERS; i++)
        assert_int_equal(ptxoffload_write(to->device, to->buffers[i], words[i], BYTES),
                         PTXOFFLOAD_OK);
}

static enum ptxoffload_status launch(const struct target *on, const char *kernel, uint64_t shared)
{
    const void *arguments[BUFFERS];
    for (int i = 0; i < BUFFERS; i++)
        arguments[i] = &on->buffers[i];
    struct ptxoffload_launch what = PTXOFFLOAD_LAUNCH;
    what.kernel = kernel;
    what.grid[0] = GRID;
    what.block[0] = BLOCK;
    what.shared = shared;
    what.arguments = arguments;
    what.argument_count = BUFFERS;
    return ptxoffload_run(on->device, &what);
}

// Runs one launch on the device and on a new one. A launch with too many bytes of `shared` is
// rejected.
static void step(const struct target *device, struct ptxoffload_program *program,
                 const struct variant *variant, uint32_t kernel, uint64_t shared)
{
    static uint32_t before[BUFFERS][WORDS], after[BUFFERS][WORDS], expected[BUFFERS][WORDS];
    struct target fresh;
    make(&fresh, program, variant);
    read_all(device, before);
    write_all(&fresh, before);
    enum ptxoffload_status status = launch(device, kernels[kernel].name, shared),
                           wanted = launch(&fresh, kernels[kernel].name, shared);
    assert_int_equal(status, wanted);
    assert_int_equal(wanted, shared ? PTXOFFLOAD_BAD_ARGUMENT : kernels[kernel].status);
    read_all(device, after);
    read_all(&fresh, expected);
    if (status == PTXOFFLOAD_OK)
        assert_memory_equal(after, expected, sizeof after);
    ptxoffload_device_free(fresh.device);
}

static void check_sequence(struct ptxoffload_program *program, const struct variant *variant,
                           uint64_t seed)
{
    static uint32_t words[BUFFERS][WORDS];
    struct target device;
    make(&device, program, variant);
    for (int i = 0; i < BUFFERS; i++)
        for (int k = 0; k < WORDS; k++)
            words[i][k] = draw(&seed, 1000);
    write_all(&device, words);
    for (int i = 0; i < 10; i++) {
        uint32_t kernel = draw(&seed, 2) ? draw(&seed, RIGHT) : draw(&seed, KERNELS);
        step(&device, program, variant, kernel, draw(&seed, 12) ? 0 : 1 << 20);
    }
    double cycles;
    assert_int_equal(ptxoffload_statistic(device.device, NULL, "machine.cycles", &cycles),
                     variant->policy ? PTXOFFLOAD_OK : PTXOFFLOAD_BAD_ARGUMENT);
    ptxoffload_device_free(device.device);
}

static void test_sequences(void **state)
{
    (void)state;
    struct ptxoffload_context *context = ptxoffload_context_new();
    struct ptxoffload_input *input;
    struct ptxoffload_program *program;
    assert_int_equal(ptxoffload_open(context, "faults.ptx", text, strlen(text), &input), 0);
    assert_int_equal(ptxoffload_analyse(input, 0, NULL, &program), PTXOFFLOAD_OK);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        for (uint64_t seed = 1; seed <= (IS_SANITIZED ? 1 : 4); seed++)
            check_sequence(program, &variants[i], seed);
    ptxoffload_program_free(program);
    ptxoffload_input_free(input);
    ptxoffload_context_free(context);
}

// A cycle limit that is reached stays reached.
static void test_limit(void **state)
{
    (void)state;
    struct ptxoffload_context *context = ptxoffload_context_new();
    struct ptxoffload_input *input;
    struct ptxoffload_device_options options;
    struct target on;
    assert_int_equal(ptxoffload_open(context, "faults.ptx", text, strlen(text), &input), 0);
    ptxoffload_device_options_init(&options, sizeof options);
    options.max_cycles = 100;
    assert_int_equal(ptxoffload_device_new(input, 0, &options, &on.device), PTXOFFLOAD_OK);
    for (int i = 0; i < BUFFERS; i++)
        assert_int_equal(ptxoffload_allocate(on.device, BYTES, &on.buffers[i]), PTXOFFLOAD_OK);
    for (uint32_t i = 0; i < KERNELS; i++)
        assert_int_equal(launch(&on, kernels[i].name, 0), PTXOFFLOAD_LIMIT);
    ptxoffload_device_free(on.device);
    ptxoffload_input_free(input);
    ptxoffload_context_free(context);
}

// A device that runs out of memory for a launch is lost, and reports this.
static void test_memory(void **state)
{
    (void)state;
    int lost = 0, done = 0;
    for (size_t limit = 1 << 20; limit < (size_t)1 << 28; limit += limit / 3) {
        struct ptxoffload_context *context = ptxoffload_context_new();
        struct ptxoffload_input *input;
        struct target on = {0};
        assert_int_equal(ptxoffload_open(context, "faults.ptx", text, strlen(text), &input), 0);
        ptxoffload_set_memory_limit(context, limit);
        enum ptxoffload_status status = ptxoffload_device_new(input, 0, NULL, &on.device);
        for (int i = 0; i < BUFFERS && !status; i++)
            status = ptxoffload_allocate(on.device, BYTES, &on.buffers[i]);
        for (uint32_t i = 0; i < 40 && !status; i++)
            if (launch(&on, "wild_load", 0) != PTXOFFLOAD_MEMORY_FAULT)
                status = PTXOFFLOAD_NO_MEMORY;
        if (!status)
            status = launch(&on, "add", 0);
        assert_in_set(status, ((unsigned long[]){PTXOFFLOAD_OK, PTXOFFLOAD_NO_MEMORY}), 2);
        lost += status != PTXOFFLOAD_OK;
        done += status == PTXOFFLOAD_OK;
        ptxoffload_device_free(on.device);
        ptxoffload_input_free(input);
        ptxoffload_context_free(context);
    }
    assert_true(lost && done);
}

int main(void)
{
    write_text();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
