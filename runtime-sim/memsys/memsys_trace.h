// What happens behind the cores as a trace (base/trace.h) in which a microsecond is a cycle of
// the cores: a process for each network, with a pair of events for each packet, from when it was
// handed to a network interface until it had arrived whole; and one for each channel of the DRAM.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/memsys/memsys.h"

struct memsys_trace;

// How many processes it has.
uint32_t memsys_trace_processes(const struct memsys *memsys);
// Names processes and rows; they are numbered from `process` on.
void memsys_trace_name(const struct memsys *memsys, struct trace *to, uint32_t process);
// From now on everything goes into `to`.
struct memsys_trace *memsys_trace_begin(struct memsys *memsys, struct arena *arena,
                                        struct trace *to, uint32_t process);
// Rows of the DRAM that are open end at this cycle of the cores. Of packets on their way only the
// end is still to come, if they arrive.
void memsys_trace_end(struct memsys_trace *trace, uint64_t cycle);
