// What ended a launch: where in the program, which thread, and what lies near the address.
#include "runtime-sim/exec/grid.h"
#include "runtime-sim/run/session.h"
#include <inttypes.h>
#include <string.h>

static bool lies_in(const struct allocation *at, uint64_t address)
{
    return address - at->address < at->bytes;
}

static uint64_t distance(const struct allocation *at, uint64_t address)
{
    if (lies_in(at, address))
        return 0;
    return address < at->address ? at->address - address : address - at->address - at->bytes;
}

// Parameters of kernels that have ended are nobody's neighbours, but can be pointed to.
static const struct allocation *nearest(const struct image *image, uint64_t address)
{
    const struct allocation *found = NULL;
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        if (at->state != ALLOCATION_LIVE && !lies_in(at, address))
            continue;
        if (!found || distance(at, address) < distance(found, address))
            found = at;
    }
    return found;
}

static const char *describe(struct session *session, uint64_t address)
{
    const struct allocation *at = nearest(session->image, address);
    const char *where;
    if (!at)
        return NULL;
    if (at->state != ALLOCATION_LIVE)
        where = "has been freed";
    else if (lies_in(at, address))
        where = arena_printf(session->arena, "holds the address at byte %" PRIu64,
                             address - at->address);
    else if (address == at->address + at->bytes)
        where = "ends right before the address";
    else
        where = arena_printf(session->arena, "%s %" PRIu64 " bytes %s the address",
                             address < at->address ? "begins" : "ends", distance(at, address),
                             address < at->address ? "behind" : "before");
    return arena_printf(session->arena,
                        "the nearest allocation, '%s' (%" PRIu64 " bytes at 0x%" PRIx64 "), %s",
                        at->name, at->bytes, at->address, where);
}

static const char *in_function(struct session *session, const struct session_kernel *kernel,
                               const struct ir_function *function)
{
    const struct name *name = tree_name(session->program->module->tree, function->name);
    if (strlen(kernel->name) == name->length && !memcmp(kernel->name, name->text, name->length))
        return "";
    return arena_printf(session->arena, " in '%.*s'", (int)name->length, name->text);
}

void session_tell(struct session *session, const struct session_kernel *kernel,
                  const struct grid_result *result)
{
    const struct fault *from = &result->fault;
    const struct ir_module *module = session->program->module;
    const struct ir_function *function =
        &module->functions.v[session->program->functions.v[from->function].function];
    struct session_fault *fault = &session->fault;
    *fault = (struct session_fault){
        .happened = from->happened,
        .text = from->happened ? arena_strndup(session->arena, from->text, strlen(from->text))
                               : "no thread of the launch can go on",
        .kernel = kernel->name,
        .launch = session->launches,
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
    if (fault->has_address && (fault->nearest = describe(session, fault->address)))
        diag_add(session->diags, DIAG_NOTE, "fault", node->begin, node->end, "%s", fault->nearest);
}
