// Random programs of a host with streams and full/empty bits: the same contents as a sequential
// model of the host, with a machine and without.
//
// Each buffer is written once in a round, by a copy or a kernel, and read after that in the model's
// order. The calls are in another order, which keeps only the order within each stream: kernels and
// copies to the host may be called before the copies that fill their words.
//
// Two kinds of wait would be circular, because only the heads of queues are evaluated: a kernel
// that waits for words of another kernel, whose reads are queued after its own; and a copy to the
// device queued after a kernel whose reads are queued after those that wait for the copy. So a
// kernel is in the stream of the kernel whose words it reads, and copies to the device have their
// own streams.
#include "support/random.h"
#include "tests/unit/runtime-sim/host_fixture.h"

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 to, .param .u64 from)\n{\n"                              \
    ".reg .b32 %r<6>; .reg .b64 %rd<5>;\n"                                                         \
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];\n"                                        \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4;\n"                                  \
    "add.u64 %rd1, %rd1, %rd3; " body " st.global.u32 [%rd1], %r4; ret;\n}\n"
const char host_text[] = ".version 8.0\n.target sm_80\n.address_size 64\n" KERNEL(
    "step", "add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r4, %r4, 2, 1;")
    // Reads the element with the last four bits of its number inverted.
    KERNEL("turn", "xor.b32 %r1, %r1, 15; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;\n"
                   "ld.global.cg.u32 %r4, [%rd2]; add.u32 %r4, %r4, 7;");

enum { WORDS = 512, BUFFERS = 6, OPERATIONS = 14, ROUNDS = 2, PROGRAMS = 500 };
enum { KERNELS = 3, COPIES_IN = 2, COPIES_OUT = 2, STREAMS = KERNELS + COPIES_IN + COPIES_OUT };

enum operation_kind { TO_DEVICE, TO_HOST, STEP, SWAP };

struct operation {
    enum operation_kind kind;
    uint32_t to, from, stream; // buffers
};

struct program_of {
    uint64_t state; // of random numbers
    bool counts;    // a word is empty again after the last read of the round
    struct operation list[OPERATIONS];
    uint32_t count;
    uint64_t at[BUFFERS];
    uint32_t host[OPERATIONS][WORDS]; // memory of each copy
    uint32_t model[BUFFERS][WORDS], expected[OPERATIONS][WORDS];
};

static uint32_t draw(struct program_of *p, uint32_t below)
{
    return (uint32_t)(xorshift64(&p->state) % below);
}

// Adds the operation that writes buffer `to`.
static void add_writer(struct program_of *p, uint32_t to, struct operation writers[BUFFERS])
{
    struct operation *one = &p->list[p->count++];
    *one = (struct operation){.kind = TO_DEVICE, .to = to, .stream = KERNELS + draw(p, COPIES_IN)};
    if (to && draw(p, 2)) {
        one->kind = STEP + draw(p, 2);
        one->from = draw(p, to);
        one->stream =
            writers[one->from].kind >= STEP ? writers[one->from].stream : draw(p, KERNELS);
    }
    writers[to] = *one;
}

// Makes the operations of a round, in the model's order. The first buffer is filled by a copy.
static void make_round(struct program_of *p)
{
    struct operation writers[BUFFERS];
    p->count = 0;
    for (uint32_t written = 0; written < BUFFERS;) {
        add_writer(p, written++, writers);
        if (p->count + BUFFERS - written + 1 < OPERATIONS && !draw(p, 2))
            p->list[p->count++] =
                (struct operation){.kind = TO_HOST,
                                   .from = draw(p, written),
                                   .stream = KERNELS + COPIES_IN + draw(p, COPIES_OUT)};
    }
    p->list[p->count++] =
        (struct operation){.kind = TO_HOST, .from = BUFFERS - 1, .stream = KERNELS + COPIES_IN};
}

// Executes the model: the operations in sequence.
static void execute_model(struct program_of *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct operation *one = &p->list[i];
        uint32_t *to = p->model[one->to], *from = p->model[one->from];
        for (uint32_t k = 0; k < WORDS; k++)
            switch (one->kind) {
            case TO_DEVICE: to[k] = p->host[i][k]; break;
            case TO_HOST: p->expected[i][k] = from[k]; break;
            case STEP: to[k] = 2 * from[k] + 1; break;
            case SWAP: to[k] = from[k ^ 15] + 7; break;
            }
    }
}

static void call_one(struct bench *b, struct program_of *p, struct host_stream *streams, uint32_t i)
{
    const struct operation *one = &p->list[i];
    struct host_copy copy = {.bytes = sizeof p->host[i]};
    if (one->kind >= STEP) {
        b->out_at = p->at[one->to];
        b->in_at = p->at[one->from];
        host_launch(&streams[one->stream], prepare(b, one->kind == STEP ? "step" : "turn"));
        return;
    }
    if (one->kind == TO_DEVICE) {
        copy.to = p->at[one->to];
        copy.data_from = p->host[i];
        copy.mark = plane_mark(PLANE_ALWAYS, PLANE_FILL);
    } else {
        copy.from = p->at[one->from];
        copy.data_to = p->host[i];
        copy.mark = plane_mark(PLANE_WAIT_FULL, PLANE_KEEP);
    }
    assert_true(host_copy(&streams[one->stream], &copy));
}

// Makes the calls in any order that keeps the order within each stream.
static void call_all(struct bench *b, struct program_of *p, struct host_stream *streams)
{
    bool called[OPERATIONS] = {0};
    for (uint32_t left = p->count; left;) {
        uint32_t stream = draw(p, STREAMS), i = 0;
        while (i < p->count && (called[i] || p->list[i].stream != stream))
            i++;
        if (i == p->count)
            continue;
        called[i] = true;
        left--;
        call_one(b, p, streams, i);
        if (!draw(p, 3))
            host_pass(&b->host, us(draw(p, 20)));
    }
}

static void check_round(const struct bench *b, const struct program_of *p, uint64_t seed)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->list[i].kind == TO_HOST && memcmp(p->host[i], p->expected[i], sizeof p->host[i]))
            fail_msg("program %u: operation %u has other contents", (unsigned)seed, i);
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (memcmp(device_at(&b->device, p->at[i], sizeof p->model[i]), p->model[i],
                   sizeof p->model[i]))
            fail_msg("program %u: buffer %u has other contents", (unsigned)seed, i);
}

// Returns the number of operations of the round that read a buffer: each reads each word once.
static uint32_t readers(const struct program_of *p, uint32_t buffer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        count += p->list[i].kind != TO_DEVICE && p->list[i].from == buffer;
    return count;
}

static void set_counts(const struct bench *b, const struct program_of *p)
{
    for (uint32_t i = 0; p->counts && i < BUFFERS; i++)
        assert_null(plane_set_counts(b->device.image, p->at[i], 1, readers(p, i)));
}

// Empties all words that counts have not emptied, for the next round.
static void empty_all(struct bench *b, const struct program_of *p, struct host_stream *streams)
{
    struct device_result result;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        if (p->counts && readers(p, i))
            assert_int_equal(
                plane_find_missing(b->device.image, p->at[i], WORDS * 4, PLANE_WAIT_EMPTY), 0);
        else
            assert_true(host_set_state(&streams[0], p->at[i], WORDS * 4, PLANE_EMPTY));
    }
    assert_int_equal(host_synchronise(&b->host, &result), DEVICE_DONE);
}

static void run_round(struct bench *b, struct program_of *p, struct host_stream *streams,
                      uint64_t seed)
{
    struct device_result result;
    make_round(p);
    set_counts(b, p);
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < WORDS; k++)
            p->host[i][k] = p->list[i].kind == TO_DEVICE ? draw(p, 1 << 30) : 0;
    execute_model(p);
    call_all(b, p, streams);
    if (host_synchronise(&b->host, &result) != DEVICE_DONE)
        fail_msg("program %u: %s\n%s", (unsigned)seed, result.grid.fault.text,
                 b->host.why ? b->host.why : "");
    check_round(b, p, seed);
    empty_all(b, p, streams);
}

static void run_program(struct bench *b, uint64_t seed, bool with_time)
{
    static struct program_of p;
    static struct host_stream streams[STREAMS];
    static const char *const depths[] = {"fe.queue_depth=16", "fe.queue_depth=1",
                                         "fe.queue_depth=3"};
    static const char *const pasts[] = {"fe.look_past=0", "fe.look_past=4"};
    static const char *const orders[] = {"fe.order=source", "fe.order=none"};
    p = (struct program_of){.state = seed * 2654435761 + 1};
    start(b, with_time,
          SETTINGS("fe.enabled=true", "fe.counter_bits=4", depths[draw(&p, 3)], pasts[draw(&p, 2)],
                   orders[draw(&p, 2)], "memory.cores=16",
                   draw(&p, 2) ? "host.outstanding=64" : "host.outstanding=2"));
    p.counts = draw(&p, 2);
    b->grid = WORDS / BLOCK;
    for (int i = 0; i < STREAMS; i++)
        host_stream_add(b->host.gpus, &streams[i], HOST_INDEPENDENT);
    for (uint32_t i = 0; i < BUFFERS; i++)
        p.at[i] = device_allocate(&b->device, WORDS * 4, "buffer");
    for (uint32_t round = 0; round < ROUNDS; round++)
        run_round(b, &p, streams, seed);
    end(b);
}

static uint64_t programs = PROGRAMS;

static void without_time(void **state)
{
    static struct bench b;
    (void)state;
    for (uint64_t seed = 1; seed <= programs; seed++)
        run_program(&b, seed, false);
}

static void with_time(void **state)
{
    static struct bench b;
    (void)state;
    for (uint64_t seed = 1; seed <= programs; seed++)
        run_program(&b, seed, true);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--count"))
        programs = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time),
        cmocka_unit_test(with_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
