// Tests the public library through its header alone.
#include <ptxoffload/metadata.h>
#include <ptxoffload/ptxoffload.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char TEXT[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .u32 factor = 3;\n"
    ".visible .entry add(.param .u64 to, .param .u64 a, .param .u64 b)\n{\n"
    ".reg .b32 %r<6>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b];\n"
    "cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2; cvta.to.global.u64 %rd3, %rd3;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd4, %r1, 4;\n"
    "add.u64 %rd5, %rd2, %rd4; add.u64 %rd6, %rd3, %rd4; add.u64 %rd7, %rd1, %rd4;\n"
    "ld.global.u32 %r4, [%rd5];\n"
    "ld.global.u32 %r5, [%rd6];\n"
    "add.u32 %r4, %r4, %r5;\n"
    "st.global.u32 [%rd7], %r4;\nret;\n}\n"
    ".visible .entry spin()\n{ bar.sync 0, 96; ret; }\n";

static const char WRONG[] = ".version 8.0\n.target sm_80\n.entry x() {\n  foo %r1;\n}\n";

enum { ELEMENTS = 1024, BYTES = 4 * ELEMENTS, BLOCK = 128 };

struct diagnostic_list {
    uint32_t errors, warnings, notes;
    char rule[64], file[64];
    uint32_t line, column;
};

static void observe_diagnostic(void *user, const struct ptxoffload_diagnostic *one)
{
    struct diagnostic_list *heard = user;
    assert_int_equal(one->size, sizeof *one);
    heard->notes += one->severity == PTXOFFLOAD_NOTE;
    heard->warnings += one->severity == PTXOFFLOAD_WARNING;
    heard->errors += one->severity == PTXOFFLOAD_ERROR;
    if (one->severity != PTXOFFLOAD_ERROR)
        return;
    snprintf(heard->rule, sizeof heard->rule, "%s", one->rule);
    snprintf(heard->file, sizeof heard->file, "%s", one->file ? one->file : "");
    heard->line = one->line;
    heard->column = one->column;
}

struct library {
    struct ptxoffload_context *context;
    struct ptxoffload_input *input;
    struct ptxoffload_program *program;
    struct diagnostic_list heard;
};

static void start(struct library *l, const char *text)
{
    memset(l, 0, sizeof *l);
    l->context = ptxoffload_context_new();
    assert_non_null(l->context);
    ptxoffload_set_diagnose(l->context, observe_diagnostic, &l->heard);
    assert_int_equal(ptxoffload_open(l->context, "add.ptx", text, strlen(text), &l->input),
                     PTXOFFLOAD_OK);
}

static void end(struct library *l)
{
    ptxoffload_program_free(l->program);
    ptxoffload_input_free(l->input);
    ptxoffload_context_free(l->context);
}

static void inputs(void **state)
{
    struct library l;
    struct ptxoffload_module_info module = PTXOFFLOAD_MODULE_INFO;
    (void)state;
    start(&l, TEXT);
    assert_int_equal(ptxoffload_module_count(l.input), 1);
    assert_int_equal(ptxoffload_module_at(l.input, 0, &module), PTXOFFLOAD_OK);
    assert_string_equal(module.name, "add.ptx");
    assert_true(module.has_ptx);
    assert_int_equal(module.version, 80);
    assert_int_equal(ptxoffload_module_at(l.input, 1, &module), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_check(l.input, 0), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_check(l.input, 1), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(l.heard.errors, 0);
    end(&l);
}

static void errors(void **state)
{
    struct library l;
    (void)state;
    start(&l, WRONG);
    assert_int_equal(ptxoffload_check(l.input, 0), PTXOFFLOAD_BAD_INPUT);
    assert_true(l.heard.errors >= 1);
    assert_string_equal(l.heard.file, "add.ptx");
    assert_int_equal(l.heard.line, 4);
    uint32_t errors = l.heard.errors;
    assert_int_equal(ptxoffload_analyse(l.input, 0, NULL, &l.program), PTXOFFLOAD_BAD_INPUT);
    assert_null(l.program);
    assert_true(l.heard.errors > errors);
    end(&l);
    // Bytes of a container that is cut off.
    l.context = ptxoffload_context_new();
    l.input = (void *)&l;
    assert_int_equal(ptxoffload_open(l.context, "x", "\177ELF\2\1\1", 7, &l.input),
                     PTXOFFLOAD_BAD_INPUT);
    assert_null(l.input);
    ptxoffload_context_free(l.context);
}

static void decisions(void **state)
{
    struct library l;
    struct ptxoffload_kernel_info kernel = PTXOFFLOAD_KERNEL_INFO;
    struct ptxoffload_chain_info chain = PTXOFFLOAD_CHAIN_INFO;
    struct ptxoffload_instruction_info last = PTXOFFLOAD_INSTRUCTION_INFO;
    struct ptxoffload_block_info block = PTXOFFLOAD_BLOCK_INFO;
    const void *bytes;
    size_t size;
    (void)state;
    start(&l, TEXT);
    assert_int_equal(ptxoffload_analyse(l.input, 0, NULL, &l.program), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_kernel_count(l.program), 2);
    assert_int_equal(ptxoffload_kernel_at(l.program, 0, &kernel), PTXOFFLOAD_OK);
    assert_string_equal(kernel.name, "add");
    assert_int_equal(kernel.chains, 1);
    assert_int_equal(ptxoffload_chain_at(l.program, 0, 0, &chain), PTXOFFLOAD_OK);
    assert_int_equal(chain.pattern, 1);
    assert_int_equal(chain.saving, 16);
    assert_int_equal(chain.instructions, 4);
    assert_int_equal(ptxoffload_chain_instruction(l.program, 0, 0, 3, &last), PTXOFFLOAD_OK);
    assert_string_equal(last.opcode, "st.global.u32");
    assert_int_equal(last.line, 16);
    assert_int_equal(ptxoffload_chain_at(l.program, 0, 1, &chain), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_block_at(l.program, 0, kernel.blocks, &block),
                     PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_product(l.program, PTXOFFLOAD_PTX, &bytes, &size), PTXOFFLOAD_OK);
    assert_non_null(strstr(bytes, ".pragma \"ptxoffload.chain"));
    assert_int_equal(ptxoffload_product(l.program, PTXOFFLOAD_METADATA_JSON, &bytes, &size),
                     PTXOFFLOAD_OK);
    assert_int_equal(strlen(bytes), size);
    assert_non_null(strstr(bytes, "\"ptxoffload-metadata\""));
    const void *again;
    assert_int_equal(ptxoffload_product(l.program, PTXOFFLOAD_METADATA_JSON, &again, &size),
                     PTXOFFLOAD_OK);
    assert_ptr_equal(bytes, again);
    assert_int_equal(ptxoffload_product(l.program, PTXOFFLOAD_METADATA_ELF, &bytes, &size),
                     PTXOFFLOAD_OK);
    assert_memory_equal(bytes, "\177ELF", 4);
    end(&l);
}

static void rejections(void **state)
{
    struct library l;
    struct ptxoffload_options options;
    struct ptxoffload_kernel_info kernel = PTXOFFLOAD_KERNEL_INFO;
    struct ptxoffload_rejection_info one = PTXOFFLOAD_REJECTION_INFO;
    (void)state;
    start(&l, TEXT);
    ptxoffload_options_init(&options, sizeof options);
    options.capability = "operations: [mul]\n";
    assert_int_equal(ptxoffload_analyse(l.input, 0, &options, &l.program), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_kernel_at(l.program, 0, &kernel), PTXOFFLOAD_OK);
    assert_int_equal(kernel.chains, 0);
    assert_true(kernel.rejections > 0);
    assert_int_equal(ptxoffload_rejection_at(l.program, 0, 0, &one), PTXOFFLOAD_OK);
    assert_true(*one.rule && *one.text && one.line);
    ptxoffload_program_free(l.program);
    options.capability = "operations: [nonsense]\n";
    assert_int_equal(ptxoffload_analyse(l.input, 0, &options, &l.program), PTXOFFLOAD_BAD_INPUT);
    assert_string_equal(l.heard.rule, "capability");
    options.capability = NULL;
    options.cost = (enum ptxoffload_model)7;
    assert_int_equal(ptxoffload_analyse(l.input, 0, &options, &l.program), PTXOFFLOAD_BAD_ARGUMENT);
    options.cost = PTXOFFLOAD_MODEL_TOM;
    options.size = sizeof options + 8; // of a later version
    assert_int_equal(ptxoffload_analyse(l.input, 0, &options, &l.program), PTXOFFLOAD_BAD_ARGUMENT);
    end(&l);
}

// Callers of an earlier version have shorter structs: missing members get their defaults, and
// nothing is written after the struct.
static void short_structs(void **state)
{
    struct {
        struct ptxoffload_kernel_info kernel;
        char after[8];
    } guarded = {.kernel = {.size = offsetof(struct ptxoffload_kernel_info, chains)}};
    struct library l;
    struct ptxoffload_options options;
    (void)state;
    start(&l, TEXT);
    ptxoffload_options_init(&options, offsetof(struct ptxoffload_options, min_saving));
    assert_int_equal(options.size, offsetof(struct ptxoffload_options, min_saving));
    assert_int_equal(ptxoffload_analyse(l.input, 0, &options, &l.program), PTXOFFLOAD_OK);
    guarded.kernel.chains = 77;
    assert_int_equal(ptxoffload_kernel_at(l.program, 0, &guarded.kernel), PTXOFFLOAD_OK);
    assert_int_equal(guarded.kernel.chains, 77);
    assert_string_equal(guarded.kernel.name, "add");
    end(&l);
}

static void stripping(void **state)
{
    struct library l;
    struct ptxoffload_input *tagged;
    const void *bytes;
    size_t size, length;
    const char *text;
    struct ptxoffload_options options;
    (void)state;
    start(&l, TEXT);
    ptxoffload_options_init(&options, sizeof options);
    options.keep_order = 1;
    assert_int_equal(ptxoffload_analyse(l.input, 0, &options, &l.program), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_product(l.program, PTXOFFLOAD_PTX, &bytes, &size), PTXOFFLOAD_OK);
    assert_true(size > strlen(TEXT));
    assert_int_equal(ptxoffload_open(l.context, "tagged.ptx", bytes, size, &tagged), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_strip(tagged, 0, &text, &length), PTXOFFLOAD_OK);
    assert_int_equal(length, strlen(TEXT));
    assert_memory_equal(text, TEXT, length);
    ptxoffload_input_free(tagged);
    end(&l);
}

// Running

struct device_test {
    uint64_t to, a, b;
    struct ptxoffload_device *device;
};

static void allocate(struct device_test *r)
{
    uint32_t values[ELEMENTS];
    for (uint32_t i = 0; i < ELEMENTS; i++)
        values[i] = i * 3;
    assert_int_equal(ptxoffload_allocate(r->device, BYTES, &r->to), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_allocate(r->device, BYTES, &r->a), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_allocate(r->device, BYTES, &r->b), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_write(r->device, r->a, values, BYTES), PTXOFFLOAD_OK);
    assert_int_equal(ptxoffload_write(r->device, r->b, values, BYTES), PTXOFFLOAD_OK);
}

static enum ptxoffload_status launch(struct device_test *r, uint32_t blocks)
{
    const void *const arguments[] = {&r->to, &r->a, &r->b};
    struct ptxoffload_launch launch = PTXOFFLOAD_LAUNCH;
    launch.kernel = "add";
    launch.grid[0] = blocks;
    launch.block[0] = BLOCK;
    launch.arguments = arguments;
    launch.argument_count = 3;
    return ptxoffload_run(r->device, &launch);
}

static void check_sums(struct device_test *r)
{
    uint32_t values[ELEMENTS];
    assert_int_equal(ptxoffload_read(r->device, values, r->to, BYTES), PTXOFFLOAD_OK);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(values[i], i * 6);
}

static void functional(void **state)
{
    struct library l;
    struct device_test r;
    struct ptxoffload_device_options options;
    uint32_t sizes[3], count;
    uint64_t address, bytes;
    double value;
    (void)state;
    start(&l, TEXT);
    ptxoffload_device_options_init(&options, sizeof options);
    options.functional = 1;
    assert_int_equal(ptxoffload_device_new(l.input, 0, &options, &r.device), PTXOFFLOAD_OK);
    ptxoffload_input_free(l.input); // is not needed any more
    l.input = NULL;
    allocate(&r);
    assert_int_equal(ptxoffload_parameters(r.device, "add", sizes, 3, &count), PTXOFFLOAD_OK);
    assert_int_equal(count, 3);
    assert_int_equal(sizes[2], 8);
    assert_int_equal(launch(&r, ELEMENTS / BLOCK), PTXOFFLOAD_OK);
    check_sums(&r);
    assert_int_equal(ptxoffload_variable(r.device, "factor", &address, &bytes), PTXOFFLOAD_OK);
    assert_int_equal(bytes, 4);
    uint32_t factor;
    assert_int_equal(ptxoffload_read(r.device, &factor, address, 4), PTXOFFLOAD_OK);
    assert_int_equal(factor, 3);
    assert_int_equal(ptxoffload_statistic(r.device, NULL, "machine.cycles", &value),
                     PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_statistic_count(r.device), 0);
    // Outside an allocation, and an address that begins none.
    assert_int_equal(ptxoffload_write(r.device, r.a + 4, &r, BYTES), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_release(r.device, r.a + 4), PTXOFFLOAD_BAD_ARGUMENT);
    assert_int_equal(ptxoffload_release(r.device, r.a), PTXOFFLOAD_OK);
    assert_int_equal(launch(&r, ELEMENTS / BLOCK), PTXOFFLOAD_MEMORY_FAULT);
    assert_string_equal(l.heard.rule, "fault");
    assert_int_equal(l.heard.line, 13);
    ptxoffload_device_free(r.device);
    end(&l);
}

static void timed(void **state)
{
    struct library l;
    struct device_test r;
    struct ptxoffload_device_options options;
    const char *const settings[] = {"machine.watchdog=20000", NULL};
    struct ptxoffload_launch spin = PTXOFFLOAD_LAUNCH;
    double cycles, chains;
    const char *name, *unit, *text;
    (void)state;
    start(&l, TEXT);
    assert_int_equal(ptxoffload_analyse(l.input, 0, NULL, &l.program), PTXOFFLOAD_OK);
    ptxoffload_device_options_init(&options, sizeof options);
    options.policy = "omni";
    options.settings = settings;
    assert_int_equal(ptxoffload_device_of(l.program, &options, &r.device), PTXOFFLOAD_OK);
    allocate(&r);
    assert_int_equal(launch(&r, ELEMENTS / BLOCK), PTXOFFLOAD_OK);
    check_sums(&r);
    assert_int_equal(ptxoffload_statistic(r.device, "add", "machine.cycles", &cycles),
                     PTXOFFLOAD_OK);
    assert_true(cycles > 100);
    assert_int_equal(ptxoffload_statistic(r.device, NULL, "offload.chains_offloaded", &chains),
                     PTXOFFLOAD_OK);
    assert_true(chains > 0);
    uint32_t count = ptxoffload_statistic_count(r.device);
    double *values = calloc(count, sizeof *values);
    assert_int_equal(ptxoffload_statistics(r.device, "add", values), PTXOFFLOAD_OK);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(ptxoffload_statistic_at(r.device, i, &name, &unit, &text), PTXOFFLOAD_OK);
        seen += !strcmp(name, "machine.cycles") && values[i] == cycles;
    }
    assert_int_equal(seen, 1);
    free(values);
    spin.kernel = "spin";
    spin.block[0] = 64;
    assert_int_equal(ptxoffload_run(r.device, &spin), PTXOFFLOAD_NO_PROGRESS);
    assert_string_equal(l.heard.rule, "no-progress");
    ptxoffload_device_free(r.device);
    end(&l);
}

// A program's decisions are used, not the tags in its text.
static void untagged(void **state)
{
    struct library l;
    struct device_test r;
    struct ptxoffload_options tagging;
    struct ptxoffload_device_options options;
    double chains;
    (void)state;
    start(&l, TEXT);
    ptxoffload_options_init(&tagging, sizeof tagging);
    tagging.tags = PTXOFFLOAD_TAGS_NONE;
    assert_int_equal(ptxoffload_analyse(l.input, 0, &tagging, &l.program), PTXOFFLOAD_OK);
    ptxoffload_device_options_init(&options, sizeof options);
    options.policy = "omni";
    assert_int_equal(ptxoffload_device_of(l.program, &options, &r.device), PTXOFFLOAD_OK);
    allocate(&r);
    assert_int_equal(launch(&r, ELEMENTS / BLOCK), PTXOFFLOAD_OK);
    check_sums(&r);
    assert_int_equal(ptxoffload_statistic(r.device, NULL, "offload.chains_offloaded", &chains),
                     PTXOFFLOAD_OK);
    assert_true(chains > 0);
    ptxoffload_device_free(r.device);
    end(&l);
}

// A machine of options of another simulator, on one of ours.
static void other_machine(void **state)
{
    struct library l;
    struct device_test r;
    struct ptxoffload_device_options options;
    char path[] = "/tmp/ptxoffload-config-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    double cycles;
    (void)state;
    assert_non_null(file);
    fputs("-config isca19\n-gpgpu_kernel_launch_latency 100000\n", file);
    fclose(file);
    start(&l, TEXT);
    ptxoffload_device_options_init(&options, sizeof options);
    options.config = path;
    assert_int_equal(ptxoffload_device_new(l.input, 0, &options, &r.device), PTXOFFLOAD_OK);
    allocate(&r);
    assert_int_equal(launch(&r, ELEMENTS / BLOCK), PTXOFFLOAD_OK);
    check_sums(&r);
    assert_int_equal(ptxoffload_statistic(r.device, NULL, "machine.cycles", &cycles),
                     PTXOFFLOAD_OK);
    assert_true(cycles > 100000);
    ptxoffload_device_free(r.device);
    unlink(path);
    end(&l);
}

static void wrong_devices(void **state)
{
    struct library l;
    struct device_test r;
    struct ptxoffload_device_options options;
    const char *const settings[] = {"memory.cors=4", NULL};
    (void)state;
    start(&l, TEXT);
    ptxoffload_device_options_init(&options, sizeof options);
    options.config = "isca91";
    assert_int_equal(ptxoffload_device_new(l.input, 0, &options, &r.device), PTXOFFLOAD_BAD_INPUT);
    assert_null(r.device);
    options.config = NULL;
    options.settings = settings;
    assert_int_equal(ptxoffload_device_new(l.input, 0, &options, &r.device), PTXOFFLOAD_BAD_INPUT);
    options.settings = NULL;
    options.policy = "onmi";
    assert_int_equal(ptxoffload_device_new(l.input, 0, &options, &r.device), PTXOFFLOAD_BAD_INPUT);
    assert_int_equal(l.heard.errors, 3);
    options.policy = NULL;
    options.max_cycles = 50;
    assert_int_equal(ptxoffload_device_new(l.input, 0, &options, &r.device), PTXOFFLOAD_OK);
    allocate(&r);
    assert_int_equal(launch(&r, ELEMENTS / BLOCK), PTXOFFLOAD_LIMIT);
    struct ptxoffload_launch none = PTXOFFLOAD_LAUNCH;
    none.kernel = "subtract";
    assert_int_equal(ptxoffload_run(r.device, &none), PTXOFFLOAD_BAD_ARGUMENT);
    none.kernel = "add"; // without its arguments
    assert_int_equal(ptxoffload_run(r.device, &none), PTXOFFLOAD_BAD_ARGUMENT);
    none.kernel = "spin";
    none.block[0] = 4096;
    assert_int_equal(ptxoffload_run(r.device, &none), PTXOFFLOAD_BAD_ARGUMENT);
    assert_string_equal(l.heard.rule, "argument");
    ptxoffload_device_free(r.device);
    end(&l);
}

// Every memory limit gives PTXOFFLOAD_NO_MEMORY or the right result, without leaks.
static void limits(void **state)
{
    struct diagnostic_list heard = {0};
    uint32_t failed = 0, done = 0;
    (void)state;
    for (size_t limit = 1 << 10; limit <= 1 << 26; limit += limit / 4) {
        struct ptxoffload_context *context = ptxoffload_context_new();
        struct ptxoffload_input *input = NULL;
        struct ptxoffload_program *program = NULL;
        const void *bytes;
        size_t size;
        ptxoffload_set_diagnose(context, observe_diagnostic, &heard);
        ptxoffload_set_memory_limit(context, limit);
        enum ptxoffload_status status =
            ptxoffload_open(context, "add.ptx", TEXT, strlen(TEXT), &input);
        if (status == PTXOFFLOAD_OK)
            status = ptxoffload_analyse(input, 0, NULL, &program);
        if (status == PTXOFFLOAD_OK)
            status = ptxoffload_product(program, PTXOFFLOAD_METADATA_ELF, &bytes, &size);
        assert_true(status == PTXOFFLOAD_OK || status == PTXOFFLOAD_NO_MEMORY);
        failed += status == PTXOFFLOAD_NO_MEMORY;
        done += status == PTXOFFLOAD_OK;
        ptxoffload_program_free(program);
        ptxoffload_input_free(input);
        ptxoffload_context_free(context);
    }
    assert_true(failed > 3 && done > 3);
    assert_string_equal(heard.rule, "memory");
}

// Contexts of several threads do not affect each other.
static void *tag_often(void *result)
{
    enum { TIMES = 10 };
    uint32_t *good = result;
    for (uint32_t i = 0; i < TIMES; i++) {
        struct library l;
        struct device_test r;
        struct ptxoffload_device_options options;
        start(&l, TEXT);
        ptxoffload_device_options_init(&options, sizeof options);
        options.functional = 1;
        assert_int_equal(ptxoffload_analyse(l.input, 0, NULL, &l.program), PTXOFFLOAD_OK);
        assert_int_equal(ptxoffload_device_of(l.program, &options, &r.device), PTXOFFLOAD_OK);
        allocate(&r);
        assert_int_equal(launch(&r, ELEMENTS / BLOCK), PTXOFFLOAD_OK);
        check_sums(&r);
        ptxoffload_device_free(r.device);
        *good += l.heard.errors == 0;
        end(&l);
    }
    return NULL;
}

static void threads(void **state)
{
    enum { THREADS = 4, TIMES = 10 };
    pthread_t threads[THREADS];
    uint32_t good[THREADS] = {0};
    (void)state;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tag_often, &good[i]), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], TIMES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs),        cmocka_unit_test(errors),
        cmocka_unit_test(decisions),     cmocka_unit_test(rejections),
        cmocka_unit_test(short_structs), cmocka_unit_test(stripping),
        cmocka_unit_test(functional),    cmocka_unit_test(timed),
        cmocka_unit_test(untagged),      cmocka_unit_test(wrong_devices),
        cmocka_unit_test(limits),        cmocka_unit_test(threads),
        cmocka_unit_test(other_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
