// A source text and its lines. Offsets are 32 bits; larger texts are rejected when they are read.
#pragma once
#include "support/vec.h"

// The line starts. They are computed on first use, because a text without diagnostics does not need
// them.
struct source_lines {
    struct arena *arena;
    VEC(uint32_t) at; // offset of the start of each line
};

struct source {
    const char *name; // as given by the user
    const char *text; // `length` bytes, then two NUL bytes (the scanner works in place)
    uint32_t length;
    bool fragment; // part of a module or of a body, without its context
    struct source_lines *lines;
};

struct source_position {
    uint32_t line, column; // from 1; columns count bytes
};

// Returns true for white space as ptxas reads it, including Ctrl-Z, a former end-of-file mark.
static inline bool source_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\x1a';
}

// Initialises a source. The text and the arena must outlive it.
void source_init(struct source *source, struct arena *arena, const char *name, const char *text,
                 uint32_t length);
// Return the line starts, and the line and column of an offset.
const struct source_lines *source_lines(const struct source *source);
struct source_position source_position_at(const struct source *source, uint32_t offset);
// Returns the byte range of a line without its line end; `line` counts from 1.
void source_line(const struct source *source, uint32_t line, uint32_t *begin, uint32_t *end);
