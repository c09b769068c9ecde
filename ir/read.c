#include "frontend/directives.h"
#include "ir/read.h"
#include "support/parallel.h"

static void end_step(const struct ir_reading *r, const char *name)
{
    if (r->step)
        r->step(r->context, name);
}

// Returns the number of threads. A short text is read faster than a thread starts.
static uint32_t threads_of(const struct ir_reading *r)
{
    enum { MINIMUM = 64 << 10, NEED = 16 }; // bytes; for each byte of the text
    size_t length = r->source->length;
    return length < MINIMUM ? 1 : parallel_threads(r->arena->memory, r->threads, length * NEED);
}

static void parse_text(struct ir_reading *r)
{
    ptx_parse(r->tree, r->arena, r->source, r->diags);
}

static void build_each(struct ir_reading *r)
{
    struct ir_builder *builder = ir_build_begin(r->module, r->arena, r->tree, r->diags);
    ir_build_items(builder);
    r->check = ir_check_begin(r->module, forms_new(r->arena));
    for (uint32_t i = 0; i < r->module->functions.n; i++) {
        struct ir_function *fn = ir_build_function(builder, i);
        end_step(r, "ir");
        ir_check_function(r->check, fn);
        end_step(r, "check");
        ir_build_drop(builder, fn);
    }
    ir_build_end(builder);
}

static void build_module(struct ir_reading *r)
{
    if (r->only_check)
        build_each(r);
    else
        ir_build_parallel(r->module, r->arena, r->tree, r->diags, threads_of(r));
}

static void check_module(struct ir_reading *r)
{
    directives_check(r->tree, r->arena, r->diags);
    if (r->only_check)
        ir_check_end(r->check, r->diags);
    else
        ir_check_parallel(r->module, r->arena, r->diags, threads_of(r));
}

const struct read_stage read_stages[] = {
    {"parse", parse_text, "build the syntax tree of the text"},
    {"ir", build_module, "build functions, blocks, instructions, flow graph, loops and SSA"},
    {"check", check_module, "check directives, and each instruction against the table of forms"},
    {NULL, NULL, NULL},
};

void ir_read_program(struct ir_reading *reading)
{
    if (reading->only_check && read_each(reading))
        return;
    for (const struct read_stage *stage = read_stages; stage->name; stage++) {
        stage->run(reading);
        end_step(reading, stage->name);
    }
}
