#include "runtime-sim/run/origin.h"

const struct ir_loc *session_origin(struct session *session, uint32_t function, uint32_t inst)
{
    const struct program *program = session->device.program;
    if (!session->locs)
        session->locs = ir_locs_new(session->arena, program->module);
    return ir_loc_find(session->locs, program->functions.v[function].function, inst);
}

static const char *place(struct session *session, const struct ir_loc *loc)
{
    return arena_printf(session->arena, "%s:%u:%u", loc->file ? loc->file : "?", loc->line,
                        loc->column);
}

static const char *origin(struct session *session, const struct ir_loc *loc)
{
    const char *text = place(session, loc);
    if (loc->function)
        text = arena_printf(session->arena, "%s in '%s'", text, loc->function);
    while ((loc = loc->inlined_at))
        text = arena_printf(session->arena, "%s, inlined at %s", text, place(session, loc));
    return text;
}

void session_note_origin(struct session *session, const char *id, uint32_t function, uint32_t inst)
{
    const struct ir_module *module = session->device.program->module;
    const struct ir_function *fn =
        &module->functions.v[session->device.program->functions.v[function].function];
    const struct node *node = &module->tree->nodes.v[fn->insts.v[inst].node];
    const struct ir_loc *loc = session_origin(session, function, inst);
    if (!loc)
        return;
    struct diag *about = &session->diags->list.v[session->diags->list.n - 1];
    about->origin = (struct diag_origin){loc->file, loc->line, loc->column};
    diag_add(session->diags, DIAG_NOTE, id, node->begin, node->end, "compiled from %s",
             origin(session, loc));
}
