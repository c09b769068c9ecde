#include "ir/read.h"
#include "frontend/directives.h"

static void end_step(const struct ir_reading *r, const char *name)
{
    if (r->step)
        r->step(r->context, name);
}

static void parse_text(struct ir_reading *r)
{
    ptx_parse(r->tree, r->arena, r->source, r->diags);
}

static void begin_check(struct ir_reading *r)
{
    if (!r->check)
        r->check = ir_check_begin(r->module, forms_new(r->arena));
}

static void check_function(void *context, struct ir_function *fn)
{
    struct ir_reading *r = context;
    end_step(r, "ir");
    begin_check(r);
    ir_check_function(r->check, fn);
    end_step(r, "check");
}

static void build_module(struct ir_reading *r)
{
    struct ir_visitor visitor = {check_function, r};
    if (r->only_check)
        ir_build_each(r->module, r->arena, r->tree, r->diags, &visitor);
    else
        ir_build(r->module, r->arena, r->tree, r->diags);
}

static void check_module(struct ir_reading *r)
{
    directives_check(r->tree, r->arena, r->diags);
    if (r->only_check) {
        begin_check(r);
        ir_check_end(r->check, r->diags);
    } else {
        ir_check(r->module, forms_new(r->arena), r->diags);
    }
}

const struct read_stage read_stages[] = {
    {"parse", parse_text, "build the syntax tree of the text"},
    {"ir", build_module, "build functions, blocks, instructions, flow graph, loops and SSA"},
    {"check", check_module, "check directives, and each instruction against the table of forms"},
    {NULL, NULL, NULL},
};

void program_read(struct ir_reading *reading)
{
    for (const struct read_stage *stage = read_stages; stage->name; stage++) {
        stage->run(reading);
        end_step(reading, stage->name);
    }
}
