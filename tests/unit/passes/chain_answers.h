// The chain passes' decisions about a kernel, as one line to compare with.
//
// An answer is a list of `pattern:line,line,…` for the chains and `rule:line` or `rule:line<line`
// (because of) for rejections; lines count from the body's first. ` split` and ` chain` follow a
// divided multiply-add and a candidate that is not a load.
#pragma once
#include "passes/base/capability.h"
#include "tests/unit/passes/kernel.h"
#include "tests/unit/passes/planned.h"

struct example {
    const char *name, *body, *answer;
};

enum { MAX_EXPECTED = 1024 };

static uint32_t body_line(const struct planned *p, uint32_t function, uint32_t inst)
{
    return planned_line(p, function, inst) - KERNEL_LINES;
}

// Writes the answer. `stores`: only the rejections of stores; otherwise all others.
static void describe(const struct planned *p, char *to, bool stores)
{
    size_t at = 0;
    *to = '\0';
    for (uint32_t i = 0; i < p->plan.chains.n; i++) {
        const struct chain *chain = &p->plan.chains.v[i];
        at += (size_t)snprintf(to + at, MAX_EXPECTED - at, "%s%u:", at ? " " : "", chain->pattern);
        for (uint32_t k = 0; k < chain->count; k++)
            at += (size_t)snprintf(to + at, MAX_EXPECTED - at, "%s%u", k ? "," : "",
                                   body_line(p, chain->function, chain->inst[k]));
        at += (size_t)snprintf(to + at, MAX_EXPECTED - at, "%s", chain->split ? " split" : "");
    }
    for (uint32_t i = 0; i < p->plan.rejections.n; i++) {
        const struct rejection *r = &p->plan.rejections.v[i];
        if ((r->kind == CANDIDATE_STORE) != stores)
            continue;
        at += (size_t)snprintf(to + at, MAX_EXPECTED - at, "%s%s:%u", at ? " " : "",
                               plan_rules[r->rule].id, body_line(p, r->function, r->inst));
        if (r->because != IR_NONE)
            at += (size_t)snprintf(to + at, MAX_EXPECTED - at, "<%u",
                                   body_line(p, r->function, r->because));
        at += (size_t)snprintf(to + at, MAX_EXPECTED - at, "%s",
                               r->kind == CANDIDATE_CHAIN    ? " chain"
                               : r->kind == CANDIDATE_KERNEL ? " kernel"
                                                             : "");
        assert_non_null(r->text);
        assert_true(strlen(r->text) > 10);
    }
    assert_true(at < MAX_EXPECTED);
}

static bool check(const struct example *example, struct pass_options options, bool stores)
{
    struct planned p;
    char text[8192], answer[MAX_EXPECTED];
    kernel_text(text, sizeof text, example->body);
    plan_text(&p, text, options);
    describe(&p, answer, stores);
    bool same = !strcmp(answer, example->answer);
    if (!same)
        print_message("%s:\n%s  expected  %s\n  found     %s\n", example->name, example->body,
                      example->answer, answer);
    program_free(&p.program);
    return same;
}

static void check_all(const struct example *examples, size_t count, struct pass_options options,
                      bool stores)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !check(&examples[i], options, stores);
    if (wrong)
        fail_msg("%zu of %zu examples", wrong, count);
}
