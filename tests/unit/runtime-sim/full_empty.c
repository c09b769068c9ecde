// Full/empty bits with the host: the four usage patterns of [001 Fig. 7] and their closed forms,
// lines with empty words, rounds, deadlocks, memory without bits, launches without time.
#include "runtime-sim/schemes/full_empty/full_empty.h"
#include "tests/unit/runtime-sim/documented.h"
#include "tests/unit/runtime-sim/host_fixture.h"

// `step` writes 2 · from[i] + 1 to to[i]; `halves` reads only the first half of each line; `sum`
// adds each word of `from` to to[0].
#define BEGIN(name)                                                                                \
    ".visible .entry " name "(.param .u64 to, .param .u64 from)\n{\n"                              \
    ".reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .pred %p<2>;\n"                                       \
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];\n"                                        \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4;\n"                                  \
    "add.u64 %rd4, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
const char host_text[] = ".version 8.0\n.target sm_80\n.address_size 64\n" BEGIN(
    "step") "ld.global.u32 %r4, [%rd2];\n"
            "mad.lo.u32 %r4, %r4, 2, 1; st.global.u32 [%rd4], %r4; ret;\n}\n" BEGIN(
                "halves") "and.b32 %r3, %r3, 31; setp.ge.u32 %p1, %r3, 16; @%p1 ret;\n"
                          "ld.global.u32 %r4, [%rd2];\n"
                          "mad.lo.u32 %r4, %r4, 2, 1; st.global.u32 [%rd4], %r4; ret;\n}\n"
    // Each lane of the second half reads its word after the first half of the line was read.
    BEGIN(
        "both") "sub.u64 %rd3, %rd2, 64; and.b32 %r3, %r3, 31; setp.lt.u32 %p1, %r3, 16; @%p1 "
                "ret;\n"
                "ld.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, 1; and.b32 %r4, %r4, 0;\n"
                "mul.wide.u32 %rd3, %r4, 4; add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r4, [%rd2];\n"
                "st.global.u32 [%rd4], %r4; ret;\n}\n" BEGIN(
                    "sum") "ld.global.u32 %r4, [%rd2]; red.global.add.u32 [%rd1], %r4; ret;\n}\n";

enum { FILL = PLANE_FILL << 2, WAIT = PLANE_WAIT_FULL };
enum pattern { BASELINE, START, FINISH, FULL, PATTERNS };

static void copy_in(struct bench *b, uint32_t stream, uint8_t mark)
{
    const struct host_copy copy = {.to = b->in_at, .bytes = SIZE, .data_from = b->in, .mark = mark};
    assert_true(host_copy(&b->streams[stream], &copy));
}

static void copy_out(struct bench *b, uint32_t stream, uint8_t mark)
{
    const struct host_copy copy = {
        .from = b->out_at, .bytes = SIZE, .data_to = b->out, .mark = mark};
    assert_true(host_copy(&b->streams[stream], &copy));
}

static void launch(struct bench *b, uint32_t stream, const char *kernel)
{
    host_launch(&b->streams[stream], prepare(b, kernel));
}

// Makes the calls of a pattern, with data that are ready long after the early copies. Returns the
// stream to wait for.
static uint32_t call(struct bench *b, enum pattern pattern, const char *kernel)
{
    bool starts = pattern == START || pattern == FULL;
    bool finishes = pattern == FINISH || pattern == FULL;
    uint32_t out = finishes ? 2 : 0;
    if (starts)
        launch(b, 0, kernel);
    if (finishes)
        copy_out(b, 2, WAIT);
    host_pass(&b->host, us(50));
    host_mark(&b->host);
    copy_in(b, starts, FILL);
    if (!starts)
        launch(b, 0, kernel);
    if (!finishes)
        copy_out(b, 0, 0);
    return out;
}

static uint64_t run(struct bench *b, enum pattern pattern, const char *kernel)
{
    struct device_result result;
    memset(b->out, 0, sizeof b->out);
    uint32_t out = call(b, pattern, kernel);
    if (host_synchronise_stream(&b->streams[out], &result) != DEVICE_DONE)
        fail_msg("%s %s", result.grid.fault.text, b->host.why ? b->host.why : "");
    uint64_t time = host_runtime(&b->host);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        if (b->out[i] != 2 * b->in[i] + 1)
            fail_msg("element %u is %u instead of %u", i, b->out[i], 2 * b->in[i] + 1);
    synchronise(b);
    return time;
}

// Without a machine the kernel takes no time: 17.2, 14.2, 11.2 and 8.2 us, and the transfers that
// do not overlap. Of a copy that waited, one line remains.
static void closed_forms(void **state)
{
    static struct bench b;
    const uint64_t copy = link_time(SIZE), line = link_time(128);
    const uint64_t expected[PATTERNS] = {us(17.2) + 2 * copy, us(14.2) + 2 * copy,
                                         us(11.2) + copy + line, us(8.2) + copy + line};
    (void)state;
    for (enum pattern i = 0; i < PATTERNS; i++) {
        start(&b, false, SETTINGS("fe.enabled=true"));
        check_time(run(&b, i, "step"), expected[i], 1);
        end(&b);
    }
}

// With the machine, each pattern takes at least that time, and full overlap hides nearly all of the
// rest.
static void patterns(void **state)
{
    static struct bench b;
    const uint64_t copy = link_time(SIZE);
    const uint64_t min[PATTERNS] = {us(17.2) + 2 * copy, us(14.2) + 2 * copy, us(11.2) + copy,
                                    us(8.2) + copy};
    uint64_t time[PATTERNS];
    (void)state;
    for (enum pattern i = 0; i < PATTERNS; i++) {
        start(&b, true, SETTINGS("fe.enabled=true"));
        time[i] = run(&b, i, "step");
        check_time(time[i], min[i], i == FINISH ? us(24) : us(8));
        end(&b);
    }
    assert_true(time[FULL] < time[START] && time[FULL] < time[FINISH]);
    assert_true(time[START] < time[BASELINE] && time[FINISH] < time[BASELINE]);
}

static double statistic(const struct bench *b, const char *name)
{
    double value = -1;
    assert_true(stats_find(&b->timed.stats, NULL, name, &value));
    return value;
}

// Another order of evaluation and tiny queues change no value and cause no deadlock; with the same
// queues the time is the same.
static void robust(void **state)
{
    static const char *const settings[][8] = {
        {"fe.enabled=true"},
        {"fe.enabled=true", "fe.queue_depth=1"},
        {"fe.enabled=true", "fe.queue_depth=2", "l1.mshrs=1", "l1.merges=1", "host.outstanding=1"},
        {"fe.enabled=true", "fe.look_past=15", "fe.priority=gpu", "host.outstanding=256"},
        {"fe.enabled=true", "fe.granule=64", "fe.order=none", "request_network.ejection_queue=5"},
    };
    static struct bench b;
    (void)state;
    for (uint32_t k = 0; k < sizeof settings / sizeof *settings; k++)
        for (enum pattern i = 0; i < PATTERNS; i++) {
            uint64_t time[2];
            for (uint64_t shuffle = 0; shuffle < 2; shuffle++) {
                start(&b, true, settings[k]);
                machine_shuffle(b.timed.machine, shuffle * 7);
                time[shuffle] = run(&b, i, "step");
                end(&b);
            }
            assert_int_equal(time[0], time[1]);
        }
}

// Words 16 to 31 of each line never become full: a kernel that reads the other words ends.
static void partial(void **state)
{
    static struct bench b;
    struct device_result result;
    (void)state;
    start(&b, true, SETTINGS("fe.enabled=true"));
    b.grid = 8;
    launch(&b, 0, "halves");
    host_pass(&b.host, us(20));
    for (uint64_t at = 0; at < 8192; at += 128) {
        const struct host_copy copy = {
            .to = b.in_at + at, .bytes = 64, .data_from = (uint8_t *)b.in + at, .mark = FILL};
        assert_true(host_copy(&b.streams[1], &copy));
    }
    struct host_event event;
    host_record(&b.streams[1], &event);
    assert_int_equal(host_synchronise_event(&b.host, &event, &result), DEVICE_DONE);
    assert_int_equal(plane_find_missing(b.device.image, b.in_at, 64, PLANE_WAIT_FULL), 0);
    assert_int_equal(plane_find_missing(b.device.image, b.in_at, 128, PLANE_WAIT_FULL),
                     b.in_at + 64);
    const uint32_t *out = (const uint32_t *)device_at(&b.device, b.out_at, SIZE);
    host_pass(&b.host, us(5));
    assert_int_equal(host_look(&b.host, &result), DEVICE_DONE);
    for (uint32_t i = 0; i < 2048; i++)
        assert_int_equal(out[i], i % 32 < 16 ? 2 * b.in[i] + 1 : 0);
    end(&b);
}

// After its first half is read, a line is not taken as valid beyond it: the second half waits for
// its words. With partial_lines=keep, which is the error, it is read before they are valid.
static void lines(void **state)
{
    static struct bench b;
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        start(
            &b, true,
            SETTINGS("fe.enabled=true", keep ? "fe.partial_lines=keep" : "fe.partial_lines=drop"));
        b.grid = 2;
        launch(&b, 0, "both");
        host_pass(&b.host, us(20));
        // All first halves, then all second ones.
        for (uint64_t half = 0; half < 2; half++)
            for (uint64_t at = 64 * half; at < 2048; at += 128) {
                const struct host_copy copy = {.to = b.in_at + at,
                                               .bytes = 64,
                                               .data_from = (uint8_t *)b.in + at,
                                               .mark = FILL};
                assert_true(host_copy(&b.streams[1], &copy));
            }
        const struct host_copy rest = {.to = b.in_at + 2048,
                                       .bytes = SIZE - 2048,
                                       .data_from = (uint8_t *)b.in + 2048,
                                       .mark = FILL};
        assert_true(host_copy(&b.streams[1], &rest));
        synchronise(&b);
        const uint32_t *out = (const uint32_t *)device_at(&b.device, b.out_at, SIZE);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < 512; i++)
            wrong += i % 32 >= 16 && out[i] != b.in[i];
        if (keep)
            assert_true(wrong > 0);
        else
            assert_int_equal(wrong, 0);
        end(&b);
    }
}

// A second round finds the words of the first one full: its kernel reads the old values. It waits
// if they are emptied in between, or at the kernel's end.
static void second_round(void **state)
{
    enum { NOTHING, EMPTY, AT_END, WAYS };
    static struct bench b;
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        start(&b, true,
              SETTINGS("fe.enabled=true", way == AT_END ? "fe.at_end=empty" : "fe.at_end=keep"));
        run(&b, FULL, "step");
        if (way != NOTHING) {
            if (way == EMPTY)
                assert_true(host_set_state(&b.streams[1], b.in_at, SIZE, PLANE_EMPTY));
            assert_true(host_set_state(&b.streams[1], b.out_at, SIZE, PLANE_EMPTY));
            synchronise(&b);
        }
        for (uint32_t i = 0; i < ELEMENTS; i++)
            b.in[i] += 1000;
        if (way == NOTHING) {
            call(&b, FULL, "step");
            synchronise(&b);
            assert_int_equal(b.out[0], 2 * (b.in[0] - 1000) + 1);
            assert_int_equal(statistic(&b, "fe.stale_reads"), ELEMENTS);
        } else {
            run(&b, FULL, "step");
            assert_int_equal(statistic(&b, "fe.stale_reads"), 0);
        }
        end(&b);
    }
}

// [001 Fig. 7d] needs two copy engines, and a driver that a waiting copy does not occupy: otherwise
// the copy to the device never starts. The report names the word, and the copy that could fill it.
static void deadlock(void **state)
{
    static const char *const settings[] = {"host.driver=held", "host.engines=1"};
    static struct bench b;
    struct device_result result;
    (void)state;
    for (int with_time = 0; with_time < 2; with_time++)
        for (uint32_t i = 0; i < 2; i++) {
            start(&b, with_time,
                  SETTINGS("fe.enabled=true", "machine.watchdog=1000000", settings[i]));
            call(&b, FULL, "step");
            assert_int_equal(host_synchronise(&b.host, &result), DEVICE_STUCK);
            assert_non_null(b.host.why);
            const char *names[] = {"the word at 0x", "bytes into 'in'",
                                   "its state could change: ", "(copy to the device, 131072 bytes)",
                                   i ? "is executing" : "waits for the driver, which command"};
            for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
                if (!strstr(b.host.why, names[k]))
                    fail_msg("no '%s' in:\n%s", names[k], b.host.why);
            end(&b);
        }
}

// A kernel whose input is never filled is reported.
static void unfilled(void **state)
{
    static struct bench b;
    struct device_result result;
    (void)state;
    for (int with_time = 0; with_time < 2; with_time++) {
        start(&b, with_time, SETTINGS("fe.enabled=true", "machine.watchdog=1000000"));
        launch(&b, 0, "step");
        copy_out(&b, 0, 0);
        assert_int_equal(host_synchronise(&b.host, &result), DEVICE_STUCK);
        if (!strstr(b.host.why, "'in'"))
            fail_msg("%s", b.host.why);
        end(&b);
    }
    // With memory that is full from the start it reads zeros.
    start(&b, true, SETTINGS("fe.enabled=true", "fe.initial=full"));
    launch(&b, 0, "step");
    copy_out(&b, 0, 0);
    synchronise(&b);
    assert_int_equal(b.out[0], 1);
    end(&b);
}

// Atomics wait for full words and leave them full.
static void sums(void **state)
{
    static struct bench b;
    uint32_t sum = 0, zero = 0;
    (void)state;
    for (int with_time = 0; with_time < 2; with_time++) {
        start(&b, with_time, SETTINGS("fe.enabled=true"));
        launch(&b, 0, "sum");
        const struct host_copy back = {.from = b.out_at, .bytes = 4, .data_to = &sum, .mark = WAIT};
        const struct host_copy first = {
            .to = b.out_at, .bytes = 4, .data_from = &zero, .mark = FILL};
        host_pass(&b.host, us(20));
        copy_in(&b, 1, FILL);
        assert_true(host_copy(&b.streams[1], &first));
        assert_true(host_copy(&b.streams[0], &back));
        synchronise(&b);
        uint32_t expected = 0;
        for (uint32_t i = 0; i < ELEMENTS; i++)
            expected += b.in[i];
        assert_int_equal(sum, expected);
        end(&b);
    }
}

// Rejected copies, each with its reason.
static void refused(void **state)
{
    static struct bench b;
    (void)state;
    start(&b, false, NULL);
    struct host_copy copy = {.to = b.in_at, .bytes = 8, .data_from = b.in, .mark = WAIT};
    assert_string_equal(host_check_copy(&b.host, &copy),
                        "a trigger or emptying words needs memory with full/empty bits");
    assert_false(host_copy(&b.streams[0], &copy));
    assert_false(host_set_state(&b.streams[0], b.in_at, 8, PLANE_EMPTY));
    copy = (struct host_copy){.to = b.in_at, .from = b.in_at + 4, .bytes = 8};
    assert_string_equal(host_check_copy(&b.host, &copy), "source and destination overlap");
    copy = (struct host_copy){.to = b.in_at + SIZE - 4, .bytes = 8, .data_from = b.in};
    assert_string_equal(host_check_copy(&b.host, &copy),
                        "the bytes are not in one live allocation");
    assert_int_equal(b.host.calls, 0);
    end(&b);
}

static void print_keys(FILE *to)
{
    static struct fe_config values;
    struct config_section section = {full_empty.configuration.section,
                                     full_empty.configuration.keys,
                                     full_empty.configuration.key_count, &values};
    const struct config config = {.sections = &section, .section_count = 1};
    config_keys_print_markdown(&config, to);
}

static void documented(void **state)
{
    (void)state;
    check_document("docs/reference/full-empty.md", print_keys);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--keys")) {
        print_keys(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms), cmocka_unit_test(patterns),
        cmocka_unit_test(robust),       cmocka_unit_test(partial),
        cmocka_unit_test(lines),        cmocka_unit_test(second_round),
        cmocka_unit_test(deadlock),     cmocka_unit_test(unfilled),
        cmocka_unit_test(sums),         cmocka_unit_test(refused),
        cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
