#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "support/bits.h"
#include <stdio.h>

struct tom_trace {
    struct tom *tom;
    struct trace *to;
    uint64_t *named; // set of rows that have a name, by core · CORE_WARPS + slot
};

// Returns a slot's row, which follows the rows of warp slots, places for CTAs, and another scheme.
static struct trace_row row_of(struct tom_trace *t, const struct core *core, uint32_t slot)
{
    uint32_t slots = core_port(core).words * 64, number = core_port(core).index * CORE_WARPS + slot;
    struct trace_row row = {core_port(core).index + 1, slots + CORE_CTAS + 1 + 2 * slots + slot};
    if (!bits_test(t->named, number))
        trace_row(t->to, row, "block of slot", slot);
    bits_set(t->named, number);
    return row;
}

static void write_span(struct tom_trace *t, const struct core *core, uint32_t slot,
                       const struct tom_block_instance *run, const char *name, uint64_t since,
                       uint64_t until)
{
    char args[96];
    if (until <= since)
        return;
    snprintf(args, sizeof args, "\"block\":%u,\"stack\":%u,\"lanes\":%d,\"core\":%u,\"slot\":%u",
             run->block->number, run->stack, __builtin_popcount(run->mask), run->core, run->slot);
    trace_span(t->to, row_of(t, core, slot), since * TRACE_MICROSECOND, until * TRACE_MICROSECOND,
               "block", name, args);
}

void tom_trace_phase(struct tom_trace *t, const struct tom_block_instance *run, uint64_t since,
                     uint64_t now)
{
    static const char *const names[] = {
        [TOM_DECIDING] = "decision",        [TOM_EXECUTING_AHEAD] = "ahead",
        [TOM_AT_ACCESS] = "stack decision", [TOM_DRAINING] = "drain",
        [TOM_PACKING] = "packing",          [TOM_IN_STACK] = "away",
        [TOM_IN_CORE] = "at home",
    };
    if (run->state != TOM_NO_BLOCK)
        write_span(t, machine_core(t->tom->machine, run->core), run->slot, run, names[run->state],
                   since, now);
}

void tom_trace_block(struct tom_trace *t, const struct tom_block_instance *run, uint32_t slot,
                     uint64_t now)
{
    write_span(t, tom_sm_of(t->tom, run->stack), slot, run, "block", run->began, now);
}

void *tom_begin_trace(struct machine *machine, void *state, struct arena *arena, struct trace *to,
                      uint32_t *process)
{
    struct tom_trace *t = ARENA_NEW(arena, struct tom_trace);
    (void)process;
    *t = (struct tom_trace){.tom = state, .to = to};
    t->named = bits_new(arena, machine_port(machine).cores * CORE_WARPS);
    t->tom->trace = t;
    return t;
}

void tom_end_trace(void *trace, uint64_t now)
{
    struct tom_trace *t = trace;
    for (uint32_t i = 0; i < t->tom->run_count; i++)
        tom_trace_phase(t, &t->tom->runs[i], t->tom->runs[i].changed, now);
    t->tom->trace = NULL;
}
