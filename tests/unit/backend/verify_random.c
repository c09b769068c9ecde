// Random kernels through matcher and checker: their decisions and outputs are proven.
//
// Their registers are few, so that loaded registers are redefined under guards, guards are
// redefined between the members of chains, and results go to loaded registers. Their blocks are in
// random order and branch to random blocks, which gives loops with exits in the middle, with blocks
// before or after them, and irreducible flow.
//
// usage: test-backend-verify_random [--count=N] [--seed=N] [--print]
#include "backend/emit/backend.h"
#include "backend/emit/format.h"
#include "passes/base/capability.h"
#include "passes/plan/pipeline.h"
#include "passes/verify/verify.h"
#include "tests/unit/program.h"
#include <stdio.h>

enum { FEW = 1500, MAX_TEXT = 1 << 18, MAX_BLOCKS = 9, VALUES = 6, GUARDS = 4 };

struct kernel {
    uint64_t seed;
    char text[MAX_TEXT];
    uint32_t length, blocks;
};

static uint32_t pick(struct kernel *k, uint32_t count)
{
    k->seed = k->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((k->seed >> 33) * count >> 31);
}

__attribute__((format(printf, 2, 3))) static void put(struct kernel *k, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    k->length += (uint32_t)vsnprintf(k->text + k->length, MAX_TEXT - k->length, format, args);
    va_end(args);
    assert_true(k->length < MAX_TEXT);
}

static void put_guard(struct kernel *k, uint32_t guard)
{
    if (guard < 2 * GUARDS)
        put(k, "@%s%%p%u ", guard & 1 ? "!" : "", guard / 2);
}

// Returns a guard: usually the current one, its complement, or none.
static uint32_t pick_guard(struct kernel *k, uint32_t usual)
{
    switch (pick(k, 6)) {
    case 0: return pick(k, 2 * GUARDS);
    case 1: return 2 * GUARDS;
    case 2: return usual ^ 1;
    default: return usual;
    }
}

// Instructions

static void put_address(struct kernel *k)
{
    put(k, "[%%a%u+%u]", pick(k, 5) % 4, 4 * pick(k, 8)); // %a0 is the same in all lanes
}

static void put_load(struct kernel *k, uint32_t guard, uint32_t value)
{
    put_guard(k, guard);
    put(k, "ld.global.f32 %%f%u, ", value);
    put_address(k);
    put(k, ";\n");
}

static void put_store(struct kernel *k, uint32_t guard, uint32_t value)
{
    put_guard(k, guard);
    put(k, "st.global.f32 ");
    put_address(k);
    put(k, ", %%f%u;\n", value);
}

static void put_operation(struct kernel *k, uint32_t guard, uint32_t to, uint32_t x, uint32_t y)
{
    static const char *const words[] = {"add", "max", "mul", "sub"};
    put_guard(k, guard);
    switch (pick(k, 5)) {
    case 0: put(k, "fma.rn.f32 %%f%u, %%f%u, %%u, %%f%u;\n", to, x, y); break;
    case 1: put(k, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", to, x, y, pick(k, VALUES)); break;
    case 2: put(k, "%s.f32 %%f%u, %%f%u, %%u;\n", words[pick(k, 4)], to, x); break;
    default: put(k, "%s.f32 %%f%u, %%f%u, %%f%u;\n", words[pick(k, 4)], to, x, y); break;
    }
}

static void put_compare(struct kernel *k, uint32_t guard)
{
    put_guard(k, guard);
    if (pick(k, 2))
        put(k, "setp.lt.f32 %%p%u, %%f%u, %%f%u;\n", pick(k, GUARDS), pick(k, VALUES),
            pick(k, VALUES));
    else
        put(k, "setp.lt.u32 %%p%u, %%r%u, %%n;\n", pick(k, GUARDS), pick(k, 2));
}

static void put_vector(struct kernel *k, uint32_t guard)
{
    uint32_t x = 2 * pick(k, VALUES / 2);
    put_guard(k, guard);
    if (pick(k, 2))
        put(k, "ld.global.v2.f32 {%%f%u, %%f%u}, [%%a%u];\n", x, x + 1, pick(k, 4));
    else
        put(k, "st.global.v2.f32 [%%a%u], {%%f%u, %%f%u};\n", pick(k, 4), x, x + 1);
}

static void put_other(struct kernel *k, uint32_t guard)
{
    uint32_t value = pick(k, VALUES);
    put_guard(k, guard);
    switch (pick(k, 6)) {
    case 0: put(k, "mov.f32 %%f%u, 0f3F800000;\n", value); break;
    case 1: put(k, "mov.f32 %%f%u, %%f%u;\n", value, pick(k, VALUES)); break;
    case 2: put(k, "add.u32 %%r%u, %%r%u, 1;\n", pick(k, 2), pick(k, 2)); break;
    case 3:
        put(k, "selp.f32 %%f%u, %%f%u, %%u, %%p%u;\n", value, pick(k, VALUES), pick(k, GUARDS));
        break;
    case 4: put(k, "add.u64 %%a%u, %%a%u, 128;\n", pick(k, 4), pick(k, 4)); break;
    default: put(k, "not.pred %%p%u, %%p%u;\n", pick(k, GUARDS), pick(k, GUARDS)); break;
    }
}

static void put_any(struct kernel *k, uint32_t usual)
{
    uint32_t guard = pick_guard(k, usual);
    switch (pick(k, 16)) {
    case 0:
    case 1:
    case 2: put_load(k, guard, pick(k, VALUES)); break;
    case 3:
    case 4: put_store(k, guard, pick(k, VALUES)); break;
    case 5:
    case 6:
    case 7: put_operation(k, guard, pick(k, VALUES), pick(k, VALUES), pick(k, VALUES)); break;
    case 8:
    case 9: put_compare(k, guard); break;
    case 10: put_vector(k, guard); break;
    case 11:
        if (!pick(k, 6))
            put(k, "bar.sync 0;\n");
        break;
    default: put_other(k, guard); break;
    }
}

static void put_some(struct kernel *k, uint32_t usual, uint32_t max)
{
    for (uint32_t i = pick(k, max + 1); i > 0; i--)
        put_any(k, usual);
}

// Returns the register with the value: its own, or a copy through an integer register, which may be
// declared here or shortly before.
static uint32_t put_copies(struct kernel *k, uint32_t guard, uint32_t value)
{
    uint32_t to = pick(k, 3) ? value : pick(k, VALUES), name = k->length;
    switch (pick(k, 8)) {
    case 0:
        put_guard(k, guard);
        put(k, "mov.f32 %%f%u, %%f%u;\n", to, value);
        return to;
    case 1:
        put(k, ".reg .b32 %%n%u_<3>, %%n%u;\n", name, name);
        put_some(k, guard, 2);
        put_guard(k, guard);
        put(k, "mov.b32 %%n%u_%u, %%f%u;\n", name, pick(k, 3), value);
        return value;
    case 2:
    case 3: {
        bool row = pick(k, 2);
        put(k, ".reg .b32 %%n%u_%s;\n", name, row ? "<1>" : "0");
        put_some(k, guard, 1);
        put_guard(k, guard);
        put(k, "mov.b32 %%n%u_0, %%f%u;\n", name, value);
        put_some(k, guard, 1);
        put_guard(k, guard);
        put(k, "mov.b32 %%f%u, %%n%u_0;\n", to, name);
        return to;
    }
    case 4: put(k, ".pragma \"nounroll\";\n"); return value;
    default: return value;
    }
}

// Writes a possible chain, with other instructions between its members. The result often goes to a
// register that was loaded.
static void put_chain(struct kernel *k, uint32_t usual)
{
    uint32_t x = pick(k, VALUES), y = (x + 1 + pick(k, VALUES - 1)) % VALUES;
    uint32_t z = pick(k, 3) ? (pick(k, 2) ? x : y) : pick(k, VALUES);
    put_load(k, pick(k, 5) ? usual : pick_guard(k, usual), x);
    put_some(k, usual, 1);
    x = put_copies(k, usual, x);
    put_load(k, pick(k, 5) ? usual : pick_guard(k, usual), y);
    y = put_copies(k, usual, y);
    put_some(k, usual, 1);
    put_operation(k, pick(k, 5) ? usual : pick_guard(k, usual), z, x, y);
    z = put_copies(k, usual, z);
    put_some(k, usual, 1);
    if (!pick(k, 3)) {
        uint32_t w = (x + 1 + pick(k, VALUES - 1)) % VALUES, sum = pick(k, VALUES);
        put_load(k, usual, w);
        put_operation(k, usual, sum, z, w);
        z = sum;
    }
    if (pick(k, 2))
        put_store(k, pick(k, 3) ? usual : pick_guard(k, usual), z);
}

// Flow

static void put_branch(struct kernel *k)
{
    uint32_t to = pick(k, k->blocks);
    switch (pick(k, 8)) {
    case 0: put(k, "bra L%u;\n", to); break;
    case 1: put(k, "ret;\n"); break;
    case 2: put(k, "@%%p%u ret;\n", pick(k, GUARDS)); break;
    case 3: break;
    case 4: // a loop that is counted
        put(k, "add.u32 %%r0, %%r0, 1;\nsetp.lt.u32 %%q, %%r0, %%n;\n@%%q bra L%u;\n", to);
        break;
    default: put(k, "@%s%%p%u bra L%u;\n", pick(k, 2) ? "!" : "", pick(k, GUARDS), to); break;
    }
}

static void put_block(struct kernel *k, uint32_t block)
{
    uint32_t usual = pick(k, 2) ? 2 * GUARDS : pick(k, 2 * GUARDS);
    put(k, "L%u:\n", block);
    for (uint32_t i = pick(k, 3); i > 0; i--)
        put_chain(k, usual);
    put_some(k, usual, 5);
    put_branch(k);
}

static void make_kernel(struct kernel *k, uint64_t seed)
{
    uint32_t order[MAX_BLOCKS];
    k->seed = seed * 0x9e3779b97f4a7c15u;
    k->length = 0;
    k->blocks = 1 + pick(k, MAX_BLOCKS);
    put(k,
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u32 n, .param .f32 u)\n{\n"
        ".reg .pred %%p<%d>, %%q;\n.reg .f32 %%f<%d>, %%u;\n.reg .b32 %%r<2>, %%n;\n"
        ".reg .b64 %%a<4>, %%d;\n"
        "ld.param.u64 %%a0, [a];\nld.param.u32 %%n, [n];\nld.param.f32 %%u, [u];\n"
        "cvta.to.global.u64 %%a0, %%a0;\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%d, %%r1, 4;\n"
        "add.u64 %%a1, %%a0, %%d;\nadd.u64 %%a2, %%a1, 4096;\nadd.u64 %%a3, %%a1, 65536;\n",
        GUARDS, VALUES);
    if (pick(k, 2))
        put(k, "mov.u32 %%r0, 0;\nsetp.lt.u32 %%p0, %%r1, %%n;\nsetp.eq.u32 %%p1, %%r1, 3;\n");
    for (uint32_t i = 0; i < k->blocks; i++) {
        uint32_t at = pick(k, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    if (pick(k, 2))
        put(k, "bra L%u;\n", pick(k, k->blocks));
    for (uint32_t i = 0; i < k->blocks; i++)
        put_block(k, order[i]);
    put(k, pick(k, 3) ? "ret;\n}\n" : "}\n");
}

// Proof

struct mutation_counts {
    uint64_t count, seed;
    bool print;
    struct kernel respelled;
    uint32_t refuted, chains, guarded, blocks, moved, irreducible;
};

static void count_plan(struct mutation_counts *tally, const struct ir_function *fn,
                       const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->chains.n; i++) {
        tally->chains++;
        tally->guarded += (fn->insts.v[plan->chains.v[i].inst[0]].flags & INST_GUARDED) != 0;
    }
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        tally->blocks += plan->blocks.v[i].chosen && plan->blocks.v[i].estimate.candidate;
    tally->irreducible += fn->irreducible;
}

// Writes comments and blanks in place of a blank, and `@@` lines.
static void put_noise(struct kernel *k)
{
    static const char *const noise[] = {" ", "\n", "/* ; { */", "// }\n", "\t\t", " /**/ "};
    put(k, "%s", noise[pick(k, sizeof noise / sizeof *noise)]);
}

static void respell(struct kernel *to, const char *text, uint32_t length)
{
    bool quoted = false;
    for (uint32_t i = 0; i < length; i++) {
        char c = text[i];
        quoted ^= c == '"';
        bool blank = c == ' ' || c == '\n', sign = strchr("[]{}(),;", c);
        if (!quoted && sign && !pick(to, 8))
            put_noise(to);
        if (quoted || !blank || pick(to, 4))
            put(to, "%c", c);
        else
            put_noise(to);
    }
}

// Proves the canonical form of the text, and the text with other white space and comments.
static const char *prove_spellings(struct kernel *made, const struct test_program *program,
                                   const struct ir_module *module,
                                   const struct pass_options *options, const struct output *output)
{
    struct verified verified = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    struct arena arena;
    arena_init(&arena, program->arena.memory);
    format_write(&program->tree, to);
    fclose(to);
    verify_output(&verified, &arena, module, options, text, (uint32_t)length);
    free(text);
    made->length = 0;
    respell(made, output->text, output->length);
    verify_output(&verified, &arena, module, options, made->text, made->length);
    const char *wrong = verified.faults.n ? verified.faults.v[0].text : NULL;
    arena_free(&arena);
    return wrong;
}

static void prove(struct mutation_counts *tally, const struct kernel *k, uint64_t number)
{
    struct test_program program;
    struct ir_module module;
    struct verified verified = {0};
    struct capability capability;
    struct backend_options options = {.output_name = "out.ptx",
                                      .passes = {.cost = number & 1 ? COST_REFINED : COST_TOM,
                                                 .fma = number & 2 ? FMA_SPLIT : FMA_FUSED,
                                                 .reorder = !(number & 4),
                                                 .capability = &capability}};
    struct pipeline pipeline = {.options = options.passes};
    struct output output;
    program_parse(&program, k->text, k->length);
    assert_true(capability_from_text(&capability, &program.arena, number & 8 ? "vector: 4" : ""));
    ir_build(&module, &program.arena, &program.tree, &program.diags);
    assert_int_equal(program.diags.list.n, 0);
    struct plan plan = {.arena = &program.arena};
    assert_null(pipeline_run(&pipeline, &module, &plan));
    const char *wrong = backend_emit(&output, &program.arena, &module, &plan, &options);
    if (wrong)
        fail_msg("--seed=%llu --count=1: %s", (unsigned long long)number, wrong);
    verify_plan(&verified, &program.arena, &module, &options.passes, &plan);
    verify_output(&verified, &program.arena, &module, &options.passes, output.text, output.length);
    count_plan(tally, &module.functions.v[0], &plan);
    tally->moved += verified.moved > 0;
    tally->respelled.seed = number;
    wrong = prove_spellings(&tally->respelled, &program, &module, &options.passes, &output);
    if (wrong && tally->print)
        fputs(tally->respelled.text, stdout);
    if (wrong)
        fail_msg("--seed=%llu --count=1: respelled: %s", (unsigned long long)number, wrong);
    tally->refuted += verified.faults.n > 0;
    for (uint32_t i = 0; i < verified.faults.n; i++)
        print_message("--seed=%llu --count=1: line %u: %s\n", (unsigned long long)number,
                      source_position_at(&program.source, verified.faults.v[i].input).line,
                      verified.faults.v[i].text);
    program_free(&program);
}

static void random_kernels(void **state)
{
    struct mutation_counts *tally = *state;
    struct kernel *kernel = malloc(sizeof *kernel);
    for (uint64_t i = 0; i < tally->count; i++) {
        make_kernel(kernel, tally->seed + i);
        if (tally->print)
            fputs(kernel->text, stdout);
        prove(tally, kernel, tally->seed + i);
    }
    free(kernel);
    print_message("%llu kernels, %u irreducible: %u chains, %u of them guarded, %u blocks; "
                  "instructions moved in %u; %u refuted\n",
                  (unsigned long long)tally->count, tally->irreducible, tally->chains,
                  tally->guarded, tally->blocks, tally->moved, tally->refuted);
    assert_int_equal(tally->refuted, 0);
    if (tally->count < FEW)
        return;
    // Or little was shown.
    assert_true(tally->chains > tally->count / 4 && tally->guarded > tally->count / 20);
    assert_true(tally->blocks > tally->count / 20 && tally->irreducible > tally->count / 20);
}

int main(int argc, char **argv)
{
    struct mutation_counts *tally = calloc(1, sizeof *tally);
    tally->count = FEW;
    tally->seed = 1;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--count=", 8))
            tally->count = strtoull(argv[i] + 8, NULL, 10);
        if (!strncmp(argv[i], "--seed=", 7))
            tally->seed = strtoull(argv[i] + 7, NULL, 10);
        tally->print |= !strcmp(argv[i], "--print");
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(random_kernels, tally)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(tally);
    return failed;
}
