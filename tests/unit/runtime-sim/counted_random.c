// Kernels with random sums of products as addresses: the analyses equal the counts.
#include "tests/lib/sanitized.h"
#include "tests/unit/runtime-sim/counted.h"
#include "tests/unit/runtime-sim/kernel.h"

enum { KERNELS = IS_SANITIZED ? 200 : 800, MAX_TEXT = 4096, TRIPS = 3, MIDDLE = 1 << 24 };

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *r, uint32_t below)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(r->state >> 33) % below;
}

struct writer {
    struct random random;
    char text[MAX_TEXT];
    size_t length;
    uint32_t next;        // register
    bool varying_unknown; // lanes differ by what the launch gives
    bool global[13];      // %x that is computed from %ctaid.x
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->length += (size_t)vsnprintf(w->text + w->length, MAX_TEXT - w->length, format, list);
    va_end(list);
    assert_true(w->length < MAX_TEXT);
}

static const char *const head =
    ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n)\n{\n"
    ".reg .b32 %x<13>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .pred %p; .reg .b64 %v<3>;\n"
    ".reg .f32 %f<5>; .reg .b16 %h;\n"
    "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1; ld.param.u32 %x7, [n];\n"
    "mov.u32 %x0, %tid.x; mov.u32 %x1, %tid.y; mov.u32 %x2, %tid.z; mov.u32 %x3, %ctaid.x;\n"
    "mov.u32 %x4, %ntid.x; mov.u32 %x5, %ctaid.y; mov.u32 %x6, 0;\n"
    "mad.lo.s32 %x12, %x3, %x4, %x0;\nL:\n";

// Writes x * c in one of several ways. Returns the register.
static uint32_t product(struct writer *w, uint32_t atom, uint32_t c)
{
    uint32_t to = w->next++, kind = draw(&w->random, 4);
    if (kind == 0 && !(c & (c - 1)) && c)
        put(w, "shl.b32 %%r%u, %%x%u, %d;\n", to, atom, __builtin_ctz(c));
    else if (kind == 1)
        put(w, "mad.lo.s32 %%r%u, %%x%u, %u, 0;\n", to, atom, c);
    else if (kind == 2)
        put(w, "mul.lo.u32 %%r%u, %%x%u, %u; neg.s32 %%r%u, %%r%u; neg.s32 %%r%u, %%r%u;\n", to,
            atom, c, to, to, to, to);
    else
        put(w, "mul.lo.s32 %%r%u, %%x%u, %u;\n", to, atom, c);
    return to;
}

static void add_term(struct writer *w, uint32_t sum)
{
    static const uint32_t coefficients[] = {0, 1, 1, 2, 3, 4, 8, 16, 32, 33, 40};
    uint32_t atom = draw(&w->random, 13), c = coefficients[draw(&w->random, 11)];
    uint32_t term = product(w, atom, c);
    w->varying_unknown |= w->global[atom];
    if (draw(&w->random, 5) == 0 && atom < 12 && !w->global[atom]) {
        uint32_t other = draw(&w->random, 2) ? 7 : 4; // n or %ntid.x
        put(w, "mul.lo.s32 %%r%u, %%r%u, %%x%u;\n", term, term, other);
        w->varying_unknown |= (atom < 3 || atom > 7) && c && other == 7;
    }
    put(w, "%s.s32 %%r%u, %%r%u, %%r%u;\n", draw(&w->random, 3) ? "add" : "sub", sum, sum, term);
}

// Derivations of a value D from another value S and a number N. The results are small.
static const struct {
    const char *text;
    uint32_t max; // of the number
} derived[] = {
    {"and.b32 D, S, N;\n", 40},
    {"shr.u32 D, S, N;\n", 5},
    {"shr.s32 D, S, N;\n", 5},
    {"xor.b32 D, S, N;\n", 40},
    {"or.b32 D, S, N;\n", 40},
    {"div.u32 D, S, N;\n", 40},
    {"rem.u32 D, S, N;\n", 40},
    {"div.s32 D, S, N;\n", 40},
    {"rem.s32 D, S, N;\n", 40},
    {"min.s32 D, S, N;\n", 40},
    {"max.s32 D, S, N;\n", 40},
    {"sub.s32 D, S, N; max.s32 D, D, 0;\n", 40},
    {"bfe.u32 D, S, 1, N;\n", 5},
    {"bfi.b32 D, S, 9, 2, N;\n", 3},
    {"shl.b32 D, S, 27; brev.b32 D, D; and.b32 D, D, N;\n", 31},
    {"sub.s32 D, S, N; abs.s32 D, D;\n", 40},
    {"and.b32 D, S, N; popc.b32 D, D;\n", 31},
    {"mov.u32 D, %lanemask_lt; and.b32 D, D, S; and.b32 D, D, N;\n", 31},
    {"setp.lt.s32 %p, S, N; selp.b32 D, S, 3, %p;\n", 40},
    {"setp.eq.s32 %p, S, N; mov.u32 D, S; @%p mov.u32 D, 1;\n", 40},
    {"and.b32 D, S, -16; xor.b32 D, D, N;\n", 15},
};

enum { DERIVED = sizeof derived / sizeof *derived };

static void put_derivation(struct writer *w, const char *text, uint32_t to, uint32_t from,
                           uint32_t number)
{
    for (; *text; text++)
        if (*text == 'D' || *text == 'S')
            put(w, "%%x%u", *text == 'D' ? to : from);
        else if (*text == 'N')
            put(w, "%u", number);
        else
            put(w, "%c", *text);
}

// Writes values that depend on the thread's place, %x8 to %x11.
static void put_derived(struct writer *w)
{
    memset(w->global, 0, sizeof w->global);
    for (uint32_t to = 8; to < 12; to++) {
        uint32_t from = draw(&w->random, to == 8 ? 4 : 5), kind = draw(&w->random, DERIVED);
        uint32_t source = from == 3 ? 12 : from == 4 ? to - 1 : from;
        w->global[to] = source == 12 || w->global[source];
        put_derivation(w, derived[kind].text, to, source, 1 + draw(&w->random, derived[kind].max));
    }
}

struct type {
    const char *text, *operands;
    uint32_t bytes;
};

static void put_access(struct writer *w)
{
    static const struct type types[] = {
        {"u8", "%h", 1},
        {"u16", "%h", 2},
        {"f32", "%f1", 4},
        {"f32", "%f1", 4},
        {"b64", "%v1", 8},
        {"v2.f32", "{%f1, %f2}", 8},
        {"v4.f32", "{%f1, %f2, %f3, %f4}", 16},
        {"v2.b64", "{%v1, %v2}", 16},
    };
    const struct type *type = &types[draw(&w->random, 8)];
    if (draw(&w->random, 2))
        put(w, "mul.wide.s32 %%rd2, %%r0, %u;\n", type->bytes);
    else
        put(w, "cvt.s64.s32 %%rd2, %%r0; mul.lo.s64 %%rd2, %%rd2, %u;\n", type->bytes);
    put(w, "add.s64 %%rd3, %%rd1, %%rd2; ld.global.%s %s, [%%rd3+%u];\n", type->text,
        type->operands, MIDDLE + type->bytes * draw(&w->random, 40));
}

static void write_kernel(struct writer *w)
{
    w->length = 0;
    w->next = 1;
    w->varying_unknown = false;
    put(w, "%s", head);
    put_derived(w);
    put(w, "mov.u32 %%r0, %u;\n", draw(&w->random, 64));
    for (uint32_t terms = 1 + draw(&w->random, 5); terms; terms--)
        add_term(w, 0);
    put_access(w);
    put(w, "add.s32 %%x6, %%x6, 1; setp.lt.s32 %%p, %%x6, %u; @%%p bra L;\nret;\n}\n", TRIPS);
}

static struct block_shape draw_shape(struct random *r)
{
    static const struct block_shape shapes[] = {
        {32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 2, 1}, {16, 16, 1}, {8, 8, 2},
        {32, 4, 1}, {20, 8, 1}, {4, 4, 4},  {48, 2, 1},  {1, 64, 1},  {33, 3, 1},
    };
    return shapes[draw(r, 12)];
}

static const struct profile_function *execute(struct kernel *k, struct profile *profile,
                                              struct block_shape shape)
{
    struct launch launch = {.program = &k->program,
                            .function = 0,
                            .grid = {2, 2, 1},
                            .block = {shape.x, shape.y, shape.z},
                            .params = k->params,
                            .image = &k->image,
                            .profile = profile};
    struct grid_options options = {.threads = 1};
    profile_init(profile, &k->arena, &k->program);
    grid_run(&launch, &k->arena, &options, &k->result);
    if (k->result.fault.happened)
        fail_msg("%s", k->result.fault.text);
    return profile->functions[0];
}

static void check(struct writer *w, struct bounds_counts *tally)
{
    struct kernel k;
    struct profile profile;
    struct block_shape shape = draw_shape(&w->random);
    struct bounds_counts own = {0};
    write_kernel(w);
    kernel_load(&k, w->text, NULL);
    kernel_buffer(&k, 4 * MIDDLE);
    kernel_u32(&k, 1 + draw(&w->random, 50));
    const struct profile_function *counts = execute(&k, &profile, shape);
    counted_compare(&k.arena, &k.module, 0, counts, shape, &own);
    assert_int_equal(own.accesses, 1);
    assert_int_equal(own.loops, 1);
    if (!w->varying_unknown && !own.known)
        fail_msg("not known, blocks of %u x %u x %u:\n%s", shape.x, shape.y, shape.z, w->text);
    if (shape.x % WARP_LANES == 0 && shape.y == 1)
        counted_compare(&k.arena, &k.module, 0, counts, (struct block_shape){0}, &own);
    tally->known += own.known;
    tally->exact += own.exact;
    tally->compared += own.compared;
    kernel_free(&k);
}

static void test_random_addresses(void **state)
{
    (void)state;
    struct writer w = {.random = {2024}};
    struct bounds_counts tally = {0};
    for (uint32_t i = 0; i < KERNELS; i++)
        check(&w, &tally);
    assert_true(tally.known > KERNELS * 3 / 4);
    assert_true(tally.exact > KERNELS / 4);
    assert_true(tally.compared > KERNELS * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_addresses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
