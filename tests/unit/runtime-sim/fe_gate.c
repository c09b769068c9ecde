// The queues of full/empty bits in a partition, clock by clock: triggers and actions, order,
// release, arbitration, word masks.
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/memsys/memsys_state.h"
#include "runtime-sim/schemes/full_empty/gate.h"
#include "tests/unit/runtime-sim/memsys_fixture.h"

enum { LINES = 64, CPU = 1000, RELEASES = 4096 };

// A gate of partition 0, clocked by the test. Releases are recorded with their clocks.
struct bench {
    struct fixture f;
    struct image image;
    const struct image *at;
    struct fe_config config;
    struct fe_gate gate;
    uint64_t address, clock;
    uint32_t sent;
    uint32_t released[RELEASES]; // entries
    uint64_t clocks[RELEASES];
    uint32_t count;
};

static void start_gate(struct bench *b, const struct fe_config *config, bool full)
{
    memset(b, 0, sizeof *b);
    begin(&b->f, "gtx480", (const char *const[]){"llc.input=4096", "memory.chunk=128", NULL});
    b->f.values->named_reads = true;
    start(&b->f, NULL, NULL);
    image_init(&b->image, &b->f.arena, 1 << 20);
    b->address = image_allocate(&b->image, LINES * PLANE_LINE, 1024, "data");
    plane_add(&b->image, b->address,
              (struct plane_kind){.initial = full ? PLANES_FULL : PLANES_EMPTY, .bits = 4});
    b->at = &b->image;
    b->config = *config;
    fe_gate_init(&b->gate, &b->f.arena, &b->config, 0);
    b->gate.memsys = b->f.m;
    b->gate.image = &b->at;
}

static void end_gate(struct bench *b)
{
    arena_free(&b->f.arena);
}

// Adds a request in this clock. Returns its entry.
static uint32_t arrive(struct bench *b, enum memsys_kind kind, uint64_t core, uint32_t line,
                       uint32_t first, uint32_t words, uint8_t mark)
{
    const struct memsys_request request = {
        .line = b->address / PLANE_LINE + line,
        .bytes = mask_range(first * PLANE_WORD, (first + words) * PLANE_WORD),
        .core = core == CPU ? 5 : (uint32_t)core,
        .kind = (uint8_t)kind,
        .mark = core == CPU ? mark | PLANE_OF_HOST : mark};
    uint32_t entry = memsys_new_entry(b->f.m, &request);
    assert_true(fe_gate_has_room(&b->gate, &request));
    fe_gate_accept(&b->gate, entry, &b->f.m->pool.entries[entry].request, b->clock);
    return entry;
}

// Evaluates a clock. Returns true if a request was released.
static bool step(struct bench *b)
{
    struct fe_request before[FE_QUEUES][64];
    uint32_t counts[FE_QUEUES], was = b->count;
    for (int i = 0; i < FE_QUEUES; i++) {
        counts[i] = b->gate.queues[i].count;
        memcpy(before[i], b->gate.queues[i].list, counts[i] * sizeof *before[i]);
    }
    fe_gate_tick(&b->gate, b->clock);
    for (int i = 0; i < FE_QUEUES; i++) {
        if (b->gate.queues[i].count == counts[i])
            continue;
        uint32_t at = 0;
        while (at + 1 < counts[i] && before[i][at].entry == b->gate.queues[i].list[at].entry)
            at++;
        b->released[b->count] = before[i][at].entry;
        b->clocks[b->count++] = b->clock;
    }
    assert_true(b->count <= was + 1);
    b->clock++;
    return b->count > was;
}

static void steps(struct bench *b, uint32_t count)
{
    while (count--)
        step(b);
}

// Fails unless release `number` was this entry in this clock.
static void expect(const struct bench *b, uint32_t number, uint32_t entry, uint64_t clock)
{
    assert_true(b->count > number);
    assert_int_equal(b->released[number], entry);
    assert_int_equal(b->clocks[number], clock);
}

static const struct fe_config usual = {
    .enabled = true, .granule = 4, .counter_bits = 1, .queue_depth = 16};

static uint32_t word_is_full(const struct bench *b, uint32_t word)
{
    return !plane_missing(plane_find(&b->image, b->address), 1u << word, PLANE_WAIT_FULL);
}

// All triggers, actions and states, of reads and writes: 12 of 18 proceed at once, 6 wait until the
// state changes; then the bit is as the action defines [001 §4.1].
static void truth_table(void **state)
{
    uint32_t proceed = 0, wait = 0;
    (void)state;
    for (uint32_t i = 0; i < 2 * 3 * 3 * 2; i++) {
        static struct bench b;
        bool full = i & 1, writes = i & 2;
        enum plane_trigger trigger = i / 4 % 3;
        enum plane_action action = i / 12;
        start_gate(&b, &usual, full);
        uint32_t entry = arrive(&b, writes ? MEMSYS_WRITE : MEMSYS_READ, CPU, 0, 3, 1,
                                plane_mark(trigger, action));
        bool allowed = trigger == PLANE_ALWAYS || (trigger == PLANE_WAIT_FULL) == full;
        assert_int_equal(step(&b), allowed);
        proceed += allowed;
        wait += !allowed;
        if (!allowed) {
            steps(&b, 5);
            assert_int_equal(b.count, 0);
            assert_false(fe_gate_is_due(&b.gate));
            uint32_t other = arrive(&b, MEMSYS_WRITE, CPU, 0, 3, 1,
                                    plane_mark(PLANE_ALWAYS, full ? PLANE_EMPTY : PLANE_FILL));
            steps(&b, 2);
            expect(&b, 0, other, 6);
        }
        expect(&b, !allowed, entry, allowed ? 0 : 7);
        bool was = allowed ? full : !full;
        assert_int_equal(word_is_full(&b, 3), action == PLANE_KEEP ? was : action == PLANE_FILL);
        assert_int_equal(word_is_full(&b, 4), full); // of no other word
        end_gate(&b);
    }
    assert_int_equal(proceed, 2 * 12);
    assert_int_equal(wait, 2 * 6);
}

// The heads of all queues are ready in one clock [001 §6.3]; a queue 0 that is never empty holds up
// the others.
static void arbitration(void **state)
{
    static struct bench b;
    (void)state;
    for (int gpu_first = 0; gpu_first < 2; gpu_first++) {
        struct fe_config config = usual;
        config.priority = gpu_first;
        start_gate(&b, &config, true);
        uint32_t gpu = arrive(&b, MEMSYS_READ, 1, 0, 0, 4, 0);
        uint32_t cpu =
            arrive(&b, MEMSYS_READ, CPU, 1, 0, 4, plane_mark(PLANE_WAIT_FULL, PLANE_KEEP));
        uint32_t plain = arrive(&b, MEMSYS_WRITE, 2, 2, 0, 4, 0);
        steps(&b, 3);
        expect(&b, 0, plain, 0);
        expect(&b, 1, gpu_first ? gpu : cpu, 1);
        expect(&b, 2, gpu_first ? cpu : gpu, 2);
        end_gate(&b);
    }
    start_gate(&b, &usual, true);
    uint32_t gpu = arrive(&b, MEMSYS_READ, 1, 0, 0, 4, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        arrive(&b, MEMSYS_WRITE, 2, 1 + i % 60, 0, 4, 0);
        assert_true(step(&b));
        assert_int_not_equal(b.released[b.count - 1], gpu);
    }
    step(&b);
    expect(&b, 1000, gpu, 1000);
    end_gate(&b);
}

// A request for a full word waits behind one for an empty word: A is released in the clock after
// its fill, B in the next. With look_past B does not wait.
static void head_of_line(void **state)
{
    static struct bench b;
    (void)state;
    for (int past = 0; past < 2; past++) {
        struct fe_config config = usual;
        config.look_past = (uint64_t)past;
        start_gate(&b, &config, false);
        plane_act(plane_find(&b.image, b.address + PLANE_LINE), 1, PLANE_FILL, 1);
        uint32_t one = arrive(&b, MEMSYS_READ, 1, 0, 0, 1, 0);
        uint32_t two = arrive(&b, MEMSYS_READ, 2, 1, 0, 1, 0);
        steps(&b, 10);
        uint32_t fill =
            arrive(&b, MEMSYS_WRITE, CPU, 0, 0, 1, plane_mark(PLANE_ALWAYS, PLANE_FILL));
        steps(&b, 4);
        assert_int_equal(b.count, 3);
        if (past)
            expect(&b, 0, two, 0);
        expect(&b, 0 + (uint32_t)past, fill, 10);
        expect(&b, 1 + (uint32_t)past, one, 11);
        if (!past)
            expect(&b, 2, two, 12);
        assert_int_equal(b.gate.stats.waits, 1);
        assert_int_equal(b.gate.stats.wait_clocks, 11);
        assert_int_equal(b.gate.stats.false_waits, !past);
        assert_int_equal(b.gate.stats.heads_blocked2, 11);
        end_gate(&b);
    }
}

// A coalesced read is released with the last of its words. Words that it does not access do not
// count, unless a granule contains them.
static void coalesced(void **state)
{
    static struct bench b;
    (void)state;
    for (uint64_t granule = 4; granule <= 128; granule *= 2) {
        struct fe_config config = usual;
        config.granule = granule;
        start_gate(&b, &config, false);
        uint32_t half = arrive(&b, MEMSYS_READ, 1, 0, 0, 16, 0);
        for (uint32_t word = 0; word < 16; word++) {
            assert_int_equal(b.count, word);
            arrive(&b, MEMSYS_WRITE, CPU, 0, word, 1, plane_mark(PLANE_ALWAYS, PLANE_FILL));
            step(&b);
        }
        step(&b);
        if (granule < 128)
            expect(&b, 16, half, 16);
        else
            assert_int_equal(b.count, 16);
        end_gate(&b);
    }
}

// A core's write waits for its older, waiting read of the line; with `none` it passes and releases
// the read [001 §4.3]. Writes of other cores pass in both cases.
static void order(void **state)
{
    static struct bench b;
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct fe_config config = usual;
        config.order = none;
        start_gate(&b, &config, false);
        uint32_t read = arrive(&b, MEMSYS_READ, 1, 0, 7, 1, 0);
        uint32_t write = arrive(&b, MEMSYS_WRITE, 1, 0, 7, 1, 0);
        uint32_t other = arrive(&b, MEMSYS_WRITE, 2, 0, 8, 1, 0);
        steps(&b, 3);
        if (none) {
            expect(&b, 0, write, 0);
            expect(&b, 1, other, 1);
            expect(&b, 2, read, 2);
        } else {
            expect(&b, 0, other, 0);
            assert_int_equal(b.count, 1);
            uint32_t fill =
                arrive(&b, MEMSYS_WRITE, CPU, 0, 7, 1, plane_mark(PLANE_ALWAYS, PLANE_FILL));
            steps(&b, 3);
            expect(&b, 1, fill, 3);
            expect(&b, 2, read, 4);
            expect(&b, 3, write, 5);
            assert_int_equal(b.gate.stats.followed, 1);
        }
        end_gate(&b);
    }
}

// Atomics wait for full words and leave them full. Memory without bits is full, and keeps nothing.
static void atomics(void **state)
{
    static struct bench b;
    (void)state;
    start_gate(&b, &usual, false);
    uint32_t atomic = arrive(&b, MEMSYS_ATOMIC, 1, 0, 2, 1, 0);
    steps(&b, 2);
    assert_int_equal(b.count, 0);
    arrive(&b, MEMSYS_WRITE, 3, 0, 2, 1, 0);
    steps(&b, 2);
    expect(&b, 1, atomic, 3);
    assert_true(word_is_full(&b, 2));
    uint64_t other = image_allocate(&b.image, PLANE_LINE, 1024, "constants");
    uint32_t line = (uint32_t)((other - b.address) / PLANE_LINE);
    uint32_t read = arrive(&b, MEMSYS_READ, 1, line, 0, 32, 0);
    step(&b);
    expect(&b, 2, read, 4);
    end_gate(&b);
}

// Each queue has room for queue_depth requests; a full one does not affect the others.
static void depth(void **state)
{
    static struct bench b;
    struct fe_config config = usual;
    (void)state;
    config.queue_depth = 2;
    start_gate(&b, &config, false);
    arrive(&b, MEMSYS_READ, 1, 0, 0, 1, 0);
    arrive(&b, MEMSYS_READ, 2, 0, 0, 1, 0);
    const struct memsys_request third = {
        .line = b.address / PLANE_LINE, .bytes = mask_range(0, 4), .core = 3, .kind = MEMSYS_READ};
    assert_false(fe_gate_has_room(&b.gate, &third));
    arrive(&b, MEMSYS_WRITE, 3, 1, 0, 1, 0);
    arrive(&b, MEMSYS_READ, CPU, 2, 0, 1, plane_mark(PLANE_WAIT_FULL, PLANE_KEEP));
    step(&b);
    assert_int_equal(b.count, 1);
    end_gate(&b);
}

// A word that was read in this round and is filled again without being emptied was stale.
static void rounds(void **state)
{
    static struct bench b;
    (void)state;
    for (int empties = 0; empties < 2; empties++) {
        uint8_t fill = plane_mark(PLANE_ALWAYS, PLANE_FILL);
        start_gate(&b, &usual, false);
        arrive(&b, MEMSYS_WRITE, CPU, 0, 0, 8, fill);
        arrive(&b, MEMSYS_READ, 1, 0, 0, 8, 0);
        steps(&b, 2);
        plane_next_round(&b.image);
        if (empties)
            plane_act_all(&b.image, b.address, PLANE_LINE, PLANE_EMPTY);
        arrive(&b, MEMSYS_READ, 1, 0, 0, 8, 0);
        steps(&b, 2);
        arrive(&b, MEMSYS_WRITE, CPU, 0, 0, 8, fill);
        steps(&b, 3);
        assert_int_equal(b.gate.stats.stale_reads, empties ? 0 : 8);
        end_gate(&b);
    }
}

// Counts in place of bits [001 §4.5]: a word is full after this many writes and atomics, which do
// not wait, and empty after this many reads.
static void counts(void **state)
{
    enum { FILLS = 3, READS = 2 };
    static struct bench b;
    (void)state;
    start_gate(&b, &usual, false);
    assert_null(plane_set_counts(&b.image, b.address + 512, FILLS, READS));
    assert_non_null(plane_set_counts(&b.image, b.address, 16, 0)); // 17 states, 4 bits
    assert_non_null(plane_set_counts(&b.image, 64, FILLS, READS));
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t read[READS + 1];
        for (uint32_t i = 0; i <= READS; i++)
            read[i] = arrive(&b, MEMSYS_READ, 1 + i, 0, 0, 1, 0);
        for (uint32_t i = 0; i < FILLS; i++) {
            assert_int_equal(b.count, round * 7 + i);
            arrive(&b, i ? MEMSYS_REDUCE : MEMSYS_WRITE, 4 + i, 0, 0, 1, 0);
            assert_true(step(&b));
        }
        steps(&b, 4);
        // Two of three reads had their turn; then the word was empty.
        assert_int_equal(b.count, round * 7 + FILLS + READS);
        assert_int_equal(b.released[b.count - 1], read[READS - 1]);
        assert_false(word_is_full(&b, 0));
        plane_act_all(&b.image, b.address, 4, PLANE_FILL);
        plane_act_all(&b.image, b.address, 4, PLANE_FILL);
        assert_int_equal(b.gate.queues[FE_GPU].count, 1);
        // Emptied, it needs all fills again.
        plane_act_all(&b.image, b.address, 4, PLANE_EMPTY);
        for (uint32_t i = 0; i < FILLS; i++) {
            assert_false(step(&b));
            plane_act_all(&b.image, b.address, 4, PLANE_FILL);
        }
        assert_true(step(&b)); // one read; a copy that waits is the other
        arrive(&b, MEMSYS_READ, CPU, 0, 0, 1, plane_mark(PLANE_WAIT_FULL, PLANE_KEEP));
        assert_true(step(&b));
        assert_false(word_is_full(&b, 0));
    }
    end_gate(&b);
}

// A release lets requests pass that wait for words of its range, and later ones, until the word
// changes or the round ends [001 §4.5].
static void release(void **state)
{
    static struct bench b;
    (void)state;
    start_gate(&b, &usual, false);
    uint32_t one = arrive(&b, MEMSYS_READ, 1, 0, 3, 2, 0);
    uint32_t two = arrive(&b, MEMSYS_READ, 2, 0, 8, 1, 0);
    steps(&b, 3);
    plane_act_all(&b.image, b.address + 12, 8, PLANE_RELEASE);
    steps(&b, 3);
    expect(&b, 0, one, 3);
    assert_int_equal(b.count, 1);
    assert_int_equal(b.gate.stats.overridden, 1);
    assert_int_equal(fe_gate_word(&b.gate, fe_gate_blocked(&b.gate, FE_GPU)), b.address + 32);
    plane_act_all(&b.image, b.address + 32, 4, PLANE_RELEASE);
    step(&b);
    expect(&b, 1, two, 6);
    arrive(&b, MEMSYS_READ, 1, 0, 8, 1, 0);
    assert_true(step(&b));
    plane_act_all(&b.image, b.address + 32, 4, PLANE_EMPTY);
    arrive(&b, MEMSYS_READ, 1, 0, 8, 1, 0);
    assert_false(step(&b));
    plane_act_all(&b.image, b.address, PLANE_LINE, PLANE_RELEASE);
    plane_next_round(&b.image);
    assert_false(step(&b));
    end_gate(&b);
}

// A discard empties the words of its line, follows older accesses of its core, and does not enter
// the slice.
static void discard(void **state)
{
    static struct bench b;
    (void)state;
    start_gate(&b, &usual, true);
    uint64_t inside = b.f.m->partitions[0].cache.inputs[0].count;
    arrive(&b, MEMSYS_REDUCE, 1, 0, 0, 32, plane_mark(PLANE_ALWAYS, PLANE_EMPTY) | PLANE_AS_MARKED);
    assert_true(step(&b));
    for (uint32_t i = 0; i < PLANE_WORDS; i++)
        assert_false(word_is_full(&b, i));
    assert_int_equal(b.f.m->partitions[0].cache.inputs[0].count, inside);
    assert_int_equal(b.f.m->partitions[0].reply_count, 1);
    uint32_t read = arrive(&b, MEMSYS_READ, 1, 0, 0, 1, 0);
    uint32_t again = arrive(&b, MEMSYS_REDUCE, 1, 0, 0, 32,
                            plane_mark(PLANE_ALWAYS, PLANE_EMPTY) | PLANE_AS_MARKED);
    steps(&b, 3);
    assert_int_equal(b.count, 1);
    arrive(&b, MEMSYS_WRITE, CPU, 0, 0, 1, plane_mark(PLANE_ALWAYS, PLANE_FILL));
    steps(&b, 3);
    expect(&b, 2, read, 5);
    expect(&b, 3, again, 6);
    assert_false(word_is_full(&b, 0));
    assert_int_equal(b.gate.stats.discards, 2);
    assert_int_equal(b.gate.stats.stale_reads, 0);
    // A read that is marked so does not wait for its words.
    arrive(&b, MEMSYS_READ, 2, 1, 0, 1, PLANE_AS_MARKED);
    assert_true(step(&b));
    plane_act_all(&b.image, b.address + PLANE_LINE, PLANE_LINE, PLANE_EMPTY);
    arrive(&b, MEMSYS_READ, 2, 1, 0, 1, PLANE_AS_MARKED);
    assert_true(step(&b));
    end_gate(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_table),  cmocka_unit_test(arbitration),
        cmocka_unit_test(head_of_line), cmocka_unit_test(coalesced),
        cmocka_unit_test(order),        cmocka_unit_test(atomics),
        cmocka_unit_test(depth),        cmocka_unit_test(rounds),
        cmocka_unit_test(counts),       cmocka_unit_test(release),
        cmocka_unit_test(discard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
