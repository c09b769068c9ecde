// Candidate blocks, rule by rule. An answer lists the blocks and then the rejections:
//
//     loop 1-6 in %a,%i out %s ld 1 st 1 chosen >=4 %n    a conditional candidate, its trip count
//     block 2-3 in - out %f1 ld 1 st 0 no                 evaluated, but it does not save
//     shared:2<3                                          rule, line, and line of the cause
//
// Lines count from the body's first. The threads that enter the body have %t below %n; the code
// before the body holds a barrier, so that it belongs to no candidate.
#include "passes/base/passes.h"
#include "tests/unit/program.h"
#include <stdio.h>

#define HEAD_LINES 3
#define HEAD                                                                                       \
    ".version 7.5 .target sm_75 .address_size 64 .global .texref tex; .const .f32 cm[64]; "        \
    ".extern .func outside; .func inside(.reg .b64 %x) { .reg .f32 %y; ld.global.f32 %y, [%x]; "   \
    "st.global.f32 [%x], %y; ret; } .func waits { bar.sync 0; ret; } "                             \
    ".func again { call again; ret; } .func stops { exit; } "                                      \
    ".func (.param .b32 r) gives { st.param.b32 [r], 1; ret; }\n"                                  \
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 pn, .param .u32 pm)\n"          \
    "{ .reg .pred %p, %q, %g; .reg .b64 %a, %b, %c, %pa, %x<9>; .reg .b32 %t, %n, %m, %i, %j, "    \
    "%s, %r<9>, %size, %copy; .reg .f32 %f<9>; .shared .f32 sm[64]; .local .f32 lm[4]; "           \
    ".reg .b16 %h<4>; "                                                                            \
    "bar.sync 0; ld.param.u64 %pa, [pa]; ld.param.u64 %b, [pb]; ld.param.u32 %n, [pn]; "           \
    "ld.param.u32 %m, [pm]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4; add.s64 %b, %b, %a; "      \
    "add.s64 %a, %a, %pa; mov.u32 %size, %ntid.x; mov.u32 %copy, %ctaid.x; mul.lo.u32 %s, %t, 3; " \
    "cvt.rn.f32.u32 %f0, %t; setp.eq.u32 %p, %t, 1; setp.eq.u32 %q, %t, 2; add.s32 %i, %t, 1; "    \
    "add.s32 %j, %t, 2; "                                                                          \
    "setp.ge.u32 %g, %t, %n; @%g bra END;\n"
#define TAIL "END: ret; }\n"

enum { MAX_EXPECTED = 2048 };

struct example {
    const char *name, *body, *answer;
};

struct planned {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
    char answer[MAX_EXPECTED];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct planned *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    p->length += (size_t)vsnprintf(p->answer + p->length, MAX_EXPECTED - p->length, format, args);
    va_end(args);
    assert_true(p->length < MAX_EXPECTED);
}

static int line(const struct planned *p, uint32_t function, uint32_t inst)
{
    return (int)ir_position(&p->module, &p->module.functions.v[function], inst).line - HEAD_LINES;
}

static void say_values(struct planned *p, uint32_t function, const struct live_value *values,
                       uint32_t count)
{
    const struct ir_function *fn = &p->module.functions.v[function];
    for (uint32_t i = 0; i < count; i++) {
        const struct live_value *value = &values[i];
        say(p, "%s", i ? "," : "");
        if (value->reg == IR_NONE) {
            say(p, "%s%s", isa_specials[value->special].text,
                value->member < WORD_COUNT ? isa_words[value->member].text : "");
        } else {
            const struct name *name = tree_name(&p->program.tree, fn->registers.v[value->reg].name);
            say(p, "%.*s", (int)name->length, name->text);
        }
    }
    say(p, "%s", count ? "" : "-");
}

static void say_block(struct planned *p, const struct block_plan *block)
{
    static const char *const kinds[] = {
        [BLOCK_LOOP] = "loop", [BLOCK_BASIC] = "block", [BLOCK_REGION] = "region"};
    say(p, "%s %d-%d in ", kinds[block->kind], line(p, block->function, block->first),
        line(p, block->function, block->last));
    say_values(p, block->function, block->live_in.v, block->live_in.n);
    say(p, " out ");
    say_values(p, block->function, block->live_out.v, block->live_out.n);
    say(p, " ld %u st %u %s", block->loads, block->stores,
        !block->estimate.candidate ? "no"
        : block->chosen            ? "chosen"
                                   : "passed");
    if (block->estimate.candidate && block->estimate.conditional)
        say(p, " >=%llu", (unsigned long long)block->estimate.threshold);
    if (block->trip == TRIP_CONSTANT)
        say(p, " %llu", (unsigned long long)block->trips);
    else if (block->trip == TRIP_COUNTED)
        say(p, " %s", block->trip_text);
    else if (block->trip == TRIP_UNKNOWN)
        say(p, " ?");
    say(p, "\n");
}

static void plan_text(struct planned *p, const char *text)
{
    struct pass_options options = {.reorder = false};
    program_parse(&p->program, text, strlen(text));
    ir_build(&p->module, &p->program.arena, &p->program.tree, &p->program.diags);
    p->plan = (struct plan){.arena = &p->program.arena};
    p->length = 0;
    p->answer[0] = 0;
    pass_all(&pass_blocks, &p->module, &options, &p->plan);
}

static void plan_body(struct planned *p, const char *body)
{
    char text[8192];
    assert_true(snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL) < (int)sizeof text);
    plan_text(p, text);
}

// Writes the answer. Blocks that begin before the body are ignored.
static void describe(struct planned *p)
{
    for (uint32_t i = 0; i < p->plan.blocks.n; i++)
        if (line(p, p->plan.blocks.v[i].function, p->plan.blocks.v[i].first) > 0)
            say_block(p, &p->plan.blocks.v[i]);
    for (uint32_t i = 0; i < p->plan.rejections.n; i++) {
        const struct rejection *r = &p->plan.rejections.v[i];
        assert_int_equal(r->kind, CANDIDATE_BLOCK);
        assert_true(strlen(r->text) > 10);
        if (line(p, r->function, r->inst) <= 0)
            continue;
        say(p, "%s:%d", plan_rules[r->rule].id, line(p, r->function, r->inst));
        if (r->because != IR_NONE)
            say(p, "<%d", line(p, r->function, r->because));
        say(p, "\n");
    }
}

static void check_all(const struct example *examples, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct planned p;
        plan_body(&p, examples[i].body);
        describe(&p);
        if (strcmp(p.answer, examples[i].answer)) {
            print_message("%s:\n%s---- expected\n%s---- found\n%s\n", examples[i].name,
                          examples[i].body, examples[i].answer, p.answer);
            wrong++;
        }
        program_free(&p.program);
    }
    if (wrong)
        fail_msg("%zu of %zu examples", wrong, count);
}

#define CHECK_ALL(examples) check_all(examples, sizeof examples / sizeof *examples)

// An unconditional candidate: two loads, a store; both addresses are live-ins.
#define LOADS "ld.global.f32 %f1, [%a];\nld.global.f32 %f2, [%a+4];\nadd.f32 %f3, %f1, %f2;\n"
#define STORE "st.global.f32 [%a], %f3;\n"

static void test_barred(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"nothing bars it", LOADS STORE, "block 1-4 in %a out - ld 2 st 1 chosen\n"},
        {"shared load", LOADS "ld.shared.f32 %f3, [sm];\n" STORE, "shared:1<4\n"},
        {"shared store", LOADS STORE "st.shared.f32 [sm], %f3;\n", "shared:1<5\n"},
        {"shared window", LOADS STORE "st.shared::cta.f32 [sm], %f3;\n", "shared:1<5\n"},
        {"generic, known to be shared",
         LOADS "mov.u64 %x1, sm;\ncvta.shared.u64 %x1, %x1;\nst.f32 [%x1], %f3;\n" STORE,
         "shared:1<6\n"},
        {"generic, not known", LOADS "ld.f32 %f3, [%b];\n" STORE,
         "block 1-5 in %a,%b out - ld 3 st 1 chosen\n"},
        {"local", LOADS "st.local.f32 [lm], %f1;\nld.local.f32 %f3, [lm];\n" STORE,
         "block 1-6 in %a out - ld 3 st 2 chosen\n"},
        {"constant memory", LOADS "ld.const.f32 %f3, [cm];\n" STORE, "space:1<4\n"},
        {"generic, known to be constant memory",
         LOADS "mov.u64 %x1, cm;\ncvta.const.u64 %x1, %x1;\nld.f32 %f3, [%x1];\n" STORE,
         "space:1<6\n"},
        {"texture", LOADS "tex.1d.v4.f32.s32 {%f3,%f4,%f5,%f6}, [tex, {%i}];\n" STORE,
         "space:1<4\n"},
        {"parameter", LOADS "ld.param.u32 %r1, [pn];\nst.global.u32 [%a+8], %r1;\n" STORE,
         "block 1-6 in %a out - ld 2 st 2 chosen\n"},
        {"atomic", LOADS "atom.global.add.u32 %r1, [%a], 1;\n" STORE, "atomic:1<4\n"},
        {"reduction", LOADS STORE "red.global.add.u32 [%a], 1;\n", "atomic:1<5\n"},
        {"volatile load", LOADS "ld.volatile.global.f32 %f3, [%b];\n" STORE, "volatile:1<4\n"},
        {"relaxed store", LOADS "st.relaxed.gpu.global.f32 [%b], %f3;\n" STORE, "volatile:1<4\n"},
        {"weak load", LOADS "ld.weak.global.f32 %f3, [%b];\n" STORE,
         "block 1-5 in %a,%b out - ld 3 st 1 chosen\n"},
        {"barrier", LOADS "bar.sync 0;\n" STORE, "barrier:1<4\n"},
        {"warp barrier", LOADS "bar.warp.sync -1;\n" STORE, "barrier:1<4\n"},
        {"membar", LOADS "membar.gl;\n" STORE, "barrier:1<4\n"},
        {"fence", LOADS "fence.acq_rel.gpu;\n" STORE, "barrier:1<4\n"},
        {"asynchronous copy", LOADS "cp.async.ca.shared.global [sm], [%b], 4;\n" STORE,
         "shared:1<4\n"},
        {"shuffle stays in the warp", LOADS "shfl.sync.bfly.b32 %r1, %i, 1, 31, -1;\n" STORE,
         "block 1-5 in %a,%i out - ld 2 st 1 chosen\n"},
        {"the first that bars is told", LOADS "membar.gl;\nbar.sync 0;\n" STORE, "barrier:1<4\n"},
        {"call without a body", LOADS "call outside;\n" STORE, "call:1<4\n"},
        {"call with a body that can be moved", LOADS "call inside, (%a);\n" STORE,
         "block 1-5 in %a out - ld 3 st 2 chosen\n"},
        {"call with a body that cannot", LOADS "call waits;\n" STORE, "call:1<4\n"},
        {"call of a function that calls itself", LOADS "call again;\n" STORE, "call:1<4\n"},
        {"call of a function that ends the thread", LOADS "call stops;\n" STORE, "call:1<4\n"},
        {"call by address",
         LOADS
         "mov.u64 %x1, inside; P: .callprototype _ (.param .b64 _);\ncall %x1, (%a), P;\n" STORE,
         "call:1<5\n"},
        {"not in the table", LOADS "frob.f32 %f3, %f1;\n" STORE, "opaque:1<4\n"},
        {"trap", LOADS "trap;\n" STORE, "diverges:1<4\n"},
        {"clock", LOADS "mov.u32 %r1, %clock;\n" STORE, "place:1<4\n"},
        {"core", LOADS "mov.u32 %r1, %smid;\n" STORE, "place:1<4\n"},
        {"warp", LOADS "mov.u32 %r1, %warpid;\n" STORE, "place:1<4\n"},
        {"no such name", LOADS "mov.u32 %r1, %nothing;\n" STORE, "incomplete:1\n"},
        {"prefetch", LOADS "prefetch.global.L2 [%a];\n" STORE,
         "block 1-5 in %a out - ld 2 st 1 chosen\n"},
    };
    CHECK_ALL(examples);
}

static void test_counts(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"no access", "add.f32 %f3, %f1, %f2;\n", ""},
        {"a vector is one access",
         "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%a];\nst.global.v2.f32 [%a], {%f1,%f2};\n" STORE,
         "block 1-3 in %a out - ld 1 st 2 chosen\n"},
        {"a guarded access is one access", LOADS "@%p st.global.f32 [%a], %f3;\n",
         "block 1-4 in %p,%a out - ld 2 st 1 chosen\n"},
        {"a branch is not part of its block", LOADS STORE "bra END;\n",
         "block 1-4 in %a out - ld 2 st 1 chosen\n"},
        {"64-bit values are one unit",
         "ld.global.u64 %x1, [%a];\nst.global.u64 [%a], %x1;\nst.global.u64 [%b], %x1;\n",
         "block 1-3 in %a,%b out - ld 1 st 2 chosen\n"},
        {"one store and one load do not pay for two registers",
         "ld.global.u32 %r1, [%a];\nst.global.u32 [%b], %r1;\n",
         "block 1-2 in %a,%b out - ld 1 st 1 no\nno-saving:1\n"},
    };
    CHECK_ALL(examples);
}

static void test_live_ins(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"a parameter is free", "st.global.u32 [%pa], %n;\n",
         "block 1-1 in - out - ld 0 st 1 chosen\n"},
        {"arithmetic on it is not, when made outside", "st.global.u32 [%a], %n;\n",
         "block 1-1 in %a out - ld 0 st 1 chosen\n"},
        {"a copy of a grid constant is free", "st.global.u32 [%pa], %size;\n",
         "block 1-1 in - out - ld 0 st 1 chosen\n"},
        {"a copy of %ctaid is a register", "st.global.u32 [%pa], %copy;\n",
         "block 1-1 in %copy out - ld 0 st 1 chosen\n"},
        {"%tid inside, per component",
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.x;\nst.global.u32 [%pa], "
         "%r1;\nst.global.u32 [%pa+4], %r2;\n",
         "block 1-5 in %tid.x,%tid.y out - ld 0 st 2 chosen\n"},
        {"%ctaid and %laneid inside",
         "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %laneid;\nst.global.u32 [%pa], %r1;\nst.global.u32 "
         "[%pa+4], %r2;\nst.global.u32 [%pa+8], %r2;\n",
         "block 1-5 in %laneid,%ctaid.x out - ld 0 st 3 chosen\n"},
        {"grid constants inside are free",
         "mov.u32 %r1, %ntid.x;\nmov.u32 %r2, %nctaid.y;\nst.global.v2.u32 [%pa], {%r1,%r2};\n",
         "block 1-3 in - out - ld 0 st 1 chosen\n"},
        {"a predicate is one bit", "@%p st.global.u32 [%pa], 1;\n@!%q st.global.u32 [%pa], 2;\n",
         "block 1-2 in %p,%q out - ld 0 st 2 chosen\n"},
        {"a call's result is no parameter of the kernel",
         "{ .param .b32 r; call (r), gives; ld.param.b32 %r1, [r]; }\nbar.sync 0;\n@%p bra "
         "OVER;\nst.global.u32 [%pa], %r1;\nOVER:\n",
         "block 4-4 in %r1 out - ld 0 st 1 chosen\n"},
        {"a call with its parameter scope",
         "{ .param .b32 r; call (r), gives; ld.param.b32 %r1, [r];\nst.global.u32 [%pa], %r1; }\n",
         "block 1-2 in - out - ld 0 st 1 chosen\n"},
        {"a part of a call's parameter scope",
         "{ .param .b32 r; call (r), gives;\nbar.sync 0;\n@%p bra OVER;\nld.param.b32 %r1, [r];\n"
         "st.global.u32 [%pa], %r1;\nst.global.u32 [%pa+4], %r1;\nOVER: }\n",
         "space:4<4\n"},
        {"written before it is read", "mov.u32 %s, 5;\nst.global.u32 [%pa], %s;\n",
         "block 1-2 in - out - ld 0 st 1 chosen\n"},
        {"read, then written", "st.global.u32 [%pa], %s;\nmov.u32 %s, 5;\n",
         "block 1-2 in %s out - ld 0 st 1 chosen\n"},
        {"written under a guard, then read", "@%p mov.u32 %s, 5;\nst.global.u32 [%pa], %s;\n",
         "block 1-2 in %p,%s out - ld 0 st 1 chosen\n"},
        {"written under a guard, not read", "@%p mov.u32 %s, 5;\nst.global.u32 [%pa], 1;\n",
         "block 1-2 in %p out - ld 0 st 1 chosen\n"},
        {"never written anywhere", "st.global.u32 [%pa], %r8;\n",
         "block 1-1 in - out - ld 0 st 1 chosen\n"},
    };
    CHECK_ALL(examples);
}

static void test_live_outs(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"read behind",
         "ld.global.u32 %r1, [%a];\nst.global.u32 [%a], 1;\nst.global.u32 [%a+4], 2;\nbar.sync "
         "0;\nst.global.u32 [%a], %r1;\n",
         "barrier:1<4\n"},
        {"a predicate for the branch behind",
         "ld.global.u32 %r1, [%a];\nst.global.u32 [%a], 1;\nsetp.eq.u32 %p, %r1, 0;\n@%p bra "
         "OVER;\nbar.sync 0;\nOVER:\n",
         "block 1-3 in %a out %p ld 1 st 1 chosen\n"},
        {"overwritten behind",
         "ld.global.u32 %r1, [%a];\nst.global.u32 [%a], 1;\n@%p bra OVER;\nbar.sync "
         "0;\nOVER:\nmov.u32 %r1, 1;\nst.global.u32 [%a], %r1;\n",
         "block 1-2 in %a out - ld 1 st 1 chosen\nblock 6-7 in %a out - ld 0 st 1 chosen\n"},
        {"read on one way",
         "ld.global.u32 %r1, [%a];\nst.global.u32 [%a], 1;\nst.global.u32 [%a+4], 1;\n@%p bra "
         "OVER;\nmov.u32 %r1, 0;\nbar.sync 0;\nOVER:\nst.global.u32 [%a], %r1;\n",
         "block 1-3 in %a out %r1 ld 1 st 2 chosen\nblock 8-8 in %a,%r1 out - ld 0 st 1 "
         "no\nno-saving:8\n"},
        {"passes through a region",
         "@%p bra OVER;\nld.global.u32 %r1, [%a];\nst.global.u32 [%a], %r1;\nst.global.u32 [%b], "
         "%r1;\nmov.u32 %s, %r1;\nOVER:\nbar.sync 0;\nst.global.u32 [%a], %s;\n",
         "region 1-5 in %p,%a,%b out %s ld 1 st 2 no\nblock 2-5 in %a,%b out %s ld 1 st 2 "
         "no\nno-saving:1\nno-saving:2\nbarrier:7<7\n"},
    };
    CHECK_ALL(examples);
}

#define LOOP_HEAD                                                                                  \
    "LOOP: ld.global.f32 %f1, [%a];\nst.global.f32 [%b], %f1;\nadd.s64 %a, %a, 4;\nadd.s64 %b, "   \
    "%b, 4;\n"
#define LOOP_COUNT "add.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, %n;\n"

static void test_loops(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"counted", LOOP_HEAD LOOP_COUNT "@%p bra LOOP;\n",
         "loop 1-7 in %a,%b,%i out - ld 1 st 1 chosen >=2 max([pn] - %i, 1)\nblock 1-6 in %a,%b,%i "
         "out %p,%a,%b,%i ld 1 st 1 no\nno-saving:1\n"},
        {"constant",
         "mov.u32 %i, 0;\n" LOOP_HEAD "add.s32 %i, %i, 1;\nsetp.ne.s32 %p, %i, 3;\n@%p bra LOOP;\n",
         "region 1-8 in %a,%b out - ld 3 st 3 chosen\nloop 2-8 in %a,%b,%i out - ld 1 st 1 passed "
         "3\nblock 2-7 in %a,%b,%i out %p,%a,%b,%i ld 1 st 1 no\npassed-over:2<1\nno-saving:2\n"},
        {"constant, too few",
         "mov.u32 %i, 0;\n" LOOP_HEAD
         "add.s32 %i, %i, 1;\nsetp.ne.s32 %p, %i, 2;\nst.global.u32 [%c], %s;\n@%p bra LOOP;\n",
         "region 1-9 in %a,%b,%s out - ld 2 st 4 chosen\nloop 2-9 in %a,%b,%i,%s out - ld 1 st 2 "
         "passed 2\nblock 2-8 in %a,%b,%i,%s out %p,%a,%b,%i ld 1 st 2 "
         "no\npassed-over:2<1\nno-saving:2\n"},
        {"data decides", LOOP_HEAD "setp.lt.f32 %p, %f1, %f0;\n@%p bra LOOP;\n",
         "loop 1-6 in %a,%b,%f0 out - ld 1 st 1 no ?\nblock 1-5 in %a,%b,%f0 out %p,%a,%b ld 1 st "
         "1 no\ntrip-unknown:1<5\nno-saving:1\n"},
        {"data decides, but it pays once",
         "LOOP: ld.global.f32 %f1, [%pa];\nst.global.f32 [%pa+4], %f1;\nsetp.lt.f32 %p, %f1, "
         "%f0;\n@%p bra LOOP;\n",
         "loop 1-4 in %f0 out - ld 1 st 1 chosen ?\nblock 1-3 in %f0 out %p ld 1 st 1 "
         "passed\npassed-over:1<1\n"},
        {"up to a pointer",
         "LOOP: ld.global.f32 %f1, [%a];\nst.global.f32 [%a], %f2;\nadd.s64 %a, %a, "
         "4;\nsetp.ne.s64 %p, %a, %b;\n@%p bra LOOP;\n",
         "loop 1-5 in %a,%b out - ld 1 st 1 chosen >=2 (%b - %a) / 4\nblock 1-4 in %a,%b out %p,%a "
         "ld 1 st 1 no\nno-saving:1\n"},
        {"the test first",
         "LOOP: setp.ge.s32 %p, %i, %n;\n@%p bra END;\nst.global.u32 [%pa], %i;\nadd.s32 %i, %i, "
         "1;\nbra LOOP;\n",
         "loop 1-5 in %i out - ld 0 st 1 chosen >=1 max([pn] - %i, 0)\nblock 3-4 in %i out %i ld 0 "
         "st 1 no\nno-saving:3\n"},
        {"a parameter that is changed",
         "LOOP: st.global.u32 [%pa], %n;\nst.global.u32 [%pa+4], %n;\nadd.s32 %n, %n, "
         "-1;\nsetp.ne.s32 %p, %n, 0;\n@%p bra LOOP;\n",
         "loop 1-5 in %n out - ld 0 st 2 chosen %n\nblock 1-4 in %n out %p,%n ld 0 st 2 "
         "passed\npassed-over:1<1\n"},
        {"a step in a register",
         "LOOP: st.global.u32 [%pa], %m;\nadd.s32 %i, %i, %s;\nsetp.lt.s32 %p, %i, %n;\n@%p bra "
         "LOOP;\n",
         "loop 1-4 in %i,%s out - ld 0 st 1 chosen >=2 max(([pn] - %i + %s - 1) / max(%s, 0), "
         "1)\nblock 1-3 in %i,%s out %p,%i ld 0 st 1 no\nno-saving:1\n"},
        {"two exits to one place",
         LOOP_HEAD "@%q bra OUT;\n" LOOP_COUNT "@%p bra LOOP;\nOUT: bar.sync 0;\n",
         "loop 1-8 in %q,%a,%b,%i out - ld 1 st 1 no ?\nblock 1-4 in %a,%b out %a,%b ld 1 st 1 "
         "no\ntrip-unknown:1<5\nno-saving:1\n"},
        {"two exits to different places",
         LOOP_HEAD "@%q bra OUT;\n" LOOP_COUNT
                   "@%p bra LOOP;\nmov.u32 %s, 1;\nOUT: bar.sync 0;\nst.global.u32 [%pa], %s;\n",
         "region 1-9 in %q,%a,%b,%i out %s ld 1 st 1 no\nloop 1-8 in %q,%a,%b,%i out - ld 1 st 1 "
         "no ?\nblock 1-4 in %a,%b out %a,%b ld 1 st 1 "
         "no\nno-saving:1\ndiverges:1<8\nno-saving:1\nbarrier:10<10\n"},
        {"a return inside", LOOP_HEAD "@%q ret;\n" LOOP_COUNT "@%p bra LOOP;\n",
         "loop 1-8 in %q,%a,%b,%i out - ld 1 st 1 no ?\nblock 1-4 in %a,%b out %a,%b ld 1 st 1 "
         "no\ndiverges:1<5\nno-saving:1\n"},
        {"an exit as its end", LOOP_HEAD LOOP_COUNT "@!%p exit;\nbra LOOP;\n",
         "loop 1-8 in %a,%b,%i out - ld 1 st 1 no ?\nblock 1-6 in %a,%b,%i out %p,%a,%b,%i ld 1 st "
         "1 no\ndiverges:1<7\nno-saving:1\n"},
        {"without end", LOOP_HEAD "bra LOOP;\n",
         "loop 1-5 in %a,%b out - ld 1 st 1 no ?\nblock 1-4 in %a,%b out %a,%b ld 1 st 1 "
         "no\ndiverges:1\nno-saving:1\n"},
        {"a barrier inside", LOOP_HEAD "bar.sync 0;\n" LOOP_COUNT "@%p bra LOOP;\n",
         "loop 1-8 in %a,%b,%i out - ld 1 st 1 no max([pn] - %i, 1)\nbarrier:1<5\nbarrier:1<5\n"},
        {"nothing to save", "LOOP: add.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, %n;\n@%p bra LOOP;\n",
         "loop 1-3 in %i out - ld 0 st 0 no max([pn] - %i, 1)\nno-access:1\n"},
        {"only passes through",
         "LOOP: ld.global.u32 %s, [%pa];\nst.global.u32 [%pa], %s;\nadd.s32 %i, %i, "
         "1;\nsetp.lt.s32 %p, %i, %n;\n@%p bra LOOP;\nbar.sync 0;\nst.global.u32 [%a], %s;\n",
         "loop 1-5 in %i out %s ld 1 st 1 chosen >=2 max([pn] - %i, 1)\nblock 1-4 in %i out "
         "%p,%i,%s "
         "ld 1 st 1 no\nno-saving:1\nbarrier:6<6\n"},
        {"irreducible",
         "@%p bra IN;\nLOOP: ld.global.f32 %f1, [%pa];\nIN: st.global.f32 [%pa], %f1;\nadd.s32 %i, "
         "%i, 1;\nsetp.lt.s32 %q, %i, %n;\n@%q bra LOOP;\n",
         "region 1-6 in %p,%i out - ld 1 st 1 chosen\nblock 2-2 in - out %f1 ld 1 st 0 no\nblock "
         "3-5 in %i,%f1 out %q,%i ld 0 st 1 no\nno-saving:2\nno-saving:3\n"},
    };
    CHECK_ALL(examples);
}

static void test_nested(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"a constant count inside multiplies",
         "OUTER: mov.u32 %j, 0;\nINNER: ld.global.u32 %r1, [%pa];\nadd.s32 %s, %s, %r1;\nadd.s32 "
         "%j, %j, 1;\nsetp.ne.s32 %q, %j, 10;\n@%q bra INNER;\nadd.s32 %i, %i, 1;\nsetp.lt.s32 %p, "
         "%i, %n;\n@%p bra OUTER;\nbar.sync 0;\nst.global.u32 [%pa], %s;\n",
         "loop 1-9 in %i,%s out %s ld 10 st 0 chosen max([pn] - %i, 1)\nregion 1-8 in %i,%s out "
         "%p,%i,%s ld 10 st 0 passed\nloop 2-6 in %j,%s out %s ld 1 st 0 passed 10\nblock 2-5 in "
         "%j,%s out %q,%j,%s ld 1 st 0 "
         "no\npassed-over:1<1\npassed-over:2<1\nno-saving:2\nbarrier:10<10\n"},
        {"another count inside is one",
         "OUTER: mov.u32 %j, 0;\nINNER: ld.global.u32 %r1, [%pa];\nadd.s32 %s, %s, %r1;\nadd.s32 "
         "%j, %j, 1;\nsetp.lt.s32 %q, %j, %m;\n@%q bra INNER;\nadd.s32 %i, %i, 1;\nsetp.ne.s32 %p, "
         "%i, %n;\n@%p bra OUTER;\nbar.sync 0;\nst.global.u32 [%pa], %s;\n",
         "loop 1-9 in %i,%s out %s ld 1 st 0 chosen >=6 [pn] - %i\nregion 1-8 in %i,%s out "
         "%p,%i,%s "
         "ld 1 st 0 no\nloop 2-6 in %j,%s out %s ld 1 st 0 chosen >=6 max([pm], 1)\nblock 2-5 in "
         "%j,%s out %q,%j,%s ld 1 st 0 "
         "no\nno-saving:1\nno-saving:2\nbarrier:10<10\n"},
        {"the test of the outer loop inside the inner one",
         "OUTER: mov.u32 %j, 0;\nINNER: st.global.u32 [%pa], %j;\nadd.s32 %j, %j, 1;\nadd.s32 %i, "
         "%i, 1;\nsetp.lt.s32 %q, %i, %n;\n@!%q bra END;\nsetp.lt.s32 %p, %j, 5;\n@%p bra "
         "INNER;\nbra OUTER;\n",
         "loop 1-9 in %i out - ld 0 st 1 chosen ?\nloop 2-8 in %i,%j out %i ld 0 st 1 no "
         "min(max([pn] - "
         "%i, 1), 5)\nblock "
         "2-5 in %i,%j out %q,%i,%j ld 0 st 1 no\ndiverges:2<8\nno-saving:2\n"},
    };
    CHECK_ALL(examples);
}

// Thousands of nested loops, in time that does not grow cubically.
static void test_deep(void **unused)
{
    (void)unused;
    enum { DEPTH = 3000 };
    struct planned p;
    char *text = malloc(DEPTH * 80 + 1000), *end = text + sprintf(text, "%s", HEAD);
    for (int i = 0; i < DEPTH; i++)
        end += sprintf(end, "L%d: ld.global.f32 %%f1, [%%a+%d];\n", i, i * 4);
    for (int i = DEPTH; i-- > 0;)
        end += sprintf(end, "@%%p bra L%d;\n", i);
    sprintf(end, "%s", TAIL);
    plan_text(&p, text);
    assert_int_equal(p.module.functions.v[p.module.functions.n - 1].loops.n, DEPTH);
    assert_true(p.plan.blocks.n + p.plan.rejections.n >= DEPTH);
    program_free(&p.program);
    free(text);
}

static void test_regions(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"if and else",
         "setp.eq.u32 %p, %i, 0;\n@%p bra ELSE;\nld.global.f32 %f1, [%a];\nst.global.f32 [%a+4], "
         "%f1;\nbra OVER;\nELSE: ld.global.f32 %f2, [%b];\nst.global.f32 [%b+4], %f2;\nOVER: "
         "st.global.u32 [%a+8], %i;\n",
         "region 1-8 in %a,%b,%i out - ld 2 st 3 chosen\nregion 1-7 in %a,%b,%i out - ld 2 st 2 "
         "passed\nblock 3-4 in %a out - ld 1 st 1 passed\nblock 6-7 in %b out - ld 1 st 1 "
         "passed\nblock 8-8 in %a,%i out - ld 0 st 1 "
         "no\npassed-over:1<1\npassed-over:3<1\npassed-over:6<1\nno-saving:8\n"},
        {"one arm returns",
         "setp.eq.u32 %p, %i, 0;\n@%p bra ELSE;\nld.global.f32 %f1, [%pa];\nst.global.f32 [%pa+4], "
         "%f1;\nret;\nELSE: ld.global.f32 %f2, [%pa];\nst.global.f32 [%pa+4], %f2;\n",
         "block 3-4 in - out - ld 1 st 1 chosen\nblock 6-7 in - out - ld 1 st 1 chosen\n"},
        {"a barrier in one arm",
         "setp.eq.u32 %p, %i, 0;\n@%p bra ELSE;\nld.global.f32 %f1, [%pa];\nst.global.f32 [%pa+4], "
         "%f1;\nbra OVER;\nELSE: bar.sync 0;\nst.global.f32 [%pa+4], %f2;\nOVER: st.global.u32 "
         "[%pa+8], %i;\n",
         "block 3-4 in - out - ld 1 st 1 chosen\nblock 8-8 in %i out - ld 0 st 1 "
         "chosen\nbarrier:2<6\nbarrier:6<6\n"},
        {"a jump to the next line is no end",
         "st.global.u32 [%pa], %i;\nbra NEXT;\nNEXT: st.global.u32 [%pa+4], "
         "%i;\nFURTHER:\nst.global.u32 [%pa+8], %i;\n",
         "block 1-5 in %i out - ld 0 st 3 chosen\n"},
        {"never reached", "st.global.u32 [%pa], %i;\nbra END;\nst.global.u32 [%pa+4], %i;\n",
         "block 1-1 in %i out - ld 0 st 1 chosen\nunreachable:3<3\n"},
    };
    CHECK_ALL(examples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barred),   cmocka_unit_test(test_counts),
        cmocka_unit_test(test_live_ins), cmocka_unit_test(test_live_outs),
        cmocka_unit_test(test_loops),    cmocka_unit_test(test_nested),
        cmocka_unit_test(test_deep),     cmocka_unit_test(test_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
