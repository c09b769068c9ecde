// Reads and runs a sample's run file, for tests of all samples.
#pragma once
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/run/session.h"
#include "support/file.h"
#include "support/protect.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    struct memory memory;
    size_t kept; // bytes of the list of the files that were read, which lives as long as the memory
    struct arena arena;
    struct source run_source, source;
    struct diags run_diags, diags;
    struct run run;
    struct tree tree;
    struct ir_module module;
    struct program program;
    struct session session;
};

static inline void sample_source(struct sample *s, struct source *source, const char *path)
{
    struct file_text file;
    const char *error = file_read(&s->arena, path, &file);
    if (error)
        fail_msg("%s: %s", path, error);
    source_init(source, &s->arena, path, file.text, file.length);
}

// Runs a sample. `how` has the executor of launches (takes, execute, executor); other fields are
// set here.
static inline void sample_run(struct sample *s, const char *path, struct device how)
{
    memset(s, 0, sizeof *s);
    if (setjmp(s->memory.on_failure))
        abort();
    protect_file(&s->memory, path);
    s->kept = s->memory.bytes;
    arena_init(&s->arena, &s->memory);
    sample_source(s, &s->run_source, path);
    diags_init(&s->run_diags, &s->arena);
    run_init(&s->run, &s->arena, &s->run_source, &s->run_diags);
    assert_true(run_read(&s->run, &s->arena));
    sample_source(s, &s->source, run_path(&s->run, s->run.program.text));
    diags_init(&s->diags, &s->arena);
    ptx_parse(&s->tree, &s->arena, &s->source, &s->diags);
    ir_build(&s->module, &s->arena, &s->tree, &s->diags);
    program_build(&s->program, &s->arena, &s->module, lanes_best());
    s->session =
        (struct session){.device = how, .arena = &s->arena, .run = &s->run, .diags = &s->diags};
    s->session.device.arena = &s->arena;
    s->session.device.program = &s->program;
    s->session.device.source = &s->source;
    s->session.device.threads = 1;
    s->session.device.profiled = true;
    assert_true(session_prepare(&s->session));
    assert_int_equal(session_run(&s->session), SESSION_DONE);
}

// Frees everything of the run.
static inline void sample_free(struct sample *s)
{
    arena_free(&s->arena);
    assert_int_equal(s->memory.bytes, s->kept);
    memory_free(&s->memory);
}
