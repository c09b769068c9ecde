// Random computations: for random values of its atoms, the analysis' sum equals the value that the
// instructions compute, in all bits that the analysis calls exact. Distances between lanes that it
// reports hold.
#include "passes/analysis/affine/affine.h"
#include "tests/unit/passes/affine_text.h"
#include "tests/unit/program.h"
#include <stdio.h>

enum { ROUNDS = 3000, STEPS = 18, LAUNCHES = 8, LEAVES = 4 };

enum op {
    ADD,
    SUB,
    MUL,
    MIN,
    MAX,
    SHL,
    SHR_U,
    SHR_S,
    AND,
    OR,
    XOR,
    DIV,
    REM,
    NOT,
    NEG,
    SEXT,
    ZEXT,
    WIDE_S,
    WIDE_U,
    CUT,
    ABS,
    BFE,
    BFI,
    BREV,
    POPC,
    CLZ,
    SELECT,
    CLAMP,
    OPS
};

static const struct {
    const char *word;
    bool typed; // the width follows the word
    // 0: none, 1: a register, 2: a number, 3: where a field is, 4: a register and a field, 5: a
    // register and a predicate: the first is less than a number
    uint8_t second;
    uint8_t from, into; // widths of conversions
} ops[OPS] = {
    [ADD] = {"add.s", true, 1, 0, 0},
    [SUB] = {"sub.s", true, 1, 0, 0},
    [MUL] = {"mul.lo.s", true, 1, 0, 0},
    [MIN] = {"min.s", true, 1, 0, 0},
    [MAX] = {"max.u", true, 1, 0, 0},
    [SHL] = {"shl.b", true, 2, 0, 0},
    [SHR_U] = {"shr.u", true, 2, 0, 0},
    [SHR_S] = {"shr.s", true, 2, 0, 0},
    [AND] = {"and.b", true, 2, 0, 0},
    [OR] = {"or.b", true, 2, 0, 0},
    [XOR] = {"xor.b", true, 2, 0, 0},
    [DIV] = {"div.u", true, 2, 0, 0},
    [REM] = {"rem.u", true, 2, 0, 0},
    [NOT] = {"not.b", true, 0, 0, 0},
    [NEG] = {"neg.s", true, 0, 0, 0},
    [SEXT] = {"cvt.s64.s32", false, 0, 32, 64},
    [ZEXT] = {"cvt.u64.u32", false, 0, 32, 64},
    [WIDE_S] = {"mul.wide.s32", false, 2, 32, 64},
    [WIDE_U] = {"mul.wide.u32", false, 2, 32, 64},
    [CUT] = {"cvt.u32.u64", false, 0, 64, 32},
    [ABS] = {"abs.s", true, 0, 0, 0},
    [BFE] = {"bfe.u32", false, 3, 32, 32},
    [BFI] = {"bfi.b32", false, 4, 32, 32},
    [BREV] = {"brev.b32", false, 0, 32, 32},
    [POPC] = {"popc.b32", false, 0, 32, 32},
    [CLZ] = {"clz.b32", false, 0, 32, 32},
    [SELECT] = {"selp.b", true, 5, 0, 0},
    [CLAMP] = {"min.u", true, 2, 0, 0},
};

// Steps 0 … LEAVES-1 are %tid.x, %ctaid.x, a 32-bit parameter and a 64-bit parameter.
struct step {
    enum op op;
    unsigned width; // of the result
    uint32_t a, b;
    int64_t n;
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static uint64_t draw_bits(uint64_t *state)
{
    return (uint64_t)draw(state, UINT32_MAX) << 32 ^ (uint64_t)draw(state, UINT32_MAX) << 4 ^
           draw(state, 64);
}

static int64_t sign_extended(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t reversed(uint64_t value)
{
    uint64_t to = 0;
    for (int i = 0; i < 32; i++)
        to |= (value >> i & 1) << (31 - i);
    return to;
}

static uint64_t compute(const struct step *s, const uint64_t *value)
{
    uint64_t a = value[s->a], b = value[s->b], n = (uint64_t)s->n;
    unsigned w = s->width;
    int64_t signed_a = sign_extended(a, ops[s->op].from ? ops[s->op].from : w);
    switch (s->op) {
    case ADD: return cut(a + b, w);
    case SUB: return cut(a - b, w);
    case MUL: return cut(a * b, w);
    case MIN: return signed_a < sign_extended(b, w) ? a : b;
    case MAX: return a > b ? a : b;
    case SHL: return cut(a << n, w);
    case SHR_U: return a >> n;
    case SHR_S: return cut((uint64_t)(signed_a >> n), w);
    case AND: return a & cut(n, w);
    case OR: return a | cut(n, w);
    case XOR: return a ^ cut(n, w);
    case DIV: return a / n;
    case REM: return a % n;
    case NOT: return cut(~a, w);
    case NEG: return cut(-a, w);
    case SEXT: return (uint64_t)signed_a;
    case ZEXT: return a;
    case WIDE_S: return (uint64_t)signed_a * n;
    case WIDE_U: return a * n;
    case ABS: return cut((uint64_t)(signed_a < 0 ? -(uint64_t)signed_a : (uint64_t)signed_a), w);
    case BFE: return cut(a >> n % 8, 1 + (unsigned)(n / 8));
    case BFI: {
        uint64_t field = cut(UINT64_MAX, 1 + (unsigned)(n / 8)) << n % 8;
        return (b & ~field) | (a << n % 8 & field);
    }
    case BREV: return reversed(a);
    case POPC: return (uint64_t)__builtin_popcountll(a);
    case CLZ: return a ? (uint64_t)__builtin_clzll(a) - 32 : 32;
    case SELECT: return signed_a < s->n ? a : b;
    case CLAMP: return a < n ? a : n;
    default: return cut(a, 32);
    }
}

// Returns a random step before `i` of this width.
static uint32_t draw_source(uint64_t *state, const struct step *steps, uint32_t i, unsigned width)
{
    uint32_t source = draw(state, i);
    while (steps[source].width != width)
        source = source ? source - 1 : i - 1;
    return source;
}

static int64_t draw_number(uint64_t *state, enum op op)
{
    static const int64_t masks[] = {-1, 0, 1, 3, 4, 7, 31, 255, 1023, -2, -4, -8, -256, 0x7fffffff};
    if (op == SHL || op == SHR_U || op == SHR_S)
        return draw(state, 7);
    if (op == AND || op == OR || op == XOR)
        return masks[draw(state, sizeof masks / sizeof *masks)];
    if (op == BFE || op == BFI) // first bit and length - 1
        return draw(state, 8 * 24);
    return op == SELECT || op == CLAMP ? draw(state, 40) : 1 + draw(state, 12);
}

static void draw_step(uint64_t *state, struct step *steps, uint32_t i)
{
    struct step *s = &steps[i];
    s->op = (enum op)draw(state, OPS);
    unsigned from = ops[s->op].typed ? draw(state, 3) ? 32 : 64 : ops[s->op].from;
    s->width = ops[s->op].typed ? from : ops[s->op].into;
    s->a = draw_source(state, steps, i, from);
    s->b = draw_source(state, steps, i, from);
    s->n = draw_number(state, s->op);
}

static size_t write_step(char *to, size_t size, const struct step *steps, uint32_t i)
{
    const struct step *s = &steps[i];
    size_t n = 0;
    uint8_t second = ops[s->op].second;
    if (second == 5)
        n = (size_t)snprintf(to, size, "setp.lt.s%u %%p, %%%c%u, %lld; ", s->width,
                             s->width == 64 ? 'd' : 'r', s->a, (long long)s->n);
    n += (size_t)snprintf(to + n, size - n, "%s", ops[s->op].word);
    if (ops[s->op].typed)
        n += (size_t)snprintf(to + n, size - n, "%u", s->width);
    n += (size_t)snprintf(to + n, size - n, " %%%c%u, %%%c%u", s->width == 64 ? 'd' : 'r', i,
                          steps[s->a].width == 64 ? 'd' : 'r', s->a);
    if (second == 1 || second >= 4)
        n += (size_t)snprintf(to + n, size - n, ", %%%c%u", steps[s->b].width == 64 ? 'd' : 'r',
                              s->b);
    if (second == 2)
        n += (size_t)snprintf(to + n, size - n, ", %lld", (long long)s->n);
    if (second == 3 || second == 4)
        n += (size_t)snprintf(to + n, size - n, ", %d, %d", (int)s->n % 8, 1 + (int)s->n / 8);
    if (second == 5)
        n += (size_t)snprintf(to + n, size - n, ", %%p");
    return n + (size_t)snprintf(to + n, size - n, ";\n");
}

static void write_program(char *to, size_t size, const struct step *steps)
{
    size_t n = (size_t)snprintf(
        to, size,
        ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u32 p, .param .u64 q)\n"
        "{ .reg .b32 %%r<%d>; .reg .b64 %%d<%d>; .reg .pred %%p;\nmov.u32 %%r0, %%tid.x; mov.u32 "
        "%%r1, "
        "%%ctaid.x; ld.param.u32 %%r2, [p]; ld.param.u64 %%d3, [q];\n",
        STEPS, STEPS);
    for (uint32_t i = LEAVES; i < STEPS; i++)
        n += write_step(to + n, size - n, steps, i);
    snprintf(to + n, size - n, "ret;\n}\n");
}

static uint32_t step_of(const struct ir_module *module, const struct ir_function *fn,
                        uint32_t version)
{
    const struct name *name =
        tree_name(module->tree, fn->registers.v[fn->versions.v[version].reg].name);
    return (uint32_t)atoi(name->text + 2);
}

static uint64_t atom_value(const struct ir_module *module, const struct ir_function *fn,
                           const struct affine_atom *atom, const uint64_t *value)
{
    uint64_t bits = atom->kind == AFFINE_SPECIAL     ? value[atom->index != SPECIAL_tid]
                    : atom->kind == AFFINE_PARAMETER ? value[atom->bits == 64 ? 3 : 2]
                                                     : value[step_of(module, fn, atom->index)];
    int64_t number = atom->is_unsigned ? (int64_t)bits : sign_extended(bits, atom->bits);
    assert_true(number >= atom->min && number <= atom->max);
    return (uint64_t)number;
}

static uint64_t sum_value(const struct ir_module *module, const struct ir_function *fn,
                          const struct affines *affines, const struct affine *sum,
                          const uint64_t *value)
{
    uint64_t total = (uint64_t)sum->constant;
    for (uint32_t i = 0; i < sum->count; i++) {
        uint64_t product = (uint64_t)sum->terms[i].coefficient;
        for (int k = 0; k < AFFINE_FACTORS && sum->terms[i].atom[k] != IR_NONE; k++)
            product *= atom_value(module, fn, affine_atom(affines, sum->terms[i].atom[k]), value);
        total += product;
    }
    return total;
}

static uint32_t check_values(const struct ir_module *module, struct affines *affines,
                             const struct step *steps, const uint64_t *value, const char *text)
{
    const struct ir_function *fn = &module->functions.v[0];
    uint32_t sums = 0;
    for (uint32_t v = 0; v < fn->versions.n; v++) {
        if (fn->registers.v[fn->versions.v[v].reg].bits == 1)
            continue;
        struct affine sum = affine_of_version(affines, v);
        uint32_t i = step_of(module, fn, v);
        unsigned bits = sum.exact_bits < steps[i].width ? sum.exact_bits : steps[i].width;
        uint64_t found = sum_value(module, fn, affines, &sum, value);
        if (cut(found ^ value[i], bits))
            fail_msg("step %u: %s is %llx and not %llx, of %u bits, in\n%s", i,
                     affine_text(affines, module->arena, &sum), (unsigned long long)found,
                     (unsigned long long)value[i], bits, text);
        sums += sum.count > 1;
    }
    return sums;
}

// Lanes

struct lanes {
    uint64_t value[STEPS][WARP_LANES];
    bool wrapped[STEPS]; // for some lane, in a step that it is computed from
};

static bool wraps(const struct step *s, const uint64_t *value)
{
    __extension__ typedef __int128 wide;
    wide a = sign_extended(value[s->a], s->width), b = sign_extended(value[s->b], s->width);
    wide result = 0, half = (wide)1 << (s->width - 1);
    switch (s->op) {
    case ADD: result = a + b; break;
    case SUB: result = a - b; break;
    case MUL: result = a * b; break;
    case SHL: result = a * ((wide)1 << s->n); break;
    case NEG:
    case ABS: result = -a; break;
    case WIDE_S:
    case SEXT: return false;
    default: return a < 0; // read without sign, or as bits
    }
    return result < -half || result >= half;
}

static void compute_lanes(uint64_t *seed, const struct step *steps, struct lanes *lanes)
{
    uint32_t warp = draw(seed, 32), large = draw(seed, 2);
    uint64_t cta = draw(seed, large ? INT32_MAX : 1000), p = draw_bits(seed), q = draw_bits(seed);
    memset(lanes, 0, sizeof *lanes);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint64_t value[STEPS] = {warp * WARP_LANES + lane, cta, cut(p, large ? 32 : 10),
                                 cut(q, large ? 64 : 20) & ~UINT64_C(255)};
        for (uint32_t i = LEAVES; i < STEPS; i++) {
            const struct step *s = &steps[i];
            value[i] = compute(s, value);
            bool both = ops[s->op].second == 1 || ops[s->op].second >= 4;
            lanes->wrapped[i] |=
                wraps(s, value) || lanes->wrapped[s->a] || (both && lanes->wrapped[s->b]);
        }
        for (uint32_t i = 0; i < STEPS; i++)
            lanes->value[i][lane] = value[i];
    }
}

static uint32_t check_lanes(const struct ir_module *module, struct affines *affines,
                            const struct step *steps, const struct lanes *lanes, const char *text)
{
    const struct ir_function *fn = &module->functions.v[0];
    uint32_t known = 0;
    for (uint32_t v = 0; v < fn->versions.n; v++) {
        uint32_t i = step_of(module, fn, v);
        if (fn->registers.v[fn->versions.v[v].reg].bits == 1)
            continue;
        struct affine sum = affine_of_version(affines, v);
        struct affine_lanes said =
            affine_lanes(affines, &sum, 0, (uint32_t)lanes->value[0][0] / WARP_LANES);
        if (!said.known || ((said.assumes || sum.assumes) && lanes->wrapped[i]))
            continue;
        unsigned bits =
            sum.assumes || sum.exact_bits > steps[i].width ? steps[i].width : sum.exact_bits;
        known += sum.count > 0;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            uint64_t apart = lanes->value[i][lane] - lanes->value[i][0];
            if (cut((uint64_t)said.offset[lane] ^ apart, bits))
                fail_msg("step %u, lane %u: %llx and not %llx from lane 0, of %u bits, in\n%s", i,
                         lane, (unsigned long long)said.offset[lane], (unsigned long long)apart,
                         bits, text);
        }
    }
    return known;
}

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 1;
    uint32_t sums = 0, known = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct step steps[STEPS] = {{.width = 32}, {.width = 32}, {.width = 32}, {.width = 64}};
        struct test_program p;
        struct ir_module module;
        struct lanes lanes;
        char text[4096];
        for (uint32_t i = LEAVES; i < STEPS; i++)
            draw_step(&seed, steps, i);
        write_program(text, sizeof text, steps);
        program_parse(&p, text, strlen(text));
        ir_build(&module, &p.arena, &p.tree, &p.diags);
        struct block_shape shape = {0};
        struct divergence *d =
            divergence_new(&p.arena, &module, &module.functions.v[0], shape, SHAPE_ASSUMED);
        struct affines *affines = affines_new(&p.arena, &module, &module.functions.v[0], d, shape);
        for (int launch = 0; launch < LAUNCHES; launch++) {
            uint64_t value[STEPS] = {draw(&seed, 1024), draw(&seed, INT32_MAX),
                                     cut(draw_bits(&seed), 32), draw_bits(&seed)};
            for (uint32_t i = LEAVES; i < STEPS; i++)
                value[i] = compute(&steps[i], value);
            sums += check_values(&module, affines, steps, value, text);
            compute_lanes(&seed, steps, &lanes);
            known += check_lanes(&module, affines, steps, &lanes, text);
        }
        program_free(&p);
    }
    assert_true(sums > ROUNDS); // else nothing was looked through
    assert_true(known > 10 * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
