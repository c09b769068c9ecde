// Runs an agenda of a machine until all its events have ended.
#pragma once
#include "runtime-sim/gpu/machine/machine.h"

static inline enum machine_end machine_run(struct machine *machine, struct machine_event *agenda,
                                           uint32_t count, const struct machine_limits *limits,
                                           struct grid_result *result)
{
    enum machine_end end;
    machine_open(machine, limits, result);
    for (uint32_t i = 0; i < count; i++)
        machine_add_event(machine, &agenda[i]);
    do
        end = machine_proceed(machine, UINT64_MAX, result);
    while (end == MACHINE_PAUSED);
    machine_close(machine, end, result);
    return end;
}
