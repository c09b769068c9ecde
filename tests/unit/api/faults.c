// A device after launches that failed, were cancelled or rejected, and after resets: every later
// launch gives the same result as on a new device with the same memory.
//
// usage: test-api-faults [SEQUENCES]: of each variant
#include <ptxoffload/ptxoffload.h>
#include "support/random.h"
#include "tests/lib/sanitized.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

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
    {"endless",
     "mov.u32 %r6, 0;\n"
     "LOOP: add.u32 %r6, %r6, 1; st.global.u32 [%rd7], %r6; setp.ne.u32 %q, %r6, 0;\n"
     "@%q bra LOOP;\n",
     PTXOFFLOAD_CANCELLED},
};
enum { RIGHT = 3, KERNELS = sizeof kernels / sizeof *kernels - 1, ENDLESS = KERNELS };

static char text[16384];

static void write_text(void)
{
    size_t length = (size_t)snprintf(text, sizeof text, "%s", HEAD);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
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
    {"tom-ideal", "tom", 0},   {"tom-ideal-ctrl", "tom", 0},
    {"tom-alu", "tom", 0},     {"baseline", "rgpu", 0},
    {"baseline", "ari44", 0},  {"omni", "isca19-stacks", 0},
    {"baseline", "v100", 0},
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    return (uint32_t)(splitmix64(seed) % below);
}

struct target {
    struct ptxoffload_device *device;
    uint64_t buffers[BUFFERS];
};

static void allocate(struct target *to)
{
    for (int i = 0; i < BUFFERS; i++)
        assert_int_equal(ptxoffload_allocate(to->device, BYTES, &to->buffers[i]), PTXOFFLOAD_OK);
}

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
    allocate(to);
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

static void check_state(const struct target *of, enum ptxoffload_device_state state)
{
    assert_int_equal(ptxoffload_device_state(of->device), state);
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
    enum ptxoffload_device_state state = ptxoffload_device_state(device->device);
    enum ptxoffload_status status = launch(device, kernels[kernel].name, shared),
                           wanted = launch(&fresh, kernels[kernel].name, shared);
    assert_int_equal(status, wanted);
    assert_int_equal(wanted, shared ? PTXOFFLOAD_BAD_ARGUMENT : kernels[kernel].status);
    read_all(device, after);
    read_all(&fresh, expected);
    check_state(device, shared                    ? state
                        : status == PTXOFFLOAD_OK ? PTXOFFLOAD_DEVICE_IDLE
                                                  : PTXOFFLOAD_DEVICE_FAULTED);
    if (status == PTXOFFLOAD_OK)
        assert_memory_equal(after, expected, sizeof after);
    ptxoffload_device_free(fresh.device);
}

struct call {
    const struct target *on;
    pthread_t thread;
    uint32_t calls, until; // the call that cancels
};

static int observe_progress(void *user, const struct ptxoffload_progress_info *info)
{
    struct call *call = user;
    uint32_t word;
    uint64_t address;
    assert_int_equal(info->size, sizeof *info);
    assert_string_equal(info->kernel, "endless");
    assert_true(info->ended_ctas <= info->ctas && info->ctas <= GRID);
    assert_true(pthread_equal(call->thread, pthread_self()));
    check_state(call->on, PTXOFFLOAD_DEVICE_RUNNING);
    struct ptxoffload_device *device = call->on->device;
    assert_int_equal(ptxoffload_read(device, &word, call->on->buffers[0], sizeof word),
                     PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_allocate(device, 4, &address), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_device_reset(device), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(launch(call->on, "add", 0), PTXOFFLOAD_BAD_ARGUMENT);
    ptxoffload_device_free(device);
    return ++call->calls == call->until;
}

// Cancels a launch that would not end, from the function for progress.
static void interrupt(const struct target *device, uint32_t until)
{
    struct call call = {.on = device, .thread = pthread_self(), .until = until};
    assert_int_equal(ptxoffload_set_progress(device->device, observe_progress, &call, 1),
                     PTXOFFLOAD_OK);
    assert_int_equal(launch(device, "endless", 0), PTXOFFLOAD_CANCELLED);
    assert_int_equal(call.calls, until);
    check_state(device, PTXOFFLOAD_DEVICE_FAULTED);
    assert_int_equal(ptxoffload_set_progress(device->device, NULL, NULL, 0), PTXOFFLOAD_OK);
}

// A request to cancel that arrives between launches ends the next one before it has begun.
static void cancel_next(const struct target *device)
{
    static uint32_t before[BUFFERS][WORDS], after[BUFFERS][WORDS];
    enum ptxoffload_device_state state = ptxoffload_device_state(device->device);
    read_all(device, before);
    ptxoffload_cancel(device->device);
    assert_int_equal(launch(device, "endless", 0), PTXOFFLOAD_CANCELLED);
    check_state(device, state);
    read_all(device, after);
    assert_memory_equal(after, before, sizeof after);
}

static void reset(struct target *device)
{
    static uint32_t words[BUFFERS][WORDS];
    struct target old = *device;
    read_all(device, words);
    ptxoffload_cancel(device->device);
    assert_int_equal(ptxoffload_device_reset(device->device), PTXOFFLOAD_OK);
    check_state(device, PTXOFFLOAD_DEVICE_IDLE);
    assert_int_equal(ptxoffload_read(device->device, words[0], old.buffers[0], 4),
                     PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(launch(&old, "add", 0), PTXOFFLOAD_MEMORY_FAULT);
    allocate(device);
    write_all(device, words);
}

// Memory of the device that cannot be had is no fault of the device.
static void exhaust(const struct target *device)
{
    uint64_t address;
    enum ptxoffload_device_state state = ptxoffload_device_state(device->device);
    // AddressSanitizer ends the program where calloc would return NULL.
    uint64_t bytes = IS_SANITIZED ? UINT64_MAX : UINT64_C(1) << 60;
    assert_int_equal(ptxoffload_allocate(device->device, bytes, &address), PTXOFFLOAD_NO_MEMORY);
    check_state(device, state);
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
    check_state(&device, PTXOFFLOAD_DEVICE_IDLE);
    for (int i = 0; i < 10; i++) {
        switch (draw(&seed, 12)) {
        case 0: interrupt(&device, 1 + draw(&seed, 3)); break;
        case 1: cancel_next(&device); break;
        case 2: reset(&device); break;
        case 3: exhaust(&device); break;
        default: break;
        }
        uint32_t kernel = draw(&seed, 2) ? draw(&seed, RIGHT) : draw(&seed, KERNELS);
        step(&device, program, variant, kernel, draw(&seed, 12) ? 0 : 1 << 20);
    }
    double cycles;
    assert_int_equal(ptxoffload_statistic(device.device, NULL, "machine.cycles", &cycles),
                     variant->policy ? PTXOFFLOAD_OK : PTXOFFLOAD_BAD_ARGUMENT);
    ptxoffload_device_free(device.device);
}

static uint64_t sequences = IS_SANITIZED ? 1 : 3; // of each variant

static void test_sequences(void **state)
{
    (void)state;
    struct ptxoffload_context *context = ptxoffload_context_new();
    struct ptxoffload_input *input;
    struct ptxoffload_program *program;
    assert_int_equal(ptxoffload_open(context, "faults.ptx", text, strlen(text), &input), 0);
    assert_int_equal(ptxoffload_analyse(input, 0, NULL, &program), PTXOFFLOAD_OK);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        for (uint64_t seed = 1; seed <= sequences; seed++)
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

static struct ptxoffload_device *signalled;

static void cancel_by_signal(int number)
{
    (void)number;
    ptxoffload_cancel(signalled);
}

static void *cancel_by_thread(void *device)
{
    ptxoffload_cancel(device);
    return NULL;
}

// A launch ends after a signal's handler, or another thread, has cancelled it; with a function for
// progress and without.
static void test_cancel(void **state)
{
    (void)state;
    struct ptxoffload_context *context = ptxoffload_context_new();
    struct ptxoffload_input *input;
    struct ptxoffload_program *program;
    assert_int_equal(ptxoffload_open(context, "faults.ptx", text, strlen(text), &input), 0);
    assert_int_equal(ptxoffload_analyse(input, 0, NULL, &program), PTXOFFLOAD_OK);
    signal(SIGALRM, cancel_by_signal);
    for (int i = 0; i < 12; i++) {
        struct target on;
        pthread_t thread;
        make(&on, program, &variants[i % 3]);
        struct call call = {.on = &on, .thread = pthread_self()};
        if (i < 6)
            assert_int_equal(ptxoffload_set_progress(on.device, observe_progress, &call, 1), 0);
        signalled = on.device;
        const struct itimerval soon = {.it_value = {.tv_usec = 3000}};
        if (i % 2)
            setitimer(ITIMER_REAL, &soon, NULL);
        else
            pthread_create(&thread, NULL, cancel_by_thread, on.device);
        assert_int_equal(launch(&on, "endless", 0), PTXOFFLOAD_CANCELLED);
        if (i % 2 == 0)
            pthread_join(thread, NULL);
        ptxoffload_set_progress(on.device, NULL, NULL, 0);
        assert_int_equal(launch(&on, "add", 0), PTXOFFLOAD_OK);
        check_state(&on, PTXOFFLOAD_DEVICE_IDLE);
        ptxoffload_device_free(on.device);
    }
    ptxoffload_program_free(program);
    ptxoffload_input_free(input);
    ptxoffload_context_free(context);
}

static int ignore_progress(void *user, const struct ptxoffload_progress_info *info)
{
    (void)user, (void)info;
    return 0;
}

// A lost device answers every call with PTXOFFLOAD_NO_MEMORY.
static void check_lost(const struct target *on)
{
    uint64_t address;
    check_state(on, PTXOFFLOAD_DEVICE_LOST);
    assert_int_equal(ptxoffload_device_reset(on->device), PTXOFFLOAD_NO_MEMORY);
    assert_int_equal(ptxoffload_allocate(on->device, 4, &address), PTXOFFLOAD_NO_MEMORY);
    assert_int_equal(launch(on, "add", 0), PTXOFFLOAD_NO_MEMORY);
    check_state(on, PTXOFFLOAD_DEVICE_LOST);
}

// A device that runs out of memory for a launch is lost, and reports this.
static void test_memory(void **state)
{
    (void)state;
    int lost = 0, done = 0, number = 0;
    for (size_t limit = 1 << 20; limit < (size_t)1 << 28; limit += limit / 3) {
        struct ptxoffload_context *context = ptxoffload_context_new();
        struct ptxoffload_input *input;
        struct target on = {0};
        assert_int_equal(ptxoffload_open(context, "faults.ptx", text, strlen(text), &input), 0);
        ptxoffload_set_memory_limit(context, limit);
        enum ptxoffload_status status = ptxoffload_device_new(input, 0, NULL, &on.device);
        for (int i = 0; i < BUFFERS && !status; i++)
            status = ptxoffload_allocate(on.device, BYTES, &on.buffers[i]);
        if (!status && number++ % 2)
            ptxoffload_set_progress(on.device, ignore_progress, NULL, 1);
        for (uint32_t i = 0; i < 40 && !status; i++)
            if (launch(&on, "wild_load", 0) != PTXOFFLOAD_MEMORY_FAULT)
                status = PTXOFFLOAD_NO_MEMORY;
        if (!status)
            status = launch(&on, "add", 0);
        assert_in_set(status, ((unsigned long[]){PTXOFFLOAD_OK, PTXOFFLOAD_NO_MEMORY}), 2);
        if (status && on.device && ptxoffload_device_state(on.device) == PTXOFFLOAD_DEVICE_LOST)
            check_lost(&on);
        lost += status != PTXOFFLOAD_OK;
        done += status == PTXOFFLOAD_OK;
        ptxoffload_device_free(on.device);
        ptxoffload_input_free(input);
        ptxoffload_context_free(context);
    }
    assert_true(lost && done);
}

int main(int count, char **arguments)
{
    if (count > 1)
        sequences = strtoull(arguments[1], NULL, 10);
    if (count > 2)
        cmocka_set_test_filter(arguments[2]);
    write_text();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
