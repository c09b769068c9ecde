// DRAM compared with closed forms of its timings.
#include "tools/dram/dram_drive.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    struct dram_config values;
    struct config_section section;
    struct config config;
    struct dram_channel channel;
};

static void begin(struct fixture *f, const char *name)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    f->section = (struct config_section){"dram", dram_keys, dram_key_count, &f->values};
    config_init(&f->config, &f->arena, &f->section, 1);
    assert_true(config_load(&f->config, name));
    assert_null(dram_config_fault(&f->values, &f->arena));
    dram_init(&f->channel, &f->arena, &f->values);
}

static void end(struct fixture *f)
{
    arena_free(&f->arena);
}

// Sends a request to an idle channel at this clock. Returns the clocks until its reply. The channel
// is polled every clock, so that the reply is known not to be earlier.
static uint64_t latency(struct fixture *f, uint64_t now, uint32_t bank, uint32_t row, bool write)
{
    struct dram_request request = {.id = now, .bank = bank, .row = row, .write = write};
    uint64_t begin_at = now;
    dram_accept(&f->channel, now, now, &request);
    for (const struct dram_reply *answer;; now++) {
        if ((answer = dram_peek(&f->channel, now))) {
            assert_int_equal(answer->id, request.id);
            assert_int_equal(answer->write, write);
            dram_pop(&f->channel, now);
            return now - begin_at;
        }
        dram_tick(&f->channel, now);
    }
}

static void idle_latency(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t hit, closed, other;
    } known[] = {{"dram/gddr5_isca19", 13, 24, 35},
                 {"dram/tom_vault", 15, 26, 37},
                 {"dram/gddr5_ari", 20, 32, 44}};
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        begin(&f, known[i].name);
        assert_int_equal(latency(&f, 1000, 3, 7, false), known[i].closed);
        assert_int_equal(latency(&f, 2000, 3, 7, false), known[i].hit);
        assert_int_equal(latency(&f, 3000, 3, 8, false), known[i].other);
        assert_int_equal(latency(&f, 4000, 4, 8, false), known[i].closed);
        assert_int_equal(latency(&f, 5000, 3, 8, true), f.values.CWL + f.values.burst);
        assert_int_equal(dram_tick(&f.channel, 6000), UINT64_MAX);
        assert_int_equal(f.channel.stats.row_hits, 2);
        assert_int_equal(f.channel.min_latency, known[i].hit);
        f.values.delay = 9;
        dram_init(&f.channel, &f.arena, &f.values);
        assert_int_equal(latency(&f, 1000, 3, 7, false), known[i].closed + 9);
        end(&f);
    }
}

struct observed_commands {
    uint32_t count;
    struct {
        uint64_t at;
        enum dram_command command;
        uint32_t bank, row;
        uint64_t id;
    } list[16];
};

static void observe_command(void *context, uint64_t now, enum dram_command command, uint32_t bank,
                            uint32_t row, uint64_t id)
{
    struct observed_commands *heard = context;
    assert_true(heard->count < 16);
    heard->list[heard->count].at = now;
    heard->list[heard->count].command = command;
    heard->list[heard->count].bank = bank;
    heard->list[heard->count].row = row;
    heard->list[heard->count++].id = id;
}

// The example of docs/reference/memory.md.
static void example(void **state)
{
    (void)state;
    enum { A, B, C, D, E };
    static const struct dram_request requests[] = {
        {A, 0, 0, false}, {B, 0, 1, false}, {C, 1, 0, false}, {D, 0, 0, false}, {E, 1, 0, true}};
    static const struct observed_commands expected = {9,
                                                      {{0, DRAM_ACT, 0, 0, 0},
                                                       {5, DRAM_ACT, 1, 0, 0},
                                                       {11, DRAM_RD, 0, 0, A},
                                                       {13, DRAM_RD, 0, 0, D},
                                                       {16, DRAM_RD, 1, 0, C},
                                                       {27, DRAM_WR, 1, 0, E},
                                                       {28, DRAM_PRE, 0, 0, 0},
                                                       {39, DRAM_ACT, 0, 1, 0},
                                                       {50, DRAM_RD, 0, 1, B}}};
    static const uint64_t ready[] = {24, 26, 29, 33, 63};
    struct fixture f;
    struct observed_commands heard = {0};
    begin(&f, "dram/gddr5_isca19");
    f.channel.trace = observe_command;
    f.channel.trace_context = &heard;
    for (int i = 0; i < 5; i++)
        dram_accept(&f.channel, 0, 0, &requests[i]);
    for (uint64_t now = 0; now != UINT64_MAX;)
        now = dram_tick(&f.channel, now);
    assert_int_equal(heard.count, expected.count);
    for (uint32_t i = 0; i < heard.count; i++) {
        assert_int_equal(heard.list[i].at, expected.list[i].at);
        assert_int_equal(heard.list[i].command, expected.list[i].command);
        assert_int_equal(heard.list[i].bank, expected.list[i].bank);
        assert_int_equal(heard.list[i].row, expected.list[i].row);
        assert_int_equal(heard.list[i].id, expected.list[i].id);
    }
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dram_peek(&f.channel, 100)->ready, ready[i]);
        dram_pop(&f.channel, 100);
    }
    end(&f);
}

static struct dram_result drive(struct fixture *f, enum dram_pattern pattern, double writes,
                                double load)
{
    struct dram_drive *d = ARENA_NEW(&f->arena, struct dram_drive);
    struct dram_result result;
    *d = (struct dram_drive){.config = &f->values,
                             .pattern = pattern,
                             .writes = writes,
                             .load = load,
                             .warmup = 2000,
                             .cycles = 195000,
                             .seed = 7};
    dram_drive(d, &f->arena, &result);
    assert_true(result.conserved);
    assert_int_equal(result.taken, result.answered);
    return result;
}

static void near(double value, double expected, double part)
{
    if (fabs(value - expected) > part * expected)
        fail_msg("%.6f is not within %g of %.6f", value, part, expected);
}

static void limits(void **state)
{
    (void)state;
    const double exact = 1e-4; // whole periods of the pattern do not fit the window
    struct fixture f;
    begin(&f, "dram/gddr5_isca19");
    for (int write = 0; write < 2; write++) {
        struct dram_result seq = drive(&f, DRAM_SEQ, write, 0);
        near(dram_result_rate(&seq), 0.5, 0);
        near((double)seq.all.row_hits / (double)(seq.all.reads + seq.all.writes), 7 / 8., exact);
        near(dram_result_use(&seq), 1, 0);
    }
    struct dram_result one = drive(&f, DRAM_ONE_BANK, 0, 0);
    near(dram_result_rate(&one), 1 / 39., exact);
    one = drive(&f, DRAM_ONE_BANK, 1, 0);
    near(dram_result_rate(&one), 1 / 40., exact);
    struct dram_result rr = drive(&f, DRAM_BANK_RR, 0, 0);
    near(dram_result_rate(&rr), 0.2, exact);
    assert_int_equal(rr.all.row_hits, 0);
    end(&f);
    begin(&f, "dram/tom_vault");
    struct dram_result vault = drive(&f, DRAM_SEQ, 0, 0);
    near(dram_result_rate(&vault), 0.25, exact);
    vault = drive(&f, DRAM_BANK_RR, 0, 0);
    near(dram_result_rate(&vault), 4 / 24., exact);
    vault = drive(&f, DRAM_RANDOM, 0, 0);
    near(dram_result_rate(&vault), 4 / 24., 0.01);
    end(&f);
}

// Too few banks for tRRD to matter: 8/tRC. A longer tRTP: one bank after tRCD + tRTP + tRP.
static void other_limits(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/gddr5_isca19");
    f.values.banks = 4;
    struct dram_result r = drive(&f, DRAM_BANK_RR, 0, 0);
    near(dram_result_rate(&r), 4 / 39., 1e-3);
    f.values.tRTP = 20;
    r = drive(&f, DRAM_ONE_BANK, 0, 0);
    near(dram_result_rate(&r), 1 / (11. + 20 + 11), 1e-4);
    f.values.tFAW = 60;
    f.values.banks = 8;
    r = drive(&f, DRAM_BANK_RR, 0, 0);
    near(dram_result_rate(&r), 4 / 60., 1e-3);
    end(&f);
    // Within one group every second clock at most, in turns between groups every one.
    begin(&f, "dram/hbm2");
    f.values.channels = 1;
    f.values.tREFI = 0;
    r = drive(&f, DRAM_SEQ, 0, 0);
    near(dram_result_rate(&r), 0.5, 1e-3);
    f.values.order = DRAM_ROW_BANK_COLUMN;
    f.values.queue = 1;
    r = drive(&f, DRAM_SEQ, 0, 0);
    assert_true(dram_result_rate(&r) < 0.25);
    end(&f);
}

// With refresh, the expected number is done, and their time is lost: all of a row's data, tRTP,
// tRP, tRFC.
static void refresh(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/gddr5_isca19");
    f.values.tREFI = 1000;
    f.values.tRFC = 100;
    struct dram_result r = drive(&f, DRAM_SEQ, 0, 0);
    assert_int_equal(r.all.refreshes, 195);
    near(dram_result_rate(&r), 0.5 * (1 - (100 + 11 + 2 + 11) / 1000.), 0.03);
    // Without requests they go on, and a request that comes into one waits.
    dram_init(&f.channel, &f.arena, &f.values);
    assert_int_equal(dram_tick(&f.channel, 0), 1000);
    assert_int_equal(dram_tick(&f.channel, 1000), 1001);
    assert_int_equal(dram_tick(&f.channel, 1001), 2000);
    assert_int_equal(latency(&f, 1010, 0, 0, false), 90 + 24);
    end(&f);
}

// Of a bank at a time: each bank is refreshed once per tREFI, in turn, and the others continue.
static void refresh_of_banks(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/gddr5_isca19");
    f.values.tREFI = 1600;
    f.values.tRFC = 100;
    f.values.refresh = DRAM_REFRESH_BANK;
    // Without requests: one of 8 banks every 200 clocks.
    dram_init(&f.channel, &f.arena, &f.values);
    for (uint64_t now = 200; now <= 1600; now += 200)
        assert_int_equal(dram_tick(&f.channel, now), now + 1);
    assert_int_equal(f.channel.stats.refreshes, 8);
    // The ninth, at clock 1800, is of bank 0. A request for it waits, one for bank 1 does not.
    for (uint64_t now = 1601; now < 1810;)
        now = dram_tick(&f.channel, now);
    assert_int_equal(f.channel.stats.refreshes, 9);
    assert_int_equal(latency(&f, 1810, 0, 0, false), 90 + 24);
    assert_int_equal(latency(&f, 1950, 1, 0, false), 24);
    // A stream loses only the time of the bank that it needs next.
    struct dram_result banks = drive(&f, DRAM_SEQ, 0, 0);
    f.values.refresh = DRAM_REFRESH_ALL;
    f.values.tREFI = 200; // as many commands
    struct dram_result all = drive(&f, DRAM_SEQ, 0, 0);
    assert_true(dram_result_rate(&banks) > 0.97 * 0.5);
    assert_true(dram_result_rate(&all) < 0.5 * 0.55);
    assert_int_equal(banks.all.refreshes, all.all.refreshes);
    end(&f);
}

// The closed forms of a channel of LPDDR5, without refresh: latencies, one bank, and tFAW.
static void low_power(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/lpddr5");
    f.values.channels = 1;
    f.values.tREFI = 0;
    dram_init(&f.channel, &f.arena, &f.values);
    assert_int_equal(latency(&f, 1000, 3, 7, false), 15 + 17 + 2);
    assert_int_equal(latency(&f, 2000, 3, 7, false), 17 + 2);
    assert_int_equal(latency(&f, 3000, 3, 8, false), 15 + 15 + 17 + 2);
    assert_int_equal(latency(&f, 4000, 3, 8, true), 9 + 2);
    struct dram_result r = drive(&f, DRAM_ONE_BANK, 0, 0);
    near(dram_result_rate(&r), 1 / 49., 1e-3);
    r = drive(&f, DRAM_ONE_BANK, 1, 0);
    near(dram_result_rate(&r), 1 / (9. + 2 + 28 + 15 + 15), 1e-3);
    r = drive(&f, DRAM_BANK_RR, 0, 0);
    near(dram_result_rate(&r), 4 / 16., 1e-3);
    r = drive(&f, DRAM_SEQ, 0, 0);
    near(dram_result_rate(&r), 0.5, 1e-3);
    end(&f);
}

// Sequential requests fill the buses of all pseudo channels: GB/s of a stack.
static void stacks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double gigabytes;
    } known[] = {
        {"dram/hbm2", 256}, {"dram/hbm2e", 311}, {"dram/hbm3", 670}, {"dram/lpddr5", 51.2}};
    for (uint32_t i = 0; i < 4; i++) {
        struct fixture f;
        begin(&f, known[i].name);
        struct dram_result r = drive(&f, DRAM_SEQ, 0, 0);
        double rate = dram_result_rate(&r) * 32 * (double)f.values.clock / 1000;
        assert_true(rate <= known[i].gigabytes && rate > 0.9 * known[i].gigabytes);
        end(&f);
    }
}

static void write_drain(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/gddr5_isca19");
    f.values.write_queue = 32;
    f.values.write_high = 26;
    f.values.write_low = 6;
    struct dram_channel *ch = &f.channel;
    dram_init(ch, &f.arena, &f.values);
    // 25 writes and a read that never ends keep reads going; the 26th write turns the bus.
    struct dram_request read = {.id = 1}, write = {.id = 2, .write = true};
    uint64_t now = 0, written_before = 0;
    for (; now < 400; now++) {
        while (dram_peek(ch, now))
            dram_pop(ch, now);
        if (dram_can_accept(ch, false))
            dram_accept(ch, now, now, &read);
        if (now < 50 && now % 2)
            dram_accept(ch, now, now, &write);
        dram_tick(ch, now);
    }
    written_before = ch->stats.writes;
    assert_int_equal(written_before, 0);
    dram_accept(ch, now, now, &write);
    for (; now < 800; now++) {
        while (dram_peek(ch, now))
            dram_pop(ch, now);
        if (dram_can_accept(ch, false))
            dram_accept(ch, now, now, &read);
        dram_tick(ch, now);
    }
    assert_int_equal(ch->stats.writes, 20);
    assert_int_equal(ch->stats.drains, 1);
    assert_int_equal(ch->stats.turns, 2);
    end(&f);
}

// Replies that are not popped stop the channel; popping one resumes it.
static void answers(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/gddr5_isca19");
    f.values.answers = 3;
    dram_init(&f.channel, &f.arena, &f.values);
    for (uint64_t id = 0; id < 8; id++)
        dram_accept(&f.channel, 0, 0, &(struct dram_request){.id = id});
    for (uint64_t now = 0; now != UINT64_MAX;)
        now = dram_tick(&f.channel, now);
    assert_int_equal(f.channel.stats.reads, 3);
    for (uint64_t id = 0, now = 1000; id < 8; id++, now += 100) {
        assert_int_equal(dram_peek(&f.channel, now)->id, id);
        dram_pop(&f.channel, now);
        for (uint64_t tick = now; tick < now + 50; tick++)
            dram_tick(&f.channel, tick);
    }
    assert_int_equal(dram_inside(&f.channel), 0);
    end(&f);
}

static void map(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/hbm2");
    f.values.channels = 12;
    f.values.rows = 13;
    for (int order = 0; order < 6; order++) {
        struct dram_map m;
        f.values.order = order % 3;
        f.values.bank_xor = order / 3;
        dram_map_init(&m, &f.values);
        uint64_t bytes = dram_map_requests(&m) * 32 * 12;
        assert_int_equal(bytes, 12 * 16 * 13 * 1024);
        uint8_t *seen = arena_alloc(&f.arena, bytes / 32);
        for (uint64_t address = 0; address < bytes; address += 32) {
            struct dram_coordinates at = dram_map_find(&m, address);
            assert_true(at.channel < 12 && at.bank < 16 && at.row < 13 && at.column < 32);
            uint64_t number = ((at.channel * 16 + at.bank) * 13 + at.row) * 32 + at.column;
            assert_int_equal(seen[number]++, 0);
        }
        struct dram_coordinates at = dram_map_find(&m, 256);
        assert_int_equal(at.channel, 1);
    }
    end(&f);
}

// With bank_split a pair of banks alternates within two rows; each request has its own place.
static void split_map(void **state)
{
    (void)state;
    struct fixture f;
    struct dram_map m;
    begin(&f, "dram/gddr5_isca19");
    f.values.row_bytes = 1024;
    f.values.bank_split = 256;
    f.values.rows = 4;
    assert_null(dram_config_fault(&f.values, &f.arena));
    dram_map_init(&m, &f.values);
    uint8_t seen[8 * 4 * 8] = {0};
    for (uint64_t number = 0; number < sizeof seen; number++) {
        struct dram_coordinates at = dram_map_local(&m, number);
        assert_int_equal(seen[(at.bank * 4 + at.row) * 8 + at.column]++, 0);
        assert_int_equal(at.bank, number / 2 % 2 + number / 16 % 4 * 2);
        assert_int_equal(at.column, number % 2 + number / 4 % 4 * 2);
        assert_int_equal(at.row, number / 64);
    }
    f.values.bank_split = 192;
    assert_non_null(dram_config_fault(&f.values, &f.arena));
    f.values.bank_split = 256;
    f.values.order = DRAM_ROW_COLUMN_BANK;
    assert_non_null(strstr(dram_config_fault(&f.values, &f.arena), "dram.bank_split needs"));
    end(&f);
}

// Any bits select the bank: RRRR…RBBBCCCB.CCCSSSSS is bank_split 256 with rows of 2 KB.
static void bank_bits(void **state)
{
    (void)state;
    static uint32_t split[] = {8, 12, 13, 14}, mixed[] = {11, 6, 20, 5}, twice[] = {8, 9, 8, 7};
    struct fixture f;
    struct dram_map a, b;
    begin(&f, "dram/hbm2");
    f.values.row_bytes = 2048;
    f.values.order = DRAM_ROW_BANK_COLUMN;
    f.values.bank_split = 256;
    dram_map_init(&a, &f.values);
    f.values.bank_split = 0;
    f.values.bank_bits = (struct config_list){split, 4};
    assert_null(dram_config_fault(&f.values, &f.arena));
    dram_map_init(&b, &f.values);
    for (uint64_t number = 0; number < 1 << 16; number++) {
        struct dram_coordinates x = dram_map_local(&a, number), y = dram_map_local(&b, number);
        assert_memory_equal(&x, &y, sizeof x);
    }
    f.values.bank_bits.v = mixed;
    f.values.rows = 256;
    assert_null(dram_config_fault(&f.values, &f.arena));
    dram_map_init(&b, &f.values);
    uint8_t *seen = arena_alloc(&f.arena, dram_map_requests(&b));
    for (uint64_t number = 0; number < dram_map_requests(&b); number++) {
        struct dram_coordinates at = dram_map_local(&b, number);
        uint64_t address = number * 32;
        assert_int_equal(at.bank, (address >> 11 & 1) | (address >> 6 & 1) << 1 |
                                      (address >> 20 & 1) << 2 | (address >> 5 & 1) << 3);
        assert_int_equal(seen[(at.bank * 256 + at.row) * 64 + at.column]++, 0);
    }
    f.values.bank_bits.v = twice;
    assert_string_equal(dram_config_fault(&f.values, &f.arena), "dram.bank_bits contains 8, twice");
    f.values.bank_bits.n = 3;
    assert_non_null(strstr(dram_config_fault(&f.values, &f.arena), "3 bits, but there are 16"));
    f.values.bank_bits = (struct config_list){split, 4};
    f.values.bank_split = 256;
    assert_non_null(strstr(dram_config_fault(&f.values, &f.arena), "dram.bank_split: 0"));
    end(&f);
}

// Sends some requests at their clocks. Sets the clock of each reply, by id.
static void drive_some(struct fixture *f, const struct dram_request *requests,
                       const uint64_t *comes, uint32_t count, uint64_t *done)
{
    dram_init(&f->channel, &f->arena, &f->values);
    for (uint64_t now = 0, n = 0; now < 400; now++) {
        for (const struct dram_reply *a; (a = dram_peek(&f->channel, now));) {
            done[a->id] = now;
            dram_pop(&f->channel, now);
        }
        for (; n < count && comes[n] == now; n++)
            dram_accept(&f->channel, now, now, &requests[n]);
        dram_tick(&f->channel, now);
    }
    assert_int_equal(dram_inside(&f->channel), 0);
}

// A bank that has accepted a request for another row keeps to it, even if a request for the open
// row arrives before that row may be closed.
static void bank_slots(void **state)
{
    (void)state;
    static const struct dram_request requests[] = {{.id = 0}, {.id = 1, .row = 1}, {.id = 2}};
    static const uint64_t comes[] = {0, 20, 22};
    struct fixture f;
    uint64_t done[3];
    begin(&f, "dram/gddr5_isca19");
    drive_some(&f, requests, comes, 3, done);
    assert_true(done[2] < done[1]);
    assert_int_equal(done[2], 22 + 13);
    f.values.scheduler = DRAM_BANK_SLOTS;
    drive_some(&f, requests, comes, 3, done);
    assert_true(done[1] < done[2]);
    assert_int_equal(done[1], 28 + 11 + 11 + 13); // PRE after tRAS, ACT, RD, data; tRC is 39
    f.values.page = DRAM_CLOSED;
    assert_non_null(strstr(dram_config_fault(&f.values, &f.arena), "bank_slots needs"));
    end(&f);
}

// One bank accepts a request per clock: the last of four has its ACT three clocks late, even
// without tRRD.
static void slots_in_turn(void **state)
{
    (void)state;
    static const struct dram_request requests[] = {
        {.id = 0}, {.id = 1, .bank = 1}, {.id = 2, .bank = 2}, {.id = 3, .bank = 3}};
    static const uint64_t comes[4] = {0};
    struct fixture f;
    uint64_t done[4];
    begin(&f, "dram/gddr5_isca19");
    f.values.scheduler = DRAM_BANK_SLOTS;
    f.values.tRRD = 1;
    drive_some(&f, requests, comes, 4, done);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(done[i], (i < 1 ? 0 : i) + 11 + 13 + (i > 0 ? i : 0));
    end(&f);
}

// Banks 0 and 1 are in one group with `block`, in two with `modulo`: tCCD_L applies within a group.
static void group_rule(void **state)
{
    (void)state;
    static const struct dram_request requests[] = {
        {.id = 0}, {.id = 1, .bank = 1}, {.id = 2}, {.id = 3, .bank = 1}};
    static const uint64_t comes[] = {0, 0, 100, 100};
    struct fixture f;
    uint64_t done[4];
    begin(&f, "dram/gddr5_isca19");
    f.values.bank_groups = 4;
    f.values.tCCD_L = 9;
    for (uint64_t rule = 0; rule < 2; rule++) {
        f.values.group_rule = rule;
        drive_some(&f, requests, comes, 4, done);
        assert_int_equal(done[3] - done[2], rule ? 9 : 2);
    }
    end(&f);
}

static void same_again(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/hbm2");
    f.values.channels = 2;
    struct dram_result a = drive(&f, DRAM_RANDOM, 0.3, 0.4), b = drive(&f, DRAM_RANDOM, 0.3, 0.4);
    assert_memory_equal(&a.all, &b.all, sizeof a.all);
    assert_memory_equal(a.channels, b.channels, 2 * sizeof *a.channels);
    assert_true(memcmp(&a.channels[0], &a.channels[1], sizeof a.all));
    near((double)a.offered / 195000, 0.4, 0.01);
    near((double)a.all.writes / (double)(a.all.reads + a.all.writes), 0.3, 0.02);
    // Sums that do not depend on the compiler or the machine.
    assert_int_equal(a.all.reads, 53902);
    assert_int_equal(a.all.read_latency_sum, 56616030);
    end(&f);
}

static void config_faults(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "dram/hbm2");
    f.values.row_bytes = 1000;
    assert_string_equal(dram_config_fault(&f.values, &f.arena),
                        "dram.row_bytes is 1000, not a multiple of dram.request_bytes: 32");
    f.values.row_bytes = 1024;
    f.values.bank_groups = 3;
    assert_non_null(dram_config_fault(&f.values, &f.arena));
    f.values.bank_groups = 4;
    f.values.write_low = f.values.write_high;
    assert_non_null(dram_config_fault(&f.values, &f.arena));
    f.values.write_low = 0;
    f.values.write_high = 33;
    assert_string_equal(dram_config_fault(&f.values, &f.arena),
                        "dram.write_high is 33, above dram.write_queue: 32");
    f.values.write_high = 26;
    f.values.tRFC = f.values.tREFI;
    assert_non_null(dram_config_fault(&f.values, &f.arena));
    f.values.tRFC = 260;
    assert_null(dram_config_fault(&f.values, &f.arena));
    uint64_t min = f.values.tRAS + f.values.tRP + f.values.tRFC + f.values.tRCD;
    f.values.tREFI = min;
    assert_non_null(strstr(dram_config_fault(&f.values, &f.arena), "between two refreshes"));
    f.values.tREFI = min + 1;
    assert_null(dram_config_fault(&f.values, &f.arena));
    f.values.banks = 12;
    f.values.bank_xor = true;
    assert_non_null(dram_config_fault(&f.values, &f.arena));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_latency),     cmocka_unit_test(example),
        cmocka_unit_test(limits),           cmocka_unit_test(other_limits),
        cmocka_unit_test(refresh),          cmocka_unit_test(write_drain),
        cmocka_unit_test(answers),          cmocka_unit_test(map),
        cmocka_unit_test(same_again),       cmocka_unit_test(config_faults),
        cmocka_unit_test(split_map),        cmocka_unit_test(bank_slots),
        cmocka_unit_test(low_power),        cmocka_unit_test(stacks),
        cmocka_unit_test(refresh_of_banks), cmocka_unit_test(bank_bits),
        cmocka_unit_test(slots_in_turn),    cmocka_unit_test(group_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
