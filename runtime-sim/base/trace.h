// Writes Chrome trace events, a JSON format that Perfetto and chrome://tracing open. Processes have
// rows ("threads") with spans of time. Spans on a row are disjoint or nested. Events that overlap
// are written as pairs of events of the process (trace_async).
//
// Units: nanoseconds of the trace. Events outside the window are not written, and spans are cut at
// its edges. Names and arguments are written verbatim: they must not contain quotes, backslashes or
// control characters.
#pragma once
#include "support/sink.h"
#include "support/vec.h"

enum { TRACE_MICROSECOND = 1000 };
// Processes other than components of the machine, which are numbered from 1.
enum { TRACE_HOST = 0, TRACE_COUNTERS = 1000000, TRACE_POWER };

struct trace_row {
    uint32_t process, row;
};

struct trace {
    struct sink to;
    struct arena *arena;
    bool first;
    uint64_t from, until;
    uint64_t origin; // added to all times
    VEC(char) text;  // events collected so far
    VEC(uint32_t) lines;
    VEC(const char *) order;
};

// Returns `count` microseconds, or UINT64_MAX if they exceed 64 bits.
static inline uint64_t trace_microseconds(uint64_t count)
{
    return count < UINT64_MAX / TRACE_MICROSECOND ? count * TRACE_MICROSECOND : UINT64_MAX;
}

// Begins the document. `microsecond` names the unit that a microsecond of the trace stands for.
// With an arena, events are collected until trace_settle; otherwise they are written immediately.
void trace_begin(struct trace *trace, struct arena *arena, FILE *to, const char *microsecond,
                 uint64_t from, uint64_t until);
// Name a process and a row, as NAME NUMBER.
void trace_process(struct trace *trace, uint32_t process, const char *name, uint32_t number);
void trace_row(struct trace *trace, struct trace_row row, const char *name, uint32_t number);
// Writes a span. `category` and `args` (members of a JSON object) may be NULL.
void trace_span(struct trace *trace, struct trace_row row, uint64_t from, uint64_t until,
                const char *category, const char *name, const char *args);
// Writes the beginning or the end of an event. The two have the same process, category and id.
void trace_async(struct trace *trace, uint32_t process, bool begins, uint64_t at, uint64_t id,
                 const char *category, const char *name, const char *args);
// Writes the value of a counter of the process from `at` on, if that is in the window.
void trace_counter(struct trace *trace, uint32_t process, const char *name, uint64_t at,
                   double value);
// Writes the values of a process's counters from `at` on, if that is in the window. `args` has
// members "name":value.
void trace_values(struct trace *trace, uint32_t process, uint64_t at, const char *name,
                  const char *args);
// Writes the collected events in an order that does not depend on the order of collection.
void trace_settle(struct trace *trace);
// Ends the document and flushes the stream.
void trace_end(struct trace *trace);

// A clock whose ticks are not microseconds.
struct trace_clock {
    uint64_t multiply, divide; // nanoseconds of the trace per tick, as a fraction
};

// Returns the time of a tick in nanoseconds of the trace.
static inline uint64_t trace_time(struct trace_clock clock, uint64_t tick)
{
    return tick / clock.divide * clock.multiply +
           tick % clock.divide * clock.multiply / clock.divide;
}
