// The host's clock: closed forms of [001 Table 2, Fig. 7, Fig. 9], exact without a machine, and
// with a machine up to the latency of its memory; order of driver, streams, events and engines.
#include "tests/unit/runtime-sim/documented.h"
#include "tests/unit/runtime-sim/host_fixture.h"

// `step` writes 2 · from[i] + 1 to to[i], `idle` does nothing.
const char host_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry step(.param .u64 to, .param .u64 from)\n{\n"
    ".reg .b32 %r<6>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4;\n"
    "add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
    "ld.global.u32 %r4, [%rd2];\n"
    "mad.lo.u32 %r4, %r4, 2, 1; st.global.u32 [%rd1], %r4; ret;\n}\n"
    ".visible .entry idle(.param .u64 to, .param .u64 from)\n{ ret; }\n"
    ".visible .entry stuck(.param .u64 to, .param .u64 from)\n{ bar.sync 0, 96; ret; }\n";

// An asynchronous copy of 128 KB and its halves: 27.475 and 33.475 us [001 Fig. 9].
static void halves(void **state)
{
    static struct bench b;
    uint64_t whole, parts;
    (void)state;
    start(&b, false, NULL);
    to_device(&b, 0, 0, SIZE);
    whole = synchronise(&b);
    check_time(whole, us(1.2 + 6 + 1) + link_time(SIZE), 0);
    assert_int_equal(whole / HOST_NS, 27475);
    host_mark(&b.host);
    to_device(&b, 0, 0, SIZE / 2);
    to_device(&b, 0, SIZE / 2, SIZE / 2);
    parts = synchronise(&b);
    assert_int_equal(parts / HOST_NS, 33475);
    check_time(parts, whole + us(6), 1); // each half is rounded up to a picosecond
    end(&b);
    start(&b, false, SETTINGS("host.copy_driver_us=7"));
    to_device(&b, 0, 0, SIZE);
    check_time(synchronise(&b), us(1.2 + 7 + 1) + link_time(SIZE), 0);
    end(&b);
}

// Each time of the table counts where the table says it does: in asynchronous copies, in launches,
// in synchronisations of an idle host, and in copies that block the caller.
static void times_of_the_table(void **state)
{
    enum { COPY, LAUNCH, SYNC, COPY_NOW, WAYS };
    static struct bench b;
    static const struct {
        const char *setting;
        double more[WAYS]; // us
    } rows[] = {
        {"host.copy_call_us=11.2", {[COPY] = 10}},
        {"host.copy_driver_us=16", {[COPY] = 10}},
        {"host.launch_call_us=11.5", {[LAUNCH] = 10}},
        {"host.launch_driver_us=13", {[LAUNCH] = 10}},
        {"host.sync_call_us=5", {[LAUNCH] = 2, [SYNC] = 4}}, // 3 us of it while the driver works
        {"host.sync_after_us=11", {[COPY] = 10, [LAUNCH] = 10, [SYNC] = 10}},
        {"host.memcpy_us=17", {[COPY_NOW] = 10}},
        {"host.link_gbps=3.4", {[COPY] = SIZE / 6.8e3, [COPY_NOW] = SIZE / 6.8e3}},
    };
    uint64_t before[WAYS] = {0};
    (void)state;
    for (uint32_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
        for (uint32_t way = 0; way < WAYS; way++) {
            start(&b, false, i ? SETTINGS(rows[i - 1].setting) : NULL);
            if (way == COPY)
                to_device(&b, 0, 0, SIZE);
            if (way == LAUNCH)
                host_launch(&b.streams[0], prepare(&b, "idle"));
            const struct host_copy copy = {.to = b.in_at, .bytes = SIZE, .data_from = b.in};
            struct device_result result;
            bool enqueued;
            if (way == COPY_NOW)
                host_copy_now(&b.streams[0], &copy, &enqueued, &result);
            uint64_t time = way == COPY_NOW ? host_runtime(&b.host) : synchronise(&b);
            before[way] = i ? before[way] : time;
            check_time(time, before[way] + (i ? us(rows[i - 1].more[way]) : 0), 1);
            end(&b);
        }
    }
}

// Returns the latency of a copy of one line beyond its time on the link.
static uint64_t line_latency(struct bench *b, bool back)
{
    uint64_t begun = b->host.now;
    if (back)
        to_host(b, 0, 128);
    else
        to_device(b, 0, 0, 128);
    synchronise(b);
    return b->host.now - begun - us(1.2 + 6 + 1) - link_time(128);
}

// As above, through the memory of a machine: the copy ends when its last line is acknowledged.
// Lines overlap, so the latency of one is added to the time of the link.
static void halves_timed(void **state)
{
    static struct bench b;
    uint64_t latency, cycle;
    (void)state;
    start(&b, true, NULL);
    cycle = HOST_US / b.host.gpus->clock + 1;
    for (int back = 0; back < 2; back++) {
        latency = line_latency(&b, back);
        assert_true(latency > 10 * cycle && latency < us(1));
        host_mark(&b.host);
        if (back)
            to_host(&b, 0, SIZE);
        else
            to_device(&b, 0, 0, SIZE);
        // The rows of the DRAM let some lines take longer than the first.
        check_time(synchronise(&b), us(8.2) + link_time(SIZE), latency + us(0.3));
    }
    for (uint32_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(((uint32_t *)device_at(&b.device, b.in_at, SIZE))[i], b.in[i]);
    end(&b);
}

// [001 Fig. 7a] with an idle kernel: 17.2 us and the transfers.
static void baseline(void **state)
{
    static struct bench b;
    (void)state;
    for (int with_time = 0; with_time < 2; with_time++) {
        start(&b, with_time, NULL);
        to_device(&b, 0, 0, SIZE);
        host_launch(&b.streams[0], prepare(&b, with_time ? "step" : "idle"));
        to_host(&b, 0, SIZE);
        check_time(synchronise(&b), us(17.2) + 2 * link_time(SIZE), with_time ? us(40) : 1);
        if (with_time)
            for (uint32_t i = 0; i < ELEMENTS; i++)
                assert_int_equal(b.out[i], 2 * b.in[i] + 1);
        end(&b);
    }
}

// A copy that blocks the caller: 7 us and the transfer; it needs no synchronisation.
static void blocking(void **state)
{
    static struct bench b;
    struct device_result result;
    bool enqueued;
    (void)state;
    start(&b, false, NULL);
    const struct host_copy copy = {.to = b.in_at, .bytes = SIZE, .data_from = b.in};
    assert_int_equal(host_copy_now(&b.streams[0], &copy, &enqueued, &result), DEVICE_DONE);
    assert_true(enqueued);
    check_time(host_runtime(&b.host), us(7) + link_time(SIZE), 0);
    const struct host_copy beyond = {.to = b.in_at + 4, .bytes = SIZE, .data_from = b.in};
    assert_int_equal(host_copy_now(&b.streams[0], &beyond, &enqueued, &result), DEVICE_DONE);
    assert_false(enqueued);
    assert_false(host_copy(&b.streams[0], &beyond));
    assert_false(host_set(&b.streams[0], b.out_at + SIZE, 1, 1));
    check_time(host_runtime(&b.host), us(7) + link_time(SIZE), 0);
    end(&b);
}

// Two streams share the driver, which goes to the oldest ready command; each direction has an
// engine. A call takes 1.2 us of the caller's time.
static void overlap(void **state)
{
    static struct bench b;
    struct host_event events[2];
    (void)state;
    start(&b, false, NULL);
    to_device(&b, 0, 0, SIZE);
    host_record(&b.streams[0], &events[0]);
    to_host(&b, 1, SIZE);
    host_record(&b.streams[1], &events[1]);
    uint64_t time = synchronise(&b);
    // The second leaves the driver at 1.2 + 6 + 6.
    check_time(events[0].time, us(7.2) + link_time(SIZE), 0);
    check_time(events[1].time, us(13.2) + link_time(SIZE), 0);
    check_time(time, us(14.2) + link_time(SIZE), 0);
    assert_int_equal(b.host.gpus->counts.driver_busy, 12000);
    assert_int_equal(b.host.gpus->counts.driver_waits, 4800); // from 2.4 to 7.2
    end(&b);
    // With one engine the second waits for the first.
    start(&b, false, SETTINGS("host.engines=1"));
    to_device(&b, 0, 0, SIZE);
    to_host(&b, 1, SIZE);
    check_time(synchronise(&b), us(8.2) + 2 * link_time(SIZE), 0);
    end(&b);
    // A driver that is held lets nothing overlap.
    start(&b, false, SETTINGS("host.driver=held"));
    to_device(&b, 0, 0, SIZE);
    to_host(&b, 1, SIZE);
    check_time(synchronise(&b), us(14.2) + 2 * link_time(SIZE), 0);
    end(&b);
}

// The machine's engines overlap in the same way.
static void overlap_timed(void **state)
{
    static struct bench b;
    (void)state;
    start(&b, true, NULL);
    to_device(&b, 0, 0, SIZE);
    to_host(&b, 1, SIZE);
    check_time(synchronise(&b), us(14.2) + link_time(SIZE), us(1));
    end(&b);
    start(&b, true, SETTINGS("host.engines=1"));
    to_device(&b, 0, 0, SIZE);
    to_host(&b, 1, SIZE);
    check_time(synchronise(&b), us(8.2) + 2 * link_time(SIZE), us(2));
    end(&b);
}

// A command that is ready later does not keep the driver from a younger command of another stream.
static void oldest_ready(void **state)
{
    static struct bench b;
    struct host_event copied, launched;
    (void)state;
    start(&b, false, NULL);
    to_device(&b, 0, 0, SIZE); // in the driver from 1.2 to 7.2
    to_device(&b, 0, 0, 4);    // ready when the first has ended
    host_launch(&b.streams[1], prepare(&b, "idle"));
    host_record(&b.streams[1], &launched);
    host_record(&b.streams[0], &copied);
    synchronise(&b);
    check_time(launched.time, us(10.2), 0);
    check_time(copied.time, us(7.2 + 6) + link_time(SIZE) + link_time(4), 1);
    end(&b);
}

static void note(void *context)
{
    ++*(int *)context;
}

// An event orders two streams. A query executes everything up to the caller's time.
static void events(void **state)
{
    static struct bench b;
    struct host_event copied = {0}, never = {0}, last;
    struct device_result result;
    int called = 0;
    (void)state;
    start(&b, false, NULL);
    host_wait(&b.streams[1], &never); // was not recorded
    to_device(&b, 0, 0, SIZE);
    host_record(&b.streams[0], &copied);
    host_wait(&b.streams[1], &copied);
    host_call(&b.streams[1], note, &called);
    host_launch(&b.streams[1], prepare(&b, "idle"));
    host_record(&b.streams[1], &last);
    host_pass(&b.host, us(4));
    assert_int_equal(host_look(&b.host, &result), DEVICE_DONE);
    assert_false(copied.has_ended);
    assert_int_equal(called, 0);
    host_pass(&b.host, us(22));
    assert_int_equal(host_look(&b.host, &result), DEVICE_DONE);
    assert_true(copied.has_ended);
    assert_int_equal(called, 1);
    assert_true(host_is_idle(&b.streams[0]) && !host_is_idle(&b.streams[1]));
    uint64_t now = b.host.now;
    assert_int_equal(host_synchronise_event(&b.host, &last, &result), DEVICE_DONE);
    check_time(last.time, us(7.2 + 3) + link_time(SIZE), 0);
    check_time(b.host.now, now + us(2), 0); // it had ended before
    // Work takes cpu_ns for each element.
    host_work(&b.host, 1000);
    check_time(b.host.now, now + us(2 + 1.99), 0);
    end(&b);
}

// Commands of the default stream and of blocking streams are in the order of their calls.
static void default_stream(void **state)
{
    static struct bench b;
    struct host_stream legacy, blocking[2];
    struct host_event ends[3];
    (void)state;
    start(&b, false, NULL);
    host_stream_add(b.host.gpus, &legacy, HOST_DEFAULT);
    host_stream_add(b.host.gpus, &blocking[0], HOST_BLOCKING);
    host_stream_add(b.host.gpus, &blocking[1], HOST_BLOCKING);
    const struct host_copy copy = {.to = b.in_at, .bytes = SIZE, .data_from = b.in};
    host_copy(&blocking[0], &copy);
    host_record(&blocking[0], &ends[0]);
    host_launch(&legacy, prepare(&b, "idle"));
    host_record(&legacy, &ends[1]);
    host_launch(&blocking[1], prepare(&b, "idle"));
    host_record(&blocking[1], &ends[2]);
    synchronise(&b);
    check_time(ends[0].time, us(7.2) + link_time(SIZE), 0);
    check_time(ends[1].time, ends[0].time + us(3), 0);
    check_time(ends[2].time, ends[1].time + us(3), 0);
    host_stream_remove(&blocking[0]);
    host_stream_remove(&legacy);
    // Without the default stream the rest overlaps.
    host_launch(&b.streams[2], prepare(&b, "idle"));
    synchronise(&b);
    end(&b);
}

// The caller returns from a stream's synchronisation while another stream continues, and issues
// more commands.
static void partial(void **state)
{
    static struct bench b;
    struct device_result result;
    uint64_t first;
    (void)state;
    start(&b, true, NULL);
    host_launch(&b.streams[0], prepare(&b, "idle"));
    to_device(&b, 1, 0, SIZE);
    assert_int_equal(host_synchronise_stream(&b.streams[0], &result), DEVICE_DONE);
    first = b.host.now;
    assert_true(first < us(10) && !host_is_idle(&b.streams[1]));
    host_launch(&b.streams[0], prepare(&b, "idle"));
    assert_int_equal(host_synchronise_stream(&b.streams[0], &result), DEVICE_DONE);
    // The launch waited for nothing but its own stages, and the driver's stage of the copy.
    check_time(b.host.now, us(1.5 + 3 + 6 + 3 + 1), us(1.5));
    assert_false(host_is_idle(&b.streams[1]));
    check_time(synchronise(&b), us(1.5 + 3 + 6 + 1) + link_time(SIZE), us(1));
    end(&b);
}

// Statistics of a launch that ran alone belong to its kernel, wherever it started.
static void statistics(void **state)
{
    static struct bench b;
    double value;
    (void)state;
    start(&b, true, NULL);
    for (int i = 0; i < 2; i++) {
        to_device(&b, 0, 0, SIZE);
        host_launch(&b.streams[0], prepare(&b, "step"));
        to_host(&b, 0, SIZE);
    }
    synchronise(&b);
    const struct device_kernel *kernel = b.device.kernels.v[0];
    assert_int_equal(kernel->launches, 2);
    assert_int_equal(kernel->timed->launches, 2);
    assert_int_equal(kernel->timed->together, 0);
    assert_true(timed_value(&b.timed, kernel->timed, "machine.cycles", &value));
    assert_int_equal(value, kernel->timed->cycles);
    assert_true(value < 20000); // without the time of copies and driver
    assert_int_equal(b.host.gpus->counts.to_device_bytes, 2 * SIZE);
    assert_int_equal(b.host.gpus->counts.to_host_bytes, 2 * SIZE);
    assert_int_equal(b.host.gpus->counts.commands, 6);
    assert_int_equal(b.host.gpus->counts.driver_busy, 2 * (6 + 3 + 6) * 1000);
    double clock = (double)b.host.gpus->clock / 1000; // cycles in a nanosecond
    assert_true((double)b.host.gpus->counts.launches * clock <= value + 2 * clock + 2);
    assert_true((double)b.host.gpus->counts.launches * clock >= value - 100);
    end(&b);
}

// A kernel without progress ends the wait, and everything after it.
static void stuck(void **state)
{
    static struct bench b;
    struct device_result result;
    (void)state;
    for (int with_time = 0; with_time < 2; with_time++) {
        start(&b, with_time, SETTINGS("machine.watchdog=20000"));
        host_launch(&b.streams[0], prepare(&b, "stuck"));
        to_host(&b, 0, 128);
        assert_int_equal(host_synchronise(&b.host, &result), DEVICE_STUCK);
        assert_int_equal(result.launch, 1);
        assert_true(host_is_idle(&b.streams[0]));
        uint64_t now = b.host.now;
        to_device(&b, 0, 0, 128);
        assert_int_equal(host_synchronise(&b.host, &result), DEVICE_STUCK);
        assert_true(host_is_idle(&b.streams[0]));
        check_time(b.host.now, now + us(1.2 + 1 + 1), 0);
        assert_int_equal(*(uint32_t *)device_at(&b.device, b.in_at, 4), 0);
        end(&b);
    }
}

// The rows of the trace have one span for each stage of a command.
static void trace(void **state)
{
    static struct bench b;
    static char text[1 << 22];
    static const char *const names[] = {"\"host 0\"", "\"driver 0\"", "\"copies to the device 0\"",
                                        "\"stream 1\"", "\"synchronise\""};
    (void)state;
    start(&b, true, NULL);
    FILE *to = tmpfile();
    timed_trace(&b.timed, to, 0, UINT64_MAX);
    host_trace_begin(&b.host);
    to_device(&b, 0, 0, 1024);
    to_host(&b, 1, 1024);
    synchronise(&b);
    timed_end(&b.timed);
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = 0;
    fclose(to);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(text, names[i]))
            fail_msg("no %s", names[i]);
    uint32_t spans = 0;
    for (const char *at = text; (at = strstr(at, "\"cat\":\"host\"")); at++)
        spans++;
    // Calls: 2 copies, synchronise, wait, return; the driver twice; each copy in two rows.
    assert_int_equal(spans, 5 + 2 + 4);
    end(&b);
}

static void print_keys(FILE *to)
{
    static struct host_config values;
    static struct host_peer peer;
    struct config_section sections[] = {host_section(&values), host_peer_section(&peer)};
    const struct config config = {.sections = sections, .section_count = 2};
    config_keys_print_markdown(&config, to);
}

static void documented(void **state)
{
    (void)state;
    check_document("docs/reference/host.md", print_keys);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--keys")) {
        print_keys(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(halves_timed),
        cmocka_unit_test(times_of_the_table),
        cmocka_unit_test(baseline),
        cmocka_unit_test(blocking),
        cmocka_unit_test(overlap),
        cmocka_unit_test(overlap_timed),
        cmocka_unit_test(oldest_ready),
        cmocka_unit_test(events),
        cmocka_unit_test(default_stream),
        cmocka_unit_test(partial),
        cmocka_unit_test(statistics),
        cmocka_unit_test(stuck),
        cmocka_unit_test(trace),
        cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
