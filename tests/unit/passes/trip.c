// Compares trip counts with executed loops: counters of all widths, with constant and register
// steps up and down, all comparisons, tests at the top and at the bottom, before and after the
// step.
#include "passes/base/passes.h"
#include "tests/lib/expression.h"
#include "tests/unit/program.h"
#include <stdio.h>

enum { MAX_RUNS = 70000, MAX_RUNS_EACH = 300, ROUNDS = 6000 };

enum form { TEST_AT_TOP, TEST_AT_BOTTOM, TEST_BEFORE_STEP, FORMS };

struct loop {
    unsigned bits;
    bool is_signed;
    const char *compare; // lt …
    int64_t start, bound, step;
    bool start_constant, bound_constant, step_constant;
    bool subtracts;    // the step's register is subtracted
    int64_t bound_add; // added to the bound inside the loop
    enum form form;
    bool exits;                              // the branch leaves the loop if the guard is true
    bool swapped, negated, inverted, second; // ways to write the same test
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

// Text

struct text {
    char v[4096];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    to->n += (size_t)vsnprintf(to->v + to->n, sizeof to->v - to->n, format, args);
    va_end(args);
    assert_true(to->n < sizeof to->v);
}

static void put_value(struct text *to, const struct loop *loop, const char *reg, bool constant,
                      int64_t value)
{
    if (constant)
        put(to, "mov.b%u %s, %lld;\n", loop->bits, reg, (long long)value);
    else
        put(to, "ld.global.b%u %s, [%%a];\n", loop->bits, reg);
}

static const char *opposite(const char *compare)
{
    static const char *const pairs[][2] = {{"lt", "ge"}, {"le", "gt"}, {"eq", "ne"},
                                           {"ge", "lt"}, {"gt", "le"}, {"ne", "eq"}};
    for (size_t i = 0; i < 6; i++)
        if (!strcmp(pairs[i][0], compare))
            return pairs[i][1];
    return compare;
}

static const char *mirrored(const char *compare)
{
    static const char *const pairs[][2] = {{"lt", "gt"}, {"le", "ge"}, {"gt", "lt"}, {"ge", "le"}};
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(pairs[i][0], compare))
            return pairs[i][1];
    return compare;
}

static const char *spelled(const struct loop *loop, const char *compare)
{
    static const char *const unsigned_words[][2] = {
        {"lt", "lo"}, {"le", "ls"}, {"gt", "hi"}, {"ge", "hs"}};
    for (size_t i = 0; !loop->is_signed && loop->inverted && i < 4; i++)
        if (!strcmp(unsigned_words[i][0], compare))
            return unsigned_words[i][1];
    return compare;
}

static void put_test(struct text *to, const struct loop *loop)
{
    const char *compare = loop->exits ? opposite(loop->compare) : loop->compare;
    if (loop->negated)
        compare = opposite(compare);
    if (loop->inverted != loop->second) // by not.pred, or by the second result
        compare = opposite(compare);
    if (loop->swapped)
        compare = mirrored(compare);
    if (loop->bound_add)
        put(to, "add.s%u %%z, %%y, %lld;\n", loop->bits, (long long)loop->bound_add);
    else
        put(to, "mov.b%u %%z, %%y;\n", loop->bits);
    put(to, "setp.%s.%c%u %s, %s, %s;\n", spelled(loop, compare), loop->is_signed ? 's' : 'u',
        loop->bits, loop->second ? "%q|%p" : "%p", loop->swapped ? "%z" : "%x",
        loop->swapped ? "%x" : "%z");
    if (loop->inverted)
        put(to, "not.pred %%p, %%p;\n");
}

static void put_step(struct text *to, const struct loop *loop)
{
    if (loop->step_constant && loop->subtracts)
        put(to, "sub.s%u %%x, %%x, %lld;\n", loop->bits, -(long long)loop->step);
    else if (loop->step_constant)
        put(to, "add.s%u %%x, %%x, %lld;\n", loop->bits, (long long)loop->step);
    else
        put(to, "%s.s%u %%x, %%x, %%w;\n", loop->subtracts ? "sub" : "add", loop->bits);
}

static void put_loop(struct text *to, const struct loop *loop)
{
    const char *sign = loop->negated ? "!" : "";
    put(to, "LOOP:\n");
    if (loop->form == TEST_AT_TOP) {
        put_test(to, loop);
        put(to, "@%s%%p bra %s;\n", sign, loop->exits ? "OUT" : "BODY");
        put(to, "%sBODY:\nst.global.u32 [%%a], 0;\n", loop->exits ? "" : "bra OUT;\n");
        put_step(to, loop);
        put(to, "bra LOOP;\n");
    } else {
        put(to, "st.global.u32 [%%a], 0;\n");
        if (loop->form == TEST_AT_BOTTOM)
            put_step(to, loop);
        put_test(to, loop);
        if (loop->form == TEST_BEFORE_STEP)
            put_step(to, loop);
        put(to, "@%s%%p bra %s;\n%s", sign, loop->exits ? "OUT" : "LOOP",
            loop->exits ? "bra LOOP;\n" : "");
    }
    put(to, "OUT:\n");
}

static void put_kernel(struct text *to, const struct loop *loop)
{
    put(to,
        ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %%p, %%q; .reg .b64 %%a; .reg .b%u %%x, %%y, %%z, %%w;\nld.param.u64 %%a, "
        "[p];\n",
        loop->bits);
    put_value(to, loop, "%x", loop->start_constant, loop->start);
    put_value(to, loop, "%y", loop->bound_constant, loop->bound);
    if (!loop->step_constant)
        put_value(to, loop, "%w", false, 0);
    put_loop(to, loop);
    put(to, "ret;\n}\n");
}

// Running the loop. Wide numbers show when the counter wraps around.

struct simulated_trip {
    int64_t count;
    bool wraps;    // the counter leaves its type's range on the way
    bool long_run; // it was stopped
};

__extension__ typedef __int128 wide;

static wide as_seen(const struct loop *loop, int64_t value)
{
    uint64_t mask = loop->bits < 64 ? (UINT64_C(1) << loop->bits) - 1 : ~UINT64_C(0);
    return loop->is_signed ? (wide)value : (wide)((uint64_t)value & mask);
}

static int64_t wrapped(const struct loop *loop, uint64_t value)
{
    unsigned above = 64 - loop->bits;
    return (int64_t)(value << above) >> above;
}

static bool out_of_range(const struct loop *loop, wide value)
{
    wide half = (wide)1 << (loop->bits - 1);
    return loop->is_signed ? value < -half || value >= half : value < 0 || value >= 2 * half;
}

static bool goes_on(const char *compare, wide x, wide y)
{
    if (compare[0] == 'l')
        return compare[1] == 't' ? x < y : x <= y;
    if (compare[0] == 'g')
        return compare[1] == 't' ? x > y : x >= y;
    return compare[0] == 'e' ? x == y : x != y;
}

static int64_t first_tested(const struct loop *loop)
{
    bool ahead = loop->form == TEST_AT_BOTTOM && loop->step_constant;
    return wrapped(loop, (uint64_t)loop->start + (ahead ? (uint64_t)loop->step : 0));
}

static struct simulated_trip run_loop(const struct loop *loop, int64_t max)
{
    struct simulated_trip run = {0, false, false};
    wide x = as_seen(loop, loop->start), y = as_seen(loop, loop->bound) + loop->bound_add;
    wide step = loop->step_constant || !loop->subtracts ? loop->step : -loop->step;
    if (loop->bound_constant) // the compiler adds like the machine
        y = as_seen(loop, wrapped(loop, (uint64_t)loop->bound + (uint64_t)loop->bound_add));
    run.wraps = out_of_range(loop, y);
    bool joins = loop->form == TEST_AT_BOTTOM && loop->start_constant && loop->step_constant;
    while (!run.wraps && !run.long_run) {
        wide before = x;
        if (loop->form == TEST_AT_TOP && !goes_on(loop->compare, x, y))
            break;
        run.count++;
        x += step;
        if (joins && run.count == 1) // nobody looks at the counter before the first test
            x = as_seen(loop, first_tested(loop));
        if (loop->form == TEST_AT_BOTTOM && !goes_on(loop->compare, x, y))
            break;
        if (loop->form == TEST_BEFORE_STEP && !goes_on(loop->compare, before, y))
            break;
        run.long_run = run.count >= max;
        run.wraps = out_of_range(loop, x);
    }
    if (loop->form == TEST_AT_BOTTOM && out_of_range(loop, x))
        run.wraps = true;
    return run;
}

// Reading the expression

static int64_t value_of(const void *data, const char *name, size_t length)
{
    const struct loop *loop = data;
    assert_int_equal(length, 2);
    switch (name[1]) {
    case 'x': return loop->start;
    case 'y': return loop->bound;
    case 'w': return loop->step;
    default: fail_msg("unknown register in %s", name); return 0;
    }
}

// Checks

static bool leads_to_bound(const struct loop *loop)
{
    int64_t step = loop->step_constant || !loop->subtracts ? loop->step : -loop->step;
    return loop->compare[0] == 'n' || (loop->compare[0] == 'l') == (step > 0);
}

// Returns true if the trip count should be known without the values: a step in a register is
// assumed to lead to the bound.
static bool should_be_known(const struct loop *loop)
{
    bool up = loop->compare[0] == 'l', exact = loop->compare[0] == 'n';
    if (loop->compare[0] == 'e')
        return false;
    return loop->step_constant ? leads_to_bound(loop) : exact || up != loop->subtracts;
}

static bool check_counted(const struct loop *loop, const char *text)
{
    static const int64_t values[] = {0, 1, 2, 5, 7, 20, -1, -3, -8, 100};
    for (size_t i = 0; i < 10 * 10 * 4; i++) {
        static const int64_t steps[] = {1, 2, 5, -3};
        struct loop at = *loop;
        at.start = loop->start_constant ? loop->start : values[i % 10];
        at.bound = loop->bound_constant ? loop->bound : values[i / 10 % 10];
        at.step = loop->step_constant ? loop->step : steps[i / 100];
        bool huge = loop->bits == 64 && !loop->is_signed && (at.start < 0 || at.bound < 0);
        if (huge) // beyond what the expressions promise
            continue;
        struct simulated_trip run = run_loop(&at, leads_to_bound(&at) ? MAX_RUNS_EACH : 3);
        int64_t count = expression_read(text, value_of, &at), min = loop->form != TEST_AT_TOP;
        bool misses = run.long_run && (loop->compare[0] == 'n' || !leads_to_bound(&at));
        bool right =
            run.wraps || misses || (run.long_run ? count > MAX_RUNS_EACH : count == run.count);
        if (!leads_to_bound(&at))
            right |= count <= min;
        if (!right) {
            print_message("start %lld bound %lld step %lld: %lld runs, but %s is %lld\n",
                          (long long)at.start, (long long)at.bound, (long long)at.step,
                          (long long)run.count, text, (long long)count);
            return false;
        }
    }
    return true;
}

static const struct block_plan *only_loop(const struct plan *plan)
{
    const struct block_plan *loop = NULL;
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        if (plan->blocks.v[i].kind == BLOCK_LOOP) {
            assert_null(loop);
            loop = &plan->blocks.v[i];
        }
    assert_non_null(loop);
    return loop;
}

// Returns true for values that the expression's arithmetic cannot represent.
static bool too_wide(const struct loop *loop, int64_t value)
{
    return as_seen(loop, value) > INT64_MAX / 2 || as_seen(loop, value) < INT64_MIN / 2;
}

static bool check_plan(const struct loop *loop, const struct block_plan *plan)
{
    bool all_constant = loop->start_constant && loop->bound_constant && loop->step_constant;
    struct simulated_trip run = run_loop(loop, all_constant ? MAX_RUNS : 0);
    switch (plan->trip) {
    case TRIP_CONSTANT:
        return all_constant && !run.wraps &&
               (run.long_run ? plan->trips > MAX_RUNS : (int64_t)plan->trips == run.count);
    case TRIP_COUNTED:
        return !all_constant && should_be_known(loop) && check_counted(loop, plan->trip_text);
    default:
        return !should_be_known(loop) || (all_constant && (run.wraps || run.long_run)) ||
               (loop->bits == 64 && (too_wide(loop, loop->start) || too_wide(loop, loop->bound) ||
                                     too_wide(loop, first_tested(loop))));
    }
}

static bool check_loop(const struct loop *loop)
{
    struct text text = {.n = 0};
    struct test_program program;
    struct ir_module module;
    struct pass_options options = {.reorder = false};
    put_kernel(&text, loop);
    program_parse(&program, text.v, text.n);
    ir_build(&module, &program.arena, &program.tree, &program.diags);
    assert_int_equal(program.diags.errors, 0);
    struct plan plan = {.arena = &program.arena};
    pass_all(&pass_blocks, &module, &options, &plan);
    const struct block_plan *found = only_loop(&plan);
    bool right = check_plan(loop, found);
    if (!right)
        print_message("trip %d, %llu, %s:\n%s", found->trip, (unsigned long long)found->trips,
                      found->trip_text ? found->trip_text : "no text", text.v);
    program_free(&program);
    return right;
}

static struct loop random_loop(uint64_t *state)
{
    static const char *const compares[] = {"lt", "le", "gt", "ge", "ne", "eq"};
    static const int64_t steps[] = {1, -1, 4, -3, 2, 16, -16};
    struct loop loop = {.bits = 16u << draw(state, 3),
                        .is_signed = draw(state, 2),
                        .compare = compares[draw(state, 6)]};
    bool extreme = !draw(state, 4);
    loop.start = extreme ? (loop.is_signed ? (int64_t)(~UINT64_C(0) << (loop.bits - 1)) : -2) +
                               draw(state, 9)
                         : (int64_t)draw(state, 60) - 10;
    loop.bound = (int64_t)draw(state, 60) - 10;
    loop.step = steps[draw(state, 7)];
    if (extreme && loop.is_signed && draw(state, 2)) {
        int64_t swap = loop.start;
        loop.start = loop.bound;
        loop.bound = swap;
    }
    loop.start_constant = draw(state, 2);
    loop.bound_constant = draw(state, 2);
    loop.step_constant = draw(state, 3);
    loop.subtracts = draw(state, 2);
    loop.bound_add = draw(state, 3) ? 0 : (int64_t)draw(state, 9) - 4;
    loop.form = (enum form)draw(state, FORMS);
    loop.exits = draw(state, 2);
    loop.swapped = draw(state, 2);
    loop.negated = draw(state, 2);
    loop.inverted = draw(state, 2);
    loop.second = draw(state, 2);
    return loop;
}

static void test_random_loops(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    int wrong = 0;
    for (int round = 0; round < ROUNDS && wrong < 3; round++) {
        struct loop loop = random_loop(&state);
        wrong += !check_loop(&loop);
    }
    assert_int_equal(wrong, 0);
}

// Known loops; %x, %y and %z come from memory

static const struct {
    const char *name, *body, *count;
} known[] = {
    {"64 times",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 1;\n"
     "setp.ne.s32 %p, %i, 64;\n@%p bra LOOP;\n",
     "64"},
    {"a pointer up to another",
     "LOOP: st.global.u32 [%b], 0;\nadd.s64 %b, %b, 4;\n"
     "setp.ne.s64 %p, %b, %c;\n@%p bra LOOP;\n",
     "(%c - %b) / 4"},
    {"a pointer and what lies 256 bytes on",
     "add.s64 %c, %b, 256;\nLOOP: st.global.u32 [%b], 0;\nadd.s64 %b, %b, 16;\n"
     "setp.lt.u64 %p, %b, %c;\n@%p bra LOOP;\n",
     "16"},
    {"nvcc's triangle: from -1, without sign",
     "mov.u32 %i, -1;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 1;\n"
     "setp.lt.u32 %p, %i, %y;\n@%p bra LOOP;\n",
     "max(u32(%y) + 1, 1)"},
    {"the same in 64 bits",
     "mov.u64 %b, -1;\nLOOP: st.global.u32 [%a], 0;\nadd.s64 %b, %b, 1;\n"
     "setp.lt.u64 %p, %b, %c;\n@%p bra LOOP;\n",
     "max(%c + 1, 1)"},
    {"from one before what a register holds",
     "add.s32 %x, %x, -1;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %x, %x, 1;\n"
     "setp.lt.u32 %p, %x, %y;\n@%p bra LOOP;\n",
     "max(u32(%y) - u32(%x + 1) + 1, 1)"},
    {"16 bits that wrap around before they are widened",
     "mov.u16 %h, -1;\nLOOP: st.global.u32 [%a], 0;\n"
     "add.s16 %h, %h, 1;\ncvt.u32.u16 %i, %h;\nsetp.lt.u32 %p, %i, %y;\n@%p bra LOOP;\n",
     NULL},
    {"unrolled by four",
     "LOOP: st.global.u32 [%a], 0;\nadd.s32 %x, %x, 4;\n"
     "setp.lt.s32 %p, %x, %y;\n@%p bra LOOP;\n",
     "max((%y - %x + 3) / 4, 1)"},
    {"unrolled by four by nvcc: up to 0 from what is a multiple of four below it",
     "and.b32 %z, %y, 3;\nsub.s32 %x, %z, %y;\nLOOP: st.global.u32 [%a], 0;\n"
     "add.s32 %x, %x, 4;\nsetp.ne.s32 %p, %x, 0;\n@%p bra LOOP;\n",
     "-%x / 4"},
    {"what remains of it, down to 0",
     "and.b32 %z, %y, 3;\nLOOP: st.global.u32 [%a], 0;\n"
     "add.s32 %z, %z, -1;\nsetp.ne.s32 %p, %z, 0;\n@%p bra LOOP;\n",
     "%z"},
    {"a list",
     "LOOP: st.global.u32 [%b+8], 0;\nld.global.u64 %b, [%b];\n"
     "setp.ne.s64 %p, %b, 0;\n@%p bra LOOP;\n",
     NULL},
    {"doubled each time",
     "LOOP: st.global.u32 [%a], 0;\nshl.b32 %x, %x, 1;\n"
     "setp.lt.s32 %p, %x, %y;\n@%p bra LOOP;\n",
     NULL},
    {"under a guard",
     "LOOP: st.global.u32 [%a], 0;\n@%q add.s32 %x, %x, 1;\n"
     "setp.lt.s32 %p, %x, %y;\n@%p bra LOOP;\n",
     NULL},
    {"a bound that stores may change",
     "LOOP: st.global.u32 [%a], 0;\nld.global.u32 %y, [%b];\nadd.s32 %x, %x, 1;\n"
     "setp.lt.s32 %p, %x, %y;\n@%p bra LOOP;\n",
     NULL},
    {"both comparisons have to let pass",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 1;\n"
     "setp.lt.s32 %p, %i, %x;\nsetp.lt.u32 %q, %i, 10;\nand.pred %p, %p, %q;\n@%p bra LOOP;\n",
     "min(max(%x, 1), 10)"},
    {"neither may fail, said the other way round",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 1;\n"
     "setp.ge.s32 %p, %i, %x;\nsetp.ge.s32 %q, %i, %y;\nor.pred %p, %p, %q;\n@!%p bra LOOP;\n",
     "min(max(%x, 1), max(%y, 1))"},
    {"one of two is enough",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 1;\n"
     "setp.lt.s32 %p, %i, %x;\nsetp.lt.s32 %q, %i, 10;\nor.pred %p, %p, %q;\n@%p bra LOOP;\n",
     "max(max(%x, 1), 10)"},
    {"one of two is enough, but one may miss its bound",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 1;\n"
     "setp.ne.s32 %p, %i, %x;\nsetp.lt.s32 %q, %i, 10;\nor.pred %p, %p, %q;\n@%p bra LOOP;\n",
     NULL},
    {"constants",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 3;\n"
     "setp.lt.s32 %p, %i, 100;\nsetp.lt.s32 %q, %i, 10;\nand.pred %p, %p, %q;\n@%p bra LOOP;\n",
     "4"},
    {"unrolled by two, with a test for each half",
     "LOOP: st.global.u32 [%a], 0;\nadd.s32 %i, %x, 1;\nsetp.ge.s32 %p, %i, %y;\n@%p bra OUT;\n"
     "st.global.u32 [%a], 0;\nadd.s32 %x, %x, 2;\nsetp.lt.s32 %p, %x, %y;\n@%p bra LOOP;\nOUT:\n",
     "min(max((%y - %x + 2) / 2, 1), max((%y - %x + 1) / 2, 1))"},
    {"two exits, of which one may be missed",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nsetp.eq.s32 %p, %i, %x;\n@%p bra OUT;\n"
     "add.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, %y;\n@%p bra LOOP;\nOUT:\n",
     NULL},
    {"two exits, one in some iterations only",
     "mov.u32 %i, 0;\nLOOP: setp.lt.s32 %q, %i, %z;\n@%q bra NEXT;\nsetp.ge.s32 %p, %i, %x;\n"
     "@%p bra OUT;\nNEXT: st.global.u32 [%a], 0;\nadd.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, %y;\n"
     "@%p bra LOOP;\nOUT:\n",
     NULL},
    {"doubled each time",
     "mov.u32 %i, 1;\nLOOP: st.global.u32 [%a], 0;\nshl.b32 %i, %i, 1;\n"
     "setp.lt.s32 %p, %i, 100;\n@%p bra LOOP;\n",
     "7"},
    {"halved each time, tested at the top",
     "mov.u32 %i, 128;\nLOOP: setp.eq.s32 %p, %i, 0;\n@%p bra OUT;\nst.global.u32 [%a], 0;\n"
     "shr.u32 %i, %i, 1;\nbra LOOP;\nOUT:\n",
     "8"},
    {"divided by three towards zero",
     "mov.u32 %i, -100;\nLOOP: st.global.u32 [%a], 0;\ndiv.s32 %i, %i, 3;\n"
     "setp.lt.s32 %p, %i, 0;\n@%p bra LOOP;\n",
     "5"},
    {"doubled until it wraps around",
     "mov.u32 %i, 1;\nLOOP: st.global.u32 [%a], 0;\nmul.lo.s32 %i, %i, 2;\n"
     "setp.gt.s32 %p, %i, 0;\n@%p bra LOOP;\n",
     "31"},
    {"doubled without end",
     "mov.u32 %i, 0;\nLOOP: st.global.u32 [%a], 0;\nshl.b32 %i, %i, 1;\n"
     "setp.lt.s32 %p, %i, 100;\n@%p bra LOOP;\n",
     NULL},
    {"doubled from what memory holds",
     "LOOP: st.global.u32 [%a], 0;\nshl.b32 %x, %x, 1;\n"
     "setp.lt.s32 %p, %x, 100;\n@%p bra LOOP;\n",
     NULL},
    {"doubled in some rounds only",
     "mov.u32 %i, 1;\nLOOP: st.global.u32 [%a], 0;\nsetp.lt.s32 %q, %x, 5;\n"
     "@%q shl.b32 %i, %i, 1;\nsetp.lt.s32 %p, %i, 100;\n@%p bra LOOP;\n",
     NULL},
    {"two exits",
     "LOOP: setp.eq.s32 %q, %x, 7;\n@%q bra OUT;\nst.global.u32 [%a], 0;\n"
     "add.s32 %x, %x, 1;\nsetp.lt.s32 %p, %x, %y;\n@%p bra LOOP;\nOUT:\n",
     NULL},
    {"over the grid",
     "LOOP: st.global.u32 [%a], 0;\nmad.lo.s32 %x, %y, %z, %x;\n"
     "setp.lt.u32 %p, %x, %i;\n@%p bra LOOP;\n",
     "max((u32(%i) - u32(%x) + s32(%y * %z) - 1) / max(s32(%y * %z), 0), 1)"},
    {"a parameter",
     "ld.param.u32 %y, [n];\nLOOP: st.global.u32 [%a], 0;\n"
     "add.s32 %x, %x, 1;\nsetp.lt.s32 %p, %x, %y;\n@%p bra LOOP;\n",
     "max([n] - %x, 1)"},
    {"the smaller of two",
     "LOOP: st.global.u32 [%a], 0;\nadd.s32 %x, %x, 1;\n"
     "min.s32 %i, %y, %z;\nsetp.lt.s32 %p, %x, %i;\n@%p bra LOOP;\n",
     "max(min(%y, %z) - %x, 1)"},
    {"16 bits",
     "LOOP: st.global.u32 [%a], 0;\nadd.s16 %h, %h, 1;\ncvt.u32.u16 %i, %h;\n"
     "setp.lt.u32 %p, %i, %y;\n@%p bra LOOP;\n",
     "max(u32(%y) - u16(%h), 1)"},
    {"triangular, inside",
     "mov.u32 %i, 0;\nOUTER: mov.u32 %z, %i;\n"
     "LOOP: st.global.u32 [%a], 0;\nadd.s32 %z, %z, 1;\n"
     "setp.lt.s32 %p, %z, %y;\n@%p bra LOOP;\nadd.s32 %i, %i, 1;\n"
     "setp.lt.s32 %q, %i, %y;\n@%q bra OUTER;\n",
     "max(%y - %z, 1)"},
};

static const char *count_text(struct test_program *program, const struct block_plan *loop)
{
    if (loop->trip == TRIP_CONSTANT)
        return arena_printf(&program->arena, "%llu", (unsigned long long)loop->trips);
    return loop->trip == TRIP_COUNTED ? loop->trip_text : NULL;
}

// The count of the innermost loop.
static void test_known_loops(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct text text = {.n = 0};
        struct test_program program;
        struct ir_module module;
        struct pass_options options = {.reorder = false};
        const struct block_plan *loop = NULL;
        put(&text, ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 "
                   "p, .param .u32 n)\n{\n.reg .pred %%p, %%q; .reg .b64 %%a, %%b, %%c; .reg .b32 "
                   "%%i, %%x, %%y, %%z; .reg .b16 %%h;\nld.param.u64 %%a, [p];\n"
                   "ld.global.u64 %%b, [%%a];\nld.global.u64 %%c, [%%a+8];\n"
                   "ld.global.u32 %%x, [%%a];\nld.global.u32 %%y, [%%a];\nld.global.u32 %%z, "
                   "[%%a];\nld.global.u32 %%i, [%%a];\nld.global.u16 %%h, [%%a];\n"
                   "setp.eq.s32 %%q, %%x, 9;\n");
        put(&text, "%sret;\n}\n", known[i].body);
        program_parse(&program, text.v, text.n);
        ir_build(&module, &program.arena, &program.tree, &program.diags);
        assert_int_equal(program.diags.errors, 0);
        struct plan plan = {.arena = &program.arena};
        pass_all(&pass_blocks, &module, &options, &plan);
        for (uint32_t k = 0; k < plan.blocks.n; k++)
            if (plan.blocks.v[k].kind == BLOCK_LOOP)
                loop = &plan.blocks.v[k];
        assert_non_null(loop);
        const char *found = count_text(&program, loop), *count = known[i].count;
        if (!found != !count || (count && strcmp(found, count)))
            fail_msg("%s: %s", known[i].name, found ? found : "unknown");
        program_free(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_loops),
        cmocka_unit_test(test_random_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
