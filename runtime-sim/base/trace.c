#include "runtime-sim/base/trace.h"
#include "support/number.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

enum { LONGEST = 1024, TIME_TEXT = 32 };

static void put(struct trace *t, const char *line, size_t length)
{
    sink_text(&t->to, t->first ? "\n{" : ",\n{");
    sink_bytes(&t->to, line, length);
    sink_char(&t->to, '}');
    t->first = false;
}

static void collect(struct trace *t, const char *line, size_t length)
{
    uint32_t at = t->text.n;
    vec_reserve(t->arena, &t->text, at + length + 1);
    memcpy(t->text.v + at, line, length + 1);
    t->text.n += (uint32_t)length + 1;
    vec_push(t->arena, &t->lines, at);
}

static void __attribute__((format(printf, 2, 3))) event(struct trace *t, const char *format, ...)
{
    char line[LONGEST];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    assert(length < LONGEST); // all names are of instructions, kernels and components
    if (t->arena)
        collect(t, line, (size_t)length);
    else
        put(t, line, (size_t)length);
}

// Formats a time in microseconds.
static const char *time_text(char text[TIME_TEXT], uint64_t time)
{
    uint64_t rest = time % TRACE_MICROSECOND;
    int n = snprintf(text, TIME_TEXT, "%" PRIu64, time / TRACE_MICROSECOND);
    if (rest)
        snprintf(text + n, (size_t)(TIME_TEXT - n), ".%03" PRIu64, rest);
    return text;
}

void trace_begin(struct trace *t, struct arena *arena, FILE *to, const char *microsecond,
                 uint64_t from, uint64_t until)
{
    char begin[TIME_TEXT], end[TIME_TEXT];
    *t = (struct trace){.arena = arena, .first = true, .from = from, .until = until};
    sink_init(&t->to, to);
    sink_text(&t->to, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"microsecond\":\"");
    sink_text(&t->to, microsecond);
    sink_text(&t->to, "\",\"from\":\"");
    sink_text(&t->to, time_text(begin, from));
    sink_text(&t->to, "\",\"to\":\"");
    sink_text(&t->to, until == UINT64_MAX ? "" : time_text(end, until));
    sink_text(&t->to, "\"},\"traceEvents\":[");
}

void trace_process(struct trace *t, uint32_t process, const char *name, uint32_t number)
{
    event(t, "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s %u\"}",
          process, name, number);
    event(t, "\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}",
          process, process);
}

void trace_row(struct trace *t, struct trace_row row, const char *name, uint32_t number)
{
    event(t,
          "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
          "\"args\":{\"name\":\"%s %u\"}",
          row.process, row.row, name, number);
    event(t,
          "\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%u,\"tid\":%u,"
          "\"args\":{\"sort_index\":%u}",
          row.process, row.row, row.row);
}

// Formats the members of an event other than its time.
static int write_rest(char *to, size_t size, const char *category, const char *name,
                      const char *args)
{
    return snprintf(to, size, "%s%s%s\"name\":\"%s\"%s%s%s", category ? "\"cat\":\"" : "",
                    category ? category : "", category ? "\"," : "", name,
                    args ? ",\"args\":{" : "", args ? args : "", args ? "}" : "");
}

void trace_span(struct trace *t, struct trace_row row, uint64_t from, uint64_t until,
                const char *category, const char *name, const char *args)
{
    char begin[TIME_TEXT], duration[TIME_TEXT], rest[LONGEST / 2];
    from = from + t->origin < t->from ? t->from : from + t->origin;
    until = until + t->origin > t->until ? t->until : until + t->origin;
    if (from >= until)
        return;
    write_rest(rest, sizeof rest, category, name, args);
    event(t, "\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"dur\":%s,%s", row.process, row.row,
          time_text(begin, from), time_text(duration, until - from), rest);
}

void trace_async(struct trace *t, uint32_t process, bool begins, uint64_t at, uint64_t id,
                 const char *category, const char *name, const char *args)
{
    char text[TIME_TEXT], rest[LONGEST / 2];
    at += t->origin;
    at = at < t->from ? t->from : at > t->until ? t->until : at;
    write_rest(rest, sizeof rest, category, name, args);
    event(t, "\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"id\":\"0x%" PRIx64 "\",%s",
          begins ? "b" : "e", process, process, time_text(text, at), id, rest);
}

void trace_counter(struct trace *t, uint32_t process, const char *name, uint64_t at, double value)
{
    char text[TIME_TEXT], number[NUMBER_TEXT];
    at += t->origin;
    if (at < t->from || at >= t->until)
        return;
    number_shortest(number, value);
    event(t, "\"ph\":\"C\",\"pid\":%u,\"ts\":%s,\"name\":\"%s\",\"args\":{\"value\":%s}", process,
          time_text(text, at), name, number);
}

void trace_values(struct trace *t, uint32_t process, uint64_t at, const char *name,
                  const char *args)
{
    char text[TIME_TEXT], rest[LONGEST];
    at += t->origin;
    if (at < t->from || at >= t->until)
        return;
    write_rest(rest, sizeof rest, NULL, name, args);
    event(t, "\"ph\":\"C\",\"pid\":%u,\"ts\":%s,%s", process, time_text(text, at), rest);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void trace_settle(struct trace *t)
{
    t->order.n = 0;
    for (uint32_t i = 0; i < t->lines.n; i++)
        vec_push(t->arena, &t->order, t->text.v + t->lines.v[i]);
    if (t->order.n)
        qsort(t->order.v, t->order.n, sizeof *t->order.v, compare);
    for (uint32_t i = 0; i < t->order.n; i++)
        put(t, t->order.v[i], strlen(t->order.v[i]));
    t->lines.n = t->text.n = 0;
}

void trace_end(struct trace *t)
{
    trace_settle(t);
    sink_text(&t->to, "\n]}\n");
    sink_flush(&t->to);
}
