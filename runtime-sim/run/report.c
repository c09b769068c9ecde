// Reports faults, races and reads of unwritten bytes with the place in the program, the thread, and
// the allocation near the address.
#include "frontend/isa.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/run/session.h"
#include <inttypes.h>
#include <string.h>

const struct ir_loc *session_origin(struct session *session, uint32_t function, uint32_t inst)
{
    const struct program *program = session->device.program;
    if (!session->locs)
        session->locs = ir_locs_new(session->arena, program->module);
    return ir_loc_find(session->locs, program->functions.v[function].function, inst);
}

static const char *describe_location(struct session *session, const struct ir_loc *loc)
{
    return arena_printf(session->arena, "%s:%u:%u", loc->file ? loc->file : "?", loc->line,
                        loc->column);
}

static const char *origin(struct session *session, const struct ir_loc *loc)
{
    const char *text = describe_location(session, loc);
    if (loc->function)
        text = arena_printf(session->arena, "%s in '%s'", text, loc->function);
    while ((loc = loc->inlined_at))
        text = arena_printf(session->arena, "%s, inlined at %s", text,
                            describe_location(session, loc));
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

static const char *in_function(struct session *session, const struct device_kernel *kernel,
                               const struct ir_function *function)
{
    const struct name *name = tree_name(session->device.program->module->tree, function->name);
    if (strlen(kernel->name) == name->length && !memcmp(kernel->name, name->text, name->length))
        return "";
    return arena_printf(session->arena, " in '%.*s'", (int)name->length, name->text);
}

void session_report_fault(struct session *session, const struct device_kernel *kernel,
                          uint64_t number, const struct grid_result *result)
{
    const struct fault *from = &result->fault;
    const struct ir_module *module = session->device.program->module;
    const struct ir_function *function =
        &module->functions.v[session->device.program->functions.v[from->function].function];
    struct session_fault *fault = &session->fault;
    *fault = (struct session_fault){
        .happened = from->happened && !from->refused,
        .refused = from->refused,
        .needs = from->needs,
        .stuck = result->stuck,
        .text = from->happened ? arena_strndup(session->arena, from->text, strlen(from->text))
                               : "no thread of the launch can continue",
        .kernel = kernel->name,
        .launch = number,
        .begin = NO_OFFSET,
        .end = NO_OFFSET,
        .has_address = from->has_address,
        .address = from->address,
    };
    memcpy(fault->cta, from->cta, sizeof fault->cta);
    memcpy(fault->thread, from->thread, sizeof fault->thread);
    if (!from->happened) {
        diag_add(session->diags, DIAG_ERROR, "no-progress", NO_OFFSET, NO_OFFSET,
                 "%s: kernel '%s', launch %" PRIu64, fault->text, fault->kernel, fault->launch);
        session_report_stalls(session, &result->stalls);
        return;
    }
    if (from->refused) {
        diag_add(session->diags, DIAG_ERROR, "config", NO_OFFSET, NO_OFFSET,
                 "%s: kernel '%s', launch %" PRIu64, fault->text, fault->kernel, fault->launch);
        return;
    }
    const struct node *node = &module->tree->nodes.v[function->insts.v[from->inst].node];
    fault->begin = node->begin;
    fault->end = node->end;
    const char *text = arena_printf(
        session->arena,
        "%s: kernel '%s'%s, launch %" PRIu64 ", CTA (%u, %u, %u), thread (%u, %u, %u)", fault->text,
        fault->kernel, in_function(session, kernel, function), fault->launch, fault->cta[0],
        fault->cta[1], fault->cta[2], fault->thread[0], fault->thread[1], fault->thread[2]);
    if (result->stuck)
        diag_add(session->diags, DIAG_ERROR, "no-progress", node->begin, node->end, "%s", text);
    else
        diag_add(session->diags, DIAG_ERROR, "fault", node->begin, node->end, "%s", text);
    fault->origin = session_origin(session, from->function, from->inst);
    session_note_origin(session, result->stuck ? "no-progress" : "fault", from->function,
                        from->inst);
    if (*from->nearest) {
        fault->nearest = arena_strndup(session->arena, from->nearest, strlen(from->nearest));
        diag_add(session->diags, DIAG_NOTE, "fault", node->begin, node->end, "the address is %s",
                 fault->nearest);
    }
}

// Races and reads of unwritten bytes

static const struct node *node_of(const struct session *session, const struct access_site *place)
{
    const struct ir_module *module = session->device.program->module;
    const struct ir_function *function =
        &module->functions.v[session->device.program->functions.v[place->function].function];
    return &module->tree->nodes.v[function->insts.v[place->inst].node];
}

static const char *thread_of(struct session *session, const struct access_site *place)
{
    return arena_printf(session->arena, "thread (%u, %u, %u) of CTA (%u, %u, %u)", place->thread[0],
                        place->thread[1], place->thread[2], place->cta[0], place->cta[1],
                        place->cta[2]);
}

static const char *access_of(const struct access_site *place)
{
    return place->atomic ? "an atomic access" : place->writes ? "a store" : "a load";
}

static const char *address_of(struct session *session, const struct check_report *report)
{
    const char *text = arena_printf(session->arena, "%s address 0x%" PRIx64,
                                    isa_words[report->space].text + 1, report->address);
    if (!*report->nearest)
        return text;
    return arena_printf(session->arena, "%s, %s", text, report->nearest);
}

static void report_race(struct session *session, const struct check_report *report)
{
    const struct node *first = node_of(session, &report->first);
    const struct node *second = node_of(session, &report->second);
    diag_add(session->diags, DIAG_ERROR, "race", second->begin, second->end,
             "%s by %s at %s is in a race; launch %u, %" PRIu64 " times",
             access_of(&report->second), thread_of(session, &report->second),
             address_of(session, report), report->launch + 1, report->times);
    session_note_origin(session, "race", report->second.function, report->second.inst);
    diag_add(session->diags, DIAG_NOTE, "race", first->begin, first->end,
             "it is not ordered with %s by %s", access_of(&report->first),
             thread_of(session, &report->first));
    session_note_origin(session, "race", report->first.function, report->first.inst);
}

static void report_unwritten(struct session *session, const struct check_report *report)
{
    const struct node *node = node_of(session, &report->second);
    diag_add(session->diags, DIAG_ERROR, "uninit", node->begin, node->end,
             "%s reads bytes that were never written, at %s; launch %u, %" PRIu64 " times",
             thread_of(session, &report->second), address_of(session, report), report->launch + 1,
             report->times);
    session_note_origin(session, "uninit", report->second.function, report->second.inst);
}

static void report_register(struct session *session, const struct check_report *report)
{
    const struct ir_module *module = session->device.program->module;
    const struct ir_function *function =
        &module->functions
             .v[session->device.program->functions.v[report->second.function].function];
    const char *name = ir_register_name(module, function, report->reg, session->arena);
    const struct node *node = node_of(session, &report->second);
    diag_add(session->diags, DIAG_ERROR, "uninit", node->begin, node->end,
             "%s reads the register '%s', which it has not written; launch %u, %" PRIu64 " times",
             thread_of(session, &report->second), name, report->launch + 1, report->times);
    session_note_origin(session, "uninit", report->second.function, report->second.inst);
}

void session_report_accesses(struct session *session)
{
    const struct check *check = session->device.check;
    static void (*const functions[])(struct session * session,
                                     const struct check_report *report) = {
        [CHECK_RACE] = report_race,
        [CHECK_UNWRITTEN] = report_unwritten,
        [CHECK_REGISTER] = report_register,
    };
    for (uint32_t i = 0; check && i < check->reports.n; i++)
        functions[check->reports.v[i].kind](session, &check->reports.v[i]);
}
