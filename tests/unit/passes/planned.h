// Runs the chain passes over a text and writes their decisions in short form.
#pragma once
#include "passes/base/passes.h"
#include "tests/unit/passes/edited.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct planned {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
};

static void plan_text(struct planned *p, const char *text, struct pass_options options)
{
    program_parse(&p->program, text, strlen(text));
    ir_build(&p->module, &p->program.arena, &p->program.tree, &p->program.diags);
    p->plan = (struct plan){.arena = &p->program.arena};
    pass_all(&pass_chains, &p->module, &options, &p->plan);
    pass_all(&pass_reorder, &p->module, &options, &p->plan);
}

static inline const char *planned_output(struct planned *p)
{
    return edited(&p->program.arena, &p->program.source, &p->plan.edits);
}

static inline uint32_t planned_line(const struct planned *p, uint32_t function, uint32_t inst)
{
    return ir_position(&p->module, &p->module.functions.v[function], inst).line;
}
