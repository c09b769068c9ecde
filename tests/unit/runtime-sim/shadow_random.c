// Random kernels of chains of all patterns, mixed with each other and with instructions that reuse
// their registers' places, issued ahead of their loads: memory and counts are those of the engine
// that executes at once.
#include "passes/base/capability.h"
#include "runtime-sim/exec/check/profile.h"
#include "tests/unit/runtime-sim/issue_drive.h"
#include "tests/lib/patterns.h"
#include "tests/unit/runtime-sim/kernel.h"

enum { KERNELS = 200, MAX_TEXT = 1 << 15, STREAMS = 9, LINES = 12, LINE = 160, CELL = 256 };
enum { GRID = 2, BLOCK = 80, BYTES = GRID * BLOCK * CELL };

// Lines that stay in order; lines of other streams come between them.
struct stream {
    char line[LINES][LINE];
    uint32_t count, next;
};

struct writer {
    uint64_t state;
    char text[MAX_TEXT];
    size_t length;
    uint32_t reg, cell; // next register, next place for a result
    struct stream streams[STREAMS];
    struct stream *at;
    const char *guard; // of the lines of this stream
};

static uint32_t draw(struct writer *w, uint32_t below)
{
    w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->state >> 33) % below;
}

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->length += (size_t)vsnprintf(w->text + w->length, MAX_TEXT - w->length, format, list);
    va_end(list);
    assert_true(w->length < MAX_TEXT);
}

// D, A, B: registers of the operation; S: a scalar; these letters are replaced in lines.
struct names {
    char d[16], a[16], b[16], s[16];
};

static void add_line(struct writer *w, const char *form, const struct names *names)
{
    assert_true(w->at->count < LINES);
    char *to = w->at->line[w->at->count++], *end = to + LINE;
    to += snprintf(to, LINE, "%s", w->guard);
    for (; *form; form++) {
        const char *part = *form == 'D'   ? names->d
                           : *form == 'A' ? names->a
                           : *form == 'B' ? names->b
                           : *form == 'S' ? names->s
                                          : NULL;
        to += part ? snprintf(to, (size_t)(end - to), "%s", part)
                   : snprintf(to, (size_t)(end - to), "%c", *form);
        assert_true(to < end);
    }
}

__attribute__((format(printf, 2, 3))) static void line(struct writer *w, const char *format, ...)
{
    char text[LINE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    add_line(w, text, &(struct names){0});
}

enum class { INTEGER, FLOAT };
static const char *const binary[][10] = {
    {"add.u32 D, A, B;", "sub.s32 D, A, B;", "mul.lo.s32 D, A, B;", "mul.hi.u32 D, A, B;",
     "min.s32 D, A, B;", "max.u32 D, B, A;", "xor.b32 D, A, B;", "shl.b32 D, A, B;",
     "shr.s32 D, B, A;", "lop3.b32 D, A, B, A, 0x4d;"},
    {"add.f32 D, A, B;", "sub.ftz.f32 D, B, A;", "mul.rz.f32 D, A, B;", "min.f32 D, A, B;",
     "max.NaN.f32 D, A, B;", "add.sat.f32 D, A, B;", "mul.f32 D, A, B;", "add.rm.f32 D, A, B;",
     "max.ftz.f32 D, B, A;", "div.rn.f32 D, A, B;"},
};
static const char *const unary[][8] = {
    {"not.b32 D, A;", "neg.s32 D, A;", "abs.s32 D, A;", "mul.lo.u32 D, A, A;", "popc.b32 D, A;",
     "clz.b32 D, A;", "cvt.u32.u8 D, A;", "cnot.b32 D, A;"},
    {"neg.f32 D, A;", "abs.ftz.f32 D, A;", "mul.f32 D, A, A;", "sqrt.rn.f32 D, A;",
     "cvt.rni.f32.f32 D, A;", "rcp.rn.f32 D, A;", "cvt.sat.f32.f32 D, A;", "add.f32 D, A, A;"},
};
static const char *const fused[][2] = {
    {"mad.lo.s32 D, A, S, B;", "mad.lo.u32 D, A, S, B;"},
    {"fma.rn.f32 D, A, S, B;", "fma.rz.ftz.f32 D, S, A, B;"},
};
static const char *const compare[][4] = {
    {"setp.lt.u32 D, A, B;", "setp.ge.s32 D, A, B;", "setp.eq.b32 D, A, B;",
     "setp.ls.u32 D, A, B;"},
    {"setp.lt.f32 D, A, B;", "setp.neu.f32 D, A, B;", "setp.num.f32 D, A, B;",
     "setp.gt.ftz.f32 D, A, B;"},
};
static const char *const loads[] = {"u32", "s32", "b32", "u8", "s8", "u16", "s16"};
static const char *const stores[] = {"u32", "b32", "u8", "u16"};

#define PICK(w, list) ((list)[draw(w, sizeof(list) / sizeof *(list))])

static void new_register(struct writer *w, char to[16])
{
    snprintf(to, 16, "%%r%u", w->reg++);
}

static void load(struct writer *w, enum class class, char to[16], const char *buffer)
{
    new_register(w, to);
    if (*w->guard)
        put(w, "mov.b32 %s, %u;\n", to, draw(w, 1000)); // at the head: what a false guard leaves
    line(w, "ld.global.%s %s, [%%%s+%u];", class == FLOAT ? "f32" : PICK(w, loads), to, buffer,
         draw(w, CELL / 4) * 4);
}

static void result(struct writer *w, char to[16])
{
    new_register(w, to);
    if (*w->guard)
        put(w, "mov.b32 %s, %u;\n", to, draw(w, 1000));
}

// Writes a register or an immediate that is uniform; afterwards the register is changed.
static void scalar(struct writer *w, enum class class, char to[16])
{
    if (draw(w, 3))
        snprintf(to, 16, "%%s%u", draw(w, 2));
    else if (class == FLOAT)
        snprintf(to, 16, "0f%08X", 0x3f000000 + draw(w, 1 << 24));
    else
        snprintf(to, 16, "%u", draw(w, 40));
}

static void change_scalar(struct writer *w, const char *scalar)
{
    const char *guard = w->guard;
    w->guard = "";
    if (*scalar == '%')
        line(w, "add.u32 %s, %s, %u;", scalar, scalar, draw(w, 1 << 22));
    w->guard = guard;
}

static void store(struct writer *w, enum class class, const char *from)
{
    line(w, "st.global.%s [%%c+%u], %s;", class == FLOAT ? "f32" : PICK(w, stores), w->cell++ * 4,
         from);
}

// Writes a use of the chain's register result: the chain itself has no store.
static void use(struct writer *w, const char *from)
{
    const char *guard = w->guard;
    w->guard = "";
    if (from[1] == 'p') {
        char to[16];
        new_register(w, to);
        line(w, "selp.b32 %s, 1, 2, %s;", to, from);
        line(w, "st.global.b32 [%%c+%u], %s;", w->cell++ * 4, to);
    } else {
        char to[16];
        new_register(w, to);
        line(w, "xor.b32 %s, %s, %%r1;", to, from);
        line(w, "add.u32 %s, %s, %s;", to, to, from);
        line(w, "st.global.b32 [%%c+%u], %s;", w->cell++ * 4, to);
    }
    w->guard = guard;
}

static void compute_pattern(struct writer *w, const struct chain_pattern *row, enum class class)
{
    struct names n = {0};
    load(w, class, n.a, "a");
    if (row->loads == 2)
        load(w, class, n.b, "b");
    bool scaled = !(row->scalars & 1);
    if (scaled) {
        scalar(w, class, n.s);
        memcpy(n.b, n.s, sizeof n.b);
    }
    if (!row->operations) {
        store(w, class, n.a);
        return;
    }
    result(w, n.d);
    add_line(w, row->loads + scaled == 1 ? PICK(w, unary[class]) : PICK(w, binary[class]), &n);
    change_scalar(w, n.s);
    if (row->stores)
        store(w, class, n.d);
    else
        use(w, n.d);
}

static void compare_pattern(struct writer *w, const struct chain_pattern *row, enum class class)
{
    struct names n = {0};
    load(w, class, n.a, "a");
    if (row->loads == 2)
        load(w, class, n.b, "b");
    else
        scalar(w, class, n.b);
    snprintf(n.d, sizeof n.d, "%%p%u", 2 + w->reg % 60);
    if (*w->guard)
        put(w, "setp.ne.u32 %s, %%r1, 7;\n", n.d);
    add_line(w, PICK(w, compare[class]), &n);
    if (row->loads == 1)
        change_scalar(w, n.b);
    use(w, n.d);
}

static void nested_pattern(struct writer *w, const struct chain_pattern *row, enum class class)
{
    struct names n = {0}, outer = {0};
    bool late = draw(w, 2); // the second load behind the first operation
    load(w, class, n.a, "b");
    if (!late)
        load(w, class, outer.a, "a");
    scalar(w, class, n.s);
    if (draw(w, 3) == 0 && !late) {
        memcpy(n.b, outer.a, sizeof n.b);
        result(w, n.d);
        add_line(w, PICK(w, fused[class]), &n);
        change_scalar(w, n.s);
    } else {
        memcpy(n.b, n.s, sizeof n.b);
        result(w, n.d);
        add_line(w, PICK(w, binary[class]), &n);
        change_scalar(w, n.s);
        if (late)
            load(w, class, outer.a, "a");
        memcpy(outer.b, n.d, sizeof outer.b);
        result(w, outer.d);
        add_line(w, PICK(w, binary[class]), &outer);
        n = outer;
    }
    if (row->stores)
        store(w, class, n.d);
    else
        use(w, n.d);
}

// Writes c = f(a, b) on vectors of two elements.
static void vector_pattern(struct writer *w, enum class class)
{
    struct names n[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        new_register(w, n[i].a);
        new_register(w, n[i].b);
        result(w, n[i].d);
    }
    if (*w->guard)
        for (uint32_t i = 0; i < 2; i++)
            put(w, "mov.b32 %s, %u; mov.b32 %s, %u;\n", n[i].a, draw(w, 99), n[i].b, draw(w, 99));
    w->cell += w->cell & 1;
    line(w, "ld.global.v2.b32 {%s, %s}, [%%a+%u];", n[0].a, n[1].a, draw(w, CELL / 8) * 8);
    line(w, "ld.global.v2.b32 {%s, %s}, [%%b+%u];", n[0].b, n[1].b, draw(w, CELL / 8) * 8);
    const char *form = PICK(w, binary[class]);
    add_line(w, form, &n[0]);
    add_line(w, form, &n[1]);
    line(w, "st.global.v2.b32 [%%c+%u], {%s, %s};", w->cell * 4, n[0].d, n[1].d);
    w->cell += 2;
}

// Writes a chain of the pattern; the number after the last pattern means vectors.
static void put_pattern(struct writer *w, uint32_t pattern)
{
    static const char *const guards[] = {"", "", "", "@%p0 ", "@!%p1 "};
    enum class class = draw(w, 2);
    w->guard = PICK(w, guards);
    const struct chain_pattern *row = &chain_patterns[pattern <= CHAIN_PATTERNS ? pattern : 0];
    if (pattern > CHAIN_PATTERNS)
        vector_pattern(w, class);
    else if (row->response == RESPONSE_BITMAP)
        compare_pattern(w, row, class);
    else if (row->operations == 2)
        nested_pattern(w, row, class);
    else
        compute_pattern(w, row, class);
}

// Writes short-lived registers, which reuse the places of those that the chains no longer need.
static void put_filler(struct writer *w)
{
    char a[16], b[16];
    w->guard = draw(w, 3) ? "" : "@%p0 ";
    new_register(w, a);
    new_register(w, b);
    put(w, "mov.b32 %s, 5; mov.b32 %s, 6;\n", a, b);
    line(w, "mad.lo.u32 %s, %%r1, %u, %%s0;", a, draw(w, 1000));
    line(w, "xor.b32 %s, %s, %u;", b, a, draw(w, 1000));
    line(w, "mul.lo.u32 %s, %s, %s;", a, b, b);
    line(w, "setp.lt.u32 %%q, %s, %s;", a, b);
    line(w, "selp.b32 %s, %s, %%r1, %%q;", b, a);
    w->guard = "";
    line(w, "st.global.b32 [%%d+%u], %s;", w->cell++ * 4, b);
}

static const char *const head = HEAD(
    "8.0",
    "sm_80") ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 "
             "n)\n{\n"
             ".reg .pred %p<64>; .reg .pred %q; .reg .b32 %r<200>; .reg .b32 %s<3>;\n"
             ".reg .b64 %a; .reg .b64 %b; .reg .b64 %c; .reg .b64 %d; .reg .b64 %rd<4>;\n"
             "ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c]; ld.param.u64 %d, "
             "[d];\n"
             "cvta.to.global.u64 %a, %a; cvta.to.global.u64 %b, %b; cvta.to.global.u64 %c, %c;\n"
             "cvta.to.global.u64 %d, %d; ld.param.u32 %s0, [n]; ld.param.u32 %s1, [n];\n"
             "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 80, %r1;\n"
             "mul.wide.u32 %rd1, %r1, 256; add.u64 %a, %a, %rd1; add.u64 %b, %b, %rd1;\n"
             "add.u64 %c, %c, %rd1; add.u64 %d, %d, %rd1; mov.u32 %s2, 0;\n"
             "and.b32 %r3, %r1, 3; setp.eq.u32 %p0, %r3, 1; setp.gt.u32 %p1, %r1, 45;\n";

static void put_streams(struct writer *w)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < STREAMS; i++)
        left += w->streams[i].count;
    while (left) {
        struct stream *stream = &w->streams[draw(w, STREAMS)];
        for (uint32_t burst = 1 + draw(w, 3); burst-- && stream->next < stream->count; left--)
            put(w, "%s\n", stream->line[stream->next++]);
    }
}

static void write_kernel(struct writer *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->state = seed * 977;
    w->reg = 4;
    bool parts = draw(w, 2), loops = draw(w, 2);
    put(w, "%sL:\n%s", head, parts ? "@%p1 bra E;\n" : "");
    for (uint32_t i = 0; i < STREAMS; i++) {
        w->at = &w->streams[i];
        if (i % 3 == 2)
            put_filler(w);
        else
            put_pattern(w, 1 + draw(w, CHAIN_PATTERNS + 1));
    }
    assert_true(w->cell * 4 < CELL && w->reg < 200);
    put_streams(w);
    put(w, "E:\n%sret;\n}\n",
        loops ? "add.u32 %s2, %s2, 1; setp.lt.u32 %q, %s2, 3; @%q bra L;\n" : "");
}

struct side {
    struct kernel k;
    struct launch launch;
    struct profile profile;
    uint8_t *buffers[4];
    struct grid_result result;
};

static void begin(struct side *s, const char *text)
{
    kernel_load(&s->k, text, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        s->buffers[i] = kernel_buffer(&s->k, BYTES);
        for (uint32_t k = 0; k < BYTES; k++)
            s->buffers[i][k] = (uint8_t)((k * 2654435761u + i * 97) >> 13);
    }
    kernel_u32(&s->k, 0x40490fdb);
    profile_init(&s->profile, &s->k.arena, &s->k.program);
    s->launch = (struct launch){.program = &s->k.program,
                                .grid = {GRID, 1, 1},
                                .block = {BLOCK, 1, 1},
                                .params = s->k.params,
                                .image = &s->k.image,
                                .profile = &s->profile};
}

static void same(const struct side *a, const struct side *b)
{
    for (uint32_t i = 0; i < 4; i++)
        assert_memory_equal(a->buffers[i], b->buffers[i], BYTES);
    assert_int_equal(a->result.warp_instructions, b->result.warp_instructions);
    assert_int_equal(a->result.thread_instructions, b->result.thread_instructions);
    const struct profile_function *x = a->profile.functions[0], *y = b->profile.functions[0];
    for (uint32_t i = 0; i < x->inst_count; i++) {
        struct profile_inst one = x->insts[i], other = y->insts[i];
        if (one.memory)
            assert_memory_equal(one.memory, other.memory, sizeof *one.memory);
        one.memory = other.memory = NULL;
        assert_memory_equal(&one, &other, sizeof one);
    }
}

static void test_random(void **state)
{
    (void)state;
    struct capability all = capability_usual;
    all.types = all.operations = UINT32_MAX;
    all.vector = 4;
    all.packet_bytes = 256;
    struct pass_options options = {.restrict_parameters = true, .capability = &all};
    struct writer *w = calloc(1, sizeof *w);
    struct side *sides = calloc(2, sizeof *sides);
    uint64_t computed = 0, given_up = 0;
    uint32_t found[CHAIN_PATTERNS + 1] = {0};
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        struct chain_table chains;
        write_kernel(w, seed);
        begin(&sides[0], w->text);
        begin(&sides[1], w->text);
        grid_run(&sides[0].launch, &sides[0].k.arena, &(struct grid_options){0}, &sides[0].result);
        chain_table_find(&chains, &sides[1].k.arena, &sides[1].k.module, &options);
        struct drive drive = {
            .seed = seed, .ctas = 2, .max_delay = 20, .checked = true, .chains = &chains};
        drive_run(&drive, &sides[1].launch, &sides[1].k.arena, &sides[1].result);
        if (sides[1].result.stuck || sides[1].result.fault.happened)
            fail_msg("kernel %llu: %s", (unsigned long long)seed, sides[1].result.fault.text);
        same(&sides[0], &sides[1]);
        for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
            found[i] += chains.of_pattern[i];
        computed += drive.computed;
        given_up += drive.given_up;
        kernel_free(&sides[0].k);
        kernel_free(&sides[1].k);
    }
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++) {
        printf("pattern %u: %u chains\n", i, found[i]);
        assert_true(found[i] > KERNELS / 10 || !pattern_saves(i));
    }
    printf("%llu times computed, %llu given up\n", (unsigned long long)computed,
           (unsigned long long)given_up);
    assert_true(computed > 10 * KERNELS && given_up > KERNELS);
    free(sides);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
