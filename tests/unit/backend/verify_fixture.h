// Outputs and plans for the tests of the checker.
#pragma once
#include "passes/verify/verify.h"
#include "backend/emit/backend.h"
#include "passes/plan/pipeline.h"
#include "tests/unit/program.h"
#include <glob.h>
#include <stdio.h>

struct proof {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
    struct output output;
    struct backend_options options;
};

static inline void prove_begin(struct proof *p, const char *text, struct pass_options options)
{
    memset(p, 0, sizeof *p);
    program_parse(&p->program, text, strlen(text));
    ir_build(&p->module, &p->program.arena, &p->program.tree, &p->program.diags);
    p->plan.arena = &p->program.arena;
    p->options = (struct backend_options){.passes = options, .output_name = "out.ptx"};
    struct pipeline pipeline = {.options = options};
    assert_null(pipeline_run(&pipeline, &p->module, &p->plan));
    assert_null(backend_emit(&p->output, &p->program.arena, &p->module, &p->plan, &p->options));
}

static inline const char *refute(struct proof *p, const char *output, size_t length)
{
    struct verified verified = {0};
    verify_output(&verified, &p->program.arena, &p->module, &p->options.passes, output,
                  (uint32_t)length);
    return verified.faults.n ? verified.faults.v[0].text : NULL;
}

static inline const char *refute_plan(struct proof *p)
{
    struct verified verified = {0};
    verify_plan(&verified, &p->program.arena, &p->module, &p->options.passes, &p->plan);
    return verified.faults.n ? verified.faults.v[0].text : NULL;
}

// A module with one kernel of this body.
#define BODY(body)                                                                                 \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"                                         \
    ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"                   \
    ".shared .b32 s[32];\n"                                                                        \
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n" body "ret;\n}\n"

// Samples

static const struct pass_options ways[] = {
    {.fma = FMA_FUSED, .reorder = true},
    {.fma = FMA_SPLIT, .reorder = true},
    {.fma = FMA_SPLIT, .reorder = false},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef void sample_function(struct proof *proof, void *context);

static inline void each_sample(sample_function *function, void *context)
{
    glob_t files;
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/*.ptx", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 10);
    for (size_t i = 0; i < files.gl_pathc; i++)
        for (int way = 0; way < WAYS; way++) {
            FILE *file = fopen(files.gl_pathv[i], "rb");
            assert_non_null(file);
            char *text = calloc(1, 1 << 20);
            assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
            fclose(file);
            struct proof proof;
            prove_begin(&proof, text, ways[way]);
            function(&proof, context);
            program_free(&proof.program);
            free(text);
        }
    globfree(&files);
}
