// The device: rules of a launch, memory, the order of launches, with time and without.
#include "runtime-sim/device/timed.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/schemes/schemes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char TEXT[] =
    ".version 8.6\n.target sm_100a\n.address_size 64\n"
    ".global .u32 factor = 3;\n"
    // to[i] = from[i] * factor + 1
    ".visible .entry step(.param .u64 to, .param .u64 from)\n{\n"
    ".reg .b32 %r<6>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4;\n"
    "add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
    "ld.global.u32 %r4, [%rd2]; ld.global.u32 %r5, [factor];\n"
    "mad.lo.u32 %r4, %r4, %r5, 1; st.global.u32 [%rd1], %r4; ret;\n}\n"
    ".visible .entry fixed() .reqntid 64, 2\n{ ret; }\n"
    ".visible .entry most() .maxntid 128\n{ ret; }\n"
    ".visible .entry clusters() .reqnctapercluster 2, 1, 1\n{ ret; }\n"
    ".visible .entry shares()\n{ .shared .b8 s[4096]; .reg .b32 %r<2>; mov.u32 %r1, s; ret; }\n"
    ".visible .entry cannot()\n{ tcgen05.fence::before_thread_sync; ret; }\n"
    ".visible .entry spin()\n{ bar.sync 0, 96; ret; }\n";

enum { ELEMENTS = 4096, BYTES = 4 * ELEMENTS, BLOCK = 256 };

struct host {
    struct memory memory;
    struct arena arena;
    struct diags diags;
    struct device_module module;
    struct device device;
    struct machine_config config;
    struct config resolved;
    struct timed_options options;
    struct timed timed;
    bool with_time;
    uint64_t a, b, c; // buffers
    uint32_t in[ELEMENTS], out[ELEMENTS];
};

static void start(struct host *h, bool with_time, uint64_t shuffle)
{
    memset(h, 0, sizeof *h);
    if (setjmp(h->memory.on_failure))
        abort();
    arena_init(&h->arena, &h->memory);
    diags_init(&h->diags, &h->arena);
    char *text = arena_alloc(&h->arena, sizeof TEXT + 1);
    memcpy(text, TEXT, sizeof TEXT);
    source_init(&h->module.source, &h->arena, "device.ptx", text, sizeof TEXT - 1);
    assert_true(device_module_read(&h->module, &h->arena, lanes_best(), &h->diags));
    h->device = (struct device){
        .arena = &h->arena, .program = &h->module.program, .source = &h->module.source};
    uint32_t count;
    struct config_section *sections = machine_sections(&h->config, &h->arena, schemes, &count);
    config_init(&h->resolved, &h->arena, sections, count);
    assert_true(config_load(&h->resolved, "isca19"));
    assert_true(config_set(&h->resolved, "machine.watchdog=20000"));
    h->options = (struct timed_options){.config = &h->config, .copies = true, .shuffle = shuffle};
    h->with_time = with_time;
    if (with_time)
        timed_begin(&h->timed, &h->device, &h->options);
    assert_null(device_load(&h->device));
    h->a = device_allocate(&h->device, BYTES, "a");
    h->b = device_allocate(&h->device, BYTES, "b");
    h->c = device_allocate(&h->device, BYTES, "c");
    for (uint32_t i = 0; i < ELEMENTS; i++)
        h->in[i] = i * 5;
}

static void end(struct host *h)
{
    device_drop(&h->device);
    if (h->with_time)
        arena_free(&h->timed.own);
    arena_free(&h->arena);
    assert_int_equal(h->memory.bytes, 0);
}

static const struct program_function *kernel(const struct host *h, const char *name)
{
    const struct program_function *found = program_find(&h->module.program, name);
    assert_non_null(found);
    return found;
}

static void launch(struct host *h, uint64_t to, uint64_t from, bool together)
{
    uint64_t parameters[2] = {to, from};
    struct launch_request request = {.kernel = kernel(h, "step"),
                                     .grid = {ELEMENTS / BLOCK, 1, 1},
                                     .block = {BLOCK, 1, 1},
                                     .parameters = parameters,
                                     .parameter_bytes = sizeof parameters};
    struct launch_refusal refusal;
    struct device_launch *one = device_prepare(&h->device, &request, &refusal);
    assert_non_null(one);
    device_issue(&h->device, one, together);
}

static void synchronise(struct host *h)
{
    struct device_result result;
    if (device_synchronise(&h->device, &result) != DEVICE_DONE)
        fail_msg("%s", result.grid.fault.text);
}

// Every rule is broken once; the report has the argument, the limit and the value.
static void rules(void **state)
{
    static const struct {
        const char *kernel;
        struct launch_request request; // 0 in a shape is 1
        enum launch_rule rule;
        enum launch_argument argument;
        uint32_t dimension;
        uint64_t limit[3], value[3];
    } rows[] = {
        {"cannot", {.shared = 0}, LAUNCH_EXECUTABLE, ARGUMENT_KERNEL, 0, {0}, {0}},
        {"step", {.grid = {1, 65536}}, LAUNCH_GRID_SIZE, ARGUMENT_GRID, 1, {65535}, {65536}},
        {"step", {.block = {1, 1, 65}}, LAUNCH_BLOCK_SIZE, ARGUMENT_BLOCK, 2, {64}, {65}},
        {"step",
         {.grid = {32}, .cluster = {17}},
         LAUNCH_CLUSTER_SIZE,
         ARGUMENT_CLUSTER,
         0,
         {CLUSTER_CTAS},
         {17}},
        {"clusters",
         {.grid = {4, 2}, .cluster = {2, 2}},
         LAUNCH_CLUSTER_REQUIRED,
         ARGUMENT_CLUSTER,
         0,
         {2, 1, 1},
         {2, 2, 1}},
        {"step", {.block = {64, 17}}, LAUNCH_BLOCK_THREADS, ARGUMENT_BLOCK, 0, {1024}, {1088}},
        {"step",
         {.grid = {65536, 32768, 2}},
         LAUNCH_GRID_CTAS,
         ARGUMENT_GRID,
         0,
         {UINT32_MAX},
         {UINT64_C(1) << 32}},
        {"clusters", {.grid = {3}}, LAUNCH_GRID_CLUSTERS, ARGUMENT_GRID, 0, {2}, {3}},
        {"fixed",
         {.block = {64}},
         LAUNCH_BLOCK_REQUIRED,
         ARGUMENT_BLOCK,
         0,
         {64, 2, 1},
         {64, 1, 1}},
        {"most", {.block = {64, 4}}, LAUNCH_BLOCK_MAX, ARGUMENT_BLOCK, 0, {128, 1, 1}, {64, 4, 1}},
        {"step", {.shared = 232449}, LAUNCH_SHARED_SIZE, ARGUMENT_SHARED, 0, {232448}, {232449}},
        {"shares",
         {.shared = 232448},
         LAUNCH_SHARED_TOTAL,
         ARGUMENT_SHARED,
         0,
         {232448},
         {232448 + 4096}},
        {"step",
         {.grid = {100000}, .block = {1024}, .cooperative = true},
         LAUNCH_GRID_RESIDENT,
         ARGUMENT_GRID,
         0,
         {320},
         {100000}},
        {"step",
         {.parameters = TEXT, .parameter_bytes = 12},
         LAUNCH_PARAMETER_BYTES,
         ARGUMENT_PARAMETERS,
         0,
         {16},
         {12}},
    };
    static struct host h;
    bool seen[LAUNCH_RULES] = {[LAUNCH_ALLOWED] = true};
    (void)state;
    start(&h, false, 0);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct launch_request request = rows[i].request;
        struct launch_refusal refusal;
        request.kernel = kernel(&h, rows[i].kernel);
        for (int k = 0; k < 3; k++) {
            request.grid[k] += !request.grid[k];
            request.block[k] += !request.block[k];
            request.cluster[k] += request.cluster[0] && !request.cluster[k];
        }
        assert_null(device_prepare(&h.device, &request, &refusal));
        assert_int_equal(refusal.rule, rows[i].rule);
        assert_int_equal(refusal.argument, rows[i].argument);
        assert_int_equal(refusal.dimension, rows[i].dimension);
        assert_memory_equal(refusal.limit, rows[i].limit, sizeof refusal.limit);
        assert_memory_equal(refusal.value, rows[i].value, sizeof refusal.value);
        seen[refusal.rule] = true;
    }
    for (uint32_t rule = 0; rule < LAUNCH_RULES; rule++)
        if (!seen[rule])
            fail_msg("rule %u is not broken", rule);
    struct launch_request good = {
        .kernel = kernel(&h, "fixed"), .grid = {1, 1, 1}, .block = {64, 2, 1}};
    struct launch_refusal refusal;
    assert_non_null(device_prepare(&h.device, &good, &refusal));
    assert_int_equal(refusal.rule, LAUNCH_ALLOWED);
    end(&h);
}

static void memory(void **state)
{
    static struct host h;
    (void)state;
    start(&h, false, 0);
    uint32_t factor = device_find_variable(&h.device, "factor");
    assert_int_equal(factor, 0);
    assert_int_equal(device_find_variable(&h.device, "fact"), UINT32_MAX);
    const struct allocation *at = device_variable(&h.device, factor);
    assert_int_equal(*(uint32_t *)device_at(&h.device, at->address, 4), 3);
    // Bytes beyond an allocation, or of one that was freed.
    uint8_t *bytes = device_at(&h.device, h.a, BYTES);
    assert_int_equal(bytes[BYTES - 1], 0);
    assert_ptr_equal(device_at_written(&h.device, h.a + BYTES - 64, 64), bytes + BYTES - 64);
    assert_null(device_at_written(&h.device, h.a + BYTES - 64, 65));
    assert_null(device_at(&h.device, h.a + BYTES - 63, 64));
    assert_null(device_at(&h.device, h.a - 1, 1));
    assert_true(device_free(&h.device, h.b));
    assert_false(device_free(&h.device, h.b));
    assert_null(device_at(&h.device, h.b, 1));
    h.memory.limit = h.memory.bytes + 1000;
    assert_int_equal(device_allocate(&h.device, 1 << 20, "large"), 0);
    end(&h);
}

// The second kernel reads what the first writes.
static void order(void **state)
{
    static struct host h;
    uint64_t cycles[3] = {0};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        start(&h, i > 0, i);
        memcpy(device_at_written(&h.device, h.a, BYTES), h.in, BYTES);
        launch(&h, h.b, h.a, false);
        launch(&h, h.c, h.b, false);
        memcpy(h.out, device_at(&h.device, h.c, BYTES), BYTES);
        assert_int_equal(h.out[1], 0);
        synchronise(&h);
        memcpy(h.out, device_at(&h.device, h.c, BYTES), BYTES);
        for (uint32_t k = 0; k < ELEMENTS; k++)
            assert_int_equal(h.out[k], (h.in[k] * 3 + 1) * 3 + 1);
        assert_int_equal(h.device.kernels.n, 1);
        const struct device_kernel *step = h.device.kernels.v[0];
        assert_int_equal(step->launches, 2);
        assert_int_equal(step->thread_instructions % (2 * ELEMENTS), 0);
        assert_true(step->thread_instructions > 0);
        if (h.with_time) {
            assert_int_equal(step->timed->launches, 2);
            assert_int_equal(step->timed->together, 0);
            cycles[i] = machine_cycle(h.timed.machine);
        }
        end(&h);
    }
    assert_true(cycles[1] > 0);
    assert_int_equal(cycles[1], cycles[2]);
}

// Concurrent kernels are faster than consecutive ones.
static void kernels_overlap(void **state)
{
    static struct host h;
    uint64_t cycles[2];
    (void)state;
    for (uint32_t together = 0; together < 2; together++) {
        start(&h, true, 0);
        launch(&h, h.b, h.a, together);
        launch(&h, h.c, h.a, together);
        synchronise(&h);
        for (uint32_t k = 0; k < ELEMENTS; k++)
            assert_int_equal(((uint32_t *)device_at(&h.device, h.b, BYTES))[k] +
                                 ((uint32_t *)device_at(&h.device, h.c, BYTES))[k],
                             2);
        cycles[together] = machine_cycle(h.timed.machine);
        assert_int_equal(h.device.kernels.v[0]->timed->together, 2 * together);
        end(&h);
    }
    assert_true(cycles[1] < cycles[0]);
}

// A launch that waits for ever ends the synchronisation; later launches do not run.
static void stuck(void **state)
{
    static struct host h;
    static char text[4096];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct device_result result;
        struct launch_refusal refusal;
        start(&h, i, 0);
        struct launch_request request = {
            .kernel = kernel(&h, "spin"), .grid = {1, 1, 1}, .block = {64, 1, 1}};
        launch(&h, h.b, h.a, false);
        device_issue(&h.device, device_prepare(&h.device, &request, &refusal), false);
        launch(&h, h.c, h.b, false);
        assert_int_equal(device_synchronise(&h.device, &result), DEVICE_STUCK);
        assert_string_equal(result.kernel->name, "spin");
        assert_int_equal(result.launch, 2);
        assert_int_equal(result.grid.stalls.count, 1);
        assert_int_equal(*device_at(&h.device, h.b, 1), 1);
        assert_int_equal(*device_at(&h.device, h.c, 1), 0);
        if (h.with_time) {
            FILE *to = fmemopen(text, sizeof text, "w");
            timed_report(&h.timed, to);
            fclose(to);
            assert_non_null(strstr(text, "memory system in cycle"));
        }
        end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),           cmocka_unit_test(memory), cmocka_unit_test(order),
        cmocka_unit_test(kernels_overlap), cmocka_unit_test(stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
