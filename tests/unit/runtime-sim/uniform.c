// Analyses of a warp's lanes, compared with an execution. Kernels of random flow graphs are
// executed with a check before each instruction: a value that is called uniform is the same in all
// lanes that execute the instruction together, and distances between lanes are as analysed.
//
// usage: test-runtime-sim-uniform [--count=N] [--first=N]
#include "passes/analysis/affine/affine.h"
#include "tests/unit/runtime-sim/kernel.h"
#include <inttypes.h>

enum {
    KERNELS = 150,
    MAX_BLOCKS = 10,
    MAX_TEXT = 1 << 16,
    THREADS = 64,
    UNIFORM = 5, // registers %u0 …, of which most instructions compute from each other only
    VARYING = 3, // registers %v0 …
    WORDS = 64
};

struct writer {
    uint64_t state;
    char text[MAX_TEXT];
    size_t length;
    uint32_t blocks;
    uint32_t loop_end[MAX_BLOCKS]; // per block: the last one that goes back to it, or itself
    uint32_t form, forms;          // the first one of this kernel, and how many it has
    bool reducible;
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

// Kernels

// Writes a form. U, V: a uniform or varying register; X: any; N: a number.
static void put_drawn(struct writer *w, const char *form)
{
    for (const char *c = form; *c; c++) {
        bool uniform = *c == 'U' || (*c == 'X' && draw(w, 2));
        if (*c == 'N')
            put(w, "%u", draw(w, 8));
        else if (*c == 'U' || *c == 'V' || *c == 'X')
            put(w, "%%%c%u", uniform ? 'u' : 'v', draw(w, uniform ? UNIFORM : VARYING));
        else
            put(w, "%c", *c);
    }
    put(w, "\n");
}

static void put_statement(struct writer *w)
{
    static const char *const forms[] = {
        "add.u32 U, U, N;",
        "add.u32 U, U, U;",
        "add.u32 U, U, 1;",
        "sub.u32 U, U, U;",
        "xor.b32 U, U, U;",
        "mov.u32 U, U;",
        "mov.u32 U, N;",
        "mad.lo.u32 U, U, N, U;",
        "setp.lt.u32 %p, U, U; selp.b32 U, U, U, %p;",
        "setp.gt.u32 %p, U, N; @%p mov.u32 U, U;",
        "and.b32 %t, U, 63; mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %in; ld.global.u32 U, [%a];",
        "and.b32 %t, U, 63; mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %in; st.global.u32 [%a], U;",
        "activemask.b32 U;",
        "activemask.b32 %m; setp.lt.u32 %p, X, X; vote.sync.ballot.b32 U, %p, %m;",
        "activemask.b32 %m; setp.lt.u32 %p, V, N; vote.sync.any.pred %p, %p, %m; @%p mov.u32 U, U;",
        "activemask.b32 %m; bfind.u32 %t, %m; shfl.sync.idx.b32 U, X, %t, 31, %m;",
        "activemask.b32 %m; bfind.u32 %t, %m; shfl.sync.idx.b32 U|%p, X, %t, 31, %m;"
        " selp.b32 X, 1, 2, %p;",
        "activemask.b32 %m; redux.sync.add.u32 U, X, %m;",
        "activemask.b32 %m; match.any.sync.b32 X, X, %m;",
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], X; call (b), f, (a);"
        " ld.param.b32 X, [b]; }",
        "add.u32 V, V, X;",
        "add.u32 V, V, N;",
        "xor.b32 V, V, X;",
        "mov.u32 V, X;",
        "mov.u32 X, X;",
        "shr.u32 V, V, N;",
        "setp.lt.u32 %p, X, X; selp.b32 X, X, X, %p;",
        "setp.lt.u32 %p, X, N; @%p add.u32 X, X, X;",
        "setp.eq.u32 %p, V, X; @%p exit;",
    };
    // A kernel is made of few forms: a value that all of them change is soon known nowhere.
    uint32_t kind = draw(w, w->forms);
    put_drawn(w, forms[(w->form + kind * kind * 7) % (sizeof forms / sizeof *forms)]);
}

// Returns true if a forward branch is allowed; in a reducible graph it must not enter a loop.
static bool may_go(const struct writer *w, uint32_t from, uint32_t to)
{
    for (uint32_t head = 0; w->reducible && head < to; head++)
        if (w->loop_end[head] >= to && from < head)
            return false;
    return true;
}

static uint32_t forward(struct writer *w, uint32_t from)
{
    uint32_t to = from + 1 + draw(w, w->blocks - from);
    while (to > from + 1 && !may_go(w, from, to))
        to--;
    return to;
}

// Writes a backward branch that lanes take a limited number of times.
static void put_back(struct writer *w, uint32_t to)
{
    put_drawn(w, draw(w, 2) ? "and.b32 %t, U, 3; setp.ne.u32 %p, %t, 0;"
                            : "and.b32 %t, X, 3; setp.ne.u32 %p, %t, N;");
    put(w, "setp.lt.u32 %%q, %%n, 40; and.pred %%p, %%p, %%q; @%%p bra B%u;\n", to);
}

static void put_forward(struct writer *w, uint32_t from)
{
    uint32_t kind = draw(w, 5);
    if (kind == 0)
        return;
    if (kind == 1) {
        put_drawn(w, draw(w, 2) ? "and.b32 %t, U, 1;" : "and.b32 %t, X, 1;");
        put(w, "T%u: .branchtargets B%u, B%u;\nbrx.idx %%t, T%u;\n", from, forward(w, from),
            forward(w, from), from);
        return;
    }
    put_drawn(w, draw(w, 2) ? "setp.lt.u32 %p, U, U;" : "and.b32 %t, X, 3; setp.lt.u32 %p, %t, N;");
    put(w, "@%%p bra B%u;\n", forward(w, from));
}

static void plan_loops(struct writer *w, uint32_t *back)
{
    for (uint32_t i = 0; i < w->blocks; i++)
        w->loop_end[i] = i;
    for (uint32_t i = 0; i < w->blocks; i++) {
        back[i] = draw(w, 2) ? draw(w, i + 1) : IR_NONE;
        if (back[i] != IR_NONE)
            w->loop_end[back[i]] = i;
    }
}

static void write_kernel(struct writer *w, uint64_t seed)
{
    uint32_t back[MAX_BLOCKS];
    w->state = seed;
    draw(w, 2);
    w->length = 0;
    w->blocks = 2 + draw(w, MAX_BLOCKS - 1);
    w->reducible = draw(w, 4);
    w->form = draw(w, 1 << 10);
    w->forms = 1 + draw(w, 6);
    plan_loops(w, back);
    put(w,
        HEAD("8.0", "sm_80") ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %%r; ld.param.b32 "
                             "%%r, [x];\n"
                             "add.u32 %%r, %%r, 1; st.param.b32 [r], %%r; ret; }\n"
                             ".entry k(.param .u64 in, .param .u64 flags, .param .u64 lanes)\n{\n"
                             ".reg .pred %%p, %%q, %%P; .reg .b32 %%u<5>, %%v<3>, %%t, %%m, %%n, "
                             "%%M, %%W, %%T;\n"
                             ".reg .b64 %%a, %%in, %%F, %%L, %%A;\n"
                             "ld.param.u64 %%in, [in]; ld.param.u64 %%F, [flags]; ld.param.u64 "
                             "%%L, [lanes];\n"
                             "mov.u32 %%u0, 0; mov.u32 %%u1, 1; mov.u32 %%u2, %%ctaid.x; "
                             "ld.global.u32 %%u3, [%%in];\n"
                             "mov.u32 %%u4, %%ntid.x; mov.u32 %%v0, %%tid.x; and.b32 %%v1, %%v0, "
                             "3; mov.u32 %%n, 0;\n"
                             "mad.lo.u32 %%v2, %%v0, 37, 11; shr.u32 %%v2, %%v2, 2; mov.u32 %%t, "
                             "0; mov.u32 %%m, 0;\n");
    for (uint32_t i = 0; i < w->blocks; i++) {
        put(w, "B%u: add.u32 %%n, %%n, 1;\n", i);
        for (uint32_t count = draw(w, 5); count--;)
            put_statement(w);
        if (back[i] != IR_NONE)
            put_back(w, back[i]);
        put_forward(w, i);
    }
    put(w,
        "B%u:\nadd.u32 %%t, %%u0, %%u1; add.u32 %%t, %%u2, %%u3; add.u32 %%t, %%u4, "
        "%%n;\nret;\n}\n",
        w->blocks);
}

// Checks

struct claims {
    struct writer *writer; // of the kernel with its checks
    const struct kernel *kernel;
    const struct ir_function *fn;
    struct affines *affines;
    uint32_t count, uniform;
    int32_t lanes[MAX_TEXT / 16][WARP_LANES];
};

static bool find_claim(struct claims *c, const struct divergence *divergence, uint32_t operand)
{
    const struct ir_operand *o = &c->fn->operands.v[operand];
    int32_t *to = c->lanes[c->count];
    struct affine value;
    memset(to, 0, sizeof c->lanes[0]);
    if (o->kind != OPERAND_REGISTER || (o->role != ROLE_USE && o->role != ROLE_GUARD))
        return false;
    c->uniform++;
    if (divergence_operand(divergence, operand))
        return true;
    c->uniform--;
    if (c->fn->registers.v[o->index].bits != 32 || !affine_of_operand(c->affines, operand, &value))
        return false;
    uint32_t block = c->fn->insts.v[c->fn->operand_inst.v[operand]].block;
    struct affine_lanes lanes = affine_lanes(c->affines, &value, block, 0);
    if (!lanes.known || !lanes.same_in_all_warps)
        return false;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        to[i] = (int32_t)lanes.offset[i];
    return true;
}

// Writes a check that all active lanes have the same value, after subtracting their distance.
static void put_check(struct claims *c, uint32_t operand)
{
    const struct ir_operand *o = &c->fn->operands.v[operand];
    const struct ir_register *reg = &c->fn->registers.v[o->index];
    const struct name *name = tree_name(&c->kernel->tree, reg->name);
    put(c->writer,
        "mov.u32 %%M, %%laneid; mul.wide.u32 %%A, %%M, 4; add.u64 %%A, %%A, %%L;"
        " ld.global.u32 %%W, [%%A+%zu]; ",
        c->count * sizeof c->lanes[0]);
    put(c->writer, "%s%.*s;",
        reg->bits == 1    ? "selp.b32 %T, 1, 0, "
        : reg->bits == 64 ? "cvt.u32.u64 %T, "
                          : "mov.b32 %T, ",
        (int)name->length, name->text);
    put(c->writer,
        " sub.u32 %%T, %%T, %%W; activemask.b32 %%M; match.all.sync.b32 %%W|%%P, %%T,"
        " %%M; @!%%P st.global.u32 [%%F+%u], 1;\n",
        c->count * 4);
    c->count++;
}

static uint32_t statement_begin(const struct claims *c, uint32_t inst)
{
    return c->kernel->tree.nodes.v[c->fn->insts.v[inst].node].begin;
}

// Writes the kernel again, with its checks.
static void write_checked(struct claims *c, const struct divergence *divergence)
{
    const char *text = c->kernel->source.text;
    uint32_t done = 0;
    c->writer->length = 0;
    for (uint32_t i = 0; i < c->fn->insts.n; i++) {
        const struct ir_inst *at = &c->fn->insts.v[i];
        uint32_t begin = statement_begin(c, i);
        for (uint32_t k = at->operands; k < at->operands + at->operand_count; k++) {
            if (!find_claim(c, divergence, k))
                continue;
            put(c->writer, "%.*s", (int)(begin - done), text + done);
            done = begin;
            put_check(c, k);
        }
    }
    put(c->writer, "%s", text + done);
}

static const struct ir_function *kernel_function(const struct kernel *k)
{
    for (uint32_t i = 0; i < k->module.functions.n; i++)
        if (k->module.functions.v[i].is_entry)
            return &k->module.functions.v[i];
    fail_msg("no kernel");
    return NULL;
}

static void report_wrong(const struct claims *c, const char *plain, uint32_t claim)
{
    fprintf(stderr, "%s\nwith checks:\n%s\n", plain, c->writer->text);
    fail_msg("claim %u is wrong", claim);
}

static void run_checked(struct claims *c, const char *plain)
{
    struct kernel k;
    kernel_load(&k, c->writer->text, NULL);
    uint32_t *in = kernel_buffer(&k, WORDS * sizeof *in);
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i * 7 % 11;
    uint32_t *flags = kernel_buffer(&k, (c->count + 1) * sizeof *flags);
    void *lanes = kernel_buffer(&k, (c->count + 1) * sizeof c->lanes[0]);
    memcpy(lanes, c->lanes, c->count * sizeof c->lanes[0]);
    kernel_succeeds(&k, "k", 2, THREADS);
    for (uint32_t i = 0; i < c->count; i++)
        if (flags[i])
            report_wrong(c, plain, i);
    kernel_free(&k);
}

struct totals {
    uint64_t claims, uniform, operands, reducible;
};

static void check_kernel(uint64_t seed, struct totals *totals)
{
    static struct writer plain, checked;
    static struct claims claims;
    struct kernel k;
    write_kernel(&plain, seed);
    kernel_load(&k, plain.text, NULL);
    claims.writer = &checked;
    claims.kernel = &k;
    claims.fn = kernel_function(&k);
    claims.count = claims.uniform = 0;
    const struct divergence *divergence = divergence_new(
        &k.arena, &k.module, claims.fn, (struct block_shape){THREADS, 1, 1}, SHAPE_ANY);
    claims.affines = affines_new(&k.arena, &k.module, claims.fn, divergence,
                                 (struct block_shape){THREADS, 1, 1});
    write_checked(&claims, divergence);
    totals->claims += claims.count;
    totals->uniform += claims.uniform;
    totals->operands += claims.fn->operands.n;
    totals->reducible += !claims.fn->irreducible;
    run_checked(&claims, plain.text);
    kernel_free(&k);
}

struct options {
    uint64_t first, count;
};

static void test_random_kernels(void **state)
{
    const struct options *options = *state;
    struct totals totals = {0};
    for (uint64_t i = 0; i < options->count; i++)
        check_kernel(options->first + i, &totals);
    print_message("%" PRIu64 " kernels, %" PRIu64 " reducible: %" PRIu64 " claims on %" PRIu64
                  " operands, %" PRIu64 " of them uniform\n",
                  options->count, totals.reducible, totals.claims, totals.operands, totals.uniform);
    if (options->count >= KERNELS)
        assert_true(totals.uniform > 20 * options->count && totals.reducible > options->count / 3);
}

int main(int argc, char **argv)
{
    struct options options = {0, KERNELS};
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "--count=%" SCNu64, &options.count) != 1 &&
            sscanf(argv[i], "--first=%" SCNu64, &options.first) != 1)
            return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_random_kernels, &options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
