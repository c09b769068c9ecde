#include "ir/read.h"
#include "frontend/directives.h"
#include "ir/check.h"

static void parse_text(struct ir_reading *r)
{
    ptx_parse(r->tree, r->arena, r->source, r->diags);
}

static void build_module(struct ir_reading *r)
{
    ir_build(r->module, r->arena, r->tree, r->diags);
}

static void check_module(struct ir_reading *r)
{
    directives_check(r->tree, r->arena, r->diags);
    ir_check(r->module, forms_new(r->arena), r->diags);
}

const struct read_stage read_stages[] = {
    {"parse", parse_text, "build the syntax tree of the text"},
    {"ir", build_module, "build functions, blocks, instructions, flow graph, loops and SSA"},
    {"check", check_module, "check directives, and each instruction against the table of forms"},
    {NULL, NULL, NULL},
};

void program_read(struct ir_reading *reading, void (*step)(void *context, const char *name),
                  void *context)
{
    for (const struct read_stage *stage = read_stages; stage->name; stage++) {
        stage->run(reading);
        if (step)
            step(context, stage->name);
    }
}
