// Traces as text: requests to a memory, or packets of a network. A line is a request or a packet.
// Words are separated by blanks or commas; numbers are decimal or hexadecimal (0x); `#` starts a
// comment.
//
//   CYCLE ADDRESS KIND [BYTES]             requests with the cycle of their arrival
//   KIND ADDRESS                           without, as Ramulator 2 reads them
//   ADDRESS KIND                           as Ramulator 1 reads them
//   CYCLE SOURCE TARGET FLITS [CLASS]      packets
//
// KIND is R, READ, LD or LOAD; W, WRITE, ST or STORE; upper or lower case.
#pragma once
#include "support/diag.h"
#include <stdbool.h>

struct trace_request {
    uint64_t cycle; // 0 if the trace has no cycles
    uint64_t address;
    uint32_t bytes; // 0: not stated
    bool write;
};

struct trace_packet {
    uint64_t cycle;
    uint32_t source, target, flits, class;
    uint32_t begin, end; // byte range of its line
};

struct trace_text {
    bool timed; // requests have cycles
    VEC(struct trace_request) requests;
    VEC(struct trace_packet) packets;
};

// Read a trace. Lines have ascending cycles; either all requests have one or none. Errors have the
// place in the text; reading stops after 20 of them.
void trace_read_requests(struct trace_text *trace, struct arena *arena, const struct source *source,
                         struct diags *diags);
void trace_read_packets(struct trace_text *trace, struct arena *arena, const struct source *source,
                        struct diags *diags);
