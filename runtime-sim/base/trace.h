// Writes Chrome trace events: JSON that Perfetto and chrome://tracing open. Processes have rows
// ("threads") with spans of time. Spans on a row are disjoint or nested; overlapping events are
// pairs of events of the process (trace_async).
//
// Units: a thousandth of a microsecond of the trace. Events outside of the window are not written,
// and events across its edges are cut there. Names and arguments are written verbatim: they must
// not contain quotes, backslashes or control characters.
#pragma once
#include "support/sink.h"
#include "support/vec.h"

enum { TRACE_MICROSECOND = 1000 };
// Processes that are no component of the machine. Its components are numbered from 1.
enum { TRACE_HOST = 0, TRACE_COUNTERS = 1000000, TRACE_POWER };

struct trace_row {
    uint32_t process, row;
};

struct trace {
    struct sink to;
    struct arena *arena;
    bool first;
    uint64_t from, until;
    uint64_t origin; // added to each reported time
    VEC(char) text;  // collected events
    VEC(uint32_t) lines;
    VEC(const char *) order;
};

// Returns this many microseconds, or UINT64_MAX if they do not fit.
static inline uint64_t trace_microseconds(uint64_t count)
{
    return count < UINT64_MAX / TRACE_MICROSECOND ? count * TRACE_MICROSECOND : UINT64_MAX;
}

// Begins the document. `microsecond` is the meaning of a microsecond of the trace. With an arena,
// events are collected until trace_settle; else they are written immediately.
void trace_begin(struct trace *trace, struct arena *arena, FILE *to, const char *microsecond,
                 uint64_t from, uint64_t until);
void trace_process(struct trace *trace, uint32_t process, const char *name, uint32_t number);
void trace_row(struct trace *trace, struct trace_row row, const char *name, uint32_t number);
// `category` and `args` (members of a JSON object) may be NULL.
void trace_span(struct trace *trace, struct trace_row row, uint64_t from, uint64_t until,
                const char *category, const char *name, const char *args);
// Writes one half of a pair with the same process, category and id.
void trace_async(struct trace *trace, uint32_t process, bool begins, uint64_t at, uint64_t id,
                 const char *category, const char *name, const char *args);
// Writes the value of a counter of the process from `at` on, if that is in the window.
void trace_counter(struct trace *trace, uint32_t process, const char *name, uint64_t at,
                   double value);
// Writes the values of a process's counters from this time on; `args`: members "name":value.
// Nothing is written outside of the window.
void trace_values(struct trace *trace, uint32_t process, uint64_t at, const char *name,
                  const char *args);
// Writes the collected events in an order that does not depend on the order of collection.
void trace_settle(struct trace *trace);
// Ends the document and flushes it to the stream.
void trace_end(struct trace *trace);

// A clock whose ticks are not microseconds.
struct trace_clock {
    uint64_t multiply, divide; // a tick in thousandths of a microsecond
};

static inline uint64_t trace_time(struct trace_clock clock, uint64_t tick)
{
    return tick / clock.divide * clock.multiply +
           tick % clock.divide * clock.multiply / clock.divide;
}
