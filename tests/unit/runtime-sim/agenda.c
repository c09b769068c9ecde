// The agenda of a machine: copies as requests, pauses, calls, consecutive launches, and time
// without a CTA.
#include "backend/tags/tags.h"
#include "tests/fuzz/tagged.h"
#include "tests/unit/runtime-sim/machine_fixture.h"

#define BEGIN                                                                                      \
    HEAD("8.0", "sm_80")                                                                           \
    ".visible .entry triple(.param .u64 out, .param .u64 in)\n{\n"                                 \
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p1;\n"                                         \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n"                                         \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4;\n"                                  \
    "add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3; mov.u32 %r6, 0;\n"

// out[i] += in[i] * 3, eight times
#define TRIPLE                                                                                     \
    BEGIN                                                                                          \
    "A: ld.global.u32 %r4, [%rd2]; ld.global.u32 %r5, [%rd1];\n"                                   \
    "mad.lo.u32 %r5, %r4, 3, %r5; st.global.u32 [%rd1], %r5;\n"                                    \
    "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 8; @%p1 bra A;\n"                                  \
    "ret;\n}\n"

// out[i] = in[i] + in[i + 256], eight times: a chain
#define SUM                                                                                        \
    BEGIN                                                                                          \
    "A:\nld.global.u32 %r4, [%rd2];\nld.global.u32 %r5, [%rd2+1024];\n"                            \
    "add.u32 %r5, %r4, %r5;\nst.global.u32 [%rd1], %r5;\n"                                         \
    "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 8;\n@%p1 bra A;\n"                                \
    "ret;\n}\n"

enum { CTAS = 12, BLOCK = 128, ELEMENTS = CTAS * BLOCK, BYTES = 4 * ELEMENTS, EVENTS = 8 };

struct bench {
    struct rig r;
    uint32_t *out, *in;
    uint64_t out_at, in_at;
    struct machine_event events[EVENTS];
    uint32_t count;
};

// Builds the machine with the chains of the table; NULL: none. Requires a configured rig.
static void build(struct bench *b, const struct offload_table *table)
{
    b->r.config.copies = true;
    rig_build(&b->r, table);
    b->out = kernel_buffer(&b->r.k, BYTES);
    b->out_at = b->r.k.image.list.v[b->r.k.image.list.n - 1].address;
    b->in = kernel_buffer(&b->r.k, BYTES + 1024);
    b->in_at = b->r.k.image.list.v[b->r.k.image.list.n - 1].address;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        b->in[i] = i ^ 0x55;
}

static void load(struct bench *b, const char *const *settings)
{
    *b = (struct bench){0};
    rig_configure(&b->r, TRIPLE, 3, settings);
    build(b, NULL);
}

static struct machine_event *add(struct bench *b, enum machine_event_kind kind, uint64_t cycle,
                                 const struct machine_event *after)
{
    assert_true(b->count < EVENTS);
    b->events[b->count] = (struct machine_event){.kind = kind, .cycle = cycle, .after = {after}};
    return &b->events[b->count++];
}

static struct machine_event *add_launch(struct bench *b, const struct machine_event *after)
{
    struct machine_event *event = add(b, EVENT_LAUNCH, 0, after);
    rig_add(&b->r, "triple", CTAS, BLOCK);
    event->launch = &b->r.runs[b->r.count - 1];
    return event;
}

static struct machine_event *add_copy(struct bench *b, void *to, const void *from, uint64_t to_at,
                                      uint64_t from_at, uint64_t bytes,
                                      const struct machine_event *after)
{
    struct machine_event *event = add(b, EVENT_COPY, 0, after);
    event->copy = (struct machine_copy){
        .to = to_at, .from = from_at, .bytes = bytes, .data_to = to, .data_from = from};
    return event;
}

// Returns the cycles of the run.
static uint64_t go(struct bench *b)
{
    struct machine_limits limits = {.cycles = b->r.max_cycles};
    uint64_t begun = machine_cycle(b->r.machine);
    machine_shuffle(b->r.machine, b->r.shuffle);
    b->r.end = machine_run(b->r.machine, b->events, b->count, &limits, &b->r.result);
    b->count = b->r.count = 0;
    return machine_cycle(b->r.machine) - begun;
}

static uint64_t go_done(struct bench *b)
{
    uint64_t cycles = go(b);
    rig_done(&b->r);
    return cycles;
}

static uint64_t copied(struct bench *b, const char *name)
{
    char all[64];
    snprintf(all, sizeof all, "memory.copy.%s", name);
    return (uint64_t)rig_stat(&b->r, all);
}

static void check_out(const struct bench *b, uint32_t times)
{
    for (uint32_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(b->out[i], times * 24 * b->in[i]);
}

// A copy without a kernel, from an address inside a line: one request per line, and its time.
static void copy_alone(void **state)
{
    static struct bench b;
    static uint8_t host[BYTES], back[BYTES];
    uint64_t took[2];
    (void)state;
    for (uint32_t i = 0; i < BYTES; i++)
        host[i] = (uint8_t)(i * 7 + 3);
    for (uint32_t shuffle = 0; shuffle < 2; shuffle++) {
        load(&b, NULL);
        b.r.shuffle = shuffle;
        memset(back, 0, sizeof back);
        struct machine_event *to =
            add_copy(&b, (uint8_t *)b.in + 4, host, b.in_at + 4, 0, 1000, NULL);
        add_copy(&b, back, (uint8_t *)b.in + 4, 0, b.in_at + 4, 1000, to);
        took[shuffle] = go_done(&b);
        assert_memory_equal((uint8_t *)b.in + 4, host, 1000);
        assert_memory_equal(back, host, 1000);
        assert_int_equal(b.in[0], 0x55);
        assert_int_equal(copied(&b, "requests"), 16);
        assert_int_equal(copied(&b, "answers"), 16);
        assert_true(b.events[1].begun > b.events[0].ended);
        assert_true(took[shuffle] > 100);
        kernel_free(&b.r.k);
    }
    assert_int_equal(took[0], took[1]);
}

// A copy within memory between addresses of different alignment reads and writes.
static void copy_within(void **state)
{
    static struct bench b;
    (void)state;
    load(&b, NULL);
    add_copy(&b, (uint8_t *)b.out + 8, (uint8_t *)b.in + 100, b.out_at + 8, b.in_at + 100, 3000,
             NULL);
    uint64_t cycles = go_done(&b);
    assert_memory_equal((uint8_t *)b.out + 8, (uint8_t *)b.in + 100, 3000);
    assert_int_equal(b.out[0], 0);
    assert_int_equal(((uint8_t *)b.out)[3008], 0);
    // Pieces end where a line ends at either end.
    uint64_t pieces = copied(&b, "requests") / 2;
    assert_int_equal(pieces, 48);
    assert_true(cycles >= pieces - 1);
    kernel_free(&b.r.k);
}

// Two buffers that the kernel does not access are copied while it runs.
static void copy_during_kernel(void **state)
{
    static struct bench b;
    static uint32_t host[ELEMENTS];
    uint64_t took[2];
    (void)state;
    for (uint32_t shuffle = 0; shuffle < 2; shuffle++) {
        load(&b, NULL);
        b.r.shuffle = shuffle;
        uint32_t *other = kernel_buffer(&b.r.k, BYTES);
        uint64_t other_at = b.r.k.image.list.v[b.r.k.image.list.n - 1].address;
        for (uint32_t i = 0; i < ELEMENTS; i++)
            host[i] = i * i;
        struct machine_event *kernel = add_launch(&b, NULL);
        struct machine_event *copy = add_copy(&b, other, host, other_at, 0, BYTES, NULL);
        took[shuffle] = go_done(&b);
        check_out(&b, 1);
        assert_memory_equal(other, host, BYTES);
        assert_true(copy->begun < kernel->ended && kernel->begun < copy->ended);
        assert_true(copy->ended - copy->begun > BYTES / 128);
        kernel_free(&b.r.k);
    }
    assert_int_equal(took[0], took[1]);
}

// In order: copy, kernel, kernel, copy.
static void in_order(void **state)
{
    static struct bench b;
    static uint32_t from[ELEMENTS], to[ELEMENTS];
    (void)state;
    load(&b, SETTINGS("machine.launch_latency=500"));
    for (uint32_t i = 0; i < ELEMENTS; i++)
        from[i] = i + 1;
    struct machine_event *last = add_copy(&b, b.in, from, b.in_at, 0, BYTES, NULL);
    last = add_launch(&b, last);
    last = add_launch(&b, last);
    add_copy(&b, to, b.out, 0, b.out_at, BYTES, last);
    go_done(&b);
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(b.events[i].begun, b.events[i - 1].ended + 1);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(to[i], 48 * (i + 1));
    for (uint32_t i = 1; i < 3; i++)
        assert_true(b.events[i].ended - b.events[i].begun > 500);
    assert_int_equal(rig_stat(&b.r, "machine.launches"), 2);
    // Both kernels found empty L1s.
    assert_true(rig_stat(&b.r, "l1.fetches") >= 2 * (2 * BYTES / 128));
    kernel_free(&b.r.k);
}

static uint64_t paused_run(struct bench *b, uint64_t at, uint64_t cycles, uint64_t shuffle)
{
    load(b, NULL);
    b->r.shuffle = shuffle;
    struct machine_event *kernel = add_launch(b, NULL);
    if (cycles) {
        add(b, EVENT_PAUSE, at, NULL);
        add(b, EVENT_RESUME, at + cycles, NULL);
    }
    go_done(b);
    check_out(b, 1);
    uint64_t took = kernel->ended - kernel->begun;
    kernel_free(&b->r.k);
    return took;
}

// A pause delays the kernel's end by its length. Memory replies in the meantime, and the ready
// warps compete when it ends, which changes the kernel's time by a small share.
static void pauses(void **state)
{
    static struct bench b;
    enum { LONG = 20000 };
    (void)state;
    uint64_t plain = paused_run(&b, 0, 0, 0);
    for (uint64_t at = 10; at < plain; at += plain / 5) {
        uint64_t paused = paused_run(&b, at, LONG, 0);
        if (paused > LONG + plain + plain / 8 || paused < LONG + plain / 2)
            fail_msg("%d cycles instead of %d, paused at %d", (int)paused, (int)plain, (int)at);
        assert_int_equal(paused, paused_run(&b, at, LONG, 3));
    }
}

// As above, with chains computed near memory, while a copy shares a partition's node.
static void pauses_chains(void **state)
{
    static const char *const settings[][7] = {
        {"offload.policy=omni"},
        {"offload.policy=omni", "request_network.topology=fly", "reply_network.topology=fly",
         "request_network.router_nodes=true", "reply_network.router_nodes=true",
         "reply_network.reversed=true"},
    };
    static struct bench b;
    static uint32_t host[ELEMENTS];
    (void)state;
    for (uint32_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct tagged tagged;
        struct tables tables = {0};
        struct offload_table table = {0};
        b = (struct bench){0};
        tagged_make(&tagged, SUM, sizeof SUM - 1, FMA_FUSED, MUTATE_NOTHING, 0);
        assert_int_equal(tagged.chains, 1);
        rig_configure(&b.r, tagged.text, 0, settings[i]);
        tagged_free(&tagged);
        struct kernel *k = &b.r.k;
        assert_true(tags_read(&tables, &k->arena, &k->source, &k->diags));
        assert_true(offload_table_build(&table, &k->arena, &tables, &k->program,
                                        offload_config_of(&b.r.config), &k->diags));
        build(&b, &table);
        uint32_t *other = kernel_buffer(k, BYTES);
        uint64_t other_at = k->image.list.v[k->image.list.n - 1].address;
        for (uint32_t n = 0; n < ELEMENTS; n++)
            host[n] = 7 * n;
        struct machine_event *kernel = add_launch(&b, NULL);
        add_copy(&b, other, host, other_at, 0, BYTES, NULL);
        add(&b, EVENT_PAUSE, 300, NULL);
        add(&b, EVENT_RESUME, 9000, NULL);
        go_done(&b);
        for (uint32_t n = 0; n < ELEMENTS; n++)
            assert_int_equal(b.out[n], b.in[n] + b.in[n + 256]);
        assert_memory_equal(other, host, BYTES);
        assert_true(kernel->ended > 9000);
        assert_true(rig_stat(&b.r, "offload.chains_offloaded") > 0);
        kernel_free(k);
    }
}

static void count_call(void *context, uint64_t cycle)
{
    *(uint64_t *)context = cycle;
}

// A pause ends when memory has replied to all cores; no request is in flight then.
static void pause_drains(void **state)
{
    static struct bench b;
    uint64_t called = 0;
    (void)state;
    load(&b, NULL);
    struct machine_event *kernel = add_launch(&b, NULL);
    struct machine_event *pause = add(&b, EVENT_PAUSE, 400, NULL);
    struct machine_event *call = add(&b, EVENT_CALL, 0, pause);
    call->call = count_call;
    call->context = &called;
    add(&b, EVENT_RESUME, 0, call);
    go_done(&b);
    check_out(&b, 1);
    assert_int_equal(pause->begun, 400);
    assert_true(pause->ended > 401); // loads were under way
    assert_int_equal(called, pause->ended);
    assert_true(kernel->ended > called);
    kernel_free(&b.r.k);
}

// A pause without an end is reported as no progress, without the watchdog.
static void pause_without_end(void **state)
{
    static struct bench b;
    (void)state;
    load(&b, NULL);
    add_launch(&b, NULL);
    add(&b, EVENT_PAUSE, 400, NULL);
    uint64_t cycles = go(&b);
    assert_int_equal(b.r.end, MACHINE_STUCK);
    assert_true(cycles < 5000);
    kernel_free(&b.r.k);
}

// Time advances to the next event without a CTA, for longer than the watchdog's limit.
static void time_alone(void **state)
{
    static struct bench b;
    uint64_t called = 0;
    (void)state;
    load(&b, SETTINGS("machine.watchdog=1000"));
    machine_start_at(b.r.machine, 77);
    struct machine_event *call = add(&b, EVENT_CALL, 123456, NULL);
    call->call = count_call;
    call->context = &called;
    struct machine_event *kernel = add_launch(&b, call);
    go_done(&b);
    assert_int_equal(called, 123456);
    assert_int_equal(call->ended, 123456);
    assert_int_equal(kernel->begun, 123456);
    check_out(&b, 1);
    // An empty agenda ends at once.
    assert_int_equal(go_done(&b), 0);
    kernel_free(&b.r.k);
}

// A launch that the limit stops ends in that cycle, on a machine that did not start at cycle 0.
static void limit(void **state)
{
    static struct bench b;
    (void)state;
    load(&b, NULL);
    machine_start_at(b.r.machine, 5000);
    b.r.max_cycles = 5100;
    struct machine_event *kernel = add_launch(&b, NULL);
    go(&b);
    assert_int_equal(b.r.end, MACHINE_CYCLES);
    assert_int_equal(kernel->launch->begun, 5000);
    assert_int_equal(kernel->launch->ended, 5100);
    kernel_free(&b.r.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_alone),
        cmocka_unit_test(copy_within),
        cmocka_unit_test(copy_during_kernel),
        cmocka_unit_test(in_order),
        cmocka_unit_test(pauses),
        cmocka_unit_test(pauses_chains),
        cmocka_unit_test(pause_drains),
        cmocka_unit_test(pause_without_end),
        cmocka_unit_test(time_alone),
        cmocka_unit_test(limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
