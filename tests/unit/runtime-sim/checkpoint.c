// Checkpoints: a checkpoint is read back and its run continues to the same end. Any other bytes
// give a reason or a valid run. Also with memory running out at any point.
#include "runtime-sim/run/checkpoint.h"
#include "backend/tables/build.h"
#include "support/random.h"
#include "tests/unit/runtime-sim/kernel.h"

static const char program_text[] =
    HEAD("8.0", "sm_80") ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                         ".extern .func free(.param .b64 p);\n"
                         ".global .u32 count; .global .u64 held;\n"
                         ".entry k(.param .u64 to)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>;\n"
                         ".reg .b64 %rd<9>;\n"
                         "ld.param.u64 %rd1, [to]; atom.global.add.u32 %r1, [count], 1;\n"
                         "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\n"
                         "ld.global.u64 %rd3, [held]; setp.eq.u64 %p1, %rd3, 0; @%p1 bra none;\n"
                         "ld.u32 %r2, [%rd3]; st.global.u32 [%rd2], %r2;\n"
                         "{ .param .b64 p; st.param.b64 [p], %rd3; call free, (p); }\n"
                         "none:\n"
                         "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40;\n"
                         "call (r), malloc, (n); ld.param.b64 %rd3, [r]; }\n"
                         "setp.eq.u64 %p1, %rd3, 0; @%p1 bra end;\n"
                         "st.u32 [%rd3], %r1; st.global.u64 [held], %rd3;\n"
                         "end: ret;\n}\n.entry other(.param .u64 to)\n{\nret;\n}\n";

static const char run_text[] = "program: x.ptx\n"
                               "buffers:\n"
                               "  to: {type: u32, count: 32, fill: zero}\n"
                               "  rounds: {type: u32, count: 1, fill: 'const:3'}\n"
                               "launches:\n"
                               "  - {kernel: other, grid: 1, block: 1, args: [to]}\n"
                               "  - repeat:\n"
                               "      times: rounds[0]\n"
                               "      reset: rounds\n"
                               "      launches:\n"
                               "        - repeat:\n"
                               "            times: 2\n"
                               "            launches:\n"
                               "              - {kernel: k, grid: 1, block: 1, args: [to]}\n";

enum { LAUNCHES = 7, AT = 4 };

// State common to all runs.
struct fixture {
    struct kernel k;
    struct source source;
    struct machine_config config;
    struct config resolved;
    struct timed_options options;
    char *bytes; // of the checkpoint after launch AT
    size_t size;
};

// One run.
struct going {
    struct fixture *f;
    struct arena arena;
    struct diags diags;
    struct run run;
    struct session session;
    struct timed timed;
    bool with_time;
};

static void load(struct fixture *f)
{
    *f = (struct fixture){0};
    kernel_load(&f->k, program_text, NULL);
    char *copy = arena_alloc(&f->k.arena, sizeof run_text + 2);
    memcpy(copy, run_text, sizeof run_text);
    source_init(&f->source, &f->k.arena, "run.yaml", copy, sizeof run_text - 1);
    uint32_t count;
    struct config_section *sections = machine_sections(&f->config, &f->k.arena, NULL, &count);
    config_init(&f->resolved, &f->k.arena, sections, count);
    assert_true(config_load(&f->resolved, "isca19"));
    f->config.memsys.memory.cores = 1;
    assert_null(machine_check(&f->k.arena, &f->config));
    f->options = (struct timed_options){.config = &f->config, .resolved = &f->resolved};
}

static void unload(struct fixture *f)
{
    free(f->bytes);
    arena_free(&f->k.arena);
    assert_int_equal(f->k.memory.bytes, 0);
}

static void prepare(struct going *g, struct fixture *f, bool with_time)
{
    *g = (struct going){.f = f, .with_time = with_time};
    arena_init(&g->arena, &f->k.memory);
    diags_init(&g->diags, &g->arena);
    run_init(&g->run, &g->arena, &f->source, &g->diags);
    bool good = run_read(&g->run, &g->arena);
    g->session = (struct session){
        .device = {.arena = &g->arena, .program = &f->k.program, .source = &f->k.source},
        .arena = &g->arena,
        .run = &g->run,
        .diags = &g->diags};
    if (with_time)
        timed_begin(&g->timed, &g->session.device, &f->options);
    assert_true(good && session_prepare(&g->session));
}

static void leave(struct going *g)
{
    if (g->with_time)
        arena_free(&g->timed.own);
    arena_free(&g->arena);
}

static struct timed *timed_of(struct going *g)
{
    return g->with_time ? &g->timed : NULL;
}

// Writes no checkpoint, for continued runs: a changed one may reach launch AT again.
static void accept_none(void *context)
{
    struct going *g = context;
    if (g->with_time)
        timed_renew(&g->timed);
}

static void accept_result(void *context)
{
    struct going *g = context;
    accept_none(g);
    if (g->session.device.launches != AT)
        return;
    FILE *to = open_memstream(&g->f->bytes, &g->f->size);
    assert_true(to && checkpoint_write(&g->session, timed_of(g), to));
    fclose(to);
}

// Runs all launches, and keeps the checkpoint.
static void write_one(struct fixture *f, struct going *whole, bool with_time)
{
    prepare(whole, f, with_time);
    whole->session.checkpoint_every = 1;
    whole->session.checkpoint = accept_result;
    whole->session.checkpoint_context = whole;
    assert_int_equal(session_run(&whole->session), SESSION_DONE);
    assert_int_equal(whole->session.device.launches, LAUNCHES);
    assert_true(f->size > 1000);
}

// Continues the run for at most `more` launches. Returns NULL, or why it cannot be resumed.
static const char *resume(struct going *g, const char *bytes, size_t size, uint64_t more)
{
    struct checkpoint *checkpoint;
    const char *wrong = checkpoint_read(&checkpoint, &g->arena, bytes, size);
    if (!wrong)
        wrong = checkpoint_restore(checkpoint, &g->session, timed_of(g));
    if (wrong)
        return wrong;
    g->session.checkpoint = accept_none;
    g->session.checkpoint_context = g;
    g->session.stop_after = checkpoint_launches(checkpoint) + more;
    session_run(&g->session);
    return NULL;
}

static void test_goes_on(void **state)
{
    (void)state;
    struct fixture f;
    for (int with_time = 0; with_time < 2; with_time++) {
        struct going whole, rest;
        load(&f);
        write_one(&f, &whole, with_time);
        prepare(&rest, &f, with_time);
        assert_null(resume(&rest, f.bytes, f.size, LAUNCHES));
        assert_int_equal(rest.session.device.launches, LAUNCHES);
        const struct image *a = whole.session.device.image, *b = rest.session.device.image;
        assert_int_equal(a->list.n, b->list.n);
        assert_true(a->next == b->next && a->heap_left == b->heap_left);
        for (uint32_t i = 0; i < a->list.n; i++) {
            const struct allocation *x = &a->list.v[i], *y = &b->list.v[i];
            assert_true(x->address == y->address && x->bytes == y->bytes && x->state == y->state);
            assert_true(x->heap == y->heap && x->constant == y->constant);
            if (x->state == ALLOCATION_LIVE)
                assert_memory_equal(x->data, y->data, x->bytes);
        }
        if (with_time) {
            assert_true(whole.timed.total.cycles == rest.timed.total.cycles);
            assert_true(machine_cycle(whole.timed.machine) == machine_cycle(rest.timed.machine));
        }
        leave(&rest);
        leave(&whole);
        unload(&f);
    }
}

// Invalid checkpoints

// Changes a digit, usually to another value.
static void change_digit(char *bytes, size_t at, size_t line, uint64_t *state)
{
    while (at < line && (bytes[at] < '0' || bytes[at] > '9'))
        at++;
    if (at < line)
        bytes[at] = (char)('0' + xorshift64(state) % 10);
}

static size_t change_once(char *bytes, size_t size, size_t line, uint64_t *state)
{
    static const char marks[] = "0123456789,:[]{}\"-etf";
    size_t at = xorshift64(state) % (xorshift64(state) % 4 ? line : size);
    size_t length = xorshift64(state) % 40, from = xorshift64(state) % size;
    switch (xorshift64(state) % 8) {
    case 0: bytes[at] = (char)(bytes[at] ^ 1 << xorshift64(state) % 8); break;
    case 1: bytes[at] = marks[xorshift64(state) % (sizeof marks - 1)]; break;
    case 2: // something is left out
        length = length < size - at ? length : size - at;
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 3: // something is written over it
        length = length < size - at ? length : size - at;
        length = length < size - from ? length : size - from;
        memmove(bytes + at, bytes + from, length);
        break;
    default: change_digit(bytes, at, line, state);
    }
    return size;
}

// Changes the checkpoint, usually in the first line, and signs the result.
static size_t change(char *bytes, const struct fixture *f, uint64_t *state)
{
    size_t size = f->size - SHA256_HEX - 1;
    size_t line = (size_t)((char *)memchr(f->bytes, '\n', f->size) - f->bytes);
    memcpy(bytes, f->bytes, f->size);
    for (uint64_t i = xorshift64(state) % 3 + 1; i && size > line; i--)
        size = change_once(bytes, size, line, state);
    tables_digest(bytes + size, bytes, size);
    bytes[size + SHA256_HEX] = '\n';
    return size + SHA256_HEX + 1;
}

static void try_changes(bool with_time, uint32_t count, uint32_t *good)
{
    struct fixture f;
    struct going whole, one;
    uint64_t state = 88172645463325252;
    load(&f);
    write_one(&f, &whole, with_time);
    *good = 0;
    for (uint32_t i = 0; i < count; i++) {
        char *bytes = malloc(f.size + 1);
        size_t size = change(bytes, &f, &state);
        char *fitting = realloc(bytes, size); // so that what is read behind it is found
        prepare(&one, &f, with_time);
        const char *wrong = resume(&one, fitting, size, 2);
        assert_true(!wrong || *wrong);
        *good += !wrong;
        leave(&one);
        free(fitting);
    }
    leave(&whole);
    unload(&f);
}

static void test_changed(void **state)
{
    (void)state;
    uint32_t good;
    try_changes(false, 3000, &good);
    assert_true(good > 100 && good < 2900);
    try_changes(true, 200, &good);
    assert_true(good > 5 && good < 195);
}

static void test_cut_short(void **state)
{
    (void)state;
    struct fixture f;
    struct going whole, one;
    load(&f);
    write_one(&f, &whole, false);
    for (size_t size = 0; size < f.size; size++) {
        char *part = malloc(size + !size);
        memcpy(part, f.bytes, size);
        arena_init(&one.arena, &f.k.memory);
        struct checkpoint *checkpoint;
        assert_non_null(checkpoint_read(&checkpoint, &one.arena, part, size));
        arena_free(&one.arena);
        free(part);
    }
    leave(&whole);
    unload(&f);
}

// Memory runs out: the call fails in the normal way, and jansson's memory is freed.
static void test_memory(void **state)
{
    (void)state;
    static struct fixture f;
    static struct going whole;
    load(&f);
    write_one(&f, &whole, false);
    leave(&whole);
    volatile long n = 1;
    for (volatile bool done = false; !done; n++) {
        struct memory memory = {0};
        struct arena arena;
        struct checkpoint *checkpoint;
        if (!setjmp(memory.on_failure)) {
            arena_init(&arena, &memory);
            memory.fail_in = n;
            assert_null(checkpoint_read(&checkpoint, &arena, f.bytes, f.size));
            done = true;
        }
        memory.fail_in = 0;
        memory_free(&memory);
    }
    assert_true(n > 2);
    unload(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
