#include "runtime-sim/gpu/core/core_trace.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/gpu/core/sites.h"
#include <ctype.h>

// Reasons in the order of the statistics' names. The first ones are the states of slots.
enum {
    UNIT_IS_BUSY = WARP_SLOT_READY,
    MEMORY_QUEUE = WARP_SLOT_STATES + STALLS_MAX,
    NOT_SELECTED,
    ISSUES
};

static const char *const names[ISSUES] = {
    [WARP_SLOT_EMPTY] = "empty",     [WARP_SLOT_FETCH] = "fetch",     [WARP_SLOT_RESULT] = "result",
    [WARP_SLOT_LOAD] = "load",       [WARP_SLOT_BARRIER] = "barrier", [WARP_SLOT_FENCE] = "fence",
    [WARP_SLOT_LANES] = "lanes",     [WARP_SLOT_ENDED] = "ended",     [UNIT_IS_BUSY] = "unit",
    [NOT_SELECTED] = "not_selected", [MEMORY_QUEUE] = "memory_queue",
};

static const char *reason_name(const struct core *core, uint32_t reason)
{
    return names[reason] ? names[reason] : core->shared->stalls[reason - WARP_SLOT_STATES]->name;
}

static struct trace_row warp_row(const struct core *core, uint32_t slot)
{
    return (struct trace_row){core->id.index + 1, slot + 1};
}

static struct trace_row cta_row(const struct core *core, uint32_t place)
{
    return (struct trace_row){core->id.index + 1, core->words * 64 + place + 1};
}

void core_trace_name(const struct core *core, struct trace *to)
{
    const struct core_config *config = core->kind->config;
    trace_process(to, core->id.index + 1, core->kind->name, core->id.index);
    for (uint32_t i = 0; i < config->warps; i++)
        trace_row(to, warp_row(core, i), "warp slot", i);
    for (uint32_t i = 0; i < config->ctas && i < CORE_CTAS; i++)
        trace_row(to, cta_row(core, i), "CTA place", i);
}

void core_trace_begin(struct core *core, struct arena *arena, struct trace *to, uint64_t now)
{
    struct core_trace *t = core->trace = ARENA_NEW(arena, struct core_trace);
    *t = (struct core_trace){.to = to};
    core->followed = true;
    for (uint32_t i = 0; i < CORE_WARPS; i++)
        t->slots[i].since = now;
}

// Copies the opcode from the text, up to the first character that is not part of an opcode.
static void opcode_text(char *to, size_t size, const struct program *program, uint32_t node)
{
    const struct tree *tree = program->module->tree;
    const char *text = tree->source->text;
    uint32_t begin, end, n = 0;
    node_opcode_range(tree, node, &begin, &end);
    for (uint32_t limit = tree->nodes.v[node].end; begin + n < limit && n + 1 < size; n++) {
        char c = text[begin + n];
        if (!isalnum((unsigned char)c) && c != '.' && c != '_' && c != ':')
            break;
        to[n] = c;
    }
    to[n] = 0;
}

static void write_issue(const struct core *core, uint32_t index, const struct core_trace_warp *slot,
                        uint64_t until)
{
    const struct program *program = core->shared->timings.program;
    const struct timing *timing = slot->timing;
    uint32_t function = program->functions.v[timing->function].function;
    const struct ir_function *fn = &program->module->functions.v[function];
    char name[64], args[96];
    opcode_text(name, sizeof name, program, fn->insts.v[timing->inst].node);
    snprintf(args, sizeof args, "\"line\":%u,\"cta\":%u,\"warp\":%u",
             ir_position(program->module, fn, timing->inst).line, slot->cta, slot->warp);
    trace_span(core->trace->to, warp_row(core, index), slot->since * TRACE_MICROSECOND,
               until * TRACE_MICROSECOND, "issue", name, args);
}

static void write_warp(const struct core *core, uint32_t index, uint64_t until)
{
    const struct core_trace_warp *slot = &core->trace->slots[index];
    const struct trace *to = core->trace->to;
    if (until * TRACE_MICROSECOND + to->origin <= to->from || slot->since >= until)
        return;
    if (slot->reason == ISSUES)
        write_issue(core, index, slot, until);
    else
        trace_span(core->trace->to, warp_row(core, index), slot->since * TRACE_MICROSECOND,
                   until * TRACE_MICROSECOND, "wait", reason_name(core, slot->reason), NULL);
}

static void change(struct core *core, uint64_t now, uint32_t index, uint32_t reason)
{
    struct core_trace_warp *slot = &core->trace->slots[index];
    if (slot->reason == reason && reason != ISSUES)
        return;
    write_warp(core, index, now);
    slot->since = now > slot->since ? now : slot->since;
    slot->reason = (uint8_t)reason;
    if (reason != ISSUES)
        return;
    const struct warp *warp = core->slots[index].warp;
    slot->timing = core->slots[index].next;
    slot->cta = warp->cta->linear;
    slot->warp = (uint32_t)(warp - warp->cta->warps);
}

void core_follow_state(struct core *core, uint64_t now, uint32_t slot, uint32_t state)
{
    if (core->trace && state != WARP_SLOT_READY)
        change(core, now, slot, state);
    if (core->sites)
        sites_state(core, now, slot, state);
}

static void trace_ready(struct core *core, uint64_t now, uint32_t word, uint64_t chosen,
                        uint64_t blocked, uint64_t by_memory)
{
    for (uint64_t rest = core->sets[word].ready; rest; rest &= rest - 1) {
        uint64_t slot = rest & -rest;
        change(core, now, word * 64 + (uint32_t)__builtin_ctzll(rest),
               chosen & slot      ? ISSUES
               : by_memory & slot ? MEMORY_QUEUE
               : blocked & slot   ? UNIT_IS_BUSY
                                  : NOT_SELECTED);
    }
}

void core_follow_ready(struct core *core, uint64_t now, uint32_t word, uint64_t chosen,
                       uint64_t blocked, uint64_t by_memory)
{
    if (core->trace)
        trace_ready(core, now, word, chosen, blocked, by_memory);
    if (core->sites)
        sites_ready(core, now, word, chosen, blocked, by_memory);
}

void core_trace_cta_begins(struct core *core, uint64_t now, uint32_t place)
{
    core->trace->ctas[place] = now;
}

void core_trace_cta_ends(struct core *core, uint64_t now, uint32_t place)
{
    const struct program *program = core->shared->timings.program;
    const struct cta *cta = core->ctas[place].cta;
    uint32_t function = program->functions.v[cta->launch->function].function;
    const struct name *name =
        tree_name(program->module->tree, program->module->functions.v[function].name);
    char text[128], args[128];
    int max = (int)(name->length < 64 ? name->length : 64);
    snprintf(text, sizeof text, "%.*s (%u, %u, %u)", max, name->text, cta->place[0], cta->place[1],
             cta->place[2]);
    snprintf(args, sizeof args, "\"cta\":%u,\"warps\":%u", cta->linear, cta->warp_count);
    trace_span(core->trace->to, cta_row(core, place), core->trace->ctas[place] * TRACE_MICROSECOND,
               now * TRACE_MICROSECOND, "cta", text, args);
}

void core_trace_end(struct core *core, uint64_t now)
{
    for (uint32_t i = 0; i < core->kind->config->warps; i++)
        write_warp(core, i, now);
    for (uint32_t i = 0; i < CORE_CTAS; i++)
        if (core->ctas[i].cta)
            core_trace_cta_ends(core, now, i);
    core->trace = NULL;
    core->followed = core->sites;
}
