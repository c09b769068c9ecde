// Adds a note for each instruction at which warps wait, with the warps that they wait for.
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/run/session.h"
#include <inttypes.h>

struct stall_report {
    struct session *session;
    const struct stall *stall;
};

static const struct node *node_of(const struct session *session, const struct code_position *place)
{
    const struct ir_module *module = session->device.program->module;
    const struct ir_function *function =
        &module->functions.v[session->device.program->functions.v[place->function].function];
    return &module->tree->nodes.v[function->insts.v[place->inst].node];
}

static uint32_t line_of(const struct session *session, const struct code_position *place)
{
    return source_position_at(session->device.source, node_of(session, place)->begin).line;
}

static const char *warp_of(struct session *session, const uint32_t cta[3], uint32_t warp)
{
    return arena_printf(session->arena, "warp %u of CTA (%u, %u, %u)", warp, cta[0], cta[1],
                        cta[2]);
}

static const char *warps_text(const struct stall_report *t)
{
    const struct stall *stall = t->stall;
    const char *one = warp_of(t->session, stall->cta, stall->warp);
    if (stall->warps == 1 && stall->lanes != FULL_MASK)
        return arena_printf(t->session->arena, "%s, lanes 0x%08x,", one, stall->lanes);
    if (stall->warps == 1)
        return one;
    return arena_printf(t->session->arena,
                        "%" PRIu64 " warps of %" PRIu64 " CTA%s, one of them %s,", stall->warps,
                        stall->ctas, stall->ctas == 1 ? "" : "s", one);
}

// Returns "warp 2 at line 44".
static const char *one_missing(const struct stall_report *t, const struct stall_missing *missing)
{
    const char *name = t->stall->kind == STALL_CLUSTER
                           ? warp_of(t->session, missing->cta, missing->warp)
                           : arena_printf(t->session->arena, "warp %u", missing->warp);
    if (!missing->ended && missing->lanes != FULL_MASK)
        name = arena_printf(t->session->arena, "lanes 0x%08x of %s", missing->lanes, name);
    if (t->stall->kind == STALL_LANES || t->stall->kind == STALL_RECONVERGENCE)
        name = arena_printf(t->session->arena, "lanes 0x%08x", missing->lanes);
    if (missing->ended)
        return arena_printf(t->session->arena, "%s, which has ended", name);
    return arena_printf(t->session->arena, "%s at line %u", name,
                        line_of(t->session, &missing->at));
}

static const char *missing(const struct stall_report *t)
{
    const struct stall *stall = t->stall;
    const char *text = "";
    for (uint32_t i = 0; i < stall->missing_count && i < STALL_MISSING; i++)
        text = arena_printf(t->session->arena, "%s%s%s", text,
                            i ? ", " : "; missing: ", one_missing(t, &stall->missing[i]));
    if (stall->missing_count > STALL_MISSING)
        text = arena_printf(t->session->arena, "%s and %u more", text,
                            stall->missing_count - STALL_MISSING);
    return text;
}

static const char *ended(const struct stall_report *t)
{
    const char *text = "";
    for (uint32_t i = 0; i < 64; i++)
        if (t->stall->ended >> i & 1)
            text =
                arena_printf(t->session->arena, "%s%s%u", text, *text ? ", " : "; ended: warp ", i);
    return text;
}

static const char *in_lines(const struct stall_report *t)
{
    struct code_position first = {t->stall->at.function, t->stall->first},
                         last = {t->stall->at.function, t->stall->last};
    uint32_t from = line_of(t->session, &first), to = line_of(t->session, &last);
    return from == to ? arena_printf(t->session->arena, "in line %u", from)
                      : arena_printf(t->session->arena, "in lines %u to %u", from, to);
}

static const char *address(const struct stall_report *t)
{
    const struct stall *stall = t->stall;
    const char *text = arena_printf(t->session->arena, "%s address 0x%" PRIx64,
                                    isa_words[stall->space].text + 1, stall->address);
    return *stall->nearest ? arena_printf(t->session->arena, "%s, %s", text, stall->nearest) : text;
}

static const char *at_barrier(const struct stall_report *t)
{
    const struct stall *stall = t->stall;
    return arena_printf(t->session->arena, "at barrier %u: %u of %u %s have arrived%s%s",
                        stall->number, stall->come, stall->expected,
                        stall->threads ? "threads" : "warps", missing(t), ended(t));
}

static const char *at_cluster(const struct stall_report *t)
{
    return arena_printf(t->session->arena,
                        "at the cluster's barrier: %u of %u warps have arrived%s", t->stall->come,
                        t->stall->expected, missing(t));
}

static const char *for_lanes(const struct stall_report *t)
{
    return arena_printf(
        t->session->arena, "for other lanes of its warp to arrive at this %s%s",
        t->stall->kind == STALL_RECONVERGENCE ? "reconvergence point" : "instruction", missing(t));
}

static const char *at_mbarrier(const struct stall_report *t)
{
    const struct stall *stall = t->stall;
    return arena_printf(t->session->arena,
                        "%s for the mbarrier at %s: %u of %u have arrived, and %" PRId64
                        " bytes have not arrived",
                        in_lines(t), address(t), stall->come, stall->expected, stall->bytes);
}

static const char *at_grid(const struct stall_report *t)
{
    return arena_printf(t->session->arena, "%s for the grid's barrier: %u of %u CTAs have arrived",
                        in_lines(t), t->stall->come, t->stall->expected);
}

static const char *in_loop(const struct stall_report *t)
{
    if (!t->stall->has_address)
        return in_lines(t);
    return arena_printf(t->session->arena, "%s; the last access was to %s", in_lines(t),
                        address(t));
}

static const struct {
    const char *one, *several;
    const char *(*text)(const struct stall_report *t);
} kinds[STALL_KINDS] = {
    [STALL_BARRIER] = {"waits", "wait", at_barrier},
    [STALL_CLUSTER] = {"waits", "wait", at_cluster},
    [STALL_LANES] = {"waits", "wait", for_lanes},
    [STALL_RECONVERGENCE] = {"waits", "wait", for_lanes},
    [STALL_MBARRIER] = {"waits", "wait", at_mbarrier},
    [STALL_GRID] = {"waits", "wait", at_grid},
    [STALL_LOOP] = {"loops", "loop", in_loop},
};

static void report_stall(struct session *session, const struct stall *stall)
{
    struct stall_report t = {session, stall};
    const struct node *node = node_of(session, &stall->at);
    struct session_stall report = {
        .begin = node->begin, .warps = stall->warps, .ctas = stall->ctas};
    report.text =
        arena_printf(session->arena, "%s %s %s", warps_text(&t),
                     stall->warps == 1 ? kinds[stall->kind].one : kinds[stall->kind].several,
                     kinds[stall->kind].text(&t));
    report.cta[0] = stall->cta[0];
    report.cta[1] = stall->cta[1];
    report.cta[2] = stall->cta[2];
    report.warp = stall->warp;
    report.origin = session_origin(session, stall->at.function, stall->at.inst);
    vec_push(session->arena, &session->fault.stalls, report);
    diag_add(session->diags, DIAG_NOTE, "no-progress", node->begin, node->end, "%s", report.text);
    session_note_origin(session, "no-progress", stall->at.function, stall->at.inst);
}

void session_report_stalls(struct session *session, const struct stalls *stalls)
{
    for (uint32_t i = 0; i < stalls->count; i++)
        report_stall(session, &stalls->list[i]);
    if (stalls->idle)
        diag_add(session->diags, DIAG_NOTE, "no-progress", NO_OFFSET, NO_OFFSET,
                 "registers change, but for %" PRIu64
                 " cycles, 64 times machine.watchdog, no value "
                 "was stored: --set=machine.watchdog=CYCLES lets the launch continue",
                 stalls->idle);
    uint64_t begun = stalls->ended + stalls->there;
    if (stalls->others)
        diag_add(session->diags, DIAG_NOTE, "no-progress", NO_OFFSET, NO_OFFSET,
                 "%" PRIu64 " more warps wait elsewhere", stalls->others);
    if (stalls->ctas > stalls->there)
        diag_add(session->diags, DIAG_NOTE, "no-progress", NO_OFFSET, NO_OFFSET,
                 "of %" PRIu64 " CTAs: %" PRIu64 " ended, %" PRIu64 " not started", stalls->ctas,
                 stalls->ended, stalls->ctas - begun);
}
