// The memory system as a trace (base/trace.h) in which a microsecond is a core cycle. There is a
// process per network, with a pair of events per packet, at its injection into a network interface
// and at its complete arrival; and a process per DRAM channel.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/memsys/memsys.h"

struct memsys_trace;

// Returns the number of processes.
uint32_t memsys_trace_processes(const struct memsys *memsys);
// Names processes and rows. Processes are numbered from `process` on.
void memsys_trace_name(const struct memsys *memsys, struct trace *to, uint32_t process);
// Starts to write events to `to`.
struct memsys_trace *memsys_trace_begin(struct memsys *memsys, struct arena *arena,
                                        struct trace *to, uint32_t process);
// Ends the open rows of the DRAM at this core cycle. Packets in flight still get the event of their
// arrival.
void memsys_trace_end(struct memsys_trace *trace, uint64_t cycle);
