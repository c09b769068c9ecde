// Writes Chrome trace events: JSON that Perfetto and chrome://tracing open. Processes have rows
// ("threads"); on a row there are spans of time, which do not overlap unless one lies in the other;
// what overlaps is a pair of events of its process (trace_async).
//
// Time counts in thousandths of a microsecond of the trace. What is outside of the window is not
// written, what reaches over its edges is cut there. Names and arguments are written as they are:
// without quotes, backslashes and control characters in them.
#pragma once
#include "support/sink.h"
#include "support/vec.h"

enum { TRACE_MICROSECOND = 1000 };

struct trace_row {
    uint32_t process, row;
};

struct trace {
    struct sink to;
    struct arena *arena;
    bool first;
    uint64_t from, until;
    uint64_t origin; // is added to every time that is told
    VEC(char) text;  // of the events that are collected
    VEC(uint32_t) lines;
    VEC(const char *) order;
};

// So many microseconds, or the end of time.
static inline uint64_t trace_microseconds(uint64_t count)
{
    return count < UINT64_MAX / TRACE_MICROSECOND ? count * TRACE_MICROSECOND : UINT64_MAX;
}

// Begins the document. `microsecond` says what a microsecond of the trace stands for. With an
// arena, events are collected until trace_settle; else they are written as they come.
void trace_begin(struct trace *trace, struct arena *arena, FILE *to, const char *microsecond,
                 uint64_t from, uint64_t until);
void trace_process(struct trace *trace, uint32_t process, const char *name, uint32_t number);
void trace_row(struct trace *trace, struct trace_row row, const char *name, uint32_t number);
// `category` and `args` (members of a JSON object) may be NULL.
void trace_span(struct trace *trace, struct trace_row row, uint64_t from, uint64_t until,
                const char *category, const char *name, const char *args);
// One half of a pair, which has the same process, category and id.
void trace_async(struct trace *trace, uint32_t process, bool begins, uint64_t at, uint64_t id,
                 const char *category, const char *name, const char *args);
// Writes what has been collected, in an order that does not depend on that in which it came.
void trace_settle(struct trace *trace);
// Ends the document. Only then all of it has gone to the stream.
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
