// A buffer in front of a stream that receives pieces of a few bytes, for which a call of stdio per
// piece would dominate. A flush writes the buffer to the stream.
#pragma once
#include <stdio.h>
#include <string.h>

enum { SINK_SIZE = 16 * 1024 };

struct sink {
    FILE *to;
    size_t n;
    char bytes[SINK_SIZE];
};

static inline void sink_init(struct sink *sink, FILE *to)
{
    sink->to = to;
    sink->n = 0;
}

// Writes the buffered bytes to the stream.
static inline void sink_flush(struct sink *sink)
{
    fwrite(sink->bytes, 1, sink->n, sink->to);
    sink->n = 0;
}

// Returns room for exactly these bytes, at most SINK_SIZE, which the caller writes.
static inline char *sink_take(struct sink *sink, size_t length)
{
    if (length > SINK_SIZE - sink->n)
        sink_flush(sink);
    sink->n += length;
    return sink->bytes + sink->n - length;
}

// Append bytes, a NUL-terminated text, or a character.
static inline void sink_bytes(struct sink *sink, const char *bytes, size_t length)
{
    if (length > SINK_SIZE - sink->n)
        sink_flush(sink);
    if (length > SINK_SIZE) {
        fwrite(bytes, 1, length, sink->to);
        return;
    }
    memcpy(sink->bytes + sink->n, bytes, length);
    sink->n += length;
}

static inline void sink_text(struct sink *sink, const char *text)
{
    sink_bytes(sink, text, strlen(text));
}

static inline void sink_char(struct sink *sink, char c)
{
    if (sink->n == SINK_SIZE)
        sink_flush(sink);
    sink->bytes[sink->n++] = c;
}
