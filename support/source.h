// A source text and its lines. Offsets are 32 bits: texts of 2 GiB and more are refused earlier.
#pragma once
#include "support/vec.h"

// Found at the first request: a text without faults needs no lines.
struct source_lines {
    struct arena *arena;
    VEC(uint32_t) at; // offset of the start of each line
};

struct source {
    const char *name; // as the user wrote it
    const char *text; // `length` bytes, then two NUL bytes (the scanner works in place)
    uint32_t length;
    bool fragment; // a part of a module or of a body, without its context
    struct source_lines *lines;
};

struct place {
    uint32_t line, column; // from 1; columns count bytes
};

// White space of PTX, as ptxas reads it: Ctrl-Z once ended texts.
static inline bool source_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\x1a';
}

// The text and the arena must stay valid.
void source_init(struct source *source, struct arena *arena, const char *name, const char *text,
                 uint32_t length);
const struct source_lines *source_lines(const struct source *source);
struct place source_place(const struct source *source, uint32_t offset);
// Returns the line's offsets without its line end; `line` counts from 1.
void source_line(const struct source *source, uint32_t line, uint32_t *begin, uint32_t *end);
