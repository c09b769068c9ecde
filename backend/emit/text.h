// A text that grows in an arena.
#pragma once
#include "support/vec.h"
#include <string.h>

struct text {
    struct arena *arena;
    VEC(char) bytes;
};

// Starts an empty text.
void text_init(struct text *text, struct arena *arena);
void text_add_growing(struct text *text, const char *bytes, size_t length); // slow path of text_add

// Adds bytes. Inline, because most additions are a few bytes for which there is room.
static inline void text_add(struct text *text, const char *bytes, size_t length)
{
    if (!length)
        return;
    if (length >= text->bytes.capacity - text->bytes.n) {
        text_add_growing(text, bytes, length);
        return;
    }
    memcpy(text->bytes.v + text->bytes.n, bytes, length);
    text->bytes.n += (uint32_t)length;
}

// Adds a string without its NUL byte.
static inline void text_string(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

// Adds the digits of a number.
void text_uint(struct text *text, uint64_t number);
// Adds formatted text of any length.
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Returns the text with two NUL bytes at the end, as a source needs it; `length` excludes them.
char *text_end(struct text *text, uint32_t *length);

// Returns the name with invalid UTF-8 replaced as in the JSON writer: names of files need not be
// UTF-8, but the tables are equal in all their forms.
const char *text_utf8(struct arena *arena, const char *name);
