// Shared functions of the fuzz targets.
#pragma once
#include "support/source.h"
#include "tests/fuzz/fuzz.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Aborts with the message unless `holds`.
static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static inline bool fuzz_wants(const struct fuzz_input *input, uint32_t part, uint32_t parts)
{
    return input->part == FUZZ_ALL || input->part % parts == part;
}

// Output in memory that the next text reuses: a fuzzer has no time for files.
struct fuzz_sink {
    FILE *to;
    char *text;
    size_t length, room;
};

static inline ssize_t sink_write(void *cookie, const char *bytes, size_t size)
{
    struct fuzz_sink *sink = cookie;
    if (size > sink->room - sink->length) {
        sink->room = 2 * (sink->length + size);
        sink->text = realloc(sink->text, sink->room);
        must(sink->text != NULL, "the test itself has no memory");
    }
    memcpy(sink->text + sink->length, bytes, size);
    sink->length += size;
    return (ssize_t)size;
}

// Empties the sink. Returns the stream to write to.
static inline FILE *sink_begin(struct fuzz_sink *sink)
{
    if (!sink->to)
        sink->to = fopencookie(sink, "w", (cookie_io_functions_t){.write = sink_write});
    must(sink->to != NULL, "the test itself has no memory");
    // After a failure there may be a rest of the text before.
    fflush(sink->to);
    sink->length = 0;
    return sink->to;
}

static inline void sink_end(struct fuzz_sink *sink)
{
    fflush(sink->to);
}

typedef void fuzz_function(const struct fuzz_input *input, struct arena *arena);

// Runs the function in separate memory, all of which must be freed, also after a failure.
static inline int fuzz_in_own_memory(const struct fuzz_input *input, fuzz_function *function)
{
    struct memory memory = {.fail_in = input->fail_in};
    struct arena arena;
    arena_init(&arena, &memory);
    int ran_out = setjmp(memory.on_failure);
    if (!ran_out)
        function(input, &arena);
    memory_free(&memory);
    must(!ran_out || input->fail_in, "memory is exhausted");
    must(memory.bytes == 0, "memory was kept");
    return ran_out;
}

// Runs the function in memory that successive inputs share: a fuzzer runs many inputs per second.
static inline int fuzz_in_memory(const struct fuzz_input *input, fuzz_function *function)
{
    static struct memory memory;
    static struct arena arena;
    if (input->part == FUZZ_ALL || input->fail_in)
        return fuzz_in_own_memory(input, function);
    must(!setjmp(memory.on_failure), "memory is exhausted");
    if (!arena.memory)
        arena_init(&arena, &memory);
    function(input, &arena);
    arena_reset(&arena);
    return 0;
}

// Makes a source from a copy of exactly this length, which parsing may write to.
static inline void make_source(struct source *source, struct arena *arena, const char *text,
                               size_t length)
{
    char *copy = arena_alloc(arena, length + 2);
    if (length)
        memcpy(copy, text, length);
    source_init(source, arena, "fuzz.ptx", copy, (uint32_t)length);
}
